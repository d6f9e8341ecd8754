#[allow(dead_code, clippy::all)]
pub mod espejote {
    pub mod plugin {
        /// Words that several interfaces share.
        ///
        /// How this package may change: the component model compares records, variants, enums and function signatures for
        /// equality, so none of them changes within a release line. What is expected to grow is therefore a *function of an
        /// imported interface*; functions, interfaces and worlds can be added (marked `@since`). Exports stay small.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod types {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            /// Exactly one JSON document, UTF-8, no byte order mark, nothing after it.
            ///
            /// The host keeps numbers as they are written: `9007199254740993` and `3.0` arrive as they left. (Parsers
            /// that turn every number into a double, like `JSON.parse`, lose that in the guest.)
            pub type Json = _rt::String;
            /// Names one object of the cluster.
            #[derive(Clone)]
            pub struct ObjectId {
                /// `group/version`, or `v1` for the core group.
                pub api_version: _rt::String,
                pub kind: _rt::String,
                /// Empty: the kind is cluster-scoped. In what a guest emits, empty for a namespaced kind means the
                /// namespace of the owner (see `invocation.owner`).
                pub namespace: _rt::String,
                pub name: _rt::String,
            }
            impl ::core::fmt::Debug for ObjectId {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("ObjectId")
                        .field("api-version", &self.api_version)
                        .field("kind", &self.kind)
                        .field("namespace", &self.namespace)
                        .field("name", &self.name)
                        .finish()
                }
            }
            /// Stands for a content. Two equal revisions mean equal bytes, wherever they were read, for as long as this
            /// instance lives. They have no order, and mean nothing to another instance or after a restart of the host.
            pub type Revision = u64;
            /// Why a call gives no result. Decides what the host does next.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum FailureKind {
                /// The config cannot work. Not tried again until the config changes.
                InvalidConfig,
                /// Something read from the cluster cannot be used. Tried again once something this call could read has
                /// changed, and at the longest back-off interval in any case.
                InvalidInput,
                /// The logic ran, and its result breaks a rule. Tried again like `invalid-input`.
                InvalidOutput,
                /// Something needed is not there yet. Tried again with back-off; no warning event.
                NotReady,
                /// Anything else, bugs included. Tried again with back-off.
                Internal,
            }
            impl ::core::fmt::Debug for FailureKind {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        FailureKind::InvalidConfig => {
                            f.debug_tuple("FailureKind::InvalidConfig").finish()
                        }
                        FailureKind::InvalidInput => {
                            f.debug_tuple("FailureKind::InvalidInput").finish()
                        }
                        FailureKind::InvalidOutput => {
                            f.debug_tuple("FailureKind::InvalidOutput").finish()
                        }
                        FailureKind::NotReady => {
                            f.debug_tuple("FailureKind::NotReady").finish()
                        }
                        FailureKind::Internal => {
                            f.debug_tuple("FailureKind::Internal").finish()
                        }
                    }
                }
            }
            impl FailureKind {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> FailureKind {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => FailureKind::InvalidConfig,
                        1 => FailureKind::InvalidInput,
                        2 => FailureKind::InvalidOutput,
                        3 => FailureKind::NotReady,
                        4 => FailureKind::Internal,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// Returned by an export instead of a result. Nothing that the call emitted is written.
            #[derive(Clone)]
            pub struct Failure {
                pub kind: FailureKind,
                /// For people: which object or path, what was expected. No Secret contents. Shown in status, event and log,
                /// cut at 1 KiB there.
                pub message: _rt::String,
            }
            impl ::core::fmt::Debug for Failure {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Failure")
                        .field("kind", &self.kind)
                        .field("message", &self.message)
                        .finish()
                }
            }
            impl ::core::fmt::Display for Failure {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    write!(f, "{:?}", self)
                }
            }
            impl ::core::error::Error for Failure {}
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum UnavailableReason {
                /// The manifest defines nothing of this name (or of another sort: see `state` and `provided`).
                UnknownName,
                /// Not filled yet, or no longer kept up to date. Never taken for "empty".
                NotSynced,
                /// The ServiceAccount may not read it.
                Forbidden,
                /// Anything else, such as a kind that the cluster does not know or a provider that failed.
                Failed,
            }
            impl ::core::fmt::Debug for UnavailableReason {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        UnavailableReason::UnknownName => {
                            f.debug_tuple("UnavailableReason::UnknownName").finish()
                        }
                        UnavailableReason::NotSynced => {
                            f.debug_tuple("UnavailableReason::NotSynced").finish()
                        }
                        UnavailableReason::Forbidden => {
                            f.debug_tuple("UnavailableReason::Forbidden").finish()
                        }
                        UnavailableReason::Failed => {
                            f.debug_tuple("UnavailableReason::Failed").finish()
                        }
                    }
                }
            }
            impl UnavailableReason {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> UnavailableReason {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => UnavailableReason::UnknownName,
                        1 => UnavailableReason::NotSynced,
                        2 => UnavailableReason::Forbidden,
                        3 => UnavailableReason::Failed,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// "Cannot be had", as opposed to "there is none".
            #[derive(Clone)]
            pub struct Unavailable {
                pub reason: UnavailableReason,
                /// The words of the API server, or of the provider.
                pub message: _rt::String,
            }
            impl ::core::fmt::Debug for Unavailable {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Unavailable")
                        .field("reason", &self.reason)
                        .field("message", &self.message)
                        .finish()
                }
            }
            impl ::core::fmt::Display for Unavailable {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    write!(f, "{:?}", self)
                }
            }
            impl ::core::error::Error for Unavailable {}
        }
        /// The entries of `context` that are computed by a plugin (world `provider`) instead of read from the cluster.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod provided {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Json = super::super::super::espejote::plugin::types::Json;
            pub type Unavailable = super::super::super::espejote::plugin::types::Unavailable;
            #[allow(unused_unsafe, clippy::all)]
            /// The names of all such entries, in the order of the manifest.
            #[allow(async_fn_in_trait)]
            pub fn names() -> _rt::Vec<_rt::String> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 2
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/provided@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "names"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = *ptr0.add(0).cast::<*mut u8>();
                    let l3 = *ptr0
                        .add(::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let base7 = l2;
                    let len7 = l3;
                    let mut result7 = _rt::Vec::with_capacity(len7);
                    for i in 0..len7 {
                        let base = base7
                            .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                        let e7 = {
                            let l4 = *base.add(0).cast::<*mut u8>();
                            let l5 = *base
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len6 = l5;
                            let bytes6 = _rt::Vec::from_raw_parts(l4.cast(), len6, len6);
                            _rt::string_lift(bytes6)
                        };
                        result7.push(e7);
                    }
                    _rt::cabi_dealloc(
                        base7,
                        len7 * (2 * ::core::mem::size_of::<*const u8>()),
                        ::core::mem::size_of::<*const u8>(),
                    );
                    let result8 = result7;
                    result8
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The value. The provider runs at most once for a call; asking again gives the same answer.
            #[allow(async_fn_in_trait)]
            pub fn get(name: &str) -> ::core::result::Result<Json, Unavailable> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 4
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = name;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/provided@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "get"]
                        fn wit_import2(_: *mut u8, _: usize, _: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(_: *mut u8, _: usize, _: *mut u8) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, ptr1);
                    let l3 = i32::from(*ptr1.add(0).cast::<u8>());
                    let result11 = match l3 {
                        0 => {
                            let e = {
                                let l4 = *ptr1
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l5 = *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len6 = l5;
                                let bytes6 = _rt::Vec::from_raw_parts(
                                    l4.cast(),
                                    len6,
                                    len6,
                                );
                                _rt::string_lift(bytes6)
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l7 = i32::from(
                                    *ptr1.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                let l8 = *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *ptr1
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len10 = l9;
                                let bytes10 = _rt::Vec::from_raw_parts(
                                    l8.cast(),
                                    len10,
                                    len10,
                                );
                                super::super::super::espejote::plugin::types::Unavailable {
                                    reason: super::super::super::espejote::plugin::types::UnavailableReason::_lift(
                                        l7 as u8,
                                    ),
                                    message: _rt::string_lift(bytes10),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result11
                }
            }
        }
        /// What started this reconcile.
        ///
        /// ```text
        /// started by                     name    event       object
        /// the ManagedResource itself     none    none        none
        /// an interval                    some    none        none
        /// an object that exists          some    some        some
        /// an object that is gone         some    some        none
        /// ```
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod trigger {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Json = super::super::super::espejote::plugin::types::Json;
            pub type ObjectId = super::super::super::espejote::plugin::types::ObjectId;
            #[allow(unused_unsafe, clippy::all)]
            /// The name of the trigger in the manifest. None: the general reconcile, for all objects at once.
            #[allow(async_fn_in_trait)]
            pub fn name() -> ::core::option::Option<_rt::String> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 3 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 3
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/trigger@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "name"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = i32::from(*ptr0.add(0).cast::<u8>());
                    let result6 = match l2 {
                        0 => None,
                        1 => {
                            let e = {
                                let l3 = *ptr0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l4 = *ptr0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len5 = l4;
                                let bytes5 = _rt::Vec::from_raw_parts(
                                    l3.cast(),
                                    len5,
                                    len5,
                                );
                                _rt::string_lift(bytes5)
                            };
                            Some(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result6
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The object whose change started this call. Several changes of it may have been merged into one call.
            #[allow(async_fn_in_trait)]
            pub fn event() -> ::core::option::Option<ObjectId> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 9 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 9
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/trigger@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "event"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = i32::from(*ptr0.add(0).cast::<u8>());
                    let result15 = match l2 {
                        0 => None,
                        1 => {
                            let e = {
                                let l3 = *ptr0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l4 = *ptr0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len5 = l4;
                                let bytes5 = _rt::Vec::from_raw_parts(
                                    l3.cast(),
                                    len5,
                                    len5,
                                );
                                let l6 = *ptr0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *ptr0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len8 = l7;
                                let bytes8 = _rt::Vec::from_raw_parts(
                                    l6.cast(),
                                    len8,
                                    len8,
                                );
                                let l9 = *ptr0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l10 = *ptr0
                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len11 = l10;
                                let bytes11 = _rt::Vec::from_raw_parts(
                                    l9.cast(),
                                    len11,
                                    len11,
                                );
                                let l12 = *ptr0
                                    .add(7 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l13 = *ptr0
                                    .add(8 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len14 = l13;
                                let bytes14 = _rt::Vec::from_raw_parts(
                                    l12.cast(),
                                    len14,
                                    len14,
                                );
                                super::super::super::espejote::plugin::types::ObjectId {
                                    api_version: _rt::string_lift(bytes5),
                                    kind: _rt::string_lift(bytes8),
                                    namespace: _rt::string_lift(bytes11),
                                    name: _rt::string_lift(bytes14),
                                }
                            };
                            Some(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result15
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// That object as it is now, at the instant of `state`. Not as it was when the change was seen.
            #[allow(async_fn_in_trait)]
            pub fn object() -> ::core::option::Option<Json> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 3 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 3
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/trigger@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "object"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = i32::from(*ptr0.add(0).cast::<u8>());
                    let result6 = match l2 {
                        0 => None,
                        1 => {
                            let e = {
                                let l3 = *ptr0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l4 = *ptr0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len5 = l4;
                                let bytes5 = _rt::Vec::from_raw_parts(
                                    l3.cast(),
                                    len5,
                                    len5,
                                );
                                _rt::string_lift(bytes5)
                            };
                            Some(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result6
                }
            }
        }
        /// What the cluster should look like. The host collects it; nothing is written before the call has succeeded and
        /// all of it has been found well-formed. Whether a kind exists, and its scope, is found out item by item while writing.
        ///
        /// An item that is not valid (no JSON object, no `kind`, a group left open …) makes the call fail. The host reports all such
        /// items together, each by position and name, after the call has returned: nothing here returns an error. Going over a limit
        /// on items or bytes traps.
        ///
        /// Written in the order of emission, one after the other, as the owner's ServiceAccount.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod desired {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Json = super::super::super::espejote::plugin::types::Json;
            pub type ObjectId = super::super::super::espejote::plugin::types::ObjectId;
            /// What becomes of the rest of a group after an error at one of its items.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum ErrorPolicy {
                /// Carry on; report all errors at the end.
                Continue,
                /// Leave out the rest of this group. For the group around it, this group is one item with an error.
                Abort,
            }
            impl ::core::fmt::Debug for ErrorPolicy {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        ErrorPolicy::Continue => {
                            f.debug_tuple("ErrorPolicy::Continue").finish()
                        }
                        ErrorPolicy::Abort => {
                            f.debug_tuple("ErrorPolicy::Abort").finish()
                        }
                    }
                }
            }
            impl ErrorPolicy {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> ErrorPolicy {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => ErrorPolicy::Continue,
                        1 => ErrorPolicy::Abort,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// How the API server treats unknown and duplicate fields.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum FieldValidation {
                Ignore,
                Warn,
                Strict,
            }
            impl ::core::fmt::Debug for FieldValidation {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        FieldValidation::Ignore => {
                            f.debug_tuple("FieldValidation::Ignore").finish()
                        }
                        FieldValidation::Warn => {
                            f.debug_tuple("FieldValidation::Warn").finish()
                        }
                        FieldValidation::Strict => {
                            f.debug_tuple("FieldValidation::Strict").finish()
                        }
                    }
                }
            }
            impl FieldValidation {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> FieldValidation {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => FieldValidation::Ignore,
                        1 => FieldValidation::Warn,
                        2 => FieldValidation::Strict,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// Whatever is left out comes from `spec.applyOptions` of the owner, then from the host's defaults.
            #[derive(Clone)]
            pub struct ApplyOptions {
                pub field_manager: ::core::option::Option<_rt::String>,
                /// Appended to the field manager, whichever it is; gives one owner several managers.
                pub field_manager_suffix: ::core::option::Option<_rt::String>,
                /// Take fields over from other managers. `false` is a value too: it wins over the owner's `true`.
                pub force: ::core::option::Option<bool>,
                pub field_validation: ::core::option::Option<FieldValidation>,
                /// Apply to this subresource, such as `status`, instead of the object itself.
                pub subresource: ::core::option::Option<_rt::String>,
            }
            impl ::core::fmt::Debug for ApplyOptions {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("ApplyOptions")
                        .field("field-manager", &self.field_manager)
                        .field("field-manager-suffix", &self.field_manager_suffix)
                        .field("force", &self.force)
                        .field("field-validation", &self.field_validation)
                        .field("subresource", &self.subresource)
                        .finish()
                }
            }
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum PropagationPolicy {
                Background,
                Foreground,
                Orphan,
            }
            impl ::core::fmt::Debug for PropagationPolicy {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        PropagationPolicy::Background => {
                            f.debug_tuple("PropagationPolicy::Background").finish()
                        }
                        PropagationPolicy::Foreground => {
                            f.debug_tuple("PropagationPolicy::Foreground").finish()
                        }
                        PropagationPolicy::Orphan => {
                            f.debug_tuple("PropagationPolicy::Orphan").finish()
                        }
                    }
                }
            }
            impl PropagationPolicy {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> PropagationPolicy {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => PropagationPolicy::Background,
                        1 => PropagationPolicy::Foreground,
                        2 => PropagationPolicy::Orphan,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// Whatever is left out is up to the API server.
            #[derive(Clone)]
            pub struct DeleteOptions {
                pub grace_period_seconds: ::core::option::Option<u32>,
                pub propagation_policy: ::core::option::Option<PropagationPolicy>,
                /// Delete only the object with this uid.
                pub precondition_uid: ::core::option::Option<_rt::String>,
                /// Delete only this version of the object.
                pub precondition_resource_version: ::core::option::Option<_rt::String>,
            }
            impl ::core::fmt::Debug for DeleteOptions {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("DeleteOptions")
                        .field("grace-period-seconds", &self.grace_period_seconds)
                        .field("propagation-policy", &self.propagation_policy)
                        .field("precondition-uid", &self.precondition_uid)
                        .field(
                            "precondition-resource-version",
                            &self.precondition_resource_version,
                        )
                        .finish()
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Server-side apply of an object: `apiVersion`, `kind`, `metadata.name` and the fields to own.
            #[allow(async_fn_in_trait)]
            pub fn apply(
                object: &str,
                options: ::core::option::Option<&ApplyOptions>,
            ) -> () {
                unsafe {
                    let vec0 = object;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let (
                        result10_0,
                        result10_1,
                        result10_2,
                        result10_3,
                        result10_4,
                        result10_5,
                        result10_6,
                        result10_7,
                        result10_8,
                        result10_9,
                        result10_10,
                        result10_11,
                        result10_12,
                        result10_13,
                    ) = match options {
                        Some(e) => {
                            let ApplyOptions {
                                field_manager: field_manager1,
                                field_manager_suffix: field_manager_suffix1,
                                force: force1,
                                field_validation: field_validation1,
                                subresource: subresource1,
                            } = e;
                            let (result3_0, result3_1, result3_2) = match field_manager1 {
                                Some(e) => {
                                    let vec2 = e;
                                    let ptr2 = vec2.as_ptr().cast::<u8>();
                                    let len2 = vec2.len();
                                    (1i32, ptr2.cast_mut(), len2)
                                }
                                None => (0i32, ::core::ptr::null_mut(), 0usize),
                            };
                            let (result5_0, result5_1, result5_2) = match field_manager_suffix1 {
                                Some(e) => {
                                    let vec4 = e;
                                    let ptr4 = vec4.as_ptr().cast::<u8>();
                                    let len4 = vec4.len();
                                    (1i32, ptr4.cast_mut(), len4)
                                }
                                None => (0i32, ::core::ptr::null_mut(), 0usize),
                            };
                            let (result6_0, result6_1) = match force1 {
                                Some(e) => {
                                    (
                                        1i32,
                                        match e {
                                            true => 1,
                                            false => 0,
                                        },
                                    )
                                }
                                None => (0i32, 0i32),
                            };
                            let (result7_0, result7_1) = match field_validation1 {
                                Some(e) => (1i32, e.clone() as i32),
                                None => (0i32, 0i32),
                            };
                            let (result9_0, result9_1, result9_2) = match subresource1 {
                                Some(e) => {
                                    let vec8 = e;
                                    let ptr8 = vec8.as_ptr().cast::<u8>();
                                    let len8 = vec8.len();
                                    (1i32, ptr8.cast_mut(), len8)
                                }
                                None => (0i32, ::core::ptr::null_mut(), 0usize),
                            };
                            (
                                1i32,
                                result3_0,
                                result3_1,
                                result3_2,
                                result5_0,
                                result5_1,
                                result5_2,
                                result6_0,
                                result6_1,
                                result7_0,
                                result7_1,
                                result9_0,
                                result9_1,
                                result9_2,
                            )
                        }
                        None => {
                            (
                                0i32,
                                0i32,
                                ::core::ptr::null_mut(),
                                0usize,
                                0i32,
                                ::core::ptr::null_mut(),
                                0usize,
                                0i32,
                                0i32,
                                0i32,
                                0i32,
                                0i32,
                                ::core::ptr::null_mut(),
                                0usize,
                            )
                        }
                    };
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/desired@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "apply"]
                        fn wit_import11(
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: i32,
                            _: i32,
                            _: i32,
                            _: i32,
                            _: *mut u8,
                            _: usize,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import11(
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: i32,
                        _: i32,
                        _: i32,
                        _: i32,
                        _: *mut u8,
                        _: usize,
                    ) {
                        unreachable!()
                    }
                    wit_import11(
                        ptr0.cast_mut(),
                        len0,
                        result10_0,
                        result10_1,
                        result10_2,
                        result10_3,
                        result10_4,
                        result10_5,
                        result10_6,
                        result10_7,
                        result10_8,
                        result10_9,
                        result10_10,
                        result10_11,
                        result10_12,
                        result10_13,
                    );
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Deletes an object. That it does not exist is no error.
            #[allow(async_fn_in_trait)]
            pub fn delete(
                id: &ObjectId,
                options: ::core::option::Option<&DeleteOptions>,
            ) -> () {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 8 + 16 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 8
                            + 16 * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    let super::super::super::espejote::plugin::types::ObjectId {
                        api_version: api_version1,
                        kind: kind1,
                        namespace: namespace1,
                        name: name1,
                    } = id;
                    let vec2 = api_version1;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    *ptr0.add(::core::mem::size_of::<*const u8>()).cast::<usize>() = len2;
                    *ptr0.add(0).cast::<*mut u8>() = ptr2.cast_mut();
                    let vec3 = kind1;
                    let ptr3 = vec3.as_ptr().cast::<u8>();
                    let len3 = vec3.len();
                    *ptr0.add(3 * ::core::mem::size_of::<*const u8>()).cast::<usize>() = len3;
                    *ptr0
                        .add(2 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>() = ptr3.cast_mut();
                    let vec4 = namespace1;
                    let ptr4 = vec4.as_ptr().cast::<u8>();
                    let len4 = vec4.len();
                    *ptr0.add(5 * ::core::mem::size_of::<*const u8>()).cast::<usize>() = len4;
                    *ptr0
                        .add(4 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>() = ptr4.cast_mut();
                    let vec5 = name1;
                    let ptr5 = vec5.as_ptr().cast::<u8>();
                    let len5 = vec5.len();
                    *ptr0.add(7 * ::core::mem::size_of::<*const u8>()).cast::<usize>() = len5;
                    *ptr0
                        .add(6 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>() = ptr5.cast_mut();
                    match options {
                        Some(e) => {
                            *ptr0
                                .add(8 * ::core::mem::size_of::<*const u8>())
                                .cast::<u8>() = (1i32) as u8;
                            let DeleteOptions {
                                grace_period_seconds: grace_period_seconds6,
                                propagation_policy: propagation_policy6,
                                precondition_uid: precondition_uid6,
                                precondition_resource_version: precondition_resource_version6,
                            } = e;
                            match grace_period_seconds6 {
                                Some(e) => {
                                    *ptr0
                                        .add(9 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (1i32) as u8;
                                    *ptr0
                                        .add(4 + 9 * ::core::mem::size_of::<*const u8>())
                                        .cast::<i32>() = _rt::as_i32(e);
                                }
                                None => {
                                    *ptr0
                                        .add(9 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (0i32) as u8;
                                }
                            };
                            match propagation_policy6 {
                                Some(e) => {
                                    *ptr0
                                        .add(8 + 9 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (1i32) as u8;
                                    *ptr0
                                        .add(9 + 9 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (e.clone() as i32) as u8;
                                }
                                None => {
                                    *ptr0
                                        .add(8 + 9 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (0i32) as u8;
                                }
                            };
                            match precondition_uid6 {
                                Some(e) => {
                                    *ptr0
                                        .add(8 + 10 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (1i32) as u8;
                                    let vec7 = e;
                                    let ptr7 = vec7.as_ptr().cast::<u8>();
                                    let len7 = vec7.len();
                                    *ptr0
                                        .add(8 + 12 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>() = len7;
                                    *ptr0
                                        .add(8 + 11 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>() = ptr7.cast_mut();
                                }
                                None => {
                                    *ptr0
                                        .add(8 + 10 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (0i32) as u8;
                                }
                            };
                            match precondition_resource_version6 {
                                Some(e) => {
                                    *ptr0
                                        .add(8 + 13 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (1i32) as u8;
                                    let vec8 = e;
                                    let ptr8 = vec8.as_ptr().cast::<u8>();
                                    let len8 = vec8.len();
                                    *ptr0
                                        .add(8 + 15 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>() = len8;
                                    *ptr0
                                        .add(8 + 14 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>() = ptr8.cast_mut();
                                }
                                None => {
                                    *ptr0
                                        .add(8 + 13 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>() = (0i32) as u8;
                                }
                            };
                        }
                        None => {
                            *ptr0
                                .add(8 * ::core::mem::size_of::<*const u8>())
                                .cast::<u8>() = (0i32) as u8;
                        }
                    };
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/desired@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "delete"]
                        fn wit_import9(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import9(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import9(ptr0);
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Starts a group: it is the next item of the group around it and takes in all that follows up to its
            /// `close-group`. None: the policy of the group around it; outside of all groups that is `continue`.
            #[allow(async_fn_in_trait)]
            pub fn open_group(on_error: ::core::option::Option<ErrorPolicy>) -> () {
                unsafe {
                    let (result0_0, result0_1) = match on_error {
                        Some(e) => (1i32, e.clone() as i32),
                        None => (0i32, 0i32),
                    };
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/desired@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "open-group"]
                        fn wit_import1(_: i32, _: i32);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: i32, _: i32) {
                        unreachable!()
                    }
                    wit_import1(result0_0, result0_1);
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Ends the group that was opened last. Without an open group the call fails.
            #[allow(async_fn_in_trait)]
            pub fn close_group() -> () {
                unsafe {
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/desired@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "close-group"]
                        fn wit_import0();
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import0() {
                        unreachable!()
                    }
                    wit_import0();
                }
            }
        }
        /// What to tell about this reconcile, beside what it emits. Taken whether the call succeeds or returns a failure; lost
        /// if it traps. Where a function sets something, the last call counts.
        ///
        /// Reports are kept for each trigger and object, until that one is reconciled again; for an object that is gone, until the reconcile of its deletion has succeeded. The
        /// status shows one of them: for a condition of the same type that is `false` before `unknown` before `true`, so give conditions a
        /// positive sense ("Synced", not "OutOfSync").
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod report {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Json = super::super::super::espejote::plugin::types::Json;
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum ConditionStatus {
                True,
                False,
                Unknown,
            }
            impl ::core::fmt::Debug for ConditionStatus {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        ConditionStatus::True => {
                            f.debug_tuple("ConditionStatus::True").finish()
                        }
                        ConditionStatus::False => {
                            f.debug_tuple("ConditionStatus::False").finish()
                        }
                        ConditionStatus::Unknown => {
                            f.debug_tuple("ConditionStatus::Unknown").finish()
                        }
                    }
                }
            }
            impl ConditionStatus {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> ConditionStatus {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => ConditionStatus::True,
                        1 => ConditionStatus::False,
                        2 => ConditionStatus::Unknown,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// A condition in the status of the owner. The host adds observedGeneration and lastTransitionTime.
            #[derive(Clone)]
            pub struct Condition {
                /// CamelCase. `Ready`, `Reconciling` and `Stalled` are the host's: using them makes the call fail.
                pub type_: _rt::String,
                pub status: ConditionStatus,
                /// One CamelCase word for programs.
                pub reason: _rt::String,
                /// For people.
                pub message: _rt::String,
            }
            impl ::core::fmt::Debug for Condition {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Condition")
                        .field("type", &self.type_)
                        .field("status", &self.status)
                        .field("reason", &self.reason)
                        .field("message", &self.message)
                        .finish()
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Reconcile the same trigger and object again after this time, also if nothing changes. After a failure it takes the
            /// place of the back-off. The host may make it longer. A change that comes earlier is not held up.
            #[allow(async_fn_in_trait)]
            pub fn requeue_after(milliseconds: u32) -> () {
                unsafe {
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/report@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "requeue-after"]
                        fn wit_import0(_: i32);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import0(_: i32) {
                        unreachable!()
                    }
                    wit_import0(_rt::as_i32(&milliseconds));
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// One sentence for people, shown with `Ready`.
            #[allow(async_fn_in_trait)]
            pub fn set_message(message: &str) -> () {
                unsafe {
                    let vec0 = message;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/report@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "set-message"]
                        fn wit_import1(_: *mut u8, _: usize);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8, _: usize) {
                        unreachable!()
                    }
                    wit_import1(ptr0.cast_mut(), len0);
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Sets one condition; conditions that are not set again are removed.
            #[allow(async_fn_in_trait)]
            pub fn set_condition(condition: &Condition) -> () {
                unsafe {
                    let Condition {
                        type_: type_0,
                        status: status0,
                        reason: reason0,
                        message: message0,
                    } = condition;
                    let vec1 = type_0;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let vec2 = reason0;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let vec3 = message0;
                    let ptr3 = vec3.as_ptr().cast::<u8>();
                    let len3 = vec3.len();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/report@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "set-condition"]
                        fn wit_import4(
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import4(
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                    ) {
                        unreachable!()
                    }
                    wit_import4(
                        ptr1.cast_mut(),
                        len1,
                        status0.clone() as i32,
                        ptr2.cast_mut(),
                        len2,
                        ptr3.cast_mut(),
                        len3,
                    );
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// What was emitted is right, but the whole is not there yet: the owner is `Reconciling` and not `Ready`.
            /// `reason` and `message` as in a condition.
            #[allow(async_fn_in_trait)]
            pub fn set_waiting(reason: &str, message: &str) -> () {
                unsafe {
                    let vec0 = reason;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = message;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/report@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "set-waiting"]
                        fn wit_import2(_: *mut u8, _: usize, _: *mut u8, _: usize);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                    ) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, ptr1.cast_mut(), len1);
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The result in the guest's own form, for people: `espejote render` prints this document instead of the items
            /// emitted, also if the call fails. Never applied; ignored elsewhere.
            #[allow(async_fn_in_trait)]
            pub fn set_document(document: &str) -> () {
                unsafe {
                    let vec0 = document;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/report@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "set-document"]
                        fn wit_import1(_: *mut u8, _: usize);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8, _: usize) {
                        unreachable!()
                    }
                    wit_import1(ptr0.cast_mut(), len0);
                }
            }
        }
        /// What to add to the answer to an admission request, whichever way it is decided.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod admission {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            #[allow(unused_unsafe, clippy::all)]
            /// Shown to the user who sent the request, by kubectl for example. At most 256 bytes are sure to be shown.
            #[allow(async_fn_in_trait)]
            pub fn warn(message: &str) -> () {
                unsafe {
                    let vec0 = message;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/admission@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "warn"]
                        fn wit_import1(_: *mut u8, _: usize);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8, _: usize) {
                        unreachable!()
                    }
                    wit_import1(ptr0.cast_mut(), len0);
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Adds to the audit event of the request. The API server prefixes the key with the name of the webhook.
            #[allow(async_fn_in_trait)]
            pub fn annotate(key: &str, value: &str) -> () {
                unsafe {
                    let vec0 = key;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = value;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/admission@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "annotate"]
                        fn wit_import2(_: *mut u8, _: usize, _: *mut u8, _: usize);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                    ) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, ptr1.cast_mut(), len1);
                }
            }
        }
        /// The call being served: on whose behalf it runs, and with which config.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod invocation {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Json = super::super::super::espejote::plugin::types::Json;
            pub type ObjectId = super::super::super::espejote::plugin::types::ObjectId;
            /// The ManagedResource, Admission or ClusterAdmission that uses the plugin; enough for an owner reference.
            #[derive(Clone)]
            pub struct OwnerReference {
                pub id: ObjectId,
                pub uid: _rt::String,
            }
            impl ::core::fmt::Debug for OwnerReference {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("OwnerReference")
                        .field("id", &self.id)
                        .field("uid", &self.uid)
                        .finish()
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The object on whose behalf this call runs. Its namespace is the default for what the call emits.
            #[allow(async_fn_in_trait)]
            pub fn owner() -> OwnerReference {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 10 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 10
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/invocation@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "owner"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = *ptr0.add(0).cast::<*mut u8>();
                    let l3 = *ptr0
                        .add(::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let len4 = l3;
                    let bytes4 = _rt::Vec::from_raw_parts(l2.cast(), len4, len4);
                    let l5 = *ptr0
                        .add(2 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>();
                    let l6 = *ptr0
                        .add(3 * ::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let len7 = l6;
                    let bytes7 = _rt::Vec::from_raw_parts(l5.cast(), len7, len7);
                    let l8 = *ptr0
                        .add(4 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>();
                    let l9 = *ptr0
                        .add(5 * ::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let len10 = l9;
                    let bytes10 = _rt::Vec::from_raw_parts(l8.cast(), len10, len10);
                    let l11 = *ptr0
                        .add(6 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>();
                    let l12 = *ptr0
                        .add(7 * ::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let len13 = l12;
                    let bytes13 = _rt::Vec::from_raw_parts(l11.cast(), len13, len13);
                    let l14 = *ptr0
                        .add(8 * ::core::mem::size_of::<*const u8>())
                        .cast::<*mut u8>();
                    let l15 = *ptr0
                        .add(9 * ::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let len16 = l15;
                    let bytes16 = _rt::Vec::from_raw_parts(l14.cast(), len16, len16);
                    let result17 = OwnerReference {
                        id: super::super::super::espejote::plugin::types::ObjectId {
                            api_version: _rt::string_lift(bytes4),
                            kind: _rt::string_lift(bytes7),
                            namespace: _rt::string_lift(bytes10),
                            name: _rt::string_lift(bytes13),
                        },
                        uid: _rt::string_lift(bytes16),
                    };
                    result17
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The config given in the manifest; `null` if there is none. Does not change while this instance lives.
            #[allow(async_fn_in_trait)]
            pub fn config() -> Json {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 2
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/invocation@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "config"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = *ptr0.add(0).cast::<*mut u8>();
                    let l3 = *ptr0
                        .add(::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let len4 = l3;
                    let bytes4 = _rt::Vec::from_raw_parts(l2.cast(), len4, len4);
                    let result5 = _rt::string_lift(bytes4);
                    result5
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Allows the host to use this instance for a later call with the same owner and config, so that a guest can
            /// keep what it has parsed. To be called anew in each call. A wish: the host may drop the instance at any time.
            ///
            /// What is kept must be a cache only, recognised by `revision`: a call's result depends on what that call reads,
            /// not on the calls before it.
            #[allow(async_fn_in_trait)]
            pub fn keep_instance() -> () {
                unsafe {
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/invocation@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "keep-instance"]
                        fn wit_import0();
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import0() {
                        unreachable!()
                    }
                    wit_import0();
                }
            }
        }
        /// The cluster state that the manifest lists under `context`, read-only.
        ///
        /// All collections of a call are taken at one instant, before the guest starts, together with the object in
        /// `trigger`, and stay as they are until the call ends. They come from watches, so they may lag behind the cluster,
        /// also behind the last writes of this plugin; and one object that is in two contexts with different selectors may be
        /// there in two versions.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod state {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Json = super::super::super::espejote::plugin::types::Json;
            pub type ObjectId = super::super::super::espejote::plugin::types::ObjectId;
            pub type Revision = super::super::super::espejote::plugin::types::Revision;
            pub type Unavailable = super::super::super::espejote::plugin::types::Unavailable;
            /// Objects ordered by namespace, then name. An object is named by its index, from 0 to `len` - 1, which is good
            /// for this collection only.
            ///
            /// Ends with the call: a collection used in a later call of a kept instance traps. So does an index out of range.
            #[derive(Debug)]
            #[repr(transparent)]
            pub struct Collection {
                handle: _rt::Resource<Collection>,
            }
            impl Collection {
                #[doc(hidden)]
                pub unsafe fn from_handle(handle: u32) -> Self {
                    Self {
                        handle: unsafe { _rt::Resource::from_handle(handle) },
                    }
                }
                #[doc(hidden)]
                pub fn take_handle(&self) -> u32 {
                    _rt::Resource::take_handle(&self.handle)
                }
                #[doc(hidden)]
                pub fn handle(&self) -> u32 {
                    _rt::Resource::handle(&self.handle)
                }
            }
            unsafe impl _rt::WasmResource for Collection {
                #[inline]
                unsafe fn drop(_handle: u32) {
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "[resource-drop]collection"]
                        fn drop(_: i32);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn drop(_: i32) {
                        unreachable!()
                    }
                    unsafe {
                        drop(_handle as i32);
                    }
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The names of all contexts that hold objects, in the order of the manifest. Available or not.
            #[allow(async_fn_in_trait)]
            pub fn names() -> _rt::Vec<_rt::String> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 2
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "names"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = *ptr0.add(0).cast::<*mut u8>();
                    let l3 = *ptr0
                        .add(::core::mem::size_of::<*const u8>())
                        .cast::<usize>();
                    let base7 = l2;
                    let len7 = l3;
                    let mut result7 = _rt::Vec::with_capacity(len7);
                    for i in 0..len7 {
                        let base = base7
                            .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                        let e7 = {
                            let l4 = *base.add(0).cast::<*mut u8>();
                            let l5 = *base
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len6 = l5;
                            let bytes6 = _rt::Vec::from_raw_parts(l4.cast(), len6, len6);
                            _rt::string_lift(bytes6)
                        };
                        result7.push(e7);
                    }
                    _rt::cabi_dealloc(
                        base7,
                        len7 * (2 * ::core::mem::size_of::<*const u8>()),
                        ::core::mem::size_of::<*const u8>(),
                    );
                    let result8 = result7;
                    result8
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// The objects of one context.
            #[allow(async_fn_in_trait)]
            pub fn open(name: &str) -> ::core::result::Result<Collection, Unavailable> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 4
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = name;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "open"]
                        fn wit_import2(_: *mut u8, _: usize, _: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(_: *mut u8, _: usize, _: *mut u8) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, ptr1);
                    let l3 = i32::from(*ptr1.add(0).cast::<u8>());
                    let result9 = match l3 {
                        0 => {
                            let e = {
                                let l4 = *ptr1
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<i32>();
                                Collection::from_handle(l4 as u32)
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l5 = i32::from(
                                    *ptr1.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                let l6 = *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *ptr1
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len8 = l7;
                                let bytes8 = _rt::Vec::from_raw_parts(
                                    l6.cast(),
                                    len8,
                                    len8,
                                );
                                super::super::super::espejote::plugin::types::Unavailable {
                                    reason: super::super::super::espejote::plugin::types::UnavailableReason::_lift(
                                        l5 as u8,
                                    ),
                                    message: _rt::string_lift(bytes8),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result9
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                #[allow(async_fn_in_trait)]
                pub fn len(&self) -> u32 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.len"]
                            fn wit_import0(_: i32) -> i32;
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import0(_: i32) -> i32 {
                            unreachable!()
                        }
                        let ret = wit_import0((self).handle() as i32);
                        ret as u32
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// Stands for the whole collection: equal means the same objects, the same bytes and the same indices.
                #[allow(async_fn_in_trait)]
                pub fn revision(&self) -> Revision {
                    unsafe {
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.revision"]
                            fn wit_import0(_: i32) -> i64;
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import0(_: i32) -> i64 {
                            unreachable!()
                        }
                        let ret = wit_import0((self).handle() as i32);
                        ret as u64
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// The revision of every object, by index. Costs 8 bytes each; with it a kept instance reads only what changed.
                #[allow(async_fn_in_trait)]
                pub fn revisions(&self) -> _rt::Vec<Revision> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.revisions"]
                            fn wit_import1(_: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(_: i32, _: *mut u8) {
                            unreachable!()
                        }
                        wit_import1((self).handle() as i32, ptr0);
                        let l2 = *ptr0.add(0).cast::<*mut u8>();
                        let l3 = *ptr0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let len4 = l3;
                        let result5 = <_ as From<
                            _rt::Vec<_>,
                        >>::from(_rt::Vec::from_raw_parts(l2.cast(), len4, len4));
                        result5
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// The index of one object. `namespace` is empty for cluster-scoped kinds.
                #[allow(async_fn_in_trait)]
                pub fn find(
                    &self,
                    namespace: &str,
                    name: &str,
                ) -> ::core::option::Option<u32> {
                    unsafe {
                        #[repr(align(4))]
                        struct RetArea([::core::mem::MaybeUninit<u8>; 8]);
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 8],
                        );
                        let vec0 = namespace;
                        let ptr0 = vec0.as_ptr().cast::<u8>();
                        let len0 = vec0.len();
                        let vec1 = name;
                        let ptr1 = vec1.as_ptr().cast::<u8>();
                        let len1 = vec1.len();
                        let ptr2 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.find"]
                            fn wit_import3(
                                _: i32,
                                _: *mut u8,
                                _: usize,
                                _: *mut u8,
                                _: usize,
                                _: *mut u8,
                            );
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import3(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import3(
                            (self).handle() as i32,
                            ptr0.cast_mut(),
                            len0,
                            ptr1.cast_mut(),
                            len1,
                            ptr2,
                        );
                        let l4 = i32::from(*ptr2.add(0).cast::<u8>());
                        let result6 = match l4 {
                            0 => None,
                            1 => {
                                let e = {
                                    let l5 = *ptr2.add(4).cast::<i32>();
                                    l5 as u32
                                };
                                Some(e)
                            }
                            _ => _rt::invalid_enum_discriminant(),
                        };
                        result6
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// The indices, ascending, of the objects in one namespace (none: in all) that match a label selector
                /// written as for `kubectl -l` (empty: matches all). Error: what is wrong with the selector.
                #[allow(async_fn_in_trait)]
                pub fn select(
                    &self,
                    namespace: ::core::option::Option<&str>,
                    label_selector: &str,
                ) -> ::core::result::Result<_rt::Vec<u32>, _rt::String> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 3 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 3
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let (result1_0, result1_1, result1_2) = match namespace {
                            Some(e) => {
                                let vec0 = e;
                                let ptr0 = vec0.as_ptr().cast::<u8>();
                                let len0 = vec0.len();
                                (1i32, ptr0.cast_mut(), len0)
                            }
                            None => (0i32, ::core::ptr::null_mut(), 0usize),
                        };
                        let vec2 = label_selector;
                        let ptr2 = vec2.as_ptr().cast::<u8>();
                        let len2 = vec2.len();
                        let ptr3 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.select"]
                            fn wit_import4(
                                _: i32,
                                _: i32,
                                _: *mut u8,
                                _: usize,
                                _: *mut u8,
                                _: usize,
                                _: *mut u8,
                            );
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import4(
                            _: i32,
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import4(
                            (self).handle() as i32,
                            result1_0,
                            result1_1,
                            result1_2,
                            ptr2.cast_mut(),
                            len2,
                            ptr3,
                        );
                        let l5 = i32::from(*ptr3.add(0).cast::<u8>());
                        let result12 = match l5 {
                            0 => {
                                let e = {
                                    let l6 = *ptr3
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l7 = *ptr3
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len8 = l7;
                                    <_ as From<
                                        _rt::Vec<_>,
                                    >>::from(_rt::Vec::from_raw_parts(l6.cast(), len8, len8))
                                };
                                Ok(e)
                            }
                            1 => {
                                let e = {
                                    let l9 = *ptr3
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l10 = *ptr3
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len11 = l10;
                                    let bytes11 = _rt::Vec::from_raw_parts(
                                        l9.cast(),
                                        len11,
                                        len11,
                                    );
                                    _rt::string_lift(bytes11)
                                };
                                Err(e)
                            }
                            _ => _rt::invalid_enum_discriminant(),
                        };
                        result12
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// Type, namespace and name of the given objects, in the given order.
                #[allow(async_fn_in_trait)]
                pub fn ids(&self, indices: &[u32]) -> _rt::Vec<ObjectId> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let vec0 = indices;
                        let ptr0 = vec0.as_ptr().cast::<u8>();
                        let len0 = vec0.len();
                        let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.ids"]
                            fn wit_import2(_: i32, _: *mut u8, _: usize, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import2(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import2((self).handle() as i32, ptr0.cast_mut(), len0, ptr1);
                        let l3 = *ptr1.add(0).cast::<*mut u8>();
                        let l4 = *ptr1
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base17 = l3;
                        let len17 = l4;
                        let mut result17 = _rt::Vec::with_capacity(len17);
                        for i in 0..len17 {
                            let base = base17
                                .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                            let e17 = {
                                let l5 = *base.add(0).cast::<*mut u8>();
                                let l6 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len7 = l6;
                                let bytes7 = _rt::Vec::from_raw_parts(
                                    l5.cast(),
                                    len7,
                                    len7,
                                );
                                let l8 = *base
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *base
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len10 = l9;
                                let bytes10 = _rt::Vec::from_raw_parts(
                                    l8.cast(),
                                    len10,
                                    len10,
                                );
                                let l11 = *base
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l12 = *base
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len13 = l12;
                                let bytes13 = _rt::Vec::from_raw_parts(
                                    l11.cast(),
                                    len13,
                                    len13,
                                );
                                let l14 = *base
                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l15 = *base
                                    .add(7 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len16 = l15;
                                let bytes16 = _rt::Vec::from_raw_parts(
                                    l14.cast(),
                                    len16,
                                    len16,
                                );
                                super::super::super::espejote::plugin::types::ObjectId {
                                    api_version: _rt::string_lift(bytes7),
                                    kind: _rt::string_lift(bytes10),
                                    namespace: _rt::string_lift(bytes13),
                                    name: _rt::string_lift(bytes16),
                                }
                            };
                            result17.push(e17);
                        }
                        _rt::cabi_dealloc(
                            base17,
                            len17 * (8 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let result18 = result17;
                        result18
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// The given objects, in the given order. Traps if they cannot fit into the memory allowed to the instance.
                #[allow(async_fn_in_trait)]
                pub fn read(&self, indices: &[u32]) -> _rt::Vec<Json> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let vec0 = indices;
                        let ptr0 = vec0.as_ptr().cast::<u8>();
                        let len0 = vec0.len();
                        let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.read"]
                            fn wit_import2(_: i32, _: *mut u8, _: usize, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import2(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import2((self).handle() as i32, ptr0.cast_mut(), len0, ptr1);
                        let l3 = *ptr1.add(0).cast::<*mut u8>();
                        let l4 = *ptr1
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base8 = l3;
                        let len8 = l4;
                        let mut result8 = _rt::Vec::with_capacity(len8);
                        for i in 0..len8 {
                            let base = base8
                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                            let e8 = {
                                let l5 = *base.add(0).cast::<*mut u8>();
                                let l6 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len7 = l6;
                                let bytes7 = _rt::Vec::from_raw_parts(
                                    l5.cast(),
                                    len7,
                                    len7,
                                );
                                _rt::string_lift(bytes7)
                            };
                            result8.push(e8);
                        }
                        _rt::cabi_dealloc(
                            base8,
                            len8 * (2 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let result9 = result8;
                        result9
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// The objects from `start` on: as many as fit into `max-bytes`, but at least one. Empty only if `start`
                /// is `len`.
                #[allow(async_fn_in_trait)]
                pub fn scan(&self, start: u32, max_bytes: u32) -> _rt::Vec<Json> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.scan"]
                            fn wit_import1(_: i32, _: i32, _: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(
                            _: i32,
                            _: i32,
                            _: i32,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import1(
                            (self).handle() as i32,
                            _rt::as_i32(&start),
                            _rt::as_i32(&max_bytes),
                            ptr0,
                        );
                        let l2 = *ptr0.add(0).cast::<*mut u8>();
                        let l3 = *ptr0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base7 = l2;
                        let len7 = l3;
                        let mut result7 = _rt::Vec::with_capacity(len7);
                        for i in 0..len7 {
                            let base = base7
                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                            let e7 = {
                                let l4 = *base.add(0).cast::<*mut u8>();
                                let l5 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len6 = l5;
                                let bytes6 = _rt::Vec::from_raw_parts(
                                    l4.cast(),
                                    len6,
                                    len6,
                                );
                                _rt::string_lift(bytes6)
                            };
                            result7.push(e7);
                        }
                        _rt::cabi_dealloc(
                            base7,
                            len7 * (2 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let result8 = result7;
                        result8
                    }
                }
            }
            impl Collection {
                #[allow(unused_unsafe, clippy::all)]
                /// The value at a JSON pointer (RFC 6901) in each of the given objects, in the given order, found by the
                /// host; none where there is none. `/metadata/labels/app.kubernetes.io~1name` gives `"web"`, quotes
                /// included. Error: what is wrong with the pointer.
                #[allow(async_fn_in_trait)]
                pub fn values(
                    &self,
                    indices: &[u32],
                    pointer: &str,
                ) -> ::core::result::Result<
                    _rt::Vec<::core::option::Option<Json>>,
                    _rt::String,
                > {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 3 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 3
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let vec0 = indices;
                        let ptr0 = vec0.as_ptr().cast::<u8>();
                        let len0 = vec0.len();
                        let vec1 = pointer;
                        let ptr1 = vec1.as_ptr().cast::<u8>();
                        let len1 = vec1.len();
                        let ptr2 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "espejote:plugin/state@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]collection.values"]
                            fn wit_import3(
                                _: i32,
                                _: *mut u8,
                                _: usize,
                                _: *mut u8,
                                _: usize,
                                _: *mut u8,
                            );
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import3(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import3(
                            (self).handle() as i32,
                            ptr0.cast_mut(),
                            len0,
                            ptr1.cast_mut(),
                            len1,
                            ptr2,
                        );
                        let l4 = i32::from(*ptr2.add(0).cast::<u8>());
                        let result15 = match l4 {
                            0 => {
                                let e = {
                                    let l5 = *ptr2
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l6 = *ptr2
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let base11 = l5;
                                    let len11 = l6;
                                    let mut result11 = _rt::Vec::with_capacity(len11);
                                    for i in 0..len11 {
                                        let base = base11
                                            .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                        let e11 = {
                                            let l7 = i32::from(*base.add(0).cast::<u8>());
                                            match l7 {
                                                0 => None,
                                                1 => {
                                                    let e = {
                                                        let l8 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l9 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len10 = l9;
                                                        let bytes10 = _rt::Vec::from_raw_parts(
                                                            l8.cast(),
                                                            len10,
                                                            len10,
                                                        );
                                                        _rt::string_lift(bytes10)
                                                    };
                                                    Some(e)
                                                }
                                                _ => _rt::invalid_enum_discriminant(),
                                            }
                                        };
                                        result11.push(e11);
                                    }
                                    _rt::cabi_dealloc(
                                        base11,
                                        len11 * (3 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    );
                                    result11
                                };
                                Ok(e)
                            }
                            1 => {
                                let e = {
                                    let l12 = *ptr2
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l13 = *ptr2
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len14 = l13;
                                    let bytes14 = _rt::Vec::from_raw_parts(
                                        l12.cast(),
                                        len14,
                                        len14,
                                    );
                                    _rt::string_lift(bytes14)
                                };
                                Err(e)
                            }
                            _ => _rt::invalid_enum_discriminant(),
                        };
                        result15
                    }
                }
            }
        }
        /// Files that people keep in JsonnetLibrary objects, for templates and plugins alike.
        ///
        /// A path is `<library>/<key>` in the owner's namespace or `lib/<library>/<key>` in the library namespace of
        /// the operator. No relative paths: the guest resolves them.
        ///
        /// All files are of one instant, the start of the call. A change of a library starts no reconcile by itself.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod library {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Revision = super::super::super::espejote::plugin::types::Revision;
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum ReadErrorReason {
                /// Not of one of the two forms.
                InvalidPath,
                /// A path in the owner's namespace, and the owner has none.
                NoNamespace,
                /// No such library.
                NoLibrary,
                /// The library has no such key.
                NoKey,
                /// Libraries cannot be read now, or not with these rights.
                Unavailable,
                /// Anything else.
                Failed,
            }
            impl ::core::fmt::Debug for ReadErrorReason {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        ReadErrorReason::InvalidPath => {
                            f.debug_tuple("ReadErrorReason::InvalidPath").finish()
                        }
                        ReadErrorReason::NoNamespace => {
                            f.debug_tuple("ReadErrorReason::NoNamespace").finish()
                        }
                        ReadErrorReason::NoLibrary => {
                            f.debug_tuple("ReadErrorReason::NoLibrary").finish()
                        }
                        ReadErrorReason::NoKey => {
                            f.debug_tuple("ReadErrorReason::NoKey").finish()
                        }
                        ReadErrorReason::Unavailable => {
                            f.debug_tuple("ReadErrorReason::Unavailable").finish()
                        }
                        ReadErrorReason::Failed => {
                            f.debug_tuple("ReadErrorReason::Failed").finish()
                        }
                    }
                }
            }
            impl ReadErrorReason {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> ReadErrorReason {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => ReadErrorReason::InvalidPath,
                        1 => ReadErrorReason::NoNamespace,
                        2 => ReadErrorReason::NoLibrary,
                        3 => ReadErrorReason::NoKey,
                        4 => ReadErrorReason::Unavailable,
                        5 => ReadErrorReason::Failed,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            #[derive(Clone)]
            pub struct ReadError {
                pub reason: ReadErrorReason,
                pub message: _rt::String,
            }
            impl ::core::fmt::Debug for ReadError {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("ReadError")
                        .field("reason", &self.reason)
                        .field("message", &self.message)
                        .finish()
                }
            }
            impl ::core::fmt::Display for ReadError {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    write!(f, "{:?}", self)
                }
            }
            impl ::core::error::Error for ReadError {}
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn read(path: &str) -> ::core::result::Result<_rt::Vec<u8>, ReadError> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 4
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = path;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/library@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "read"]
                        fn wit_import2(_: *mut u8, _: usize, _: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(_: *mut u8, _: usize, _: *mut u8) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, ptr1);
                    let l3 = i32::from(*ptr1.add(0).cast::<u8>());
                    let result11 = match l3 {
                        0 => {
                            let e = {
                                let l4 = *ptr1
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l5 = *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len6 = l5;
                                <_ as From<
                                    _rt::Vec<_>,
                                >>::from(_rt::Vec::from_raw_parts(l4.cast(), len6, len6))
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l7 = i32::from(
                                    *ptr1.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                let l8 = *ptr1
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *ptr1
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len10 = l9;
                                let bytes10 = _rt::Vec::from_raw_parts(
                                    l8.cast(),
                                    len10,
                                    len10,
                                );
                                ReadError {
                                    reason: ReadErrorReason::_lift(l7 as u8),
                                    message: _rt::string_lift(bytes10),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result11
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Without reading it: whether what a kept instance remembers of the file is still right.
            #[allow(async_fn_in_trait)]
            pub fn revision_of(
                path: &str,
            ) -> ::core::result::Result<Revision, ReadError> {
                unsafe {
                    #[repr(align(8))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 16 + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 16
                            + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = path;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/library@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "revision-of"]
                        fn wit_import2(_: *mut u8, _: usize, _: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(_: *mut u8, _: usize, _: *mut u8) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, ptr1);
                    let l3 = i32::from(*ptr1.add(0).cast::<u8>());
                    let result9 = match l3 {
                        0 => {
                            let e = {
                                let l4 = *ptr1.add(8).cast::<i64>();
                                l4 as u64
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l5 = i32::from(*ptr1.add(8).cast::<u8>());
                                let l6 = *ptr1
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *ptr1
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len8 = l7;
                                let bytes8 = _rt::Vec::from_raw_parts(
                                    l6.cast(),
                                    len8,
                                    len8,
                                );
                                ReadError {
                                    reason: ReadErrorReason::_lift(l5 as u8),
                                    message: _rt::string_lift(bytes8),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result9
                }
            }
        }
        /// Lines in the operator's log, tagged by the host with plugin, owner and trigger.
        ///
        /// What a guest prints to standard output is logged at `info`, and to standard error at `warn`, a line each. Lines over
        /// the limit are dropped and counted.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod logging {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum Level {
                Trace,
                Debug,
                Info,
                Warn,
                Error,
            }
            impl ::core::fmt::Debug for Level {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Level::Trace => f.debug_tuple("Level::Trace").finish(),
                        Level::Debug => f.debug_tuple("Level::Debug").finish(),
                        Level::Info => f.debug_tuple("Level::Info").finish(),
                        Level::Warn => f.debug_tuple("Level::Warn").finish(),
                        Level::Error => f.debug_tuple("Level::Error").finish(),
                    }
                }
            }
            impl Level {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> Level {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => Level::Trace,
                        1 => Level::Debug,
                        2 => Level::Info,
                        3 => Level::Warn,
                        4 => Level::Error,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Whether a line of this level would be kept; saves putting it together.
            #[allow(async_fn_in_trait)]
            pub fn enabled(level: Level) -> bool {
                unsafe {
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/logging@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "enabled"]
                        fn wit_import0(_: i32) -> i32;
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import0(_: i32) -> i32 {
                        unreachable!()
                    }
                    let ret = wit_import0(level.clone() as i32);
                    _rt::bool_lift(ret as u8)
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// `message` is constant text; what varies goes into `fields`, as key and value. No Secret contents.
            #[allow(async_fn_in_trait)]
            pub fn log(
                level: Level,
                message: &str,
                fields: &[(_rt::String, _rt::String)],
            ) -> () {
                unsafe {
                    let vec0 = message;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec4 = fields;
                    let len4 = vec4.len();
                    let layout4 = _rt::alloc::Layout::from_size_align(
                            vec4.len() * (4 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        )
                        .unwrap();
                    let (result4, _cleanup4) = ::wit_bindgen::rt::Cleanup::new(layout4);
                    for (i, e) in vec4.into_iter().enumerate() {
                        let base = result4
                            .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                        {
                            let (t1_0, t1_1) = e;
                            let vec2 = t1_0;
                            let ptr2 = vec2.as_ptr().cast::<u8>();
                            let len2 = vec2.len();
                            *base
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>() = len2;
                            *base.add(0).cast::<*mut u8>() = ptr2.cast_mut();
                            let vec3 = t1_1;
                            let ptr3 = vec3.as_ptr().cast::<u8>();
                            let len3 = vec3.len();
                            *base
                                .add(3 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>() = len3;
                            *base
                                .add(2 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>() = ptr3.cast_mut();
                        }
                    }
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "espejote:plugin/logging@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "log"]
                        fn wit_import5(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import5(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                    ) {
                        unreachable!()
                    }
                    wit_import5(
                        level.clone() as i32,
                        ptr0.cast_mut(),
                        len0,
                        result4,
                        len4,
                    );
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
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
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
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
    use core::fmt;
    use core::marker;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// A type which represents a component model resource, either imported or
    /// exported into this component.
    ///
    /// This is a low-level wrapper which handles the lifetime of the resource
    /// (namely this has a destructor). The `T` provided defines the component model
    /// intrinsics that this wrapper uses.
    ///
    /// One of the chief purposes of this type is to provide `Deref` implementations
    /// to access the underlying data when it is owned.
    ///
    /// This type is primarily used in generated code for exported and imported
    /// resources.
    #[repr(transparent)]
    pub struct Resource<T: WasmResource> {
        handle: AtomicU32,
        _marker: marker::PhantomData<T>,
    }
    /// A trait which all wasm resources implement, namely providing the ability to
    /// drop a resource.
    ///
    /// This generally is implemented by generated code, not user-facing code.
    #[allow(clippy::missing_safety_doc)]
    pub unsafe trait WasmResource {
        /// Invokes the `[resource-drop]...` intrinsic.
        unsafe fn drop(handle: u32);
    }
    impl<T: WasmResource> Resource<T> {
        #[doc(hidden)]
        pub unsafe fn from_handle(handle: u32) -> Self {
            debug_assert!(handle != 0 && handle != u32::MAX);
            Self {
                handle: AtomicU32::new(handle),
                _marker: marker::PhantomData,
            }
        }
        /// Takes ownership of the handle owned by `resource`.
        ///
        /// Note that this ideally would be `into_handle` taking `Resource<T>` by
        /// ownership. The code generator does not enable that in all situations,
        /// unfortunately, so this is provided instead.
        ///
        /// Also note that `take_handle` is in theory only ever called on values
        /// owned by a generated function. For example a generated function might
        /// take `Resource<T>` as an argument but then call `take_handle` on a
        /// reference to that argument. In that sense the dynamic nature of
        /// `take_handle` should only be exposed internally to generated code, not
        /// to user code.
        #[doc(hidden)]
        pub fn take_handle(resource: &Resource<T>) -> u32 {
            resource.handle.swap(u32::MAX, Relaxed)
        }
        #[doc(hidden)]
        pub fn handle(resource: &Resource<T>) -> u32 {
            resource.handle.load(Relaxed)
        }
    }
    impl<T: WasmResource> fmt::Debug for Resource<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Resource").field("handle", &self.handle).finish()
        }
    }
    impl<T: WasmResource> Drop for Resource<T> {
        fn drop(&mut self) {
            unsafe {
                match self.handle.load(Relaxed) {
                    u32::MAX => {}
                    other => T::drop(other),
                }
            }
        }
    }
    pub unsafe fn bool_lift(val: u8) -> bool {
        if cfg!(debug_assertions) {
            match val {
                0 => false,
                1 => true,
                _ => panic!("invalid bool discriminant"),
            }
        } else {
            val != 0
        }
    }
    pub use alloc_crate::alloc;
    extern crate alloc as alloc_crate;
}
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:espejote:sdk:everything:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 2983] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xa6\x16\x01A\x02\x01\
A\x18\x01B\x0e\x01s\x04\0\x04json\x03\0\0\x01r\x04\x0bapi-versions\x04kinds\x09n\
amespaces\x04names\x04\0\x09object-id\x03\0\x02\x01w\x04\0\x08revision\x03\0\x04\
\x01m\x05\x0einvalid-config\x0dinvalid-input\x0einvalid-output\x09not-ready\x08i\
nternal\x04\0\x0cfailure-kind\x03\0\x06\x01r\x02\x04kind\x07\x07messages\x04\0\x07\
failure\x03\0\x08\x01m\x04\x0cunknown-name\x0anot-synced\x09forbidden\x06failed\x04\
\0\x12unavailable-reason\x03\0\x0a\x01r\x02\x06reason\x0b\x07messages\x04\0\x0bu\
navailable\x03\0\x0c\x03\0\x1bespejote:plugin/types@0.1.0\x05\0\x02\x03\0\0\x04j\
son\x02\x03\0\0\x0bunavailable\x01B\x0a\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\
\x02\x03\x02\x01\x02\x04\0\x0bunavailable\x03\0\x02\x01ps\x01@\0\0\x04\x04\0\x05\
names\x01\x05\x01j\x01\x01\x01\x03\x01@\x01\x04names\0\x06\x04\0\x03get\x01\x07\x03\
\0\x1eespejote:plugin/provided@0.1.0\x05\x03\x02\x03\0\0\x09object-id\x01B\x0d\x02\
\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x02\x03\x02\x01\x04\x04\0\x09object-id\x03\
\0\x02\x01ks\x01@\0\0\x04\x04\0\x04name\x01\x05\x01k\x03\x01@\0\0\x06\x04\0\x05e\
vent\x01\x07\x01k\x01\x01@\0\0\x08\x04\0\x06object\x01\x09\x03\0\x1despejote:plu\
gin/trigger@0.1.0\x05\x05\x01B\x1e\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x02\
\x03\x02\x01\x04\x04\0\x09object-id\x03\0\x02\x01m\x02\x08continue\x05abort\x04\0\
\x0cerror-policy\x03\0\x04\x01m\x03\x06ignore\x04warn\x06strict\x04\0\x10field-v\
alidation\x03\0\x06\x01ks\x01k\x7f\x01k\x07\x01r\x05\x0dfield-manager\x08\x14fie\
ld-manager-suffix\x08\x05force\x09\x10field-validation\x0a\x0bsubresource\x08\x04\
\0\x0dapply-options\x03\0\x0b\x01m\x03\x0abackground\x0aforeground\x06orphan\x04\
\0\x12propagation-policy\x03\0\x0d\x01ky\x01k\x0e\x01r\x04\x14grace-period-secon\
ds\x0f\x12propagation-policy\x10\x10precondition-uid\x08\x1dprecondition-resourc\
e-version\x08\x04\0\x0edelete-options\x03\0\x11\x01k\x0c\x01@\x02\x06object\x01\x07\
options\x13\x01\0\x04\0\x05apply\x01\x14\x01k\x12\x01@\x02\x02id\x03\x07options\x15\
\x01\0\x04\0\x06delete\x01\x16\x01k\x05\x01@\x01\x08on-error\x17\x01\0\x04\0\x0a\
open-group\x01\x18\x01@\0\x01\0\x04\0\x0bclose-group\x01\x19\x03\0\x1despejote:p\
lugin/desired@0.1.0\x05\x06\x01B\x10\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x01\
m\x03\x04true\x05false\x07unknown\x04\0\x10condition-status\x03\0\x02\x01r\x04\x04\
types\x06status\x03\x06reasons\x07messages\x04\0\x09condition\x03\0\x04\x01@\x01\
\x0cmillisecondsy\x01\0\x04\0\x0drequeue-after\x01\x06\x01@\x01\x07messages\x01\0\
\x04\0\x0bset-message\x01\x07\x01@\x01\x09condition\x05\x01\0\x04\0\x0dset-condi\
tion\x01\x08\x01@\x02\x06reasons\x07messages\x01\0\x04\0\x0bset-waiting\x01\x09\x01\
@\x01\x08document\x01\x01\0\x04\0\x0cset-document\x01\x0a\x03\0\x1cespejote:plug\
in/report@0.1.0\x05\x07\x01B\x04\x01@\x01\x07messages\x01\0\x04\0\x04warn\x01\0\x01\
@\x02\x03keys\x05values\x01\0\x04\0\x08annotate\x01\x01\x03\0\x1fespejote:plugin\
/admission@0.1.0\x05\x08\x01B\x0c\x02\x03\x02\x01\x01\x04\0\x04json\x03\0\0\x02\x03\
\x02\x01\x04\x04\0\x09object-id\x03\0\x02\x01r\x02\x02id\x03\x03uids\x04\0\x0fow\
ner-reference\x03\0\x04\x01@\0\0\x05\x04\0\x05owner\x01\x06\x01@\0\0\x01\x04\0\x06\
config\x01\x07\x01@\0\x01\0\x04\0\x0dkeep-instance\x01\x08\x03\0\x20espejote:plu\
gin/invocation@0.1.0\x05\x09\x02\x03\0\0\x08revision\x01B-\x02\x03\x02\x01\x01\x04\
\0\x04json\x03\0\0\x02\x03\x02\x01\x04\x04\0\x09object-id\x03\0\x02\x02\x03\x02\x01\
\x0a\x04\0\x08revision\x03\0\x04\x02\x03\x02\x01\x02\x04\0\x0bunavailable\x03\0\x06\
\x04\0\x0acollection\x03\x01\x01h\x08\x01@\x01\x04self\x09\0y\x04\0\x16[method]c\
ollection.len\x01\x0a\x01@\x01\x04self\x09\0\x05\x04\0\x1b[method]collection.rev\
ision\x01\x0b\x01p\x05\x01@\x01\x04self\x09\0\x0c\x04\0\x1c[method]collection.re\
visions\x01\x0d\x01ky\x01@\x03\x04self\x09\x09namespaces\x04names\0\x0e\x04\0\x17\
[method]collection.find\x01\x0f\x01ks\x01py\x01j\x01\x11\x01s\x01@\x03\x04self\x09\
\x09namespace\x10\x0elabel-selectors\0\x12\x04\0\x19[method]collection.select\x01\
\x13\x01p\x03\x01@\x02\x04self\x09\x07indices\x11\0\x14\x04\0\x16[method]collect\
ion.ids\x01\x15\x01p\x01\x01@\x02\x04self\x09\x07indices\x11\0\x16\x04\0\x17[met\
hod]collection.read\x01\x17\x01@\x03\x04self\x09\x05starty\x09max-bytesy\0\x16\x04\
\0\x17[method]collection.scan\x01\x18\x01k\x01\x01p\x19\x01j\x01\x1a\x01s\x01@\x03\
\x04self\x09\x07indices\x11\x07pointers\0\x1b\x04\0\x19[method]collection.values\
\x01\x1c\x01ps\x01@\0\0\x1d\x04\0\x05names\x01\x1e\x01i\x08\x01j\x01\x1f\x01\x07\
\x01@\x01\x04names\0\x20\x04\0\x04open\x01!\x03\0\x1bespejote:plugin/state@0.1.0\
\x05\x0b\x01B\x0d\x02\x03\x02\x01\x0a\x04\0\x08revision\x03\0\0\x01m\x06\x0cinva\
lid-path\x0cno-namespace\x0ano-library\x06no-key\x0bunavailable\x06failed\x04\0\x11\
read-error-reason\x03\0\x02\x01r\x02\x06reason\x03\x07messages\x04\0\x0aread-err\
or\x03\0\x04\x01p}\x01j\x01\x06\x01\x05\x01@\x01\x04paths\0\x07\x04\0\x04read\x01\
\x08\x01j\x01\x01\x01\x05\x01@\x01\x04paths\0\x09\x04\0\x0brevision-of\x01\x0a\x03\
\0\x1despejote:plugin/library@0.1.0\x05\x0c\x01B\x08\x01m\x05\x05trace\x05debug\x04\
info\x04warn\x05error\x04\0\x05level\x03\0\0\x01@\x01\x05level\x01\0\x7f\x04\0\x07\
enabled\x01\x02\x01o\x02ss\x01p\x03\x01@\x03\x05level\x01\x07messages\x06fields\x04\
\x01\0\x04\0\x03log\x01\x05\x03\0\x1despejote:plugin/logging@0.1.0\x05\x0d\x04\0\
\x17espejote:sdk/everything\x04\0\x0b\x10\x01\0\x0aeverything\x03\0\0\0G\x09prod\
ucers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x06\
0.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    ::wit_bindgen::rt::maybe_link_cabi_realloc();
}
