//! Takes the module out of an image layer: an archive with exactly one `.wasm` file.

use std::io::{self, Cursor, Read, Write};

use bytes::Bytes;
use flate2::read::GzDecoder;

use crate::manifest::Format;

/// More entries than an honest layer of one module has.
const MOST_ENTRIES: usize = 1_000;

/// What besides the module may be unpacked: headers, and files that are passed over.
const SLACK: u64 = 16 << 20;

/// The module in a layer; a layer that is a module is given back as it is. Nothing over `limit` is unpacked.
pub(crate) fn module(layer: &Bytes, format: Format, limit: u64) -> Result<Bytes, String> {
    if format == Format::Module {
        return Ok(layer.clone());
    }
    let mut module = Vec::new();
    copy(Cursor::new(layer), format, limit, &mut module)?;
    Ok(module.into())
}

/// Copies the module out of a layer; gives its size. Where it fails, what was copied is nothing.
pub(crate) fn copy(
    mut layer: impl Read,
    format: Format,
    limit: u64,
    out: &mut dyn Write,
) -> Result<u64, String> {
    match format {
        Format::Module => io::copy(&mut layer, out).map_err(broken),
        Format::Tar => from_archive(layer, limit, out),
        Format::TarGzip => from_archive(GzDecoder::new(layer), limit, out),
    }
}

fn from_archive(archive: impl Read, limit: u64, out: &mut dyn Write) -> Result<u64, String> {
    // However small it is packed, no more than this is looked at.
    let bounded = archive.take(limit.saturating_add(SLACK));
    let mut archive = tar::Archive::new(bounded);
    let mut size = None;
    let entries = archive.entries().map_err(broken)?;
    for (number, entry) in entries.enumerate() {
        if number >= MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} entries"));
        }
        let mut entry = entry.map_err(broken)?;
        if !is_module(&entry) {
            continue;
        }
        if size.is_some() {
            return Err("it has more than one .wasm file, expected exactly one".to_owned());
        }
        size = Some(read(&mut entry, limit, out)?);
    }
    size.ok_or_else(|| "it has no .wasm file, expected exactly one".to_owned())
}

fn is_module(entry: &tar::Entry<'_, impl Read>) -> bool {
    entry.header().entry_type().is_file() && entry.path_bytes().ends_with(b".wasm")
}

fn read(entry: &mut impl Read, limit: u64, out: &mut dyn Write) -> Result<u64, String> {
    let size = io::copy(&mut entry.take(limit.saturating_add(1)), out).map_err(broken)?;
    if size > limit {
        return Err(format!(
            "the .wasm file has more than the {limit} bytes that are allowed"
        ));
    }
    Ok(size)
}

fn broken(error: io::Error) -> String {
    format!("the archive cannot be unpacked: {error}")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, contents) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(contents.len() as u64);
            archive.append_data(&mut header, name, *contents).unwrap();
        }
        archive.into_inner().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Bytes {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().into()
    }

    #[test]
    fn the_one_module_is_found_packed_and_unpacked() {
        let files = archive(&[("README", b"hello"), ("sub/plugin.wasm", b"\0asm")]);
        assert_eq!(module(&gzip(&files), Format::TarGzip, 4).unwrap(), "\0asm");
        assert_eq!(module(&files.into(), Format::Tar, 4).unwrap(), "\0asm");
    }

    #[test]
    fn none_or_two_are_refused() {
        let none = archive(&[("README", b"hello")]);
        assert!(
            module(&none.into(), Format::Tar, 9)
                .unwrap_err()
                .contains("no .wasm file")
        );
        let two = archive(&[("a.wasm", b"1"), ("b.wasm", b"2")]);
        assert!(
            module(&two.into(), Format::Tar, 9)
                .unwrap_err()
                .contains("more than one")
        );
    }

    #[test]
    fn nothing_over_the_limit_is_unpacked() {
        let bomb = archive(&[("a.wasm", &vec![0; 1 << 20])]);
        let error = module(&gzip(&bomb), Format::TarGzip, 1_000).unwrap_err();
        assert!(error.contains("more than the 1000 bytes"), "{error}");
        let filler = vec![0; (SLACK + 2_000) as usize];
        let hidden = archive(&[("filler", &filler), ("a.wasm", b"1")]);
        assert!(module(&gzip(&hidden), Format::TarGzip, 1_000).is_err());
    }

    #[test]
    fn an_archive_that_is_cut_off_is_an_error() {
        let files = archive(&[("a.wasm", &[7; 2_000])]);
        assert!(module(&Bytes::copy_from_slice(&files[..1_000]), Format::Tar, 9_000).is_err());
        let packed = gzip(&files);
        assert!(module(&packed.slice(..packed.len() / 2), Format::TarGzip, 9_000).is_err());
    }
}
