//! Notes on errors of a limit: the work that was ended, the component, and its place in the script.

use super::ids::LocalId;
use super::shared::Machine;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};

/// Longest name of a component; longer ones are cut.
const NAME_MAX: usize = 80;

impl Machine {
    /// Passes a result on; if a limit ended the work, the error names it.
    ///
    /// # Errors
    /// That of the work.
    pub fn during<T>(&self, work: &str, place: Option<Span>, result: Result<T>) -> Result<T> {
        result.map_err(|error| Box::new(error.during(work, place)))
    }

    /// Adds to an error of a limit the process parameters that grew until then.
    #[must_use]
    pub fn tell_growing(&self, mut error: Box<Diagnostic>) -> Box<Diagnostic> {
        if error.stop().is_some() {
            for growing in self.growing() {
                let sentence = growing.sentence();
                // An inner call may have added it.
                if !error.notes.iter().any(|note| note.contains(&sentence)) {
                    error.notes.push(sentence);
                }
            }
        }
        error
    }

    /// [`Machine::during`] for work on a component, given by its first local state: `work` is "compiling", say.
    ///
    /// # Errors
    /// That of the work.
    pub fn during_component<T>(
        &mut self,
        work: &str,
        component: LocalId,
        result: Result<T>,
    ) -> Result<T> {
        match result {
            // Other errors explain themselves, with their place.
            Err(error) if error.stop().is_some() => {
                let (name, place) = self.component(component);
                let work = format!("{work} component {name}");
                Err(self.tell_growing(Box::new(error.during(&work, place))))
            }
            other => other,
        }
    }

    /// The name of a component and its place in the script.
    fn component(&mut self, local: LocalId) -> (String, Option<Span>) {
        let term = self.term_of(local);
        let name = self.eval.show_term(term);
        let cut = name.char_indices().nth(NAME_MAX);
        let name = match cut {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name,
        };
        (name, self.eval.place_of(term))
    }
}
