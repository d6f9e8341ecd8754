//! The order of keys: natural, so that `a2` comes before `a10`, and other signs before letters.

use std::cmp::Ordering;

/// Sorts entries by key. The order is no total one (`10` < `1a` < `2` < `10`), so each key is put where it first fits,
/// in the order of their code points.
pub fn sort<T>(mut entries: Vec<(&str, T)>) -> Vec<(&str, T)> {
    entries.sort_by(|a, b| a.0.cmp(b.0));
    let mut sorted: Vec<(&str, T)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let place = sorted.partition_point(|earlier| less(earlier.0, entry.0));
        sorted.insert(place, entry);
    }
    sorted
}

fn less(a: &str, b: &str) -> bool {
    compare(a, b) == Ordering::Less
}

fn compare(a: &str, b: &str) -> Ordering {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    match a.iter().zip(&b).position(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        Some(at) => {
            let (same, a) = a.split_at(at);
            differing(same, a, b.split_at(at).1)
        }
    }
}

/// Compares from the first signs that differ on; `same` comes before both.
fn differing(same: &[char], a: &[char], b: &[char]) -> Ordering {
    let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) else {
        return a.len().cmp(&b.len());
    };
    match (first_a.is_alphabetic(), first_b.is_alphabetic()) {
        (true, true) => first_a.cmp(&first_b),
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => {
            let start = i64::from((first_a == '0' || first_b == '0') && follows_a_number(same));
            number(a, start)
                .cmp(&number(b, start))
                .then(first_a.cmp(&first_b))
        }
    }
}

/// Whether the digits at the end are more than zeros: a zero that follows is then no leading zero.
fn follows_a_number(same: &[char]) -> bool {
    let digits = same.iter().rev().take_while(|c| c.is_numeric());
    digits.into_iter().any(|&digit| digit != '0')
}

/// The number at the start, counted on from `start`, and how many digits it has.
fn number(text: &[char], start: i64) -> (i64, usize) {
    let digits = text.iter().map_while(|c| c.to_digit(10));
    digits.fold((start, 0), |(number, count), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit)), count + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted<'a>(keys: &[&'a str]) -> Vec<&'a str> {
        sort(keys.iter().map(|key| (*key, ())).collect())
            .into_iter()
            .map(|(key, ())| key)
            .collect()
    }

    #[test]
    fn numbers_count_and_signs_come_before_letters() {
        assert_eq!(
            sorted(&["a10", "a2", "b", "A", "-", ""]),
            ["", "-", "A", "a2", "a10", "b"]
        );
        assert_eq!(sorted(&["x/y", "x.y", "xy", "x"]), ["x", "x.y", "x/y", "xy"]);
        assert_eq!(sorted(&["a100", "a10", "a1"]), ["a1", "a10", "a100"]);
    }

    #[test]
    fn keys_without_a_total_order_are_all_kept() {
        assert_eq!(sorted(&["10", "1a", "2"]).len(), 3);
    }
}
