//! The template's result as a tree of what to do. All of it is checked before any of it is emitted, and all that is wrong is told
//! at once.

use std::fmt::Write as _;

use jrsonnet_evaluator::{ObjValue, Result, Val};

use crate::host::{ErrorPolicy, ObjectId};
use crate::json::Json;
use crate::options::{APPLY_OPTIONS_KEY, ApplyOptions, DELETION_KEY, DeleteOptions, Fields, OptionError};
use crate::write;

const GROUP_API_VERSION: &str = "internal.espejote.io/v1";
const GROUP_KIND: &str = "ApplyGroupConfig";
/// More problems are counted, not told.
const PROBLEMS_TOLD: usize = 10;
/// As many of the same are told: a list of a thousand texts is one mistake.
const SAME_TOLD: usize = 3;

/// One step, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// Apply an object.
    Apply {
        object: String,
        options: Option<ApplyOptions>,
    },
    /// Delete an object.
    Delete { id: ObjectId, options: DeleteOptions },
    /// Steps with a policy of their own; without, they belong to the group around.
    Group {
        on_error: Option<ErrorPolicy>,
        items: Vec<Item>,
    },
}

/// What is wrong with an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("a template must return null, an object or a list of these, got {0}")]
    Type(&'static str),
    #[error("Object 'Kind' is missing")]
    NoKind,
    #[error("ApplyGroupConfig cannot be the root element")]
    RootConfig,
    #[error("ApplyGroupConfig must be the first element in an array")]
    LateConfig,
    #[error("errorPolicy must be either 'Continue' or 'Abort', got '{0}'")]
    Policy(String),
    #[error(transparent)]
    Option(#[from] OptionError),
}

/// All that is wrong with a result.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<(String, Problem)>);

impl Problems {
    /// For people: each problem with its place in the result.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let told = self.told();
        for (place, problem) in &told {
            let separator = if text.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{problem}");
            if !place.is_empty() {
                let _ = write!(text, " (at {place})");
            }
        }
        if let Some(more) = self.0.len().checked_sub(told.len()).filter(|more| *more > 0) {
            let _ = write!(text, "; and {more} more");
        }
        text
    }

    fn told(&self) -> Vec<&(String, Problem)> {
        let mut told: Vec<&(String, Problem)> = Vec::new();
        for entry in &self.0 {
            let same = told.iter().filter(|(_, problem)| *problem == entry.1).count();
            if same < SAME_TOLD {
                told.push(entry);
            }
            if told.len() == PROBLEMS_TOLD {
                break;
            }
        }
        told
    }
}

/// Reads a whole result. The outer error is one of evaluation.
pub(crate) fn read(value: &Val) -> Result<Result<Vec<Item>, Problems>> {
    let mut reader = Reader::default();
    let item = reader.item(value, Position::Root)?;
    Ok(if reader.problems.0.is_empty() {
        Ok(item.into_iter().collect())
    } else {
        Err(reader.problems)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Root,
    First,
    Later,
}

#[derive(Default)]
struct Reader {
    /// Indices of the lists around.
    place: Vec<u32>,
    problems: Problems,
}

impl Reader {
    fn item(&mut self, value: &Val, position: Position) -> Result<Option<Item>> {
        match value {
            Val::Null => Ok(None),
            Val::Obj(object) => self.object(object, position),
            Val::Arr(items) => {
                let mut group = Group::default();
                for index in 0..items.len() {
                    self.place.push(index);
                    self.member(&mut group, &items.get(index)?.unwrap_or_default(), index)?;
                    self.place.pop();
                }
                Ok(Some(Item::Group {
                    on_error: group.on_error,
                    items: group.items,
                }))
            }
            other => Ok(self.problem(Problem::Type(other.value_type().name()), "")),
        }
    }

    fn member(&mut self, group: &mut Group, value: &Val, index: u32) -> Result<()> {
        let position = if index == 0 {
            Position::First
        } else {
            Position::Later
        };
        if let (Position::First, Val::Obj(object)) = (position, value)
            && is_config(object)?
        {
            group.on_error = self.policy(object)?;
            return Ok(());
        }
        group.items.extend(self.item(value, position)?);
        Ok(())
    }

    fn object(&mut self, object: &ObjValue, position: Position) -> Result<Option<Item>> {
        if is_config(object)? {
            let problem = if position == Position::Root {
                Problem::RootConfig
            } else {
                Problem::LateConfig
            };
            return Ok(self.problem(problem, ""));
        }
        let id = id(object)?;
        if id.kind.is_empty() {
            return Ok(self.problem(Problem::NoKind, &named(&id)));
        }
        match Marks::read(object)? {
            Err(error) => Ok(self.problem(error.into(), &named(&id))),
            Ok(Marks {
                deletion: Some(options),
                ..
            }) => Ok(Some(Item::Delete { id, options })),
            Ok(Marks { options, .. }) => {
                let left_out: &[&str] = if options.is_some() {
                    &[APPLY_OPTIONS_KEY]
                } else {
                    &[]
                };
                Ok(Some(Item::Apply {
                    object: write::object_without(object, left_out)?,
                    options,
                }))
            }
        }
    }

    fn policy(&mut self, config: &ObjValue) -> Result<Option<ErrorPolicy>> {
        let spec = field(config, "spec")?.map_or(Ok(Json::Null), |spec| Json::from_val(&spec))?;
        let word = match spec {
            Json::Null => Ok(None),
            spec => Fields::new("spec", &spec).and_then(|spec| spec.string("errorPolicy")),
        };
        let word = match word {
            Ok(word) => word,
            Err(error) => return Ok(self.problem(error.into(), "")),
        };
        Ok(match word.as_deref() {
            None | Some("") => None,
            Some("Continue") => Some(ErrorPolicy::Continue),
            Some("Abort") => Some(ErrorPolicy::Abort),
            Some(other) => self.problem(Problem::Policy(other.to_owned()), ""),
        })
    }

    fn problem<T>(&mut self, problem: Problem, object: &str) -> Option<T> {
        let indices: String = self.place.iter().map(|index| format!("[{index}]")).collect();
        let parts = [indices.as_str(), object];
        let place: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.problems.0.push((place.join(" "), problem));
        None
    }
}

#[derive(Default)]
struct Group {
    on_error: Option<ErrorPolicy>,
    items: Vec<Item>,
}

/// What the library wrote into an object.
struct Marks {
    options: Option<ApplyOptions>,
    deletion: Option<DeleteOptions>,
}

impl Marks {
    fn read(object: &ObjValue) -> Result<Result<Self, OptionError>> {
        let json = |name| -> Result<Option<Json>> {
            field(object, name)?
                .map(|value| Json::from_val(&value))
                .transpose()
        };
        let (options, deletion) = (json(APPLY_OPTIONS_KEY)?, json(DELETION_KEY)?);
        Ok(Self::parse(options.as_ref(), deletion.as_ref()))
    }

    fn parse(options: Option<&Json>, deletion: Option<&Json>) -> Result<Self, OptionError> {
        Ok(Self {
            options: options.map(ApplyOptions::parse).transpose()?,
            deletion: deletion.map(DeleteOptions::parse).transpose()?.flatten(),
        })
    }
}

fn is_config(object: &ObjValue) -> Result<bool> {
    Ok(text(object, "kind")? == GROUP_KIND && text(object, "apiVersion")? == GROUP_API_VERSION)
}

fn id(object: &ObjValue) -> Result<ObjectId> {
    let metadata = field(object, "metadata")?.and_then(|metadata| metadata.as_obj());
    let in_metadata = |name| {
        metadata
            .as_ref()
            .map_or_else(|| Ok(String::new()), |metadata| text(metadata, name))
    };
    Ok(ObjectId {
        api_version: text(object, "apiVersion")?,
        kind: text(object, "kind")?,
        namespace: in_metadata("namespace")?,
        name: in_metadata("name")?,
    })
}

fn named(id: &ObjectId) -> String {
    let name = [id.namespace.as_str(), id.name.as_str()];
    let name: Vec<&str> = name.into_iter().filter(|part| !part.is_empty()).collect();
    [id.kind.clone(), name.join("/")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The text of a field; empty if there is none or it is no string.
fn text(object: &ObjValue, name: &str) -> Result<String> {
    let text = field(object, name)?.and_then(|value| value.as_str());
    Ok(text.map_or_else(String::new, |text| text.to_string()))
}

/// A field that a manifested object would show.
fn field(object: &ObjValue, name: &str) -> Result<Option<Val>> {
    if object.has_field(name.into()) {
        object.get(name.into())
    } else {
        Ok(None)
    }
}
