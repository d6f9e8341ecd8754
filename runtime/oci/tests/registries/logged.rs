//! Everything that is logged, at each level and by each crate.

use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Collects the values of all fields of all events and spans.
#[derive(Clone, Default)]
pub struct Logged(Arc<Mutex<String>>);

impl Logged {
    pub fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

struct Line<'a>(&'a Logged);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = self.0.0.lock().unwrap();
        writeln!(text, "{}: {value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Logged {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        attributes.record(&mut Line(self));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Line(self));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Line(self));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
