//! `WWW-Authenticate`: how a registry wants to be logged in to.

use http::{HeaderMap, header};

/// One challenge that we know how to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// Name and password.
    Basic,
    /// A token, from the server at `realm`.
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

impl Challenge {
    /// The one to answer: a token if the registry takes one, since then the password goes to the token server only.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(header::WWW_AUTHENTICATE).into_iter();
        let challenges: Vec<_> = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(parse)
            .filter_map(known)
            .collect();
        let bearer = challenges.iter().find(|challenge| **challenge != Self::Basic);
        bearer.or(challenges.first()).cloned()
    }
}

/// A scheme and its parameters, names in lower case.
type Raw = (String, Vec<(String, String)>);

fn known((scheme, parameters): Raw) -> Option<Challenge> {
    let get = |name: &str| {
        let found = parameters.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone())
    };
    match scheme.as_str() {
        "basic" => Some(Challenge::Basic),
        "bearer" => Some(Challenge::Bearer {
            realm: get("realm")?,
            service: get("service"),
            scope: get("scope"),
        }),
        _ => None,
    }
}

/// The challenges of one header: schemes and parameters are both divided by commas, so a word without `=` starts a new
/// challenge.
fn parse(header: &str) -> Vec<Raw> {
    let mut challenges: Vec<Raw> = Vec::new();
    for part in split_outside_quotes(header) {
        let part = part.trim();
        let (scheme, parameter) = split_scheme(part);
        if let Some(scheme) = scheme {
            challenges.push((scheme.to_ascii_lowercase(), Vec::new()));
        }
        if let (Some((_, parameters)), Some((name, value))) =
            (challenges.last_mut(), parameter.split_once('='))
        {
            parameters.push((name.trim().to_ascii_lowercase(), unquote(value.trim())));
        }
    }
    challenges
}

/// `Bearer realm="…"` is a scheme and a parameter, `realm="…"` only a parameter, `Basic` only a scheme.
fn split_scheme(part: &str) -> (Option<&str>, &str) {
    let word = part.find(|c: char| c == '=' || c.is_whitespace());
    match word.and_then(|end| part.split_at_checked(end)) {
        None => ((!part.is_empty()).then_some(part), ""),
        Some((scheme, rest)) if !rest.trim_start().starts_with('=') => (Some(scheme), rest.trim_start()),
        Some(_) => (None, part),
    }
}

fn split_outside_quotes(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut quoted, mut escaped, mut start) = (false, false, 0);
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.extend(text.get(start..index));
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}

fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Option<Challenge> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::WWW_AUTHENTICATE, value.parse().unwrap());
        }
        Challenge::of(&headers)
    }

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Option<Challenge> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Some(Challenge::Bearer {
            realm: realm.into(),
            service: owned(service),
            scope: owned(scope),
        })
    }

    #[test]
    fn a_token_challenge_has_realm_service_and_scope() {
        let found = of(&[
            r#"Bearer realm="https://auth.example/token",service="reg",scope="repository:a/b:pull,push""#,
        ]);
        assert_eq!(
            found,
            bearer(
                "https://auth.example/token",
                Some("reg"),
                Some("repository:a/b:pull,push")
            )
        );
    }

    #[test]
    fn spelling_and_space_do_not_matter() {
        let found = of(&[r#"  BEARER   Realm = "https://a/\"q\"" ,  service=plain"#]);
        assert_eq!(found, bearer("https://a/\"q\"", Some("plain"), None));
    }

    #[test]
    fn of_several_challenges_the_token_is_preferred() {
        assert_eq!(
            of(&[r#"Basic realm="r, x", Bearer realm="https://a""#]),
            bearer("https://a", None, None)
        );
        assert_eq!(
            of(&[r#"Basic realm="r""#, r#"Bearer realm="https://a""#]),
            bearer("https://a", None, None)
        );
    }

    #[test]
    fn what_is_not_known_is_passed_over() {
        assert_eq!(of(&[r#"Negotiate, Basic realm="r""#]), Some(Challenge::Basic));
        assert_eq!(of(&["Bearer"]), None);
        assert_eq!(of(&["Digest nonce=\"x\""]), None);
        assert_eq!(of(&[]), None);
    }
}
