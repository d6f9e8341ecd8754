#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::imports::espejote::plugin::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod espejote {
        pub mod plugin {
            /// Exported by an admitter.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod admit {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Json = super::super::super::super::__with_name0::Json;
                pub type Failure = super::super::super::super::__with_name0::Failure;
                /// A change to the object under review. Only where the manifest says `mutating: true`, else the request fails.
                #[derive(Clone)]
                pub enum Mutation {
                    /// A JSON patch (RFC 6902): an array of operations.
                    Patch(Json),
                    /// The whole object as it should be; the host works out the patch.
                    Object(Json),
                }
                impl ::core::fmt::Debug for Mutation {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Mutation::Patch(e) => {
                                f.debug_tuple("Mutation::Patch").field(e).finish()
                            }
                            Mutation::Object(e) => {
                                f.debug_tuple("Mutation::Object").field(e).finish()
                            }
                        }
                    }
                }
                #[derive(Clone)]
                pub struct Decision {
                    pub allowed: bool,
                    /// HTTP status code in the answer. None: 200 if allowed, 403 if not.
                    pub code: ::core::option::Option<u16>,
                    /// For the user who sent the request. Empty: none.
                    pub message: _rt::String,
                    /// Must be none if not allowed.
                    pub mutation: ::core::option::Option<Mutation>,
                }
                impl ::core::fmt::Debug for Decision {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Decision")
                            .field("allowed", &self.allowed)
                            .field("code", &self.code)
                            .field("message", &self.message)
                            .field("mutation", &self.mutation)
                            .finish()
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_admit_cabi<T_: Guest>(
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
                            T_::admit(_rt::string_lift(bytes0))
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(e) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                                let Decision {
                                    allowed: allowed3,
                                    code: code3,
                                    message: message3,
                                    mutation: mutation3,
                                } = e;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (match allowed3 {
                                    true => 1,
                                    false => 0,
                                }) as u8;
                                match code3 {
                                    Some(e) => {
                                        *ptr2
                                            .add(2 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        *ptr2
                                            .add(4 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr2
                                            .add(2 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let vec4 = (message3.into_bytes()).into_boxed_slice();
                                let ptr4 = vec4.as_ptr().cast::<u8>();
                                let len4 = vec4.len();
                                ::core::mem::forget(vec4);
                                *ptr2
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len4;
                                *ptr2
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr4.cast_mut();
                                match mutation3 {
                                    Some(e) => {
                                        *ptr2
                                            .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        match e {
                                            Mutation::Patch(e) => {
                                                *ptr2
                                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                                let vec5 = (e.into_bytes()).into_boxed_slice();
                                                let ptr5 = vec5.as_ptr().cast::<u8>();
                                                let len5 = vec5.len();
                                                ::core::mem::forget(vec5);
                                                *ptr2
                                                    .add(8 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len5;
                                                *ptr2
                                                    .add(8 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr5.cast_mut();
                                            }
                                            Mutation::Object(e) => {
                                                *ptr2
                                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                let vec6 = (e.into_bytes()).into_boxed_slice();
                                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                                let len6 = vec6.len();
                                                ::core::mem::forget(vec6);
                                                *ptr2
                                                    .add(8 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len6;
                                                *ptr2
                                                    .add(8 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr6.cast_mut();
                                            }
                                        }
                                    }
                                    None => {
                                        *ptr2
                                            .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Failure {
                                    kind: kind7,
                                    message: message7,
                                } = e;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (kind7.clone() as i32) as u8;
                                let vec8 = (message7.into_bytes()).into_boxed_slice();
                                let ptr8 = vec8.as_ptr().cast::<u8>();
                                let len8 = vec8.len();
                                ::core::mem::forget(vec8);
                                *ptr2
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len8;
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr8.cast_mut();
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_admit<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l1, l2, 1);
                                let l3 = i32::from(
                                    *arg0
                                        .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>(),
                                );
                                match l3 {
                                    0 => {}
                                    _ => {
                                        let l4 = i32::from(
                                            *arg0
                                                .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                                .cast::<u8>(),
                                        );
                                        match l4 {
                                            0 => {
                                                let l5 = *arg0
                                                    .add(8 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l6 = *arg0
                                                    .add(8 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l5, l6, 1);
                                            }
                                            _ => {
                                                let l7 = *arg0
                                                    .add(8 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l8 = *arg0
                                                    .add(8 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l7, l8, 1);
                                            }
                                        }
                                    }
                                }
                            }
                            _ => {
                                let l9 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l10 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l9, l10, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Decides on one AdmissionRequest (`admission.k8s.io/v1`), given as JSON. A failure answers with code 500, so the
                    /// request is refused.
                    #[allow(async_fn_in_trait)]
                    fn admit(request: Json) -> ::core::result::Result<Decision, Failure>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_espejote_plugin_admit_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "espejote:plugin/admit@0.1.0#admit")] unsafe extern "C" fn
                        export_admit(arg0 : * mut u8, arg1 : usize,) -> * mut u8 { unsafe
                        { $($path_to_types)*:: _export_admit_cabi::<$ty > (arg0, arg1) }
                        } #[unsafe (export_name =
                        "cabi_post_espejote:plugin/admit@0.1.0#admit")] unsafe extern "C"
                        fn _post_return_admit(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_admit::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_espejote_plugin_admit_0_1_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 8 + 7 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 8
                        + 7 * ::core::mem::size_of::<*const u8>()],
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
    pub fn as_i32<T: AsI32>(t: T) -> i32 {
        t.as_i32()
    }
    pub trait AsI32 {
        fn as_i32(self) -> i32;
    }
    impl<'a, T: Copy + AsI32> AsI32 for &'a T {
        fn as_i32(self) -> i32 {
            (*self).as_i32()
        }
    }
    impl AsI32 for i32 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u32 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for i16 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u16 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for i8 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u8 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for char {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for usize {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
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
    extern crate alloc as alloc_crate;
    pub use alloc_crate::alloc;
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
macro_rules! __export_admit_impl {
    ($ty:ident) => {
        ::espejote_sdk::bindings::admit::export!($ty
        with_types_in::espejote_sdk::bindings::admit);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::espejote::plugin::admit::__export_espejote_plugin_admit_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::espejote::plugin::admit); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:espejote:sdk:admit:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 702] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xc2\x04\x01A\x02\x01\
A\x06\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x02\x03\0\0\x04j\
son\x02\x03\0\0\x07failure\x01B\x0d\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x02\
\x03\x02\x01\x02\x04\0\x07failure\x03\0\x02\x01q\x02\x05patch\x01\x01\0\x06objec\
t\x01\x01\0\x04\0\x08mutation\x03\0\x04\x01k{\x01k\x05\x01r\x04\x07allowed\x7f\x04\
code\x06\x07messages\x08mutation\x07\x04\0\x08decision\x03\0\x08\x01j\x01\x09\x01\
\x03\x01@\x01\x07request\x01\0\x0a\x04\0\x05admit\x01\x0b\x04\0\x1bespejote:plug\
in/admit@0.1.0\x05\x03\x04\0\x12espejote:sdk/admit\x04\0\x0b\x0b\x01\0\x05admit\x03\
\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-\
bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_admit_impl as export;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:espejote:sdk:admit-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 554] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x8e\x03\x01A\x02\x01\
A\x02\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x04\02espejote:s\
dk/admit-with-all-of-its-exports-removed\x04\0\x0b+\x01\0%admit-with-all-of-its-\
exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\
\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    ::espejote_sdk::bindings::rt::maybe_link_cabi_realloc();
}
