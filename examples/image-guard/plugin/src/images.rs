//! References of images, and the Pods in which they stand.

use serde_json::Value;

/// The registry of references that name none.
const DEFAULT: &str = "docker.io";
/// The lists of a Pod whose entries have an image.
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The full form of a reference: with its registry.
pub fn full(image: &str) -> String {
    match image.split_once('/') {
        // A registry has a dot or a port, or is this machine; anything else is a path at the default registry.
        Some((first, _)) if first.contains(['.', ':']) || first == "localhost" => image.to_owned(),
        Some(_) => format!("{DEFAULT}/{image}"),
        None => format!("{DEFAULT}/library/{image}"),
    }
}

/// Whether a full reference lies below a prefix, which ends at a slash.
pub fn is_below(image: &str, prefix: &str) -> bool {
    let rest = image.strip_prefix(prefix.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a reference may mean another image tomorrow.
pub fn moves(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    !image.contains('@') && (!name.contains(':') || name.ends_with(":latest"))
}

/// The images of a Pod, to be looked at and changed.
pub fn of_pod(pod: &mut Value) -> impl Iterator<Item = &mut String> {
    let spec = pod.get_mut("spec").and_then(Value::as_object_mut);
    let lists = spec
        .into_iter()
        .flat_map(serde_json::Map::iter_mut)
        .filter(|(name, _)| LISTS.contains(&name.as_str()));
    lists
        .flat_map(|(_, list)| list.as_array_mut().into_iter().flatten())
        .filter_map(|container| match container.get_mut("image") {
            Some(Value::String(image)) => Some(image),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_without_a_registry_has_the_default_one() {
        for (image, expected) in [
            ("nginx", "docker.io/library/nginx"),
            ("acme/app:1", "docker.io/acme/app:1"),
            ("ghcr.io/acme/app:1", "ghcr.io/acme/app:1"),
            ("localhost/app", "localhost/app"),
            ("registry:5000/app", "registry:5000/app"),
        ] {
            assert_eq!(full(image), expected);
        }
    }

    #[test]
    fn a_prefix_ends_at_a_slash() {
        assert!(is_below("ghcr.io/acme/app", "ghcr.io/acme"));
        assert!(is_below("ghcr.io/acme/app", "ghcr.io/"));
        assert!(!is_below("ghcr.io.evil.example/acme/app", "ghcr.io"));
        assert!(!is_below("ghcr.io/acme-evil/app", "ghcr.io/acme"));
    }

    #[test]
    fn tags_that_move_are_told() {
        assert!(moves("registry:5000/app") && moves("app:latest"));
        assert!(!moves("app:1") && !moves("app@sha256:00"));
    }

    #[test]
    fn all_containers_of_a_pod_are_seen() {
        let mut pod = json!({"spec": {
            "volumes": [{"image": "none"}],
            "initContainers": [{"image": "a"}],
            "containers": [{"image": "b"}, {"name": "without"}],
        }});
        let mut images: Vec<_> = of_pod(&mut pod).map(|image| image.clone()).collect();
        images.sort();
        assert_eq!(images, ["a", "b"]);
        assert_eq!(of_pod(&mut json!({"spec": 1})).count(), 0);
    }
}
