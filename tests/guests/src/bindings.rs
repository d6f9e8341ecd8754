//! The raw bindings of the contract.
#![allow(
    unsafe_code,
    missing_docs,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated"
)]

wit_bindgen::generate!({
    path: ["../../wit", "wit/io", "wit/http", "wit/sockets"],
    inline: "
        package espejote:guests;
        world guests {
            include espejote:plugin/reconciler@0.1.0;
            include espejote:plugin/admitter@0.1.0;
            include espejote:plugin/provider@0.1.0;
            include espejote:plugin/configurable@0.1.0;
            import wasi:http/outgoing-handler@0.2.0;
            import wasi:sockets/instance-network@0.2.0;
            import wasi:sockets/ip-name-lookup@0.2.0;
            import wasi:sockets/tcp-create-socket@0.2.0;
        }
    ",
    world: "espejote:guests/guests",
    generate_all,
    pub_export_macro: true,
});
