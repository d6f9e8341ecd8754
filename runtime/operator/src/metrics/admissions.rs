//! The metrics of Admissions and ClusterAdmissions.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use prometheus_client::{encoding::DescriptorEncoder, metrics::histogram::Histogram};

use super::{
    family::{self, Sample},
    latency,
};

/// Name, and namespace, which is empty for a ClusterAdmission.
type Key = (String, String);

/// The answers of each.
#[derive(Debug, Default)]
pub(super) struct Admissions(Mutex<BTreeMap<Key, Answers>>);

#[derive(Debug)]
struct Answers {
    /// By HTTP status.
    codes: BTreeMap<u16, u64>,
    durations: Histogram,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            codes: BTreeMap::new(),
            durations: latency(),
        }
    }
}

impl Admissions {
    pub(super) fn answered(&self, namespace: &str, name: &str, code: u16, took: Duration) {
        let mut all = self.lock();
        let answers = all.entry((name.to_owned(), namespace.to_owned())).or_default();
        *answers.codes.entry(code).or_default() += 1;
        answers.durations.observe(took.as_secs_f64());
    }

    pub(super) fn forget(&self, namespace: &str, name: &str) {
        self.lock().remove(&(name.to_owned(), namespace.to_owned()));
    }

    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let (requests, durations) = self.samples();
        family::ADMISSION_REQUESTS.encode(encoder, requests)?;
        family::ADMISSION_DURATION.encode(encoder, durations)
    }

    fn samples(&self) -> (Vec<Sample>, Vec<Sample>) {
        let (mut requests, mut durations) = (Vec::new(), Vec::new());
        for ((name, namespace), answers) in self.lock().iter() {
            for (code, count) in &answers.codes {
                requests.push(Sample::whole([name, namespace, &code.to_string()], *count));
            }
            durations.push(Sample::buckets([name, namespace], answers.durations.clone()));
        }
        (requests, durations)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Answers>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
