//! YAML as Go programs of the Kubernetes world read and write it: YAML 1.1, by way of JSON.
//!
//! Owns the meaning of plain scalars, which texts need quotes, and the layout. It knows nothing of Kubernetes.

mod float;
mod json_string;
mod node;
mod number;
mod order;
mod read;
mod scalar;
mod text;
mod timestamp;
mod write;

pub use json_string::json_string;
pub use node::Node;
pub use read::{Duplicates, ReadError, read, read_all, read_exact, read_with};
pub use write::{exact_yaml, node_to_yaml, to_yaml};
