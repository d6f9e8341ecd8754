//! Who this process is among those that contend for a Lease.

use std::{
    fs,
    hash::{BuildHasher, RandomState},
};

/// The host's name, which is the Pod's in a cluster, and something that no other process has.
pub fn identity() -> String {
    format!("{}_{}", host_name(), unique())
}

fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let name = if name.is_empty() { "espejote" } else { name };
    name.to_owned()
}

/// A UUID of version 4. Every `RandomState` has keys of its own, which come from the system's source of randomness.
fn unique() -> String {
    let random = RandomState::new();
    let [high, low] = [0_u8, 1].map(|half| random.hash_one(half));
    let (high, low) = (high & !0xf000 | 0x4000, low & (u64::MAX >> 2) | 1 << 63);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_processes_of_a_host_are_the_same() {
        let (one, other) = (identity(), identity());
        assert_ne!(one, other);
        let (host, uuid) = one.rsplit_once('_').unwrap();
        assert!(!host.is_empty());
        let groups: Vec<_> = uuid.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12], "{uuid}");
        assert_eq!(uuid.as_bytes()[14], b'4', "{uuid}");
        assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
    }
}
