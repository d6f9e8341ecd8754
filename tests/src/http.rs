//! HTTP to ports of this machine: for metrics, probes and webhooks.

use std::net::TcpListener;

use crate::connection::{Connection, Request, trusting_pem};

/// Status and body of a GET.
pub fn get(port: u16, path: &str) -> Result<(u16, String), String> {
    plain(port, "GET", path, "text/plain", &[])
}

/// Status and body of a PUT.
pub fn put(port: u16, path: &str, content: &str, body: &[u8]) -> Result<(u16, String), String> {
    plain(port, "PUT", path, content, body)
}

fn plain(port: u16, method: &str, path: &str, content: &str, body: &[u8]) -> Result<(u16, String), String> {
    let request = Request {
        method,
        path,
        content,
        token: None,
        body,
    };
    let answer = Connection::plain(port).and_then(|mut connection| connection.exchange(&request));
    let answer = answer.map_err(|error| format!("{method} {path} at port {port}: {error}"))?;
    Ok((answer.code, answer.body))
}

/// Status and body of a POST with TLS, by a client that trusts an authority, in PEM.
pub fn post_tls(port: u16, path: &str, body: &[u8], authority: &str) -> Result<(u16, String), String> {
    let request = Request {
        method: "POST",
        path,
        content: "application/json",
        token: None,
        body,
    };
    let answer = Connection::tls(&format!("127.0.0.1:{port}"), &trusting_pem(authority))
        .and_then(|mut connection| connection.exchange(&request));
    let answer = answer.map_err(|error| format!("POST {path} at port {port}: {error}"))?;
    Ok((answer.code, answer.body))
}

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("bind a port");
    listener.local_addr().expect("its address").port()
}
