//! The differences from go-jsonnet that are known, by their reason.

use std::collections::BTreeMap;

/// The reason of each difference, by the expression that has it.
pub struct Known(BTreeMap<String, String>);

impl Known {
    /// `## <reason>` is followed by the cases that differ for it.
    pub fn parse(text: &str) -> Self {
        let (mut reason, mut known) = ("", BTreeMap::new());
        for line in text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("# "))
        {
            if let Some(heading) = line.strip_prefix("## ") {
                reason = heading;
                continue;
            }
            assert!(!reason.is_empty(), "{line} has no reason above it");
            let twice = known.insert(line.to_owned(), reason.to_owned());
            assert!(twice.is_none(), "{line} is there twice");
        }
        Self(known)
    }

    pub fn reason(&self, case: &str) -> Option<&str> {
        self.0.get(case).map(String::as_str)
    }

    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Each reason, with the number of its cases.
    pub fn reasons(&self) -> BTreeMap<&str, usize> {
        let mut reasons = BTreeMap::new();
        for reason in self.0.values() {
            *reasons.entry(reason.as_str()).or_default() += 1;
        }
        reasons
    }
}
