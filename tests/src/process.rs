//! What Linux tells about a process, and signals to it.

use std::{fs, process::Command, time::Duration};

/// Clock ticks of `/proc/PID/stat` in a second: fixed by the kernel's interface on all that we run on.
const TICKS: u64 = 100;

/// Sends a signal by its name, such as `TERM`.
pub fn signal(pid: u32, name: &str) {
    let status = Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .status();
    assert!(status.expect("run kill").success(), "signal {name} to {pid}");
}

/// Resident memory in KiB now.
pub fn resident(pid: u32) -> u64 {
    status(pid, "VmRSS:")
}

/// The most resident memory in KiB so far.
pub fn peak(pid: u32) -> u64 {
    status(pid, "VmHWM:")
}

/// Processor time used so far, with that of children that have ended.
pub fn processor_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let after_name = stat.rsplit_once(')').expect("a name in parentheses").1;
    let field = |index: usize| -> u64 { after_name.split_whitespace().nth(index).unwrap().parse().unwrap() };
    // utime, stime, cutime and cstime are fields 14 to 17, of which the first two are the number and the name.
    let ticks: u64 = (11..15).map(field).sum();
    Duration::from_millis(ticks * 1_000 / TICKS)
}

fn status(pid: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status
        .lines()
        .find(|line| line.starts_with(field))
        .expect("the field");
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_a_peak_near_or_above_it() {
        let own = std::process::id();
        let (now, peak) = (resident(own), peak(own));
        // Linux sums both from counters of each processor that it brings up to date every now and then: neither is exact.
        assert!(
            now > 500 && peak + 1_024 >= now,
            "{now} KiB now, {peak} KiB at most"
        );
        processor_time(own);
    }
}
