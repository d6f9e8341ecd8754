//! What the renderer asks of the world around it: the imports of a reconciler, as a trait, so that all of the renderer
//! runs in tests without one. `sdk.rs` is the real one.

use std::rc::Rc;

pub use espejote_sdk::desired::ErrorPolicy;
pub use espejote_sdk::library::{ReadError, ReadErrorReason};
pub use espejote_sdk::logging::Level;
pub use espejote_sdk::{ObjectId, Revision, Unavailable, UnavailableReason};

use crate::options::{ApplyOptions, DeleteOptions};

/// The imports of a reconciler, as far as Jsonnet needs them.
pub trait Host {
    /// The trigger's name; none for the general reconcile.
    fn trigger_name(&self) -> Option<String>;
    /// The object that started this reconcile.
    fn trigger_event(&self) -> Option<ObjectId>;
    /// That object now, as JSON; none if it is gone.
    fn trigger_object(&self) -> Option<String>;

    /// The names of the contexts that hold objects.
    fn contexts(&self) -> Vec<String>;
    /// Opens one of them.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn context(&self, name: &str) -> Result<Rc<dyn Objects>, Unavailable>;
    /// The names of the contexts that other plugins compute.
    fn provided(&self) -> Vec<String>;
    /// The value of one of them, as JSON.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn provided_value(&self, name: &str) -> Result<String, Unavailable>;

    /// The bytes of a library file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn library(&self, path: &str) -> Result<Vec<u8>, ReadError>;

    /// One line in the log.
    fn log(&self, level: Level, message: &str, fields: &[(&str, &str)]);

    /// Emits an object to apply.
    fn apply(&self, object: &str, options: Option<&ApplyOptions>);
    /// Emits an object to delete.
    fn delete(&self, id: &ObjectId, options: Option<&DeleteOptions>);
    /// Opens a group.
    fn open_group(&self, on_error: ErrorPolicy);
    /// Closes the group opened last.
    fn close_group(&self);
    /// Sets the document for `espejote render`.
    fn document(&self, json: &str);
    /// Asks to be called again in the same instance.
    fn keep_instance(&self);
}

/// The objects of one context, by index.
pub trait Objects {
    /// How many.
    fn len(&self) -> u32;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Stands for all of them and their order.
    fn revision(&self) -> Revision;
    /// Stands for each of them.
    fn revisions(&self) -> Vec<Revision>;
    /// One object, as JSON.
    fn read(&self, index: u32) -> Option<String>;
    /// The objects from `start` on, as JSON, as many as fit into `max_bytes`, but at least one.
    fn scan(&self, start: u32, max_bytes: u32) -> Vec<String>;
}
