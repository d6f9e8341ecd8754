//! JSON text to Jsonnet value, as late as possible: an object is looked into when one of its fields is asked for, and only that
//! field is parsed. A context of thousands of objects costs what the template touches.
//!
//! The text comes from the host, which guarantees one JSON document. What is not JSON after all is an error once touched,
//! never a panic.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::str::FromStr;

use jrsonnet_evaluator::error::ErrorKind;
use jrsonnet_evaluator::ordering::{FieldIndex, SuperDepth};
use jrsonnet_evaluator::rustc_hash::FxHashMap;
use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{
    EnumFields, EnumFieldsHandler, Error, FieldVisibility, GetFor, HasFieldIncludeHidden, IStr, NumValue,
    ObjValueBuilder, ObjectCore, Result, SupThis, Val, Visibility,
};
use jrsonnet_gcmodule::Trace;
use num_bigint::BigInt;

use crate::scan::Scanner;

/// Integers up to here are exact in a double.
const EXACT: u64 = 1 << 53;
/// Objects with more fields get an index.
const INDEXED_FROM: usize = 12;

/// A whole document. An object is not looked into.
pub(crate) fn parse(text: String) -> Result<Val> {
    let blank = text.len() - text.trim_ascii_start().len();
    let end = blank + text.trim_ascii().len();
    at(&Rc::new(text), blank..end)
}

/// A number, from its JSON text: exact, whatever its size, or an error.
pub(crate) fn number(text: &str) -> Result<Val> {
    if text.contains(['.', 'e', 'E']) {
        return fraction(text);
    }
    match text.parse::<i64>() {
        Ok(small) if small.unsigned_abs() <= EXACT => fraction(text),
        _ => BigInt::from_str(text)
            .map(|big| Val::BigInt(Box::new(big)))
            .map_err(|_| no_number(text)),
    }
}

fn fraction(text: &str) -> Result<Val> {
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|_| text.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    // An integer has no negative zero.
    let number = number.map(|number| if number == 0.0 { 0.0 } else { number });
    number
        .and_then(NumValue::new)
        .map(Val::Num)
        .ok_or_else(|| no_number(text))
}

fn no_number(text: &str) -> Error {
    ErrorKind::RuntimeError(format!("number out of range: {text}").into()).into()
}

fn broken(offset: usize) -> Error {
    ErrorKind::RuntimeError(format!("the host gave text that is no JSON (byte {offset})").into()).into()
}

/// The value in a range of a text. Its first byte tells what it is.
fn at(text: &Rc<String>, range: Range<usize>) -> Result<Val> {
    let json = text.get(range.clone()).ok_or_else(|| broken(range.start))?;
    Ok(match json.as_bytes().first() {
        Some(b'{') => object(text, range),
        Some(b'[') => array(text, &range)?,
        Some(b'"') => Val::string(
            Scanner::new(text, range.start)
                .string()
                .ok_or_else(|| broken(range.start))?,
        ),
        Some(b't') if json == "true" => Val::Bool(true),
        Some(b'f') if json == "false" => Val::Bool(false),
        Some(b'n') if json == "null" => Val::Null,
        _ => number(json)?,
    })
}

fn array(text: &Rc<String>, range: &Range<usize>) -> Result<Val> {
    let mut scanner = Scanner::new(text, range.start);
    let mut items = Vec::new();
    let mut open = scanner.open(b'[', b']').ok_or_else(|| broken(range.start))?;
    while open {
        let item = scanner.value().ok_or_else(|| broken(range.start))?;
        items.push(at(text, item)?);
        open = scanner.more(b']').ok_or_else(|| broken(range.start))?;
    }
    Ok(Val::Arr(ArrValue::new(items)))
}

fn object(text: &Rc<String>, range: Range<usize>) -> Val {
    let mut builder = ObjValueBuilder::new();
    builder.extend_with_core(Object {
        text: Rc::clone(text),
        start: range.start,
        fields: std::cell::OnceCell::new(),
    });
    Val::Obj(builder.build())
}

/// A JSON object that has not been looked into, or whose fields are known by their ranges.
#[derive(Trace)]
struct Object {
    #[trace(skip)]
    text: Rc<String>,
    start: usize,
    #[trace(skip)]
    fields: std::cell::OnceCell<Option<Fields>>,
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JSON object at {}", self.start)
    }
}

/// Names and the ranges of their values, in the order of the text.
#[derive(Default)]
struct Fields {
    list: Vec<(IStr, Range<usize>)>,
    index: FxHashMap<IStr, usize>,
}

impl Fields {
    fn read(text: &str, start: usize) -> Option<Self> {
        let mut scanner = Scanner::new(text, start);
        let mut fields = Self::default();
        let mut open = scanner.open(b'{', b'}')?;
        while open {
            let name = IStr::from(scanner.string()?);
            scanner.colon()?;
            fields.list.push((name, scanner.value()?));
            open = scanner.more(b'}')?;
        }
        fields.index();
        Some(fields)
    }

    fn index(&mut self) {
        if self.list.len() > INDEXED_FROM {
            self.index = self
                .list
                .iter()
                .enumerate()
                .map(|(at, (name, _))| (name.clone(), at))
                .collect();
        }
    }

    /// The last of that name, as every JSON parser takes it.
    fn find(&self, name: &IStr) -> Option<Range<usize>> {
        if self.index.is_empty() {
            return self
                .list
                .iter()
                .rev()
                .find(|(found, _)| found == name)
                .map(|(_, range)| range.clone());
        }
        self.index
            .get(name)
            .and_then(|&at| self.list.get(at))
            .map(|(_, range)| range.clone())
    }
}

impl Object {
    fn fields(&self) -> Option<&Fields> {
        self.fields
            .get_or_init(|| Fields::read(&self.text, self.start))
            .as_ref()
    }

    fn find(&self, name: &IStr) -> Option<Range<usize>> {
        self.fields().and_then(|fields| fields.find(name))
    }
}

impl ObjectCore for Object {
    fn enum_fields_core(&self, depth: &mut SuperDepth, handler: &mut EnumFieldsHandler<'_>) -> bool {
        let mut shown = |name: IStr| {
            handler(
                *depth,
                FieldIndex::default(),
                name,
                EnumFields::Normal(Visibility::Normal),
            )
            .is_continue()
        };
        match self.fields() {
            Some(fields) => fields.list.iter().all(|(name, _)| shown(name.clone())),
            // Listing cannot fail. The one field that is listed instead cannot be read, so nobody takes this for `{}`.
            None => shown(IStr::empty()),
        }
    }

    fn has_field_include_hidden_core(&self, name: IStr) -> HasFieldIncludeHidden {
        match self.find(&name) {
            Some(_) => HasFieldIncludeHidden::Exists,
            None => HasFieldIncludeHidden::NotFound,
        }
    }

    fn get_for_core(&self, key: IStr, _sup_this: SupThis, _omit_only: bool) -> Result<GetFor> {
        if self.fields().is_none() {
            return Err(broken(self.start));
        }
        match self.find(&key) {
            Some(range) => at(&self.text, range).map(GetFor::Final),
            None => Ok(GetFor::NotFound),
        }
    }

    fn field_visibility_core(&self, field: IStr) -> FieldVisibility {
        match self.find(&field) {
            Some(_) => FieldVisibility::Found(Visibility::Normal),
            None => FieldVisibility::NotFound,
        }
    }

    fn run_assertions_core(&self, _sup_this: SupThis) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write;

    fn round(text: &str) -> String {
        write::json(&parse(text.to_owned()).unwrap()).unwrap()
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = r#" { "a" : [ 1 , "x\né\ud83d\ude00" , { } , [ ] , null , true , false , -2.5e3 ] , "b" : { "c" : "}" } } "#;
        assert_eq!(
            round(text),
            "{\"a\":[1,\"x\\né😀\",{},[],null,true,false,-2500],\"b\":{\"c\":\"}\"}}"
        );
    }

    #[test]
    fn integers_of_any_size_are_exact_and_zero_has_no_sign() {
        for exact in [
            "9007199254740992",
            "9007199254740993",
            "-9223372036854775809",
            "123456789012345678901234567890",
        ] {
            assert_eq!(round(exact), exact);
        }
        assert_eq!(round("[3.0,-0,-0.0]"), "[3,0,0]");
    }

    #[test]
    fn many_fields_are_indexed_and_the_last_of_a_name_wins() {
        let fields: Vec<String> = (0..100).map(|n| format!("\"k{n}\":{n}")).collect();
        let text = format!("{{{},\"k7\":\"last\"}}", fields.join(","));
        let object = parse(text).unwrap().as_obj().unwrap();
        assert_eq!(
            object
                .get("k7".into())
                .unwrap()
                .unwrap()
                .as_str()
                .unwrap()
                .as_str(),
            "last"
        );
        assert_eq!(object.get("k99".into()).unwrap().unwrap().as_num(), Some(99.0));
        assert!(object.get("k100".into()).unwrap().is_none());
        assert_eq!(object.len(), 100);
    }

    #[test]
    fn what_is_no_json_is_an_error_once_touched() {
        for text in [
            "",
            "{",
            "[1",
            "nope",
            "1 2",
            "\"a",
            "{\"a\" 1}",
            "[1,]",
            "01x",
            "1e999",
            "infinity",
            "\"\\u12\"",
        ] {
            let result = parse(text.to_owned()).and_then(|value| write::json(&value));
            assert!(result.is_err(), "{text}: {result:?}");
        }
    }
}
