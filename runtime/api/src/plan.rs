//! A spec, checked and with its defaults filled in.
//!
//! Owns the defaults and the texts for specs that contradict themselves. It asks no cluster: whether a kind exists or a
//! ServiceAccount may watch it is found out by those who watch.

use std::{collections::HashSet, time::Duration};

use crate::{
    duration::{self, ParseDurationError},
    label_selector::{self, SelectorTextError},
    managed_resource::{
        Context, ContextPlugin, ManagedResourceSpec, ServiceAccountRef, Trigger, WatchResource,
    },
    names::{self, NameError},
};

/// `cacheSyncTimeout` where none is given.
pub const DEFAULT_CACHE_SYNC_TIMEOUT: Duration = Duration::from_secs(120);
/// The ServiceAccount where none is named.
pub const DEFAULT_SERVICE_ACCOUNT: &str = "default";

/// Why a spec cannot be served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Two triggers of one name.
    #[error("duplicate trigger definition {0:?}")]
    DuplicateTrigger(String),
    /// Two contexts of one name.
    #[error("duplicate context definition {0:?}")]
    DuplicateContext(String),
    /// A trigger names a context that is not there.
    #[error("context {context:?} not found for trigger {trigger:?}")]
    ContextNotFound {
        /// The trigger.
        trigger: String,
        /// What it names.
        context: String,
    },
    /// A trigger without a source.
    #[error("trigger {0:?} has no watch resource or interval")]
    TriggerWithoutSource(String),
    /// A context without a resource.
    #[error("context {0:?} has no resource")]
    ContextWithoutResource(String),
    /// A context with two sources.
    #[error("context {0:?} has both a resource and a plugin: only one of them can be its source")]
    ContextWithTwoSources(String),
    /// A trigger names a context that holds no objects.
    #[error(
        "context {context:?} of trigger {trigger:?} is computed by a plugin: only a context with a resource can be watched"
    )]
    ContextNotWatched {
        /// The trigger.
        trigger: String,
        /// What it names.
        context: String,
    },
    /// Two sorts of logic.
    #[error("spec.template and spec.plugin are both set: only one of them can be the logic")]
    TwoLogics,
    /// A field holds no duration.
    #[error("{field}: {source}")]
    Duration {
        /// Where in the spec.
        field: String,
        /// What is wrong.
        source: ParseDurationError,
    },
    /// A field holds no name of its sort.
    #[error("{field}: {source}")]
    Name {
        /// Where in the spec.
        field: String,
        /// What is wrong.
        source: NameError,
    },
    /// A label selector that cannot be evaluated.
    #[error("{field}: {source}")]
    Selector {
        /// Where in the spec.
        field: String,
        /// What is wrong.
        source: SelectorTextError,
    },
}

/// Which objects are watched, with every default filled in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Watched {
    /// `group/version`, or `v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Only this namespace; none: all. Means nothing for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// Only the object of this name.
    pub name: Option<String>,
    /// The label selector as the API server takes it; empty: all.
    pub label_selector: String,
    /// Only these names, sorted; empty: all.
    pub match_names: Vec<String>,
    /// None of these names, sorted.
    pub ignore_names: Vec<String>,
    /// Whether `metadata.managedFields` is left out.
    pub strip_managed_fields: bool,
}

/// What starts a trigger's reconciles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Time.
    Interval(Duration),
    /// Changes of objects.
    Watch(Watched),
}

/// One trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTrigger {
    /// Its name.
    pub name: String,
    /// What starts it.
    pub source: Source,
}

/// One context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedContext {
    /// Its name.
    pub name: String,
    /// Where its value comes from.
    pub source: ContextSource,
}

/// Where the value of a context comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextSource {
    /// Objects of the cluster.
    Watch(Watched),
    /// A plugin.
    Plugin(ContextPlugin),
}

impl PlannedContext {
    /// Its objects, if it holds any.
    pub fn watched(&self) -> Option<&Watched> {
        match &self.source {
            ContextSource::Watch(watched) => Some(watched),
            ContextSource::Plugin(_) => None,
        }
    }
}

/// A spec that can be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name of the ServiceAccount.
    pub service_account: String,
    /// The triggers, in the order of the manifest.
    pub triggers: Vec<PlannedTrigger>,
    /// The contexts, in the order of the manifest.
    pub contexts: Vec<PlannedContext>,
    /// How long a watch may take.
    pub cache_sync_timeout: Duration,
}

impl Plan {
    /// The contexts that plugins compute, with what each asks of its plugin.
    pub fn computed(&self) -> impl Iterator<Item = (&str, &ContextPlugin)> {
        self.contexts.iter().filter_map(|context| match &context.source {
            ContextSource::Watch(_) => None,
            ContextSource::Plugin(of) => Some((context.name.as_str(), of)),
        })
    }

    /// Checks a spec and fills in the defaults. `namespace` is that of the resource.
    pub fn of(spec: &ManagedResourceSpec, namespace: &str) -> Result<Self, PlanError> {
        if spec.template.is_some() && spec.plugin.is_some() {
            return Err(PlanError::TwoLogics);
        }
        check_service_account(&spec.service_account_ref)?;
        let contexts = contexts(spec, namespace)?;
        Ok(Self {
            service_account: service_account(spec).to_owned(),
            triggers: triggers(spec, namespace, &contexts)?,
            contexts,
            cache_sync_timeout: cache_sync_timeout(spec)?,
        })
    }
}

/// The name of the ServiceAccount that a spec means; also of a spec that is wrong elsewhere.
pub fn service_account(spec: &ManagedResourceSpec) -> &str {
    match spec.service_account_ref.name.as_str() {
        "" => DEFAULT_SERVICE_ACCOUNT,
        name => name,
    }
}

/// Checks the name of a ServiceAccount before it becomes part of a path; an empty one means the default.
pub fn check_service_account(of: &ServiceAccountRef) -> Result<(), PlanError> {
    if of.name.is_empty() {
        return Ok(());
    }
    let checked = names::dns_subdomain(&of.name, "name of a ServiceAccount");
    checked.map_err(named("spec.serviceAccountRef.name"))
}

fn named(field: impl Into<String>) -> impl FnOnce(NameError) -> PlanError {
    |source| PlanError::Name {
        field: field.into(),
        source,
    }
}

fn cache_sync_timeout(spec: &ManagedResourceSpec) -> Result<Duration, PlanError> {
    match &spec.cache_sync_timeout {
        None => Ok(DEFAULT_CACHE_SYNC_TIMEOUT),
        Some(text) => parse_duration(text, || "spec.cacheSyncTimeout".to_owned()),
    }
}

fn contexts(spec: &ManagedResourceSpec, namespace: &str) -> Result<Vec<PlannedContext>, PlanError> {
    let given = spec.context.as_deref().unwrap_or_default();
    if let Some(name) = duplicate(given.iter().map(|c| c.name.as_str())) {
        return Err(PlanError::DuplicateContext(name.to_owned()));
    }
    given
        .iter()
        .map(|context| planned_context(context, namespace))
        .collect()
}

fn planned_context(context: &Context, namespace: &str) -> Result<PlannedContext, PlanError> {
    let resource = context.resource.as_ref().filter(|r| !r.api_version.is_empty());
    let name = || context.name.clone();
    let field = || format!("spec.context[{}].resource", context.name);
    let source = match (resource, &context.plugin) {
        (Some(resource), None) => ContextSource::Watch(watched(resource, namespace, field)?),
        (None, Some(plugin)) => ContextSource::Plugin(plugin.clone()),
        (Some(_), Some(_)) => return Err(PlanError::ContextWithTwoSources(name())),
        (None, None) => return Err(PlanError::ContextWithoutResource(name())),
    };
    Ok(PlannedContext { name: name(), source })
}

fn triggers(
    spec: &ManagedResourceSpec,
    namespace: &str,
    contexts: &[PlannedContext],
) -> Result<Vec<PlannedTrigger>, PlanError> {
    let given = spec.triggers.as_deref().unwrap_or_default();
    if let Some(name) = duplicate(given.iter().map(|t| t.name.as_str())) {
        return Err(PlanError::DuplicateTrigger(name.to_owned()));
    }
    let planned = |trigger: &Trigger| {
        Ok(PlannedTrigger {
            name: trigger.name.clone(),
            source: source(trigger, namespace, contexts)?,
        })
    };
    given.iter().map(planned).collect()
}

/// The first source that is set, in the order interval, context, resource.
fn source(trigger: &Trigger, namespace: &str, contexts: &[PlannedContext]) -> Result<Source, PlanError> {
    if let Some(interval) = interval(trigger)? {
        return Ok(Source::Interval(interval));
    }
    if let Some(of) = trigger
        .watch_context_resource
        .as_ref()
        .filter(|of| !of.name.is_empty())
    {
        return context_source(&trigger.name, &of.name, contexts);
    }
    let resource = trigger
        .watch_resource
        .as_ref()
        .filter(|r| !r.api_version.is_empty());
    let resource = resource.ok_or_else(|| PlanError::TriggerWithoutSource(trigger.name.clone()))?;
    let field = || format!("spec.triggers[{}].watchResource", trigger.name);
    Ok(Source::Watch(watched(resource, namespace, field)?))
}

fn context_source(trigger: &str, context: &str, contexts: &[PlannedContext]) -> Result<Source, PlanError> {
    let (trigger, name) = (trigger.to_owned(), context.to_owned());
    match contexts.iter().find(|known| known.name == context) {
        None => Err(PlanError::ContextNotFound {
            trigger,
            context: name,
        }),
        Some(known) => match known.watched() {
            Some(watched) => Ok(Source::Watch(watched.clone())),
            None => Err(PlanError::ContextNotWatched {
                trigger,
                context: name,
            }),
        },
    }
}

fn interval(trigger: &Trigger) -> Result<Option<Duration>, PlanError> {
    let Some(text) = &trigger.interval else {
        return Ok(None);
    };
    let interval = parse_duration(text, || format!("spec.triggers[{}].interval", trigger.name))?;
    Ok(Some(interval).filter(|interval| !interval.is_zero()))
}

fn watched(
    resource: &WatchResource,
    namespace: &str,
    field: impl Fn() -> String,
) -> Result<Watched, PlanError> {
    let selector = resource
        .label_selector
        .as_ref()
        .map(label_selector::text)
        .transpose();
    let label_selector = selector.map_err(|source| PlanError::Selector {
        field: format!("{}.labelSelector", field()),
        source,
    })?;
    check_names(resource, field)?;
    Ok(Watched {
        api_version: resource.api_version.clone(),
        kind: resource.kind.clone(),
        namespace: watched_namespace(resource, namespace),
        name: Some(resource.name.clone()).filter(|name| !name.is_empty()),
        label_selector: label_selector.unwrap_or_default(),
        match_names: sorted(resource.match_names.as_deref()),
        ignore_names: sorted(resource.ignore_names.as_deref()),
        strip_managed_fields: resource.strip_managed_fields.unwrap_or(true),
    })
}

/// An empty name means all objects, an empty namespace all namespaces.
fn check_names(resource: &WatchResource, field: impl Fn() -> String) -> Result<(), PlanError> {
    if !resource.name.is_empty() {
        names::object_name(&resource.name).map_err(named(format!("{}.name", field())))?;
    }
    match resource.namespace.as_deref() {
        None | Some("") => Ok(()),
        Some(namespace) => names::namespace(namespace).map_err(named(format!("{}.namespace", field()))),
    }
}

fn watched_namespace(resource: &WatchResource, own: &str) -> Option<String> {
    match resource.namespace.as_deref() {
        None => Some(own.to_owned()),
        Some("") => None,
        Some(other) => Some(other.to_owned()),
    }
}

fn sorted(names: Option<&[String]>) -> Vec<String> {
    let mut names = names.unwrap_or_default().to_vec();
    names.sort();
    names.dedup();
    names
}

fn duplicate<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}

fn parse_duration(text: &str, field: impl Fn() -> String) -> Result<Duration, PlanError> {
    duration::parse(text).map_err(|source| PlanError::Duration {
        field: field(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(json: &str) -> Result<Plan, PlanError> {
        Plan::of(&serde_json::from_str(json).unwrap(), "own")
    }

    fn only_trigger(json: &str) -> Source {
        plan(json).unwrap().triggers.remove(0).source
    }

    /// T4: a trigger that names no context.
    #[test]
    fn t4_a_trigger_on_a_missing_context_names_both() {
        let error = plan(r#"{"triggers":[{"name":"t","watchContextResource":{"name":"c"}}]}"#).unwrap_err();
        assert_eq!(error.to_string(), r#"context "c" not found for trigger "t""#);
    }

    /// T12: interval, then context, then resource.
    #[test]
    fn t12_the_interval_wins_over_the_context_and_that_over_the_resource() {
        let context = r#""context":[{"name":"c","resource":{"apiVersion":"v1","kind":"Secret"}}]"#;
        let rest = r#""watchContextResource":{"name":"c"},"watchResource":{"apiVersion":"v1","kind":"Pod"}"#;
        let all = format!(r#"{{"triggers":[{{"name":"t","interval":"1s",{rest}}}],{context}}}"#);
        assert_eq!(only_trigger(&all), Source::Interval(Duration::from_secs(1)));
        let zero = format!(r#"{{"triggers":[{{"name":"t","interval":"0s",{rest}}}],{context}}}"#);
        assert!(matches!(only_trigger(&zero), Source::Watch(Watched { kind, .. }) if kind == "Secret"));
    }

    /// T13: a trigger with no source.
    #[test]
    fn t13_a_trigger_without_a_source_is_named() {
        let error = plan(r#"{"triggers":[{"name":"t","watchResource":{}}]}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"trigger "t" has no watch resource or interval"#
        );
    }

    /// T15: two triggers of one name.
    #[test]
    fn t15_duplicate_triggers_are_named() {
        let error = plan(r#"{"triggers":[{"name":"t","interval":"1s"},{"name":"t","interval":"1s"}]}"#);
        assert_eq!(
            error.unwrap_err().to_string(),
            r#"duplicate trigger definition "t""#
        );
    }

    /// C9: a context without a resource.
    #[test]
    fn c9_a_context_without_an_api_version_is_named() {
        let error = plan(r#"{"context":[{"name":"c","resource":{"kind":"Pod"}}]}"#).unwrap_err();
        assert_eq!(error.to_string(), r#"context "c" has no resource"#);
    }

    /// C10: two contexts of one name.
    #[test]
    fn c10_duplicate_contexts_are_named() {
        let one = r#"{"name":"c","resource":{"apiVersion":"v1","kind":"Pod"}}"#;
        let error = plan(&format!(r#"{{"context":[{one},{one}]}}"#)).unwrap_err();
        assert_eq!(error.to_string(), r#"duplicate context definition "c""#);
    }

    #[test]
    fn a_context_has_one_source_and_a_computed_one_cannot_be_watched() {
        let both =
            r#"{"context":[{"name":"c","resource":{"apiVersion":"v1","kind":"Pod"},"plugin":{"name":"p"}}]}"#;
        assert_eq!(
            plan(both).unwrap_err(),
            PlanError::ContextWithTwoSources("c".into())
        );
        let watched = r#"{"context":[{"name":"c","plugin":{"name":"p"}}],
            "triggers":[{"name":"t","watchContextResource":{"name":"c"}}]}"#;
        let error = plan(watched).unwrap_err().to_string();
        assert!(
            error.starts_with(r#"context "c" of trigger "t" is computed by a plugin"#),
            "{error}"
        );
    }

    #[test]
    fn template_and_plugin_exclude_each_other() {
        let error = plan(r#"{"template":"null","plugin":{"name":"p"}}"#);
        assert_eq!(error.unwrap_err(), PlanError::TwoLogics);
    }

    /// T18: unset, given and empty namespaces.
    #[test]
    fn t18_an_unset_namespace_is_the_resources_own_and_an_empty_one_means_all() {
        let of = |namespace: &str| {
            let json = format!(
                r#"{{"triggers":[{{"name":"t","watchResource":{{"apiVersion":"v1","kind":"Pod"{namespace}}}}}]}}"#
            );
            match only_trigger(&json) {
                Source::Watch(watched) => watched.namespace,
                Source::Interval(_) => None,
            }
        };
        assert_eq!(of("").as_deref(), Some("own"));
        assert_eq!(of(r#","namespace":"other""#).as_deref(), Some("other"));
        assert_eq!(of(r#","namespace":"""#), None);
    }

    /// T20: a slash in a trigger's name is fine.
    #[test]
    fn t20_trigger_names_may_hold_slashes() {
        let plan = plan(r#"{"triggers":[{"name":"machineconfiguration/cluster","interval":"1s"}]}"#).unwrap();
        assert_eq!(
            plan.triggers.first().unwrap().name,
            "machineconfiguration/cluster"
        );
    }

    /// K5: two minutes where nothing is said.
    #[test]
    fn k5_the_cache_sync_timeout_defaults_to_two_minutes_and_a_bad_one_is_named() {
        assert_eq!(plan("{}").unwrap().cache_sync_timeout, Duration::from_secs(120));
        let error = plan(r#"{"cacheSyncTimeout":"soon"}"#).unwrap_err().to_string();
        assert!(
            error.starts_with(r#"spec.cacheSyncTimeout: invalid duration "soon""#),
            "{error}"
        );
    }

    /// SA1: the ServiceAccount where none is named.
    #[test]
    fn sa1_the_service_account_is_default_where_none_is_named() {
        assert_eq!(plan("{}").unwrap().service_account, "default");
        assert_eq!(
            plan(r#"{"serviceAccountRef":{"name":"x"}}"#)
                .unwrap()
                .service_account,
            "x"
        );
    }

    #[test]
    fn the_name_of_a_service_account_is_a_dns_name() {
        let error = plan(r#"{"serviceAccountRef":{"name":"../../x"}}"#)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(r#"spec.serviceAccountRef.name: "../../x" is no name of a ServiceAccount"#),
            "{error}"
        );
        assert!(plan(r#"{"serviceAccountRef":{"name":"w/"}}"#).is_err());
    }

    #[test]
    fn a_watched_name_cannot_slip_in_another_field_selector() {
        let watching = |fields: &str| {
            plan(&format!(
                r#"{{"triggers":[{{"name":"t","watchResource":{{"apiVersion":"v1","kind":"Pod",{fields}}}}}]}}"#
            ))
        };
        let error = watching(r#""name":"a,metadata.namespace=x""#)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(r#"spec.triggers[t].watchResource.name: "a,metadata"#),
            "{error}"
        );
        let error = watching(r#""namespace":"a/b""#).unwrap_err().to_string();
        assert!(
            error.starts_with(r#"spec.triggers[t].watchResource.namespace: "a/b""#),
            "{error}"
        );
        let error = watching(r#""labelSelector":{"matchLabels":{"a":"x,b=y"}}"#)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(r#"spec.triggers[t].watchResource.labelSelector: matchLabels: "x,b=y""#),
            "{error}"
        );
        assert!(watching(r#""name":"system:node","namespace":"""#).is_ok());
    }
}
