//! Which webhooks are at fault where the API server refuses all of them and names none.
//!
//! First nothing new is tried, then all, then halves of what is refused, without anything being kept. Owns what is tried and
//! how often; never sends anything. What comes out as good was accepted together.

use std::collections::BTreeSet;

use super::draft::Faults;

/// So many trials are made; what is in doubt then is at fault.
const TRIALS: usize = 256;

/// A search among webhooks, by their positions.
#[derive(Debug)]
pub struct Search {
    good: BTreeSet<usize>,
    /// What is still to be tried together with what is good, from the end.
    groups: Vec<Vec<usize>>,
    trials: usize,
    faults: Faults,
}

impl Search {
    /// Among these.
    pub fn among(positions: Vec<usize>) -> Self {
        Self {
            good: BTreeSet::new(),
            groups: vec![positions, Vec::new()],
            trials: 0,
            faults: Faults::new(),
        }
    }

    /// What is to be tried next; none: the search is over.
    pub fn trial(&self) -> Option<BTreeSet<usize>> {
        let group = self.groups.last()?;
        Some(self.good.iter().chain(group).copied().collect())
    }

    /// How that went: what the API server says against it, or nothing.
    pub fn answer(&mut self, refusal: Option<String>) {
        let Some(group) = self.groups.pop() else {
            return;
        };
        self.trials += 1;
        match refusal {
            None => self.good.extend(group),
            // What is in force is refused as well.
            Some(_) if group.is_empty() => self.groups.clear(),
            Some(why) => self.doubt(&group, &why),
        }
    }

    fn doubt(&mut self, group: &[usize], why: &str) {
        if group.len() == 1 || self.trials >= TRIALS {
            let faults = group.iter().map(|position| (*position, why.to_owned()));
            return self.faults.extend(faults);
        }
        let (first, second) = group.split_at(group.len() / 2);
        self.groups.extend([second.to_vec(), first.to_vec()]);
    }

    /// Those at fault, each with what the API server says; nobody if something else is wrong.
    pub fn faults(self) -> Faults {
        self.faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who is found among 500, and by how many trials.
    fn found(is_refused: impl Fn(&BTreeSet<usize>) -> bool) -> (Vec<usize>, usize) {
        let mut search = Search::among((0..500).collect());
        while let Some(trial) = search.trial() {
            search.answer(is_refused(&trial).then(|| "no".to_owned()));
        }
        let trials = search.trials;
        let faults = search.faults();
        assert!(faults.values().all(|why| why == "no"));
        (faults.into_keys().collect(), trials)
    }

    #[test]
    fn the_guilty_are_found_and_nobody_else() {
        let guilty = BTreeSet::from([7, 8, 9, 400]);
        let (found, trials) = found(|together| !together.is_disjoint(&guilty));
        assert_eq!(found, [7, 8, 9, 400]);
        assert!(trials < 50, "{trials}");
    }

    #[test]
    fn of_those_that_do_not_go_together_the_later_one_is_at_fault() {
        let (found, _) = found(|together| together.contains(&3) && together.contains(&300));
        assert_eq!(found, [300]);
    }

    #[test]
    fn nobody_is_at_fault_if_everything_or_nothing_is_refused() {
        assert_eq!(found(|_| true), (vec![], 1));
        assert_eq!(found(|_| false), (vec![], 2));
    }

    #[test]
    fn trials_come_to_an_end_and_the_first_are_cleared() {
        let (found, trials) = found(|together| together.iter().any(|position| position % 2 == 1));
        assert!(trials < TRIALS + 20, "{trials}");
        assert!(!found.contains(&0) && found.contains(&1) && found.contains(&499));
    }
}
