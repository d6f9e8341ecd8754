#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::imports::espejote::plugin::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod espejote {
        pub mod plugin {
            /// Exported by a plugin that can tell what config it takes. Used when a manifest is checked, before anything runs.
            ///
            /// Only `logging` may be called in these functions; all other imports trap.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod configuration {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Json = super::super::super::super::__with_name0::Json;
                #[derive(Clone)]
                pub struct Problem {
                    /// A JSON pointer (RFC 6901) into the config; empty for the whole.
                    pub path: _rt::String,
                    pub message: _rt::String,
                }
                impl ::core::fmt::Debug for Problem {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Problem")
                            .field("path", &self.path)
                            .field("message", &self.message)
                            .finish()
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_schema_cabi<T_: Guest>(
                    arg0: *mut u8,
                    arg1: usize,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result1 = {
                            let len0 = arg1;
                            let bytes0 = _rt::Vec::from_raw_parts(
                                arg0.cast(),
                                len0,
                                len0,
                            );
                            T_::schema(_rt::string_lift(bytes0))
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Some(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let vec3 = (e.into_bytes()).into_boxed_slice();
                                let ptr3 = vec3.as_ptr().cast::<u8>();
                                let len3 = vec3.len();
                                ::core::mem::forget(vec3);
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len3;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr3.cast_mut();
                            }
                            None => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_schema<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            _ => {
                                let l1 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l1, l2, 1);
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_validate_cabi<T_: Guest>(
                    arg0: *mut u8,
                    arg1: usize,
                    arg2: *mut u8,
                    arg3: usize,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result2 = {
                            let len0 = arg1;
                            let bytes0 = _rt::Vec::from_raw_parts(
                                arg0.cast(),
                                len0,
                                len0,
                            );
                            let len1 = arg3;
                            let bytes1 = _rt::Vec::from_raw_parts(
                                arg2.cast(),
                                len1,
                                len1,
                            );
                            T_::validate(
                                _rt::string_lift(bytes0),
                                _rt::string_lift(bytes1),
                            )
                        };
                        let ptr3 = (&raw mut _RET_AREA.0).cast::<u8>();
                        let vec7 = result2;
                        let len7 = vec7.len();
                        let layout7 = _rt::alloc::Layout::from_size_align(
                                vec7.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            )
                            .unwrap();
                        let (result7, _cleanup7) = ::espejote_sdk::bindings::rt::Cleanup::new(
                            layout7,
                        );
                        if let Some(cleanup) = _cleanup7 {
                            cleanup.forget();
                        }
                        for (i, e) in vec7.into_iter().enumerate() {
                            let base = result7
                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                            {
                                let Problem { path: path4, message: message4 } = e;
                                let vec5 = (path4.into_bytes()).into_boxed_slice();
                                let ptr5 = vec5.as_ptr().cast::<u8>();
                                let len5 = vec5.len();
                                ::core::mem::forget(vec5);
                                *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len5;
                                *base.add(0).cast::<*mut u8>() = ptr5.cast_mut();
                                let vec6 = (message4.into_bytes()).into_boxed_slice();
                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                let len6 = vec6.len();
                                ::core::mem::forget(vec6);
                                *base
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len6;
                                *base
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr6.cast_mut();
                            }
                        }
                        *ptr3.add(::core::mem::size_of::<*const u8>()).cast::<usize>() = len7;
                        *ptr3.add(0).cast::<*mut u8>() = result7;
                        ptr3
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_validate<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = *arg0.add(0).cast::<*mut u8>();
                        let l1 = *arg0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base6 = l0;
                        let len6 = l1;
                        for i in 0..len6 {
                            let base = base6
                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                            {
                                let l2 = *base.add(0).cast::<*mut u8>();
                                let l3 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l2, l3, 1);
                                let l4 = *base
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l5 = *base
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l4, l5, 1);
                            }
                        }
                        _rt::cabi_dealloc(
                            base6,
                            len6 * (4 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        );
                    }
                }
                pub trait Guest {
                    /// The JSON Schema (2020-12) of the config. None: it has none. `role` is the name of the exported interface that is
                    /// going to run with the config: `reconcile`, `admit`, `provide` or one of a later version.
                    #[allow(async_fn_in_trait)]
                    fn schema(role: _rt::String) -> ::core::option::Option<Json>;
                    /// Checks what a schema cannot say; called only with a config that satisfies the schema. Empty: no problem found.
                    #[allow(async_fn_in_trait)]
                    fn validate(role: _rt::String, config: Json) -> _rt::Vec<Problem>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_espejote_plugin_configuration_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "espejote:plugin/configuration@0.1.0#schema")] unsafe extern "C"
                        fn export_schema(arg0 : * mut u8, arg1 : usize,) -> * mut u8 {
                        unsafe { $($path_to_types)*:: _export_schema_cabi::<$ty > (arg0,
                        arg1) } } #[unsafe (export_name =
                        "cabi_post_espejote:plugin/configuration@0.1.0#schema")] unsafe
                        extern "C" fn _post_return_schema(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_schema::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "espejote:plugin/configuration@0.1.0#validate")] unsafe extern
                        "C" fn export_validate(arg0 : * mut u8, arg1 : usize, arg2 : *
                        mut u8, arg3 : usize,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_validate_cabi::<$ty > (arg0, arg1,
                        arg2, arg3) } } #[unsafe (export_name =
                        "cabi_post_espejote:plugin/configuration@0.1.0#validate")] unsafe
                        extern "C" fn _post_return_validate(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_validate::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_espejote_plugin_configuration_0_1_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 3 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 3
                        * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        ::espejote_sdk::bindings::rt::run_ctors_once();
    }
    pub use alloc_crate::vec::Vec;
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
        }
    }
    pub unsafe fn cabi_dealloc(ptr: *mut u8, size: usize, align: usize) {
        if size == 0 {
            return;
        }
        unsafe {
            let layout = alloc::Layout::from_size_align_unchecked(size, align);
            alloc::dealloc(ptr, layout);
        }
    }
    pub use alloc_crate::alloc;
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_configuration_impl {
    ($ty:ident) => {
        ::espejote_sdk::bindings::configuration::export!($ty
        with_types_in::espejote_sdk::bindings::configuration);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::espejote::plugin::configuration::__export_espejote_plugin_configuration_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*::
        exports::espejote::plugin::configuration); const _ : () = { #[cfg(target_arch =
        "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:espejote:sdk:configuration:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 664] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x94\x04\x01A\x02\x01\
A\x05\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x02\x03\0\0\x04j\
son\x01B\x0a\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x01r\x02\x04paths\x07mess\
ages\x04\0\x07problem\x03\0\x02\x01k\x01\x01@\x01\x04roles\0\x04\x04\0\x06schema\
\x01\x05\x01p\x03\x01@\x02\x04roles\x06config\x01\0\x06\x04\0\x08validate\x01\x07\
\x04\0#espejote:plugin/configuration@0.1.0\x05\x02\x04\0\x1aespejote:sdk/configu\
ration\x04\0\x0b\x13\x01\0\x0dconfiguration\x03\0\0\0G\x09producers\x01\x0cproce\
ssed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_configuration_impl as export;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:espejote:sdk:configuration-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 570] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x96\x03\x01A\x02\x01\
A\x02\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x04\0:espejote:s\
dk/configuration-with-all-of-its-exports-removed\x04\0\x0b3\x01\0-configuration-\
with-all-of-its-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0d\
wit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    ::espejote_sdk::bindings::rt::maybe_link_cabi_realloc();
}
