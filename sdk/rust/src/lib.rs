//! Write Espejote plugins in Rust.
