//! The Espejote operator and command line.
