//! The whole renderer, run on the machine at hand against a host in memory.

mod apply;
mod fake;
mod template;
