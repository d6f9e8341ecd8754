//! A tree of JSON, for what is looked at from Rust: options and patches. Numbers are kept as canonical text, so equal
//! numbers are equal text and no digit is lost.

use std::collections::BTreeMap;
use std::rc::Rc;

use jrsonnet_evaluator::val::ArrValue;
use jrsonnet_evaluator::{ObjValueBuilder, Result, Val};

use crate::{lazy, number, write};

/// Any JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// As `number::text` writes it.
    Number(String),
    String(Rc<str>),
    Array(Vec<Json>),
    Object(BTreeMap<Rc<str>, Json>),
}

impl Json {
    #[cfg(test)]
    pub(crate) fn parse(text: &str) -> Result<Self> {
        Self::from_val(&lazy::parse(text.to_owned())?)
    }

    /// Evaluates all of a value.
    pub(crate) fn from_val(value: &Val) -> Result<Self> {
        Ok(match value {
            Val::Null => Self::Null,
            Val::Bool(bool) => Self::Bool(*bool),
            Val::Num(number) => Self::Number(number::text(number.get())),
            Val::BigInt(number) => Self::Number(number.to_string()),
            Val::Str(text) => Self::String(Rc::from(text.clone().into_flat().as_str())),
            Val::Arr(items) => Self::Array(
                items
                    .iter()
                    .map(|item| Self::from_val(&item?))
                    .collect::<Result<_>>()?,
            ),
            Val::Obj(object) => {
                object.run_assertions()?;
                let field = |(name, value): (jrsonnet_evaluator::IStr, Result<Val>)| {
                    Ok((Rc::from(name.as_str()), Self::from_val(&value?)?))
                };
                Self::Object(object.iter().map(field).collect::<Result<_>>()?)
            }
            Val::Func(_) => return Err(write::no_function()),
        })
    }

    pub(crate) fn to_val(&self) -> Result<Val> {
        Ok(match self {
            Self::Null => Val::Null,
            Self::Bool(bool) => Val::Bool(*bool),
            Self::Number(text) => lazy::number(text)?,
            Self::String(text) => Val::string(&**text),
            Self::Array(items) => {
                let items: Vec<Val> = items.iter().map(Self::to_val).collect::<Result<_>>()?;
                Val::Arr(ArrValue::new(items))
            }
            Self::Object(fields) => {
                let mut object = ObjValueBuilder::with_capacity(fields.len());
                for (name, value) in fields {
                    object.field(&**name).value(value.to_val()?);
                }
                Val::Obj(object.build())
            }
        })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<&str> {
        match self {
            Self::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The type as Kubernetes names it in its accessor errors.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "<nil>",
            Self::Bool(_) => "bool",
            Self::Number(text) if text.contains(['.', 'e']) => "float64",
            Self::Number(_) => "int64",
            Self::String(_) => "string",
            Self::Array(_) => "[]interface {}",
            Self::Object(_) => "map[string]interface {}",
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
            Self::Number(text) => out.push_str(text),
            Self::String(text) => write::string(text, out),
            Self::Array(items) => write::list(out, '[', ']', items, |item, out| item.write(out)),
            Self::Object(fields) => write::list(out, '{', '}', fields, |(name, value), out| {
                write::string(name, out);
                out.push(':');
                value.write(out);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_there_and_back() {
        for (text, expected) in [
            ("9007199254740993", "9007199254740993"),
            (
                "-123456789012345678901234567890",
                "-123456789012345678901234567890",
            ),
            ("3.0", "3"),
            ("0.1", "0.1"),
            ("1e21", "1e+21"),
        ] {
            let json = Json::parse(text).unwrap();
            assert_eq!(json.to_text(), expected);
            assert_eq!(Json::from_val(&json.to_val().unwrap()).unwrap(), json);
        }
    }
}
