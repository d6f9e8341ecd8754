//! The components that the tests run.

/// The hostile and the small guests of `tests/guests`, in one component.
pub static GUESTS: &[u8] = include_bytes!(env!("TEST_GUESTS"));

/// The guest of `tests/guests-sdk`: every role, made with the Rust SDK.
pub static GUESTS_SDK: &[u8] = include_bytes!(env!("TEST_GUESTS_SDK"));
