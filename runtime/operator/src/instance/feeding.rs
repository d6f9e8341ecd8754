//! What puts keys into the queue of a ManagedResource and wakes its worker.
//!
//! Owns the tasks that listen: to triggers, and to all that a call could read. It never decides what runs.

use std::{sync::Arc, time::Duration};

use espejote_api::{ManagedResource, Source};
use tokio::{
    sync::{Notify, watch},
    task::JoinSet,
};

use super::{Instance, starting::Watching};
use crate::{
    cache::Subscription,
    computed::ComputedInput,
    trigger::{TriggerKey, interval, queue::Queue},
};

/// The tasks; they end with this.
#[derive(Debug, Default)]
pub(super) struct Feeders {
    pub(super) signals: Arc<Signals>,
    tasks: JoinSet<()>,
}

/// What feeders tell the worker.
#[derive(Debug, Default)]
pub(super) struct Signals {
    pub(super) state: Notify,
    pub(super) input: Notify,
    pub(super) library: Notify,
    pub(super) plugin: Notify,
}

impl Feeders {
    /// Starts to listen to all that one version of a ManagedResource watches.
    pub(super) fn start(
        &mut self,
        instance: &Instance,
        watching: &Watching,
        version: &ManagedResource,
        queue: &Queue,
    ) {
        for (trigger, handle) in &watching.triggers {
            let name: Arc<str> = trigger.name.as_str().into();
            let queue = queue.clone();
            if let Source::Interval(every) = trigger.source {
                warn_of_floor(version, &name, every);
                self.tasks
                    .spawn(interval::run(queue, name, every, instance.cancel.child_token()));
            } else if let Some(handle) = handle {
                self.tasks
                    .spawn(feed_objects(handle.reader().subscribe(), name, queue));
            }
        }
        for (_, input) in watching.inputs.all() {
            self.notify(input.reader.states(), |signals| &signals.state);
            self.notify(input.reader.versions(), |signals| &signals.input);
        }
        self.notify(instance.environment.libraries.changes(), |signals| {
            &signals.library
        });
        let computed = watching.inputs.computed.iter().map(ComputedInput::changes);
        for plugin in computed.chain(instance.logic.clone()) {
            self.notify(plugin, |signals| &signals.plugin);
        }
    }

    /// Wakes the worker at each change of a value.
    fn notify<T: Send + Sync + 'static>(
        &mut self,
        mut changes: watch::Receiver<T>,
        which: fn(&Signals) -> &Notify,
    ) {
        let signals = self.signals.clone();
        self.tasks.spawn(async move {
            while changes.changed().await.is_ok() {
                which(&signals).notify_one();
            }
        });
    }
}

fn warn_of_floor(version: &ManagedResource, trigger: &str, asked: Duration) {
    let floor = interval::FLOOR;
    if asked < floor {
        let of = &version.metadata;
        tracing::warn!(
            namespace = of.namespace,
            name = of.name,
            trigger,
            ?asked,
            ?floor,
            "interval is shorter than the shortest that runs"
        );
    }
}

async fn feed_objects(mut changes: Subscription, trigger: Arc<str>, queue: Queue) {
    loop {
        for change in changes.next().await {
            queue.add(TriggerKey::object(trigger.clone(), change.id));
        }
    }
}
