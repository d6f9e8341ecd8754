//! Labels each namespace after the team that owns it, and puts a ConfigMap with the team's address into it.
//!
//! Which team owns what is a file in a JsonnetLibrary. A namespace asks for a team by the label `example.com/team`. The plugin
//! reads that label of all namespaces without copying a single object, counts pods only when some have changed, and
//! deletes the ConfigMaps of namespaces that no longer ask.
//!
//! Start reading in `reconcile`. `plan.rs` decides and is tested without a host.

mod plan;
mod pods;

use std::time::Duration;

use espejote_sdk::desired::{self, ApplyOptions, DeleteOptions, ErrorPolicy, PropagationPolicy};
use espejote_sdk::report::{self, ConditionStatus};
use espejote_sdk::state::Collection;
use espejote_sdk::{
    Configurable, Failure, FailureKind, OrFail, Problem, Reconciler, export, invocation, library, logging,
    state, trigger,
};
use serde::Deserialize;

use crate::plan::{CONFIG_MAP, MANAGED, Plan, TEAM, Teams, Wish};

/// What a manifest gives this plugin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The file with the teams: `<library>/<key>` or `lib/<library>/<key>`.
    teams: String,
    /// Look again after so many seconds, since a change of the file starts nothing by itself.
    #[serde(default = "ten_minutes", rename = "refreshSeconds")]
    refresh_seconds: u32,
}

fn ten_minutes() -> u32 {
    600
}

/// The plugin.
pub struct TeamLabels;

impl Reconciler for TeamLabels {
    fn reconcile() -> Result<(), Failure> {
        invocation::keep_instance();
        let config: Config = invocation::config()?;
        let teams = teams(&config.teams)?;
        let namespaces = state::context("namespaces")?;
        let plan = Plan::new(wishes(&namespaces)?, teams);
        emit(&plan)?;
        delete_leftovers(&plan)?;
        tell(&plan, config.refresh_seconds)
    }
}

fn teams(path: &str) -> Result<Teams, Failure> {
    let text = library::read_text(path)?;
    let parsed: Result<Teams, _> = serde_json::from_str(&text);
    parsed
        .map_err(|error| format!("library file {path:?}: {error}"))
        .or_fail(FailureKind::InvalidInput)
}

/// The namespaces that ask for a team: all of them, or the one that started this call.
fn wishes(namespaces: &Collection) -> Result<Vec<Wish>, Failure> {
    let indices = match trigger::event() {
        Some(namespace) => namespaces.find("", &namespace.name).into_iter().collect(),
        None => namespaces.select(None, TEAM)?,
    };
    let teams: Vec<Option<String>> = namespaces.values(&indices, "/metadata/labels/example.com~1team")?;
    let ids = namespaces.ids(&indices).into_iter();
    Ok(ids
        .zip(teams)
        .filter_map(|(id, team)| {
            Some(Wish {
                namespace: id.name,
                team: team?,
            })
        })
        .collect())
}

/// The label first; without it the ConfigMap is left out.
fn emit(plan: &Plan) -> Result<(), Failure> {
    let owner = invocation::owner();
    let as_labeller = ApplyOptions::new().field_manager_suffix(":labels").force(true);
    for owned in plan.owned() {
        desired::group(Some(ErrorPolicy::Abort), || {
            desired::apply_with(&owned.label(), &as_labeller)?;
            desired::apply(&owned.config_map(&owner.id.name))
        })?;
    }
    Ok(())
}

/// Only the reconcile of all namespaces knows which ConfigMaps are too many.
fn delete_leftovers(plan: &Plan) -> Result<(), Failure> {
    if trigger::name().is_some() {
        return Ok(());
    }
    let config_maps = state::context("config-maps")?;
    let ours = config_maps.select(None, MANAGED)?;
    let options = DeleteOptions::new().propagation_policy(PropagationPolicy::Background);
    for id in config_maps.ids(&ours) {
        if id.name == CONFIG_MAP && !plan.owns(&id.namespace) {
            logging::info("namespace has no team any more", &[("namespace", &id.namespace)]);
            desired::delete_with(&id, &options);
        }
    }
    Ok(())
}

fn tell(plan: &Plan, refresh_seconds: u32) -> Result<(), Failure> {
    report::requeue_after(Duration::from_secs(refresh_seconds.into()));
    let running = pods::running(&state::context("pods")?)?;
    report::message(&format!(
        "{} namespaces with a team, {running} pods running",
        plan.owned().count()
    ));
    match plan.unknown() {
        unknown if unknown.is_empty() => {
            report::condition(
                "TeamsKnown",
                ConditionStatus::True,
                "AllKnown",
                "every namespace asks for a known team",
            );
        }
        unknown => {
            let message = format!("not in the file of teams: {}", unknown.join(", "));
            report::condition("TeamsKnown", ConditionStatus::False, "UnknownTeam", &message);
            report::waiting("UnknownTeam", &message);
        }
    }
    Ok(())
}

impl Configurable for TeamLabels {
    fn schema(_role: &str) -> Option<String> {
        Some(include_str!("config.schema.json").to_owned())
    }

    fn validate(_role: &str, config: &str) -> Vec<Problem> {
        let config: Result<Config, _> = serde_json::from_str(config);
        let problem = match config {
            Err(error) => Some((String::new(), error.to_string())),
            Ok(config) if !config.teams.ends_with(".json") => Some((
                "/teams".to_owned(),
                format!("must name a .json file, is {:?}", config.teams),
            )),
            Ok(_) => None,
        };
        problem
            .into_iter()
            .map(|(path, message)| Problem { path, message })
            .collect()
    }
}

export!(TeamLabels: reconcile, configuration);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_is_checked_before_it_runs() {
        let problems = |config| TeamLabels::validate("reconcile", config);
        assert!(problems(r#"{"teams":"org/teams.json"}"#).is_empty());
        assert_eq!(problems(r#"{"teams":"org/teams.yaml"}"#)[0].path, "/teams");
        assert!(problems(r#"{"team":"x"}"#)[0].message.contains("unknown field"));
    }

    #[test]
    fn the_schema_is_json() {
        let schema = TeamLabels::schema("reconcile").unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&schema).is_ok());
    }
}
