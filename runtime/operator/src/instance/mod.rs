//! One running unit per ManagedResource.
//!
//! Owns everything that a ManagedResource started: its watches, queue and reconciles end with it. The task starts anew
//! when the triggers, contexts or the ServiceAccount change; a change of anything else is picked up by the next
//! reconcile. What keeps it from running is shown and recovers by itself.

mod feeding;
mod serving;
mod starting;
mod story;

use std::{sync::Arc, time::Duration};

use espejote_api::{ManagedResource, Plan, plan};
use espejote_core::{ObjectId, Owner};
use kube::ResourceExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::story::{STATUS_RETRY, Story};
use crate::{
    apply::Defaults,
    environment::Environment,
    failure::Failure,
    managed_resources,
    plugins::{self, Slot},
    trigger::BackOff,
};

/// A start that failed is tried again after this time at the latest: nothing tells us that a ServiceAccount came up.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How many failures the first wait counts as: the first one is about a second.
const FIRST_WAIT: u32 = 8;

/// Why an instance stops serving.
enum Ended {
    /// It is to be started anew.
    Restart,
    /// It is over.
    Cancelled,
}

/// Runs one ManagedResource.
pub struct Instance {
    environment: Arc<Environment>,
    versions: watch::Receiver<Arc<ManagedResource>>,
    /// The version that is worked with.
    acted: Arc<ManagedResource>,
    cancel: CancellationToken,
    story: Story,
    /// What runs of the logic's plugin.
    logic: Option<watch::Receiver<Slot>>,
}

impl Instance {
    /// `versions` holds the ManagedResource and gives each new version of it.
    pub fn new(
        environment: Arc<Environment>,
        versions: watch::Receiver<Arc<ManagedResource>>,
        cancel: CancellationToken,
    ) -> Self {
        let acted = versions.borrow().clone();
        let story = Story::new(&environment, &acted);
        Self {
            environment,
            versions,
            acted,
            cancel,
            story,
            logic: None,
        }
    }

    /// Runs until cancelled. Finishes the reconcile that is under way.
    pub async fn run(mut self) {
        let back_off = BackOff {
            max: LONGEST_WAIT,
            ..BackOff::default()
        };
        let mut failures = 0;
        while !self.cancel.is_cancelled() {
            match self.start().await {
                Ok(serving) => {
                    failures = 0;
                    if matches!(serving.run(&mut self).await, Ended::Cancelled) {
                        break;
                    }
                }
                Err(failure) => {
                    self.story.cannot_start(failure).await;
                    self.wait_for_change(back_off.delay(FIRST_WAIT + failures, 0.5))
                        .await;
                    failures += 1;
                }
            }
        }
    }

    /// Until there is a new version of the resource or of its plugin, or time to try again. A status that could not be
    /// written is written meanwhile.
    async fn wait_for_change(&mut self, delay: Duration) {
        let wake = tokio::time::Instant::now() + delay;
        loop {
            tokio::select! {
                change = changed(&mut self.versions, &self.acted, &mut self.story) => match change {
                    Some(Change::Status) => self.story.catch_up().await,
                    Some(Change::Work) | None => return,
                },
                () = plugins::changed(self.logic.as_mut()) => return,
                () = tokio::time::sleep_until(wake) => return,
                () = self.cancel.cancelled() => return,
                () = tokio::time::sleep(STATUS_RETRY), if self.story.is_behind() => self.story.catch_up().await,
            }
        }
    }

    fn current(&mut self) -> Arc<ManagedResource> {
        let current = self.versions.borrow_and_update().clone();
        self.story.follow(&current);
        self.acted = current.clone();
        current
    }
}

/// What a new version is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// What is to be done, and how.
    Work,
    /// Nothing but the status: ours has arrived, or somebody else has written one.
    Status,
}

/// Waits for a new version; the story learns of the status in it. None: there will be none.
async fn changed(
    versions: &mut watch::Receiver<Arc<ManagedResource>>,
    acted: &ManagedResource,
    story: &mut Story,
) -> Option<Change> {
    versions.changed().await.ok()?;
    let version = versions.borrow_and_update().clone();
    story.found(&version);
    Some(match managed_resources::differs(acted, &version) {
        true => Change::Work,
        false => Change::Status,
    })
}

/// The object as guests and events name it.
pub(crate) fn object_id(resource: &ManagedResource) -> ObjectId {
    ObjectId {
        api_version: espejote_api::API_VERSION.to_owned(),
        kind: "ManagedResource".to_owned(),
        namespace: resource.namespace().unwrap_or_default(),
        name: resource.name_any(),
    }
}

fn owner(resource: &ManagedResource) -> Owner {
    Owner {
        id: object_id(resource),
        uid: resource.uid().unwrap_or_default(),
    }
}

fn defaults(resource: &ManagedResource) -> Defaults {
    let options = resource.spec.apply_options.clone().unwrap_or_default();
    let manager = match options.field_manager.as_str() {
        "" => format!("managed-resource:{}", resource.name_any()),
        given => given.to_owned(),
    };
    Defaults {
        namespace: resource.namespace().unwrap_or_default(),
        field_manager: manager,
        force: options.force,
        field_validation: match options.field_validation {
            espejote_api::FieldValidation::Ignore => espejote_core::FieldValidation::Ignore,
            espejote_api::FieldValidation::Strict => espejote_core::FieldValidation::Strict,
        },
    }
}

fn planned(resource: &ManagedResource) -> Result<Plan, Failure> {
    let namespace = resource.namespace().unwrap_or_default();
    Plan::of(&resource.spec, &namespace).map_err(|error| Failure::of_plan(&error))
}

/// The ServiceAccount's name becomes part of a path before anything else of the spec is looked at.
fn named(resource: &ManagedResource) -> Result<(), Failure> {
    plan::check_service_account(&resource.spec.service_account_ref).map_err(|error| Failure::of_plan(&error))
}

fn service_account(resource: &ManagedResource) -> &str {
    plan::service_account(&resource.spec)
}
