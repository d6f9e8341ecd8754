//! Our own kinds, as the operator itself watches and writes them: with its own rights, in all namespaces.

use std::time::Duration;

use espejote_api::API_VERSION;

use crate::{
    client::Resource,
    watch::{Tenant, WatchHandle, WatchKey, Watches},
};

/// No watch of the operator's own stays open longer.
pub const OWN_WATCH: Duration = Duration::from_secs(290);

/// All objects of a kind.
pub fn own_watch(watches: &Watches, kind: &str) -> WatchHandle {
    let key = WatchKey::all(Tenant::Operator, API_VERSION, kind, None);
    watches.acquire(&key, OWN_WATCH)
}

/// How a namespaced kind is addressed.
pub fn own_kind(kind: &str, plural: &str) -> Resource {
    Resource::known(API_VERSION, kind, plural, true)
}
