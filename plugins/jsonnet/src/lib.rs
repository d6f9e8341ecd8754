//! The Jsonnet renderer, as a plugin like any other: it has no door to the host that others do not have.
//!
//! Its config is `{"template": "…"}`. A call evaluates the template, reads what the template touches through `state`, `trigger`
//! and `library`, checks the whole result and emits it through `desired`. It never decides what the cluster does with it. As
//! an admitter it evaluates the template about a request, and returns what that decides.
//!
//! Start reading in `render.rs`. `host.rs` is the world around, `sdk.rs` the real one; `espejote.libsonnet` is what templates
//! import.

mod admit;
mod blame;
mod config;
mod context;
mod current;
mod emit;
mod external;
pub mod host;
mod import;
mod json;
mod kept;
mod lazy;
mod nesting;
mod number;
pub mod options;
mod patch;
mod render;
mod result;
mod scan;
mod sdk;
mod stdlib;
mod trace;
mod trigger;
mod words;
mod write;

use std::rc::Rc;

use espejote_sdk::admission::Decision;
use espejote_sdk::{Admitter, Configurable, Failure, Problem, Reconciler, export, invocation};

pub use admit::Verdict;
pub use config::{Config, SCHEMA, validate};
pub use import::LIBSONNET;
pub use render::Renderer;
pub use sdk::Sdk;

use crate::host::Host;

/// The plugin.
pub struct Jsonnet;

thread_local! {
    static RENDERER: Renderer = Renderer::default();
}

impl Reconciler for Jsonnet {
    fn reconcile() -> Result<(), Failure> {
        let config = Config::parse(&invocation::config_json())?;
        let host: Rc<dyn Host> = Rc::new(Sdk);
        host.keep_instance();
        RENDERER.with(|renderer| renderer.render(&host, &config.template))
    }
}

impl Admitter for Jsonnet {
    fn admit(request: &str) -> Result<Decision, Failure> {
        let config = Config::parse(&invocation::config_json())?;
        let host: Rc<dyn Host> = Rc::new(Sdk);
        host.keep_instance();
        RENDERER
            .with(|renderer| renderer.decide(&host, &config.template, request))?
            .decision()
    }
}

impl Configurable for Jsonnet {
    fn schema(_role: &str) -> Option<String> {
        Some(SCHEMA.to_owned())
    }

    fn validate(_role: &str, config: &str) -> Vec<Problem> {
        validate(config)
    }
}

export!(Jsonnet: reconcile, admit, configuration);
