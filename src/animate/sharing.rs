//! Requests for pages to share: a walk, a counterexample or a comparison, with all states described.

use std::path::Path;

use super::documents::{GivenStates, SharedComparison, SharedRun, SharedViolation};
use super::engine::ScriptEngine;
use super::history::Origin;
use super::model::{AskedStrategy, Counterexample, ErrorText, StateId};
use crate::report::numbers::counted;
use crate::report::page::rings::longest_cycles;
use crate::report::page::{PageForm, SharedPage};
use crate::report::runs::TakenStep;

/// Steps of the longest run that is put on a page.
const STEPS_MAX: usize = 2_000;
/// Components of the largest network whose states are drawn.
const DRAWN_MAX: usize = 72;

/// A request for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The subject.
    pub subject: PageSubject,
    /// The form of the file.
    pub form: PageForm,
}

/// The subject of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageSubject {
    /// A walk: how each state was reached, beginning with the process that was opened.
    Walk(Vec<(Origin, StateId)>),
    /// A counterexample of the assertion with this number and text.
    Counterexample(usize, String, Box<Counterexample>),
    /// Two states of a process.
    Comparison {
        /// The process.
        process: String,
        /// Both states.
        states: [StateId; 2],
        /// The events on the way to each.
        paths: [Vec<String>; 2],
        /// The strategy whose representatives are compared.
        by: AskedStrategy,
    },
}

impl PageSubject {
    /// The subject in a word, for names of files.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Walk(_) => "walk",
            Self::Counterexample(..) => "counterexample",
            Self::Comparison { .. } => "comparison",
        }
    }
}

impl ScriptEngine {
    /// Makes the text of a page.
    ///
    /// # Errors
    /// The errors of [`Self::view`] and [`Self::compare`], and a run that is too long.
    pub fn page(&mut self, asked: &PageRequest) -> Result<String, ErrorText> {
        let page = match &asked.subject {
            PageSubject::Walk(reached) => {
                let process = match reached.first() {
                    Some((Origin::Opened(process), _)) => process.as_str(),
                    _ => "",
                };
                self.run_page(process, reached, None, asked.form)?
            }
            PageSubject::Counterexample(number, text, path) => {
                self.counterexample_page((*number, text), path, asked.form)?
            }
            PageSubject::Comparison {
                process,
                states: [a, b],
                paths,
                by,
            } => {
                let given = GivenStates {
                    process: process.clone(),
                    paths: paths.clone(),
                    found: self.compare(*a, *b, *by)?,
                    shows_representatives: *by != AskedStrategy::Usual,
                };
                let views = [self.view(*a)?, self.view(*b)?];
                let script = self.script_name();
                SharedComparison {
                    script,
                    given,
                    views,
                }
                .page()
            }
        };
        Ok(page.text(asked.form))
    }

    /// The file name of the script, without its folders, which are private to the machine.
    fn script_name(&self) -> String {
        let path = Path::new(&self.info().path);
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    fn counterexample_page(
        &mut self,
        (number, text): (usize, &str),
        path: &Counterexample,
        form: PageForm,
    ) -> Result<SharedPage, ErrorText> {
        let steps = path.steps.iter();
        let steps = steps.map(|step| Origin::Step(TakenStep::of(path, step)));
        let origins = std::iter::once(Origin::Opened(path.process.clone())).chain(steps);
        // The animator may have no network in which the run can be followed; its table is known all the same.
        let (states, without_states) = match self.replay(path) {
            Ok(states) => (states, None),
            Err(failure) => (Vec::new(), Some(failure.summary)),
        };
        let reached: Vec<(Origin, StateId)> = origins.zip(states).collect();
        let violation = SharedViolation {
            number,
            text: text.to_owned(),
            path: path.clone(),
            without_states,
        };
        self.run_page(&path.process, &reached, Some(violation), form)
    }

    fn run_page(
        &mut self,
        process: &str,
        reached: &[(Origin, StateId)],
        violation: Option<SharedViolation>,
        form: PageForm,
    ) -> Result<SharedPage, ErrorText> {
        let steps = reached.len().saturating_sub(1);
        if steps > STEPS_MAX {
            let (steps, most) = (steps as u64, STEPS_MAX as u64);
            return Err(ErrorText::line(format!(
                "a run of {} is too long for a page: {} at most",
                counted(steps, "step"),
                counted(most, "step")
            )));
        }
        let mut states = Vec::with_capacity(reached.len());
        for (by, state) in reached {
            states.push((by.clone(), self.view(*state)?));
        }
        let first = reached.first().map(|(_, state)| *state);
        let components = states.iter().map(|(_, view)| view.components.len()).max();
        let is_drawn = form == PageForm::Html && components.is_some_and(|n| n <= DRAWN_MAX);
        let circles = first.filter(|_| is_drawn);
        Ok(SharedRun {
            script: self.script_name(),
            process: process.to_owned(),
            states,
            violation,
            circles: circles.and_then(|state| self.circles(state)),
        }
        .page())
    }

    /// The first generator of the symmetry in the structure that moves the most components in circles, as the Symmetry
    /// view draws it.
    fn circles(&mut self, state: StateId) -> Option<(String, Vec<Vec<usize>>)> {
        let found = self.symmetry_of(state).ok()?.told.found.ok()?;
        let all = found.generators.iter().enumerate();
        let all = all.map(|(at, generator)| (at, longest_cycles(&generator.components)));
        let longest = |(_, cycles): &(usize, Vec<Vec<usize>>)| cycles.first().map_or(0, Vec::len);
        // Of several that move as many, the first one.
        let (at, cycles) = all.rev().max_by_key(longest)?;
        let name = format!("generator {} of the symmetry in the structure", at + 1);
        (!cycles.is_empty()).then_some((name, cycles))
    }
}
