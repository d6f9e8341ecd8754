//! Waiting for what has to come, and watching that something does not. Nothing else sleeps.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long something may take on a machine that has other things to do.
pub const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(60);

/// Asks again and again until the answer is `Ok`; panics with the last `Err` when patience ends.
#[track_caller]
pub fn eventually<T>(what: &str, ask: impl FnMut() -> Result<T, String>) -> T {
    eventually_within(PATIENCE, what, ask)
}

/// The same with a patience of its own.
#[track_caller]
pub fn eventually_within<T>(patience: Duration, what: &str, mut ask: impl FnMut() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(why) if started.elapsed() > patience => {
                panic!("not within {patience:?}: {what}\nat last: {why}")
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

/// Asks again and again for some time; panics at the first `Err`.
#[track_caller]
pub fn stays(time: Duration, what: &str, mut ask: impl FnMut() -> Result<(), String>) {
    let started = Instant::now();
    while started.elapsed() < time {
        if let Err(why) = ask() {
            panic!("after {:?} no longer: {what}\nnow: {why}", started.elapsed());
        }
        thread::sleep(PAUSE);
    }
}

/// `Ok` if both are equal, else both of them.
pub fn equal<T: PartialEq + std::fmt::Debug>(actual: T, expected: T) -> Result<(), String> {
    if actual == expected {
        Ok(())
    } else {
        Err(format!("{actual:?}, expected {expected:?}"))
    }
}

/// `Ok` if so, else why not.
pub fn holds(condition: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eventually_gives_the_first_good_answer() {
        let mut asked = 0;
        let answer = eventually("three", || {
            asked += 1;
            if asked == 3 {
                Ok(asked)
            } else {
                Err(format!("{asked}"))
            }
        });
        assert_eq!(answer, 3);
    }

    #[test]
    #[should_panic(expected = "at last: never")]
    fn eventually_ends_with_the_last_reason() {
        eventually_within(Duration::from_millis(1), "something", || {
            Err::<(), _>("never".to_owned())
        });
    }

    #[test]
    #[should_panic(expected = "now: changed")]
    fn stays_ends_at_the_first_change() {
        stays(Duration::from_secs(1), "same", || Err("changed".to_owned()));
    }
}
