//! The one table of reasons of a Plugin: what its conditions, its `status.status` and its events say.
//!
//! No other file spells one.

/// How far a Plugin has come, and why no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PluginReason {
    /// It runs.
    Registered,
    /// It was asked for no signature.
    NotRequired,
    /// An earlier stage has not come to its end.
    Pending,
    /// `spec` cannot be meant: a reference, limit or grant that is none.
    InvalidSpec,
    /// The operator does not allow it: a file, a registry, a limit, a grant.
    NotAllowed,
    /// A pull secret cannot be read or understood.
    PullSecretUnavailable,
    /// The registry wants other credentials.
    Unauthorized,
    /// There is no such artifact, or file.
    NotFound,
    /// The registry has too many requests.
    RateLimited,
    /// The registry cannot be reached, or fails.
    RegistryUnavailable,
    /// `imagePullPolicy: Never`, and it is not on disk.
    NotOnDisk,
    /// What the registry holds is no WebAssembly component in a layout that is known.
    InvalidArtifact,
    /// Larger than allowed.
    TooLarge,
    /// The bytes are not those that the digest says.
    DigestMismatch,
    /// There is no signature.
    NoSignature,
    /// It is signed by others only.
    NotTrusted,
    /// A signature does not fit the artifact.
    Tampered,
    /// The component does not fit the contract, or not that of this host.
    Unfit,
    /// It cannot be compiled.
    CompileFailed,
    /// A fault of the host: the disk, for example.
    HostFault,
}

impl PluginReason {
    /// Every reason, in the order of the documentation's table.
    pub const ALL: [Self; 20] = [
        Self::Registered,
        Self::NotRequired,
        Self::Pending,
        Self::InvalidSpec,
        Self::NotAllowed,
        Self::PullSecretUnavailable,
        Self::Unauthorized,
        Self::NotFound,
        Self::RateLimited,
        Self::RegistryUnavailable,
        Self::NotOnDisk,
        Self::InvalidArtifact,
        Self::TooLarge,
        Self::DigestMismatch,
        Self::NoSignature,
        Self::NotTrusted,
        Self::Tampered,
        Self::Unfit,
        Self::CompileFailed,
        Self::HostFault,
    ];

    /// The word in conditions, events and `status.status`: CamelCase.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Registered => "Registered",
            Self::NotRequired => "NotRequired",
            Self::Pending => "Pending",
            Self::InvalidSpec => "InvalidSpec",
            Self::NotAllowed => "NotAllowed",
            Self::PullSecretUnavailable => "PullSecretUnavailable",
            Self::Unauthorized => "Unauthorized",
            Self::NotFound => "NotFound",
            Self::RateLimited => "RateLimited",
            Self::RegistryUnavailable => "RegistryUnavailable",
            Self::NotOnDisk => "NotOnDisk",
            Self::InvalidArtifact => "InvalidArtifact",
            Self::TooLarge => "TooLarge",
            Self::DigestMismatch => "DigestMismatch",
            Self::NoSignature => "NoSignature",
            Self::NotTrusted => "NotTrusted",
            Self::Tampered => "Tampered",
            Self::Unfit => "Unfit",
            Self::CompileFailed => "CompileFailed",
            Self::HostFault => "HostFault",
        }
    }

    /// Whether trying again with the same Plugin can end otherwise.
    pub const fn may_pass(self) -> bool {
        !matches!(self, Self::InvalidSpec | Self::NotAllowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_explains_every_reason() {
        let guide = include_str!("../../../docs/guide/installing-plugins.md");
        for reason in PluginReason::ALL {
            assert!(guide.contains(&format!("| `{}` |", reason.word())), "{reason:?}");
        }
    }
}
