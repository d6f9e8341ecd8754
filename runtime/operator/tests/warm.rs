//! Templates in a kept instance give what they give in a fresh one, whatever happened in the calls before.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

use std::sync::Arc;

use espejote_core::{
    Collection, Context, ContextValue, Invocation, Libraries, Object, ObjectId, Owner, Revision, Snapshot,
    Trigger, Unavailable, UnavailableReason,
};
use espejote_engine::{Call, Compiler, Engine, EngineConfig, Grants, Kept, Limits, Plugin};
use espejote_operator::builtin;
use serde_json::json;

/// Templates that read all, a part, nothing, or fail; and that tell apart what only an object's text tells apart.
const TEMPLATES: [&str; 4] = [
    r#"local esp = import "espejote.libsonnet";
       { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "all" }, data: {
           [o.metadata.name]: o.data.value for o in esp.context().things
       } }"#,
    r#"local esp = import "espejote.libsonnet";
       local data = esp.triggerData();
       if data != null && data.resource != null then
         data.resource { metadata+: { name: "copy", labels: { of: std.toString(std.length(esp.context().others)) } } }
       else [
         { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n-" + o.metadata.name }, data: o.data }
         for o in std.filter(function(o) std.length(o.data.value) % 2 == 0, esp.context().things)
       ]"#,
    r#"local esp = import "espejote.libsonnet";
       local things = esp.context().things;
       if std.length(things) > 7 then error "too many: " + things[7].metadata.name
       else { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "last" },
              data: { last: if things == [] then "" else things[std.length(things) - 1].data.value } }"#,
    r#"local esp = import "espejote.libsonnet";
       std.map(function(o) esp.applyOptions(o { metadata+: { resourceVersion:: null } }, fieldManagerSuffix=":x"),
               std.sort(esp.context().others, function(o) o.data.value))"#,
];

/// Numbers that follow from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// A context whose objects come, go and change.
#[derive(Default)]
struct Things {
    objects: Vec<Arc<Object>>,
    revision: Option<Revision>,
}

impl Things {
    fn change(&mut self, chance: &mut Chance) {
        for _ in 0..chance.below(4) {
            let name = format!("t{}", chance.below(12));
            self.objects.retain(|object| object.name() != name);
            if chance.below(3) > 0 {
                self.objects.push(object(&name, chance.below(1_000)));
            }
            self.revision = None;
        }
    }

    fn collection(&mut self) -> Collection {
        let revision = *self.revision.get_or_insert_with(Revision::fresh);
        Collection::new(self.objects.clone(), revision)
    }
}

fn object(name: &str, value: usize) -> Arc<Object> {
    let metadata =
        json!({"name": name, "namespace": "ns", "uid": name, "resourceVersion": value.to_string()});
    let data =
        json!({"value": "v".repeat(value % 5) + &value.to_string(), "large": 9_007_199_254_740_993_u64});
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data});
    Arc::new(Object::parse(object.to_string().into(), Revision::fresh()).unwrap())
}

fn invocation(template: &str, contexts: Vec<Context>, trigger: Trigger) -> Invocation {
    let id = ObjectId {
        api_version: "espejote.io/v1alpha1".into(),
        kind: "ManagedResource".into(),
        namespace: "ns".into(),
        name: "test".into(),
    };
    Invocation {
        owner: Owner {
            id,
            uid: "uid".into(),
        },
        config: json!({"template": template}).to_string().into(),
        trigger,
        snapshot: Snapshot { contexts },
        libraries: Libraries::default(),
        clock: 1,
        seed: 1,
    }
}

fn trigger(things: &Things, chance: &mut Chance) -> Trigger {
    let Some(object) = things.objects.get(chance.below(14)) else {
        return Trigger::default();
    };
    Trigger {
        name: Some("things".into()),
        event: Some(object.id()),
        object: (chance.below(4) > 0).then(|| object.clone()),
    }
}

fn context(name: &str, value: Result<Arc<Collection>, Unavailable>) -> Context {
    Context {
        name: name.into(),
        value: ContextValue::Objects(value),
    }
}

async fn jsonnet() -> (tempfile::TempDir, Plugin) {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::new(env!("CARGO_BIN_EXE_espejote"), ["compile"]);
    let engine = Engine::new(EngineConfig::new(folder.path().join("plugins"), compiler)).unwrap();
    let plugin = builtin::jsonnet(&engine).await.unwrap();
    (folder, plugin)
}

/// Everything that a call says, in one text.
fn said(call: &Call) -> String {
    format!("{:?}\n{:?}", call.result, call.report)
}

async fn compare(plugin: &Plugin, kept: &Kept, invocation: Invocation, at: &str) -> bool {
    let (limits, grants) = (Limits::default(), Grants::default());
    let warm = plugin
        .reconcile_kept(invocation.clone(), &limits, &grants, kept)
        .await;
    let cold = plugin.reconcile_with(invocation, &limits, &grants).await;
    assert_eq!(said(&warm), said(&cold), "{at}");
    warm.usage.warm
}

#[tokio::test]
async fn a_kept_instance_gives_what_a_fresh_one_gives() {
    let (_folder, plugin) = jsonnet().await;
    for (number, template) in TEMPLATES.iter().enumerate() {
        let (kept, mut chance) = (plugin.kept(), Chance(number as u64 + 1));
        let (mut things, mut others) = (Things::default(), Things::default());
        let mut warm = 0;
        for step in 0..60 {
            things.change(&mut chance);
            others.change(&mut chance);
            let gone = Unavailable::new(UnavailableReason::NotSynced, "not yet");
            let others = match chance.below(8) {
                0 => Err(gone),
                _ => Ok(Arc::new(others.collection())),
            };
            let trigger = trigger(&things, &mut chance);
            let contexts = vec![
                context("things", Ok(Arc::new(things.collection()))),
                context("others", others),
            ];
            let invocation = invocation(template, contexts, trigger);
            let at = format!("template {number}, step {step}");
            warm += usize::from(compare(&plugin, &kept, invocation, &at).await);
        }
        // After one that failed comes a fresh one.
        assert!(warm > 15, "{warm} calls of template {number} were warm");
    }
}
