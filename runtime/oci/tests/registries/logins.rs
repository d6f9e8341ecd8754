//! Tokens: a gate of ours in front of the real registry, which lets in only who has a token for what is asked; and where
//! secrets must never go.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use espejote_oci::{Credentials, Error, Secret};
use serde_json::json;

use crate::{
    faulty::Contents,
    logged::Logged,
    modules::{client, component, config, fetch, fetch_as, push, reference, wasm_manifest},
    real_registry::RealRegistry,
    server::{Answer, Asked, Sent, Server},
    tls::Tls,
};

const PASSWORD: &str = "correct horse";

fn robot() -> Credentials {
    Credentials::basic("robot", Secret::new(PASSWORD))
}

/// Gives tokens: to anyone for pulling from `public/…`, else to robot. A token says in clear what it is for.
fn give_token(asked: &Asked) -> Answer {
    let query = asked
        .path
        .split_once('?')
        .map(|(_, query)| query)
        .unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    let scope = pairs
        .iter()
        .find(|(name, _)| name == "scope")
        .map(|(_, value)| value.as_str())
        .unwrap_or_default();
    let expected = format!("Basic {}", STANDARD.encode(format!("robot:{PASSWORD}")));
    let public = scope.starts_with("repository:public/") && scope.ends_with(":pull");
    match asked.header("authorization") {
        Some(authorization) if authorization == expected => {}
        None if public => {}
        _ => return Answer::new(401, "no such user"),
    }
    Answer::new(200, json!({"token": token(scope), "expires_in": 300}).to_string())
}

fn token(scope: &str) -> String {
    format!("token-{}", STANDARD.encode(scope))
}

/// Forwards to a registry what comes with the right token.
async fn gate(real: String, realm: String, asked: Asked) -> Answer {
    let repository = asked
        .path
        .trim_start_matches("/v2/")
        .split("/manifests/")
        .next()
        .unwrap_or_default();
    let repository = repository.split("/blobs/").next().unwrap_or_default();
    let action = if matches!(asked.method.as_str(), "GET" | "HEAD") {
        "pull"
    } else {
        "pull,push"
    };
    let writing = asked.header("authorization").map(str::to_owned);
    let right = |action: &str| format!("Bearer {}", token(&format!("repository:{repository}:{action}")));
    let allowed = [right(action), right("pull,push")];
    if !writing.is_some_and(|authorization| allowed.contains(&authorization)) {
        let challenge =
            format!(r#"Bearer realm="{realm}",service="test",scope="repository:{repository}:{action}""#);
        return Answer::new(
            401,
            r#"{"errors":[{"code":"UNAUTHORIZED","message":"come with a token"}]}"#,
        )
        .with("www-authenticate", challenge);
    }
    forward(&real, asked).await
}

async fn forward(real: &str, asked: Asked) -> Answer {
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut request = reqwest::Client::new().request(asked.method, format!("http://{real}{}", asked.path));
    for name in ["accept", "content-type"] {
        if let Some(value) = asked.headers.get(name) {
            request = request.header(name, value);
        }
    }
    let response = request.body(asked.body).send().await.unwrap();
    let mut answer = Answer::new(response.status().as_u16(), Bytes::new());
    for (name, value) in response.headers() {
        let passed = !["content-length", "transfer-encoding", "date", "connection"].contains(&name.as_str());
        // The registry makes addresses of the Host header, here its own.
        let value = value.to_str().unwrap().replace(&format!("http://{real}"), "");
        answer = if passed {
            answer.with(name.as_str(), value)
        } else {
            answer
        };
    }
    answer.sending(Sent::Whole(response.bytes().await.unwrap()))
}

struct Guarded {
    _real: RealRegistry,
    tokens: Server,
    gate: Server,
}

async fn guarded() -> Guarded {
    let real = RealRegistry::open();
    let tokens = Server::start(give_token).await;
    let (host, realm) = (
        Arc::new(real.host.clone()),
        Arc::new(format!("http://{}/token", tokens.host)),
    );
    let gate = Server::start_async(move |asked| gate(host.to_string(), realm.to_string(), asked)).await;
    Guarded {
        _real: real,
        tokens,
        gate,
    }
}

#[tokio::test]
async fn tokens_let_a_push_and_a_pull_through_and_are_used_again() {
    let guarded = guarded().await;
    let client = client(&[&guarded.gate.host]);
    let tagged = reference(&format!("{}/public/labels:1", guarded.gate.host));
    push(&client, &tagged, &robot(), "labels").await.unwrap();
    assert_eq!(guarded.tokens.asked().len(), 1, "one token for all of a push");

    assert_eq!(fetch(&client, &tagged).await.unwrap(), component("labels"));
    assert_eq!(fetch(&client, &tagged).await.unwrap(), component("labels"));
    assert_eq!(
        guarded.tokens.asked().len(),
        2,
        "one anonymous token for both pulls"
    );
    let asked = guarded.gate.asked();
    let is_password = |asked: &&Asked| {
        asked
            .header("authorization")
            .is_some_and(|value| value.starts_with("Basic"))
    };
    let passwords = asked.iter().filter(is_password);
    assert_eq!(passwords.count(), 0, "the password goes to the token server only");
}

#[tokio::test]
async fn without_a_token_the_servers_words_are_told() {
    let guarded = guarded().await;
    let tagged = reference(&format!("{}/private/labels:1", guarded.gate.host));
    let error = fetch(&client(&[&guarded.gate.host]), &tagged).await.unwrap_err();
    assert!(matches!(error, Error::Unauthorized { .. }), "{error}");
    assert!(error.to_string().contains("no such user"), "{error}");
}

#[tokio::test]
async fn a_token_that_is_no_longer_taken_is_fetched_anew() {
    let guarded = guarded().await;
    let tagged = reference(&format!("{}/public/labels:1", guarded.gate.host));
    let first = client(&[&guarded.gate.host]);
    push(&first, &tagged, &robot(), "labels").await.unwrap();
    let contents = Contents::default()
        .manifest("1", &wasm_manifest(b"\0asm"))
        .blob(&b"\0asm"[..]);
    let tokens = Server::start(|_| Answer::new(200, r#"{"access_token": "t", "expires_in": 300}"#)).await;
    let realm = format!("http://{}/", tokens.host);
    let times = crate::faulty::Times::default();
    // Takes the token once, and then wants a new one at each third request.
    let server = Server::start(move |asked| match asked.header("authorization") {
        Some("Bearer t") if times.first(1) || !asked.path.contains("blobs") => contents.answer(asked),
        Some("Bearer t") if asked.path.contains("blobs") && !times.first(3) => contents.answer(asked),
        _ => Answer::new(401, "").with("www-authenticate", format!(r#"Bearer realm="{realm}""#)),
    })
    .await;
    let tagged = reference(&format!("{}/a:1", server.host));
    assert_eq!(
        fetch(&client(&[&server.host]), &tagged).await.unwrap(),
        &b"\0asm"[..]
    );
    assert!(tokens.asked().len() >= 2);
}

#[tokio::test]
async fn what_docker_login_keeps_is_exchanged_for_a_token() {
    let contents = Contents::default()
        .manifest("1", &wasm_manifest(b"\0asm"))
        .blob(&b"\0asm"[..]);
    let tokens = Server::start(|_| Answer::new(200, r#"{"access_token": "fresh"}"#)).await;
    let realm = format!("http://{}/oauth2/token", tokens.host);
    let server = Server::start(move |asked| match asked.header("authorization") {
        Some("Bearer fresh") => contents.answer(asked),
        _ => Answer::new(401, "").with(
            "www-authenticate",
            format!(r#"Bearer realm="{realm}",service="s""#),
        ),
    })
    .await;
    let config = json!({"auths": {(server.host.clone()): {"identitytoken": "kept"}}}).to_string();
    let credentials = Credentials::from_docker_config_json("test", config.as_bytes()).unwrap();
    let tagged = reference(&format!("{}/a:1", server.host));
    fetch_as(&client(&[&server.host]), &tagged, &credentials)
        .await
        .unwrap();
    let form = String::from_utf8(tokens.asked()[0].body.to_vec()).unwrap();
    assert!(
        form.contains("grant_type=refresh_token") && form.contains("refresh_token=kept"),
        "{form}"
    );
    assert!(form.contains("scope=repository%3Aa%3Apull"), "{form}");
}

#[tokio::test]
async fn a_token_server_without_tls_gets_no_password_of_a_registry_with_tls() {
    let tls = Tls::new();
    let tokens = Server::start(|_| Answer::new(200, r#"{"token": "t"}"#)).await;
    let realm = format!("http://{}/token", tokens.host);
    let challenge = format!(r#"Bearer realm="{realm}""#);
    let server = Server::start_tls(tls.acceptor(), move |_| {
        Answer::new(401, "").with("www-authenticate", challenge.clone())
    })
    .await;
    let authority = espejote_oci::Authority {
        host: None,
        pem: tls.authority.into(),
    };
    let settings = espejote_oci::ClientConfig {
        authorities: vec![authority],
        ..config(&[])
    };
    let client = espejote_oci::Client::new(settings).unwrap();
    let tagged = reference(&format!("{}/a:1", server.host));
    let error = fetch_as(&client, &tagged, &robot()).await.unwrap_err();
    assert!(matches!(error, Error::Login { .. }), "{error}");
    assert!(error.to_string().contains("without TLS"), "{error}");
    assert_eq!(tokens.asked().len(), 0);
}

#[tokio::test]
async fn a_redirection_takes_no_secret_to_another_host() {
    for scheme in ["Basic", "Bearer"] {
        let contents = Contents::default()
            .manifest("1", &wasm_manifest(b"\0asm"))
            .blob(&b"\0asm"[..]);
        let blobs = contents.clone();
        let elsewhere = Server::start(move |asked| blobs.answer(asked)).await;
        let target = elsewhere.host.clone();
        let tokens = Server::start(|_| Answer::new(200, r#"{"token": "secret-token"}"#)).await;
        let realm = format!("http://{}/token", tokens.host);
        let server = Server::start(move |asked| match asked.header("authorization") {
            None => Answer::new(401, "").with("www-authenticate", format!(r#"{scheme} realm="{realm}""#)),
            Some(_) if asked.path.contains("/blobs/") => {
                Answer::new(307, "").with("location", format!("http://{target}{}?signed=yes", asked.path))
            }
            Some(_) => contents.answer(asked),
        })
        .await;
        let tagged = reference(&format!("{}/a:1", server.host));
        let module = fetch_as(&client(&[&server.host]), &tagged, &robot())
            .await
            .unwrap();
        assert_eq!(module, &b"\0asm"[..]);
        let asked = elsewhere.asked();
        assert_eq!(asked.len(), 1);
        assert!(asked[0].header("authorization").is_none() && asked[0].header("cookie").is_none());
        assert!(!format!("{asked:?}").contains("secret-token"));
        assert!(!format!("{asked:?}").contains(&STANDARD.encode(format!("robot:{PASSWORD}"))));
    }
}

#[tokio::test]
async fn a_mirror_is_asked_first_with_its_own_credentials_only() {
    let contents = Contents::default()
        .manifest("1", &wasm_manifest(b"\0asm"))
        .blob(&b"\0asm"[..]);
    let both = contents.clone();
    let challenge = |asked: &Asked, contents: &Contents| match asked.header("authorization") {
        None => Answer::new(401, "").with("www-authenticate", r#"Basic realm="r""#),
        Some(_) => contents.answer(asked),
    };
    let origin = Server::start(move |asked| challenge(asked, &contents)).await;
    let empty = Server::start(|_| Answer::new(404, "")).await;
    let mirror = Server::start(move |asked| challenge(asked, &both)).await;
    let mut settings = config(&[&origin.host, &empty.host, &mirror.host]);
    settings
        .mirrors
        .insert(origin.host.clone(), vec![empty.host.clone(), mirror.host.clone()]);
    let client = espejote_oci::Client::new(settings).unwrap();
    let tagged = reference(&format!("{}/a:1", origin.host));
    let of = |host: &str| {
        let config = json!({"auths": {(host): {"username": "u", "password": PASSWORD}}}).to_string();
        Credentials::from_docker_config_json("test", config.as_bytes()).unwrap()
    };

    fetch_as(&client, &tagged, &of(&mirror.host)).await.unwrap();
    assert!(empty.asked().len() >= 2 && mirror.asked().len() >= 2 && origin.asked().is_empty());

    fetch_as(&client, &tagged, &of(&origin.host)).await.unwrap();
    assert!(
        origin.asked().len() >= 2,
        "the mirror refuses, the registry itself gives"
    );
    let asked = mirror.asked();
    let with_secret = asked
        .iter()
        .filter(|asked| asked.header("authorization").is_some())
        .count();
    assert_eq!(with_secret, 2, "only those of the first pull");
}

#[tokio::test]
async fn a_proxy_is_used_but_for_hosts_that_are_named() {
    let contents = Contents::default()
        .manifest("1", &wasm_manifest(b"\0asm"))
        .blob(&b"\0asm"[..]);
    let behind = contents.clone();
    let proxy = Server::start(move |asked| {
        behind.answer(&Asked {
            path: after_host(&asked.path),
            ..asked.clone()
        })
    })
    .await;
    let origin = Server::start(move |asked| contents.answer(asked)).await;
    let through = |none: Option<&str>| {
        let mut settings = config(&["registry.invalid", &origin.host]);
        settings.proxies.http = Some(format!("http://{}", proxy.host));
        settings.proxies.none = none.map(str::to_owned);
        espejote_oci::Client::new(settings).unwrap()
    };
    fetch(&through(None), &reference("registry.invalid/a:1"))
        .await
        .unwrap();
    assert_eq!(proxy.count("http://registry.invalid/v2/a/"), 2);
    fetch(
        &through(Some("127.0.0.1")),
        &reference(&format!("{}/a:1", origin.host)),
    )
    .await
    .unwrap();
    assert_eq!((proxy.asked().len(), origin.asked().len()), (2, 2));
}

/// A proxy is asked for whole addresses.
fn after_host(path: &str) -> String {
    path.trim_start_matches("http://")
        .split_once('/')
        .map(|(_, path)| format!("/{path}"))
        .unwrap_or_default()
}

#[tokio::test]
async fn no_log_line_holds_a_secret() {
    let logged = Logged::default();
    let _guard = tracing::subscriber::set_default(logged.clone());

    let contents = Contents::default().manifest("1", &wasm_manifest(b"\0asm"));
    let tokens = Server::start(|_| Answer::new(200, r#"{"token": "secret-token"}"#)).await;
    let realm = format!("http://{}/token", tokens.host);
    let server = Server::start(move |asked| match asked.header("authorization") {
        None => Answer::new(401, "").with("www-authenticate", format!(r#"Bearer realm="{realm}""#)),
        Some(heard) if asked.path.contains("/blobs/") => Answer::new(500, format!("heard {heard}")),
        Some(_) => contents.answer(asked),
    })
    .await;
    let tagged = reference(&format!("{}/a:1", server.host));
    let failed = fetch_as(&client(&[&server.host]), &tagged, &robot()).await;
    assert!(matches!(failed, Err(Error::Server { .. })));

    let text = logged.text();
    assert!(
        text.contains("heard Bearer ***"),
        "what is logged is seen here: {text}"
    );
    let encoded = STANDARD.encode(format!("robot:{PASSWORD}"));
    for secret in ["secret-token", PASSWORD, &encoded] {
        assert!(!text.contains(secret), "{text}");
    }
}
