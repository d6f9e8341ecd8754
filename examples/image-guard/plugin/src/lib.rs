//! Decides which images Pods may run.
//!
//! As the logic of an Admission it refuses Pods with images from elsewhere than the config allows, and warns of tags that move. With
//! `mirrors`, and `mutating: true`, it first puts mirrors in place of the registries that have one. It gives the whole Pod as it
//! should be; the operator works out the patch.
//!
//! Start reading in `decide`. `images.rs` knows references and Pods.

mod images;

use std::collections::BTreeMap;

use espejote_sdk::admission::{self, Decision};
use espejote_sdk::{Admitter, Configurable, Failure, export, invocation};
use serde::Deserialize;
use serde_json::Value;

/// What a manifest gives this plugin. The schema has been checked by then.
#[derive(Debug, Deserialize)]
struct Config {
    /// What an image has to begin with.
    allowed: Vec<String>,
    /// Registry to the one that takes its place.
    #[serde(default)]
    mirrors: BTreeMap<String, String>,
}

/// As much of an AdmissionRequest as is looked at.
#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    object: Value,
}

/// The plugin.
pub struct ImageGuard;

impl Admitter for ImageGuard {
    fn admit(request: &str) -> Result<Decision, Failure> {
        invocation::keep_instance();
        let request: Request = serde_json::from_str(request)?;
        decide(&invocation::config()?, request.object)
    }
}

fn decide(config: &Config, mut pod: Value) -> Result<Decision, Failure> {
    let mut changed = false;
    let mut refused = Vec::new();
    for image in images::of_pod(&mut pod) {
        let full = images::full(image);
        let wanted = mirrored(&config.mirrors, &full);
        if !config
            .allowed
            .iter()
            .any(|prefix| images::is_below(&wanted, prefix))
        {
            refused.push(full);
            continue;
        }
        if images::moves(image) {
            admission::warn(&format!("image {image}: its tag may mean another image tomorrow"));
        }
        if wanted != full {
            *image = wanted;
            changed = true;
        }
    }
    if !refused.is_empty() {
        let message = format!(
            "images from {} only, not {}",
            config.allowed.join(", "),
            refused.join(", ")
        );
        return Ok(Decision::denied(message));
    }
    match changed {
        true => Decision::allowed("").object(&pod),
        false => Ok(Decision::allowed("")),
    }
}

/// The reference at the mirror, if its registry has one.
fn mirrored(mirrors: &BTreeMap<String, String>, image: &str) -> String {
    let found = mirrors
        .iter()
        .find(|(registry, _)| images::is_below(image, registry));
    match found {
        Some((registry, mirror)) => image.replacen(registry.as_str(), mirror, 1),
        None => image.to_owned(),
    }
}

impl Configurable for ImageGuard {
    fn schema(role: &str) -> Option<String> {
        (role == "admit").then(|| include_str!("config.schema.json").to_owned())
    }
}

export!(ImageGuard: admit, configuration);

#[cfg(test)]
mod tests {
    use espejote_sdk::testing::{Admission, Host};
    use serde_json::json;

    use super::*;

    fn asked(config: Value, images: &[&str]) -> Admission {
        let containers: Vec<_> = images.iter().map(|image| json!({"image": image})).collect();
        let request = json!({"uid": "u", "object": {"kind": "Pod", "spec": {"containers": containers}}});
        Host::new().config(config).admit::<ImageGuard>(request)
    }

    #[test]
    fn images_from_elsewhere_are_refused_by_name() {
        let admission = asked(
            json!({"allowed": ["ghcr.io/acme"]}),
            &["ghcr.io/acme/app:1", "nginx:1", "ghcr.io/acme-evil/app:1"],
        );
        assert_eq!(
            admission.decision().unwrap(),
            json!({"allowed": false, "message":
                "images from ghcr.io/acme only, not docker.io/library/nginx:1, ghcr.io/acme-evil/app:1"})
        );
    }

    #[test]
    fn tags_that_move_are_warned_of() {
        let admission = asked(json!({"allowed": ["ghcr.io"]}), &["ghcr.io/acme/app"]);
        assert_eq!(admission.decision().unwrap(), json!({"allowed": true}));
        assert_eq!(
            admission.warnings,
            ["image ghcr.io/acme/app: its tag may mean another image tomorrow"]
        );
    }

    #[test]
    fn a_mirror_takes_the_place_of_its_registry() {
        let config =
            json!({"allowed": ["mirror.example.com"], "mirrors": {"docker.io": "mirror.example.com/hub"}});
        let decision = asked(config, &["nginx:1"]).decision().unwrap();
        assert_eq!(
            decision["object"]["spec"]["containers"][0]["image"],
            "mirror.example.com/hub/library/nginx:1"
        );
    }

    #[test]
    fn the_schema_is_json() {
        let schema = ImageGuard::schema("admit").unwrap();
        assert!(serde_json::from_str::<Value>(&schema).is_ok());
        assert_eq!(ImageGuard::schema("reconcile"), None);
    }
}
