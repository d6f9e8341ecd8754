//! The `espejote` command.

fn main() {}
