//! What refers to a manifest, such as signatures: by the registry's own list, or by the index that stands in for it.

use bytes::Bytes;
use http::{HeaderValue, Method, header};

use crate::{
    artifact::Resolved,
    client::Client,
    digest::Digest,
    error::{Error, Result},
    fetch,
    manifest::{Descriptor, Document, Index, OCI_INDEX, parse},
    push::to_json,
    session::Session,
    transport::Request,
};

/// More referrers than are looked through.
const MOST: usize = 256;

impl Client {
    /// Manifests of a kind that refer to `subject`, at most 256. A registry without the API is asked for the tag that
    /// stands in for it.
    pub(crate) async fn referrers(
        &self,
        session: &Session<'_>,
        subject: Digest,
        artifact_type: &str,
    ) -> Result<Vec<Descriptor>> {
        let index = match self.listed(session, subject, artifact_type).await? {
            Some(index) => Some(index),
            None => self.stand_in(session, subject).await?,
        };
        let entries = index.into_iter().flat_map(|index| index.manifests);
        let right = entries.filter(|entry| {
            entry
                .artifact_type
                .as_deref()
                .is_none_or(|kind| kind == artifact_type)
        });
        Ok(right.take(MOST).collect())
    }

    /// Adds an entry to the index that stands in for the registry's own list.
    pub(crate) async fn enter(
        &self,
        session: &Session<'_>,
        subject: Digest,
        entry: Descriptor,
    ) -> Result<()> {
        let mut index = self.stand_in(session, subject).await?.unwrap_or_else(empty);
        if index.manifests.iter().any(|known| known.digest == entry.digest) {
            return Ok(());
        }
        index.manifests.push(entry);
        self.put_manifest(session, &tag(subject), OCI_INDEX, &to_json(&index)?)
            .await
            .map(drop)
    }

    /// The registry's own list; none if it has no such API.
    async fn listed(
        &self,
        session: &Session<'_>,
        subject: Digest,
        artifact_type: &str,
    ) -> Result<Option<Index>> {
        let mut url = session.url(&format!("referrers/{subject}"))?;
        url.query_pairs_mut().append_pair("artifactType", artifact_type);
        let mut request = Request::new(Method::GET, url, "list of signatures");
        request
            .headers
            .insert(header::ACCEPT, HeaderValue::from_static(OCI_INDEX));
        let mut response = match session.send(request).await {
            Ok(response) => response,
            Err(error) if error.is_not_found() || is_unknown(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let limit = self.config().limits.manifest;
        let what = "list of signatures";
        let bytes = fetch::whole(session.transport, &session.subject, what, limit, &mut response).await?;
        self.index(session, &bytes, Some(OCI_INDEX)).map(Some)
    }

    /// The index that stands in; none if there is none.
    async fn stand_in(&self, session: &Session<'_>, subject: Digest) -> Result<Option<Index>> {
        match self.document(session, &tag(subject), None).await {
            Ok(document) => self
                .index(session, &document.bytes, document.media_type.as_deref())
                .map(Some),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn index(&self, session: &Session<'_>, bytes: &Bytes, content_type: Option<&str>) -> Result<Index> {
        let wrong = |reason| Error::Manifest {
            subject: Box::new(session.subject.clone()),
            reason,
        };
        match parse(bytes, content_type).map_err(wrong)? {
            Document::Index(index) => Ok(index),
            Document::Manifest(_) => Err(wrong(
                "the list of signatures is a manifest, expected an index".to_owned(),
            )),
        }
    }
}

/// Registries without the API also answer that the method or the address is not known.
fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::Status { status, .. } if matches!(status.as_u16(), 400 | 405 | 406))
}

/// The tag that stands in for the registry's own list.
fn tag(subject: Digest) -> String {
    format!("sha256-{}", subject.hex())
}

fn empty() -> Index {
    Index {
        schema_version: 2,
        media_type: Some(OCI_INDEX.to_owned()),
        manifests: Vec::new(),
        annotations: Default::default(),
    }
}

impl Resolved {
    /// How a signature names this artifact: what is signed is the manifest.
    pub fn descriptor(&self) -> Descriptor {
        Descriptor {
            media_type: crate::manifest::OCI_MANIFEST.to_owned(),
            digest: self.manifest_digest,
            size: self.manifest.len() as u64,
            artifact_type: None,
            platform: None,
            annotations: Default::default(),
        }
    }
}
