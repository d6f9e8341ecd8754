//! A layer that is on its way to the disk.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write},
};

use tempfile::NamedTempFile;

use crate::fetch::Sink;

/// A file that takes a layer as it comes. Removed when it is dropped; [`Store::keep`](crate::Store::keep) keeps it.
#[derive(Debug)]
pub struct Partial(pub(crate) NamedTempFile);

impl Partial {
    fn file(&mut self) -> &mut File {
        self.0.as_file_mut()
    }

    /// Reads it from the beginning.
    pub(crate) fn reader(&self) -> io::Result<File> {
        self.0.reopen()
    }
}

impl Sink for Partial {
    fn restart(&mut self) -> io::Result<()> {
        self.file().set_len(0)?;
        self.file().seek(SeekFrom::Start(0)).map(drop)
    }

    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.file().write_all(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_before_an_interruption_is_gone() {
        let mut partial = Partial(NamedTempFile::new().unwrap());
        partial.take(b"a long beginning").unwrap();
        partial.restart().unwrap();
        partial.take(b"all").unwrap();
        assert_eq!(std::fs::read(partial.0.path()).unwrap(), b"all");
    }
}
