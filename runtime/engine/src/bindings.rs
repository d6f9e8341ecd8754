//! The bindings of the contract, generated; nothing else.
//!
//! The interface `state` is not among them: it is linked by hand, since it lowers shared strings (see `host/state.rs`).
#![allow(missing_docs, dead_code, reason = "generated")]

wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package espejote:host@0.1.0;

        world host {
            import espejote:plugin/types@0.1.0;
            import espejote:plugin/invocation@0.1.0;
            import espejote:plugin/library@0.1.0;
            import espejote:plugin/logging@0.1.0;
            import espejote:plugin/provided@0.1.0;
            import espejote:plugin/trigger@0.1.0;
            import espejote:plugin/desired@0.1.0;
            import espejote:plugin/report@0.1.0;
            import espejote:plugin/admission@0.1.0;
            export espejote:plugin/reconcile@0.1.0;
            export espejote:plugin/admit@0.1.0;
            export espejote:plugin/provide@0.1.0;
            export espejote:plugin/configuration@0.1.0;
        }
    ",
    imports: {
        "espejote:plugin/provided.get": async | trappable,
        default: trappable,
    },
    exports: { default: async },
});
