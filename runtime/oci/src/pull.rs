//! From a reference to digests, and from digests to bytes.

use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Method, header};

use crate::{
    artifact::{Artifact, Found, Resolved, Unfit, look},
    client::{Access, Client, subject},
    credentials::Credentials,
    digest::Digest,
    error::{AtLeast, Error, Result, Subject},
    fetch::{self, Blob, Sink},
    manifest::{ACCEPT, Descriptor},
    partial::Partial,
    reference::Reference,
    retry::Attempts,
    session::Session,
    transport::Request,
    unpack,
};

impl Client {
    /// Finds the manifest of a module: one request, or two if the reference leads to an index. No layer is fetched.
    ///
    /// A digest in the reference decides, and what comes must have it. Mirrors are asked first; the error is that of the
    /// registry itself.
    pub async fn resolve(&self, reference: &Reference, credentials: &Credentials) -> Result<Resolved> {
        self.within_time(reference, async {
            let mut ways = self.ways(reference, credentials, Access::Pull)?;
            loop {
                let session = ways.next()?;
                match self.resolve_at(&session, reference).await {
                    Ok(resolved) => return Ok(resolved),
                    Err(error) => ways.failed(&session, error),
                }
            }
        })
        .await
    }

    /// Fetches a module that was resolved, into memory. `reference` says where; its tag and digest are not looked at again,
    /// so a tag that has moved meanwhile changes nothing. `progress` is told how many bytes are there and how many there
    /// will be; after an interruption it starts again from 0.
    pub async fn pull(
        &self,
        reference: &Reference,
        resolved: &Resolved,
        credentials: &Credentials,
        progress: impl FnMut(u64, u64) + Send,
    ) -> Result<Artifact> {
        let mut layer = BytesMut::new();
        self.pull_into(reference, resolved, credentials, &mut layer, progress)
            .await?;
        let (format, packed, limit) = (resolved.format, layer.freeze(), self.config().limits.module);
        // Unpacking takes as long as the processor needs: not on the thread that others wait for.
        let unpacked = tokio::task::spawn_blocking(move || unpack::module(&packed, format, limit)).await;
        let module = unpacked
            .unwrap_or_else(|error| Err(error.to_string()))
            .map_err(|reason| Error::Layer {
                subject: Box::new(subject(reference)),
                layer: resolved.layer.digest,
                reason,
            })?;
        Ok(resolved.clone().with(module))
    }

    /// The same into a file, without having it in memory. [`Store::keep`](crate::Store::keep) then makes it an artifact.
    pub async fn download(
        &self,
        reference: &Reference,
        resolved: &Resolved,
        credentials: &Credentials,
        layer: &mut Partial,
    ) -> Result<()> {
        self.pull_into(reference, resolved, credentials, layer, |_, _| {})
            .await
    }

    async fn pull_into(
        &self,
        reference: &Reference,
        resolved: &Resolved,
        credentials: &Credentials,
        layer: &mut dyn Sink,
        mut progress: impl FnMut(u64, u64) + Send,
    ) -> Result<()> {
        let limit = self.config().limits.module;
        self.within_time(reference, async {
            let mut ways = self.ways(reference, credentials, Access::Pull)?;
            loop {
                let session = ways.next()?;
                let pulled = self
                    .blob(&session, "layer", &resolved.layer, limit, layer, &mut progress)
                    .await;
                match pulled {
                    Ok(()) => return Ok(()),
                    Err(error) => ways.failed(&session, error),
                }
            }
        })
        .await
    }

    async fn resolve_at(&self, session: &Session<'_>, reference: &Reference) -> Result<Resolved> {
        let document = self
            .document(session, &reference.version(), reference.digest())
            .await?;
        let unfit = |unfit| unfit_error(&session.subject, unfit);
        match look(&document.bytes, document.media_type.as_deref()).map_err(unfit)? {
            Found::Manifest => {
                Resolved::new(document.bytes, document.media_type.as_deref(), None).map_err(unfit)
            }
            Found::Index(entry) => {
                let manifest = self
                    .document(session, &entry.digest.to_string(), Some(entry.digest))
                    .await?;
                Resolved::new(
                    manifest.bytes,
                    manifest.media_type.as_deref(),
                    Some(document.bytes),
                )
                .map_err(unfit)
            }
        }
    }

    /// A manifest or index by tag or digest, tried as often as is allowed.
    pub(crate) async fn document(
        &self,
        session: &Session<'_>,
        version: &str,
        digest: Option<Digest>,
    ) -> Result<Fetched> {
        let mut attempts = Attempts::new(self.config().retry);
        loop {
            match self.document_once(session, version, digest).await {
                Ok(document) => return Ok(document),
                Err(error) => attempts.again_after(error).await?,
            }
        }
    }

    async fn document_once(
        &self,
        session: &Session<'_>,
        version: &str,
        digest: Option<Digest>,
    ) -> Result<Fetched> {
        let url = session.url(&format!("manifests/{version}"))?;
        let mut request = Request::new(Method::GET, url, "manifest");
        request
            .headers
            .insert(header::ACCEPT, HeaderValue::from_static(ACCEPT));
        let mut response = session.send(request).await?;
        let limit = self.config().limits.manifest;
        let headers = response.headers().clone();
        let bytes = fetch::whole(
            session.transport,
            &session.subject,
            "manifest",
            limit,
            &mut response,
        )
        .await?;
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let announced = text("docker-content-digest").and_then(|digest| digest.parse().ok());
        let got = Digest::of(&bytes);
        if let Some(expected) = digest.or(announced).filter(|expected| *expected != got) {
            return Err(fetch::altered(
                &session.subject,
                "manifest",
                expected.to_string(),
                got.to_string(),
            ));
        }
        let media_type = text("content-type").map(|value| value.split(';').next().unwrap_or(value).trim());
        Ok(Fetched {
            bytes,
            media_type: media_type.map(str::to_owned),
        })
    }

    /// A blob, tried as often as is allowed.
    pub(crate) async fn blob(
        &self,
        session: &Session<'_>,
        what: &'static str,
        descriptor: &Descriptor,
        limit: u64,
        sink: &mut dyn Sink,
        progress: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<()> {
        if descriptor.size > limit {
            let size = AtLeast {
                bytes: descriptor.size,
                exact: true,
            };
            return Err(Error::TooLarge {
                subject: Box::new(session.subject.clone()),
                what,
                size,
                limit,
            });
        }
        let blob = Blob {
            subject: &session.subject,
            what,
            descriptor,
        };
        let mut attempts = Attempts::new(self.config().retry);
        loop {
            match blob_once(session, blob, sink, progress).await {
                Ok(()) => return Ok(()),
                Err(error) => attempts.again_after(error).await?,
            }
        }
    }
}

async fn blob_once(
    session: &Session<'_>,
    blob: Blob<'_>,
    sink: &mut dyn Sink,
    progress: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<()> {
    let url = session.url(&format!("blobs/{}", blob.descriptor.digest))?;
    let mut response = session.send(Request::new(Method::GET, url, blob.what)).await?;
    fetch::blob(session.transport, blob, &mut response, sink, progress).await
}

/// A document, whose digest is right if one was expected.
pub(crate) struct Fetched {
    pub(crate) bytes: Bytes,
    pub(crate) media_type: Option<String>,
}

fn unfit_error(subject: &Subject, unfit: Unfit) -> Error {
    let subject = Box::new(subject.clone());
    match unfit {
        Unfit::Malformed(reason) => Error::Manifest { subject, reason },
        Unfit::NotAPlugin(found) => Error::NotAPlugin { subject, found },
        Unfit::NoVariant(found) => Error::NoVariant { subject, found },
    }
}
