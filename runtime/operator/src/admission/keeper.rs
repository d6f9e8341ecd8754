//! The task of each Admission and of each ClusterAdmission.

use std::{marker::PhantomData, sync::Arc};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{definition::Kind, host::AdmissionHost, task::AdmissionTask};
use crate::supervisor::Keeper;

/// Keeps what is told of all objects of a kind up to date.
pub struct AdmissionKeeper<K> {
    host: Arc<AdmissionHost>,
    kind: PhantomData<fn() -> K>,
}

impl<K> AdmissionKeeper<K> {
    /// Of one of the two kinds.
    pub fn new(host: Arc<AdmissionHost>) -> Self {
        Self {
            host,
            kind: PhantomData,
        }
    }
}

impl<K: Kind> Keeper for AdmissionKeeper<K> {
    type Resource = K;

    fn task(
        &self,
        versions: watch::Receiver<Arc<K>>,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        AdmissionTask::new(self.host.clone(), versions, cancel).run()
    }

    /// A version that says nothing else means nothing, such as one that differs in its status.
    fn differs(old: &K, new: &K) -> bool {
        old.definition() != new.definition()
    }

    fn gone(&self, namespace: &str, name: &str) {
        self.host.metrics.forget_admission(namespace, name);
    }
}
