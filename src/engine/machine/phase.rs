//! Which work a limit ended, in words: the component that was compiled, and its place in the script.

use super::ids::LocalId;
use super::shared::Machine;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};

/// Longer names of components are cut.
const NAME_MAX: usize = 80;

impl Machine {
    /// What came of work; if a limit ended it, the error says that this was the work.
    ///
    /// # Errors
    /// That of the work.
    pub fn during<T>(&self, work: &str, place: Option<Span>, result: Result<T>) -> Result<T> {
        result.map_err(|error| Box::new(error.during(work, place)))
    }

    /// Adds to an error that came of a limit which parameters of processes grew until then.
    #[must_use]
    pub fn tell_growing(&self, mut error: Box<Diagnostic>) -> Box<Diagnostic> {
        if error.stop().is_some() {
            for growing in self.growing() {
                let sentence = growing.sentence();
                // What was called within may have said it.
                if !error.notes.iter().any(|note| note.contains(&sentence)) {
                    error.notes.push(sentence);
                }
            }
        }
        error
    }

    /// [`Machine::during`] of work on a component, told by its first local state: `work` is "compiling", say.
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
            // Other errors say themselves what is wrong, and where.
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
