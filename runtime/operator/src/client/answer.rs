//! What is read of an answer to a write.

/// The `metadata.resourceVersion` that a write led to, if the answer has one.
pub fn resource_version(answer: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Answer {
        metadata: Metadata,
    }
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        resource_version: Option<String>,
    }
    let answer: Answer = serde_json::from_slice(answer).ok()?;
    answer
        .metadata
        .resource_version
        .filter(|version| !version.is_empty())
}
