//! A body as lines.
//!
//! Owns the buffer of the line that is coming in, up to a limit; between two lines there is none.

use bytes::{Bytes, BytesMut};

use crate::client::{ApiError, Body};

pub(super) struct Lines {
    body: Body,
    splitter: Splitter,
}

impl Lines {
    pub(super) fn new(body: Body, limit: usize) -> Self {
        Self {
            body,
            splitter: Splitter {
                buffer: BytesMut::new(),
                scanned: 0,
                limit,
            },
        }
    }

    /// The next line, without its end; none at the end of the body. What stands behind the last line's end is a line
    /// that broke off, and is dropped.
    ///
    /// Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        loop {
            if let Some(line) = self.splitter.line()? {
                return Ok(Some(line));
            }
            match self.body.chunk().await? {
                Some(chunk) => self.splitter.buffer.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}

struct Splitter {
    buffer: BytesMut,
    /// So much of the buffer has no line end in it.
    scanned: usize,
    limit: usize,
}

impl Splitter {
    fn line(&mut self) -> Result<Option<Bytes>, ApiError> {
        let unscanned = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'\n', unscanned) else {
            self.scanned = self.buffer.len();
            return if self.scanned > self.limit {
                Err(ApiError::TooLarge { limit: self.limit })
            } else {
                Ok(None)
            };
        };
        if self.scanned + end > self.limit {
            return Err(ApiError::TooLarge { limit: self.limit });
        }
        let mut line = self.buffer.split_to(self.scanned + end + 1);
        line.truncate(self.scanned + end);
        self.scanned = 0;
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        Ok(Some(line.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&str], limit: usize) -> Result<Vec<String>, ApiError> {
        let mut splitter = Splitter {
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
        };
        let mut lines = Vec::new();
        for chunk in chunks {
            splitter.buffer.extend_from_slice(chunk.as_bytes());
            while let Some(line) = splitter.line()? {
                lines.push(String::from_utf8(line.to_vec()).unwrap());
            }
        }
        Ok(lines)
    }

    #[test]
    fn lines_are_found_however_they_are_cut_into_pieces() {
        for chunks in [
            &["ab\ncd\n\nx"][..],
            &["a", "b", "\nc", "d\n", "\n", "x"],
            &["ab\n", "cd\n\n"],
        ] {
            assert_eq!(lines(chunks, 10).unwrap(), ["ab", "cd", ""]);
        }
    }

    #[test]
    fn a_line_without_end_is_an_error() {
        assert!(matches!(
            lines(&["abcdef", "ghijkl"], 10),
            Err(ApiError::TooLarge { limit: 10 })
        ));
    }
}
