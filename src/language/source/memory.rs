//! Main memory: how much there is, and how much of it the program occupies, according to the operating system. If
//! that is unknown, there is no limit by it.
//!
//! `memory-stats` measures what the program occupies, on all usual systems. The rest is known on Linux only, and
//! read here: `sysinfo` does not know the limits of the control group of a process, nor its peak.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum age of [`resident_lately`].
const LATELY: Duration = Duration::from_millis(5);

/// The latest measurement; 0 before the first.
static LAST: AtomicUsize = AtomicUsize::new(0);

/// Bytes of this process in main memory.
#[must_use]
pub fn resident() -> Option<usize> {
    let now = memory_stats::memory_stats()?.physical_mem;
    // Who measures sets limits by it: an older number, from before memory was given back, would reach them.
    LAST.store(now, Ordering::Relaxed);
    Some(now)
}

/// As [`resident`], but not measured anew more often than a couple of hundred times a second.
#[must_use]
pub fn resident_lately() -> Option<usize> {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // Without a lock, since all workers ask. Two of them may measure at the same time, which does
    // no harm.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = START.elapsed().as_micros() as u64;
    if now >= NEXT.load(Ordering::Relaxed) {
        // Before measuring, so that others take the last number meanwhile and do not measure as
        // well.
        NEXT.store(now + LATELY.as_micros() as u64, Ordering::Relaxed);
        resident()?;
    }
    // 0 is no measurement: another thread is at the first one, or there is none to be had.
    Some(LAST.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
}

/// The most bytes that this process has had in main memory so far.
#[must_use]
pub fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    field(&status, "VmHWM")
}

/// Bytes that are free for use: of the machine, or of the group of processes that this one is
/// confined to if that is less.
#[must_use]
pub fn available() -> Option<usize> {
    // It changes all the time; one answer a run keeps limits the same for all checks.
    static AVAILABLE: Mutex<Option<Option<usize>>> = Mutex::new(None);
    let mut known = AVAILABLE.lock().unwrap_or_else(PoisonError::into_inner);
    *known.get_or_insert_with(|| {
        // The machine as a whole does not know of limits on this process, nor they of the machine:
        // the least counts.
        let machine = std::fs::read_to_string("/proc/meminfo")
            .ok()
            .and_then(|info| field(&info, "MemAvailable"));
        let all = machine.into_iter().chain(confined());
        all.chain(addressable()).min()
    })
}

/// Bytes left of the limit of this process's control group (version 2).
fn confined() -> Option<usize> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let groups = read("/proc/self/cgroup")?;
    // Version 2 has a single hierarchy, numbered 0. Lines of version 1 begin with other numbers.
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let number = |name: &str| -> Option<usize> {
        let text = read(&format!(
            "/sys/fs/cgroup{}/{name}",
            path.trim_end_matches('/')
        ))?;
        // `max` is no number, so a group without a limit gives none.
        text.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// Half of what is left of the address space that this process may use, where that is limited: tables
/// that grow reserve up to twice what they hold.
fn addressable() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    // The soft limit comes first; `unlimited` is no number.
    let most: usize = line.split_whitespace().next()?.parse().ok()?;
    let used = memory_stats::memory_stats()?.virtual_mem;
    Some(most.saturating_sub(used) / 2)
}

/// The bytes of a line such as `VmHWM:   1234 kB`.
fn field(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?;
        rest.strip_prefix(':')
    })?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_whole_name() {
        let text = "MemTotal:       10 kB\nMemAvailable:    7 kB\nMem: 1 kB\nNoUnit: 5\n";
        assert_eq!(field(text, "MemAvailable"), Some(7 * 1024));
        assert_eq!(field(text, "Mem"), Some(1024));
        assert_eq!(field(text, "MemAvail"), None);
        assert_eq!(field(text, "NoUnit"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_grows_with_what_it_holds() {
        // Other tests may give memory back at the same time, so this is tried more than once.
        let mut after = 0;
        let grown = (0..20).any(|_| {
            let before = resident().expect("Linux tells");
            let held = vec![1u8; 256 << 20];
            after = resident().expect("Linux tells");
            held.iter().all(|b| *b == 1) && after >= before + (128 << 20)
        });
        assert!(grown, "{after}");
        assert!(peak().expect("Linux tells") >= after - (1 << 20));
        assert!(available().expect("Linux tells") > 1 << 20);
    }
}
