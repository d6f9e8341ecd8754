//! Modes that use what languages' runtimes bring along: clocks, randomness, files, environment, output.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::json;

use crate::{
    Outcome,
    bindings::wasi::{
        http::{outgoing_handler, types},
        sockets::{instance_network, ip_name_lookup, network::IpAddressFamily, tcp_create_socket},
    },
    polite::emit,
};

pub fn run(mode: &str) -> Option<Outcome> {
    match mode {
        "chance" => chance(),
        "short-nap" => short_nap(),
        "denied" => denied(),
        "network" => network(),
        "print" => print(),
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
    let request = types::OutgoingRequest::new(types::Fields::new());
    request.set_authority(Some("kubernetes.default.svc")).unwrap();
    request.set_path_with_query(Some("/")).unwrap();
    let answer = match outgoing_handler::handle(request, None) {
        Err(code) => return format!("{code:?}"),
        Ok(answer) => answer,
    };
    answer.subscribe().block();
    match answer.get().unwrap().unwrap() {
        Ok(response) => response.status().to_string(),
        Err(code) => format!("{code:?}"),
    }
}
