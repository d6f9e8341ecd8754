//! What is granted is reached, and nothing else.

use std::{fs, os::unix::fs::symlink, path::Path, time::Duration};

use espejote_engine::{
    Call, CallError, EngineConfig, GrantedDirectory, Grants, HostError, LimitKind, Limits, TlsRoots,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    server::{Server, certificate},
    support::{cache_dir, compiler, data, guests, invocation, patient},
};

fn directory(guest_path: &str, host_path: &Path) -> GrantedDirectory {
    GrantedDirectory {
        guest_path: guest_path.into(),
        host_path: host_path.to_owned(),
    }
}

fn directories(directories: Vec<GrantedDirectory>) -> Grants {
    Grants {
        directories,
        hosts: Vec::new(),
    }
}

/// A folder as a ConfigMap is mounted, beside a file that nobody may read.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("secret"), "hunter2").unwrap();
    fs::create_dir_all(path("granted/..data")).unwrap();
    fs::write(path("granted/..data/key"), "value").unwrap();
    symlink("..data/key", path("granted/key")).unwrap();
    symlink("../secret", path("granted/relative")).unwrap();
    symlink(path("secret"), path("granted/absolute")).unwrap();
    symlink("/etc", path("granted/etc")).unwrap();
    folder
}

async fn files(config: &Value, grants: &Grants) -> Value {
    let mut all =
        json!({"mode": "files", "read": [], "list": [], "write": [], "append": [], "remove": [], "make": []});
    for (key, value) in config.as_object().unwrap() {
        all[key] = value.clone();
    }
    let call = guests()
        .await
        .reconcile_with(invocation(&all), &patient(), grants)
        .await;
    data(&call.result.unwrap(), "files")
}

fn ok(text: &str) -> Value {
    json!({ "ok": text })
}

#[tokio::test]
async fn granted_folders_are_read_and_listed() {
    let folder = folder();
    let grants = directories(vec![directory("/config", &folder.path().join("granted"))]);
    let config = json!({"read": ["/config/key", "/config/..data/key"], "list": ["/config/..data"]});
    let found = files(&config, &grants).await;
    assert_eq!(found["read"], json!([ok("value"), ok("value")]));
    assert_eq!(found["list"], json!([ok("key")]));
}

#[tokio::test]
async fn nothing_leads_out_of_a_granted_folder() {
    let folder = folder();
    let grants = directories(vec![directory("/config", &folder.path().join("granted"))]);
    let outside = [
        "/config/relative",
        "/config/absolute",
        "/config/etc/passwd",
        "/config/../secret",
        "/config/..data/../../secret",
        "/secret",
        "/etc/passwd",
    ];
    let found = files(
        &json!({"read": outside, "list": ["/config/etc", "/config/..", "/"]}),
        &grants,
    )
    .await;
    let text = found.to_string();
    assert!(!text.contains("\"ok\"") && !text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn nothing_in_a_granted_folder_is_changed() {
    let folder = folder();
    let granted = folder.path().join("granted");
    let grants = directories(vec![directory("/config", &granted)]);
    let config = json!({
        "write": ["/config/key", "/config/new"],
        "append": ["/config/key"],
        "remove": ["/config/key"],
        "make": ["/config/folder"],
    });
    let found = files(&config, &grants).await;
    for key in ["write", "append", "remove", "make"] {
        for result in found[key].as_array().unwrap() {
            assert!(result["error"].is_string(), "{key}: {found}");
        }
    }
    assert_eq!(fs::read_to_string(granted.join("key")).unwrap(), "value");
    assert!(!granted.join("new").exists() && !granted.join("folder").exists());
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let grants = directories(vec![directory("/config", Path::new("/no/such/folder"))]);
    let call = guests()
        .await
        .reconcile_with(invocation(&json!({})), &patient(), &grants)
        .await;
    let Err(CallError::Host { source, .. }) = call.result else {
        panic!("{:?}", call.result);
    };
    assert!(
        matches!(&source, HostError::Directory { path, .. } if path == "/config"),
        "{source}"
    );
    let grants = directories(vec![directory("config", folder().path())]);
    let call = guests()
        .await
        .reconcile_with(invocation(&json!({})), &patient(), &grants)
        .await;
    assert!(call.result.is_err());
}

#[tokio::test]
async fn open_files_end_at_the_limit_on_handles() {
    let folder = folder();
    let grants = directories(vec![directory("/config", &folder.path().join("granted"))]);
    let config = json!({"mode": "open", "path": "/config/key"});
    let limits = Limits::builder()
        .handles(100)
        .wall(Duration::from_secs(60))
        .build();
    let call = guests()
        .await
        .reconcile_with(invocation(&config), &limits, &grants)
        .await;
    let error = call.result.unwrap_err();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::Handles,
                ..
            }
        ),
        "{error}"
    );
}

fn hosts(patterns: &[String]) -> Grants {
    Grants {
        directories: Vec::new(),
        hosts: patterns.iter().map(|pattern| pattern.parse().unwrap()).collect(),
    }
}

async fn call(mode: &str, urls: &[String], patterns: &[String], limits: &Limits) -> Call {
    let config = json!({"mode": mode, "urls": urls, "timeout": 2000});
    let grants = hosts(patterns);
    guests()
        .await
        .reconcile_with(invocation(&config), limits, &grants)
        .await
}

async fn fetch(urls: &[String], patterns: &[String]) -> Value {
    let call = call("fetch", urls, patterns, &patient()).await;
    data(&call.result.unwrap(), "fetch")
}

#[tokio::test]
async fn a_granted_host_is_asked_and_others_get_the_error_of_wasi() {
    let server = Server::start().await;
    let urls = [
        server.url("/hello"),
        "https://example.com/".into(),
        "http://127.0.0.1:1/".into(),
    ];
    let answers = fetch(&urls, &[format!("http://{}", server.address())]).await;
    assert_eq!(answers[0], json!([200, 5, "hello"]));
    for answer in [&answers[1], &answers[2]] {
        assert!(
            answer.as_str().unwrap().contains("HttpRequestDenied"),
            "{answers}"
        );
    }
    assert_eq!(server.requests(), ["GET /hello HTTP/1.1"]);
}

#[tokio::test]
async fn redirects_are_the_guests_business() {
    let server = Server::start().await;
    let answers = fetch(
        &[server.url("/redirect")],
        &[format!("http://{}", server.address())],
    )
    .await;
    assert_eq!(answers[0][0], 302);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_refused_although_it_is_granted() {
    let server = Server::start().await;
    let named = format!("localhost:{}", server.address().port());
    let answers = fetch(&[format!("http://{named}/hello")], &[format!("http://{named}")]).await;
    assert!(
        answers[0].as_str().unwrap().contains("DestinationIpProhibited"),
        "{answers}"
    );
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_silent_server_costs_the_time_that_the_guest_grants() {
    let server = Server::start().await;
    let urls = [server.url("/silent"), server.url("/stalls")];
    let answers = fetch(&urls, &[format!("http://{}", server.address())]).await;
    assert!(
        answers[0].as_str().unwrap().contains("HttpResponseTimeout"),
        "{answers}"
    );
    assert!(
        answers[1].as_str().unwrap().contains("connection read timeout"),
        "{answers}"
    );
}

#[tokio::test]
async fn a_silent_server_ends_the_call_at_its_limit_on_time() {
    let server = Server::start().await;
    let limits = Limits::builder().wall(Duration::from_millis(300)).build();
    let patterns = [format!("http://{}", server.address())];
    let call = call("fetch", &[server.url("/silent")], &patterns, &limits).await;
    let error = call.result.unwrap_err();
    assert!(
        matches!(
            error,
            CallError::Limit {
                limit: LimitKind::Wall,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn answers_beyond_the_limit_are_cut_off_with_the_error_of_wasi() {
    let server = Server::start().await;
    let limits = Limits::builder()
        .http_bytes(150_000)
        .wall(Duration::from_secs(60))
        .build();
    let patterns = [format!("http://{}", server.address())];
    // A body without an announced length, one with, and two that are too much together.
    let paths = ["/endless", "/announced", "/large", "/large"];
    let urls = paths.map(|path| server.url(path));
    let told = |answer: &Value| {
        ["HttpResponseBodySize", "body size exceeds limit"]
            .iter()
            .any(|words| answer.to_string().contains(words))
    };
    for path in &urls[..2] {
        let call = call("fetch", std::slice::from_ref(path), &patterns, &limits).await;
        let answers = data(&call.result.unwrap(), "fetch");
        assert!(told(&answers[0]), "{answers}");
    }
    let call = call("fetch", &urls[2..], &patterns, &limits).await;
    let answers = data(&call.result.unwrap(), "fetch");
    assert_eq!(answers[0][1], 100_000);
    assert!(told(&answers[1]), "{answers}");
}

#[tokio::test]
async fn only_so_many_requests_run_at_a_time() {
    let server = Server::start().await;
    let urls: Vec<String> = (0..6).map(|_| server.url("/hello")).collect();
    let patterns = [format!("http://{}", server.address())];
    let limits = Limits::builder()
        .http_requests(2)
        .wall(Duration::from_secs(60))
        .build();
    let at_once = call("fetch-at-once", &urls, &patterns, &limits).await;
    let answers = data(&at_once.result.unwrap(), "fetch-at-once");
    let refused = |answer: &&Value| answer.to_string().contains("ConnectionLimitReached");
    assert_eq!(
        answers.as_array().unwrap().iter().filter(refused).count(),
        4,
        "{answers}"
    );
    // One after the other they are no trouble.
    let in_turn = call("fetch", &urls, &patterns, &limits).await;
    let answers = data(&in_turn.result.unwrap(), "fetch");
    assert!(
        answers.as_array().unwrap().iter().all(|answer| answer[0] == 200),
        "{answers}"
    );
}

#[tokio::test]
async fn a_server_is_known_by_the_given_roots_and_by_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let certified = certificate("127.0.0.1");
    let server = Server::start_tls(&certified).await;
    let urls = [server.url("/hello")];
    let config = json!({"mode": "fetch", "urls": urls, "timeout": 2000});
    let grants = hosts(&[server.address().to_string()]);
    for (roots, expected) in [
        (certified.pem(), "hello"),
        (certificate("127.0.0.1").pem(), "TlsCertificateError"),
    ] {
        let mut setup = EngineConfig::new(cache_dir(&folder), compiler());
        setup.tls_roots = TlsRoots::Pem(roots.into_bytes().into());
        let engine = espejote_engine::Engine::new(setup).unwrap();
        let plugin = engine
            .load("guests", crate::support::GUESTS.clone())
            .await
            .unwrap();
        let call = plugin
            .reconcile_with(invocation(&config), &patient(), &grants)
            .await;
        let answers = data(&call.result.unwrap(), "fetch");
        assert!(answers.to_string().contains(expected), "{answers}");
    }
}

#[tokio::test]
async fn a_provider_and_an_admitter_have_their_grants_too() {
    let folder = folder();
    let grants = directories(vec![directory("/config", &folder.path().join("granted"))]);
    let config = json!({"mode": "file", "path": "/config/key"});
    let plugin = guests().await;
    let provision = plugin.provide(invocation(&config), &patient(), &grants).await;
    assert_eq!(provision.result.unwrap().as_ref(), "\"value\"");
    let admitted = plugin
        .admit(invocation(&config), "{}".into(), &patient(), &grants)
        .await;
    assert_eq!(admitted.result.unwrap().message, "value");
}
