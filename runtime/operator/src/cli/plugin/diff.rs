//! The difference of two texts, line by line, for people.

use std::fmt::Write as _;

/// Lines shown around each change.
const AROUND: usize = 3;
/// More pairs of lines than this are not compared with each other: the whole is shown as changed.
const MOST_PAIRS: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// Lines that are gone begin with `-`, new ones with `+`; of those that are the same only some around changes are shown.
pub(super) fn lines(old: &str, new: &str) -> String {
    let lines = compare(&split(old), &split(new));
    let changed: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Same(_)))
        .map(|(n, _)| n)
        .collect();
    let is_near = |n: usize| changed.iter().any(|change| change.abs_diff(n) <= AROUND);
    let mut text = String::new();
    let mut skipped = false;
    for (n, line) in lines.iter().enumerate() {
        if !is_near(n) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            text.push_str("  ...\n");
        }
        // Writing to a string cannot fail.
        let _ = match line {
            Line::Same(line) => writeln!(text, "    {line}"),
            Line::Gone(line) => writeln!(text, "  - {line}"),
            Line::New(line) => writeln!(text, "  + {line}"),
        };
    }
    text
}

/// Lines without their ends; a missing end of the last one is a difference too.
fn split(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    match lines.last() {
        Some(&"") => {
            lines.pop();
        }
        _ => lines.push("(no newline at the end)"),
    }
    lines
}

/// By the longest common subsequence, after what both begin and end with is taken off.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (
        old.get(head..).unwrap_or_default(),
        new.get(head..).unwrap_or_default(),
    );
    let tail = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(same)
        .count();
    let middle = |lines: &[&'a str]| lines.get(..lines.len() - tail).unwrap_or_default().to_vec();
    let (old_middle, new_middle) = (middle(old_rest), middle(new_rest));
    let common = |lines: &[&'a str]| lines.iter().copied().map(Line::Same).collect::<Vec<_>>();
    let mut lines = common(old.get(..head).unwrap_or_default());
    lines.extend(changes(&old_middle, &new_middle));
    lines.extend(common(old.get(old.len() - tail..).unwrap_or_default()));
    lines
}

fn changes<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        let gone = old.iter().copied().map(Line::Gone);
        return gone.chain(new.iter().copied().map(Line::New)).collect();
    }
    let lengths = Lengths::of(old, new);
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::with_capacity(old.len() + new.len());
    loop {
        match (old.get(i).copied(), new.get(j).copied()) {
            (Some(a), Some(b)) if a == b => {
                lines.push(Line::Same(a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none() || lengths.at(i + 1, j) >= lengths.at(i, j + 1) => {
                lines.push(Line::Gone(a));
                i += 1;
            }
            (_, Some(b)) => {
                lines.push(Line::New(b));
                j += 1;
            }
            (_, None) => return lines,
        }
    }
}

/// The length of the longest common subsequence of what follows two positions.
struct Lengths {
    width: usize,
    lengths: Vec<u32>,
}

impl Lengths {
    fn of(old: &[&str], new: &[&str]) -> Self {
        let width = new.len() + 1;
        let mut table = Self {
            width,
            lengths: vec![0; width * (old.len() + 1)],
        };
        for (i, a) in old.iter().enumerate().rev() {
            for (j, b) in new.iter().enumerate().rev() {
                let length = match a == b {
                    true => table.at(i + 1, j + 1) + 1,
                    false => table.at(i + 1, j).max(table.at(i, j + 1)),
                };
                if let Some(place) = table.lengths.get_mut(i * width + j) {
                    *place = length;
                }
            }
        }
        table
    }

    fn at(&self, i: usize, j: usize) -> u32 {
        self.lengths.get(i * self.width + j).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(lines("a\nb\n", "a\nb\n"), "");
        assert_eq!(lines("", ""), "");
    }

    #[test]
    fn what_is_far_from_changes_is_left_out() {
        let old: String = (0..20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "ten\n");
        let expected = "  ...\n    7\n    8\n    9\n  - 10\n  + ten\n    11\n    12\n    13\n";
        assert_eq!(lines(&old, &new), expected);
    }

    #[test]
    fn lines_that_came_and_went_are_found() {
        assert_eq!(lines("a\nb\nc\n", "a\nc\nd\n"), "    a\n  - b\n    c\n  + d\n");
        assert_eq!(lines("", "a\n"), "  + a\n");
        assert_eq!(lines("a\n", ""), "  - a\n");
    }

    #[test]
    fn a_missing_newline_is_a_difference() {
        assert_eq!(lines("a\n", "a"), "    a\n  + (no newline at the end)\n");
    }
}
