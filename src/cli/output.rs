//! Standard output, and what becomes of the program when it cannot be written to.

use std::io::{self, Write};

use super::{BROKEN_PIPE, USAGE, complain};

/// Results go through here. After the first write that fails nothing more is written.
#[derive(Debug, Default)]
pub struct Output {
    failed: Option<u8>,
}

impl Output {
    /// Writes and flushes. What goes wrong is said once, except that nobody reads any more.
    pub fn write(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.failed = Some(BROKEN_PIPE);
            }
            Err(error) => {
                complain(&format!("the results cannot be written: {error}"));
                self.failed = Some(USAGE);
            }
        }
    }

    /// Whether something could not be written.
    pub fn is_broken(&self) -> bool {
        self.failed.is_some()
    }

    /// The exit code: that of the work, unless its results did not arrive.
    pub fn code(&self, code: u8) -> u8 {
        self.failed.unwrap_or(code)
    }
}
