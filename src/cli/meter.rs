//! Progress on the standard error stream.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::args::ProgressMode;
use crate::animate::model::Progress;
use crate::report::numbers;

/// Shows how far a check is, from time to time.
pub struct Meter {
    mode: ProgressMode,
    rewrite: bool,
    next: Instant,
    shown: bool,
}

impl Meter {
    /// A meter that has shown nothing.
    pub fn new(mode: ProgressMode) -> Self {
        let rewrite = mode == ProgressMode::Auto && std::io::stderr().is_terminal();
        let wait = if rewrite {
            // No line flashes up for a check that ends before this.
            Duration::from_millis(300)
        } else {
            Duration::from_secs(10)
        };
        Self {
            mode,
            rewrite,
            next: Instant::now() + wait,
            shown: false,
        }
    }

    /// Shows the progress of a check if it is time for it.
    pub fn show(&mut self, number: usize, progress: &Progress) {
        if self.mode == ProgressMode::None || Instant::now() < self.next {
            return;
        }
        let disk = progress.on_disk().map(|disk| format!("  {disk}"));
        let line = format!(
            "#{number}  ply {}  {} states  {} transitions  {} waiting  {}{}  {:.0} s",
            progress.ply,
            numbers::thousands(progress.states.into()),
            numbers::thousands(progress.transitions.into()),
            numbers::thousands(progress.frontier.into()),
            numbers::bytes(progress.bytes),
            disk.unwrap_or_default(),
            progress.seconds,
        );
        let mut stderr = std::io::stderr();
        if self.rewrite {
            // Back to the beginning of the line, which is cleared before it is written anew.
            let _ = write!(stderr, "\r\x1b[K{line}");
            let _ = stderr.flush();
            self.shown = true;
            self.next = Instant::now() + Duration::from_millis(100);
        } else {
            let _ = writeln!(stderr, "{line}");
            self.next = Instant::now() + Duration::from_secs(10);
        }
    }

    /// Takes back a line that would be rewritten.
    pub fn clear(&mut self) {
        if self.shown {
            let mut stderr = std::io::stderr();
            let _ = write!(stderr, "\r\x1b[K");
            let _ = stderr.flush();
            self.shown = false;
        }
    }
}
