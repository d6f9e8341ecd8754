//! What a call may use at most.
//!
//! Owns every limit, its default, its ceiling and its name in error texts. Each is enforced, whatever its value; what
//! cannot be enforced for a single call (the wasm stack) is a setting of the engine instead.

mod builder;

use std::{fmt, time::Duration};

pub use builder::LimitsBuilder;

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
    /// Linear memory of all calls of the engine together: a limit of the engine, not of the call.
    MemoryOfAll,
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
    /// Lines in the log.
    LogLines,
    /// Bytes in the log.
    LogBytes,
    /// Requests that run at the same time.
    HttpRequests,
    /// Bytes of answers to requests.
    HttpBytes,
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
            Self::MemoryOfAll => "memory of all calls together",
            Self::TableElements => "table elements",
            Self::Handles => "handles",
            Self::Items => "emitted items",
            Self::EmittedBytes => "emitted bytes",
            Self::GroupDepth => "nested groups",
            Self::HostCallBytes => "bytes passed in one host call",
            Self::LogLines => "log lines",
            Self::LogBytes => "bytes logged",
            Self::HttpRequests => "requests at a time",
            Self::HttpBytes => "bytes of answers",
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
    pub(crate) http_requests: u32,
    pub(crate) http_bytes: u64,
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
            http_requests: 4,
            http_bytes: 8 * MIB,
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
            http_requests: 32,
            http_bytes: 256 * MIB,
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
            http_requests: self.http_requests.min(ceilings.http_requests),
            http_bytes: self.http_bytes.min(ceilings.http_bytes),
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

    /// Table elements.
    pub fn table_elements(&self) -> u64 {
        self.table_elements
    }

    /// Handles that live at the same time.
    pub fn handles(&self) -> u32 {
        self.handles
    }

    /// Objects, deletions, groups, conditions and warnings.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Bytes emitted, or in a provider's value.
    pub fn emitted_bytes(&self) -> u64 {
        self.emitted_bytes
    }

    /// Bytes passed to the host in one call of it.
    pub fn host_call_bytes(&self) -> u64 {
        self.host_call_bytes
    }

    /// Lines in the log.
    pub fn log_lines(&self) -> u32 {
        self.log_lines
    }

    /// Bytes in the log.
    pub fn log_bytes(&self) -> u64 {
        self.log_bytes
    }

    /// Requests at a time.
    pub fn http_requests(&self) -> u32 {
        self.http_requests
    }

    /// Bytes of answers to requests.
    pub fn http_bytes(&self) -> u64 {
        self.http_bytes
    }

    /// An error, for the first one that is above its ceiling.
    pub fn within(&self, ceilings: &Self) -> Result<(), OverCeiling> {
        let amounts = self.amounts().into_iter().zip(ceilings.amounts());
        for ((which, asked), (_, ceiling)) in amounts {
            if asked > ceiling {
                return Err(OverCeiling {
                    which,
                    asked: self.allowed(which),
                    ceiling: ceilings.allowed(which),
                });
            }
        }
        Ok(())
    }

    /// All of them as numbers, those of time in nanoseconds.
    fn amounts(&self) -> [(LimitKind, u128); 12] {
        [
            (LimitKind::Memory, self.memory.into()),
            (LimitKind::Wall, self.wall.as_nanos()),
            (LimitKind::Cpu, self.cpu.as_nanos()),
            (LimitKind::TableElements, self.table_elements.into()),
            (LimitKind::Handles, self.handles.into()),
            (LimitKind::Items, self.items.into()),
            (LimitKind::EmittedBytes, self.emitted_bytes.into()),
            (LimitKind::HostCallBytes, self.host_call_bytes.into()),
            (LimitKind::LogLines, self.log_lines.into()),
            (LimitKind::LogBytes, self.log_bytes.into()),
            (LimitKind::HttpRequests, self.http_requests.into()),
            (LimitKind::HttpBytes, self.http_bytes.into()),
        ]
    }

    /// The allowed amount with its unit, for error texts. What is the engine's has none here.
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
            LimitKind::LogLines => self.log_lines.to_string(),
            LimitKind::LogBytes => bytes(self.log_bytes),
            LimitKind::HttpRequests => self.http_requests.to_string(),
            LimitKind::HttpBytes => bytes(self.http_bytes),
            LimitKind::MemoryOfAll | LimitKind::Stack => String::new(),
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

/// A limit that is asked for and not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{asked} of {which} is asked for, and {ceiling} is the most that the operator allows")]
pub struct OverCeiling {
    /// Which one.
    pub which: LimitKind,
    /// How much is asked for, with its unit.
    pub asked: String,
    /// How much is allowed.
    pub ceiling: String,
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
    fn the_first_limit_above_its_ceiling_is_told() {
        let ceilings = Limits::default_ceilings();
        assert_eq!(Limits::default().within(&ceilings), Ok(()));
        assert_eq!(ceilings.within(&ceilings), Ok(()));
        let error = Limits::builder()
            .memory(2048 * MIB)
            .build()
            .within(&ceilings)
            .unwrap_err();
        assert_eq!(error.which, LimitKind::Memory);
        assert_eq!(
            error.to_string(),
            "2048Mi of memory is asked for, and 1024Mi is the most that the operator allows"
        );
    }

    #[test]
    fn each_limit_has_its_ceiling() {
        let ceilings = Limits::default_ceilings();
        let over = [
            Limits::builder().wall(Duration::MAX),
            Limits::builder().cpu(Duration::MAX),
            Limits::builder().memory(u64::MAX),
            Limits::builder().table_elements(u64::MAX),
            Limits::builder().handles(u32::MAX),
            Limits::builder().items(u32::MAX),
            Limits::builder().emitted_bytes(u64::MAX),
            Limits::builder().host_call_bytes(u64::MAX),
            Limits::builder().log_lines(u32::MAX),
            Limits::builder().log_bytes(u64::MAX),
            Limits::builder().http_requests(u32::MAX),
            Limits::builder().http_bytes(u64::MAX),
        ];
        let mut found = Vec::new();
        for builder in over {
            let asked = builder.build();
            found.push(asked.within(&ceilings).unwrap_err().which);
            assert_eq!(asked.capped(&ceilings).within(&ceilings), Ok(()));
        }
        found.dedup();
        assert_eq!(found.len(), 12);
    }

    #[test]
    fn amounts_are_told_in_whole_units() {
        assert_eq!(
            (bytes(64 * MIB), bytes(2048), bytes(1000)),
            ("64Mi".into(), "2Ki".into(), "1000 bytes".into())
        );
    }
}
