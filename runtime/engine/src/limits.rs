//! What a call may use at most.
//!
//! Owns every limit, its default, its ceiling and its name in error texts. Each is enforced, whatever its value; what
//! cannot be enforced for a single call (the wasm stack) is a setting of the engine instead.

use std::{fmt, time::Duration};

const MIB: u64 = 1024 * 1024;

/// Which limit a call went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitKind {
    /// Time on the wall, blocked in the host included.
    Wall,
    /// CPU time, that of the host on the guest's behalf included.
    Cpu,
    /// Linear memory, all memories together.
    Memory,
    /// Table elements, all tables together.
    TableElements,
    /// Handles that live at the same time.
    Handles,
    /// Objects, deletions, groups and conditions emitted.
    Items,
    /// Bytes emitted.
    EmittedBytes,
    /// Depth of nested groups.
    GroupDepth,
    /// Bytes handed to the host in one call of it.
    HostCallBytes,
    /// The stack of the WebAssembly code.
    Stack,
}

impl LimitKind {
    /// The words in error texts.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Wall => "wall-clock time",
            Self::Cpu => "CPU time",
            Self::Memory => "memory",
            Self::TableElements => "table elements",
            Self::Handles => "handles",
            Self::Items => "emitted items",
            Self::EmittedBytes => "emitted bytes",
            Self::GroupDepth => "nested groups",
            Self::HostCallBytes => "bytes passed in one host call",
            Self::Stack => "stack",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// The limits of one call.
///
/// Made by [`Limits::builder`]; the engine lowers whatever is above its ceilings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    pub(crate) memory: u64,
    pub(crate) table_elements: u64,
    pub(crate) handles: u32,
    pub(crate) items: u32,
    pub(crate) emitted_bytes: u64,
    pub(crate) host_call_bytes: u64,
    pub(crate) log_lines: u32,
    pub(crate) log_bytes: u64,
}

/// How deep groups may nest: what walks the tree recurses.
pub(crate) const GROUP_DEPTH: u32 = 64;

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(10),
            cpu: Duration::from_secs(5),
            memory: 64 * MIB,
            table_elements: 20_000,
            handles: 10_000,
            items: 100_000,
            emitted_bytes: 64 * MIB,
            host_call_bytes: 64 * MIB,
            log_lines: 1_000,
            log_bytes: 256 * 1024,
        }
    }
}

impl Limits {
    /// Starts from the defaults.
    pub fn builder() -> LimitsBuilder {
        LimitsBuilder(Self::default())
    }

    /// The ceilings of an operator that sets none: ten times the default times, 1 GiB of memory, and no more of
    /// anything than the host can well bear.
    pub fn default_ceilings() -> Self {
        Self {
            wall: Duration::from_secs(100),
            cpu: Duration::from_secs(50),
            memory: 1024 * MIB,
            table_elements: 100_000,
            handles: 100_000,
            items: 1_000_000,
            emitted_bytes: 512 * MIB,
            host_call_bytes: 512 * MIB,
            log_lines: 10_000,
            log_bytes: 4 * MIB,
        }
    }

    /// These limits, each lowered to its ceiling where it is above.
    #[must_use]
    pub fn capped(&self, ceilings: &Self) -> Self {
        Self {
            wall: self.wall.min(ceilings.wall),
            cpu: self.cpu.min(ceilings.cpu),
            memory: self.memory.min(ceilings.memory),
            table_elements: self.table_elements.min(ceilings.table_elements),
            handles: self.handles.min(ceilings.handles),
            items: self.items.min(ceilings.items),
            emitted_bytes: self.emitted_bytes.min(ceilings.emitted_bytes),
            host_call_bytes: self.host_call_bytes.min(ceilings.host_call_bytes),
            log_lines: self.log_lines.min(ceilings.log_lines),
            log_bytes: self.log_bytes.min(ceilings.log_bytes),
        }
    }

    /// Time on the wall.
    pub fn wall(&self) -> Duration {
        self.wall
    }

    /// CPU time.
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Linear memory, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The allowed amount with its unit, for error texts. The stack is the engine's: none here.
    pub(crate) fn allowed(&self, kind: LimitKind) -> String {
        match kind {
            LimitKind::Wall => format!("{:?}", self.wall),
            LimitKind::Cpu => format!("{:?}", self.cpu),
            LimitKind::Memory => bytes(self.memory),
            LimitKind::TableElements => self.table_elements.to_string(),
            LimitKind::Handles => self.handles.to_string(),
            LimitKind::Items => self.items.to_string(),
            LimitKind::EmittedBytes => bytes(self.emitted_bytes),
            LimitKind::GroupDepth => GROUP_DEPTH.to_string(),
            LimitKind::HostCallBytes => bytes(self.host_call_bytes),
            LimitKind::Stack => String::new(),
        }
    }
}

/// Whole units where they are whole: `64Mi`, `1000`.
pub(crate) fn bytes(amount: u64) -> String {
    match amount {
        n if n >= MIB && n.is_multiple_of(MIB) => format!("{}Mi", n / MIB),
        n if n >= 1024 && n.is_multiple_of(1024) => format!("{}Ki", n / 1024),
        n => format!("{n} bytes"),
    }
}

/// Sets limits, one by one.
#[derive(Clone, Debug)]
pub struct LimitsBuilder(Limits);

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

    /// The limits.
    pub fn build(self) -> Limits {
        self.0
    }
}

/// Raised inside a call where a limit stops it; found again in the error that the call ends with.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("over the limit on {0}")]
pub(crate) struct Exceeded(pub LimitKind);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_above_a_ceiling_are_lowered_and_others_stay() {
        let limits = Limits::builder()
            .memory(1 << 40)
            .wall(Duration::from_secs(1))
            .build();
        let capped = limits.capped(&Limits::default_ceilings());
        assert_eq!(
            (capped.memory(), capped.wall()),
            (1 << 30, Duration::from_secs(1))
        );
    }

    #[test]
    fn amounts_are_told_in_whole_units() {
        assert_eq!(
            (bytes(64 * MIB), bytes(2048), bytes(1000)),
            ("64Mi".into(), "2Ki".into(), "1000 bytes".into())
        );
    }
}
