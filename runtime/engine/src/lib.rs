//! Runs plugins: WebAssembly components of the espejote:plugin contract, in a sandbox with limits.
