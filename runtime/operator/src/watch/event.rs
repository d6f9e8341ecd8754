//! The documents of list and watch.
//!
//! Owns their shape: an event's members in any order, a page's items before or behind its metadata. Objects stay text.

use std::sync::Arc;

use espejote_core::scanner::{ScanError, Scanner};
use serde::Deserialize;

use crate::client::{ApiError, ApiStatus};

/// One line of a watch.
#[derive(Debug)]
pub(super) enum Event<'a> {
    /// Added or modified.
    Applied(&'a str),
    Deleted(&'a str),
    Bookmark(Bookmark),
    Error(ApiError),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Bookmark {
    pub(super) version: String,
    /// All objects that there were have been sent.
    pub(super) initial_events_end: bool,
}

/// A page of a list.
pub(super) struct Page<'a> {
    pub(super) version: String,
    pub(super) continue_token: Option<String>,
    pub(super) items: Vec<&'a str>,
}

impl<'a> Event<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, ApiError> {
        let what = "a watch event";
        let (kind, object) = members(text(what, line)?).map_err(|error| malformed(what, error))?;
        match kind {
            "ADDED" | "MODIFIED" => Ok(Self::Applied(object)),
            "DELETED" => Ok(Self::Deleted(object)),
            "BOOKMARK" => Bookmark::parse(object).map(Self::Bookmark),
            "ERROR" => Ok(Self::Error(error(object))),
            _ => Err(ApiError::Malformed {
                what,
                detail: "unknown type".to_owned(),
            }),
        }
    }
}

fn members(line: &str) -> Result<(&str, &str), ScanError> {
    let (mut kind, mut object) = ("", "{}");
    let mut scanner = Scanner::new(line);
    scanner.object(|scanner, key| {
        match key.raw() {
            "type" => kind = scanner.string()?.raw(),
            "object" => object = scanner.value()?,
            _ => scanner.value().map(drop)?,
        }
        Ok::<(), ScanError>(())
    })?;
    scanner.end()?;
    Ok((kind, object))
}

/// An error event whose object is no `Status` still has a code in it, as some proxies write it.
fn error(object: &str) -> ApiError {
    #[derive(Deserialize, Default)]
    struct CodeWire {
        code: Option<u16>,
    }
    let status = ApiStatus::from_json(object.as_bytes()).unwrap_or_else(|| {
        let code = serde_json::from_str::<CodeWire>(object)
            .unwrap_or_default()
            .code
            .unwrap_or(500);
        let message = format!("the API server ended the watch with code {code}");
        ApiStatus {
            code,
            message,
            ..ApiStatus::default()
        }
    });
    ApiError::Status(Arc::new(status))
}

impl Bookmark {
    fn parse(object: &str) -> Result<Self, ApiError> {
        let wire: BookmarkWire =
            serde_json::from_str(object).map_err(|error| ApiError::malformed("a bookmark", &error))?;
        let end = wire
            .metadata
            .annotations
            .is_some_and(|annotations| annotations.initial_events_end.as_deref() == Some("true"));
        Ok(Self {
            version: wire.metadata.resource_version,
            initial_events_end: end,
        })
    }
}

#[derive(Deserialize)]
struct BookmarkWire {
    metadata: BookmarkMetadataWire,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BookmarkMetadataWire {
    resource_version: String,
    annotations: Option<AnnotationsWire>,
}

#[derive(Deserialize)]
struct AnnotationsWire {
    #[serde(rename = "k8s.io/initial-events-end")]
    initial_events_end: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct ListMetadataWire {
    #[serde(default)]
    resource_version: String,
    #[serde(rename = "continue")]
    continue_token: Option<String>,
}

impl<'a> Page<'a> {
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, ApiError> {
        let what = "a list";
        let text = text(what, body)?;
        let (mut metadata, mut items) = ("{}", Vec::new());
        let mut scanner = Scanner::new(text);
        let read = scanner.object(|scanner, key| match key.raw() {
            "metadata" => scanner.value().map(|value| metadata = value),
            "items" if scanner.peek() == Some(b'[') => {
                scanner.array(|scanner| scanner.value().map(|item| items.push(item)))
            }
            _ => scanner.value().map(drop),
        });
        read.and_then(|()| scanner.end())
            .map_err(|error| malformed(what, error))?;
        let metadata: ListMetadataWire =
            serde_json::from_str(metadata).map_err(|error| ApiError::malformed(what, &error))?;
        let continue_token = metadata.continue_token.filter(|token| !token.is_empty());
        Ok(Self {
            version: metadata.resource_version,
            continue_token,
            items,
        })
    }
}

fn text<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a str, ApiError> {
    str::from_utf8(bytes).map_err(|error| {
        let detail = format!("no UTF-8 at byte {}", error.valid_up_to());
        ApiError::Malformed { what, detail }
    })
}

fn malformed(what: &'static str, error: ScanError) -> ApiError {
    ApiError::Malformed {
        what,
        detail: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_may_stand_before_the_type() {
        for line in [
            r#"{"type":"ADDED","object":{"a":1}}"#,
            r#"{"object":{"a":1},"type":"ADDED"}"#,
        ] {
            assert!(matches!(
                Event::parse(line.as_bytes()).unwrap(),
                Event::Applied(r#"{"a":1}"#)
            ));
        }
    }

    #[test]
    fn the_end_of_the_initial_events_is_seen() {
        let line = br#"{"type":"BOOKMARK","object":{"kind":"X","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
        let Event::Bookmark(bookmark) = Event::parse(line).unwrap() else {
            panic!()
        };
        assert_eq!(
            bookmark,
            Bookmark {
                version: "7".to_owned(),
                initial_events_end: true
            }
        );
    }

    #[test]
    fn an_error_event_is_classified_even_if_it_is_no_status() {
        for object in [
            r#"{"code":410}"#,
            r#"{"kind":"Status","code":410,"message":"too old"}"#,
        ] {
            let line = format!(r#"{{"type":"ERROR","object":{object}}}"#);
            let Event::Error(error) = Event::parse(line.as_bytes()).unwrap() else {
                panic!()
            };
            assert!(error.is_gone());
        }
    }

    #[test]
    fn items_may_stand_before_the_metadata_or_be_null() {
        let page =
            Page::parse(br#"{"items":[{"a":1},{"b":2}],"metadata":{"resourceVersion":"5","continue":"c"}}"#);
        let page = page.unwrap();
        assert_eq!(page.items, [r#"{"a":1}"#, r#"{"b":2}"#]);
        assert_eq!(
            (page.version.as_str(), page.continue_token.as_deref()),
            ("5", Some("c"))
        );
        let page =
            Page::parse(br#"{"metadata":{"resourceVersion":"5","continue":""},"items":null}"#).unwrap();
        assert!(page.items.is_empty() && page.continue_token.is_none());
    }

    #[test]
    fn what_cannot_be_read_is_not_quoted() {
        for line in [
            "{\"type\":\"ADDED\",\"object\":hunter2}",
            "hunter2",
            "{\"type\":\"hunter2\"}",
        ] {
            let error = Event::parse(line.as_bytes()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{line}");
        }
    }
}
