//! What wit-bindgen makes of the contract. Nothing here is written by hand; the rest of this crate is the way to use it.
//!
//! `imports` holds every imported interface. Each role is a module of its own that shares those types, so a plugin's
//! component exports the roles it has and no more.

#![allow(
    unsafe_code,
    reason = "the canonical ABI is raw memory; wit-bindgen generates and checks these calls"
)]
#![allow(
    missing_docs,
    reason = "documented in wit/ and in the modules of this crate that wrap them"
)]
#![allow(clippy::all, clippy::pedantic, reason = "generated code")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "generated code"
)]
#![allow(clippy::allow_attributes_without_reason, reason = "generated code")]

/// For the generated code of other crates.
#[doc(hidden)]
pub use wit_bindgen::rt;

/// All imports of all roles.
pub mod imports {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package espejote:sdk;
            world everything {
                include espejote:plugin/imports@0.1.0;
                import espejote:plugin/provided@0.1.0;
                import espejote:plugin/trigger@0.1.0;
                import espejote:plugin/desired@0.1.0;
                import espejote:plugin/report@0.1.0;
                import espejote:plugin/admission@0.1.0;
            }
        ",
        world: "espejote:sdk/everything",
        generate_all,
        runtime_path: "::wit_bindgen::rt",
    });
}

/// The export of a reconciler.
pub mod reconcile {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package espejote:sdk;
            world reconcile { export espejote:plugin/reconcile@0.1.0; }
        ",
        world: "espejote:sdk/reconcile",
        with: { "espejote:plugin/types@0.1.0": crate::bindings::imports::espejote::plugin::types },
        pub_export_macro: true,
        default_bindings_module: "::espejote_sdk::bindings::reconcile",
        runtime_path: "::espejote_sdk::bindings::rt",
    });
}

/// The export of a plugin that describes its config.
pub mod configuration {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package espejote:sdk;
            world configuration { export espejote:plugin/configuration@0.1.0; }
        ",
        world: "espejote:sdk/configuration",
        with: { "espejote:plugin/types@0.1.0": crate::bindings::imports::espejote::plugin::types },
        pub_export_macro: true,
        default_bindings_module: "::espejote_sdk::bindings::configuration",
        runtime_path: "::espejote_sdk::bindings::rt",
    });
}

/// The export of a provider.
pub mod provide {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package espejote:sdk;
            world provide { export espejote:plugin/provide@0.1.0; }
        ",
        world: "espejote:sdk/provide",
        with: { "espejote:plugin/types@0.1.0": crate::bindings::imports::espejote::plugin::types },
        pub_export_macro: true,
        default_bindings_module: "::espejote_sdk::bindings::provide",
        runtime_path: "::espejote_sdk::bindings::rt",
    });
}

/// The export of an admitter.
pub mod admit {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package espejote:sdk;
            world admit { export espejote:plugin/admit@0.1.0; }
        ",
        world: "espejote:sdk/admit",
        with: { "espejote:plugin/types@0.1.0": crate::bindings::imports::espejote::plugin::types },
        pub_export_macro: true,
        default_bindings_module: "::espejote_sdk::bindings::admit",
        runtime_path: "::espejote_sdk::bindings::rt",
    });
}
