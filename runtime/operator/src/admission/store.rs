//! The two configurations at the API server.

use bytes::Bytes;

use super::{
    configuration::Sort,
    draft::{Draft, Faults},
    live::Live,
    rejected,
};
use crate::client::{Accept, ApiError, Client, Patch, PatchKind, WriteOptions};

/// Who owns the fields.
const FIELD_MANAGER: &str = "espejote-webhook-controller";

/// Why a configuration could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The API server did not do it.
    #[error("{kind} {name} cannot be written: {source}")]
    Api {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Why.
        #[source]
        source: ApiError,
    },
    /// Whenever it was looked at, others had written to it.
    #[error("{kind} {name} is changed by others again and again")]
    Contended {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// Only a bug can say so.
    #[error("{kind} {name} cannot be put into JSON or read from it: {source}")]
    Json {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// Reads and writes the configurations of a name.
pub struct ConfigurationStore {
    client: Client,
    name: String,
}

impl ConfigurationStore {
    /// With the operator's rights.
    pub fn new(client: Client, name: String) -> Self {
        Self { client, name }
    }

    /// The name of both.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A draft as it would be sent.
    pub fn document(&self, sort: Sort, draft: &Draft) -> Result<Bytes, WriteError> {
        let document = draft.document(sort, &self.name);
        let document = document.map_err(|source| self.unreadable(sort, source))?;
        Ok(Bytes::from(document.to_string()))
    }

    /// What is there; nothing if there is no such object.
    pub async fn live(&self, sort: Sort) -> Result<Live, WriteError> {
        let Self { client, name } = self;
        match client.get(&sort.resource(), None, name, Accept::Whole).await {
            Ok(json) => Live::read(&json).map_err(|source| self.unreadable(sort, source)),
            Err(error) if error.is_not_found() => Ok(Live::default()),
            Err(error) => Err(self.failed(sort, error)),
        }
    }

    /// False: somebody has written to the configuration meanwhile.
    pub async fn remove_others(&self, sort: Sort, live: &Live, draft: &Draft) -> Result<bool, WriteError> {
        let Some(patch) = live.removal(|name| draft.has(name)) else {
            return Ok(true);
        };
        match self.patch(sort, PatchKind::Json, patch, false).await {
            Ok(_) => Ok(true),
            // The test of the resourceVersion did not hold, or the object is another one.
            Err(WriteError::Api { source, .. }) if matches!(source.code(), Some(404 | 409 | 422)) => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives the resourceVersion that came of it.
    pub async fn apply(&self, sort: Sort, draft: &Draft) -> Result<String, WriteError> {
        let answer = self.send(sort, draft, false).await?;
        let live = Live::read(&answer).map_err(|source| self.unreadable(sort, source))?;
        Ok(live.version().to_owned())
    }

    /// Whether the API server would take a draft: if not, what it says. Nothing is kept.
    pub async fn refusal(&self, sort: Sort, draft: &Draft) -> Result<Option<String>, WriteError> {
        match self.send(sort, draft, true).await {
            Ok(_) => Ok(None),
            Err(error) => error.refusal().map(Some).ok_or(error),
        }
    }

    async fn send(&self, sort: Sort, draft: &Draft, dry_run: bool) -> Result<Bytes, WriteError> {
        let body = self.document(sort, draft)?;
        self.patch(sort, PatchKind::Apply { force: true }, body, dry_run)
            .await
    }

    async fn patch(
        &self,
        sort: Sort,
        kind: PatchKind,
        body: Bytes,
        dry_run: bool,
    ) -> Result<Bytes, WriteError> {
        let options = WriteOptions {
            dry_run,
            field_manager: Some(FIELD_MANAGER.to_owned()),
            accept: Accept::Metadata,
            ..WriteOptions::default()
        };
        let patch = Patch {
            kind,
            subresource: None,
            options,
            body,
        };
        let Self { client, name } = self;
        let written = client.patch(&sort.resource(), None, name, &patch).await;
        written.map_err(|source| self.failed(sort, source))
    }

    /// Others have written again and again.
    pub fn contended(&self, sort: Sort) -> WriteError {
        WriteError::Contended {
            kind: sort.kind(),
            name: self.name.clone(),
        }
    }

    fn failed(&self, sort: Sort, source: ApiError) -> WriteError {
        WriteError::Api {
            kind: sort.kind(),
            name: self.name.clone(),
            source,
        }
    }

    fn unreadable(&self, sort: Sort, source: serde_json::Error) -> WriteError {
        WriteError::Json {
            kind: sort.kind(),
            name: self.name.clone(),
            source,
        }
    }
}

impl WriteError {
    /// The webhooks at fault, by position.
    pub fn faults(&self) -> Faults {
        match self {
            Self::Api { source, .. } => source.status().map(rejected::at_fault).unwrap_or_default(),
            Self::Contended { .. } | Self::Json { .. } => Faults::new(),
        }
    }

    /// What the API server says, if it may be about some of the webhooks.
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Api { source, .. } => source.status().and_then(rejected::refusal),
            Self::Contended { .. } | Self::Json { .. } => None,
        }
    }
}
