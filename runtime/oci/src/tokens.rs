//! Tokens that token servers have given, until they expire. In memory only; a token is found only by the login that got it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::credentials::{Login, Secret};

/// What a token is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Where the registry is: scheme, host and port.
    pub(crate) origin: String,
    pub(crate) repository: String,
    pub(crate) access: &'static str,
    pub(crate) login: Login,
}

/// How a registry is logged in to.
#[derive(Clone, Debug)]
pub(crate) enum Grant {
    /// With name and password at each request.
    Basic,
    /// With a token.
    Token(Secret),
}

/// A token is not used in its last seconds: it could expire on the way.
const MARGIN: Duration = Duration::from_secs(5);

/// More than this many are not kept: a process that runs for months must not gather those of logins long gone.
const MOST: usize = 1_000;

/// Grants by what they are for.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<HashMap<Key, (Grant, Instant)>>);

impl Tokens {
    /// A grant that holds for a moment yet.
    pub(crate) fn get(&self, key: &Key) -> Option<Grant> {
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (grant, until) = grants.get(key)?;
        (*until > Instant::now()).then(|| grant.clone())
    }

    /// Keeps a grant for as long as it holds.
    pub(crate) fn put(&self, key: Key, grant: Grant, lifetime: Duration) {
        let now = Instant::now();
        let Some(until) = now.checked_add(lifetime.saturating_sub(MARGIN)) else {
            return;
        };
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if grants.len() >= MOST {
            grants.retain(|_, (_, until)| *until > now);
        }
        if grants.len() < MOST {
            grants.insert(key, (grant, until));
        }
    }

    /// Forgets one that the registry did not take.
    pub(crate) fn forget(&self, key: &Key) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(login: Login) -> Key {
        Key {
            origin: "https://r".into(),
            repository: "a".into(),
            access: "pull",
            login,
        }
    }

    #[test]
    fn a_token_is_found_only_by_its_own_login_and_while_it_holds() {
        let tokens = Tokens::default();
        let own = key(Login::Bearer(Secret::new("own")));
        tokens.put(own.clone(), Grant::Basic, Duration::from_secs(60));
        assert!(tokens.get(&own).is_some());
        assert!(tokens.get(&key(Login::Anonymous)).is_none());
        tokens.put(own.clone(), Grant::Basic, MARGIN);
        assert!(tokens.get(&own).is_none());
    }
}
