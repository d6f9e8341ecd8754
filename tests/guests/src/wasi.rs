//! Modes that use what languages' runtimes bring along: clocks, randomness, files, environment, output.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use crate::{
    Outcome,
    bindings::wasi::{
        http::{outgoing_handler, types},
        io::streams::StreamError,
        sockets::{instance_network, ip_name_lookup, network::IpAddressFamily, tcp_create_socket},
    },
    polite::emit,
};

pub fn run(mode: &str, config: &Value) -> Option<Outcome> {
    match mode {
        "chance" => chance(),
        "short-nap" => short_nap(),
        "denied" => denied(),
        "network" => network(),
        "print" => print(),
        "file" => file(config["path"].as_str().unwrap()),
        "files" => files(config),
        "open" => open_for_ever(config["path"].as_str().unwrap()),
        "fetch" => fetch(config),
        "fetch-at-once" => fetch_at_once(config),
        _ => return None,
    }
    Some(Ok(()))
}

/// Must be the same for the same invocation.
fn chance() {
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_nanos()
            .to_string()
    };
    let start = Instant::now();
    let (first, second) = (now(), now());
    emit(
        "chance",
        &json!({
            "clock": [first, second],
            "elapsed": start.elapsed().as_nanos().to_string(),
            "random": [RandomState::new().hash_one(1).to_string(), RandomState::new().hash_one(1).to_string()],
        }),
    );
}

fn short_nap() {
    let start = Instant::now();
    std::thread::sleep(std::time::Duration::from_millis(20));
    emit("nap", &json!(start.elapsed().as_millis() as u64));
}

fn denied() {
    let file = std::fs::read("/etc/passwd").map(|_| ()).unwrap_err().to_string();
    let create = std::fs::write("/tmp/x", "x").unwrap_err().to_string();
    let list = std::fs::read_dir("/").map(|_| ()).unwrap_err().to_string();
    emit(
        "denied",
        &json!({
            "files": [file, create, list],
            "environment": std::env::vars().count(),
            "arguments": std::env::args().count(),
        }),
    );
}

fn print() {
    println!("to\nstdout");
    eprint!("to stderr\x07, no newline");
}

fn network() {
    let lookup = ip_name_lookup::resolve_addresses(&instance_network::instance_network(), "localhost");
    let socket = tcp_create_socket::create_tcp_socket(IpAddressFamily::Ipv4);
    emit(
        "network",
        &json!({
            "lookup": lookup.map_or_else(|code| format!("{code:?}"), |_| "done".to_owned()),
            "socket": socket.map_or_else(|code| format!("{code:?}"), |_| "done".to_owned()),
            "request": request(),
        }),
    );
}

fn request() -> String {
    match send("https://kubernetes.default.svc/", None).and_then(wait) {
        Ok(response) => response.status().to_string(),
        Err(code) => format!("{code:?}"),
    }
}

type Sent<T> = Result<T, types::ErrorCode>;

/// Starts one request; `milliseconds` between the bytes of the answer.
fn send(url: &str, milliseconds: Option<u64>) -> Sent<types::FutureIncomingResponse> {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (authority, path) = rest.split_once('/').unwrap();
    let scheme = match scheme {
        "http" => types::Scheme::Http,
        "https" => types::Scheme::Https,
        other => types::Scheme::Other(other.to_owned()),
    };
    let request = types::OutgoingRequest::new(types::Fields::new());
    request.set_scheme(Some(&scheme)).unwrap();
    request.set_authority(Some(authority)).unwrap();
    request.set_path_with_query(Some(&format!("/{path}"))).unwrap();
    let options = types::RequestOptions::new();
    let timeout = milliseconds.map(|milliseconds| milliseconds * 1_000_000);
    options.set_first_byte_timeout(timeout).unwrap();
    options.set_between_bytes_timeout(timeout).unwrap();
    outgoing_handler::handle(request, Some(options))
}

fn wait(answer: types::FutureIncomingResponse) -> Sent<types::IncomingResponse> {
    answer.subscribe().block();
    answer.get().unwrap().unwrap()
}

/// The whole body, or the words of what went wrong.
fn read(response: &types::IncomingResponse) -> Result<Vec<u8>, String> {
    let body = response.consume().unwrap();
    let stream = body.stream().unwrap();
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(1 << 20) {
            Ok(more) => bytes.extend(more),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(StreamError::LastOperationFailed(error)) => return Err(error.to_debug_string()),
        }
    }
}

/// Asks for each of `urls`, one after the other.
fn fetch(config: &Value) {
    let timeout = config["timeout"].as_u64();
    let get = |url: &Value| -> Result<Value, String> {
        let sent = send(url.as_str().unwrap(), timeout).and_then(wait);
        let response = sent.map_err(|code| format!("{code:?}"))?;
        let body = read(&response)?;
        let text: String = String::from_utf8_lossy(&body).chars().take(100).collect();
        Ok(json!([response.status(), body.len(), text]))
    };
    let urls = config["urls"].as_array().unwrap().iter();
    let answers = urls.map(|url| get(url).unwrap_or_else(|words| json!(words)));
    emit("fetch", &answers.collect());
}

/// Asks for each of `urls` and reads no answer before all are there.
fn fetch_at_once(config: &Value) {
    let urls = config["urls"].as_array().unwrap().iter();
    let sent: Vec<_> = urls.map(|url| send(url.as_str().unwrap(), None)).collect();
    let answers: Vec<_> = sent.into_iter().map(|sent| sent.and_then(wait)).collect();
    let told = answers.iter().map(|answer| match answer {
        Ok(response) => json!(response.status()),
        Err(code) => json!(format!("{code:?}")),
    });
    emit("fetch-at-once", &told.collect());
}

/// Emits a ConfigMap with what a file holds.
fn file(path: &str) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| error.to_string());
    emit("file", &json!({ "text": text }));
}

/// Tries to read, list, write and remove; all paths are given.
fn files(config: &Value) {
    let each = |key: &str, act: fn(&str) -> std::io::Result<String>| {
        let paths = config[key].as_array().unwrap().iter();
        let results = paths.map(|path| match act(path.as_str().unwrap()) {
            Ok(text) => json!({ "ok": text }),
            Err(error) => json!({ "error": error.to_string() }),
        });
        results.collect::<Value>()
    };
    emit(
        "files",
        &json!({
            "read": each("read", |path| std::fs::read_to_string(path)),
            "list": each("list", |path| {
                let names = std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().into_string().unwrap()));
                let mut names = names.collect::<std::io::Result<Vec<String>>>()?;
                names.sort();
                Ok(names.join(" "))
            }),
            "write": each("write", |path| std::fs::write(path, "x").map(|()| String::new())),
            "append": each("append", |path| {
                std::fs::OpenOptions::new().append(true).open(path).map(|_| String::new())
            }),
            "remove": each("remove", |path| std::fs::remove_file(path).map(|()| String::new())),
            "make": each("make", |path| std::fs::create_dir(path).map(|()| String::new())),
        }),
    );
}

/// Opens a file again and again and closes none.
fn open_for_ever(path: &str) {
    let mut kept = Vec::new();
    loop {
        kept.push(std::fs::File::open(path).unwrap());
    }
}
