//! Reads the body of an answer: never more than a bound, and never other bytes than their descriptor says.
//!
//! Owns where the bytes of a blob go: see [`Sink`].

use std::io;

use bytes::{Bytes, BytesMut};
use reqwest::Response;

use crate::{
    digest::Hasher,
    error::{AtLeast, Error, Expected, Result, Said, Subject},
    manifest::Descriptor,
    transport::{Piece, Transport},
};

/// Memory for a body is taken ahead up to here; what a server announces is not believed further.
const AHEAD: u64 = 1 << 20;

/// Where the bytes of a blob go: to memory, or to a file so that they need none.
pub(crate) trait Sink: Send {
    /// The blob comes anew: what came of it before counts no longer.
    fn restart(&mut self) -> io::Result<()>;
    /// The next bytes.
    fn take(&mut self, piece: &[u8]) -> io::Result<()>;
}

impl Sink for BytesMut {
    fn restart(&mut self) -> io::Result<()> {
        self.clear();
        Ok(())
    }

    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.extend_from_slice(piece);
        Ok(())
    }
}

/// All of a body that has at most `limit` bytes.
pub(crate) async fn whole(
    transport: &Transport,
    subject: &Subject,
    what: &'static str,
    limit: u64,
    response: &mut Response,
) -> Result<Bytes> {
    let announced = response.content_length();
    let mut body = Body {
        subject,
        what,
        limit,
        announced,
        bytes: BytesMut::new(),
    };
    body.begin()?;
    loop {
        match transport.next_piece(subject, response).await? {
            Piece::Bytes(piece) => body.take(&piece)?,
            Piece::End => return body.end(),
            Piece::Broken(reason) => return Err(body.truncated(reason)),
        }
    }
}

/// The blob of a descriptor: exactly its size, and its digest. `progress` is told the bytes that are there, and all. Where
/// it fails, what is in the sink is nothing.
pub(crate) async fn blob(
    transport: &Transport,
    blob: Blob<'_>,
    response: &mut Response,
    sink: &mut dyn Sink,
    progress: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<()> {
    let size = blob.descriptor.size;
    if let Some(announced) = response.content_length().filter(|announced| *announced != size) {
        return Err(blob.altered(format!("{size} bytes"), format!("{announced} bytes")));
    }
    let mut hasher = Hasher::default();
    let mut got = 0;
    sink.restart().map_err(|source| blob.unkept(source))?;
    progress(0, size);
    loop {
        match transport.next_piece(blob.subject, response).await? {
            Piece::Bytes(piece) if got + piece.len() as u64 > size => {
                return Err(blob.altered(format!("{size} bytes"), "more".to_owned()));
            }
            Piece::Bytes(piece) => {
                hasher.update(&piece);
                // To a file it goes through the page cache, in pieces of a few KiB: that blocks no longer than copying does.
                sink.take(&piece).map_err(|source| blob.unkept(source))?;
                got += piece.len() as u64;
                progress(got, size);
            }
            Piece::End if got == size => break,
            Piece::End => return Err(blob.truncated(got, Said::default())),
            Piece::Broken(reason) => return Err(blob.truncated(got, reason)),
        }
    }
    let digest = hasher.finish();
    if digest != blob.descriptor.digest {
        return Err(blob.altered(blob.descriptor.digest.to_string(), digest.to_string()));
    }
    Ok(())
}

/// A blob that is fetched.
#[derive(Clone, Copy)]
pub(crate) struct Blob<'a> {
    pub(crate) subject: &'a Subject,
    /// `layer` or the like.
    pub(crate) what: &'static str,
    pub(crate) descriptor: &'a Descriptor,
}

impl Blob<'_> {
    fn altered(&self, expected: String, got: String) -> Error {
        altered(self.subject, self.what, expected, got)
    }

    fn truncated(&self, got: u64, reason: Said) -> Error {
        Error::Truncated {
            subject: Box::new(self.subject.clone()),
            what: self.what,
            got,
            expected: Expected(Some(self.descriptor.size)),
            reason,
        }
    }

    fn unkept(&self, source: io::Error) -> Error {
        Error::Keep {
            subject: Box::new(self.subject.clone()),
            what: self.what,
            source,
        }
    }
}

/// The error for bytes that are not the right ones.
pub(crate) fn altered(subject: &Subject, what: &'static str, expected: String, got: String) -> Error {
    Error::Altered {
        subject: Box::new(subject.clone()),
        what,
        expected,
        got,
    }
}

/// A body as far as it has come.
struct Body<'a> {
    subject: &'a Subject,
    what: &'static str,
    limit: u64,
    announced: Option<u64>,
    bytes: BytesMut,
}

impl Body<'_> {
    /// Refuses what is announced to be too large before a byte of it is read.
    fn begin(&mut self) -> Result<()> {
        let announced = self.announced.unwrap_or(0);
        if announced > self.limit {
            return Err(self.too_large(AtLeast {
                bytes: announced,
                exact: true,
            }));
        }
        self.bytes
            .reserve(usize::try_from(announced.min(AHEAD)).unwrap_or(0));
        Ok(())
    }

    fn take(&mut self, piece: &[u8]) -> Result<()> {
        if self.len() + piece.len() as u64 > self.limit {
            return Err(self.too_large(AtLeast {
                bytes: self.limit,
                exact: false,
            }));
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    fn end(self) -> Result<Bytes> {
        match self.announced {
            Some(announced) if announced != self.len() => Err(self.truncated(Said::default())),
            _ => Ok(self.bytes.freeze()),
        }
    }

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn truncated(&self, reason: Said) -> Error {
        Error::Truncated {
            subject: Box::new(self.subject.clone()),
            what: self.what,
            got: self.len(),
            expected: Expected(self.announced),
            reason,
        }
    }

    fn too_large(&self, size: AtLeast) -> Error {
        Error::TooLarge {
            subject: Box::new(self.subject.clone()),
            what: self.what,
            size,
            limit: self.limit,
        }
    }
}
