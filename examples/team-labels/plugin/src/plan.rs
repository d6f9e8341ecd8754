//! Which namespace belongs to which team, and what follows from it. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

/// The label by which a namespace asks for a team, and by which we say that it got it.
pub const TEAM: &str = "example.com/team";
/// On what we made.
pub const MANAGED: &str = "example.com/managed-by=team-labels";
/// The name of the ConfigMap in each namespace.
pub const CONFIG_MAP: &str = "team";

/// The file: team to address.
pub type Teams = BTreeMap<String, Team>;

/// One team.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Team {
    /// Where to reach it.
    pub contact: String,
}

/// A namespace that asks for a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The namespace.
    pub namespace: String,
    /// The team.
    pub team: String,
}

/// All wishes, answered.
pub struct Plan {
    wishes: Vec<Wish>,
    teams: Teams,
}

/// A namespace with its team.
pub struct Owned<'a> {
    wish: &'a Wish,
    team: &'a Team,
}

impl Plan {
    /// Answers each wish by the file.
    pub fn new(wishes: Vec<Wish>, teams: Teams) -> Self {
        Self { wishes, teams }
    }

    /// The namespaces whose team is known.
    pub fn owned(&self) -> impl Iterator<Item = Owned<'_>> {
        self.wishes.iter().filter_map(|wish| {
            Some(Owned {
                wish,
                team: self.teams.get(&wish.team)?,
            })
        })
    }

    /// Whether a namespace keeps its ConfigMap. One whose team is unknown does: the file may be wrong.
    pub fn owns(&self, namespace: &str) -> bool {
        self.wishes.iter().any(|wish| wish.namespace == namespace)
    }

    /// The namespaces whose team is not known, with it.
    pub fn unknown(&self) -> Vec<String> {
        let unknown = self
            .wishes
            .iter()
            .filter(|wish| !self.teams.contains_key(&wish.team));
        unknown
            .map(|wish| format!("{} ({})", wish.team, wish.namespace))
            .collect()
    }
}

impl Owned<'_> {
    /// The namespace with the one label that is ours.
    pub fn label(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": self.wish.namespace, "labels": {"example.com/owned-by": self.wish.team}},
        })
    }

    /// The team's address.
    pub fn config_map(&self, made_by: &str) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": CONFIG_MAP,
                "namespace": self.wish.namespace,
                "labels": {"example.com/managed-by": "team-labels"},
                "annotations": {"example.com/made-by": made_by},
            },
            "data": {"team": self.wish.team, "contact": self.team.contact},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let teams = serde_json::from_str(r#"{"web":{"contact":"web@example.com"}}"#).unwrap();
        let wish = |namespace: &str, team: &str| Wish {
            namespace: namespace.into(),
            team: team.into(),
        };
        Plan::new(vec![wish("shop", "web"), wish("lab", "ghosts")], teams)
    }

    #[test]
    fn known_teams_get_their_label_and_address() {
        let plan = plan();
        let owned: Vec<Owned<'_>> = plan.owned().collect();
        assert_eq!(owned.len(), 1);
        assert_eq!(
            owned[0].label()["metadata"]["labels"]["example.com/owned-by"],
            "web"
        );
        assert_eq!(owned[0].config_map("mr")["data"]["contact"], "web@example.com");
    }

    #[test]
    fn unknown_teams_are_told_and_keep_what_they_have() {
        assert_eq!(plan().unknown(), ["ghosts (lab)"]);
        assert!(plan().owns("lab") && !plan().owns("gone"));
    }
}
