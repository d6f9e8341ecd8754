//! Whether this process may write to the cluster.
//!
//! Owns the answer, and that an end is final. Knows nothing of leases: whoever holds one says until when ([`Leadership`]), and
//! whatever writes asks ([`Leading`]) immediately before it does. Time is that of the monotonic clock.

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    /// Another process leads, or nobody.
    Awaited,
    /// May write before this instant, unless it is put off.
    Until(Instant),
    /// There is no end.
    Unlimited,
    /// It has ended, for good.
    Over,
}

impl Term {
    fn holds(self, now: Instant) -> bool {
        match self {
            Self::Awaited | Self::Over => false,
            Self::Until(end) => now < end,
            Self::Unlimited => true,
        }
    }

    fn has_ended(self, now: Instant) -> bool {
        match self {
            Self::Awaited | Self::Unlimited => false,
            Self::Until(end) => now >= end,
            Self::Over => true,
        }
    }
}

/// Tells whether this process may write. Clones tell the same.
#[derive(Clone, Debug)]
pub struct Leading {
    term: watch::Receiver<Term>,
}

/// Decides whether this process may write.
#[derive(Debug)]
pub struct Leadership {
    term: watch::Sender<Term>,
}

impl Leading {
    /// Always: there is only one process.
    pub fn always() -> Self {
        Self {
            term: watch::channel(Term::Unlimited).1,
        }
    }

    /// Not before [`Leadership::extend`] says so.
    pub fn elected() -> (Leadership, Self) {
        let (sender, term) = watch::channel(Term::Awaited);
        (Leadership { term: sender }, Self { term })
    }

    /// Whether a write may start now.
    pub fn may_write(&self) -> bool {
        self.term.borrow().holds(Instant::now())
    }

    /// Whether no write may start any more, whatever happens.
    pub fn has_ended(&self) -> bool {
        self.term.borrow().has_ended(Instant::now())
    }

    /// Waits until this process leads, or has led.
    pub async fn begun(&self) {
        let mut term = self.term.clone();
        if term.wait_for(|term| *term != Term::Awaited).await.is_err() {
            std::future::pending().await
        }
    }

    /// Waits until no write may start any more.
    pub async fn ended(&self) {
        let mut term = self.term.clone();
        loop {
            let now = *term.borrow_and_update();
            match now {
                Term::Over => return,
                Term::Until(end) => tokio::select! {
                    biased;
                    Ok(()) = term.changed() => {}
                    () = sleep_until(end) => return,
                },
                Term::Awaited | Term::Unlimited => {
                    if term.changed().await.is_err() {
                        std::future::pending().await
                    }
                }
            }
        }
    }
}

impl Leadership {
    /// Writes may start before `end`. False: the time until which they could has run out before, and nothing is changed.
    pub fn extend(&self, end: Instant) -> bool {
        let now = Instant::now();
        let mut extended = false;
        self.term.send_if_modified(|term| {
            extended = !term.has_ended(now);
            if extended {
                *term = Term::Until(end);
            }
            extended
        });
        extended
    }

    /// No write may start any more.
    pub fn end(&self) {
        self.term.send_replace(Term::Over);
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn writes_are_for_the_time_between() {
        let (leadership, leading) = Leading::elected();
        assert!(!leading.may_write() && !leading.has_ended());
        assert!(timeout(SECOND, leading.begun()).await.is_err());
        assert!(leadership.extend(Instant::now() + SECOND));
        assert!(leading.may_write());
        leading.begun().await;
        advance(SECOND).await;
        assert!(!leading.may_write() && leading.has_ended());
        leading.ended().await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_is_final() {
        let (leadership, leading) = Leading::elected();
        leadership.extend(Instant::now() + SECOND);
        advance(SECOND).await;
        assert!(!leadership.extend(Instant::now() + SECOND));
        assert!(!leading.may_write());
        drop(leadership);
        assert!(leading.has_ended());
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_is_waited_for_where_it_was_put_off_to() {
        let (leadership, leading) = Leading::elected();
        let begun = Instant::now();
        leadership.extend(begun + SECOND);
        let waiting = tokio::spawn(async move {
            leading.ended().await;
            Instant::now()
        });
        advance(SECOND / 2).await;
        leadership.extend(begun + 3 * SECOND);
        assert_eq!(waiting.await.unwrap(), begun + 3 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn without_an_election_writes_are_always_allowed() {
        let leading = Leading::always();
        leading.begun().await;
        assert!(timeout(1_000 * SECOND, leading.ended()).await.is_err());
        assert!(leading.may_write());
    }
}
