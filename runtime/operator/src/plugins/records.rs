//! What each Plugin has got from a registry with its own credentials.
//!
//! Owns the small files that survive a restart, so that a registry which is down stops nothing that ran before. One Plugin
//! never gets what only another one was allowed to pull: records are kept by uid.

use std::{
    collections::{HashMap, HashSet},
    io,
    path::{Path, PathBuf},
};

use espejote_api::plugin::Signer;
use espejote_oci::Digest;
use serde::{Deserialize, Serialize};

/// What was pulled, and what its signatures were checked against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// The Plugin's uid.
    pub uid: String,
    /// The reference.
    pub module: String,
    /// The Plugin's namespace.
    #[serde(default)]
    pub namespace: String,
    /// The manifest.
    pub manifest: Digest,
    /// The layer. None: its size is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// The index that led to it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Digest>,
    /// Whose signatures were asked for; each entry asks for one of its signers.
    pub required: Vec<Vec<Signer>>,
    /// Those that were accepted.
    pub signers: Vec<String>,
}

/// A layer on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layer {
    /// Its digest.
    pub digest: Digest,
    /// Its bytes.
    pub size: u64,
}

impl Record {
    /// Whether it is what a reference with this digest leads to.
    pub(super) fn is_of(&self, digest: Digest) -> bool {
        self.manifest == digest || self.index == Some(digest)
    }
}

/// A folder with a file for each Plugin.
#[derive(Clone, Debug)]
pub(super) struct Records(PathBuf);

impl Records {
    /// Makes the folder if it is not there.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Self(folder.to_owned()))
    }

    /// What a Plugin has got for a reference. A file that cannot be read is none.
    pub(super) fn of(&self, uid: &str, module: &str) -> Option<Record> {
        let record = read(&self.file(uid))?;
        (record.uid == uid && record.module == module).then_some(record)
    }

    /// Keeps a record in place of the Plugin's last one, in one step.
    pub(super) fn keep(&self, record: &Record) -> io::Result<()> {
        let file = self.file(&record.uid);
        let next = file.with_extension("next");
        std::fs::write(&next, serde_json::to_vec(record)?)?;
        std::fs::rename(next, file)
    }

    /// Bytes of the layers that the Plugins of a namespace have pulled; what several use counts once.
    pub(super) fn taken_by(&self, namespace: &str) -> io::Result<u64> {
        let mut layers = HashMap::new();
        for entry in std::fs::read_dir(&self.0)? {
            let record = read(&entry?.path()).filter(|record| record.namespace == namespace);
            let layer = record.and_then(|record| record.layer);
            layers.extend(layer.map(|layer| (layer.digest, layer.size)));
        }
        Ok(layers.values().sum())
    }

    /// Forgets Plugins that are not among these. Gives the manifests that are still needed.
    pub(super) fn retain(&self, uids: &HashSet<String>) -> io::Result<HashSet<Digest>> {
        let mut needed = HashSet::new();
        for entry in std::fs::read_dir(&self.0)? {
            let path = entry?.path();
            match read(&path).filter(|record| uids.contains(&record.uid)) {
                Some(record) => drop(needed.insert(record.manifest)),
                None => std::fs::remove_file(path)?,
            }
        }
        Ok(needed)
    }

    /// The name comes from the API server; what is no uid is digested like one.
    fn file(&self, uid: &str) -> PathBuf {
        self.0.join(format!("{}.json", Digest::of(uid.as_bytes()).hex()))
    }
}

/// A record; none if the file is none.
fn read(file: &Path) -> Option<Record> {
    let text = std::fs::read(file).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(uid: &str) -> Record {
        Record {
            uid: uid.into(),
            module: "r.example/x:1".into(),
            namespace: "ns".into(),
            manifest: Digest::of(uid.as_bytes()),
            layer: Some(Layer {
                digest: Digest::of(b"layer"),
                size: 7,
            }),
            index: None,
            required: Vec::new(),
            signers: Vec::new(),
        }
    }

    #[test]
    fn a_record_is_for_one_plugin_and_one_reference() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::open(folder.path()).unwrap();
        records.keep(&record("a")).unwrap();
        assert_eq!(records.of("a", "r.example/x:1"), Some(record("a")));
        assert_eq!(records.of("a", "r.example/x:2"), None);
        assert_eq!(records.of("b", "r.example/x:1"), None);
    }

    #[test]
    fn a_record_is_found_by_the_digest_of_the_index_too() {
        let index = Digest::of(b"index");
        let by_index = Record {
            index: Some(index),
            ..record("a")
        };
        assert!(by_index.is_of(index) && by_index.is_of(by_index.manifest));
        assert!(!record("a").is_of(index));
        let old = r#"{"uid":"a","module":"m","manifest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "required":[],"signers":[]}"#;
        assert_eq!(serde_json::from_str::<Record>(old).unwrap().index, None);
    }

    #[test]
    fn a_layer_that_several_use_is_counted_once() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::open(folder.path()).unwrap();
        records.keep(&record("a")).unwrap();
        records.keep(&record("b")).unwrap();
        assert_eq!(
            (records.taken_by("ns").unwrap(), records.taken_by("x").unwrap()),
            (7, 0)
        );
    }

    #[test]
    fn records_of_plugins_that_are_gone_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::open(folder.path()).unwrap();
        records.keep(&record("a")).unwrap();
        records.keep(&record("b")).unwrap();
        let needed = records.retain(&["a".to_owned()].into()).unwrap();
        assert_eq!(needed, [record("a").manifest].into());
        assert_eq!(records.of("b", "r.example/x:1"), None);
    }

    #[test]
    fn a_damaged_record_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::open(folder.path()).unwrap();
        records.keep(&record("a")).unwrap();
        std::fs::write(records.file("a"), "{").unwrap();
        assert_eq!(records.of("a", "r.example/x:1"), None);
    }
}
