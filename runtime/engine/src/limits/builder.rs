//! How limits are set.

use std::time::Duration;

use super::Limits;

/// Sets limits, one by one.
#[derive(Clone, Debug)]
pub struct LimitsBuilder(pub(super) Limits);

impl LimitsBuilder {
    /// Time from the start of instantiation to the end of the call, blocked in the host or not. Default: 10 s.
    #[must_use]
    pub fn wall(mut self, limit: Duration) -> Self {
        self.0.wall = limit;
        self
    }

    /// CPU time of the thread while it runs the call. Checked every few milliseconds. Default: 5 s.
    #[must_use]
    pub fn cpu(mut self, limit: Duration) -> Self {
        self.0.cpu = limit;
        self
    }

    /// Bytes of linear memory, all memories of the component together. Default: 64 MiB.
    #[must_use]
    pub fn memory(mut self, limit: u64) -> Self {
        self.0.memory = limit;
        self
    }

    /// Table elements, all tables together. Default: 20,000.
    #[must_use]
    pub fn table_elements(mut self, limit: u64) -> Self {
        self.0.table_elements = limit;
        self
    }

    /// Handles of all sorts that live at the same time. Default: 10,000.
    #[must_use]
    pub fn handles(mut self, limit: u32) -> Self {
        self.0.handles = limit;
        self
    }

    /// Objects, deletions, groups and conditions. Default: 100,000.
    #[must_use]
    pub fn items(mut self, limit: u32) -> Self {
        self.0.items = limit;
        self
    }

    /// Bytes of all that is emitted and reported. Default: 64 MiB.
    #[must_use]
    pub fn emitted_bytes(mut self, limit: u64) -> Self {
        self.0.emitted_bytes = limit;
        self
    }

    /// Bytes that the guest may pass to the host in one call of it. Default: 64 MiB.
    #[must_use]
    pub fn host_call_bytes(mut self, limit: u64) -> Self {
        self.0.host_call_bytes = limit;
        self
    }

    /// Lines in the log, printed ones included; more are dropped and counted. Default: 1,000.
    #[must_use]
    pub fn log_lines(mut self, limit: u32) -> Self {
        self.0.log_lines = limit;
        self
    }

    /// Bytes in the log; lines beyond are dropped and counted. Default: 256 KiB.
    #[must_use]
    pub fn log_bytes(mut self, limit: u64) -> Self {
        self.0.log_bytes = limit;
        self
    }

    /// Requests that run at the same time, until their answers are read. More get WASI's `connection-limit-reached`. Default: 4.
    #[must_use]
    pub fn http_requests(mut self, limit: u32) -> Self {
        self.0.http_requests = limit;
        self
    }

    /// Bytes of the bodies of answers, all together. Then comes WASI's `HTTP-response-body-size`. Default: 8 MiB.
    #[must_use]
    pub fn http_bytes(mut self, limit: u64) -> Self {
        self.0.http_bytes = limit;
        self
    }

    /// The limits.
    pub fn build(self) -> Limits {
        self.0
    }
}

impl From<Limits> for LimitsBuilder {
    fn from(limits: Limits) -> Self {
        Self(limits)
    }
}
