use std::collections::BTreeSet;

use super::*;

fn series(metrics: &Metrics, family: &str) -> Vec<String> {
    let text = metrics.encode().unwrap();
    let of_family = |line: &&str| {
        line.strip_prefix(family)
            .is_some_and(|rest| rest.starts_with(['{', ' ']))
    };
    text.lines().filter(of_family).map(str::to_owned).collect()
}

fn has_line(metrics: &Metrics, line: &str) -> bool {
    metrics.encode().unwrap().lines().any(|found| found == line)
}

/// Two caches, in no order, and two states.
struct Fixed;

impl Observed for Fixed {
    fn caches(&self) -> Vec<CacheSize> {
        let cache = |used_as, name: &str, objects, bytes| CacheSize {
            namespace: "ns".into(),
            managed_resource: "mr".into(),
            used_as,
            name: name.into(),
            objects,
            bytes,
        };
        vec![
            cache(CacheUse::Trigger, "two", 2, 1674),
            cache(CacheUse::Context, "labelled", 50, 37_077),
            cache(CacheUse::Context, "all-cms", 100, 67_522),
        ]
    }

    fn watches(&self) -> Vec<(&'static str, u64)> {
        vec![("synced", 3), ("stale", 1)]
    }
}

/// Metrics with at least one series in each family.
fn full() -> Metrics {
    let metrics = Metrics::new();
    metrics.observe(Arc::new(Fixed));
    let owner = metrics.managed_resource("ns", "mr");
    owner.reconciled("", Duration::from_millis(3));
    owner.failed("", "TemplateError");
    owner.status("Ready");
    owner.applied(AppliedAs::Applied, 1);
    owner.limit_hit("memory");
    metrics.admission("ns", "adm", 200, Duration::from_millis(3));
    metrics.token_request(true);
    metrics.observe_leading("f7157d46.espejote.io", Leading::always());
    metrics
}

/// The name and the label that alerts on controllers know.
#[test]
fn it_is_told_whether_this_process_leads() {
    let metrics = Metrics::new();
    let (leadership, leading) = Leading::elected();
    let told = || series(&metrics, "leader_election_master_status");
    assert!(told().is_empty(), "there is no election");
    metrics.observe_leading("f7157d46.espejote.io", leading);
    assert_eq!(
        told(),
        [r#"leader_election_master_status{name="f7157d46.espejote.io"} 0"#]
    );
    leadership.extend(tokio::time::Instant::now() + Duration::from_secs(1));
    assert_eq!(
        told(),
        [r#"leader_election_master_status{name="f7157d46.espejote.io"} 1"#]
    );
}

#[test]
fn m1_cached_objects_are_told_by_use() {
    let metrics = full();
    assert!(has_line(
        &metrics,
        "# HELP espejote_cached_objects Number of objects in the cache."
    ));
    assert!(has_line(&metrics, "# TYPE espejote_cached_objects gauge"));
    assert_eq!(
        series(&metrics, "espejote_cached_objects"),
        [
            r#"espejote_cached_objects{managedresource="mr",name="all-cms",namespace="ns",type="context"} 100"#,
            r#"espejote_cached_objects{managedresource="mr",name="labelled",namespace="ns",type="context"} 50"#,
            r#"espejote_cached_objects{managedresource="mr",name="two",namespace="ns",type="trigger"} 2"#,
        ]
    );
}

#[test]
fn m2_cache_sizes_have_the_same_labels() {
    let metrics = full();
    assert!(has_line(
        &metrics,
        "# HELP espejote_cache_size_bytes Size of the cache in bytes. Note that this is an approximation. The metric \
         should not be compared across different espejote versions."
    ));
    assert!(has_line(&metrics, "# TYPE espejote_cache_size_bytes gauge"));
    assert_eq!(
        series(&metrics, "espejote_cache_size_bytes")[0],
        r#"espejote_cache_size_bytes{managedresource="mr",name="all-cms",namespace="ns",type="context"} 67522"#
    );
}

#[test]
fn m3_reconciles_are_counted_by_trigger() {
    let metrics = Metrics::new();
    let owner = metrics.managed_resource("ns", "mr");
    for trigger in ["", "t", "", r#"a"b\c"#] {
        owner.reconciled(trigger, Duration::ZERO);
    }
    assert!(has_line(
        &metrics,
        "# HELP espejote_reconciles_total Total number of reconciles by trigger."
    ));
    assert!(has_line(&metrics, "# TYPE espejote_reconciles_total counter"));
    assert_eq!(
        series(&metrics, "espejote_reconciles_total"),
        [
            r#"espejote_reconciles_total{managedresource="mr",namespace="ns",trigger=""} 2"#,
            r#"espejote_reconciles_total{managedresource="mr",namespace="ns",trigger="a\"b\\c"} 1"#,
            r#"espejote_reconciles_total{managedresource="mr",namespace="ns",trigger="t"} 1"#,
        ]
    );
}

#[test]
fn m4_errors_are_counted_by_trigger_and_kind() {
    let metrics = Metrics::new();
    metrics.managed_resource("ns", "mr").failed("", "TemplateError");
    assert!(has_line(
        &metrics,
        "# TYPE espejote_reconcile_errors_total counter"
    ));
    assert_eq!(
        series(&metrics, "espejote_reconcile_errors_total"),
        [concat!(
            r#"espejote_reconcile_errors_total{managedresource="mr",namespace="ns",trigger="","#,
            r#"error_kind="TemplateError"} 1"#
        )]
    );
}

/// M5: what promlint asks for, as far as it can be told without it.
#[test]
fn m5_every_family_is_well_formed() {
    for family in FAMILIES {
        let name = family.name;
        assert!(!family.help.is_empty(), "{name} has a help");
        assert_eq!(
            name.ends_with("_total"),
            family.kind == Kind::Counter,
            "{name} says what it is"
        );
        assert!(
            name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
            "{name} is in snake case"
        );
        for reserved in ["_bucket", "_sum", "_count"] {
            assert!(!name.ends_with(reserved), "{name} ends in no reserved word");
        }
        for word in ["counter", "gauge", "histogram", "summary", "untyped"] {
            assert!(!name.split('_').any(|part| part == word), "{name} names no type");
        }
        assert!(
            !family
                .labels
                .iter()
                .any(|label| ["le", "quantile"].contains(label))
        );
        let distinct: BTreeSet<_> = family.labels.iter().collect();
        assert_eq!(distinct.len(), family.labels.len(), "the labels of {name} differ");
    }
}

#[test]
fn m5_each_family_stands_once_with_help_and_type_before_its_series() {
    let text = full().encode().unwrap();
    let mut lines = text.lines().peekable();
    let mut seen = Vec::new();
    while let Some(line) = lines.next() {
        let (name, _) = line.strip_prefix("# HELP ").expect(line).split_once(' ').unwrap();
        assert!(lines.next().unwrap().starts_with(&format!("# TYPE {name} ")));
        let mut series = BTreeSet::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            assert!(line.starts_with(name), "{line} belongs to {name}");
            let (labels, value) = line.rsplit_once(' ').unwrap();
            assert!(series.insert(labels.to_owned()), "{labels} stands once");
            value.parse::<f64>().unwrap();
        }
        assert!(!series.is_empty(), "{name} has a series");
        seen.push(name);
    }
    let names: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
    assert_eq!(seen, names);
}

#[test]
fn m6_the_status_is_a_label_and_only_the_last_one_is_there() {
    let metrics = Metrics::new();
    let owner = metrics.managed_resource("ns", "mr");
    assert!(series(&metrics, "espejote_managedresource_status").is_empty());
    owner.status("Ready");
    owner.status("");
    assert!(has_line(
        &metrics,
        "# HELP espejote_managedresource_status Status of the managed resource. Read from the resources \
         .status.status field."
    ));
    assert_eq!(
        series(&metrics, "espejote_managedresource_status"),
        [r#"espejote_managedresource_status{managedresource="mr",namespace="ns",status=""} 1"#]
    );
}

#[test]
fn m7_ready_is_one_only_for_ready() {
    let metrics = Metrics::new();
    let owner = metrics.managed_resource("ns", "mr");
    for (status, ready) in [("Ready", 1), ("TemplateError", 0), ("", 0)] {
        owner.status(status);
        assert_eq!(
            series(&metrics, "espejote_managedresource_status_ready"),
            [format!(
                r#"espejote_managedresource_status_ready{{managedresource="mr",namespace="ns"}} {ready}"#
            )]
        );
    }
    assert!(has_line(
        &metrics,
        "# HELP espejote_managedresource_status_ready Ready status of the managed resource. 1 if ready, 0 if any other \
         status. Read from the resources .status.status field."
    ));
}

/// M8: with nothing but failures, and with nothing at all, there is an answer.
#[test]
fn m8_an_exposition_needs_no_working_managed_resource() {
    let metrics = Metrics::new();
    assert!(has_line(
        &metrics,
        &format!(
            r#"espejote_build_info{{version="{}"}} 1"#,
            env!("CARGO_PKG_VERSION")
        )
    ));
    metrics
        .managed_resource("ns", "mr")
        .failed("", "ControllerStartError");
    assert_eq!(series(&metrics, "espejote_reconcile_errors_total").len(), 1);
}

#[test]
fn m10_admissions_are_counted_under_their_own_names() {
    let metrics = Metrics::new();
    metrics.admission("ns", "adm", 403, Duration::from_millis(3));
    metrics.admission("", "cluster-adm", 500, Duration::from_millis(3));
    assert_eq!(
        series(&metrics, "espejote_admission_requests_total"),
        [
            r#"espejote_admission_requests_total{admission="adm",namespace="ns",code="403"} 1"#,
            r#"espejote_admission_requests_total{admission="cluster-adm",namespace="",code="500"} 1"#,
        ]
    );
    metrics.forget_admission("ns", "adm");
    assert_eq!(series(&metrics, "espejote_admission_requests_total").len(), 1);
}

#[test]
fn a_forgotten_managed_resource_leaves_no_series() {
    let metrics = full();
    let other = metrics.managed_resource("other", "mr");
    other.reconciled("", Duration::ZERO);
    let late = metrics.managed_resource("ns", "mr");
    late.reconciled("t", Duration::ZERO);
    metrics.forget("ns", "mr");
    late.failed("t", "ApplyError");
    late.status("ApplyError");
    let text = metrics.encode().unwrap();
    let left: Vec<_> = text
        .lines()
        .filter(|line| line.contains(r#"namespace="ns""#))
        .collect();
    // What is observed is not ours to forget; admissions have names of their own.
    let foreign = |line: &&str| line.contains("espejote_cache") || line.contains("espejote_admission");
    assert!(left.iter().all(foreign), "{left:?}");
    assert!(text.contains(r#"namespace="other""#));
}

#[test]
fn a_managed_resource_made_anew_starts_from_zero() {
    let metrics = full();
    metrics.forget("ns", "mr");
    metrics
        .managed_resource("ns", "mr")
        .reconciled("", Duration::ZERO);
    assert_eq!(
        series(&metrics, "espejote_reconciles_total"),
        [r#"espejote_reconciles_total{managedresource="mr",namespace="ns",trigger=""} 1"#]
    );
}

#[test]
fn durations_are_histograms_with_cumulative_buckets() {
    let metrics = Metrics::new();
    metrics.phase(Phase::Guest, Duration::from_micros(20));
    metrics.phase(Phase::Guest, Duration::from_millis(4));
    let buckets = series(&metrics, "espejote_reconcile_phase_seconds_bucket");
    let guest: Vec<_> = buckets.iter().filter(|line| line.contains("guest")).collect();
    assert!(guest[0].ends_with(r#"{phase="guest",le="5e-05"} 1"#), "{guest:?}");
    assert!(guest.last().unwrap().ends_with(r#"le="+Inf"} 2"#));
    assert!(
        series(&metrics, "espejote_reconcile_phase_seconds_count")
            .contains(&r#"espejote_reconcile_phase_seconds_count{phase="guest"} 2"#.to_owned())
    );
}

#[test]
fn dropped_events_are_counted_by_cause() {
    let metrics = Metrics::new();
    metrics.event_losses().limited.inc();
    assert!(has_line(
        &metrics,
        r#"espejote_events_dropped_total{cause="limited"} 1"#
    ));
    assert!(has_line(
        &metrics,
        r#"espejote_events_dropped_total{cause="full"} 0"#
    ));
}

/// The documentation's table is this one; `BLESS=1` writes it.
#[test]
fn the_guide_lists_every_family() {
    let row = |family: &&Family| {
        let labels: Vec<_> = family.labels.iter().map(|label| format!("`{label}`")).collect();
        let kind = format!("{:?}", family.kind).to_lowercase();
        format!(
            "| `{}` | {kind} | {} | {} |\n",
            family.name,
            labels.join(", "),
            family.help
        )
    };
    let table: String = FAMILIES.iter().map(row).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/metrics.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("|---|---|---|---|\n", "\n<!-- end of the table -->");
    let (before, rest) = guide.split_once(begin).unwrap();
    let (found, after) = rest.split_once(end).unwrap();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, format!("{before}{begin}{table}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(found, table);
}
