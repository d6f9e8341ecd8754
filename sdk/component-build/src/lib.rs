//! Builds a Rust crate into a WebAssembly component, with the toolchain that is there.
