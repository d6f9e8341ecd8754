//! One ServiceAccount and its token.
//!
//! Owns when a token is asked for: once for all who wait, early enough before the end, once when it is not accepted,
//! and not again and again while it cannot be had. A token that was not accepted is never sent again: each refusal costs
//! the neighbours their connection, which the API server closes.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwapOption;
use http::HeaderValue;
use tokio::{
    sync::{Semaphore, watch},
    time::Instant,
};

use super::token::{Grant, TokenSource};
use crate::client::{ApiError, ApiStatus, BoxFuture, Bucket, Identity, Rate};

/// A refusal is repeated to everybody who asks within this time.
const REFUSAL_HOLDS: Duration = Duration::from_secs(1);
/// A token this young that is not accepted is not renewed: another would not be accepted either.
const TOO_YOUNG_TO_RENEW: Duration = Duration::from_secs(5);

/// A token cannot be had.
#[derive(Debug, Clone, thiserror::Error)]
#[error("token request for \"system:serviceaccount:{namespace}:{name}\" failed: {source}")]
pub struct IdentityError {
    /// The namespace of the ServiceAccount.
    pub namespace: String,
    /// The name of the ServiceAccount.
    pub name: String,
    /// What the API server said.
    #[source]
    pub source: ApiError,
}

/// Sends requests with the rights of a ServiceAccount.
pub struct ServiceAccount {
    namespace: String,
    name: String,
    source: Arc<dyn TokenSource>,
    token: ArcSwapOption<Token>,
    refusal: Mutex<Option<(Instant, ApiError)>>,
    /// One at a time asks for a token; the others wait for it.
    turn: Semaphore,
    uid: watch::Sender<Option<Arc<str>>>,
    /// All that is sent as this ServiceAccount comes out of it.
    bucket: Arc<Bucket>,
}

struct Token {
    header: HeaderValue,
    granted: Instant,
    refresh: Instant,
    end: Instant,
}

impl Token {
    /// To be refreshed an hour before the end, or after 80 % of its life, whichever comes first.
    fn new(grant: Grant) -> Self {
        let granted = Instant::now();
        let hour_before = grant.lifetime.saturating_sub(Duration::from_secs(60 * 60));
        let most_of_it = grant.lifetime.mul_f64(0.8);
        let life = if hour_before.is_zero() {
            most_of_it
        } else {
            hour_before.min(most_of_it)
        };
        Self {
            header: grant.header,
            granted,
            refresh: granted + life,
            end: granted + grant.lifetime,
        }
    }
}

impl ServiceAccount {
    pub(super) fn new(namespace: &str, name: &str, source: Arc<dyn TokenSource>, rate: Rate) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            source,
            token: ArcSwapOption::empty(),
            refusal: Mutex::default(),
            turn: Semaphore::new(1),
            uid: watch::Sender::new(None),
            bucket: Arc::new(Bucket::new(rate)),
        }
    }

    pub(super) fn bucket(&self) -> &Arc<Bucket> {
        &self.bucket
    }

    /// Its namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes sure that there is a token, and gives the uid that it was granted to.
    pub async fn ensure(&self) -> Result<Arc<str>, IdentityError> {
        self.header().await.map_err(|source| self.error(source))?;
        Ok(self.uid.borrow().clone().unwrap_or_default())
    }

    /// The uid of the last granted token, as it changes: the ServiceAccount was deleted and created again, and what
    /// was read with its former rights is to be dropped.
    pub fn uid(&self) -> watch::Receiver<Option<Arc<str>>> {
        self.uid.subscribe()
    }

    async fn header(&self) -> Result<HeaderValue, ApiError> {
        let token = self.token.load_full();
        let now = Instant::now();
        match token {
            Some(token) if now < token.refresh => Ok(token.header.clone()),
            // Somebody is at it already, and the old one is still good.
            Some(token) if now < token.end && self.turn.available_permits() == 0 => Ok(token.header.clone()),
            Some(token) => self.refresh_or(token).await,
            None => self.obtain(|_| true).await,
        }
    }

    /// Refreshes; while that fails, the old token is used to its end.
    async fn refresh_or(&self, old: Arc<Token>) -> Result<HeaderValue, ApiError> {
        match self.obtain(|token| token.refresh > Instant::now()).await {
            Err(error) if error.is_transient() && Instant::now() < old.end => Ok(old.header.clone()),
            obtained => obtained,
        }
    }

    /// The token in use if it is good enough once it is our turn, else a new one.
    async fn obtain(&self, good: impl Fn(&Token) -> bool) -> Result<HeaderValue, ApiError> {
        let _turn = self.turn.acquire().await.map_err(ApiError::network)?;
        if let Some(token) = self.token.load_full().filter(|token| good(token)) {
            return Ok(token.header.clone());
        }
        if let Some(refusal) = self.recent_refusal() {
            return Err(refusal);
        }
        match self.source.request(&self.namespace, &self.name).await {
            Ok(grant) => Ok(self.keep(grant)),
            Err(error) => {
                *self.lock_refusal() = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    fn keep(&self, grant: Grant) -> HeaderValue {
        let uid: Arc<str> = grant.uid.as_str().into();
        let header = grant.header.clone();
        self.token.store(Some(Arc::new(Token::new(grant))));
        *self.lock_refusal() = None;
        self.uid.send_if_modified(|current| {
            let changed = current.as_ref() != Some(&uid);
            *current = Some(uid);
            changed
        });
        header
    }

    /// Drops a token that was not accepted. For a while there is none: a new one would not be accepted either.
    fn discard(&self, rejected: &HeaderValue) {
        let current = self.token.load_full();
        if current.as_ref().is_none_or(|token| token.header != rejected) {
            return;
        }
        self.token.compare_and_swap(&current, None);
        self.lock_refusal()
            .get_or_insert_with(|| (Instant::now(), not_accepted()));
    }

    fn recent_refusal(&self) -> Option<ApiError> {
        let refusal = self.lock_refusal();
        refusal
            .as_ref()
            .filter(|(at, _)| at.elapsed() < REFUSAL_HOLDS)
            .map(|(_, error)| error.clone())
    }

    fn lock_refusal(&self) -> std::sync::MutexGuard<'_, Option<(Instant, ApiError)>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, source: ApiError) -> IdentityError {
        IdentityError {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            source,
        }
    }

    fn credentials(&self, source: ApiError) -> ApiError {
        ApiError::Credentials {
            transient: source.is_transient(),
            source: Arc::new(self.error(source)),
        }
    }
}

fn not_accepted() -> ApiError {
    ApiError::Status(Arc::new(ApiStatus {
        code: 401,
        reason: "Unauthorized".to_owned(),
        message: "the API server does not accept the token that it has just granted".to_owned(),
        ..ApiStatus::default()
    }))
}

impl Identity for ServiceAccount {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, ApiError>> {
        Box::pin(async {
            self.header()
                .await
                .map(Some)
                .map_err(|source| self.credentials(source))
        })
    }

    fn renew<'a>(
        &'a self,
        rejected: &'a HeaderValue,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, ApiError>> {
        let usable =
            move |token: &Token| token.header != rejected || token.granted.elapsed() < TOO_YOUNG_TO_RENEW;
        Box::pin(async move {
            let obtained = self.obtain(usable).await;
            if obtained.as_ref().is_ok_and(|header| header != rejected) {
                return obtained.map(Some);
            }
            self.discard(rejected);
            obtained.map(|_| None).map_err(|source| self.credentials(source))
        })
    }
}

impl std::fmt::Debug for ServiceAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ServiceAccount({}/{})", self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::identity::token::bearer;

    /// Grants `token-1`, `token-2` … for 90 s each.
    #[derive(Default)]
    struct Counting {
        granted: AtomicU64,
        refuse: std::sync::atomic::AtomicBool,
        generation: AtomicU64,
    }

    impl TokenSource for Counting {
        fn request<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<Grant, ApiError>> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let number = self.granted.fetch_add(1, Ordering::SeqCst) + 1;
                if self.refuse.load(Ordering::SeqCst) {
                    return Err(ApiError::Timeout {
                        after: Duration::from_secs(30),
                    });
                }
                let header = bearer(&format!("token-{number}"))?;
                let uid = self.generation.load(Ordering::SeqCst).to_string();
                Ok(Grant {
                    header,
                    lifetime: Duration::from_secs(90),
                    uid,
                })
            })
        }
    }

    fn account() -> (Arc<Counting>, ServiceAccount) {
        let source = Arc::new(Counting::default());
        let account = ServiceAccount::new("ns", "sa", source.clone(), Rate::OF_AN_IDENTITY);
        (source, account)
    }

    async fn header(account: &ServiceAccount) -> HeaderValue {
        account.authorization().await.unwrap().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn sa4_a_token_lives_for_most_of_what_was_granted() {
        let (source, account) = account();
        for _ in 0..15 {
            header(&account).await;
            tokio::time::advance(Duration::from_secs(20)).await;
        }
        assert_eq!(
            source.granted.load(Ordering::SeqCst),
            4,
            "5 minutes of tokens good for 90 s"
        );
    }

    #[test]
    fn sa4_a_long_token_is_refreshed_an_hour_before_its_end() {
        let life = |hours: u64| {
            let header = bearer("t").unwrap();
            let lifetime = Duration::from_secs(hours * 3600);
            let token = Token::new(Grant {
                header,
                lifetime,
                uid: String::new(),
            });
            token.refresh - token.granted
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            assert_eq!(life(24), Duration::from_secs_f64(19.2 * 3600.0));
            assert_eq!(life(3), Duration::from_secs(2 * 3600));
            assert_eq!(life(1), Duration::from_secs(48 * 60));
        });
    }

    #[tokio::test(start_paused = true)]
    async fn sa5_everybody_waits_for_the_same_request() {
        let (source, account) = account();
        let headers = futures_util::future::join_all((0..100).map(|_| header(&account))).await;
        assert!(headers.iter().all(|h| *h == headers[0]));
        assert_eq!(source.granted.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rejected_token_is_renewed_once_for_all() {
        let (source, account) = account();
        let old = header(&account).await;
        tokio::time::advance(Duration::from_secs(30)).await;
        let renewed = futures_util::future::join_all((0..100).map(|_| account.renew(&old))).await;
        assert!(
            renewed
                .iter()
                .all(|h| h.as_ref().unwrap().as_ref().unwrap() != old)
        );
        assert_eq!(source.granted.load(Ordering::SeqCst), 2);
        let young = header(&account).await;
        assert!(
            account.renew(&young).await.unwrap().is_none(),
            "a new one would fare no better"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn while_none_can_be_had_the_old_token_is_used_to_its_end() {
        let (source, account) = account();
        let old = header(&account).await;
        source.refuse.store(true, Ordering::SeqCst);
        tokio::time::advance(Duration::from_secs(80)).await;
        assert_eq!(header(&account).await, old);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert!(account.authorization().await.is_err());
        for _ in 0..50 {
            assert!(account.authorization().await.is_err());
        }
        assert_eq!(
            source.granted.load(Ordering::SeqCst),
            3,
            "a refusal holds for a second"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_that_was_not_accepted_and_not_renewed_is_never_sent_again() {
        let (source, account) = account();
        let old = header(&account).await;
        tokio::time::advance(Duration::from_secs(30)).await;
        source.refuse.store(true, Ordering::SeqCst);
        assert!(account.renew(&old).await.is_err());
        for _ in 0..50 {
            assert!(account.authorization().await.is_err());
        }
        source.refuse.store(false, Ordering::SeqCst);
        tokio::time::advance(REFUSAL_HOLDS).await;
        assert_ne!(header(&account).await, old);
    }

    #[tokio::test(start_paused = true)]
    async fn a_young_token_that_was_not_accepted_is_not_sent_again() {
        let (source, account) = account();
        let young = header(&account).await;
        assert!(account.renew(&young).await.unwrap().is_none());
        let error = account.authorization().await.unwrap_err().to_string();
        assert!(error.contains("does not accept the token"), "{error}");
        assert_eq!(source.granted.load(Ordering::SeqCst), 1);
        tokio::time::advance(REFUSAL_HOLDS).await;
        assert_ne!(header(&account).await, young);
    }

    #[tokio::test(start_paused = true)]
    async fn sa2_a_refusal_names_the_account() {
        let (source, account) = account();
        source.refuse.store(true, Ordering::SeqCst);
        let error = account.ensure().await.unwrap_err().to_string();
        assert!(
            error.starts_with("token request for \"system:serviceaccount:ns:sa\" failed: "),
            "{error}"
        );
        assert_eq!(account.authorization().await.unwrap_err().to_string(), error);
    }

    #[tokio::test(start_paused = true)]
    async fn a_recreated_account_shows_by_its_uid() {
        let (source, account) = account();
        let mut uid = account.uid();
        assert_eq!(&*account.ensure().await.unwrap(), "0");
        uid.mark_unchanged();
        source.generation.store(1, Ordering::SeqCst);
        tokio::time::advance(Duration::from_secs(30)).await;
        let old = header(&account).await;
        account.renew(&old).await.unwrap();
        assert!(uid.has_changed().unwrap());
        assert_eq!(uid.borrow().as_deref(), Some("1"));
    }
}
