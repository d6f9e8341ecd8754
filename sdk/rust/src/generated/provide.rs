#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::imports::espejote::plugin::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod espejote {
        pub mod plugin {
            /// Exported by a provider.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod provide {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Json = super::super::super::super::__with_name0::Json;
                pub type Failure = super::super::super::super::__with_name0::Failure;
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_provide_cabi<T_: Guest>() -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result0 = { T_::provide() };
                        let ptr1 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result0 {
                            Ok(e) => {
                                *ptr1.add(0).cast::<u8>() = (0i32) as u8;
                                let vec2 = (e.into_bytes()).into_boxed_slice();
                                let ptr2 = vec2.as_ptr().cast::<u8>();
                                let len2 = vec2.len();
                                ::core::mem::forget(vec2);
                                *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len2;
                                *ptr1
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr2.cast_mut();
                            }
                            Err(e) => {
                                *ptr1.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Failure {
                                    kind: kind3,
                                    message: message3,
                                } = e;
                                *ptr1
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (kind3.clone() as i32) as u8;
                                let vec4 = (message3.into_bytes()).into_boxed_slice();
                                let ptr4 = vec4.as_ptr().cast::<u8>();
                                let len4 = vec4.len();
                                ::core::mem::forget(vec4);
                                *ptr1
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len4;
                                *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr4.cast_mut();
                            }
                        };
                        ptr1
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_provide<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l1, l2, 1);
                            }
                            _ => {
                                let l3 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l4 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l3, l4, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Computes an entry of `context`. The owner is the one whose manifest has the entry; the config is the entry's.
                    #[allow(async_fn_in_trait)]
                    fn provide() -> ::core::result::Result<Json, Failure>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_espejote_plugin_provide_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "espejote:plugin/provide@0.1.0#provide")] unsafe extern "C" fn
                        export_provide() -> * mut u8 { unsafe { $($path_to_types)*::
                        _export_provide_cabi::<$ty > () } } #[unsafe (export_name =
                        "cabi_post_espejote:plugin/provide@0.1.0#provide")] unsafe extern
                        "C" fn _post_return_provide(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_provide::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_espejote_plugin_provide_0_1_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 4 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 4
                        * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        ::espejote_sdk::bindings::rt::run_ctors_once();
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
macro_rules! __export_provide_impl {
    ($ty:ident) => {
        ::espejote_sdk::bindings::provide::export!($ty
        with_types_in::espejote_sdk::bindings::provide);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::espejote::plugin::provide::__export_espejote_plugin_provide_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::espejote::plugin::provide);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:espejote:sdk:provide:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 608] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xe2\x03\x01A\x02\x01\
A\x06\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x02\x03\0\0\x04j\
son\x02\x03\0\0\x07failure\x01B\x07\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x02\
\x03\x02\x01\x02\x04\0\x07failure\x03\0\x02\x01j\x01\x01\x01\x03\x01@\0\0\x04\x04\
\0\x07provide\x01\x05\x04\0\x1despejote:plugin/provide@0.1.0\x05\x03\x04\0\x14es\
pejote:sdk/provide\x04\0\x0b\x0d\x01\0\x07provide\x03\0\0\0G\x09producers\x01\x0c\
processed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_provide_impl as export;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:espejote:sdk:provide-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 558] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x90\x03\x01A\x02\x01\
A\x02\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x04\04espejote:s\
dk/provide-with-all-of-its-exports-removed\x04\0\x0b-\x01\0'provide-with-all-of-\
its-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-compo\
nent\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    ::espejote_sdk::bindings::rt::maybe_link_cabi_realloc();
}
