//! One measured figure.

/// What a figure should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// Not more than this.
    AtMost(f64),
    /// Not less than this.
    AtLeast(f64),
    /// Whatever it is: it stands there to compare others with.
    None,
}

/// A figure with all its runs.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What is measured.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// One value for each run.
    pub runs: Vec<f64>,
    /// What it should be.
    pub budget: Budget,
}

impl Figure {
    /// A figure of one run.
    pub fn once(name: impl Into<String>, value: f64, unit: &'static str, budget: Budget) -> Self {
        Self {
            name: name.into(),
            unit,
            runs: vec![value],
            budget,
        }
    }

    /// The median of the runs.
    pub fn median(&self) -> f64 {
        let mut sorted = self.runs.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    /// Whether it is not what it should be.
    pub fn is_over(&self) -> bool {
        match self.budget {
            Budget::AtMost(limit) => self.median() > limit,
            Budget::AtLeast(limit) => self.median() < limit,
            Budget::None => false,
        }
    }
}

/// The figures of several runs, which give the same ones in the same order, each with all its values.
pub fn merged(runs: Vec<Vec<Figure>>) -> Vec<Figure> {
    let mut runs = runs.into_iter();
    let mut all = runs.next().unwrap_or_default();
    for run in runs {
        for (figure, other) in all.iter_mut().zip(run) {
            figure.runs.extend(other.runs);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_merged_runs_is_held_against_the_budget() {
        let run = |value| vec![Figure::once("a", value, "s", Budget::AtMost(2.0))];
        let merged = merged(vec![run(9.0), run(1.0), run(3.0)]);
        assert_eq!((merged[0].median(), merged[0].is_over()), (3.0, true));
    }
}
