//! Where a component's bytes come from, and how they get to the compiler.
//!
//! Owns that what is compiled has the digest that it is known by. The bytes go from their place to a file: no component has
//! to be in memory whole.

use std::{
    fmt,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use sha2::{Digest as _, Sha256};

/// The first bytes, which tell a component from all else.
pub(crate) const HEADER: usize = 16;

type WriteTo = dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send;

/// The bytes of a component, asked for only where it has to be compiled.
pub struct Source(Box<WriteTo>);

impl Source {
    /// Bytes that are written when they are asked for, by a call that may block.
    pub fn new(write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static) -> Self {
        Self(Box::new(write))
    }

    /// Bytes that are there.
    pub fn of(bytes: impl AsRef<[u8]> + Send + 'static) -> Self {
        Self::new(move |out| out.write_all(bytes.as_ref()))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

/// What came of a source.
pub(crate) struct Written {
    /// `sha256:…`
    pub digest: String,
    /// The first bytes, [`HEADER`] at most.
    pub header: Vec<u8>,
}

/// Writes the bytes to a new file. Blocks.
pub(crate) fn write(source: Source, path: &Path) -> io::Result<Written> {
    let mut out = Digested {
        file: BufWriter::new(File::create_new(path)?),
        hasher: Sha256::new(),
        header: Vec::new(),
    };
    (source.0)(&mut out)?;
    out.flush()?;
    Ok(Written {
        digest: format!("sha256:{:x}", out.hasher.finalize()),
        header: out.header,
    })
}

/// Digests what goes through.
struct Digested {
    file: BufWriter<File>,
    hasher: Sha256,
    header: Vec<u8>,
}

impl Write for Digested {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.file.write(bytes)?;
        let bytes = bytes.get(..taken).unwrap_or(bytes);
        self.hasher.update(bytes);
        let missing = HEADER.saturating_sub(self.header.len());
        self.header.extend(bytes.iter().take(missing));
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_pieces_is_digested_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let source = Source::new(|out| {
            out.write_all(b"one, ")?;
            out.write_all(b"and then two and three")
        });
        let written = write(source, &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes, b"one, and then two and three");
        assert_eq!(written.digest, format!("sha256:{:x}", Sha256::digest(&bytes)));
        assert_eq!(written.header, b"one, and then tw");
    }

    #[test]
    fn a_source_that_fails_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let source = Source::new(|_| Err(io::Error::other("gone")));
        assert!(write(source, &folder.path().join("x")).is_err());
    }
}
