//! Core module to component.

use std::path::Path;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::ComponentEncoder;

use crate::{Error, Guest, Result};

/// WASI stays an import of the component: a host that grants nothing still lets panics and clocks work.
pub(crate) fn wrap(guest: &Guest, path: &Path, module: &[u8]) -> Result<Vec<u8>> {
    let encoded = ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| {
            encoder.adapter(
                WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
                WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
            )
        })
        .and_then(|encoder| encoder.validate(true).encode());
    encoded.map_err(|error| Error::Component {
        guest: guest.to_string(),
        module: path.to_owned(),
        reason: format!("{error:#}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_is_refused_with_its_name() {
        let guest = Guest::new("/ws", "half", "/t");
        let error = wrap(&guest, Path::new("/t/half.wasm"), b"not wasm")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("guest crate `half`") && error.contains("/t/half.wasm"),
            "{error}"
        );
    }
}
