//! A watchdog for tests of debug builds: reports long work that does not look at its limits often enough.
//!
//! Where the environment sets `ORBITSCOPE_WATCHDOG`, each look at [`super::Limits`] asks how much processor time the
//! thread has used since its last one. If that is more than a second, the caller is reported on standard error,
//! since the work before it would not have ended at a limit.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::io::Write;
use std::sync::LazyLock;

use super::cpu;

/// Seconds of processor time that may pass between two looks.
const GAP_MAX: f64 = 1.0;
/// Stack frames of the program in a report.
const CALLERS: usize = 16;

static IS_ON: LazyLock<bool> = LazyLock::new(|| std::env::var_os("ORBITSCOPE_WATCHDOG").is_some());

thread_local! {
    static LAST: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Notes a look.
pub(super) fn looked() {
    if !cfg!(debug_assertions) || !*IS_ON {
        return;
    }
    let Some(now) = cpu::used_by_thread() else {
        return;
    };
    let before = LAST.replace(Some(now));
    let gap = now - before.unwrap_or(0.0);
    if gap > GAP_MAX {
        let trace = Backtrace::force_capture().to_string();
        let ours = trace.lines().filter(|line| line.contains("orbitscope::"));
        let callers: Vec<&str> = ours.take(CALLERS).collect();
        let told = format!("no look at the limits for {gap:.1} s before");
        // Standard error may be closed: that is no error of the check.
        let _ = writeln!(std::io::stderr(), "{told}\n{}", callers.join("\n"));
    }
}
