//! Entries of `context` that plugins compute.

use espejote_tests::{
    Namespace, components,
    objects::{config_maps, esp, labelled, writes},
    run,
};
use serde_json::{Value, json};

fn provider<'n>(ns: &'n Namespace<'n>) -> espejote_tests::Registered<'n> {
    let reference = components::put(&run::unique("provider"), components::guests());
    ns.plugin("p", json!({"module": reference}))
}

/// A context named `computed` by plugin `p`, with its data.
fn computed(data: Value) -> Value {
    json!([{"name": "computed", "plugin": {"name": "p", "data": data}}])
}

/// P6: the value is what `esp.context()` gives, for each of ten triggers.
#[test]
fn p6_a_plugin_computes_an_entry_of_the_context() {
    let ns = Namespace::new("p6");
    provider(&ns);
    let managed = ns.managed(
        "test",
        json!({
            "context": computed(json!({"mode": "text", "text": "\"Hello, World!\""})),
            "triggers": [{"name": "cm", "watchResource": config_maps(json!({"labelSelector": {"matchLabels": {"in": "yes"}}}))}],
            "template": esp("if esp.triggerName() == 'cm' then {
                apiVersion: 'v1', kind: 'ConfigMap',
                metadata: {name: 'out-' + esp.triggerData().resource.metadata.name},
                data: {text: esp.context().computed},
            }"),
        }),
    );
    for index in 0..10 {
        ns.apply(labelled(&format!("in-{index}"), json!({"in": "yes"}), json!({})));
    }
    for index in 0..10 {
        ns.has_data(&format!("out-in-{index}"), json!({"text": "Hello, World!"}));
    }
    managed.is_ready();
}

/// P7: who failed, for which entry.
#[test]
fn p7_a_provider_that_fails_fails_the_template_and_names_entry_and_plugin() {
    let ns = Namespace::new("p7");
    provider(&ns);
    let managed = ns.managed(
        "test",
        json!({"context": computed(json!({"mode": "panic"})), "template": writes("out", "esp.context().computed")}),
    );
    managed.is("TemplateError");
    managed.warns(
        "TemplateError",
        &["failed to run plugin \"p\" for context \"computed\"", "trapped"],
    );
}

/// P7: an entry of a plugin that is not there fails only who asks for it, until it comes.
#[test]
fn p7_a_provider_that_is_not_registered_is_named_and_waited_for() {
    let ns = Namespace::new("p7-late");
    let data = json!({"mode": "text", "text": "\"late\""});
    let asks = ns.managed(
        "asks",
        json!({"context": computed(data.clone()), "template": writes("asked", "esp.context().computed")}),
    );
    asks.is_not_ready(
        "NotReady",
        &[
            "failed to run plugin \"p\" for context \"computed\"",
            "plugin \"p\" is not registered",
        ],
    );
    let ignores = ns.managed(
        "ignores",
        json!({"context": computed(data), "template": writes("ignored", "'fine'")}),
    );
    ignores.is_ready();
    provider(&ns);
    ns.has_data("asked", json!({"text": "late"}));
    asks.is_ready();
}
