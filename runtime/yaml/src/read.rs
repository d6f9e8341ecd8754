//! Reads YAML 1.1 as JSON values.
//!
//! Keys become texts; a key twice is an error, unless the last one is wanted; aliases and merge keys are expanded, up to a
//! bound. Numbers stay what they are in a [`Node`]; in a [`Value`] as far as 64 bits go.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput, Tag};
use serde_json::Value;

use super::{
    node::Node,
    number,
    scalar::{self, Plain},
};

/// How many values a document may have, aliases expanded.
const MOST_VALUES: usize = 2_000_000;

/// What a key is that an object has twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// An error.
    Refused,
    /// The value that comes last.
    LastWins,
}

/// A text that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No YAML.
    #[error("line {line}: {problem}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// In the parser's words.
        problem: String,
    },
    /// The same key twice in one object.
    #[error("line {line}: key {key:?} already set in map")]
    DuplicateKey {
        /// Counted from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// Something that JSON cannot say.
    #[error("line {line}: {what} has no meaning here")]
    Unspeakable {
        /// Counted from 1.
        line: usize,
        /// The text, or what it is.
        what: String,
    },
    /// Something has the wrong form for its place.
    #[error("line {line}: {problem}")]
    Misplaced {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// Several documents where one is wanted.
    #[error("expected one document, found {0}")]
    SeveralDocuments(usize),
}

/// Reads the one document of a text; no document is null.
pub fn read(text: &str) -> Result<Value, ReadError> {
    Ok(read_exact(text)?.to_value())
}

/// Reads the one document of a text with its numbers as they stand; no document is null.
pub fn read_exact(text: &str) -> Result<Node, ReadError> {
    let mut documents = nodes(text, Duplicates::Refused)?;
    match documents.len() {
        0 => Ok(Node::Null),
        1 => Ok(documents.remove(0)),
        several => Err(ReadError::SeveralDocuments(several)),
    }
}

/// Reads all documents of a text.
pub fn read_all(text: &str) -> Result<Vec<Value>, ReadError> {
    read_with(text, Duplicates::Refused)
}

/// Reads all documents of a text, with a word on duplicate keys.
pub fn read_with(text: &str, duplicates: Duplicates) -> Result<Vec<Value>, ReadError> {
    Ok(nodes(text, duplicates)?.iter().map(Node::to_value).collect())
}

fn nodes(text: &str, duplicates: Duplicates) -> Result<Vec<Node>, ReadError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    Reader {
        events: Parser::new_from_str_with_options(text, options),
        anchors: HashMap::new(),
        duplicates,
        values: 0,
        line: 1,
    }
    .documents()
}

struct Reader<'a> {
    events: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Node>,
    duplicates: Duplicates,
    values: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    fn documents(mut self) -> Result<Vec<Node>, ReadError> {
        let mut documents = Vec::new();
        while let Some(event) = self.event()? {
            if let Event::DocumentStart(..) = event {
                self.anchors.clear();
                documents.push(self.value()?);
            }
        }
        Ok(documents)
    }

    fn event(&mut self) -> Result<Option<Event<'a>>, ReadError> {
        match self.events.next() {
            None => Ok(None),
            Some(Ok((event, span))) => {
                self.line = line_of(&span);
                Ok(Some(event))
            }
            Some(Err(error)) => Err(ReadError::Syntax {
                line: error.marker().line(),
                problem: error.info(),
            }),
        }
    }

    fn value(&mut self) -> Result<Node, ReadError> {
        match self.event()? {
            Some(event) => self.value_of(event),
            None => Err(self.misplaced("the document ends too early")),
        }
    }

    fn value_of(&mut self, event: Event<'a>) -> Result<Node, ReadError> {
        self.count(1)?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = self.scalar(&text, style, tag.as_deref())?;
                Ok(self.remember(anchor, value))
            }
            Event::SequenceStart(_, anchor, _) => {
                let items = self.items()?;
                Ok(self.remember(anchor, items))
            }
            Event::MappingStart(_, anchor, _) => {
                let fields = self.fields()?;
                Ok(self.remember(anchor, fields))
            }
            Event::Alias(anchor) => self.alias(anchor),
            _ => Err(self.misplaced("expected a value")),
        }
    }

    fn items(&mut self) -> Result<Node, ReadError> {
        let mut items = Vec::new();
        loop {
            match self.event()? {
                Some(Event::SequenceEnd) => return Ok(Node::List(items)),
                Some(event) => items.push(self.value_of(event)?),
                None => return Err(self.misplaced("a list does not end")),
            }
        }
    }

    fn fields(&mut self) -> Result<Node, ReadError> {
        let mut fields = Vec::new();
        let mut keys = HashSet::new();
        let mut merged = Vec::new();
        loop {
            match self.event()? {
                Some(Event::MappingEnd) => return Ok(Node::Fields(with_merged(fields, keys, merged))),
                Some(event) if is_merge_key(&event) => self.merge(&mut merged)?,
                Some(event) => {
                    let line = self.line;
                    let key = self.key(event)?;
                    let value = self.value()?;
                    if keys.insert(key.clone()) {
                        fields.push((key, value));
                    } else if self.duplicates == Duplicates::LastWins {
                        replace(&mut fields, &key, value);
                    } else {
                        return Err(ReadError::DuplicateKey { line, key });
                    }
                }
                None => return Err(self.misplaced("an object does not end")),
            }
        }
    }

    fn key(&mut self, event: Event<'a>) -> Result<String, ReadError> {
        match self.value_of(event)? {
            Node::Text(text) => Ok(text),
            Node::Bool(value) => Ok(value.to_string()),
            Node::Number(number) => Ok(number::as_go(&number)),
            _ => Err(self.misplaced("a key has to be a text, a number or a boolean")),
        }
    }

    /// The value of a merge key: an object, or a list of objects of which the first counts most.
    fn merge(&mut self, merged: &mut Vec<(String, Node)>) -> Result<(), ReadError> {
        let objects = match self.value()? {
            Node::List(items) => items,
            object => vec![object],
        };
        for object in objects {
            let Node::Fields(fields) = object else {
                return Err(self.misplaced("the value of << has to be an object or a list of objects"));
            };
            merged.extend(fields);
        }
        Ok(())
    }

    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Node, ReadError> {
        let tag = tag.map(|tag| format!("{}{}", tag.handle(), tag.suffix()));
        if tag.as_deref() == Some("tag:yaml.org,2002:float") && number::is_json(text) {
            return Ok(Node::Number(text.to_owned()));
        }
        let plain = match tag.as_deref().map(|tag| tag.strip_prefix("tag:yaml.org,2002:")) {
            None if style == ScalarStyle::Plain => scalar::resolve(text),
            None | Some(None | Some("str")) => Plain::Text,
            Some(Some("binary")) => return Err(self.unspeakable("binary data")),
            Some(Some(tag)) => self.tagged(text, tag)?,
        };
        plain.node(text).ok_or_else(|| self.unspeakable(text))
    }

    /// A scalar with a tag of YAML itself has to be of that type.
    fn tagged(&self, text: &str, tag: &str) -> Result<Plain, ReadError> {
        let plain = scalar::resolve(text);
        let fits = match &plain {
            Plain::Null => tag == "null",
            Plain::Bool(_) => tag == "bool",
            Plain::Number(number) => tag == "float" || tag == "int" && !number.is_f64(),
            Plain::Unspeakable => tag == "float",
            Plain::Timestamp => tag == "timestamp",
            Plain::Text => false,
        };
        fits.then_some(plain)
            .ok_or_else(|| self.unspeakable(&format!("{text:?} as !!{tag}")))
    }

    fn remember(&mut self, anchor: usize, value: Node) -> Node {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        value
    }

    fn alias(&mut self, anchor: usize) -> Result<Node, ReadError> {
        let value = self.anchors.get(&anchor).cloned();
        let value = value.ok_or_else(|| self.misplaced("an anchor cannot contain itself"))?;
        self.count(value.size())?;
        Ok(value)
    }

    fn count(&mut self, values: usize) -> Result<(), ReadError> {
        self.values = self.values.saturating_add(values);
        if self.values > MOST_VALUES {
            return Err(self.misplaced("the document has too many values"));
        }
        Ok(())
    }

    fn misplaced(&self, problem: &'static str) -> ReadError {
        ReadError::Misplaced {
            line: self.line,
            problem,
        }
    }

    fn unspeakable(&self, what: &str) -> ReadError {
        ReadError::Unspeakable {
            line: self.line,
            what: what.to_owned(),
        }
    }
}

fn line_of(span: &Span) -> usize {
    span.start.line()
}

fn is_merge_key(event: &Event<'_>) -> bool {
    matches!(event, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<")
}

fn replace(fields: &mut [(String, Node)], key: &str, value: Node) {
    if let Some((_, old)) = fields.iter_mut().find(|(known, _)| known == key) {
        *old = value;
    }
}

/// Keys of one's own win, then those that were merged first.
fn with_merged(
    mut fields: Vec<(String, Node)>,
    mut keys: HashSet<String>,
    merged: Vec<(String, Node)>,
) -> Vec<(String, Node)> {
    fields.extend(merged.into_iter().filter(|(key, _)| keys.insert(key.clone())));
    fields
}

#[cfg(test)]
mod tests;
