//! The standard metadata sections of a component.

use std::collections::BTreeMap;

use espejote_core::text::cut;
use wasmparser::{ComponentName, ComponentNameSectionReader, KnownCustom, ProducersSectionReader};

/// What is kept of a text in the metadata.
const TEXT_BYTES: usize = 1024;

/// The standard metadata sections. All of it is what the maker says; nothing is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The name.
    pub name: Option<String>,
    /// The version.
    pub version: Option<String>,
    /// One sentence or more.
    pub description: Option<String>,
    /// Who wrote it.
    pub authors: Option<String>,
    /// An SPDX expression.
    pub licenses: Option<String>,
    /// Where the source is.
    pub source: Option<String>,
    /// Where to read about it.
    pub homepage: Option<String>,
    /// The revision of the source.
    pub revision: Option<String>,
    /// Languages and tools: by field the names with their versions.
    pub producers: BTreeMap<String, Vec<(String, String)>>,
}

impl Metadata {
    /// Sections that cannot be read are passed over: they change nothing about the component.
    pub(super) fn section(&mut self, name: &str, data: &[u8], known: &KnownCustom<'_>) {
        match known {
            KnownCustom::ComponentName(names) => self.name(names.clone()),
            KnownCustom::Name(_) => {}
            KnownCustom::Producers(producers) => self.producers(producers.clone()),
            _ => {
                if let (Some(field), Ok(text)) = (self.field(name), std::str::from_utf8(data)) {
                    *field = Some(cut(text, TEXT_BYTES).to_owned());
                }
            }
        }
    }

    fn field(&mut self, section: &str) -> Option<&mut Option<String>> {
        match section {
            "version" => Some(&mut self.version),
            "description" => Some(&mut self.description),
            "authors" => Some(&mut self.authors),
            "licenses" => Some(&mut self.licenses),
            "source" => Some(&mut self.source),
            "homepage" => Some(&mut self.homepage),
            "revision" => Some(&mut self.revision),
            _ => None,
        }
    }

    fn name(&mut self, names: ComponentNameSectionReader<'_>) {
        for subsection in names.into_iter().flatten() {
            if let ComponentName::Component { name, .. } = subsection {
                self.name = Some(cut(name, TEXT_BYTES).to_owned());
            }
        }
    }

    fn producers(&mut self, producers: ProducersSectionReader<'_>) {
        for field in producers.into_iter().flatten() {
            let values = field.values.into_iter().flatten();
            let values = values.map(|value| (value.name.to_owned(), value.version.to_owned()));
            self.producers.insert(field.name.to_owned(), values.collect());
        }
    }
}
