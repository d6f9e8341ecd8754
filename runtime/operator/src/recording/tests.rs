use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc};

use espejote_core::{
    Collection, Context, ContextValue, Libraries, Object, Owner, Revision, Snapshot, Trigger,
};
use serde_json::json;

use super::{
    folder::{Files, Folder, FolderError, folder_name},
    *,
};

fn files(size: usize) -> Files {
    Files {
        manifest: "m".to_owned(),
        input: "x".repeat(size),
        expected: Some("e".to_owned()),
    }
}

#[test]
fn every_trigger_has_a_folder_of_its_own() {
    assert_eq!(folder_name(None), "general");
    assert_eq!(folder_name(Some("general")), "trigger-general");
    assert_eq!(folder_name(Some("../a B")), "trigger-..%2Fa%20%42");
    let long = |last: &str| folder_name(Some(&format!("{}{last}", "x".repeat(400))));
    assert!(long("a") != long("b") && long("a").len() <= 120);
}

#[test]
fn a_recording_takes_the_place_of_the_last_one_and_nobody_else_can_open_it() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(&root.path().join("recordings")).unwrap();
    folder.write("ns", "m", Some("t"), &files(1)).unwrap();
    let failed = Files {
        expected: None,
        ..files(2)
    };
    folder.write("ns", "m", Some("t"), &failed).unwrap();
    let own = root.path().join("recordings/ns/m");
    let recorded = own.join("trigger-t");
    assert_eq!(fs::read_to_string(recorded.join("input.yaml")).unwrap(), "xx");
    assert!(!recorded.join("expected.yaml").exists() && own.join("manifest.yaml").exists());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&own), mode(&recorded)), (0o700, 0o700));
    assert_eq!(mode(&recorded.join("input.yaml")), 0o600);
}

#[test]
fn a_full_folder_takes_nothing_more_but_what_replaces_something() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path()).unwrap().holding(1000);
    folder.write("ns", "m", Some("a"), &files(900)).unwrap();
    let full = folder.write("ns", "m", Some("b"), &files(900)).unwrap_err();
    assert!(matches!(full, FolderError::Full(_)), "{full}");
    folder.write("ns", "m", Some("a"), &files(900)).unwrap();
}

fn resource(annotation: &str) -> ManagedResource {
    serde_json::from_value(json!({
        "apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource",
        "metadata": {"name": "m", "namespace": "ns", "uid": "u", "annotations": {ANNOTATION: annotation}},
        "spec": {"plugin": {"name": "p", "config": {"z": 1, "a": 2}}},
    }))
    .unwrap()
}

#[test]
fn nothing_is_recorded_unless_the_annotation_says_so() {
    let root = tempfile::tempdir().unwrap();
    let recordings = Recordings::new(root.path()).unwrap();
    let which = |word: &str| recordings.of(&resource(word)).map(|recorder| recorder.which);
    assert_eq!(which("true"), Some(Which::Calls));
    assert_eq!(which("failures"), Some(Which::Failures));
    assert_eq!((which("false"), which("yes")), (None, None));
    let mut without = resource("true");
    without.metadata.annotations = None;
    assert!(recordings.of(&without).is_none());
}

#[test]
fn the_manifest_is_recorded_without_what_the_api_server_adds() {
    let text = manifest(&resource("true")).unwrap();
    assert!(text.contains("    config:\n      z: 1\n      a: 2\n"), "{text}");
    assert!(!text.contains("uid") && !text.contains("annotations"), "{text}");
    assert!(crate::cli::manifest::parse(&text).is_ok());
}

fn invocation(objects: usize) -> Invocation {
    let json: Arc<str> = format!(
        r#"{{"kind":"A","metadata":{{"name":"{}"}}}}"#,
        "x".repeat(1 << 20)
    )
    .into();
    let object = Arc::new(Object::parse(json, Revision(1)).unwrap());
    let collection = Collection::new(vec![object; objects], Revision(1));
    Invocation {
        owner: Owner {
            id: ObjectId::default(),
            uid: "u".into(),
        },
        config: "null".into(),
        trigger: Trigger::default(),
        snapshot: Snapshot {
            contexts: vec![Context {
                name: "c".into(),
                value: ContextValue::Objects(Ok(Arc::new(collection))),
            }],
        },
        libraries: Libraries::default(),
        clock: 1,
        seed: 2,
    }
}

#[test]
fn what_a_call_can_read_is_counted_before_anything_is_written() {
    assert!(bytes(&invocation(63)) < MOST_BYTES);
    assert!(bytes(&invocation(65)) > MOST_BYTES);
}
