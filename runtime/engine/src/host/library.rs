//! `library`: files of JsonnetLibrary objects.

use super::HostState;
use crate::bindings::espejote::plugin::library::{Host, ReadError};

impl Host for HostState {
    fn read(&mut self, path: String) -> wasmtime::Result<Result<Vec<u8>, ReadError>> {
        let file = self.call()?.invocation.libraries.read(&path);
        Ok(file.map(|file| file.text.as_bytes().to_vec()).map_err(Into::into))
    }

    fn revision_of(&mut self, path: String) -> wasmtime::Result<Result<u64, ReadError>> {
        let file = self.call()?.invocation.libraries.read(&path);
        Ok(file.map(|file| file.revision.0).map_err(Into::into))
    }
}
