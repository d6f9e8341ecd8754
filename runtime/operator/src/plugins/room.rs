//! How much of the disk pulled plugins may take.
//!
//! Owns the bounds, of a namespace and of all, and what is reserved for pulls that are under way. What is on disk is counted
//! by those who know it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use espejote_core::PluginReason;
use tokio::sync::Notify;

use super::progress::{Stage, Stop};

const MEBIBYTE: u64 = 1 << 20;
/// Bytes of the layers that the Plugins of one namespace use.
const OF_NAMESPACE: u64 = 256 * MEBIBYTE;
/// Bytes of everything that was pulled. The shipped Deployment has 1Gi for this and for compiled code.
const OF_ALL: u64 = 640 * MEBIBYTE;

/// The room that is left.
#[derive(Debug, Default)]
pub(super) struct Room {
    reserved: Mutex<HashMap<String, u64>>,
    /// Somebody found no room: what nobody needs should go.
    pub sought: Notify,
}

/// What is on disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// By the Plugins of the namespace that asks, in bytes.
    pub of_namespace: u64,
    /// By all, in bytes.
    pub of_all: u64,
}

/// Room for one layer, until it is dropped.
#[derive(Debug)]
pub(super) struct Reserved<'a> {
    room: &'a Room,
    namespace: String,
    bytes: u64,
}

impl Room {
    /// Reserves room for a layer that a Plugin of a namespace pulls.
    pub(super) fn reserve(&self, namespace: &str, bytes: u64, taken: Taken) -> Result<Reserved<'_>, Stop> {
        let mut reserved = self.lock();
        let own = reserved.get(namespace).copied().unwrap_or_default();
        let all: u64 = reserved.values().sum();
        let refused = if taken.of_namespace + own + bytes > OF_NAMESPACE {
            Some(too_much(namespace, bytes, taken.of_namespace + own))
        } else if taken.of_all + all + bytes > OF_ALL {
            Some(full(bytes, taken.of_all + all))
        } else {
            None
        };
        if let Some(stop) = refused {
            self.sought.notify_one();
            return Err(stop);
        }
        *reserved.entry(namespace.to_owned()).or_default() += bytes;
        Ok(Reserved {
            room: self,
            namespace: namespace.to_owned(),
            bytes,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut reserved = self.room.lock();
        if let Some(bytes) = reserved.get_mut(&self.namespace) {
            *bytes = bytes.saturating_sub(self.bytes);
        }
        reserved.retain(|_, bytes| *bytes > 0);
    }
}

fn too_much(namespace: &str, bytes: u64, taken: u64) -> Stop {
    let message = format!(
        "the layer has {}Mi, and the Plugins of namespace {namespace} have pulled {}Mi already; they may have {}Mi \
         together: make it smaller, or delete Plugins that nobody needs",
        mebibytes(bytes),
        mebibytes(taken),
        OF_NAMESPACE / MEBIBYTE,
    );
    Stop::new(Stage::Resolved, PluginReason::TooLarge, message)
}

fn full(bytes: u64, taken: u64) -> Stop {
    let message = format!(
        "the layer has {}Mi, and pulled plugins take {}Mi of the {}Mi that the operator keeps for them: what no Plugin uses \
         is removed, and this is tried again",
        mebibytes(bytes),
        mebibytes(taken),
        OF_ALL / MEBIBYTE,
    );
    Stop::new(Stage::Resolved, PluginReason::HostFault, message)
}

/// Rounded up.
fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(MEBIBYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(of_namespace: u64, of_all: u64) -> Taken {
        Taken {
            of_namespace: of_namespace * MEBIBYTE,
            of_all: of_all * MEBIBYTE,
        }
    }

    #[test]
    fn a_namespace_has_its_share_and_leaves_the_rest_to_others() {
        let room = Room::default();
        let pulls: Vec<_> = (0..4)
            .map(|_| room.reserve("a", 64 * MEBIBYTE, taken(0, 0)).unwrap())
            .collect();
        let stop = room.reserve("a", 1, taken(0, 0)).unwrap_err();
        assert_eq!(stop.reason, PluginReason::TooLarge);
        assert!(
            stop.message.contains("namespace a have pulled 256Mi"),
            "{}",
            stop.message
        );
        assert!(room.reserve("b", 64 * MEBIBYTE, taken(0, 0)).is_ok());
        drop(pulls);
        assert!(room.lock().is_empty());
        assert!(room.reserve("a", 64 * MEBIBYTE, taken(200, 200)).is_err());
    }

    #[tokio::test]
    async fn where_nothing_is_left_somebody_is_told_to_clear_up() {
        let room = Room::default();
        let stop = room.reserve("a", 64 * MEBIBYTE, taken(0, 600)).unwrap_err();
        assert_eq!(stop.reason, PluginReason::HostFault);
        room.sought.notified().await;
    }
}
