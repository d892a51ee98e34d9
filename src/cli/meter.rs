//! Progress on the standard error stream.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::args::ProgressMode;
use crate::animate::model::Progress;
use crate::report::numbers;
use crate::source::visible_line;
use crate::tui;

/// Shows how far a check is, from time to time.
pub struct Meter {
    mode: ProgressMode,
    rewrite: bool,
    next: Instant,
    /// Lines that are shown, and would be rewritten.
    shown: usize,
    /// The addresses of the processes that share the search, by process from 1, where they have any.
    names: Vec<String>,
}

impl Meter {
    /// A meter that has shown nothing.
    pub fn new(mode: ProgressMode, names: &[String]) -> Self {
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
            shown: 0,
            names: names.to_vec(),
        }
    }

    /// Shows the progress of a check if it is time for it.
    pub fn show(&mut self, number: usize, progress: &Progress) {
        if self.mode == ProgressMode::None || Instant::now() < self.next {
            return;
        }
        let disk = progress.on_disk().map(|disk| format!("  {disk}"));
        let mut lines = vec![format!(
            "#{number}  ply {}  {} states  {} transitions  {} waiting  {}{}  {:.0} s",
            progress.ply,
            numbers::thousands(progress.states.into()),
            numbers::thousands(progress.transitions.into()),
            numbers::thousands(progress.frontier.into()),
            numbers::bytes(progress.bytes),
            disk.unwrap_or_default(),
            progress.seconds,
        )];
        lines.extend((0..).zip(progress.by_process()).map(|(process, line)| {
            let name = usize::checked_sub(process, 1).and_then(|before| self.names.get(before));
            let name = name.map_or(String::new(), |name| format!(" ({})", visible_line(name)));
            format!("  process {process}{name}  {line}")
        }));
        let mut stderr = std::io::stderr();
        if self.rewrite {
            self.clear();
            // A line that is too long would take two, of which one would stay.
            let most = tui::columns().filter(|n| *n > 1 && lines.len() > 1);
            let most = most.map_or(usize::MAX, |columns| columns - 1);
            let cut = |line: &String| line.chars().take(most).collect::<String>();
            let text = lines.iter().map(cut).collect::<Vec<_>>().join("\n");
            let _ = write!(stderr, "{text}");
            let _ = stderr.flush();
            self.shown = lines.len();
            self.next = Instant::now() + Duration::from_millis(100);
        } else {
            let _ = writeln!(stderr, "{}", lines.join("\n"));
            self.next = Instant::now() + Duration::from_secs(10);
        }
    }

    /// Takes back the lines that would be rewritten.
    pub fn clear(&mut self) {
        if self.shown > 0 {
            let mut stderr = std::io::stderr();
            // Back to the beginning of the first line, and all from there on is cleared.
            let up = self.shown - 1;
            let up = if up > 0 {
                format!("\x1b[{up}A")
            } else {
                String::new()
            };
            let _ = write!(stderr, "\r{up}\x1b[J");
            let _ = stderr.flush();
            self.shown = 0;
        }
    }
}
