//! Turns an answer that is no success into an error with the server's own words.

use std::time::Duration;

use http::{StatusCode, header};
use reqwest::Response;
use serde::Deserialize;
use url::Url;

use crate::{
    error::{Error, Said, Subject},
    transport::{Piece, Transport},
};

/// How much of a refusal's body is read, and how much of it is shown.
const READ: usize = 8 << 10;
const SHOWN: usize = 300;

/// How a request was made, as far as errors tell it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// `without credentials`, or with which kind.
    pub(crate) with: &'static str,
    /// `pull` or `push`.
    pub(crate) access: &'static str,
}

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) url: &'a Url,
    /// `manifest`, `layer` or the like.
    pub(crate) what: &'static str,
}

/// The error for an answer. `secrets` are blotted out, should the server repeat them. What another server says, to which a
/// redirection led, is not told: whoever names a registry must not read through it what it leads to.
pub(crate) async fn refusal(
    transport: &Transport,
    subject: &Subject,
    asked: Asked<'_>,
    manner: Manner,
    secrets: &[&str],
    mut response: Response,
) -> Error {
    let status = response.status();
    let retry_after = retry_after(&response);
    let of_asked = response.url().origin() == asked.url.origin();
    let body = beginning(transport, subject, &mut response).await;
    let said = match of_asked {
        true => Said(blot(&words(&body), secrets)),
        false => Said::default(),
    };
    let subject = Box::new(subject.clone());
    let what = asked.what;
    let Manner { with, access } = manner;
    match status {
        StatusCode::UNAUTHORIZED => Error::Unauthorized {
            subject,
            with,
            access,
            said,
        },
        StatusCode::FORBIDDEN => Error::Forbidden {
            subject,
            with,
            access,
            said,
        },
        StatusCode::NOT_FOUND => Error::NotFound { subject, what, said },
        StatusCode::TOO_MANY_REQUESTS => Error::RateLimited {
            subject,
            retry_after,
            said,
        },
        status if status.is_server_error() => Error::Server {
            subject,
            status,
            retry_after,
            said,
        },
        status => Error::Status {
            subject,
            what,
            status,
            expected: "success",
            said,
        },
    }
}

/// Seconds; a date, the other form, is taken as no time.
fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}

/// What comes of the body before something goes wrong with it.
async fn beginning(transport: &Transport, subject: &Subject, response: &mut Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < READ {
        match transport.next_piece(subject, response).await {
            Ok(Piece::Bytes(bytes)) => body.extend_from_slice(&bytes),
            Ok(Piece::End | Piece::Broken(_)) | Err(_) => break,
        }
    }
    body.truncate(READ);
    body
}

/// The body of an error by the distribution specification.
#[derive(Deserialize)]
struct Document {
    errors: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
}

/// The registry's errors if the body has them, else the text itself; on one line and cut.
fn words(body: &[u8]) -> String {
    let text = match serde_json::from_slice::<Document>(body) {
        Ok(document) => {
            let entries = document.errors.iter();
            entries
                .map(|entry| format!("{}: {}", entry.code, entry.message))
                .collect::<Vec<_>>()
                .join(", ")
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    one_line(&text)
}

fn one_line(text: &str) -> String {
    let visible = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        None => words,
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
    }
}

fn blot(text: &str, secrets: &[&str]) -> String {
    let worth = secrets.iter().filter(|secret| !secret.is_empty());
    worth.fold(text.to_owned(), |text, secret| text.replace(*secret, "***"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registrys_own_errors_are_shown_with_their_codes() {
        let body = br#"{"errors":[{"code":"DENIED","message":"no\naccess","detail":{}},{"code":"X"}]}"#;
        assert_eq!(words(body), "DENIED: no access, X:");
    }

    #[test]
    fn any_other_body_is_shown_on_one_line_and_cut() {
        assert_eq!(
            words(b"<html>\r\n\x1b[31m bad\tgateway"),
            "<html> [31m bad gateway"
        );
        let long = words("ä".repeat(1000).as_bytes());
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert_eq!(words(b""), "");
    }

    #[test]
    fn a_secret_that_the_server_repeats_is_blotted_out() {
        assert_eq!(blot("you sent hunter2", &["hunter2", ""]), "you sent ***");
    }
}
