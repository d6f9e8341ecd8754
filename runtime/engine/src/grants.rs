//! What a plugin may reach beside the contract: files and hosts. Nothing unless granted.

use std::path::PathBuf;

/// What a plugin may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Folders that it may read.
    pub directories: Vec<GrantedDirectory>,
}

/// A folder of the host that a guest may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedDirectory {
    /// Where the guest finds it: an absolute path.
    pub guest_path: String,
    /// Where it is.
    pub host_path: PathBuf,
}
