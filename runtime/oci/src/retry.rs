//! When something is tried again: bounded, with growing pauses that vary, and no sooner than the registry wants.

use std::time::Duration;

use crate::{
    config::Retry,
    error::{Error, Result},
};

/// The attempts at one thing.
pub(crate) struct Attempts {
    settings: Retry,
    made: u32,
}

impl Attempts {
    /// None made yet.
    pub(crate) fn new(settings: Retry) -> Self {
        Self { settings, made: 0 }
    }

    /// After a failure: returns when it is time to try again, or gives the error back if that makes no sense.
    pub(crate) async fn again_after(&mut self, error: Error) -> Result<()> {
        self.made += 1;
        match self.pause(&error) {
            Some(pause) => {
                tracing::debug!(%error, ?pause, "trying again");
                tokio::time::sleep(pause).await;
                Ok(())
            }
            None => Err(error),
        }
    }

    fn pause(&self, error: &Error) -> Option<Duration> {
        if !error.is_transient() || self.made >= self.settings.attempts {
            return None;
        }
        let doubled = self.settings.pause.saturating_mul(1 << (self.made - 1).min(16));
        let varied = doubled.mul_f64(0.5 + fastrand::f64());
        let wanted = error.retry_after().unwrap_or_default();
        if wanted > self.settings.longest_pause {
            return None;
        }
        Some(varied.min(self.settings.longest_pause).max(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Said, Subject};

    fn attempts(made: u32) -> Attempts {
        let settings = Retry {
            attempts: 4,
            pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(2),
        };
        Attempts { settings, made }
    }

    fn limited(retry_after: Option<u64>) -> Error {
        let subject = Subject {
            reference: "r/a:1".into(),
            registry: "r".into(),
            repository: "a".into(),
        };
        let retry_after = retry_after.map(Duration::from_secs);
        Error::RateLimited {
            subject: Box::new(subject),
            retry_after,
            said: Said::default(),
        }
    }

    #[test]
    fn pauses_double_vary_and_are_bounded() {
        for (made, shortest, longest) in [(1, 50, 150), (2, 100, 300), (3, 200, 600)] {
            let pause = attempts(made).pause(&limited(None)).unwrap().as_millis();
            assert!((shortest..=longest).contains(&pause), "{made}: {pause}");
        }
        assert_eq!(attempts(4).pause(&limited(None)), None);
    }

    #[test]
    fn what_the_registry_wants_is_honoured_up_to_a_bound() {
        assert_eq!(attempts(1).pause(&limited(Some(1))), Some(Duration::from_secs(1)));
        assert_eq!(attempts(1).pause(&limited(Some(3))), None);
    }

    #[test]
    fn what_cannot_pass_is_not_tried_again() {
        assert_eq!(attempts(1).pause(&Error::Settings(String::new())), None);
    }
}
