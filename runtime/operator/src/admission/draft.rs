//! A configuration on its way to the API server.
//!
//! Owns what happens to a webhook that is refused: the one of that name that is there already stays, as a bad new version must
//! not open a door; if there is none, it is left out.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::admissionregistration::v1::MutatingWebhook;

use super::{
    configuration::{self, Plan},
    definition::Definition,
    live::Live,
};

/// The webhooks to write, and what was wrong with those that are not among them.
#[derive(Clone, Debug)]
pub struct Draft {
    entries: Vec<Entry>,
    faults: Faults,
}

/// What is wrong with webhooks, by the position of their definitions.
pub type Faults = BTreeMap<usize, String>;

#[derive(Clone, Debug)]
struct Entry {
    /// The position of its definition.
    of: usize,
    webhook: MutatingWebhook,
    /// It is the one that is there, instead of the one that is wanted.
    old: bool,
}

impl Draft {
    /// All webhooks as they are wanted.
    pub fn new(plan: &Plan, wanted: &[&Definition]) -> Self {
        let entry = |(of, definition): (usize, &&Definition)| Entry {
            of,
            webhook: plan.webhook(definition),
            old: false,
        };
        Self {
            entries: wanted.iter().enumerate().map(entry).collect(),
            faults: Faults::new(),
        }
    }

    /// The webhooks, in order.
    pub fn webhooks(&self) -> Vec<MutatingWebhook> {
        self.entries.iter().map(|entry| entry.webhook.clone()).collect()
    }

    /// Whether a webhook of this name is to be there.
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.webhook.name == name)
    }

    /// The positions of those that are as they are wanted.
    pub fn new_ones(&self) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| !entry.old)
            .map(|(position, _)| position)
            .collect()
    }

    /// With these of the new ones only.
    pub fn only(&self, chosen: &BTreeSet<usize>, live: &Live, plan: &Plan, wanted: &[&Definition]) -> Self {
        let others = self.new_ones().into_iter().filter(|at| !chosen.contains(at));
        let mut only = self.clone();
        only.refuse(others.map(|at| (at, String::new())).collect(), live, plan, wanted);
        only
    }

    /// What was wrong.
    pub fn faults(self) -> Faults {
        self.faults
    }

    /// The webhooks at these positions are refused. False: there are none, so trying again is of no use.
    pub fn refuse(&mut self, found: Faults, live: &Live, plan: &Plan, wanted: &[&Definition]) -> bool {
        let mut some = false;
        // From the end, so that positions stay what they are.
        for (position, fault) in found.into_iter().rev() {
            let Some(entry) = self.entries.get_mut(position) else {
                continue;
            };
            some = true;
            let of = entry.of;
            self.faults.entry(of).or_insert(fault);
            let old = live.webhook(&entry.webhook.name).filter(|_| !entry.old);
            match (old, wanted.get(of)) {
                (Some(old), Some(definition)) => {
                    entry.old = true;
                    entry.webhook = MutatingWebhook {
                        client_config: plan.client_config(&definition.key()),
                        ..old
                    };
                }
                _ => {
                    self.entries.remove(position);
                }
            }
        }
        some
    }

    /// As a document.
    pub fn document(&self, sort: configuration::Sort, name: &str) -> serde_json::Result<serde_json::Value> {
        configuration::document(sort, name, &self.webhooks())
    }
}

#[cfg(test)]
mod tests {
    use espejote_api::Admission;
    use serde_json::json;

    use super::*;
    use crate::admission::{configuration::Address, definition::Kind, lockout::Lockout};

    fn definition(name: &str) -> Definition {
        let object = json!({"metadata": {"name": name, "namespace": "ns"}, "spec": {
            "mutating": true, "webhookConfiguration": {"matchPolicy": "New"},
        }});
        serde_json::from_value::<Admission>(object).unwrap().definition()
    }

    fn live(names: &[&str]) -> Live {
        let webhook = |name: &&str| {
            json!({"name": format!("{name}.ns.namespaced.espejote.io"), "matchPolicy": "Old", "sideEffects": "None",
                   "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://elsewhere"}})
        };
        let webhooks: Vec<_> = names.iter().map(webhook).collect();
        Live::read(json!({"webhooks": webhooks}).to_string().as_bytes()).unwrap()
    }

    fn shown(draft: &Draft) -> Vec<String> {
        let line = |webhook: MutatingWebhook| {
            let url = webhook.client_config.url.unwrap_or_default();
            assert!(url.starts_with("https://here/dynamic/ns/"), "{url}");
            format!(
                "{} {}",
                webhook.name.split('.').next().unwrap(),
                webhook.match_policy.unwrap()
            )
        };
        draft.webhooks().into_iter().map(line).collect()
    }

    fn plan() -> Plan {
        Plan {
            address: Address::Url("https://here".into()),
            ca_bundle: None,
            lockout: Lockout::default(),
        }
    }

    #[test]
    fn a_trial_holds_some_new_ones_and_what_is_in_force_for_the_others() {
        let plan = plan();
        let definitions = ["a", "b", "c"].map(definition);
        let wanted: Vec<_> = definitions.iter().collect();
        let draft = Draft::new(&plan, &wanted);
        let trial = draft.only(&[2].into(), &live(&["a"]), &plan, &wanted);
        assert_eq!(shown(&trial), ["a Old", "c New"]);
        assert_eq!(trial.new_ones(), [1]);
        assert_eq!(shown(&draft), ["a New", "b New", "c New"]);
    }

    #[test]
    fn the_old_one_stays_where_the_new_one_is_refused_and_its_neighbours_come_through() {
        let plan = plan();
        let definitions = ["a", "b", "c"].map(definition);
        let wanted: Vec<_> = definitions.iter().collect();
        let mut draft = Draft::new(&plan, &wanted);
        let live = live(&["b"]);
        let faults = |positions: &[usize]| positions.iter().map(|at| (*at, format!("bad {at}"))).collect();
        assert!(draft.refuse(faults(&[0, 1]), &live, &plan, &wanted));
        assert_eq!(shown(&draft), ["b Old", "c New"]);
        // The old one is refused as well.
        assert!(draft.refuse(faults(&[0]), &live, &plan, &wanted));
        assert_eq!(shown(&draft), ["c New"]);
        assert!(!draft.refuse(faults(&[7]), &live, &plan, &wanted));
        let told: Vec<_> = draft.faults().into_iter().collect();
        assert_eq!(told, [(0, "bad 0".to_owned()), (1, "bad 1".to_owned())]);
    }
}
