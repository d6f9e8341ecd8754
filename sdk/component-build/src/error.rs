//! What can go wrong while a guest is built, told so that the reader knows what to do next.

use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no component. The text is complete: it names the crate, the command and its own words.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither toolchain is complete.
    #[error(
        "no toolchain can build for wasm32-wasip1: {missing}. Install one of them: `rustup target add wasm32-wasip1`, \
         or on Debian `apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-22 wasi-libc`"
    )]
    NoToolchain {
        /// What was looked for and not found.
        missing: String,
    },

    /// `ESPEJOTE_GUEST_TOOLCHAIN` has a value that means nothing.
    #[error("ESPEJOTE_GUEST_TOOLCHAIN must be `rustup` or `debian`, is `{0}`")]
    UnknownToolchain(String),

    /// A program could not be started.
    #[error("cannot run `{command}` to build {guest}")]
    Start {
        /// The guest being built.
        guest: String,
        /// The whole command.
        command: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },

    /// The compiler refused the guest.
    #[error("building {guest} failed ({status}, toolchain {toolchain}): `{command}`\n{stderr}")]
    Cargo {
        /// The guest being built.
        guest: String,
        /// The toolchain in use.
        toolchain: &'static str,
        /// The whole command.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// The last lines of its standard error.
        stderr: String,
    },

    /// The core module was built but cannot become a component.
    #[error("{guest} is no component of the contract: {module} cannot be wrapped: {reason}", module = .module.display())]
    Component {
        /// The guest being built.
        guest: String,
        /// The core module.
        module: PathBuf,
        /// The words of wit-component, causes included.
        reason: String,
    },

    /// A file could not be read or written.
    #[error("cannot {action} {path}", path = .path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },

    /// Called outside of a build script, or in one of an unknown kind.
    #[error("{0} is not set: `in_build_script` works in a build script of the workspace only")]
    NotInBuildScript(&'static str),
}

impl Error {
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
