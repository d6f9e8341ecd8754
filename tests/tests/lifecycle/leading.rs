//! Two operators of one cluster, of which one leads.

use std::{
    cell::{Ref, RefCell},
    sync::{MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use espejote_tests::{
    Namespace, Operator, OperatorOptions,
    cluster::kind_path,
    components, deployment, eventually, eventually_within, http,
    objects::{self, esp, library, within},
    operator::Webhooks,
    process, run, stays,
    waiting::{equal, holds},
};
use serde_json::{Value, json};

use crate::TURN;

const LEASE: &str = "f7157d46.espejote.io";
/// As long as the lease lasts, and what the other one may be late.
const TAKEN_OVER: Duration = Duration::from_secs(25);

/// The only two operators of the control plane. Each has a library namespace of its own, so what is written says who wrote it.
struct Two {
    first: RefCell<Option<Operator>>,
    second: Operator,
    _turn: MutexGuard<'static, ()>,
}

impl Two {
    fn start(name: &str, webhooks: bool) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // What a test before this one has left behind.
        run::admin().delete("coordination.k8s.io/v1", "Lease", deployment::NAMESPACE, LEASE);
        let first = start(name, "first", webhooks);
        eventually("the first one leads", || leads(&first));
        let second = start(name, "second", webhooks);
        Self {
            first: RefCell::new(Some(first)),
            second,
            _turn: turn,
        }
    }

    fn first(&self) -> Ref<'_, Operator> {
        Ref::map(self.first.borrow(), |first| first.as_ref().expect("it runs"))
    }

    fn take_first(&self) -> Operator {
        self.first.take().expect("it runs")
    }
}

fn start(name: &str, which: &str, webhooks: bool) -> Operator {
    let admin = run::admin();
    let libraries = run::unique(which);
    admin.ensure(&objects::namespace(&libraries));
    admin.ensure(&within(
        &libraries,
        library("who", json!({"name.libsonnet": format!("'{which}'")})),
    ));
    let mut options = OperatorOptions::named(&format!("{name}-{which}"));
    options.libraries = libraries;
    options.arguments.push("--leader-elect".to_owned());
    options.webhooks = webhooks.then(|| Webhooks::Url(http::free_port()));
    Operator::start(admin, &options)
}

fn leads(operator: &Operator) -> Result<(), String> {
    equal(
        operator
            .metrics()
            .sum("leader_election_master_status", &[("name", LEASE)]),
        Some(1.0),
    )
}

fn lease() -> Option<Value> {
    run::admin().get("coordination.k8s.io/v1", "Lease", deployment::NAMESPACE, LEASE)
}

fn transitions() -> i64 {
    let lease = lease().expect("there is a lease");
    lease["spec"]["leaseTransitions"].as_i64().expect("a number")
}

/// Writes who it is at every tick; and something new each time, so that every tick is a write.
fn ticking() -> Value {
    let template = "{
        apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'out'},
        data: {by: import 'lib/who/name.libsonnet'},
    }";
    let trigger = json!({"name": "tick", "interval": "20ms"});
    json!({"triggers": [trigger], "applyOptions": {"force": true}, "template": esp(template)})
}

fn is_written_by(ns: &Namespace<'_>, who: &str) {
    eventually_within(TAKEN_OVER, &format!("the {who} writes"), || {
        equal(ns.data("out"), Some(json!({"by": who})))
    });
}

/// Everybody who has written the ConfigMap, in the order of the API server, until `until` is over. Somebody else empties it again
/// and again: whoever works puts that right at once.
fn writers(ns: &Namespace<'_>, until: impl FnOnce() + Send) -> Vec<String> {
    let path = kind_path("v1", "ConfigMap", &ns.name);
    let mut watch = ns
        .cluster
        .watch(&format!("{path}?watch=1&fieldSelector=metadata.name%3Dout"))
        .expect("open a watch");
    let empty = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "out", "namespace": ns.name}, "data": {"by": ""}});
    thread::scope(|scope| {
        let during = scope.spawn(|| {
            until();
            ns.apply(objects::config_map("out", json!({"by": "", "end": "yes"})));
        });
        let mut writers = Vec::new();
        loop {
            let event = watch.next_event().expect("the watch goes on");
            let event: Value = serde_json::from_slice(&event).expect("an event");
            let data = &event["object"]["data"];
            if data["end"] == "yes" {
                break;
            }
            let by = data["by"].as_str().unwrap_or_default();
            if !by.is_empty() {
                writers.push(by.to_owned());
                ns.cluster.apply(&empty).expect("empty it");
            }
        }
        during.join().expect("it goes as planned");
        writers
    })
}

/// E2: outside of a Pod, and with the rights of the shipped manifests.
#[test]
fn e2_the_lease_is_in_the_namespace_that_the_command_line_names() {
    let two = Two::start("e2", false);
    let lease = lease().expect("there is a lease");
    let spec = &lease["spec"];
    assert_eq!(spec["leaseDurationSeconds"], 15);
    let holder = spec["holderIdentity"].as_str().expect("a holder").to_owned();
    assert_eq!(
        holder.rsplit_once('_').expect("host and uuid").1.len(),
        36,
        "{holder}"
    );
    assert_eq!(
        two.first().log_lines(&holder).len(),
        1,
        "the first one says that it leads"
    );
    let events = || run::admin().list("events.k8s.io/v1", "Event", deployment::NAMESPACE);
    eventually("an event tells who leads", || {
        let note = format!("{holder} became leader");
        let told = events().into_iter().find(|event| event["note"] == note.as_str());
        let told = told.ok_or("there is none")?;
        equal(told["regarding"]["uid"].clone(), lease["metadata"]["uid"].clone())
    });
    stays(
        Duration::from_secs(6),
        "the first one leads, and the second does not",
        || {
            leads(&two.first())?;
            holds(leads(&two.second).is_err(), || "both do".to_owned())?;
            two.second.probe("/readyz")?;
            two.second.probe("/healthz")
        },
    );
    assert_eq!(transitions(), 0);
}

/// SIGTERM: the lease is given back, and the other one need not wait for its end.
#[test]
fn who_ends_in_order_is_followed_within_two_retry_periods() {
    let two = Two::start("handover", false);
    let ns = Namespace::served_by(run::admin(), &two.second, "handover");
    ns.managed("test", ticking());
    is_written_by(&ns, "first");
    let module = components::put(&run::unique("module"), components::jsonnet());
    let plugin = ns.plugin("renderer", json!({"module": module}));
    plugin.is_registered();
    stays(Duration::from_secs(2), "one of them tells", || {
        holds(plugin.events().len() <= 1, || format!("{:?}", plugin.events()))
    });
    let before = transitions();
    let (status, _) = two.take_first().terminate();
    assert!(status.success(), "{status}");
    let ended = Instant::now();
    eventually("the second one leads", || leads(&two.second));
    let waited = ended.elapsed();
    assert!(waited < Duration::from_secs(6), "{waited:?}");
    assert_eq!(transitions(), before + 1);
    ns.apply(objects::config_map("out", json!({"by": ""})));
    is_written_by(&ns, "second");
    plugin.update(json!({"module": format!("{module}-gone")}));
    eventually("the second one tells what has become of the plugin", || {
        holds(
            plugin.status()["conditions"].to_string().contains("-gone"),
            || format!("{:#}", plugin.status()),
        )
    });
}

/// The leader is stopped for longer than its lease lasts, in the midst of writing, and goes on when another one leads.
#[test]
fn a_leader_that_was_stopped_writes_nothing_after_its_successor_has_begun() {
    let two = Two::start("stopped", false);
    let ns = Namespace::served_by(run::admin(), &two.second, "stopped");
    ns.managed("test", ticking());
    is_written_by(&ns, "first");
    let mut ended = None;
    let first = two.take_first();
    let writers = writers(&ns, || {
        stays(Duration::from_secs(2), "it writes", || first.probe("/healthz"));
        process::signal(first.pid(), "STOP");
        eventually_within(TAKEN_OVER, "the second one leads", || leads(&two.second));
        is_at_work(&ns);
        process::signal(first.pid(), "CONT");
        let log = first.log().to_owned();
        ended = Some((first.ends_within(Duration::from_secs(10)), log));
        stays(Duration::from_secs(3), "the second one leads", || {
            leads(&two.second)
        });
    });
    let (status, log) = ended.expect("it has ended");
    assert_eq!(status.code(), Some(1), "{status}");
    let log = std::fs::read_to_string(log).expect("its log");
    assert!(log.contains("this process leads no more"), "{log}");
    let last = writers
        .iter()
        .rposition(|who| who == "first")
        .expect("the first one wrote");
    let next = writers
        .iter()
        .position(|who| who == "second")
        .expect("the second one wrote");
    let (before, after) = (next, writers.len() - next);
    assert!(last < next, "the first one wrote after the second: {writers:?}");
    assert!(before > 10 && after > 10, "both worked: {before}, {after}");
}

/// Whoever leads puts an emptied ConfigMap right.
fn is_at_work(ns: &Namespace<'_>) {
    let version = || {
        ns.get_config_map("out")
            .map(|found| found["metadata"]["resourceVersion"].clone())
    };
    let before = version();
    eventually("there are further writes", || {
        holds(version() != before, || format!("{before:?}"))
    });
}

/// W4: every replica answers the API server; one writes where it finds them.
#[test]
fn w4_a_replica_that_waits_answers_admission_requests_and_leaves_the_configurations_alone() {
    let two = Two::start("webhooks", true);
    let admin = run::admin();
    let ns = Namespace::served_by(admin, &two.second, "webhooks");
    let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]);
    let template = "(import 'espejote.libsonnet').ALPHA.admission.denied(import 'lib/who/name.libsonnet')";
    let admission = ns.admission(
        "guard",
        json!({"template": template, "webhookConfiguration": {"rules": rules}}),
    );
    admission.is_ready();
    denied_by(&ns, "first");
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "u", "operation": "CREATE", "name": "x", "namespace": ns.name,
            "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
            "resource": {"group": "", "version": "v1", "resource": "configmaps"},
            "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
            "userInfo": {"username": "somebody"},
        },
    });
    let review = review.to_string();
    let (code, answer) = two
        .second
        .ask(admin, &admission.path(), review.as_bytes())
        .expect("the second one answers");
    assert_eq!(code, 200, "{answer}");
    assert!(answer.contains("second"), "{answer}");
    let (status, _) = two.take_first().terminate();
    assert!(status.success(), "{status}");
    denied_by(&ns, "second");
}

/// Whom the API server asks.
fn denied_by(ns: &Namespace<'_>, who: &str) {
    eventually(&format!("the API server asks the {who}"), || {
        let created = ns.cluster.create(&within(
            &ns.name,
            objects::config_map(&run::unique("x"), json!({})),
        ));
        let refusal = created.err().ok_or("it was created")?.to_string();
        holds(refusal.contains(&format!(" {who}")), || refusal.clone())
    });
}
