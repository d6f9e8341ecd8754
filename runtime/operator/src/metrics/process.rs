//! What the kernel says of this process, read from `/proc`. Where there is no `/proc`, nothing is exposed.

use std::{fmt, fs};

use prometheus_client::encoding::DescriptorEncoder;

use super::family::{
    PROCESS_CPU, PROCESS_FDS, PROCESS_MAX_FDS, PROCESS_MEMORY, PROCESS_START, PROCESS_VIRTUAL_MEMORY, Sample,
};

/// Ticks in a second, in what the kernel tells user space: fixed on every architecture that we run on.
const TICKS: f64 = 100.0;

pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (stat, status) = (read("/proc/self/stat"), read("/proc/self/status"));
    let real = |value: Option<f64>| value.map(Sample::real).into_iter().collect();
    let whole = |value: Option<u64>| value.map(unlabelled).into_iter().collect();
    PROCESS_CPU.encode(encoder, real(cpu_seconds(&stat)))?;
    PROCESS_MEMORY.encode(encoder, whole(bytes(&status, "VmRSS:")))?;
    PROCESS_VIRTUAL_MEMORY.encode(encoder, whole(bytes(&status, "VmSize:")))?;
    PROCESS_START.encode(encoder, real(start_seconds(&stat, &read("/proc/stat"))))?;
    PROCESS_FDS.encode(encoder, whole(open_files()))?;
    PROCESS_MAX_FDS.encode(encoder, whole(max_files(&read("/proc/self/limits"))))
}

fn unlabelled(value: u64) -> Sample {
    Sample::whole([""; 0], value)
}

/// The field `number` of `/proc/self/stat`, counted as in proc(5). The second one, in brackets, may hold blanks.
fn field(stat: &str, number: usize) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(number.checked_sub(3)?)?.parse().ok()
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    Some((field(stat, 14)? + field(stat, 15)?) / TICKS)
}

fn start_seconds(stat: &str, system: &str) -> Option<f64> {
    let boot: f64 = system
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?
        .parse()
        .ok()?;
    Some(boot + field(stat, 22)? / TICKS)
}

/// A size in `/proc/self/status`, which counts in KiB.
fn bytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

fn open_files() -> Option<u64> {
    let open = fs::read_dir("/proc/self/fd").ok()?.count();
    u64::try_from(open).ok()
}

fn max_files(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 250 50 13 14 15 16 17 18 1234 20 21";

    #[test]
    fn times_are_read_past_a_name_with_brackets() {
        assert_eq!(cpu_seconds(STAT), Some(3.0));
        assert_eq!(start_seconds(STAT, "cpu 1\nbtime 1000\n"), Some(1012.34));
    }

    #[test]
    fn sizes_are_given_in_bytes() {
        let status = "Name:\tx\nVmSize:\t    8 kB\nVmRSS:\t    4 kB\n";
        assert_eq!(bytes(status, "VmRSS:"), Some(4096));
        assert_eq!(bytes(status, "VmSwap:"), None);
    }

    #[test]
    fn the_soft_limit_of_files_is_the_limit() {
        let limits = "Max processes   1  2  processes\nMax open files            1024    4096    files\n";
        assert_eq!(max_files(limits), Some(1024));
        assert_eq!(max_files("Max open files   unlimited unlimited files\n"), None);
    }
}
