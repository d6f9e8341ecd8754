//! The operator's and the API server's metrics, in the text format of Prometheus.

use std::collections::BTreeMap;

/// One line of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The metric.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its value.
    pub value: f64,
}

/// All metrics of one moment.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// The lines, comments left out.
    pub samples: Vec<Sample>,
    text: String,
}

impl Metrics {
    /// Reads the text format.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let samples = lines.map(|line| sample(line).ok_or_else(|| format!("no sample: {line:?}")));
        Ok(Self {
            samples: samples.collect::<Result<_, _>>()?,
            text: text.to_owned(),
        })
    }

    /// The samples of a metric that have these labels, among others.
    pub fn all(&self, name: &str, labels: &[(&str, &str)]) -> Vec<&Sample> {
        let has = |sample: &Sample| {
            labels
                .iter()
                .all(|(k, v)| sample.labels.get(*k).is_some_and(|l| l == v))
        };
        self.samples
            .iter()
            .filter(|sample| sample.name == name && has(sample))
            .collect()
    }

    /// The sum over these samples; none if there are none.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let found = self.all(name, labels);
        (!found.is_empty()).then(|| found.iter().map(|sample| sample.value).sum())
    }

    /// The help text of a metric.
    pub fn help(&self, name: &str) -> Option<&str> {
        let start = format!("# HELP {name} ");
        self.text.lines().find_map(|line| line.strip_prefix(&start))
    }

    /// The type of a metric.
    pub fn kind(&self, name: &str) -> Option<&str> {
        let start = format!("# TYPE {name} ");
        self.text.lines().find_map(|line| line.strip_prefix(&start))
    }

    /// What promlint would complain about, among what can go wrong here.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for sample in &self.samples {
            let family = self.family(&sample.name);
            match self.kind(&family) {
                None => complaints.push(format!("{family} has no type")),
                Some("counter") if !family.ends_with("_total") => {
                    complaints.push(format!("counter {family} does not end with _total"));
                }
                Some("gauge") if family.ends_with("_total") => {
                    complaints.push(format!("gauge {family} ends with _total"));
                }
                Some(_) => {}
            }
            if self.help(&family).is_none_or(str::is_empty) {
                complaints.push(format!("{family} has no help"));
            }
            if !seen.insert((&sample.name, &sample.labels)) {
                complaints.push(format!("{} {:?} twice", sample.name, sample.labels));
            }
        }
        complaints.dedup();
        complaints
    }

    fn family(&self, name: &str) -> String {
        let parts = ["_bucket", "_sum", "_count"];
        let stem = parts.iter().find_map(|part| name.strip_suffix(part));
        stem.filter(|stem| self.kind(stem) == Some("histogram"))
            .unwrap_or(name)
            .to_owned()
    }
}

fn sample(line: &str) -> Option<Sample> {
    let name_end = line.find(['{', ' '])?;
    let (name, rest) = line.split_at(name_end);
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (BTreeMap::new(), rest),
    };
    let value = value.split_whitespace().next()?.parse().ok()?;
    Some(Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

/// Labels up to the closing brace, and what follows it.
fn labels(mut rest: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut labels = BTreeMap::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = quoted(after)?;
        labels.insert(name.to_owned(), value);
        rest = after;
    }
}

/// A text up to its closing quote, without escapes, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[index + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# HELP a_total Some.\n# TYPE a_total counter\na_total{x=\"1\",y=\"q\\\"}\"} 3\na_total{x=\"2\",y=\"\"} 4\n";

    #[test]
    fn samples_are_found_by_their_labels_and_summed() {
        let metrics = Metrics::parse(TEXT).unwrap();
        assert_eq!(metrics.sum("a_total", &[]), Some(7.0));
        assert_eq!(metrics.sum("a_total", &[("y", "q\"}")]), Some(3.0));
        assert_eq!(metrics.sum("a_total", &[("y", "other")]), None);
        assert_eq!(metrics.help("a_total"), Some("Some."));
        assert_eq!(metrics.complaints(), Vec::<String>::new());
    }

    #[test]
    fn a_counter_without_total_and_help_is_complained_about() {
        let metrics = Metrics::parse("# TYPE a counter\na 1\na 1\n").unwrap();
        assert_eq!(
            metrics.complaints(),
            [
                "counter a does not end with _total",
                "a has no help",
                "counter a does not end with _total",
                "a has no help",
                "a {} twice"
            ]
        );
    }
}
