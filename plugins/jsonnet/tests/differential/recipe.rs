//! Makes expressions from tables of edge values.
//!
//! A recipe is a text. `= name` begins a file of cases, `# …` is a comment, every other line is an expression. In it `«name»`
//! stands for each value of a table, `«a ¦ b»` for each of the values that it lists; several of them for every combination.
//! `«name» := a ¦ b` is a table. `␤` stands for a line break, in cases, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Stands for a line break in a line.
pub const LINE_BREAK: char = '␤';

/// Expressions by the name of their file.
pub type Cases = BTreeMap<String, Vec<String>>;

/// What the recipes of a folder make.
pub fn expand_folder(folder: &Path) -> Cases {
    let mut recipes: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    // Tables first: the other recipes name them.
    recipes.sort_by_key(|path| (!path.ends_with("tables.txt"), path.clone()));
    let mut kitchen = Kitchen::default();
    for recipe in recipes {
        kitchen.read(&fs::read_to_string(recipe).unwrap());
    }
    kitchen.cases
}

#[derive(Default)]
struct Kitchen {
    tables: BTreeMap<String, Vec<String>>,
    cases: Cases,
}

impl Kitchen {
    fn read(&mut self, recipe: &str) {
        let mut file = String::new();
        for line in recipe
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("# "))
        {
            if let Some((name, values)) = table(line) {
                self.tables.insert(name.to_owned(), alternatives(values));
            } else if let Some(name) = line.strip_prefix("= ") {
                name.clone_into(&mut file);
                let twice = self.cases.insert(file.clone(), Vec::new());
                assert!(twice.is_none(), "{name} is begun twice");
            } else {
                let expanded = self.expand(line);
                self.add(&file, expanded);
            }
        }
    }

    fn add(&mut self, file: &str, expressions: Vec<String>) {
        let cases = self.cases.get_mut(file).expect("expressions come after a name");
        let known: BTreeSet<String> = cases.iter().cloned().collect();
        cases.extend(
            expressions
                .into_iter()
                .filter(|expression| !known.contains(expression)),
        );
    }

    fn expand(&self, line: &str) -> Vec<String> {
        let Some((before, rest)) = line.split_once('«') else {
            return vec![line.to_owned()];
        };
        let (inner, after) = rest.split_once('»').expect("« has its »");
        let values = match self.tables.get(inner) {
            Some(values) => values.clone(),
            None if inner.contains('¦') => alternatives(inner),
            None => panic!("there is no table «{inner}»"),
        };
        let ends = self.expand(after);
        values
            .iter()
            .flat_map(|value| ends.iter().map(move |end| format!("{before}{value}{end}")))
            .collect()
    }
}

fn table(line: &str) -> Option<(&str, &str)> {
    let (name, values) = line.strip_prefix('«')?.split_once("» := ")?;
    (!name.contains('¦')).then_some((name, values))
}

fn alternatives(values: &str) -> Vec<String> {
    values.split('¦').map(|value| value.trim().to_owned()).collect()
}

/// The text of a file of cases.
pub fn to_text(expressions: &[String]) -> String {
    let mut text = "# Made from recipes/; do not edit.\n".to_owned();
    for expression in expressions {
        text.push_str(expression);
        text.push('\n');
    }
    text
}

/// The expressions in a text of cases.
pub fn from_text(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.map(str::to_owned).collect()
}

/// A case as Jsonnet.
pub fn code(case: &str) -> String {
    case.replace(LINE_BREAK, "\n")
}

#[test]
fn a_recipe_makes_every_combination_once() {
    let mut kitchen = Kitchen::default();
    kitchen.read("«n» := 1 ¦ 2\n# comment\n= f\nf(«n», «n ¦ 'x'»)\nf(1, n)\nplain");
    assert_eq!(
        kitchen.cases["f"],
        ["f(1, n)", "f(1, 'x')", "f(2, n)", "f(2, 'x')", "plain"]
    );
    assert_eq!(from_text(&to_text(&kitchen.cases["f"])), kitchen.cases["f"]);
}
