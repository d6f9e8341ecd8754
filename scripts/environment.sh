# shellcheck shell=bash
# Where things are, and which compilers are used. Sourced by every script, never run; its variables are for them.
# shellcheck disable=SC2034

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$repository/target}
mkdir -p "$CARGO_TARGET_DIR"
CARGO_TARGET_DIR=$(cd "$CARGO_TARGET_DIR" && pwd)
# Tools that belong to this repository and not to the machine.
tools=$CARGO_TARGET_DIR/tools
operator=$CARGO_TARGET_DIR/release/espejote

# shellcheck source=scripts/console.sh
source "$repository/scripts/console.sh"
cd "$repository" || exit

# The folder of rustup's programs is not always on the path of a service or of root.
if ! command -v cargo >/dev/null && [[ -x ${CARGO_HOME:-$HOME/.cargo}/bin/cargo ]]; then
  PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
fi

# build_programs: all programs; quiet=--quiet for little output. Every step selects the whole workspace: another selection has other features of
# libraries, and would build most of them a second time.
build_programs() { cargo build --release --locked --workspace --bins ${quiet:+"$quiet"}; }

# pinned_rust: the version of Rust that this repository is built with.
pinned_rust() { sed -n 's/^channel *= *"\(.*\)"/\1/p' "$repository/rust-toolchain.toml"; }

# has_pinned_rust: whether rustup has that version already. Asking cargo itself would make rustup fetch it.
has_pinned_rust() {
  command -v rustup >/dev/null && rustup toolchain list | grep --quiet "^$(pinned_rust)-"
}

# Debian's compiler, where rustup has none for us: rustup takes a toolchain's folder for its name.
use_debian_rust_if_needed() {
  if ! command -v rustup >/dev/null || has_pinned_rust; then return; fi
  if [[ -z ${RUSTUP_TOOLCHAIN:-} && -x /usr/bin/rustc && -x /usr/bin/cargo ]]; then export RUSTUP_TOOLCHAIN=/usr; fi
}
use_debian_rust_if_needed
