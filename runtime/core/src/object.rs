//! One object of a watched kind, held as bytes.
//!
//! Owns what is known of an object without parsing it into a tree: where its type, its names, its version and its
//! labels stand in the text. Never changes a value; what a projection drops is cut out of the text.

use std::{fmt, ops::Range, sync::Arc};

use crate::{
    ObjectId,
    scanner::{RawString, ScanError, Scanner},
    snapshot::Revision,
};

/// What is changed in an object before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Projection {
    /// Drop `metadata.managedFields`.
    pub strip_managed_fields: bool,
}

/// The type that objects of a list have, whose items do not carry it.
#[derive(Clone, Copy, Debug)]
pub struct TypeOfItems<'a> {
    /// `group/version`, or `v1` for the core group.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
}

/// Bytes that are no object. Never quotes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseObjectError {
    /// Not JSON, or its metadata are not those of an object.
    #[error("not a Kubernetes object: {0}")]
    Malformed(#[from] ScanError),
    /// Not UTF-8.
    #[error("not a Kubernetes object: no UTF-8 at byte {at}")]
    NotText {
        /// The first byte that is none.
        at: usize,
    },
    /// Larger than offsets can say.
    #[error("not a Kubernetes object: larger than 4 GiB")]
    TooLarge,
}

/// An object as JSON text with the few fields that the host looks at.
///
/// Costs about 120 bytes beside its text. Its content never shows in `Debug`.
pub struct Object {
    json: Arc<str>,
    fields: Fields,
    revision: Revision,
}

/// The offsets of the fields, or the fields themselves if escapes stand in one of them.
enum Fields {
    Spans { head: [Span; FIELDS], labels: Span },
    Owned(Box<OwnedFields>),
}

struct OwnedFields {
    head: [String; FIELDS],
    labels: Vec<(String, String)>,
}

#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// The fields of the head, by their place in its arrays.
#[derive(Clone, Copy)]
enum Field {
    ApiVersion,
    Kind,
    Namespace,
    Name,
    Uid,
    ResourceVersion,
}

const FIELDS: usize = 6;

impl Object {
    /// Takes one object as it is, with its type in it.
    pub fn parse(json: Arc<str>, revision: Revision) -> Result<Self, ParseObjectError> {
        let fields = ObjectText::read(
            &json,
            None,
            Projection {
                strip_managed_fields: false,
            },
        )?
        .fields()?;
        Ok(Self {
            json,
            fields,
            revision,
        })
    }

    /// The whole object: one JSON document, shared.
    pub fn json(&self) -> &Arc<str> {
        &self.json
    }

    /// Namespace (empty for cluster-scoped kinds) and name: the order of collections.
    pub fn key(&self) -> (&str, &str) {
        (self.namespace(), self.name())
    }

    /// `apiVersion`.
    pub fn api_version(&self) -> &str {
        self.field(Field::ApiVersion)
    }

    /// `kind`.
    pub fn kind(&self) -> &str {
        self.field(Field::Kind)
    }

    /// `metadata.namespace`; empty for cluster-scoped kinds.
    pub fn namespace(&self) -> &str {
        self.field(Field::Namespace)
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.field(Field::Name)
    }

    /// `metadata.uid`; empty if there is none.
    pub fn uid(&self) -> &str {
        self.field(Field::Uid)
    }

    /// `metadata.resourceVersion`; empty if there is none.
    pub fn resource_version(&self) -> &str {
        self.field(Field::ResourceVersion)
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        match &self.fields {
            Fields::Spans { labels, .. } => find_label(self.span(*labels), key),
            Fields::Owned(owned) => owned
                .labels
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, v)| v.as_str()),
        }
    }

    /// Stands for these bytes.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The type and name.
    pub fn id(&self) -> ObjectId {
        ObjectId {
            api_version: self.api_version().to_owned(),
            kind: self.kind().to_owned(),
            namespace: self.namespace().to_owned(),
            name: self.name().to_owned(),
        }
    }

    fn field(&self, field: Field) -> &str {
        let index = field as usize;
        match &self.fields {
            Fields::Spans { head, .. } => self.span(head.get(index).copied().unwrap_or_default()),
            Fields::Owned(owned) => owned.head.get(index).map(String::as_str).unwrap_or_default(),
        }
    }

    fn span(&self, span: Span) -> &str {
        self.json
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (namespace, name) = self.key();
        write!(
            f,
            "Object({} {namespace}/{name} @{})",
            self.kind(),
            self.resource_version()
        )
    }
}

/// The text of an object as a server sent it, read but not copied, with what its projection will change.
///
/// With it an object that is stored already is recognised without any allocation.
pub struct ObjectText<'a> {
    text: &'a str,
    /// What is put behind the opening brace.
    insert: String,
    insert_at: usize,
    cut: Range<usize>,
    head: [Option<RawString<'a>>; FIELDS],
    labels: Range<usize>,
    labels_escaped: bool,
}

impl<'a> ObjectText<'a> {
    /// Reads an object from bytes. `item_of` gives the type if the object does not say it itself.
    pub fn read_bytes(
        bytes: &'a [u8],
        item_of: Option<TypeOfItems<'_>>,
        projection: Projection,
    ) -> Result<Self, ParseObjectError> {
        let text = str::from_utf8(bytes).map_err(|error| ParseObjectError::NotText {
            at: error.valid_up_to(),
        })?;
        Self::read(text, item_of, projection)
    }

    /// Reads an object from text. `item_of` gives the type if the object does not say it itself.
    pub fn read(
        text: &'a str,
        item_of: Option<TypeOfItems<'_>>,
        projection: Projection,
    ) -> Result<Self, ParseObjectError> {
        u32::try_from(text.len() + 1024).map_err(|_| ParseObjectError::TooLarge)?;
        let mut scanner = Scanner::new(text);
        scanner.peek();
        let mut read = Self {
            text,
            insert: String::new(),
            insert_at: scanner.at() + 1,
            cut: 0..0,
            head: [None; FIELDS],
            labels: 0..0,
            labels_escaped: false,
        };
        scanner.object(|scanner, key| read.member(scanner, key.raw(), projection))?;
        scanner.end()?;
        if let Some(item_of) = item_of {
            read.complete_type(item_of);
        }
        Ok(read)
    }

    /// `metadata.uid`, without escapes undone.
    pub fn raw_uid(&self) -> &'a str {
        self.raw(Field::Uid)
    }

    /// `metadata.resourceVersion`, without escapes undone.
    pub fn raw_resource_version(&self) -> &'a str {
        self.raw(Field::ResourceVersion)
    }

    /// `metadata.name`.
    pub fn name(&self) -> Result<std::borrow::Cow<'a, str>, ScanError> {
        self.decoded(Field::Name)
    }

    /// `metadata.namespace`; empty for cluster-scoped kinds.
    pub fn namespace(&self) -> Result<std::borrow::Cow<'a, str>, ScanError> {
        self.decoded(Field::Namespace)
    }

    /// The length of the object's text after the projection.
    #[expect(
        clippy::len_without_is_empty,
        reason = "an object is at least two braces long"
    )]
    pub fn len(&self) -> usize {
        self.text.len() + self.insert.len() - self.cut.len()
    }

    /// Whether `object` holds exactly these bytes.
    pub fn is(&self, object: &Object) -> bool {
        let mut rest = object.json.as_bytes();
        let same = self
            .pieces()
            .into_iter()
            .all(|piece| match rest.strip_prefix(piece.as_bytes()) {
                Some(behind) => {
                    rest = behind;
                    true
                }
                None => false,
            });
        same && rest.is_empty()
    }

    /// Copies the text into an object of its own.
    pub fn to_object(&self, revision: Revision) -> Result<Object, ParseObjectError> {
        let mut json = String::with_capacity(self.len());
        self.pieces().into_iter().for_each(|piece| json.push_str(piece));
        if self.insert.is_empty() {
            return Ok(Object {
                json: json.into(),
                fields: self.fields()?,
                revision,
            });
        }
        Object::parse(json.into(), revision)
    }

    fn member(
        &mut self,
        scanner: &mut Scanner<'a>,
        key: &str,
        projection: Projection,
    ) -> Result<(), ScanError> {
        match key {
            "apiVersion" => self.set(Field::ApiVersion, scanner),
            "kind" => self.set(Field::Kind, scanner),
            "metadata" if scanner.peek() == Some(b'{') => self.metadata(scanner, projection),
            _ => scanner.value().map(drop),
        }
    }

    fn metadata(&mut self, scanner: &mut Scanner<'a>, projection: Projection) -> Result<(), ScanError> {
        let mut previous_end = None;
        scanner.object(|scanner, key| {
            match key.raw() {
                "namespace" => self.set(Field::Namespace, scanner)?,
                "name" => self.set(Field::Name, scanner)?,
                "uid" => self.set(Field::Uid, scanner)?,
                "resourceVersion" => self.set(Field::ResourceVersion, scanner)?,
                "labels" if scanner.peek() == Some(b'{') => self.labels(scanner)?,
                "managedFields" if projection.strip_managed_fields => {
                    scanner.value()?;
                    self.cut(previous_end, key.start - 1, scanner);
                }
                _ => scanner.value().map(drop)?,
            }
            previous_end = Some(scanner.at());
            Ok(())
        })
    }

    /// Cuts a member out, together with the comma before it, or behind it if it is the first one.
    fn cut(&mut self, previous_end: Option<usize>, start: usize, scanner: &Scanner<'a>) {
        let mut behind = scanner.clone();
        let followed = behind.peek() == Some(b',');
        self.cut = match previous_end {
            Some(previous_end) => previous_end..scanner.at(),
            None => start..if followed { behind.at() + 1 } else { scanner.at() },
        };
    }

    fn labels(&mut self, scanner: &mut Scanner<'a>) -> Result<(), ScanError> {
        let start = scanner.at();
        scanner.object(|scanner, key| {
            let value = scanner.optional_string()?;
            self.labels_escaped |= key.escaped || value.is_some_and(|value| value.escaped);
            Ok::<(), ScanError>(())
        })?;
        self.labels = start..scanner.at();
        Ok(())
    }

    fn set(&mut self, field: Field, scanner: &mut Scanner<'a>) -> Result<(), ScanError> {
        let value = scanner.optional_string()?;
        if let Some(slot) = self.head.get_mut(field as usize) {
            *slot = value;
        }
        Ok(())
    }

    /// Built-in kinds are written with the kind first, so that list and watch give the same bytes.
    fn complete_type(&mut self, item_of: TypeOfItems<'_>) {
        let is_empty = self
            .text
            .get(self.insert_at..)
            .is_some_and(|rest| rest.trim_start().starts_with('}'));
        for (field, key, value) in [
            (Field::Kind, "kind", item_of.kind),
            (Field::ApiVersion, "apiVersion", item_of.api_version),
        ] {
            if self.get(field).is_none() && !is_empty {
                let value = serde_json::Value::from(value);
                self.insert.push_str(&format!("\"{key}\":{value},"));
            }
        }
    }

    /// The text after the projection, in order: before what is inserted, that, before the cut, behind the cut.
    fn pieces(&self) -> [&str; 4] {
        let part = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let cut_start = self.cut.start.max(self.insert_at);
        let cut_end = self.cut.end.max(self.insert_at);
        [
            part(0..self.insert_at),
            &self.insert,
            part(self.insert_at..cut_start),
            part(cut_end..self.text.len()),
        ]
    }

    fn fields(&self) -> Result<Fields, ParseObjectError> {
        let escaped = |field: &Option<RawString<'_>>| field.is_some_and(|field| field.escaped);
        if self.labels_escaped || self.head.iter().any(escaped) {
            return Ok(Fields::Owned(Box::new(self.owned_fields()?)));
        }
        let mut head = [Span::default(); FIELDS];
        for (span, field) in head.iter_mut().zip(&self.head) {
            *span = field
                .map(|field| self.moved(field.start..field.end()))
                .unwrap_or_default();
        }
        Ok(Fields::Spans {
            head,
            labels: self.moved(self.labels.clone()),
        })
    }

    fn owned_fields(&self) -> Result<OwnedFields, ScanError> {
        let mut head: [String; FIELDS] = Default::default();
        for (owned, field) in head.iter_mut().zip(&self.head) {
            *owned = field
                .map(|field| field.decode())
                .transpose()?
                .unwrap_or_default()
                .into_owned();
        }
        let mut labels = Vec::new();
        each_label(
            self.text.get(self.labels.clone()).unwrap_or_default(),
            |key, value| {
                labels.push((key.decode()?.into_owned(), value.decode()?.into_owned()));
                Ok(())
            },
        )?;
        Ok(OwnedFields { head, labels })
    }

    /// Where a range of the text stands after the cut. Nothing is inserted: see `to_object`.
    fn moved(&self, range: Range<usize>) -> Span {
        let shift = if range.start >= self.cut.end {
            self.cut.len()
        } else {
            0
        };
        let offset = |at: usize| u32::try_from(at - shift).unwrap_or(0);
        Span {
            start: offset(range.start),
            end: offset(range.end),
        }
    }

    fn get(&self, field: Field) -> Option<RawString<'a>> {
        self.head.get(field as usize).copied().flatten()
    }

    fn raw(&self, field: Field) -> &'a str {
        self.get(field).map(|field| field.raw()).unwrap_or_default()
    }

    fn decoded(&self, field: Field) -> Result<std::borrow::Cow<'a, str>, ScanError> {
        Ok(self
            .get(field)
            .map(|field| field.decode())
            .transpose()?
            .unwrap_or_default())
    }
}

fn find_label<'a>(labels: &'a str, key: &str) -> Option<&'a str> {
    let mut found = None;
    let scanned = each_label(labels, |label, value| {
        if label.raw() == key {
            found = Some(value.raw());
        }
        Ok(())
    });
    scanned.ok().and(found)
}

fn each_label<'a>(
    labels: &'a str,
    mut visit: impl FnMut(RawString<'a>, RawString<'a>) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    if labels.is_empty() {
        return Ok(());
    }
    Scanner::new(labels).object(|scanner, key| match scanner.optional_string()? {
        Some(value) => visit(key, value),
        None => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIP: Projection = Projection {
        strip_managed_fields: true,
    };
    const KEEP: Projection = Projection {
        strip_managed_fields: false,
    };
    const CONFIG_MAP: TypeOfItems<'_> = TypeOfItems {
        api_version: "v1",
        kind: "ConfigMap",
    };

    fn object(text: &str, projection: Projection) -> Object {
        let read = ObjectText::read(text, Some(CONFIG_MAP), projection).unwrap();
        let object = read.to_object(Revision(1)).unwrap();
        assert!(read.is(&object));
        assert_eq!(read.len(), object.json().len());
        serde_json::from_str::<serde_json::Value>(object.json()).unwrap();
        object
    }

    #[test]
    fn fields_are_found_wherever_they_stand() {
        let text = r#"{"data":{"a":"1"},"metadata":{"uid":"u","labels":{"x":"1","y":"2"},"name":"n","namespace":"s","resourceVersion":"7"},"kind":"ConfigMap","apiVersion":"v1"}"#;
        let object = object(text, STRIP);
        assert_eq!(&**object.json(), text);
        assert_eq!(object.key(), ("s", "n"));
        assert_eq!((object.uid(), object.resource_version()), ("u", "7"));
        assert_eq!((object.api_version(), object.kind()), ("v1", "ConfigMap"));
        assert_eq!(
            (object.label("x"), object.label("y"), object.label("z")),
            (Some("1"), Some("2"), None)
        );
    }

    /// C13:
    #[test]
    fn c13_an_item_of_a_list_gets_its_type() {
        let object = object(r#"{"metadata":{"name":"a"},"data":{"b":"c"}}"#, STRIP);
        assert_eq!(
            &**object.json(),
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"b":"c"}}"#
        );
        assert_eq!((object.kind(), object.name()), ("ConfigMap", "a"));
    }

    /// C11:
    #[test]
    fn c11_managed_fields_are_cut_out_wherever_they_stand() {
        let cases = [
            (
                r#"{"metadata":{"managedFields":[{"x":1}]}}"#,
                r#"{"metadata":{}}"#,
            ),
            (
                r#"{"metadata":{"managedFields":[],"name":"a"}}"#,
                r#"{"metadata":{"name":"a"}}"#,
            ),
            (
                r#"{"metadata":{"name":"a","managedFields":[{"f:x":{}}]}}"#,
                r#"{"metadata":{"name":"a"}}"#,
            ),
            (
                r#"{"metadata":{"name":"a","managedFields":null,"uid":"u"}}"#,
                r#"{"metadata":{"name":"a","uid":"u"}}"#,
            ),
        ];
        for (text, expected) in cases {
            let with_type = |text: &str| text.replacen('{', r#"{"kind":"ConfigMap","apiVersion":"v1","#, 1);
            assert_eq!(&**object(text, STRIP).json(), with_type(expected));
            assert_eq!(&**object(&with_type(text), STRIP).json(), with_type(expected));
            assert_eq!(&**object(&with_type(text), KEEP).json(), with_type(text));
        }
        let behind = object(
            r#"{"kind":"K","apiVersion":"v","metadata":{"managedFields":[1],"name":"a","uid":"u"}}"#,
            STRIP,
        );
        assert_eq!((behind.name(), behind.uid(), behind.kind()), ("a", "u", "K"));
    }

    #[test]
    fn managed_fields_elsewhere_stay() {
        let text = r#"{"kind":"K","apiVersion":"v","metadata":{"annotations":{"managedFields":"x"}},"managedFields":[1],"spec":{"metadata":{"managedFields":[1]}}}"#;
        assert_eq!(&**object(text, STRIP).json(), text);
    }

    #[test]
    fn escapes_in_names_and_labels_are_undone() {
        let object = object(
            r#"{"metadata":{"name":"system:\u003cx\u003e","labels":{"a\/b":"c"}}}"#,
            STRIP,
        );
        assert_eq!(object.name(), "system:<x>");
        assert_eq!(object.label("a/b"), Some("c"));
        assert!(object.json().contains(r"\u003c"), "the text stays as it was sent");
    }

    #[test]
    fn what_is_no_object_is_refused_without_being_quoted() {
        for text in [
            "",
            "[]",
            "\"hunter2\"",
            r#"{"metadata":{"name":5}}"#,
            r#"{"a":hunter2}"#,
            "{} {}",
            "{\"a\":1",
        ] {
            let error = ObjectText::read(text, Some(CONFIG_MAP), STRIP).err().unwrap();
            assert!(!error.to_string().contains("hunter2"), "{text}");
        }
        assert!(matches!(
            ObjectText::read_bytes(b"{\"a\":\"\xff\"}", None, STRIP),
            Err(ParseObjectError::NotText { at: 6 })
        ));
    }

    #[test]
    fn other_bytes_are_not_the_same_object() {
        let first = object(r#"{"metadata":{"name":"a"},"data":{"b":"c"}}"#, STRIP);
        for text in [
            r#"{"metadata":{"name":"a"},"data":{"b":"d"}}"#,
            r#"{"metadata":{"name":"a"}}"#,
        ] {
            assert!(
                !ObjectText::read(text, Some(CONFIG_MAP), STRIP)
                    .unwrap()
                    .is(&first)
            );
        }
    }

    #[test]
    fn nothing_of_the_content_shows_in_debug() {
        let object = object(
            r#"{"metadata":{"name":"a"},"data":{"password":"hunter2"}}"#,
            STRIP,
        );
        assert!(!format!("{object:?}").contains("hunter2"));
    }
}
