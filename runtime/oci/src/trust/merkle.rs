//! Proof that an entry is in a log: RFC 9162, section 2.1.3.

use sha2::{Digest as _, Sha256};

/// A node's hash.
pub(super) type Hash = [u8; 32];

/// The hash of an entry.
pub(super) fn leaf(entry: &[u8]) -> Hash {
    Sha256::new()
        .chain_update([0])
        .chain_update(entry)
        .finalize()
        .into()
}

/// Whether the entry with a hash is at `index` of the tree with `size` entries and a root.
pub(super) fn includes(entry: Hash, index: u64, size: u64, path: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut index, mut last, mut hash) = (index, size - 1, entry);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if index & 1 == 1 || index == last {
            hash = node(sibling, &hash);
            while index & 1 == 0 && index != 0 {
                index >>= 1;
                last >>= 1;
            }
        } else {
            hash = node(&hash, sibling);
        }
        index >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new()
        .chain_update([1])
        .chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root, and the path of one entry, by the definition.
    fn tree(entries: &[Hash], index: usize) -> (Hash, Vec<Hash>) {
        if let [only] = entries {
            return (*only, Vec::new());
        }
        let split = entries.len().next_power_of_two() / 2;
        let (left, right) = entries.split_at(split);
        let in_left = index < split;
        let (left_root, left_path) = tree(left, if in_left { index } else { 0 });
        let (right_root, right_path) = tree(right, if in_left { 0 } else { index - split });
        let (mut path, sibling) = if in_left {
            (left_path, right_root)
        } else {
            (right_path, left_root)
        };
        path.push(sibling);
        (node(&left_root, &right_root), path)
    }

    #[test]
    fn each_entry_of_each_small_tree_is_proved_and_no_other() {
        let entries: Vec<Hash> = (0..20_u8).map(|entry| leaf(&[entry])).collect();
        for size in 1..=entries.len() {
            for index in 0..size {
                let (root, path) = tree(&entries[..size], index);
                let proves = |entry, index: usize, path: &[Hash]| {
                    includes(entry, index as u64, size as u64, path, &root)
                };
                assert!(proves(entries[index], index, &path), "{index} of {size}");
                assert!(!proves(leaf(b"other"), index, &path));
                assert!(!proves(
                    entries[index],
                    index,
                    &[path.clone(), vec![root]].concat()
                ));
                assert!(!proves(entries[index], size, &path));
                assert!(path.is_empty() || !proves(entries[index], index, &path[1..]));
            }
        }
    }
}
