//! Gives the component room for deep templates: the evaluator recurses on the stack in linear memory, too.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        // rustc as linker driver for rust-lld and Debian's wasm-ld alike.
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={}", 8 * 1024 * 1024);
    }
}
