//! Domain of Espejote: objects, snapshots, triggers, desired trees, reasons. No I/O.
