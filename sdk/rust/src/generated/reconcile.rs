#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::imports::espejote::plugin::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod espejote {
        pub mod plugin {
            /// Exported by a reconciler.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod reconcile {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Failure = super::super::super::super::__with_name0::Failure;
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_reconcile_cabi<T_: Guest>() -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result0 = { T_::reconcile() };
                        let ptr1 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result0 {
                            Ok(_) => {
                                *ptr1.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Err(e) => {
                                *ptr1.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Failure {
                                    kind: kind2,
                                    message: message2,
                                } = e;
                                *ptr1
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (kind2.clone() as i32) as u8;
                                let vec3 = (message2.into_bytes()).into_boxed_slice();
                                let ptr3 = vec3.as_ptr().cast::<u8>();
                                let len3 = vec3.len();
                                ::core::mem::forget(vec3);
                                *ptr1
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len3;
                                *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr3.cast_mut();
                            }
                        };
                        ptr1
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_reconcile<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            _ => {
                                let l1 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l1, l2, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Reads `trigger`, `state`, `provided` and `library`, and emits through `desired` and `report`. Ends within the
                    /// limits or is stopped. Wall-clock time stands still during the call.
                    #[allow(async_fn_in_trait)]
                    fn reconcile() -> ::core::result::Result<(), Failure>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_espejote_plugin_reconcile_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "espejote:plugin/reconcile@0.1.0#reconcile")] unsafe extern "C"
                        fn export_reconcile() -> * mut u8 { unsafe { $($path_to_types)*::
                        _export_reconcile_cabi::<$ty > () } } #[unsafe (export_name =
                        "cabi_post_espejote:plugin/reconcile@0.1.0#reconcile")] unsafe
                        extern "C" fn _post_return_reconcile(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_reconcile::<$ty > (arg0) } }
                        };
                    };
                }
                #[doc(hidden)]
                pub use __export_espejote_plugin_reconcile_0_1_0_cabi;
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
macro_rules! __export_reconcile_impl {
    ($ty:ident) => {
        ::espejote_sdk::bindings::reconcile::export!($ty
        with_types_in::espejote_sdk::bindings::reconcile);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::espejote::plugin::reconcile::__export_espejote_plugin_reconcile_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::espejote::plugin::reconcile);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:espejote:sdk:reconcile:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 591] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xcf\x03\x01A\x02\x01\
A\x05\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x02\x03\0\0\x07f\
ailure\x01B\x05\x02\x03\x02\x01\x01\x04\0\x07failure\x03\0\0\x01j\0\x01\x01\x01@\
\0\0\x02\x04\0\x09reconcile\x01\x03\x04\0\x1fespejote:plugin/reconcile@0.1.0\x05\
\x02\x04\0\x16espejote:sdk/reconcile\x04\0\x0b\x0f\x01\0\x09reconcile\x03\0\0\0G\
\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen\
-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_reconcile_impl as export;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:espejote:sdk:reconcile-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 562] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x92\x03\x01A\x02\x01\
A\x02\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x04\06espejote:s\
dk/reconcile-with-all-of-its-exports-removed\x04\0\x0b/\x01\0)reconcile-with-all\
-of-its-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-c\
omponent\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    ::espejote_sdk::bindings::rt::maybe_link_cabi_realloc();
}
