//! One write to the API server.
//!
//! Owns finding the resource of a kind, the namespace of objects without one, that deleting what is gone succeeds, and that
//! what changes nothing is not sent.

use std::sync::Arc;

use bytes::Bytes;
use espejote_core::{Apply, Delete, DeleteOptions, ObjectId};

use super::{
    error::{ItemError, ItemProblem, Verb},
    known::{Candidate, Known},
    options::{Defaults, Resolved},
};
use crate::{
    client::{self, Accept, ApiError, Client, Patch, PatchKind, Resource, WriteOptions},
    discovery::Discovery,
};

/// Writes objects as one ServiceAccount, with the defaults of one ManagedResource.
#[derive(Clone)]
pub struct Writer {
    client: Client,
    discovery: Arc<Discovery>,
    defaults: Defaults,
    known: Arc<Known>,
}

/// What became of an apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The API server took it.
    Applied,
    /// It was not sent, because it would have changed nothing.
    Unchanged,
}

impl Writer {
    /// Writes with `client`'s rights. `known` is what earlier writes with the same rights have left.
    pub fn new(client: Client, discovery: Arc<Discovery>, defaults: Defaults, known: Arc<Known>) -> Self {
        Self {
            client,
            discovery,
            defaults,
            known,
        }
    }

    /// Applies one object, unless that would change nothing.
    pub async fn apply(&self, apply: &Apply) -> Result<Sent, ItemError> {
        let mut id = apply.id.clone();
        let written = self.try_apply(&mut id, apply).await;
        written.map_err(|problem| ItemError {
            verb: Verb::Apply,
            id,
            problem,
        })
    }

    /// Deletes one object; that it does not exist is no error.
    pub async fn delete(&self, delete: &Delete) -> Result<(), ItemError> {
        let mut id = delete.id.clone();
        let deleted = self.try_delete(&mut id, delete).await;
        deleted.map_err(|problem| ItemError {
            verb: Verb::Delete,
            id,
            problem,
        })
    }

    async fn try_apply(&self, id: &mut ObjectId, apply: &Apply) -> Result<Sent, ItemProblem> {
        let resource = self.resolve(id).await?;
        let resolved = self.defaults.resolve(&apply.options);
        let candidate = Candidate::new(id, apply, &resolved);
        let known = &self.known;
        if known
            .changes_nothing(&candidate, &self.client, &resource, id)
            .await
        {
            return Ok(Sent::Unchanged);
        }
        let patch = patch(apply, resolved);
        let written = self
            .client
            .patch(&resource, Some(&id.namespace), &id.name, &patch)
            .await;
        match &written {
            Ok(answer) => known.sent(&candidate, answer),
            Err(_) => known.forget(id),
        }
        self.checked(written.map(|_| Sent::Applied))
    }

    async fn try_delete(&self, id: &mut ObjectId, delete: &Delete) -> Result<(), ItemProblem> {
        let resource = self.resolve(id).await?;
        let options = delete_options(&delete.options);
        self.known.forget(id);
        let deleted = self
            .client
            .delete(&resource, Some(&id.namespace), &id.name, &options)
            .await;
        match deleted {
            Err(error) if error.is_absence_of(&resource.plural, &id.name) => Ok(()),
            other => self.checked(other.map(drop)),
        }
    }

    /// Finds the resource, and fills in the namespace where the kind wants one.
    async fn resolve(&self, id: &mut ObjectId) -> Result<Arc<Resource>, ItemProblem> {
        let found = self.discovery.resolve(&id.api_version, &id.kind).await;
        let resource = found.map_err(ItemProblem::Discovery)?;
        if resource.namespaced && id.namespace.is_empty() {
            id.namespace.clone_from(&self.defaults.namespace);
        }
        if id.name.is_empty() {
            return Err(ItemProblem::NameMissing);
        }
        Ok(resource)
    }

    /// A path that is not served any more means that the kind has changed: it is looked up anew next time.
    fn checked<T>(&self, written: Result<T, ApiError>) -> Result<T, ItemProblem> {
        written.map_err(|error| {
            if error.is_unknown_path() {
                self.discovery.hint();
            }
            ItemProblem::Api(error)
        })
    }
}

fn patch(apply: &Apply, resolved: Resolved) -> Patch {
    Patch {
        kind: PatchKind::Apply {
            force: resolved.force,
        },
        subresource: apply.options.subresource.clone(),
        options: WriteOptions {
            field_manager: Some(resolved.field_manager),
            field_validation: Some(resolved.field_validation.word().to_owned()),
            accept: Accept::Metadata,
            ..WriteOptions::default()
        },
        body: Bytes::from_owner(Arc::<[u8]>::from(apply.json.clone())),
    }
}

fn delete_options(options: &DeleteOptions) -> client::DeleteOptions {
    client::DeleteOptions {
        grace_period_seconds: options.grace_period_seconds.map(i64::from),
        propagation_policy: options.propagation_policy.map(|policy| policy.word().to_owned()),
        precondition_uid: options.precondition_uid.clone(),
        precondition_resource_version: options.precondition_resource_version.clone(),
        dry_run: false,
    }
}
