//! What a guest logs, for people who try it out: one line each on standard error.

use std::fmt::{self, Write as _};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    layer::{Context, Layer, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

/// What the engine says of its guests.
const TARGET: &str = "espejote::plugin";

/// From now on the lines of guests are shown, those of level trace excepted.
pub(super) fn show() {
    // Somebody else who shows lines was here before.
    let _ = tracing_subscriber::registry().with(Lines).try_init();
}

struct Lines;

impl<S: Subscriber> Layer<S> for Lines {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == TARGET && *metadata.level() <= Level::DEBUG
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        eprintln!("{}", line(event));
    }
}

/// As explanations of a call are told.
fn line(event: &Event<'_>) -> String {
    let mut told = Told::default();
    event.record(&mut told);
    let level = event.metadata().level().as_str().to_lowercase();
    let separator = if told.fields.is_empty() { "" } else { " " };
    format!("#   log {level}: {}{separator}{}", told.message, told.fields)
}

#[derive(Default)]
struct Told {
    message: String,
    fields: String,
}

impl Visit for Told {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let into = match field.name() {
            "message" => &mut self.message,
            "fields" => &mut self.fields,
            _ => return,
        };
        // Writing to a string cannot fail.
        let _ = write!(into, "{value:?}");
    }
}
