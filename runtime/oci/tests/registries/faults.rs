//! Each fault of a registry is its own error, which names the module and what to do, and tells no secret.

use std::time::{Duration, Instant};

use bytes::Bytes;
use espejote_oci::{
    Client, ClientConfig, Credentials, Digest, Error, OCI_MANIFEST, Secret, SizeLimits, Timeouts,
};

use crate::{
    faulty::{Contents, Times},
    modules::{client, component, config, fetch, fetch_as, pull, reference, wasm_manifest},
    server::{Answer, Asked, Sent, Server},
    tls::Tls,
};

pub const MODULE: &[u8] = b"\0asm\x0d\0\x01\0module";

fn good() -> Contents {
    Contents::default()
        .manifest("1", &wasm_manifest(MODULE))
        .blob(MODULE)
}

/// A registry that is good but for what `fault` answers.
async fn registry(fault: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Server {
    serving(good(), fault).await
}

pub async fn serving(
    contents: Contents,
    fault: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
) -> Server {
    Server::start(move |asked| fault(asked).unwrap_or_else(|| contents.answer(asked))).await
}

fn is_blob(asked: &Asked) -> bool {
    asked.path.contains("/blobs/")
}

pub async fn fetched(server: &Server) -> espejote_oci::Result<Bytes> {
    fetch(
        &client(&[&server.host]),
        &reference(&format!("{}/acme/labels:1", server.host)),
    )
    .await
}

/// The error, which names what it is about.
pub async fn error(server: &Server) -> Error {
    let error = fetched(server).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("{}/acme/labels:1", server.host)),
        "{error}"
    );
    error
}

#[tokio::test]
async fn a_good_registry_gives_the_module() {
    assert_eq!(fetched(&registry(|_| None).await).await.unwrap(), MODULE);
}

#[tokio::test]
async fn statuses_are_told_apart_with_the_servers_words() {
    let refused = [
        (401, "Unauthorized", false),
        (403, "Forbidden", false),
        (404, "NotFound", false),
        (418, "Status", false),
        (429, "RateLimited", true),
        (500, "Server", true),
        (503, "Server", true),
    ];
    for (status, variant, transient) in refused {
        for blob in [false, true] {
            let server = registry(move |asked| {
                (is_blob(asked) == blob).then(|| Answer::new(status, "<b>those were the words</b>\n"))
            })
            .await;
            let error = error(&server).await;
            assert!(format!("{error:?}").starts_with(variant), "{error:?}");
            assert!(
                error.to_string().contains("<b>those were the words</b>"),
                "{error}"
            );
            assert_eq!(error.is_transient(), transient, "{error}");
            let tried = server.count(if blob { "/blobs/" } else { "/manifests/" });
            assert_eq!(tried, if transient { 3 } else { 1 }, "{status}");
        }
    }
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for status in [429, 500, 502, 503, 504] {
        let times = Times::default();
        let server = registry(move |_| times.first(2).then(|| Answer::new(status, ""))).await;
        assert_eq!(fetched(&server).await.unwrap(), MODULE, "{status}");
    }
}

#[tokio::test]
async fn the_time_that_the_registry_wants_is_waited_but_not_an_hour() {
    let times = Times::default();
    let server = registry(move |_| {
        times
            .first(1)
            .then(|| Answer::new(429, "").with("retry-after", "1"))
    })
    .await;
    let started = Instant::now();
    fetched(&server).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));

    let server = registry(|_| Some(Answer::new(429, "").with("retry-after", "3600"))).await;
    let error = error(&server).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert!(error.to_string().contains("3600s"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_layer_or_a_manifest_that_breaks_off_is_tried_again_and_told() {
    for part in ["/blobs/", "/manifests/"] {
        let broken = move |asked: &Asked| {
            let half = Bytes::from_static(b"half");
            asked
                .path
                .contains(part)
                .then(|| Answer::new(200, "").sending(Sent::Broken(half, MODULE.len() as u64)))
        };
        let server = registry(broken).await;
        let error = error(&server).await;
        assert!(matches!(error, Error::Truncated { got: 4, .. }), "{error:?}");
        assert!(
            error
                .to_string()
                .contains(&format!("ended after 4 of {} bytes", MODULE.len())),
            "{error}"
        );
        assert_eq!(server.count(part), 3);
        let times = Times::default();
        let server = registry(move |asked| broken(asked).filter(|_| times.first(1))).await;
        assert_eq!(fetched(&server).await.unwrap(), MODULE);
    }
}

#[tokio::test]
async fn an_altered_layer_is_refused() {
    let altered = [
        MODULE.to_ascii_uppercase(),
        MODULE[1..].to_vec(),
        [MODULE, b"+"].concat(),
    ];
    for bytes in altered {
        let contents = Contents::default()
            .manifest("1", &wasm_manifest(MODULE))
            .blob_as(Digest::of(MODULE), bytes);
        let error = error(&serving(contents, |_| None).await).await;
        assert!(matches!(error, Error::Altered { what: "layer", .. }), "{error:?}");
        assert!(
            !error.is_transient() && error.to_string().contains("nothing of it is used"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_altered_manifest_is_refused_by_digest_and_by_the_registrys_own_word() {
    let other = wasm_manifest(b"other").to_string();
    let wanted = Digest::of(wasm_manifest(MODULE).to_string().as_bytes());
    let sent = other.clone();
    let server = registry(move |asked| {
        asked
            .path
            .ends_with(&wanted.hex())
            .then(|| Answer::new(200, sent.clone()).with("content-type", OCI_MANIFEST))
    })
    .await;
    let by_digest = reference(&format!("{}/acme/labels:1@{wanted}", server.host));
    let error = fetch(&client(&[&server.host]), &by_digest).await.unwrap_err();
    assert!(
        matches!(&error, Error::Altered { what: "manifest", expected, got, .. }
        if *expected == wanted.to_string() && *got == Digest::of(other.as_bytes()).to_string()),
        "{error:?}"
    );

    let server = registry(move |asked| {
        let answer = Answer::new(200, other.clone()).with("docker-content-digest", wanted.to_string());
        (!is_blob(asked)).then(|| answer.with("content-type", OCI_MANIFEST))
    })
    .await;
    assert!(matches!(
        self::error(&server).await,
        Error::Altered { what: "manifest", .. }
    ));
}

#[tokio::test]
async fn a_layer_of_200_mib_is_refused_before_a_byte_of_it_is_read() {
    let mut document = wasm_manifest(MODULE);
    document["layers"][0]["size"] = (200_u64 << 20).into();
    let server = serving(Contents::default().manifest("1", &document).blob(MODULE), |_| {
        None
    })
    .await;
    let error = error(&server).await;
    assert!(
        matches!(error, Error::TooLarge { what: "layer", .. }),
        "{error:?}"
    );
    let (size, limit) = (200_u64 << 20, 64_u64 << 20);
    assert!(
        error
            .to_string()
            .contains(&format!("has {size} bytes, more than the {limit}")),
        "{error}"
    );
    assert_eq!(server.count("/blobs/"), 0);
}

#[tokio::test]
async fn a_layer_that_is_larger_than_it_says_is_cut_off() {
    let endless = |asked: &Asked| {
        let mebibyte = Bytes::from(vec![0; 1 << 20]);
        is_blob(asked).then(|| Answer::new(200, "").sending(Sent::Repeated(mebibyte, 200)))
    };
    let error = error(&registry(endless).await).await;
    assert!(
        matches!(&error, Error::Altered { got, .. } if got == "more"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_manifest_over_its_limit_is_refused_announced_or_not() {
    for announced in [true, false] {
        let large = Bytes::from(vec![b' '; 5 << 20]);
        let server = registry(move |_| {
            let large = large.clone();
            let body = if announced {
                Sent::Whole(large)
            } else {
                Sent::Repeated(large.slice(..1 << 20), 5)
            };
            Some(Answer::new(200, "").sending(body))
        })
        .await;
        let error = error(&server).await;
        assert!(
            matches!(error, Error::TooLarge { what: "manifest", .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn the_limit_of_modules_can_be_set() {
    let server = registry(|_| None).await;
    let limits = SizeLimits {
        module: 3,
        ..SizeLimits::default()
    };
    let client = Client::new(ClientConfig {
        limits,
        ..config(&[&server.host])
    })
    .unwrap();
    let error = fetch(&client, &reference(&format!("{}/a:1", server.host)))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 3, .. }), "{error:?}");
}

#[tokio::test]
async fn a_registry_that_is_silent_or_stops_in_the_middle_is_too_slow() {
    let impatient = |host: &str, total: u64| {
        let timeouts = Timeouts {
            connect: Duration::from_secs(5),
            idle: Duration::from_millis(100),
            total: Duration::from_millis(total),
        };
        Client::new(ClientConfig {
            timeouts,
            ..config(&[host])
        })
        .unwrap()
    };
    for blob in [false, true] {
        for stuck in [false, true] {
            let server = registry(move |asked| {
                let body = if stuck {
                    Sent::Stuck(Bytes::from_static(b"{"))
                } else {
                    Sent::Nothing
                };
                (is_blob(asked) == blob).then(|| Answer::new(200, "").sending(body))
            })
            .await;
            let tagged = reference(&format!("{}/a:1", server.host));
            let error = fetch(&impatient(&server.host, 10_000), &tagged)
                .await
                .unwrap_err();
            assert!(matches!(error, Error::Slow { .. }), "{error:?}");
            assert!(error.to_string().contains("longer than 100ms"), "{error}");
            let error = fetch(&impatient(&server.host, 150), &tagged).await.unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("the whole transfer took longer than 150ms"),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_tag_that_moves_between_resolving_and_pulling_changes_nothing() {
    let times = Times::default();
    let (old, new) = (
        wasm_manifest(MODULE).to_string(),
        wasm_manifest(b"newer").to_string(),
    );
    let contents = Contents::default().blob(MODULE).blob(&b"newer"[..]);
    let server = serving(contents, move |asked| {
        let document = if times.first(1) { &old } else { &new };
        let answer = || Answer::new(200, document.clone()).with("content-type", OCI_MANIFEST);
        asked.path.ends_with("/manifests/1").then(answer)
    })
    .await;
    let tagged = reference(&format!("{}/a:1", server.host));
    let client = client(&[&server.host]);
    let resolved = client.resolve(&tagged, &Credentials::anonymous()).await.unwrap();
    let moved = client.resolve(&tagged, &Credentials::anonymous()).await.unwrap();
    assert_ne!(resolved.manifest_digest, moved.manifest_digest);
    assert_eq!(
        pull(&client, &tagged, &resolved, &Credentials::anonymous())
            .await
            .unwrap(),
        MODULE
    );
}

#[tokio::test]
async fn redirections_are_followed_but_not_for_ever_and_not_out_of_tls() {
    let server = registry(|asked| {
        let again = asked.path.contains("hop");
        (is_blob(asked) && !again)
            .then(|| Answer::new(302, "").with("location", format!("{}?hop", asked.path)))
    })
    .await;
    assert_eq!(fetched(&server).await.unwrap(), MODULE);

    let server =
        registry(|asked| is_blob(asked).then(|| Answer::new(302, "").with("location", "?again"))).await;
    let error = error(&server).await;
    assert!(matches!(error, Error::Redirect { .. }), "{error:?}");
    assert_eq!(server.count("/blobs/"), 6);

    let tls = Tls::new();
    let secure = Server::start_tls(tls.acceptor(), |_| {
        Answer::new(302, "").with("location", "http://127.0.0.1:1/v2/a/manifests/1")
    })
    .await;
    let authority = espejote_oci::Authority {
        host: Some(secure.host.clone()),
        pem: tls.authority.into(),
    };
    let client = Client::new(ClientConfig {
        authorities: vec![authority],
        ..config(&[])
    })
    .unwrap();
    let error = fetch(&client, &reference(&format!("{}/a:1", secure.host)))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("from HTTPS to http://127.0.0.1:1"),
        "{error}"
    );
}

#[tokio::test]
async fn no_error_holds_a_secret_that_the_server_repeats() {
    for status in [401, 403, 404, 418, 429, 500] {
        let times = Times::default();
        let server = registry(move |asked| {
            if times.first(1) {
                return Some(Answer::new(401, "").with("www-authenticate", r#"Basic realm="r""#));
            }
            let heard = asked.header("authorization").unwrap_or_default().to_owned();
            Some(Answer::new(
                status,
                format!("you sent {heard} which is hunter2-secret"),
            ))
        })
        .await;
        let credentials = Credentials::basic("robot", Secret::new("hunter2-secret"));
        let tagged = reference(&format!("{}/a:1", server.host));
        let error = fetch_as(&client(&[&server.host]), &tagged, &credentials)
            .await
            .unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("you sent Basic ***"), "{text}");
        assert!(!text.contains("hunter2") && !text.contains("cm9ib3Q6"), "{text}");
    }
}

#[tokio::test]
async fn what_a_server_says_that_a_redirection_led_to_is_not_told() {
    let inside = Server::start(|_| Answer::new(403, "the name of the house is hunter2")).await;
    let location = format!("http://{}/latest/meta-data", inside.host);
    let server = registry(move |asked| {
        is_blob(asked).then(|| Answer::new(307, "").with("location", location.clone()))
    })
    .await;
    let error = error(&server).await;
    assert_eq!(inside.count("/latest"), 1);
    let text = format!("{error} {error:?}");
    assert!(
        matches!(error, Error::Forbidden { .. }) && !text.contains("hunter2"),
        "{text}"
    );
}

#[tokio::test]
async fn a_signed_address_is_in_no_error() {
    let server = registry(|asked| {
        is_blob(asked)
            .then(|| Answer::new(307, "").with("location", "http://127.0.0.1:1/blob?signature=hunter2"))
    })
    .await;
    let error = error(&server).await;
    let text = format!("{error} {error:?}");
    assert!(
        matches!(error, Error::Unreachable { .. }) && !text.contains("hunter2"),
        "{text}"
    );
}

#[tokio::test]
async fn an_unknown_host_is_unreachable() {
    let error = fetch(&client(&[]), &reference("registry.invalid/a:1"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert!(
        error.to_string().contains("cannot reach registry.invalid"),
        "{error}"
    );
    assert!(!component("a").is_empty());
}
