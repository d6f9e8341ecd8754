//! Publishing: blobs first, then the manifest that names them.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderValue, Method, header};
use reqwest::Response;
use serde::Serialize;
use url::Url;

use crate::{
    client::{Access, Client},
    credentials::Credentials,
    digest::Digest,
    error::{Error, Result},
    manifest::{Descriptor, Manifest, OCI_MANIFEST, WASM_CONFIG, WASM_LAYER},
    reference::Reference,
    retry::Attempts,
    session::Session,
    transport::Request,
};

/// When an artifact says it was made, if nobody said otherwise: so the same bytes have the same digest.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// What the artifact's configuration tells about a component, by the CNCF layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WasmConfig {
    /// When it was made, by RFC 3339; the start of 1970 if none.
    pub created: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// The world it is for.
    pub target: Option<String>,
    /// What it imports.
    pub imports: Vec<String>,
    /// What it exports.
    pub exports: Vec<String>,
}

/// An artifact to publish.
#[derive(Clone, Debug, Default)]
pub struct NewArtifact {
    /// What kind it is; the configuration's media type if none.
    pub artifact_type: Option<String>,
    /// The configuration.
    pub config: Part,
    /// The layers.
    pub layers: Vec<Part>,
    /// The manifest it is about, as a signature is.
    pub subject: Option<Descriptor>,
    /// Annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
}

/// A blob to publish.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// What it is.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Bytes,
    /// Annotations of its descriptor.
    pub annotations: BTreeMap<String, String>,
}

impl Part {
    /// A blob without annotations.
    pub fn new(media_type: &str, bytes: impl Into<Bytes>) -> Self {
        Self {
            media_type: media_type.to_owned(),
            bytes: bytes.into(),
            annotations: BTreeMap::new(),
        }
    }

    /// The blob that the image specification sets for "no configuration".
    pub fn empty() -> Self {
        Self::new("application/vnd.oci.empty.v1+json", Bytes::from_static(b"{}"))
    }

    fn descriptor(&self) -> Descriptor {
        Descriptor {
            media_type: self.media_type.clone(),
            digest: Digest::of(&self.bytes),
            size: self.bytes.len() as u64,
            artifact_type: None,
            platform: None,
            annotations: self.annotations.clone(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigJson<'a> {
    created: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    architecture: &'static str,
    os: &'static str,
    layer_digests: [Digest; 1],
    component: ComponentJson<'a>,
}

#[derive(Serialize)]
struct ComponentJson<'a> {
    exports: &'a [String],
    imports: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
}

impl Client {
    /// Publishes a component in the CNCF layout and returns the digest of its manifest. The same component, configuration
    /// and annotations always have the same digest. A digest in the reference must be that digest.
    pub async fn push(
        &self,
        reference: &Reference,
        credentials: &Credentials,
        component: Bytes,
        config: &WasmConfig,
        annotations: BTreeMap<String, String>,
    ) -> Result<Digest> {
        let artifact = NewArtifact {
            config: Part::new(WASM_CONFIG, config.json(Digest::of(&component))?),
            layers: vec![Part::new(WASM_LAYER, component)],
            annotations,
            ..NewArtifact::default()
        };
        self.push_artifact(reference, reference.tag(), credentials, &artifact)
            .await
    }

    /// Publishes any artifact into the repository of `reference`: under a tag, or under its digest only.
    ///
    /// If it has a subject, and the registry does not keep such relations itself, it is also entered into the index that
    /// the distribution specification sets for that, the tag `sha256-<digest of the subject>`.
    pub async fn push_artifact(
        &self,
        reference: &Reference,
        tag: Option<&str>,
        credentials: &Credentials,
        artifact: &NewArtifact,
    ) -> Result<Digest> {
        let manifest = artifact.manifest()?;
        let digest = Digest::of(&manifest);
        if let Some(expected) = reference
            .digest()
            .filter(|expected| tag.is_some() && *expected != digest)
        {
            return Err(Error::Settings(format!(
                "{reference}: what is to be pushed has the digest {digest}, the reference expects {expected}: leave the \
                 digest out"
            )));
        }
        self.within_time(reference, async {
            let mut ways = self.ways(reference, credentials, Access::Push)?;
            loop {
                let session = ways.next()?;
                match self.push_at(&session, tag, artifact, &manifest).await {
                    Ok(()) => return Ok(digest),
                    Err(error) => ways.failed(&session, error),
                }
            }
        })
        .await
    }

    async fn push_at(
        &self,
        session: &Session<'_>,
        tag: Option<&str>,
        artifact: &NewArtifact,
        manifest: &Bytes,
    ) -> Result<()> {
        for part in artifact.layers.iter().chain([&artifact.config]) {
            self.push_blob(session, part).await?;
        }
        let digest = Digest::of(manifest).to_string();
        let response = self
            .put_manifest(session, tag.unwrap_or(&digest), OCI_MANIFEST, manifest)
            .await?;
        match &artifact.subject {
            Some(subject) if !response.headers().contains_key("oci-subject") => {
                self.enter(session, subject.digest, artifact.entry(manifest))
                    .await
            }
            _ => Ok(()),
        }
    }

    async fn push_blob(&self, session: &Session<'_>, part: &Part) -> Result<()> {
        let mut attempts = Attempts::new(self.config().retry);
        loop {
            match push_blob_once(session, part).await {
                Ok(()) => return Ok(()),
                Err(error) => attempts.again_after(error).await?,
            }
        }
    }

    /// Puts a manifest under a tag or its digest.
    pub(crate) async fn put_manifest(
        &self,
        session: &Session<'_>,
        version: &str,
        media_type: &'static str,
        manifest: &Bytes,
    ) -> Result<Response> {
        let mut attempts = Attempts::new(self.config().retry);
        loop {
            let mut request = Request::new(
                Method::PUT,
                session.url(&format!("manifests/{version}"))?,
                "manifest",
            );
            request
                .headers
                .insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            request.body = manifest.clone();
            match session.send(request).await {
                Ok(response) => return Ok(response),
                Err(error) => attempts.again_after(error).await?,
            }
        }
    }
}

async fn push_blob_once(session: &Session<'_>, part: &Part) -> Result<()> {
    let digest = Digest::of(&part.bytes);
    let there = Request::new(Method::HEAD, session.url(&format!("blobs/{digest}"))?, "blob");
    // Only to save the upload: what is wrong, if something is, the upload tells with the registry's words.
    if session.send(there).await.is_ok() {
        return Ok(());
    }
    let begin = Request::new(Method::POST, session.url("blobs/uploads/")?, "upload");
    let begun = session.send(begin).await?;
    let mut url = upload_address(session, &begun)?;
    url.query_pairs_mut().append_pair("digest", &digest.to_string());
    let mut upload = Request::new(Method::PUT, url, "upload");
    upload.headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    upload.body = part.bytes.clone();
    session.send(upload).await.map(drop)
}

/// Where the registry wants the bytes: also elsewhere, but never from HTTPS to HTTP.
fn upload_address(session: &Session<'_>, begun: &Response) -> Result<Url> {
    let location = begun
        .headers()
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let url = location.and_then(|location| begun.url().join(location).ok());
    let url = url.filter(|url| begun.url().scheme() == "http" || url.scheme() == "https");
    url.ok_or_else(|| Error::Redirect {
        subject: Box::new(session.subject.clone()),
        what: "upload",
        reason: "without a usable Location header".to_owned(),
    })
}

impl WasmConfig {
    fn json(&self, layer: Digest) -> Result<Bytes> {
        let config = ConfigJson {
            created: self.created.as_deref().unwrap_or(NO_TIME),
            author: self.author.as_deref(),
            architecture: "wasm",
            os: "wasip2",
            layer_digests: [layer],
            component: ComponentJson {
                exports: &self.exports,
                imports: &self.imports,
                target: self.target.as_deref(),
            },
        };
        to_json(&config)
    }
}

impl NewArtifact {
    /// The manifest's bytes.
    fn manifest(&self) -> Result<Bytes> {
        to_json(&Manifest {
            schema_version: 2,
            media_type: Some(OCI_MANIFEST.to_owned()),
            artifact_type: self.artifact_type.clone(),
            config: self.config.descriptor(),
            layers: self.layers.iter().map(Part::descriptor).collect(),
            subject: self.subject.clone(),
            annotations: self.annotations.clone(),
        })
    }

    /// The entry of an index.
    fn entry(&self, manifest: &Bytes) -> Descriptor {
        let kind = self.artifact_type.as_ref().unwrap_or(&self.config.media_type);
        Descriptor {
            artifact_type: Some(kind.clone()),
            annotations: self.annotations.clone(),
            ..Part::new(OCI_MANIFEST, manifest.clone()).descriptor()
        }
    }
}

/// The JSON of a document.
pub(crate) fn to_json(document: &impl Serialize) -> Result<Bytes> {
    let json = serde_json::to_vec(document);
    json.map(Bytes::from)
        .map_err(|error| Error::Settings(format!("cannot write the manifest: {error}")))
}
