use std::path::Path;

use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

use super::*;
use crate::metrics::Metrics;

/// A server on a free port, as a task.
struct Running {
    address: SocketAddr,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
}

async fn start<S: Site>(site: S, limits: Limits, certificates: Option<&Certificates>) -> Running {
    let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut server = HttpServer::bind(&[anywhere], site, limits).await.unwrap();
    if let Some(certificates) = certificates {
        server = server.with_tls(certificates);
    }
    let (address, cancel) = (server.address().unwrap(), CancellationToken::new());
    let mut tasks = JoinSet::new();
    tasks.spawn(server.serve(cancel.clone()));
    Running {
        address,
        cancel,
        tasks,
    }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn get(&self, path: &str, token: Option<&str>) -> (StatusCode, String) {
        ask(self.connect().await, "GET", path, token).await
    }

    async fn get_by_tls(
        &self,
        trusted: &Certificates,
        path: &str,
        token: Option<&str>,
    ) -> (StatusCode, String) {
        let stream = handshake(self.connect().await, trusted).await.unwrap();
        ask(stream, "GET", path, token).await
    }

    async fn ended(mut self) {
        let ended = timeout(Duration::from_secs(20), self.tasks.join_next()).await;
        ended.expect("the server ends in time").unwrap().unwrap();
    }
}

async fn ask(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    method: &str,
    path: &str,
    token: Option<&str>,
) -> (StatusCode, String) {
    let (mut client, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let mut request = Request::builder().method(method).uri(path).header("host", "x");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let answer = client
        .send_request(request.body(Empty::<Bytes>::new()).unwrap())
        .await
        .unwrap();
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.into()).unwrap())
}

async fn handshake(
    stream: TcpStream,
    trusted: &Certificates,
) -> io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.chain().remove(0)).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

fn self_signed() -> Certificates {
    Certificates::self_signed(vec!["localhost".into()]).unwrap()
}

/// `friend` is somebody who may, `stranger` somebody who may not, `broken` cannot be judged; others are nobody's.
struct Scripted;

impl Authorizer for Scripted {
    async fn authenticate(&self, token: &str) -> Result<Option<User>, AuthorizerError> {
        match token {
            "broken" => Err(AuthorizerError("no answer".into())),
            "friend" | "stranger" => Ok(Some(User {
                username: token.into(),
                ..User::default()
            })),
            _ => Ok(None),
        }
    }

    async fn may_get(&self, user: &User, path: &str) -> Result<bool, AuthorizerError> {
        Ok(user.username == "friend" && path == "/metrics")
    }
}

/// Answers when it is told to.
struct Slow(CancellationToken);

impl Site for Slow {
    async fn answer(&self, _request: Request<Incoming>) -> Answer {
        self.0.cancelled().await;
        text(StatusCode::OK, "at last")
    }
}

#[tokio::test]
async fn e3_health_is_served_and_readiness_follows_its_checks() {
    let readiness = Readiness::default();
    readiness.unready("caches", "ns/mr has not synced");
    readiness.ready("webhook");
    let server = start(Probes::new(readiness.clone()), Limits::default(), None).await;
    assert_eq!(server.get("/healthz", None).await, (StatusCode::OK, "ok".into()));
    let failing = "[-]caches failed: ns/mr has not synced\nreadyz check failed\n";
    assert_eq!(
        server.get("/readyz", None).await,
        (StatusCode::SERVICE_UNAVAILABLE, failing.into())
    );
    let (_, verbose) = server.get("/readyz?verbose", None).await;
    assert!(verbose.contains("[+]webhook ok"), "{verbose}");
    readiness.ready("caches");
    assert_eq!(server.get("/readyz", None).await, (StatusCode::OK, "ok".into()));
    let (status, verbose) = server.get("/readyz?verbose=1", None).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(verbose, "[+]caches ok\n[+]webhook ok\nreadyz check passed\n");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_refused() {
    let server = start(Probes::new(Readiness::default()), Limits::default(), None).await;
    assert_eq!(server.get("/", None).await.0, StatusCode::NOT_FOUND);
    let posted = ask(server.connect().await, "POST", "/healthz", None).await;
    assert_eq!(posted.0, StatusCode::METHOD_NOT_ALLOWED);
    let server = start(MetricsSite::open(Metrics::new()), Limits::default(), None).await;
    assert_eq!(server.get("/healthz", None).await.0, StatusCode::NOT_FOUND);
    let posted = ask(server.connect().await, "POST", "/metrics", None).await;
    assert_eq!(posted.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn m8_open_metrics_are_served_to_everybody() {
    let server = start(MetricsSite::open(Metrics::new()), Limits::default(), None).await;
    let (status, body) = server.get("/metrics", None).await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("espejote_build_info"), "{body}");
}

#[tokio::test]
async fn e3_guarded_metrics_ask_for_a_token_and_a_right() {
    let certificates = self_signed();
    let site = MetricsSite::guarded(Metrics::new(), Scripted);
    let server = start(site, Limits::default(), Some(&certificates)).await;
    for (token, status) in [
        (None, StatusCode::UNAUTHORIZED),
        (Some("forged"), StatusCode::UNAUTHORIZED),
        (Some("stranger"), StatusCode::FORBIDDEN),
        (Some("broken"), StatusCode::INTERNAL_SERVER_ERROR),
        (Some("friend"), StatusCode::OK),
    ] {
        let (found, body) = server.get_by_tls(&certificates, "/metrics", token).await;
        assert_eq!(found, status, "{token:?}");
        assert_eq!(body.contains("espejote_"), status == StatusCode::OK);
    }
}

#[tokio::test]
async fn a_guarded_server_does_not_speak_plain_http() {
    let site = MetricsSite::guarded(Metrics::new(), Scripted);
    let server = start(site, Limits::default(), Some(&self_signed())).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"));
}

fn write_pair(folder: &Path) -> Certificates {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let chain = vec![made.cert.der().clone()];
    let provider = ring::default_provider();
    Certificates::new_for_test(rustls::sign::CertifiedKey::from_der(chain, key, &provider).unwrap())
}

async fn eventually_trusts(server: &Running, certificates: &Certificates) -> bool {
    for _ in 0..200 {
        if handshake(server.connect().await, certificates).await.is_ok() {
            return true;
        }
        sleep(Duration::from_millis(20)).await;
    }
    false
}

async fn stays_trusted(server: &Running, certificates: &Certificates) -> bool {
    for _ in 0..10 {
        sleep(Duration::from_millis(20)).await;
        if handshake(server.connect().await, certificates).await.is_err() {
            return false;
        }
    }
    true
}

#[tokio::test]
async fn certificates_are_read_anew_and_a_half_replaced_pair_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let first = write_pair(folder.path());
    let certificates = Arc::new(Certificates::from_files(file.clone(), key).await.unwrap());
    let site = Probes::new(Readiness::default());
    let mut server = start(site, Limits::default(), Some(&certificates)).await;
    let (watched, cancel) = (Arc::clone(&certificates), server.cancel.clone());
    server
        .tasks
        .spawn(async move { watched.keep_fresh(Duration::from_millis(10), cancel).await });
    assert!(eventually_trusts(&server, &first).await);

    let other = tempfile::tempdir().unwrap();
    let second = write_pair(other.path());
    std::fs::copy(other.path().join("tls.crt"), &file).unwrap();
    assert!(stays_trusted(&server, &first).await, "the old pair stays");
    std::fs::copy(other.path().join("tls.key"), folder.path().join("tls.key")).unwrap();
    assert!(eventually_trusts(&server, &second).await);
}

#[tokio::test]
async fn files_that_cannot_be_used_say_which_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let (file, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let error = Certificates::from_files(file.clone(), key.clone())
        .await
        .unwrap_err();
    assert!(matches!(&error, CertificateError::Read { path, .. } if *path == file));
    write_pair(folder.path());
    std::fs::write(&key, "no key").unwrap();
    let error = Certificates::from_files(file, key.clone()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{} holds no private key in PEM", key.display())
    );
}

#[tokio::test]
async fn a_client_that_sends_no_head_is_dropped() {
    let limits = Limits {
        head: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = start(Probes::new(Readiness::default()), limits, None).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /healthz HT").await.unwrap();
    let mut answer = Vec::new();
    let read = timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
    assert!(read.is_ok(), "the connection is closed");
}

#[tokio::test]
async fn a_client_that_makes_no_handshake_is_dropped() {
    let limits = Limits {
        handshake: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = start(Probes::new(Readiness::default()), limits, Some(&self_signed())).await;
    let mut answer = Vec::new();
    let mut stream = server.connect().await;
    let read = timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
    assert!(read.is_ok(), "the connection is closed");
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up() {
    let limits = Limits {
        answer: Duration::from_millis(50),
        ..Limits::default()
    };
    let server = start(Slow(CancellationToken::new()), limits, None).await;
    assert_eq!(server.get("/", None).await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn connections_over_the_limit_wait_until_one_ends() {
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let server = start(Probes::new(Readiness::default()), limits, None).await;
    let idle = server.connect().await;
    let waiting = server.get("/healthz", None);
    tokio::pin!(waiting);
    assert!(timeout(Duration::from_millis(200), &mut waiting).await.is_err());
    drop(idle);
    assert_eq!(waiting.await.0, StatusCode::OK);
}

#[tokio::test]
async fn what_runs_may_end_when_the_server_is_told_to_stop() {
    let go = CancellationToken::new();
    let server = start(Slow(go.clone()), Limits::default(), None).await;
    let (answer, ()) = tokio::join!(server.get("/", None), async {
        sleep(Duration::from_millis(100)).await;
        server.cancel.cancel();
        sleep(Duration::from_millis(50)).await;
        let late = TcpStream::connect(server.address).await;
        assert!(late.is_err(), "nobody listens any more");
        go.cancel();
    });
    assert_eq!(answer, (StatusCode::OK, "at last".into()));
    server.ended().await;
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_end() {
    let limits = Limits {
        drain: Duration::from_secs(60),
        ..Limits::default()
    };
    let server = start(Probes::new(Readiness::default()), limits, None).await;
    let _silent = server.connect().await;
    let mut idle = server.connect().await;
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    idle.write_all(request).await.unwrap();
    idle.read_u8().await.unwrap();
    server.cancel.cancel();
    server.ended().await;
}

#[tokio::test]
async fn what_does_not_end_is_cut_off() {
    let limits = Limits {
        drain: Duration::from_millis(100),
        ..Limits::default()
    };
    let server = start(Slow(CancellationToken::new()), limits, None).await;
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    sleep(Duration::from_millis(50)).await;
    server.cancel.cancel();
    server.ended().await;
}

#[tokio::test]
async fn of_several_addresses_the_first_that_works_is_taken() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let addresses = [taken.local_addr().unwrap(), SocketAddr::from(([127, 0, 0, 1], 0))];
    let site = || Probes::new(Readiness::default());
    let server = HttpServer::bind(&addresses, site(), Limits::default())
        .await
        .unwrap();
    assert_ne!(server.address().unwrap(), addresses[0]);
    let failed = HttpServer::bind(&addresses[..1], site(), Limits::default()).await;
    assert!(matches!(failed, Err(HttpServerError::Bind { .. })));
}
