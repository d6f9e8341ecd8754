//! The lines before each document.

use espejote_core::ObjectId;
use serde::Serialize;

/// `---`, and what started the call, unless that is the general reconcile.
pub fn head(trigger: Option<&str>, object: Option<&ObjectId>) -> String {
    let comment = trigger.and_then(|name| json(&Trigger::new(name, object)));
    comment.map_or_else(|| "---\n".to_owned(), |json| format!("---\n# Trigger: {json}\n"))
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Trigger<'a> {
    trigger_name: &'a str,
    watch_resource: WatchResource<'a>,
}

/// Here the version stands alone, in a field that elsewhere holds the group as well.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct WatchResource<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    api_version: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    group: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
}

impl<'a> Trigger<'a> {
    fn new(trigger_name: &'a str, object: Option<&'a ObjectId>) -> Self {
        let watch_resource = object.map(|id| WatchResource {
            api_version: id.version(),
            group: id.group(),
            kind: &id.kind,
            name: &id.name,
            namespace: &id.namespace,
        });
        Self {
            trigger_name,
            watch_resource: watch_resource.unwrap_or_default(),
        }
    }
}

/// As Go writes JSON: signs that mean something in HTML are escaped, and so are JavaScript's line breaks.
fn json(trigger: &Trigger<'_>) -> Option<String> {
    let plain = serde_json::to_string(trigger).ok()?;
    let escape = |c: char| match c {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    Some(plain.chars().map(escape).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(api_version: &str, namespace: &str) -> ObjectId {
        ObjectId {
            api_version: api_version.into(),
            kind: "Kind".into(),
            namespace: namespace.into(),
            name: "blub".into(),
        }
    }

    /// R4: the comment of a trigger, of an interval, and none for the general reconcile.
    #[test]
    fn r4_a_comment_tells_the_trigger() {
        assert_eq!(head(None, None), "---\n");
        assert_eq!(
            head(Some("tick"), None),
            "---\n# Trigger: {\"TriggerName\":\"tick\",\"WatchResource\":{}}\n"
        );
        let escaped = head(Some("<a>&\u{2028}"), None);
        assert!(
            escaped.contains(r#""TriggerName":"\u003ca\u003e\u0026\u2028""#),
            "{escaped}"
        );
    }

    /// R5: the version alone, the group beside it, empty fields left out.
    #[test]
    fn r5_the_group_is_a_field_of_its_own() {
        let namespaced = head(Some("t"), Some(&id("networking.k8s.io/v1", "ns")));
        let expected = r#"{"TriggerName":"t","WatchResource":{"apiVersion":"v1","group":"networking.k8s.io","kind":"Kind","name":"blub","namespace":"ns"}}"#;
        assert_eq!(namespaced, format!("---\n# Trigger: {expected}\n"));
        let core = head(Some("t"), Some(&id("v1", "")));
        assert!(
            core.ends_with(
                "\"WatchResource\":{\"apiVersion\":\"v1\",\"kind\":\"Kind\",\"name\":\"blub\"}}\n"
            )
        );
    }
}
