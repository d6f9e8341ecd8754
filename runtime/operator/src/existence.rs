//! Whether the object that work is done for is still there.

use std::sync::Arc;

use tokio::sync::watch;

/// Knows when an object has gone, is being deleted, or has made way for another one of its name.
///
/// That is when whoever keeps its versions closes them: see [`crate::supervisor::Keeper::task`]. The end of the process
/// is no end of the object.
#[derive(Debug, Clone)]
pub struct Existence<R>(watch::Receiver<Arc<R>>);

impl<R> Existence<R> {
    /// Of the object that `versions` gives.
    pub fn of(versions: &watch::Receiver<Arc<R>>) -> Self {
        Self(versions.clone())
    }

    /// Whether it has ended: nothing further is to be begun.
    pub fn is_over(&self) -> bool {
        self.0.has_changed().is_err()
    }

    /// Waits for its end.
    pub async fn over(&self) {
        let mut versions = self.0.clone();
        while versions.changed().await.is_ok() {}
    }
}
