//! The one symbol that Debian's libc for WASI lacks and the standard library refers to.

use wasm_encoder::{
    CodeSection, Function, FunctionSection, LinkingSection, Module, SymbolTable, TypeSection, ValType,
};

/// A linkable object with `char *realpath(const char *, char *)` that returns null: a plugin's paths are not made canonical.
/// (Letting the linker ignore unknown symbols would hide the next missing one.)
pub(crate) fn object() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32, ValType::I32], [ValType::I32]);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut null = Function::new([]);
    null.instructions().i32_const(0).end();
    let mut code = CodeSection::new();
    code.function(&null);

    let mut symbols = SymbolTable::new();
    symbols.function(0, 0, Some("realpath"));
    let mut linking = LinkingSection::new();
    linking.symbol_table(&symbols);

    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&code)
        .section(&linking);
    module.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_names_its_symbol_in_a_linking_section() {
        let bytes = object();
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        assert!(bytes.starts_with(b"\0asm"));
        assert!(has(b"linking") && has(b"realpath"));
    }
}
