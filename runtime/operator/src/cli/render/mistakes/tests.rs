use espejote_core::{ApplyOptions, DesiredBuilder};

use super::*;
use crate::cli::manifest;

fn plan(spec: &str) -> Result<Plan, PlanError> {
    let text = format!("apiVersion: espejote.io/v1alpha1\nkind: ManagedResource\nspec: {spec}\n");
    Plan::of(&manifest::parse(&text).unwrap().resource.spec, "own")
}

fn input(spec: &str, input: &str) -> Vec<String> {
    of_input(&plan(spec).unwrap(), &InputFile::parse(input).unwrap())
}

fn result(objects: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut builder = DesiredBuilder::default();
    for (json, subresource) in objects {
        let options = ApplyOptions {
            subresource: subresource.map(str::to_owned),
            ..ApplyOptions::default()
        };
        builder.apply((*json).into(), options);
    }
    of_result(&builder.finish().unwrap())
}

#[test]
fn what_the_operator_refuses_of_a_manifest_is_told_in_its_words() {
    for (spec, told) in [
        (
            "{triggers: [{name: t, watchContextResource: {name: nope}}]}",
            r#"context "nope" not found for trigger "t""#,
        ),
        (
            "{triggers: [{name: t, interval: soon}]}",
            "spec.triggers[t].interval",
        ),
        ("{triggers: [{name: t}]}", r#"trigger "t" has no watch resource"#),
    ] {
        let mistakes = of_manifest(&plan(spec));
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(told)),
            "{mistakes:?}"
        );
    }
    assert!(of_manifest(&plan("{triggers: [{name: t, interval: 1m}]}")).is_empty());
}

const SPEC: &str = "{context: [{name: c, resource: {apiVersion: v1, kind: ConfigMap, matchNames: [a, b], ignoreNames: [b], \
                    labelSelector: {matchLabels: {x: \"1\"}}}}], \
                    triggers: [{name: t, watchContextResource: {name: c}}, {name: i, interval: 1m}]}";

#[test]
fn objects_that_the_selection_leaves_out_are_told_with_the_reason() {
    let object = |metadata: &str| {
        input(
            SPEC,
            &format!(
                "context: [{{name: c, resources: [{{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}]}}]"
            ),
        )
    };
    assert_eq!(object("{name: a, labels: {x: \"1\"}, namespace: own}"), [""; 0]);
    for (metadata, why) in [
        ("{name: c, labels: {x: \"1\"}}", "not in matchNames"),
        ("{name: b, labels: {x: \"1\"}}", "in ignoreNames"),
        ("{name: a, labels: {x: \"2\"}}", "labelSelector x=1"),
        ("{name: a}", "labelSelector x=1"),
        ("{name: a, labels: {x: \"1\"}, namespace: other}", "its namespace"),
    ] {
        let told = object(metadata);
        assert!(
            matches!(told.as_slice(), [one] if one.starts_with("context[0] \"c\", resources[0]: ") && one.contains(why)),
            "{told:?}"
        );
    }
}

#[test]
fn triggers_and_contexts_that_the_manifest_lacks_are_told_with_those_it_has() {
    assert_eq!(
        input(
            SPEC,
            "triggers: [{}, {name: x}]\ncontext: [{name: d}]\nprovided: {e: 1}"
        ),
        [
            r#"triggers[1] "x" is no trigger of the manifest, which has t, i"#,
            r#"context[0] "d" is no context of the manifest, which has c"#,
            r#"provided "e" is no context of the manifest, which has c"#,
        ]
    );
}

#[test]
fn a_trigger_has_an_object_if_it_watches_and_only_then() {
    let event = "event: {apiVersion: v1, kind: ConfigMap, namespace: own, name: a}";
    assert!(input(SPEC, &format!("triggers: [{{name: t, {event}}}, {{name: i}}]")).is_empty());
    let told = input(SPEC, &format!("triggers: [{{name: i, {event}}}, {{name: t}}]"));
    assert!(
        matches!(told.as_slice(), [interval, watch] if interval.contains("is an interval") && watch.contains("watchResource or event")),
        "{told:?}"
    );
}

#[test]
fn objects_without_a_name_and_dropped_statuses_are_told() {
    assert_eq!(
        result(&[
            (r#"{"kind":"A","metadata":{"name":"a"}}"#, None),
            (
                r#"{"kind":"A","metadata":{"name":"a"},"status":{}}"#,
                Some("status")
            ),
        ]),
        [""; 0]
    );
    let told = result(&[
        (r#"{"kind":"A","metadata":{"generateName":"a-"}}"#, None),
        (r#"{"kind":"B","metadata":{"name":"b"},"status":{"x":1}}"#, None),
    ]);
    assert!(
        matches!(told.as_slice(), [name, status]
            if name.contains("kind \"A\" has no metadata.name") && status.starts_with("b B: status is dropped")),
        "{told:?}"
    );
}
