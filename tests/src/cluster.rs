//! A client of the API server that blocks and speaks JSON: what a test wants to say, and nothing else.
//!
//! Owns the path of each kind. An object's namespace decides whether the path has one.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use rustls::ClientConfig;
use serde_json::Value;

use crate::{
    Refusal,
    connection::{Answer, Connection, Request, trusting},
    control_plane::Endpoints,
};

/// Who writes on behalf of a test.
pub const TESTER: &str = "tester";

/// A cluster, seen by one of its users.
pub struct Cluster {
    address: String,
    tls: Arc<ClientConfig>,
    token: String,
    kubeconfig: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Cluster {
    /// The control plane, seen by its administrator.
    pub fn of(endpoints: &Endpoints) -> Self {
        let address = endpoints.api_server.trim_start_matches("https://").to_owned();
        Self {
            address,
            tls: trusting(&endpoints.ca_file),
            token: endpoints.admin_token.clone(),
            kubeconfig: PathBuf::from(&endpoints.kubeconfig),
            idle: Mutex::default(),
        }
    }

    /// The file of the user and cluster.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// One request; the answer's text.
    pub fn send(&self, method: &str, path: &str, content: &str, body: &[u8]) -> Result<String, Refusal> {
        let request = Request {
            method,
            path,
            content,
            token: Some(&self.token),
            body,
        };
        let answer = self
            .exchange(&request)
            .map_err(|error| Refusal::unreachable(&error))?;
        if answer.code < 300 {
            Ok(answer.body)
        } else {
            Err(Refusal::of(&answer))
        }
    }

    /// Over a connection that was used before, or a new one. One that the server has closed meanwhile is replaced.
    fn exchange(&self, request: &Request<'_>) -> io::Result<Answer> {
        let used = self.idle.lock().expect("no panic while locked").pop();
        if let Some(mut connection) = used
            && let Ok(answer) = connection.exchange(request)
        {
            self.keep(connection, &answer);
            return Ok(answer);
        }
        let mut connection = Connection::tls(&self.address, &self.tls)?;
        let answer = connection.exchange(request)?;
        self.keep(connection, &answer);
        Ok(answer)
    }

    /// A connection of its own on which a watch is open.
    pub fn watch(&self, path: &str) -> io::Result<Connection> {
        let mut connection = Connection::tls(&self.address, &self.tls)?;
        let token = Some(self.token.as_str());
        connection.open_watch(&Request {
            method: "GET",
            path,
            content: "application/json",
            token,
            body: &[],
        })?;
        Ok(connection)
    }

    fn keep(&self, connection: Connection, answer: &Answer) {
        if answer.reusable {
            self.idle.lock().expect("no panic while locked").push(connection);
        }
    }

    /// The text at a path.
    pub fn read(&self, path: &str) -> Result<String, Refusal> {
        self.send("GET", path, "application/json", &[])
    }

    /// The object of this key, if it is there.
    pub fn get(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        let found = self.read(&object_path(api_version, kind, namespace, name));
        match found {
            Ok(text) => Some(serde_json::from_str(&text).expect("an object")),
            Err(refusal) if refusal.code == 404 => None,
            Err(refusal) => panic!("get {kind} {namespace}/{name}: {refusal}"),
        }
    }

    /// All objects of a kind in a namespace, or in all if that is empty.
    pub fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Vec<Value> {
        let text = self.read(&kind_path(api_version, kind, namespace));
        let text = text.unwrap_or_else(|refusal| panic!("list {kind} of {namespace:?}: {refusal}"));
        let mut list: Value = serde_json::from_str(&text).expect("a list");
        serde_json::from_value(list["items"].take()).expect("items")
    }

    /// Creates an object.
    pub fn create(&self, object: &Value) -> Result<Value, Refusal> {
        let (api_version, kind, namespace, _) = key(object);
        let path = format!(
            "{}?fieldManager={TESTER}",
            kind_path(api_version, kind, namespace)
        );
        self.write("POST", &path, "application/json", object)
    }

    /// Makes sure that an object is there, and is as it was told to be before.
    pub fn ensure(&self, object: &Value) {
        match self.create(object) {
            Ok(_) => {}
            Err(refusal) if refusal.code == 409 => {}
            Err(refusal) => panic!("create {object}: {refusal}"),
        }
    }

    /// Server-side apply as the tester, who takes what others own.
    pub fn apply(&self, object: &Value) -> Result<Value, Refusal> {
        self.apply_as(TESTER, object)
    }

    /// Server-side apply as somebody.
    pub fn apply_as(&self, manager: &str, object: &Value) -> Result<Value, Refusal> {
        let (api_version, kind, namespace, name) = key(object);
        let path = object_path(api_version, kind, namespace, name);
        let path = format!("{path}?force=true&fieldManager={}", manager.replace(':', "%3A"));
        self.write("PATCH", &path, "application/apply-patch+yaml", object)
    }

    /// A merge patch as the tester.
    pub fn merge(&self, api_version: &str, kind: &str, namespace: &str, name: &str, patch: &Value) -> Value {
        let path = object_path(api_version, kind, namespace, name);
        let path = format!("{path}?fieldManager={TESTER}");
        self.write("PATCH", &path, "application/merge-patch+json", patch)
            .unwrap_or_else(|refusal| panic!("patch {kind} {namespace}/{name}: {refusal}"))
    }

    /// Deletes an object; that it is not there is no error.
    pub fn delete(&self, api_version: &str, kind: &str, namespace: &str, name: &str) {
        self.delete_path(&object_path(api_version, kind, namespace, name));
    }

    /// Deletes all objects of a kind in a namespace.
    pub fn delete_all(&self, api_version: &str, kind: &str, namespace: &str) {
        self.delete_path(&kind_path(api_version, kind, namespace));
    }

    fn delete_path(&self, path: &str) {
        match self.send("DELETE", path, "application/json", &[]) {
            Ok(_) => {}
            Err(refusal) if refusal.code == 404 => {}
            Err(refusal) => panic!("delete {path}: {refusal}"),
        }
    }

    fn write(&self, method: &str, path: &str, content: &str, body: &Value) -> Result<Value, Refusal> {
        let text = self.send(method, path, content, body.to_string().as_bytes())?;
        Ok(serde_json::from_str(&text).expect("an object"))
    }
}

/// API version, kind, namespace and name; what is not there is empty.
pub fn key(object: &Value) -> (&str, &str, &str, &str) {
    let text = |pointer: &str| {
        object
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    (
        text("/apiVersion"),
        text("/kind"),
        text("/metadata/namespace"),
        text("/metadata/name"),
    )
}

/// The path of one object.
pub fn object_path(api_version: &str, kind: &str, namespace: &str, name: &str) -> String {
    format!("{}/{name}", kind_path(api_version, kind, namespace))
}

/// The path of a kind, in a namespace if one is given.
pub fn kind_path(api_version: &str, kind: &str, namespace: &str) -> String {
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let plural = plural(kind);
    if namespace.is_empty() {
        format!("/{root}/{api_version}/{plural}")
    } else {
        format!("/{root}/{api_version}/namespaces/{namespace}/{plural}")
    }
}

fn plural(kind: &str) -> String {
    let lower = kind.to_lowercase();
    if let Some(stem) = lower.strip_suffix('y') {
        format!("{stem}ies")
    } else if lower.ends_with('s') {
        format!("{lower}es")
    } else {
        format!("{lower}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_become_the_paths_of_the_api_server() {
        assert_eq!(
            kind_path("v1", "ConfigMap", "a"),
            "/api/v1/namespaces/a/configmaps"
        );
        assert_eq!(
            kind_path("networking.k8s.io/v1", "NetworkPolicy", ""),
            "/apis/networking.k8s.io/v1/networkpolicies"
        );
        assert_eq!(plural("IngressClass"), "ingressclasses");
    }
}
