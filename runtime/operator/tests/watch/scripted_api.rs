//! An API server of our own, as small as the tests need, that fails on demand.
//!
//! One kind of objects (ConfigMaps), discovery, tokens. It keeps a history of events, so watches resume as they do at
//! a real one; every fault that a test asks for is given to each request until it is taken back.

use std::{
    collections::{BTreeMap, HashMap},
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, StreamBody, combinators::BoxBody};
use hyper::body::{Frame, Incoming};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
};

type Body = BoxBody<Bytes, Infallible>;

/// What is answered instead of what was asked for.
#[derive(Clone)]
pub enum Fault {
    /// A `Status` with this code and message.
    Status(u16, &'static str),
    /// A plain text, as of a path that is not served.
    Plain(u16),
    /// A watch that ends at once.
    CloseAtOnce,
    /// No answer at all.
    Silence,
    /// A 404 about an object, by its plural and its name.
    Absent(&'static str, &'static str),
}

/// One request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: Method,
    pub path: String,
    pub query: HashMap<String, String>,
    pub token: String,
}

impl Seen {
    /// The namespace of the path, if it has one.
    fn namespace(&self) -> Option<&str> {
        self.path
            .split('/')
            .skip_while(|part| *part != "namespaces")
            .nth(1)
    }

    pub fn is_watch(&self) -> bool {
        self.query.contains_key("watch")
    }

    pub fn is_list(&self) -> bool {
        self.method == Method::GET && self.path.ends_with("/configmaps") && !self.is_watch()
    }
}

/// A line of a watch.
struct Line {
    namespace: String,
    text: String,
}

impl Line {
    fn is_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_none_or(|namespace| namespace == self.namespace)
    }
}

/// An open watch, on one namespace or on all.
struct Watcher {
    namespace: Option<String>,
    lines: mpsc::UnboundedSender<String>,
}

impl Watcher {
    fn sees(&self, line: &Line) -> bool {
        line.is_in(self.namespace.as_deref())
    }
}

pub struct State {
    /// The objects by namespace and name, as they are sent inside a watch.
    objects: BTreeMap<(String, String), String>,
    history: Vec<(u64, Line)>,
    version: u64,
    /// Watches from before this version are too old.
    pub compacted: u64,
    /// Whether "too old" comes as an event of a watch (as real servers do) or as the status of the answer.
    pub gone_as_event: bool,
    pub streams_lists: bool,
    /// Whether the end of a streamed list is said.
    pub bookmarks_end: bool,
    pub watch_fault: Option<Fault>,
    pub list_fault: Option<Fault>,
    pub token_fault: Option<Fault>,
    /// What is answered to requests about one object.
    pub single: &'static str,
    /// Given to GETs of one object instead.
    pub get_fault: Option<Fault>,
    /// So many connections are closed without taking a request.
    pub leaving: usize,
    /// Given to those whose token is not `token-<generation>-…`.
    pub generation: u64,
    pub account_uid: &'static str,
    pub knows_config_maps: bool,
    /// The open ones.
    watchers: Vec<Watcher>,
    pub seen: Vec<Seen>,
    tokens: u64,
    pub connections: usize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            history: Vec::new(),
            version: 10,
            compacted: 0,
            gone_as_event: true,
            streams_lists: true,
            bookmarks_end: true,
            watch_fault: None,
            list_fault: None,
            token_fault: None,
            single: "{}",
            get_fault: None,
            leaving: 0,
            generation: 1,
            account_uid: "account-1",
            knows_config_maps: true,
            watchers: Vec::new(),
            seen: Vec::new(),
            tokens: 0,
            connections: 0,
        }
    }
}

impl State {
    /// Creates or changes an object.
    pub fn put(&mut self, namespace: &str, name: &str, data: &str) {
        let key = (namespace.to_owned(), name.to_owned());
        let uid = format!("uid-{name}");
        self.put_object(key, &uid, data);
    }

    /// Puts another object of the same name in its place, without the deletion in between.
    pub fn put_object(&mut self, key: (String, String), uid: &str, data: &str) {
        self.version += 1;
        let object = serde_json::json!({
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {
                "name": key.1, "namespace": key.0, "uid": uid, "resourceVersion": self.version.to_string(),
                "labels": {"app": "x"}, "managedFields": [{"manager": "m", "fieldsV1": {"f:data": {}}}],
            },
            "data": {"key": data},
        });
        let kind = if self.objects.contains_key(&key) {
            "MODIFIED"
        } else {
            "ADDED"
        };
        let object = object.to_string();
        self.send(&key.0, format!("{{\"type\":\"{kind}\",\"object\":{object}}}"));
        self.objects.insert(key, object);
    }

    pub fn delete(&mut self, namespace: &str, name: &str) {
        let object = self
            .objects
            .remove(&(namespace.to_owned(), name.to_owned()))
            .unwrap();
        self.version += 1;
        self.send(namespace, format!("{{\"type\":\"DELETED\",\"object\":{object}}}"));
    }

    /// Sends a line to all open watches.
    pub fn event(&mut self, line: String) {
        self.watchers
            .retain(|watcher| watcher.lines.send(line.clone()).is_ok());
    }

    /// Sends a line to the open watches that see a namespace, and to those that come later.
    fn send(&mut self, namespace: &str, text: String) {
        let line = Line {
            namespace: namespace.to_owned(),
            text,
        };
        self.watchers
            .retain(|watcher| !watcher.sees(&line) || watcher.lines.send(line.text.clone()).is_ok());
        self.history.push((self.version, line));
    }

    /// Ends all open watches.
    pub fn close_watches(&mut self) {
        self.watchers.clear();
    }

    pub fn compact(&mut self) {
        self.compacted = self.version;
    }

    pub fn open_watches(&mut self) -> usize {
        self.watchers.retain(|watcher| !watcher.lines.is_closed());
        self.watchers.len()
    }

    fn answer(&mut self, seen: &Seen) -> Reply {
        if seen.path.starts_with("/apis") {
            return Reply::json(200, r#"{"kind":"APIGroupDiscoveryList","items":[]}"#.to_owned());
        }
        if seen.path == "/api" {
            return Reply::json(200, self.discovery());
        }
        if seen.path.ends_with("/token") {
            let fault = self.token_fault.as_ref().map(Fault::reply);
            return fault.unwrap_or_else(|| Reply::json(201, self.token()));
        }
        if seen.token != "operator" && !seen.token.starts_with(&format!("token-{}-", self.generation)) {
            return Reply::status(401, "Unauthorized");
        }
        if seen.is_watch() {
            self.watch(seen)
        } else {
            self.get(seen)
        }
    }

    fn discovery(&self) -> String {
        let kind = if self.knows_config_maps {
            "ConfigMap"
        } else {
            "Other"
        };
        let resource = serde_json::json!({
            "resource": "configmaps", "responseKind": {"kind": kind}, "scope": "Namespaced",
            "verbs": ["get", "list", "watch"],
        });
        let version = serde_json::json!({"version": "v1", "freshness": "Current", "resources": [resource]});
        let group = serde_json::json!({"metadata": {}, "versions": [version]});
        serde_json::json!({"kind": "APIGroupDiscoveryList", "items": [group]}).to_string()
    }

    fn token(&mut self) -> String {
        self.tokens += 1;
        let token = format!("token-{}-{}", self.generation, self.tokens);
        serde_json::json!({
            "kind": "TokenRequest", "metadata": {"uid": self.account_uid},
            "spec": {"expirationSeconds": 3600},
            "status": {"token": token, "expirationTimestamp": "2099-01-01T00:00:00Z"},
        })
        .to_string()
    }

    fn get(&mut self, seen: &Seen) -> Reply {
        if let Some(fault) = &self.list_fault {
            return fault.reply();
        }
        if let Some(fault) = self.get_fault.as_ref().filter(|_| seen.method == Method::GET) {
            return fault.reply();
        }
        if !seen.is_list() {
            return Reply::json(200, self.single.to_owned());
        }
        let limit = seen
            .query
            .get("limit")
            .map_or(usize::MAX, |limit| limit.parse().unwrap());
        let start: usize = seen
            .query
            .get("continue")
            .map_or(0, |start| start.parse().unwrap());
        // Items of built-in kinds do not say their type.
        let untyped = |object: &String| object.replacen(r#""kind":"ConfigMap","apiVersion":"v1","#, "", 1);
        let items: Vec<String> = self.selected(seen).skip(start).take(limit).map(untyped).collect();
        let more = if start + items.len() < self.selected(seen).count() {
            format!(",\"continue\":\"{}\"", start + items.len())
        } else {
            String::new()
        };
        let metadata = format!("{{\"resourceVersion\":\"{}\"{more}}}", self.version);
        let body = format!(
            "{{\"kind\":\"ConfigMapList\",\"metadata\":{metadata},\"items\":[{}]}}",
            items.join(",")
        );
        Reply::json(200, body)
    }

    fn watch(&mut self, seen: &Seen) -> Reply {
        if let Some(fault) = &self.watch_fault {
            return fault.reply();
        }
        let mut lines = Vec::new();
        if let Some(version) = seen.query.get("resourceVersion") {
            let version: u64 = version.parse().unwrap();
            if version < self.compacted {
                return self.gone();
            }
            let later = self
                .history
                .iter()
                .filter(|(at, line)| *at > version && line.is_in(seen.namespace()));
            lines.extend(later.map(|(_, line)| line.text.clone()));
        } else {
            if !self.streams_lists {
                return Reply::status(422, "sendInitialEvents is forbidden");
            }
            lines.extend(
                self.selected(seen)
                    .map(|object| format!("{{\"type\":\"ADDED\",\"object\":{object}}}")),
            );
            if self.bookmarks_end {
                lines.push(self.end_bookmark());
            }
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        for line in lines {
            sender.send(line).unwrap();
        }
        let namespace = seen.namespace().map(str::to_owned);
        self.watchers.push(Watcher {
            namespace,
            lines: sender,
        });
        Reply::Lines(receiver)
    }

    fn end_bookmark(&self) -> String {
        format!(
            r#"{{"type":"BOOKMARK","object":{{"kind":"ConfigMap","metadata":{{"resourceVersion":"{}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}}}}"#,
            self.version
        )
    }

    fn gone(&self) -> Reply {
        if !self.gone_as_event {
            return Reply::status(410, "too old resource version");
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        sender
            .send(r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#.to_owned())
            .unwrap();
        Reply::Lines(receiver)
    }

    fn selected<'a>(&'a self, seen: &'a Seen) -> impl Iterator<Item = &'a String> {
        let namespace = seen.namespace();
        let matches = move |(key, _): &(&(String, String), &String)| namespace.is_none_or(|n| key.0 == n);
        self.objects.iter().filter(matches).map(|(_, object)| object)
    }
}

impl Fault {
    fn reply(&self) -> Reply {
        match self {
            Self::Status(code, message) => Reply::status(*code, message),
            Self::Plain(code) => Reply::Whole(*code, "404 page not found\n".to_owned()),
            Self::CloseAtOnce => Reply::Lines(mpsc::unbounded_channel().1),
            Self::Silence => Reply::Never,
            Self::Absent(plural, name) => Reply::json(
                404,
                serde_json::json!({
                    "kind": "Status", "code": 404, "reason": "NotFound", "message": "not found",
                    "details": {"kind": plural, "name": name},
                })
                .to_string(),
            ),
        }
    }
}

enum Reply {
    Whole(u16, String),
    Lines(mpsc::UnboundedReceiver<String>),
    Never,
}

impl Reply {
    fn json(code: u16, body: String) -> Self {
        Self::Whole(code, body)
    }

    fn status(code: u16, message: &str) -> Self {
        let status = serde_json::json!({"kind": "Status", "code": code, "message": message});
        Self::Whole(code, status.to_string())
    }

    async fn into_http(self) -> Response<Body> {
        let (code, body) = match self {
            Self::Never => std::future::pending().await,
            Self::Whole(code, body) => (code, http_body_util::Full::from(body).boxed()),
            Self::Lines(lines) => (200, line_body(lines)),
        };
        Response::builder()
            .status(StatusCode::from_u16(code).unwrap())
            .body(body)
            .unwrap()
    }
}

fn line_body(lines: mpsc::UnboundedReceiver<String>) -> Body {
    let stream = futures_util::stream::unfold(lines, |mut lines| async {
        let line = lines.recv().await?;
        Some((Ok(Frame::data(Bytes::from(line + "\n"))), lines))
    });
    BodyExt::boxed(StreamBody::new(stream))
}

/// A running server. Ends when dropped.
pub struct ScriptedApi {
    pub state: Arc<Mutex<State>>,
    pub config: kube::Config,
    _tasks: JoinSet<()>,
}

impl ScriptedApi {
    /// Serves HTTP/1.1 without TLS.
    pub async fn start() -> Self {
        Self::serve(None).await
    }

    /// Serves HTTP/2 over TLS with the given number of streams on each connection.
    pub async fn start_h2(streams: u32) -> Self {
        Self::serve(Some(streams)).await
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn requests(&self, wanted: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        self.state()
            .seen
            .iter()
            .filter(|seen| wanted(seen))
            .cloned()
            .collect()
    }

    async fn serve(h2_streams: Option<u32>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let tls = h2_streams.map(|_| Tls::new());
        let config = config(address, tls.as_ref());
        let mut tasks = JoinSet::new();
        let served = state.clone();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (tcp, _) = listener.accept().await.unwrap();
                served.lock().unwrap().connections += 1;
                connections.spawn(connection(
                    tcp,
                    tls.clone(),
                    h2_streams.unwrap_or(100),
                    served.clone(),
                ));
            }
        });
        Self {
            state,
            config,
            _tasks: tasks,
        }
    }
}

async fn connection(tcp: TcpStream, tls: Option<Tls>, streams: u32, state: Arc<Mutex<State>>) {
    let leaves = {
        let mut state = state.lock().unwrap();
        let leaves = state.leaving > 0;
        state.leaving = state.leaving.saturating_sub(1);
        leaves
    };
    let service = TowerToHyperService::new(tower::service_fn(move |request| handle(request, state.clone())));
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http2().max_concurrent_streams(streams);
    let served = match tls {
        None => builder.serve_connection(TokioIo::new(tcp), service).await,
        Some(tls) => {
            let Ok(stream) = tls.acceptor.accept(tcp).await else {
                return;
            };
            if leaves {
                return leave(stream).await;
            }
            builder.serve_connection(TokioIo::new(stream), service).await
        }
    };
    drop(served);
}

/// Reads up to the head of a request, and says that none was looked at: HTTP/2 as bytes.
async fn leave(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    const PREFACE: usize = 24;
    const HEADERS: u8 = 1;
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const GO_AWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    stream.write_all(&SETTINGS).await.unwrap();
    stream.read_exact(&mut [0; PREFACE]).await.unwrap();
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        stream.read_exact(&mut vec![0; length]).await.unwrap();
        if head[3] == HEADERS {
            break;
        }
    }
    stream.write_all(&GO_AWAY).await.unwrap();
    stream.flush().await.unwrap();
    let mut rest = Vec::new();
    // Until the client has closed it.
    let _ = stream.read_to_end(&mut rest).await;
}

async fn handle(request: Request<Incoming>, state: Arc<Mutex<State>>) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    drop(body.collect().await);
    let authorization = head
        .headers
        .get("authorization")
        .map(|value| value.to_str().unwrap().to_owned());
    let pairs = head
        .uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    let seen = Seen {
        method: head.method,
        path: head.uri.path().to_owned(),
        query: pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        token: authorization
            .unwrap_or_default()
            .trim_start_matches("Bearer ")
            .to_owned(),
    };
    let reply = {
        let mut state = state.lock().unwrap();
        state.seen.push(seen.clone());
        state.answer(&seen)
    };
    Ok(reply.into_http().await)
}

#[derive(Clone)]
struct Tls {
    acceptor: tokio_rustls::TlsAcceptor,
    certificate: Vec<u8>,
}

impl Tls {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = made.cert.der().clone();
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key.into())
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self {
            acceptor: Arc::new(config).into(),
            certificate: certificate.to_vec(),
        }
    }
}

fn config(address: SocketAddr, tls: Option<&Tls>) -> kube::Config {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let mut config = kube::Config::new(format!("{scheme}://{address}").parse().unwrap());
    config.root_cert = tls.map(|tls| vec![tls.certificate.clone()]);
    config.auth_info.token = Some("operator".to_owned().into());
    config
}
