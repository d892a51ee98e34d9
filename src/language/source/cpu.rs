//! Processor time of the program, according to the operating system.

/// Seconds of processor time that this process has used so far, on all its threads; nothing where the
/// operating system is not asked (on all but those like Unix).
#[must_use]
pub fn used() -> Option<f64> {
    told()
}

/// The same of the calling thread, if the operating system knows it.
#[must_use]
pub fn used_by_thread() -> Option<f64> {
    told_of_thread()
}

#[cfg(unix)]
fn told() -> Option<f64> {
    Some(read(rustix::time::ClockId::ProcessCPUTime))
}

#[cfg(unix)]
fn told_of_thread() -> Option<f64> {
    Some(read(rustix::time::ClockId::ThreadCPUTime))
}

#[cfg(unix)]
fn read(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(not(unix))]
fn told() -> Option<f64> {
    None
}

#[cfg(not(unix))]
fn told_of_thread() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn work_takes_time() {
        let before = super::used().expect("it is told here");
        let mut sum = 0u64;
        // However slow the clock is, at last it moves.
        while super::used().expect("it is told here") <= before {
            sum = (0..100_000u64).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        }
        assert_ne!(sum, 1);
    }
}
