//! Hostile and small guests for the tests of the engine.
