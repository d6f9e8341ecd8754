//! Reads the body of an answer: never more than a bound, and never other bytes than their descriptor says.

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

/// The blob of a descriptor: exactly its size, and its digest. `progress` is told the bytes that are there, and all.
pub(crate) async fn blob(
    transport: &Transport,
    subject: &Subject,
    what: &'static str,
    descriptor: &Descriptor,
    response: &mut Response,
    progress: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<Bytes> {
    let size = descriptor.size;
    if let Some(announced) = response.content_length().filter(|announced| *announced != size) {
        return Err(altered(
            subject,
            what,
            format!("{size} bytes"),
            format!("{announced} bytes"),
        ));
    }
    let mut hasher = Hasher::default();
    let mut body = Body {
        subject,
        what,
        limit: size,
        announced: Some(size),
        bytes: BytesMut::new(),
    };
    body.begin()?;
    progress(0, size);
    loop {
        match transport.next_piece(subject, response).await? {
            Piece::Bytes(piece) if body.len() + piece.len() as u64 > size => {
                return Err(altered(subject, what, format!("{size} bytes"), "more".to_owned()));
            }
            Piece::Bytes(piece) => {
                hasher.update(&piece);
                body.take(&piece)?;
                progress(body.len(), size);
            }
            Piece::End => break,
            Piece::Broken(reason) => return Err(body.truncated(reason)),
        }
    }
    let bytes = body.end()?;
    let digest = hasher.finish();
    if digest != descriptor.digest {
        return Err(altered(
            subject,
            what,
            descriptor.digest.to_string(),
            digest.to_string(),
        ));
    }
    Ok(bytes)
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
