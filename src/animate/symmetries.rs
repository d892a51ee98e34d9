//! The symmetry in the structure of a requested process or assertion.

use super::engine::ScriptEngine;
use super::model::ErrorText;
use crate::check::Options;
use crate::lab::examined;
use crate::report::structure::{NetworkSymmetry, view};
use crate::report::words;
use crate::source::Diagnostic;

/// The subject of a search for symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymmetrySubject {
    /// An assertion, by its number from 1: both sides.
    Assertion(usize),
    /// A process: a name, or any process expression over the script.
    Process(String),
}

impl ScriptEngine {
    /// Finds the symmetry in the structure of a network, and near misses.
    ///
    /// # Errors
    /// The subject cannot be compiled, or a limit was reached.
    pub fn symmetry(&self, of: &SymmetrySubject) -> Result<NetworkSymmetry, ErrorText> {
        let budget = self.budget.from_now();
        let options = Options {
            limits: budget.limits,
            ..Options::default()
        };
        match of {
            SymmetrySubject::Process(process) => self.with_process(process, |loaded, expr| {
                let examined = examined::of_process(loaded, expr, &options, &budget.cancel);
                let mut examined = examined.map_err(|d| words::error_text(&d, &loaded.sources))?;
                Ok(view(None, process, &mut examined))
            }),
            SymmetrySubject::Assertion(number) => {
                let loaded = self.loaded();
                let failure = |d: &Diagnostic| words::error_text(d, &loaded.sources);
                let at = number.wrapping_sub(1);
                let Some(assertion) = loaded.script.assertions.get(at) else {
                    let message = format!("there is no assertion {number}");
                    return Err(failure(&Diagnostic::nowhere("E0709", message)));
                };
                if let Some(error) = loaded.in_the_way(assertion) {
                    return Err(failure(&error));
                }
                let examined = examined::of_assertion(loaded, at, &options, &budget.cancel);
                let mut examined = examined.map_err(|d| failure(&d))?;
                Ok(view(Some(*number), &assertion.text, &mut examined))
            }
        }
    }
}
