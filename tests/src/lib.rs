//! Stage and end-to-end tests, and what they share.
