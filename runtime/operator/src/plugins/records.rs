//! What each Plugin has got from a registry with its own credentials.
//!
//! Owns the small files that survive a restart, so that a registry which is down stops nothing that ran before. One Plugin
//! never gets what only another one was allowed to pull: records are kept by uid.

use std::{
    collections::HashSet,
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
    /// The manifest.
    pub manifest: Digest,
    /// The index that led to it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Digest>,
    /// Whose signatures were asked for; each entry asks for one of its signers.
    pub required: Vec<Vec<Signer>>,
    /// Those that were accepted.
    pub signers: Vec<String>,
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
        let text = std::fs::read(self.file(uid)).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        (record.uid == uid && record.module == module).then_some(record)
    }

    /// Keeps a record in place of the Plugin's last one, in one step.
    pub(super) fn keep(&self, record: &Record) -> io::Result<()> {
        let file = self.file(&record.uid);
        let next = file.with_extension("next");
        std::fs::write(&next, serde_json::to_vec(record)?)?;
        std::fs::rename(next, file)
    }

    /// Forgets Plugins that are not among these. Gives the manifests that are still needed.
    pub(super) fn retain(&self, uids: &HashSet<String>) -> io::Result<HashSet<Digest>> {
        let mut needed = HashSet::new();
        for entry in std::fs::read_dir(&self.0)? {
            let path = entry?.path();
            let record = std::fs::read(&path).ok();
            let record = record.and_then(|text| serde_json::from_slice::<Record>(&text).ok());
            match record.filter(|record| uids.contains(&record.uid)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn record(uid: &str) -> Record {
        Record {
            uid: uid.into(),
            module: "r.example/x:1".into(),
            manifest: Digest::of(uid.as_bytes()),
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
