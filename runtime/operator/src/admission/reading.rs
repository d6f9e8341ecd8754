//! How questions are read: each has a place, a time and a size.
//!
//! Owns that what all questions take of memory is bounded, whoever asks: a question has its place until its answer is made, and
//! there are so many places for a size. Small questions never wait for large ones, nor for those whose size nobody says.

use std::{fmt::Display, sync::Arc, time::Duration};

use bytes::Bytes;
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout, timeout_at},
};

use super::{change::LONGEST, review::Question};

/// A question is small up to this size: most objects are a tenth of it.
const SMALL: usize = 256 << 10;
/// Small questions at a time: 128 MiB.
const SMALL_PLACES: usize = 512;
/// Others at a time, each of up to 8 MiB: 128 MiB.
const LARGE_PLACES: usize = 16;
/// A question is read within this time once it has its place, whatever it says of its own time.
const READ_WITHIN: Duration = Duration::from_secs(3);
/// The longest uid that is answered to; those of the API server have 36 bytes.
const LONGEST_UID: usize = 256;

/// The place of a question: to be held until the answer is made.
pub type Place = Arc<OwnedSemaphorePermit>;

/// Why there is no question. Whose it is cannot be said, so the answer is none of admission.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It is larger than any may be.
    #[error("expected at most {LONGEST} bytes")]
    TooLarge,
    /// There was no place.
    #[error("too many requests for admission are answered at the moment")]
    NoPlace,
    /// It did not come in time.
    #[error("the request could not be read in time: expected all of it within {} s", READ_WITHIN.as_secs())]
    Slow,
    /// It did not come whole.
    #[error("the request broke off: {0}")]
    BrokeOff(String),
    /// It is something else.
    #[error("{0}")]
    NoReview(String),
}

impl Unread {
    /// What HTTP calls it.
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NoPlace => StatusCode::SERVICE_UNAVAILABLE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::BrokeOff(_) | Self::NoReview(_) => StatusCode::BAD_REQUEST,
        }
    }
}

/// Reads questions.
#[derive(Debug)]
pub struct Reading {
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

impl Default for Reading {
    fn default() -> Self {
        Self::new(SMALL_PLACES, LARGE_PLACES)
    }
}

impl Reading {
    fn new(small: usize, large: usize) -> Self {
        Self {
            small: Arc::new(Semaphore::new(small)),
            large: Arc::new(Semaphore::new(large)),
        }
    }

    /// Reads a question, whose place has to be there before `until`.
    pub async fn read<B>(&self, body: B, until: Instant) -> Result<(Question, Place), Unread>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Display,
    {
        let announced = body.size_hint().exact();
        let announced = announced.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        let (places, most) = match announced {
            Some(length) if length <= SMALL => (&self.small, SMALL),
            Some(length) if length > LONGEST => return Err(Unread::TooLarge),
            _ => (&self.large, LONGEST),
        };
        let place = timeout_at(until, places.clone().acquire_owned()).await;
        // The semaphores are never closed.
        let place = place.ok().and_then(Result::ok).ok_or(Unread::NoPlace)?;
        let read = timeout(READ_WITHIN, whole(body, announced.unwrap_or_default(), most)).await;
        let json = read.map_err(|_| Unread::Slow)??;
        let question = Question::read(&json).map_err(Unread::NoReview)?;
        match question.uid.len() {
            1..=LONGEST_UID => Ok((question, Arc::new(place))),
            _ => Err(Unread::NoReview(format!(
                "the request has no uid to answer to: expected 1 to {LONGEST_UID} bytes"
            ))),
        }
    }
}

/// All of a body, in one piece, however small those are in which it comes.
async fn whole<B>(mut body: B, announced: usize, most: usize) -> Result<Vec<u8>, Unread>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Display,
{
    let mut whole = Vec::with_capacity(announced);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Unread::BrokeOff(error.to_string()))?;
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > most - whole.len() {
            return Err(Unread::TooLarge);
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream::{self, StreamExt as _};
    use http_body_util::{Full, StreamBody};
    use hyper::body::Frame;

    use super::*;

    const HEAD: &str =
        r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","object":"#;

    fn review(length: usize) -> Full<Bytes> {
        Full::from(format!("{HEAD}\"{}\"}}}}", "x".repeat(length)))
    }

    /// Begins, and neither ends nor says how long it is.
    fn endless() -> impl Body<Data = Bytes, Error = Infallible> + Unpin {
        let begin = stream::iter([Ok(Frame::data(Bytes::from_static(b"{")))]);
        StreamBody::new(begin.chain(stream::pending()))
    }

    /// Says that it is small, and sends nothing of it.
    struct Silent;

    impl Body for Silent {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            std::task::Poll::Pending
        }

        fn size_hint(&self) -> hyper::body::SizeHint {
            hyper::body::SizeHint::with_exact(100)
        }
    }

    fn late() -> Instant {
        Instant::now() + Duration::from_secs(29)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_sent_gives_its_place_back_soon() {
        let reading = Reading::new(1, 1);
        let started = Instant::now();
        let slow = [
            reading.read(Silent, late()).await.unwrap_err(),
            reading.read(endless(), late()).await.unwrap_err(),
        ];
        assert!(
            slow.iter()
                .all(|unread| unread.status() == StatusCode::REQUEST_TIMEOUT)
        );
        assert_eq!(started.elapsed(), 2 * READ_WITHIN);
        assert!(reading.read(review(1), late()).await.is_ok());
        assert!(reading.read(review(SMALL), late()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn small_questions_wait_for_no_others() {
        let reading = Reading::default();
        let others = (0..LARGE_PLACES).map(|_| reading.read(endless(), late()));
        let others = futures_util::future::join_all(others);
        let asked = async {
            tokio::task::yield_now().await;
            let started = Instant::now();
            assert!(reading.read(review(1), late()).await.is_ok());
            assert_eq!(started.elapsed(), Duration::ZERO);
            reading.read(review(SMALL), late()).await.unwrap();
            assert_eq!(started.elapsed(), READ_WITHIN);
        };
        let (others, ()) = tokio::join!(others, asked);
        assert!(others.iter().all(Result::is_err));
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_has_its_place_until_it_is_answered() {
        let reading = Reading::new(1, 1);
        let (_, place) = reading.read(review(1), late()).await.unwrap();
        let answering = place.clone();
        drop(place);
        let unread = reading.read(review(1), late()).await.unwrap_err();
        assert_eq!(unread.status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(answering);
        assert!(reading.read(review(1), late()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_question_is_no_answer_of_admission() {
        let reading = Reading::default();
        let bad = |json: &'static str| reading.read(Full::from(json), late());
        for json in [
            "hush",
            r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}"#,
        ] {
            let unread = bad(json).await.unwrap_err();
            assert_eq!(unread.status(), StatusCode::BAD_REQUEST, "{unread}");
        }
        let large = reading.read(review(LONGEST), late()).await.unwrap_err();
        assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
        let pieces =
            stream::iter((0..9).map(|_| Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b' '; 1 << 20])))));
        let large = reading.read(StreamBody::new(pieces), late()).await.unwrap_err();
        assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
