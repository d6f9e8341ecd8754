//! The contract of today is an additive change of each that was released, and what was built for those runs today.
//!
//! `tests/fixtures/contract-<version>/` holds the files of a released contract and components that were built for it. Never
//! change them: see the README there.

use std::{fs, path::PathBuf};

use espejote_core::{Context, ContextValue, Invocation, Unavailable, UnavailableReason};
use espejote_engine::{Grants, Plugin};
use serde_json::{Value, json};
use wit_parser::{InterfaceId, PackageId, Resolve, Stability, WorldId};

use crate::support::{engine, guests, invocation, patient, things, with_things};

const RELEASED: [&str; 1] = ["0.1.0"];

fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn fixtures(version: &str) -> PathBuf {
    repository().join(format!("tests/fixtures/contract-{version}"))
}

/// All files of a folder as one, in a package of the given version.
fn contract(folder: PathBuf, version: &str) -> String {
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wit"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}", folder.display());
    let mut text = format!("package espejote:plugin@{version};\n");
    for file in files {
        let file = fs::read_to_string(file).unwrap();
        let (package, rest) = file.split_once(';').unwrap();
        assert!(package.starts_with("package espejote:plugin@"), "{package}");
        text.push_str(rest);
    }
    text
}

/// What is not additive in the change from one contract to another; nothing if all is.
fn breaks(old: &str, new: &str) -> Vec<String> {
    let mut resolve = Resolve::default();
    let old = resolve.push_str("old.wit", old).unwrap();
    let new = resolve.push_str("new.wit", new).unwrap();
    let mut found = missing(&resolve, old, new);
    for (name, &world) in &resolve.packages[old].worlds {
        let Some(&other) = resolve.packages[new].worlds.get(name) else {
            found.push(format!("world {name} is gone"));
            continue;
        };
        if let Err(error) = wit_component::semver_check(resolve.clone(), world, other) {
            found.push(format!("world {name}: {error:#}"));
        }
    }
    found
}

/// What has gone by name: told better than the check of the worlds tells it.
fn missing(resolve: &Resolve, old: PackageId, new: PackageId) -> Vec<String> {
    let mut found = Vec::new();
    for (name, &interface) in &resolve.packages[old].interfaces {
        let Some(&other) = resolve.packages[new].interfaces.get(name) else {
            found.push(format!("interface {name} is gone"));
            continue;
        };
        let (old, new) = (&resolve.interfaces[interface], &resolve.interfaces[other]);
        let functions = old
            .functions
            .keys()
            .filter(|key| !new.functions.contains_key(*key));
        found.extend(functions.map(|function| format!("function {function} of {name} is gone")));
        let types = old.types.keys().filter(|key| !new.types.contains_key(*key));
        found.extend(types.map(|ty| format!("type {ty} of {name} is gone")));
    }
    found
}

/// What was added without saying since when.
fn undated(old: &str, new: &str) -> Vec<String> {
    let mut resolve = Resolve::default();
    let old = resolve.push_str("old.wit", old).unwrap();
    let new = resolve.push_str("new.wit", new).unwrap();
    let dated = |stability: &Stability| matches!(stability, Stability::Stable { .. });
    let mut found = Vec::new();
    for (name, &interface) in &resolve.packages[new].interfaces {
        let new: InterfaceId = interface;
        match resolve.packages[old].interfaces.get(name) {
            None if !dated(&resolve.interfaces[new].stability) => found.push(format!("interface {name}")),
            None => {}
            Some(&old) => {
                let known = &resolve.interfaces[old].functions;
                let added = resolve.interfaces[new]
                    .functions
                    .iter()
                    .filter(|(key, _)| !known.contains_key(*key));
                found.extend(
                    added
                        .filter(|(_, function)| !dated(&function.stability))
                        .map(|(key, _)| format!("function {key} of {name}")),
                );
            }
        }
    }
    let worlds = resolve.packages[new].worlds.iter();
    let undated = |world: WorldId| !dated(&resolve.worlds[world].stability);
    let added = worlds.filter(|(name, _)| !resolve.packages[old].worlds.contains_key(*name));
    found.extend(
        added
            .filter(|(_, world)| undated(**world))
            .map(|(name, _)| format!("world {name}")),
    );
    found
}

#[test]
fn the_contract_of_today_adds_to_each_that_was_released() {
    let today = contract(repository().join("wit"), "0.9.1");
    for version in RELEASED {
        let released = contract(fixtures(version).join("wit"), "0.9.0");
        let broken = breaks(&released, &today);
        assert!(
            broken.is_empty(),
            "wit/ breaks plugins that were built for {version}:\n{}",
            broken.join("\n")
        );
        let undated = undated(&released, &today);
        assert!(
            undated.is_empty(),
            "added since {version} without `@since(version = …)`:\n{}",
            undated.join("\n")
        );
    }
}

const SMALL: &str = "
    interface state {
        record id { name: string }
        names: func() -> list<string>;
        open: func(id: id) -> bool;
    }
    interface reconcile { reconcile: func(); }
    world reconciler { import state; export reconcile; }
";

fn change(from: &str, to: &str) -> Vec<String> {
    assert!(SMALL.contains(from), "{from}");
    let package = |version: &str, text: &str| format!("package espejote:plugin@{version};{text}");
    breaks(
        &package("0.1.0", SMALL),
        &package("0.1.1", &SMALL.replace(from, to)),
    )
}

#[test]
fn what_adds_breaks_nothing() {
    for (from, to) in [
        ("names: func", "count: func() -> u32; names: func"),
        ("import state;", "import state; import more;"),
        ("interface reconcile {", "interface more {} interface reconcile {"),
        (
            "world reconciler",
            "world other { import state; } world reconciler",
        ),
    ] {
        let to = match to.contains("import more;") {
            true => change(
                "world reconciler { import state;",
                "interface more { x: func(); } world reconciler { import state; import more;",
            ),
            false => change(from, to),
        };
        assert_eq!(to, Vec::<String>::new(), "{from}");
    }
}

#[test]
fn what_takes_away_or_alters_is_named() {
    for (from, to, words) in [
        (
            "names: func() -> list<string>;",
            "",
            "function names of state is gone",
        ),
        ("names: func()", "names: func(all: bool)", "names"),
        (
            "record id { name: string }",
            "record id { name: string, uid: string }",
            "instance export `id`",
        ),
        ("world reconciler", "world other", "world reconciler is gone"),
        (
            "export reconcile;",
            "export reconcile; export state;",
            "reconciler",
        ),
        ("open: func(id: id) -> bool", "open: func(id: id) -> u32", "open"),
    ] {
        let found = change(from, to).join("\n");
        assert!(found.contains(words), "{from} -> {to}: {found:?}");
    }
}

#[test]
fn what_is_added_says_since_when() {
    let package = |version: &str, text: &str| format!("package espejote:plugin@{version};{text}");
    let old = package("0.1.0", SMALL);
    let added = |attribute: &str| {
        let function = format!("{attribute} count: func() -> u32; names: func");
        undated(
            &old,
            &package("0.1.1", &SMALL.replacen("names: func", &function, 1)),
        )
    };
    assert_eq!(added(""), ["function count of state"]);
    assert!(added("@since(version = 0.1.1)").is_empty());
}

async fn fixture(version: &str, name: &str) -> Plugin {
    let path = fixtures(version).join(name);
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    engine().await.load(name, bytes.into()).await.unwrap()
}

/// A call with something of everything to read.
fn full(config: &Value) -> Invocation {
    let mut invocation = with_things(invocation(config), things(3));
    let unavailable = Unavailable::new(UnavailableReason::NotSynced, "not yet");
    for (name, value) in [
        ("later", ContextValue::Objects(Err(unavailable.clone()))),
        ("computed", ContextValue::Provided(Ok("1".into()))),
        ("broken", ContextValue::Provided(Err(unavailable))),
    ] {
        let name = name.into();
        invocation.snapshot.contexts.push(Context { name, value });
    }
    invocation
}

/// `every-function.wasm` was built of the guests of its time, and does what the guests of today do.
#[tokio::test]
async fn a_component_that_uses_every_function_runs_as_it_did() {
    let grants = Grants::default();
    for version in RELEASED {
        let (then, now) = (fixture(version, "every-function.wasm").await, guests().await);
        for mode in ["echo", "state", "columns", "tree", "tell", "enabled", "chance"] {
            let config = json!({ "mode": mode });
            let old = then.reconcile(full(&config), &patient()).await;
            let new = now.reconcile(full(&config), &patient()).await;
            assert_eq!(old.result.unwrap(), new.result.unwrap(), "{version} {mode}");
            assert_eq!((old.report, old.keep), (new.report, new.keep), "{version} {mode}");
        }
        let config = json!({"mode": "text", "text": "[1]"});
        let value = then.provide(full(&config), &patient(), &grants).await;
        assert_eq!(value.result.unwrap().as_ref(), "[1]");
        let request = r#"{"uid":"u","object":{"n":1}}"#;
        let admitted = then
            .admit(
                full(&json!({"mode": "echo"})),
                request.into(),
                &patient(),
                &grants,
            )
            .await;
        assert_eq!(admitted.result.unwrap().message, r#"["u",1]"#);
        assert_eq!(admitted.warnings, ["first", "second"]);
    }
}

/// Each with an invocation whose result its README tells.
#[tokio::test]
async fn components_of_other_languages_run_as_they_did() {
    for version in RELEASED {
        let plugin = fixture(version, "hello-c.wasm").await;
        let call = plugin
            .reconcile(full(&json!({"greeting": "hello"})), &patient())
            .await;
        let desired = call.result.unwrap();
        assert_eq!(desired.len(), 1, "{desired:?}");
        assert!(format!("{desired:?}").contains("hello"), "{desired:?}");
    }
}
