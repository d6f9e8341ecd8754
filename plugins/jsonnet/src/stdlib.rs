//! `std`: jrsonnet's library, with what must be ours laid over it: external variables, native functions, `trace` and the texts
//! that have to keep every digit.

mod arrays;
mod bytes;
mod ini;
mod numbers;
mod objects;
mod parse;
mod python;
mod strings;
mod toml;
mod yaml;

use std::cell::RefCell;
use std::rc::Rc;

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::function::{CallLocation, FuncVal, builtin};
use jrsonnet_evaluator::trace::PathResolver;
use jrsonnet_evaluator::val::{ArrValue, equals};
use jrsonnet_evaluator::{
    ContextInitializer, IStr, InitialContextBuilder, ObjValue, ObjValueBuilder, Result, Source, Thunk, Val,
};
use jrsonnet_gcmodule::{Acyclic, Cc, Trace};
use jrsonnet_stdlib::{Settings, TracePrinter, stdlib_uncached};

use crate::current::Current;
use crate::host::Level;
use crate::json::Json;
use crate::write::Format;
use crate::{import, patch};

const TRIGGER: &str = "__internal_use_espejote_lib_trigger";
const CONTEXT: &str = "__internal_use_espejote_lib_context";
const REQUEST: &str = "__internal_use_espejote_lib_admissionrequest";
const APPLY_JSON_PATCH: &str = "__internal_use_espejote_lib_function_apply_json_patch";

thread_local! {
    /// The part that no call changes; building it takes longer than a small template.
    static UNCHANGING: ObjValue = unchanging();
}

/// The values behind `std.extVar`. Each is computed when a template asks for it.
#[derive(Clone, Trace)]
pub(crate) struct External {
    pub(crate) trigger: Thunk<Val>,
    pub(crate) context: Thunk<Val>,
    /// Outside of an admission there is none, and asking fails.
    pub(crate) request: Option<Thunk<Val>>,
}

/// Gives each file its `std`.
#[derive(Trace)]
pub(crate) struct Std {
    object: ObjValue,
}

impl Std {
    pub(crate) fn new(current: Rc<Current>) -> Self {
        let mut object = ObjValueBuilder::new();
        object.with_super(UNCHANGING.with(Clone::clone));
        let now = Now { current };
        object.method("extVar", std_ext_var { now: now.clone() });
        object.method("native", std_native {});
        object.method("trace", std_trace { now });
        Self {
            object: object.build(),
        }
    }
}

/// The library below, and over it what differs from go-jsonnet there.
fn unchanging() -> ObjValue {
    let mut object = ObjValueBuilder::new();
    object.with_super(stdlib_uncached(Cc::new(RefCell::new(Settings {
        ext_vars: Default::default(),
        ext_natives: Default::default(),
        trace_printer: Rc::new(NoPrinter),
        path_resolver: PathResolver::FileName,
    }))));
    add_types(&mut object);
    add_texts(&mut object);
    add_formats(&mut object);
    object.build()
}

fn add_types(object: &mut ObjValueBuilder) {
    object.method("type", std_type {});
    object.method("isNumber", std_is_number {});
    object.method("isNull", std_is_null {});
    object.method("equals", std_equals {});
    object.method("clamp", numbers::std_clamp {});
    object.method("isEven", numbers::std_is_even {});
    object.method("isOdd", numbers::std_is_odd {});
    object.method("mantissa", numbers::std_mantissa {});
    object.method("exponent", numbers::std_exponent {});
    object.method("assertEqual", strings::std_assert_equal {});
}

fn add_texts(object: &mut ObjValueBuilder) {
    object.method("toString", std_to_string {});
    object.method("escapeStringJson", strings::std_escape_string_json {});
    object.method("escapeStringPython", strings::std_escape_string_python {});
    object.method("escapeStringBash", strings::std_escape_string_bash {});
    object.method("escapeStringDollars", strings::std_escape_string_dollars {});
    object.method("escapeStringXML", strings::std_escape_string_xml {});
    object.method("equalsIgnoreCase", strings::std_equals_ignore_case {});
    object.method("trim", strings::std_trim {});
    object.method("char", strings::std_char {});
    object.method("parseInt", strings::std_parse_int {});
    object.method("member", strings::std_member {});
    object.method("repeat", strings::std_repeat {});
    object.method("makeArray", arrays::std_make_array {});
    object.method("removeAt", arrays::std_remove_at {});
    object.method("mergePatch", objects::std_merge_patch {});
    object.method("parseYaml", parse::std_parse_yaml {});
    object.method("sha1", bytes::std_sha1 {});
    object.method("sha256", bytes::std_sha256 {});
    object.method("sha512", bytes::std_sha512 {});
    object.method("sha3", bytes::std_sha3 {});
    object.method("decodeUTF8", bytes::std_decode_utf8 {});
    object.method("base64Decode", bytes::std_base64_decode {});
    object.method("base64DecodeBytes", bytes::std_base64_decode_bytes {});
}

fn add_formats(object: &mut ObjValueBuilder) {
    object.method("manifestJson", std_manifest_json {});
    object.method("manifestJsonEx", std_manifest_json_ex {});
    object.method("manifestJsonMinified", std_manifest_json_minified {});
    object.method("manifestYamlDoc", yaml::std_manifest_yaml_doc {});
    object.method("manifestYamlStream", yaml::std_manifest_yaml_stream {});
    object.method("manifestToml", toml::std_manifest_toml {});
    object.method("manifestTomlEx", toml::std_manifest_toml_ex {});
    object.method("manifestPython", python::std_manifest_python {});
    object.method("manifestPythonVars", python::std_manifest_python_vars {});
    object.method("manifestIni", ini::std_manifest_ini {});
}

impl ContextInitializer for Std {
    fn populate(&self, source: Source, builder: &mut InitialContextBuilder) {
        let mut object = ObjValueBuilder::with_capacity(1);
        object.with_super(self.object.clone());
        object.field("thisFile").hide().value(this_file(&source));
        builder.bind("std", Thunk::evaluated(Val::Obj(object.build())));
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A template has no file: there it is the empty string, as in go-jsonnet.
fn this_file(source: &Source) -> String {
    let name = import::name(source.source_path());
    if name == import::TEMPLATE {
        String::new()
    } else {
        name
    }
}

/// Stands in for the printer of a `std.trace` that nobody can reach.
#[derive(Acyclic)]
struct NoPrinter;

impl TracePrinter for NoPrinter {
    fn print_trace(&self, _at: CallLocation<'_>, _value: IStr) {}
}

#[derive(Clone, Trace)]
struct Now {
    #[trace(skip)]
    current: Rc<Current>,
}

#[builtin(fields(now: Now))]
fn std_ext_var(this: &std_ext_var, x: IStr) -> Result<Val> {
    let External {
        trigger,
        context,
        request,
    } = &this.now.current.call()?.external;
    let value = match x.as_str() {
        TRIGGER => Some(trigger),
        CONTEXT => Some(context),
        REQUEST => request.as_ref(),
        _ => None,
    };
    value
        .ok_or_else(|| ErrorKind::UndefinedExternalVariable(x).into())
        .and_then(Thunk::evaluate)
}

#[builtin]
fn std_native(x: IStr) -> Val {
    if x.as_str() == APPLY_JSON_PATCH {
        Val::Func(FuncVal::builtin(apply_json_patch {}))
    } else {
        Val::Null
    }
}

/// `[patched, null]`, or `[null, message]`: never an error of its own.
#[builtin]
fn apply_json_patch(obj: Val, patch: Val) -> Result<Val> {
    let patched = patch::apply(Json::from_val(&obj)?, &Json::from_val(&patch)?);
    let pair = match patched {
        Ok(document) => vec![document.to_val()?, Val::Null],
        Err(error) => vec![Val::Null, Val::from(error.to_string())],
    };
    Ok(Val::Arr(ArrValue::new(pair)))
}

#[builtin(fields(now: Now))]
fn std_trace(this: &std_trace, str: Val, rest: Option<Thunk<Val>>) -> Result<Val> {
    let call = this.now.current.call()?;
    call.host
        .log(Level::Info, "std.trace", &[("message", &text(&str)?)]);
    rest.map_or(Ok(str), |rest| rest.evaluate())
}

#[builtin]
fn std_to_string(a: Val) -> Result<IStr> {
    text(&a).map(IStr::from)
}

#[builtin]
fn std_manifest_json(value: Val) -> Result<String> {
    lines("    ", "\n", ": ").text(&value)
}

#[builtin]
fn std_manifest_json_ex(
    value: Val,
    indent: IStr,
    newline: Option<IStr>,
    key_val_sep: Option<IStr>,
) -> Result<String> {
    let newline = newline.as_deref().unwrap_or("\n");
    lines(&indent, newline, key_val_sep.as_deref().unwrap_or(": ")).text(&value)
}

#[builtin]
fn std_manifest_json_minified(value: Val) -> Result<String> {
    Format::MINIFIED.text(&value)
}

/// A big integer is a number like the others, for a template.
#[builtin]
fn std_type(x: Val) -> String {
    if matches!(x, Val::BigInt(_)) {
        "number"
    } else {
        x.value_type().name()
    }
    .to_owned()
}

#[builtin]
fn std_is_number(v: Val) -> bool {
    matches!(v, Val::Num(_) | Val::BigInt(_))
}

#[builtin]
fn std_is_null(x: Val) -> bool {
    matches!(x, Val::Null)
}

#[builtin]
fn std_equals(x: Val, y: Val) -> Result<bool> {
    equals(&x, &y)
}

fn lines<'a>(indent: &'a str, newline: &'a str, colon: &'a str) -> Format<'a> {
    Format {
        colon,
        lines: Some((newline, indent)),
        ..Format::MINIFIED
    }
}

fn text(value: &Val) -> Result<String> {
    match value {
        Val::Str(text) => Ok(text.clone().into_flat().to_string()),
        other => Format::TO_STRING.text(other),
    }
}
