//! The figures for people and for programs.

use std::{fs, path::PathBuf};

use espejote_tests::built;
use serde_json::{Value, json};

use crate::figure::{Budget, Figure};

/// A table: figure, value, budget, and a mark where it is over.
pub fn table(figures: &[Figure]) -> String {
    let width = figures
        .iter()
        .map(|figure| figure.name.len())
        .max()
        .unwrap_or_default();
    figures.iter().map(|figure| line(figure, width)).collect()
}

fn line(figure: &Figure, width: usize) -> String {
    let budget = match figure.budget {
        Budget::AtMost(limit) => format!("at most {limit} {}", figure.unit),
        Budget::AtLeast(limit) => format!("at least {limit} {}", figure.unit),
        Budget::None => String::new(),
    };
    let verdict = match figure.budget {
        Budget::None => "",
        _ if figure.is_over() => "OVER",
        _ => "ok",
    };
    let value = format!("{:.2} {}", figure.median(), figure.unit);
    let line = format!("{:width$}  {value:>12}  {budget:20}  {verdict}", figure.name);
    format!("{}\n", line.trim_end())
}

/// Writes all runs of all figures, and says where.
pub fn write_json(figures: &[Figure]) -> PathBuf {
    let path = built::target().join("bench.json");
    let figures: Vec<Value> = figures.iter().map(as_json).collect();
    let text = serde_json::to_string_pretty(&figures).expect("figures are JSON");
    fs::write(&path, text + "\n").expect("write the figures");
    path
}

fn as_json(figure: &Figure) -> Value {
    let (at_most, at_least) = match figure.budget {
        Budget::AtMost(limit) => (json!(limit), Value::Null),
        Budget::AtLeast(limit) => (Value::Null, json!(limit)),
        Budget::None => (Value::Null, Value::Null),
    };
    json!({
        "name": figure.name, "unit": figure.unit, "median": figure.median(), "runs": figure.runs,
        "atMost": at_most, "atLeast": at_least, "over": figure.is_over(),
    })
}
