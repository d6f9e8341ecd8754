//! The roles a plugin can have, and how its component comes to export them.

use crate::bindings::{configuration, imports, provide, reconcile};
use crate::failure::Failure;

/// Logic of a ManagedResource.
pub trait Reconciler {
    /// Reads, and emits through [`desired`](crate::desired) and [`report`](crate::report). Called once for each trigger key; the
    /// clock stands still meanwhile.
    ///
    /// # Errors
    /// A failure: nothing is written, and its kind decides when the call is tried again.
    fn reconcile() -> Result<(), Failure>;
}

/// Computes an entry of `context`.
pub trait Provider {
    /// The value, as JSON. The owner is the one whose manifest has the entry; the config is the entry's.
    ///
    /// # Errors
    /// A failure: the entry is unavailable.
    fn provide() -> Result<String, Failure>;
}

/// Describes and checks the config of a plugin, when a manifest is checked and before anything runs.
///
/// Only [`logging`](crate::logging) may be used here; everything else traps.
pub trait Configurable {
    /// The JSON Schema (2020-12) of the config for a role: `reconcile`, `provide`, `admit`.
    fn schema(role: &str) -> Option<String> {
        let _ = role;
        None
    }

    /// What a schema cannot say. The config satisfies the schema. Empty: no problem.
    fn validate(role: &str, config: &str) -> Vec<Problem> {
        let _ = (role, config);
        Vec::new()
    }
}

/// What is wrong with a config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A JSON pointer (RFC 6901) into the config; empty for the whole.
    pub path: String,
    /// For people: what was expected.
    pub message: String,
}

/// Makes the component export the given roles of a type: `reconcile` ([`Reconciler`]), `configuration` ([`Configurable`]),
/// `provide` ([`Provider`]), `admit` ([`Admitter`](crate::Admitter)). Once in a crate, in its root. Does nothing where the crate is
/// compiled for another machine than WebAssembly.
///
/// ```no_run
/// # use espejote_sdk::{Configurable, Failure, Reconciler, export};
/// struct Plugin;
/// impl Reconciler for Plugin {
///     fn reconcile() -> Result<(), Failure> {
///         Ok(())
///     }
/// }
/// impl Configurable for Plugin {}
/// export!(Plugin: reconcile, configuration);
/// ```
#[macro_export]
macro_rules! export {
    ($plugin:ty: $($role:ident),+ $(,)?) => {
        $( $crate::__export_role!($role, $plugin); )+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export_role {
    (reconcile, $plugin:ty) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            type Export = $crate::ExportOf<$plugin>;
    $crate::bindings::reconcile::export!(Export with_types_in $crate::bindings::reconcile);
        };
    };
    (configuration, $plugin:ty) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            type Export = $crate::ExportOf<$plugin>;
    $crate::bindings::configuration::export!(Export with_types_in $crate::bindings::configuration);
        };
    };
    (provide, $plugin:ty) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            type Export = $crate::ExportOf<$plugin>;
    $crate::bindings::provide::export!(Export with_types_in $crate::bindings::provide);
        };
    };
    (admit, $plugin:ty) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            type Export = $crate::ExportOf<$plugin>;
    $crate::bindings::admit::export!(Export with_types_in $crate::bindings::admit);
        };
    };
}

/// What [`export!`] exports for a plugin.
#[doc(hidden)]
#[derive(Debug)]
pub struct ExportOf<P>(std::marker::PhantomData<P>);

impl<P: Reconciler> reconcile::exports::espejote::plugin::reconcile::Guest for ExportOf<P> {
    fn reconcile() -> Result<(), imports::espejote::plugin::types::Failure> {
        tell_panics();
        P::reconcile().map_err(Into::into)
    }
}

impl<P: Provider> provide::exports::espejote::plugin::provide::Guest for ExportOf<P> {
    fn provide() -> Result<String, imports::espejote::plugin::types::Failure> {
        tell_panics();
        P::provide().map_err(Into::into)
    }
}

impl<P: Configurable> configuration::exports::espejote::plugin::configuration::Guest for ExportOf<P> {
    fn schema(role: String) -> Option<String> {
        tell_panics();
        P::schema(&role)
    }

    fn validate(
        role: String,
        config: String,
    ) -> Vec<configuration::exports::espejote::plugin::configuration::Problem> {
        tell_panics();
        let problems = P::validate(&role, &config).into_iter();
        problems
            .map(
                |problem| configuration::exports::espejote::plugin::configuration::Problem {
                    path: problem.path,
                    message: problem.message,
                },
            )
            .collect()
    }
}

/// Standard error ends up in the operator's log. One line, without advice on environment variables that no plugin has.
pub(crate) fn tell_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))));
}
