//! What is refused before the API server sees it.
//!
//! One configuration holds everybody's webhooks, and the API server takes it as a whole or not at all. What would make it refuse
//! the whole without saying whose fault it is, is found here: two match conditions of a name, and too much of anything. Owns
//! the limits. What is in force keeps its room: whoever comes later or grows has to do with what is left.

use std::collections::{BTreeMap, HashSet};

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhook, WebhookClientConfig};

use super::{definition::Definition, draft::Faults, live::Live};

/// Bytes that one webhook may take.
const ONE: usize = 32 << 10;
/// Bytes that the webhooks of one namespace may take in one configuration.
const NAMESPACE: usize = 128 << 10;
/// Bytes that a configuration may take; etcd takes 1.5 MiB.
const ALL: usize = 1280 << 10;
/// Bytes that a webhook takes beside what is said of it: address, certificates, who owns its fields.
const ENTRY: usize = 1536;
/// Bytes that the API server writes down of a condition beside its name: who owns its fields.
const CONDITION: usize = 64;

/// What is wrong with webhooks that are wanted, by position. A ClusterAdmission finds room before any Admission does.
pub fn faults(webhooks: &[MutatingWebhook], wanted: &[&Definition], live: &Live) -> Faults {
    let mut entries: Vec<_> = webhooks
        .iter()
        .zip(wanted)
        .map(|(webhook, definition)| Entry::new(webhook, definition, live))
        .enumerate()
        .collect();
    let mut faults: Faults = webhooks
        .iter()
        .zip(&entries)
        .filter_map(|(webhook, (position, entry))| Some((*position, unfit(webhook, entry.wanted)?)))
        .collect();
    entries.sort_by_key(|(_, entry)| !entry.of_cluster());
    let mut rooms = Rooms::reserved(entries.iter().map(|(_, entry)| entry));
    for (position, entry) in &entries {
        if faults.contains_key(position) {
            continue;
        }
        if let Err(fault) = rooms.take(entry) {
            faults.insert(*position, format!("{UNSENT}: {fault}"));
        }
    }
    faults
}

/// How a fault begins that is found here.
const UNSENT: &str = "spec.webhookConfiguration is not sent to the API server";

/// What is wrong with a webhook of a size, whatever the others are.
fn unfit(webhook: &MutatingWebhook, size: usize) -> Option<String> {
    let mut names = HashSet::new();
    let mut conditions = webhook.match_conditions.iter().flatten();
    if let Some(twice) = conditions.find(|condition| !names.insert(&condition.name)) {
        let name = &twice.name;
        return Some(format!(
            "{UNSENT}: matchConditions has two conditions of the name {name:?}, give each a name of its own"
        ));
    }
    (size > ONE).then(|| {
        format!(
            "{UNSENT}: rules, selectors and matchConditions take {size} bytes, {ONE} are allowed; say less, or divide it"
        )
    })
}

/// Bytes of JSON, without the address, and what is written down of its conditions.
fn size(webhook: &MutatingWebhook) -> usize {
    let said = MutatingWebhook {
        client_config: WebhookClientConfig::default(),
        ..webhook.clone()
    };
    // Only a bug would keep it from being JSON; it takes no room then.
    let json = serde_json::to_string(&said).map_or(0, |json| json.len());
    let conditions = webhook.match_conditions.iter().flatten();
    json + conditions
        .map(|condition| condition.name.len() + CONDITION)
        .sum::<usize>()
}

/// A webhook that looks for room.
struct Entry<'a> {
    namespace: &'a str,
    wanted: usize,
    /// None: there is no such webhook yet.
    in_force: Option<usize>,
}

impl<'a> Entry<'a> {
    fn new(webhook: &MutatingWebhook, definition: &'a Definition, live: &Live) -> Self {
        Self {
            namespace: &definition.id.namespace,
            wanted: size(webhook),
            in_force: live.webhook(&webhook.name).as_ref().map(size),
        }
    }

    fn of_cluster(&self) -> bool {
        self.namespace.is_empty()
    }
}

/// What is taken so far.
#[derive(Default)]
struct Rooms<'a> {
    all: usize,
    namespaces: BTreeMap<&'a str, usize>,
}

impl<'a> Rooms<'a> {
    fn reserved<'b>(entries: impl Iterator<Item = &'b Entry<'a>>) -> Self
    where
        'a: 'b,
    {
        let mut rooms = Self::default();
        for entry in entries {
            if let Some(size) = entry.in_force {
                rooms.all += ENTRY + size;
                *rooms.namespaces.entry(entry.namespace).or_default() += size;
            }
        }
        rooms
    }

    /// Puts what is wanted in the place of what is in force. An error: there is no room, and nothing has changed.
    fn take(&mut self, entry: &Entry<'a>) -> Result<(), String> {
        let (freed, freed_entry) = entry.in_force.map_or((0, 0), |size| (size, ENTRY));
        let in_namespace = self.namespaces.entry(entry.namespace).or_default();
        let namespace = in_namespace.saturating_sub(freed) + entry.wanted;
        // What shrinks is taken in any case.
        let grows = entry.wanted > freed;
        if grows && !entry.of_cluster() && namespace > NAMESPACE {
            let of = entry.namespace;
            return Err(format!(
                "the Admissions of the namespace {of:?} would take {namespace} bytes in this webhook configuration, \
                 {NAMESPACE} are allowed"
            ));
        }
        let all = self.all.saturating_sub(freed + freed_entry) + entry.wanted + ENTRY;
        if grows && all > ALL {
            return Err(format!(
                "all webhooks of the cluster would take {all} bytes in this webhook configuration, {ALL} are allowed"
            ));
        }
        *in_namespace = namespace;
        self.all = all;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use espejote_api::{Admission, ClusterAdmission};
    use serde_json::{Value, json};

    use super::*;
    use crate::admission::{
        configuration::{Address, Plan},
        definition::Kind,
        lockout::Lockout,
    };

    fn plan() -> Plan {
        Plan {
            address: Address::Url("https://here".into()),
            ca_bundle: None,
            lockout: Lockout::default(),
        }
    }

    /// A definition with a rule of so many bytes; no namespace: a ClusterAdmission.
    fn sized(namespace: &str, name: &str, bytes: usize) -> Definition {
        let resources = vec!["r".repeat(97); bytes / 100];
        let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": resources}]);
        defined(namespace, name, json!({"rules": rules}))
    }

    fn defined(namespace: &str, name: &str, configuration: Value) -> Definition {
        let spec = json!({"webhookConfiguration": configuration});
        let read = |metadata| json!({"metadata": metadata, "spec": spec});
        if namespace.is_empty() {
            let object = read(json!({"name": name}));
            return serde_json::from_value::<ClusterAdmission>(object)
                .unwrap()
                .definition();
        }
        let object = read(json!({"name": name, "namespace": namespace}));
        serde_json::from_value::<Admission>(object).unwrap().definition()
    }

    fn found(definitions: &[Definition], in_force: &[Definition]) -> Vec<(usize, String)> {
        let webhooks: Vec<_> = definitions.iter().map(|of| plan().webhook(of)).collect();
        let old: Vec<_> = in_force.iter().map(|of| plan().webhook(of)).collect();
        let live = Live::read(json!({"webhooks": old}).to_string().as_bytes()).unwrap();
        let wanted: Vec<_> = definitions.iter().collect();
        faults(&webhooks, &wanted, &live).into_iter().collect()
    }

    fn at_fault(definitions: &[Definition], in_force: &[Definition]) -> Vec<usize> {
        let found = found(definitions, in_force).into_iter();
        found.map(|(position, _)| position).collect()
    }

    #[test]
    fn two_conditions_of_a_name_are_the_fault_of_who_wrote_them() {
        let conditions = |names: &[&str]| {
            let condition = |name: &&str| json!({"name": name, "expression": "true"});
            json!({"matchConditions": names.iter().map(condition).collect::<Vec<_>>()})
        };
        let ours = crate::admission::lockout::CONDITION;
        let definitions = [
            defined("a", "good", conditions(&["c", "d"])),
            defined("a", "twice", conditions(&["c", "d", "c"])),
            defined("b", "ours", conditions(&[ours])),
        ];
        let found = found(&definitions, &[]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0, 1);
        assert!(
            found[0].1.contains(r#"two conditions of the name "c""#),
            "{found:?}"
        );
        assert!(found[1].1.contains(ours), "{found:?}");
    }

    #[test]
    fn one_that_is_too_large_is_told_size_and_limit() {
        let definitions = [
            sized("a", "x", 700_000),
            sized("a", "y", 30_000),
            sized("", "z", 33_000),
        ];
        let found = found(&definitions, &[]);
        assert_eq!(
            found.iter().map(|(position, _)| *position).collect::<Vec<_>>(),
            [0, 2]
        );
        assert!(
            found[0].1.contains("take 700") && found[0].1.contains("32768 are allowed"),
            "{found:?}"
        );
    }

    #[test]
    fn one_namespace_has_so_much_and_its_neighbour_does_not_suffer() {
        let mut definitions: Vec<_> = (0..6).map(|n| sized("a", &n.to_string(), 30_000)).collect();
        definitions.push(sized("b", "x", 30_000));
        let found = found(&definitions, &[]);
        assert_eq!(
            found.iter().map(|(position, _)| *position).collect::<Vec<_>>(),
            [4, 5]
        );
        assert!(found[0].1.contains("131072 are allowed"), "{found:?}");
    }

    #[test]
    fn all_together_have_so_much_and_those_of_the_cluster_come_first() {
        let mut definitions: Vec<_> = (0..50).map(|n| sized(&format!("n{n:02}"), "x", 30_000)).collect();
        definitions.push(sized("", "x", 30_000));
        let found = found(&definitions, &[]);
        let positions: Vec<_> = found.iter().map(|(position, _)| *position).collect();
        assert_eq!(positions.first(), Some(&39));
        assert_eq!(positions.last(), Some(&49));
        assert!(found[0].1.contains("1310720 are allowed"), "{found:?}");
    }

    /// Else somebody with an early name could push others' rules out, or have more and more in force.
    #[test]
    fn what_is_in_force_keeps_its_room() {
        let in_force: Vec<_> = (0..4).map(|n| sized("n", &n.to_string(), 30_000)).collect();
        let mut definitions = vec![sized("n", "-", 30_000)];
        definitions.extend(in_force.clone());
        assert_eq!(at_fault(&definitions, &in_force), [0]);
        // What shrinks makes room for it.
        let small = sized("n", "0", 100);
        let definitions = [small, sized("n", "9", 30_000)];
        assert_eq!(at_fault(&definitions, &in_force[..1]), [0; 0]);
    }
}
