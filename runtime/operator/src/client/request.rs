//! The requests that the operator makes, as methods of `Client`.
//!
//! Owns verbs, queries and media types. Bodies go out as they are given and come back as they are sent.

use bytes::Bytes;
use http::{HeaderValue, Method};

use super::{Answer, ApiError, Client, Query, Resource};

pub(crate) const JSON: &str = "application/json";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// One request before it is put into HTTP.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) accept: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) if_none_match: Option<HeaderValue>,
    pub(crate) body: Bytes,
    /// The API server keeps something of it.
    pub(crate) writes: bool,
}

impl Call {
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self {
            writes: method != Method::GET,
            method,
            path,
            accept: JSON,
            content_type: JSON,
            if_none_match: None,
            body: Bytes::new(),
        }
    }

    pub(crate) fn get(path: String) -> Self {
        Self::new(Method::GET, path)
    }

    /// A question, though it is put as a creation: nothing is kept of it.
    fn asking(mut self) -> Self {
        self.writes = false;
        self
    }

    fn accepting(mut self, accept: Accept) -> Self {
        self.accept = accept.media_type();
        self
    }

    fn sending(mut self, content_type: &'static str, body: Bytes) -> Self {
        self.content_type = content_type;
        self.body = body;
        self
    }
}

/// How much of an object is sent back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Accept {
    /// All of it.
    #[default]
    Whole,
    /// Type and metadata, if the server can; all of it otherwise.
    Metadata,
}

impl Accept {
    fn media_type(self) -> &'static str {
        match self {
            Self::Whole => JSON,
            Self::Metadata => METADATA,
        }
    }
}

/// Which objects to list.
#[derive(Debug, Clone, Default)]
pub struct ListOptions {
    /// As for `kubectl -l`.
    pub label_selector: Option<String>,
    /// Such as `metadata.name=x`.
    pub field_selector: Option<String>,
    /// At most so many; more with the continue token of the answer.
    pub limit: Option<u32>,
    /// From the page before.
    pub continue_token: Option<String>,
    /// A resource version; `"0"` for whatever the server holds in its cache.
    pub resource_version: Option<String>,
}

/// How a write is done.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Who owns the fields.
    pub field_manager: Option<String>,
    /// `Strict`, `Warn` or `Ignore`.
    pub field_validation: Option<String>,
    /// Nothing is kept.
    pub dry_run: bool,
    /// What comes back.
    pub accept: Accept,
}

/// How a body changes an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchKind {
    /// Server-side apply; takes fields of others if `force`.
    Apply {
        /// Takes fields over that others own.
        force: bool,
    },
    /// RFC 7386.
    Merge,
    /// RFC 6902.
    Json,
}

/// A change to one object.
#[derive(Debug, Clone)]
pub struct Patch {
    /// How the body is meant.
    pub kind: PatchKind,
    /// Such as `status`.
    pub subresource: Option<String>,
    /// How it is written.
    pub options: WriteOptions,
    /// The change.
    pub body: Bytes,
}

/// How an object is deleted.
#[derive(Debug, Clone, Default)]
pub struct DeleteOptions {
    /// 0 deletes at once.
    pub grace_period_seconds: Option<i64>,
    /// `Background`, `Foreground` or `Orphan`.
    pub propagation_policy: Option<String>,
    /// Only this object, not another of the same name.
    pub precondition_uid: Option<String>,
    /// Only this version of it.
    pub precondition_resource_version: Option<String>,
    /// Nothing is kept.
    pub dry_run: bool,
}

impl Client {
    /// Reads one object.
    pub async fn get(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: &str,
        accept: Accept,
    ) -> Result<Bytes, ApiError> {
        let call = Call::get(resource.object_path(namespace, name, None)?).accepting(accept);
        self.body(call).await
    }

    /// Reads one page of a list.
    pub async fn list(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        options: &ListOptions,
        accept: Accept,
    ) -> Result<Bytes, ApiError> {
        let path = options.query().after(&resource.collection_path(namespace)?);
        self.body(Call::get(path).accepting(accept)).await
    }

    /// Creates an object.
    pub async fn create(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        options: &WriteOptions,
        body: Bytes,
    ) -> Result<Bytes, ApiError> {
        let path = options.query().after(&resource.collection_path(namespace)?);
        let call = Call::new(Method::POST, path)
            .accepting(options.accept)
            .sending(JSON, body);
        self.body(call).await
    }

    /// Asks for a review, such as a TokenReview: something that is created, answered and not kept.
    pub async fn review(&self, resource: &Resource, body: Bytes) -> Result<Bytes, ApiError> {
        let call = Call::new(Method::POST, resource.collection_path(None)?);
        self.body(call.sending(JSON, body).asking()).await
    }

    /// Asks for a token of a ServiceAccount. The API server does not keep it.
    pub async fn token(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: &str,
        body: Bytes,
    ) -> Result<Bytes, ApiError> {
        let path = resource.object_path(namespace, name, Some("token"))?;
        let call = Call::new(Method::POST, path).sending(JSON, body);
        self.body(call.asking()).await
    }

    /// Replaces an object, or a subresource of it.
    pub async fn replace(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: &str,
        options: &WriteOptions,
        body: Bytes,
    ) -> Result<Bytes, ApiError> {
        let path = options
            .query()
            .after(&resource.object_path(namespace, name, None)?);
        let call = Call::new(Method::PUT, path)
            .accepting(options.accept)
            .sending(JSON, body);
        self.body(call).await
    }

    /// Changes an object; creates it with server-side apply.
    pub async fn patch(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: &str,
        patch: &Patch,
    ) -> Result<Bytes, ApiError> {
        let path = resource.object_path(namespace, name, patch.subresource.as_deref())?;
        let call = Call::new(Method::PATCH, patch.query().after(&path))
            .accepting(patch.options.accept)
            .sending(patch.kind.media_type(), patch.body.clone());
        self.body(call).await
    }

    /// Deletes an object. Absence is the error 404.
    pub async fn delete(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Bytes, ApiError> {
        let path = resource.object_path(namespace, name, None)?;
        let call = Call::new(Method::DELETE, path).sending(JSON, options.body());
        self.body(call).await
    }

    /// Reads a path, if it changed since `etag`.
    pub(crate) async fn get_path(
        &self,
        path: &str,
        accept: &'static str,
        etag: Option<HeaderValue>,
    ) -> Result<Answer, ApiError> {
        self.request(&Call {
            accept,
            if_none_match: etag,
            ..Call::get(path.to_owned())
        })
        .await
    }

    async fn body(&self, call: Call) -> Result<Bytes, ApiError> {
        self.request(&call).await.map(|answer| answer.body)
    }
}

impl ListOptions {
    fn query(&self) -> Query {
        let limit = self.limit.map(|limit| limit.to_string());
        Query::default()
            .with_some("labelSelector", self.label_selector.as_deref())
            .with_some("fieldSelector", self.field_selector.as_deref())
            .with_some("limit", limit.as_deref())
            .with_some("continue", self.continue_token.as_deref())
            .with_some("resourceVersion", self.resource_version.as_deref())
    }
}

impl WriteOptions {
    fn query(&self) -> Query {
        Query::default()
            .with_some("fieldManager", self.field_manager.as_deref())
            .with_some("fieldValidation", self.field_validation.as_deref())
            .with_some("dryRun", self.dry_run.then_some("All"))
    }
}

impl Patch {
    fn query(&self) -> Query {
        let force = matches!(self.kind, PatchKind::Apply { force: true });
        self.options.query().with_some("force", force.then_some("true"))
    }
}

impl PatchKind {
    fn media_type(self) -> &'static str {
        match self {
            Self::Apply { .. } => "application/apply-patch+yaml",
            Self::Merge => "application/merge-patch+json",
            Self::Json => "application/json-patch+json",
        }
    }
}

impl DeleteOptions {
    fn body(&self) -> Bytes {
        let mut options = serde_json::Map::new();
        let mut set = |key: &str, value: Option<serde_json::Value>| {
            if let Some(value) = value {
                options.insert(key.to_owned(), value);
            }
        };
        set("kind", Some("DeleteOptions".into()));
        set("apiVersion", Some("v1".into()));
        set("gracePeriodSeconds", self.grace_period_seconds.map(Into::into));
        set(
            "propagationPolicy",
            self.propagation_policy.clone().map(Into::into),
        );
        set("preconditions", self.preconditions());
        set("dryRun", self.dry_run.then(|| serde_json::json!(["All"])));
        Bytes::from(serde_json::Value::Object(options).to_string())
    }

    fn preconditions(&self) -> Option<serde_json::Value> {
        let mut preconditions = serde_json::Map::new();
        if let Some(uid) = &self.precondition_uid {
            preconditions.insert("uid".to_owned(), uid.as_str().into());
        }
        if let Some(version) = &self.precondition_resource_version {
            preconditions.insert("resourceVersion".to_owned(), version.as_str().into());
        }
        (!preconditions.is_empty()).then(|| preconditions.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delete_options_carry_only_what_is_set() {
        let options = DeleteOptions {
            precondition_uid: Some("u".into()),
            propagation_policy: Some("Foreground".into()),
            ..DeleteOptions::default()
        };
        assert_eq!(
            options.body(),
            r#"{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","preconditions":{"uid":"u"}}"#
        );
    }

    #[test]
    fn an_apply_says_who_and_how() {
        let options = WriteOptions {
            field_manager: Some("managed-resource:x".into()),
            field_validation: Some("Strict".into()),
            ..WriteOptions::default()
        };
        let kind = PatchKind::Apply { force: true };
        let patch = Patch {
            kind,
            subresource: None,
            options,
            body: Bytes::new(),
        };
        let query = "?fieldManager=managed-resource:x&fieldValidation=Strict&force=true";
        assert_eq!(patch.query().after(""), query);
    }
}
