//! The calls that the operator would make of a ManagedResource if it started now.

use std::sync::Arc;

use anyhow::Context as _;
use espejote_api::{Plan, PlannedContext, Source};
use espejote_core::{
    Collection, Context, ContextValue, Invocation, LibraryReads, ObjectId, Owner, Snapshot, Trigger,
    clock_now,
};

use super::{Cluster, listed};
use crate::{
    cli::input::{Call, Subject},
    watch::WatchHandle,
};

/// The general reconcile, then, trigger by trigger, one call for each object or for the interval. All see the same state,
/// time and seed. `computed` are the contexts that plugins compute.
pub async fn calls(
    cluster: &Cluster,
    subject: &Subject<'_>,
    plan: &Plan,
    computed: Vec<Context>,
    reads: Option<Arc<LibraryReads>>,
) -> anyhow::Result<Vec<Call>> {
    // All are open before the first is waited for.
    let contexts: Vec<_> = plan
        .contexts
        .iter()
        .filter_map(|context| opened(cluster, context))
        .collect();
    let triggers: Vec<_> = plan
        .triggers
        .iter()
        .map(|trigger| (trigger, watched(cluster, &trigger.source)))
        .collect();
    let mut snapshot = Snapshot::default();
    for (name, watch) in &contexts {
        let objects = found("context", name, watch).await?;
        snapshot.contexts.push(Context {
            name: (*name).to_owned(),
            value: ContextValue::Objects(Ok(objects)),
        });
    }
    snapshot.contexts.extend(computed);
    let base = invocation(cluster, subject, snapshot, reads).await;
    let mut calls = vec![call(&base, Trigger::default())];
    for (trigger, watch) in &triggers {
        let name = Some(trigger.name.clone());
        let Some(watch) = watch else {
            calls.push(call(
                &base,
                Trigger {
                    name,
                    ..Trigger::default()
                },
            ));
            continue;
        };
        let objects = found("trigger", &trigger.name, watch).await?;
        calls.extend(objects.objects().iter().map(|object| {
            let trigger = Trigger {
                name: name.clone(),
                event: Some(object.id()),
                object: Some(object.clone()),
            };
            call(&base, trigger)
        }));
    }
    Ok(calls)
}

fn opened<'a>(cluster: &Cluster, context: &'a PlannedContext) -> Option<(&'a str, WatchHandle)> {
    Some((context.name.as_str(), cluster.open_watched(context.watched()?)))
}

fn watched(cluster: &Cluster, source: &Source) -> Option<WatchHandle> {
    match source {
        Source::Interval(_) => None,
        Source::Watch(watched) => Some(cluster.open_watched(watched)),
    }
}

async fn found(sort: &str, name: &str, watch: &WatchHandle) -> anyhow::Result<Arc<Collection>> {
    let found = listed(&watch.reader()).await;
    found
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{sort} {name:?}"))
}

async fn invocation(
    cluster: &Cluster,
    subject: &Subject<'_>,
    snapshot: Snapshot,
    reads: Option<Arc<LibraryReads>>,
) -> Invocation {
    let clock = clock_now();
    Invocation {
        owner: owner(cluster, subject).await,
        config: subject.config.clone(),
        trigger: Trigger::default(),
        snapshot,
        libraries: cluster.libraries(subject.namespace, reads).await,
        clock,
        seed: clock,
    }
}

/// The one of the manifest; its uid is that of the cluster, if it is there.
async fn owner(cluster: &Cluster, subject: &Subject<'_>) -> Owner {
    let mut owner = subject.owner();
    let metadata = &subject.resource.metadata;
    let known = match &metadata.uid {
        None if !owner.id.name.is_empty() => cluster.uid(&owner.id).await,
        known => known.clone(),
    };
    if let Some(uid) = known {
        owner.uid = uid;
    }
    owner
}

fn call(base: &Invocation, trigger: Trigger) -> Call {
    let object: Option<ObjectId> = trigger.event.clone();
    Call {
        trigger: trigger.name.clone(),
        object,
        invocation: Invocation {
            trigger,
            ..base.clone()
        },
    }
}
