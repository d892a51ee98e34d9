//! Places in the text of a process and of its steps, for showing the script beside its states. Not used by
//! exploration.

use super::code::{Head, UnitBody};
use super::interpreter::Interpreter;
use super::stepper::Stepper;
use crate::process::parts::operands;
use crate::process::term::{ControlState, Label, Steps, Term, TermData};
use crate::process::{Unfold, Unfolded, transitions};
use crate::source::Span;
use crate::source::hash::Set;
use crate::source::stack::deep;

/// Places that are listed at most.
const PLACES_MAX: usize = 64;
/// Terms that are looked into on the way to them.
const LOOKS_MAX: usize = 2_000;

/// A place in the text of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The first place of the expression.
    pub span: Span,
    /// Further places of the same expression: nothing tells at which of them the process is.
    pub also: Vec<Span>,
}

/// The places of the control states in a term, leftmost first, each once.
pub(super) fn places(run: &Interpreter, t: Term) -> Vec<TextPlace> {
    let mut found: Vec<TextPlace> = Vec::new();
    let mut seen: Set<Term> = Set::default();
    let mut open = vec![t];
    while let Some(t) = open.pop() {
        if found.len() >= PLACES_MAX || seen.len() >= LOOKS_MAX {
            break;
        }
        if !seen.insert(t) {
            continue;
        }
        let data = run.terms.data(t);
        match data {
            TermData::Call { control, .. } => {
                let place = whole(run, *control);
                found.extend(place.filter(|place| !found.contains(place)));
            }
            // After its first step it is in its state, and not at its beginning.
            TermData::Compressed { state, .. } if !state.is_empty() => {
                open.extend(state.iter().rev());
            }
            // The leftmost operand is looked at first.
            _ => open.extend(operands(data).into_iter().rev()),
        }
    }
    found
}

/// The parts of the text that a step may come from; nothing if it comes from no expression of the script, as
/// those of `CHAOS` do.
pub(super) fn branch(
    stepper: &mut Stepper,
    t: Term,
    label: Label,
    target: Option<Term>,
) -> Vec<TextPlace> {
    let mut search = BranchSearch {
        stepper,
        found: Vec::new(),
        looks: LOOKS_MAX,
    };
    search.look(t, Some(label), target);
    // The target may be known by another name than the rules give it; the event is certain.
    if search.found.is_empty() && target.is_some() {
        search.looks = LOOKS_MAX;
        search.look(t, Some(label), None);
    }
    search.found
}

/// The whole expression of a control state.
fn whole(run: &Interpreter, control: ControlState) -> Option<TextPlace> {
    let info = run.program.control(control)?;
    Some(TextPlace {
        span: info.span,
        also: info.also.clone(),
    })
}

/// The communication of a prefix: what stands before its arrow.
fn communication(run: &Interpreter, control: ControlState) -> Option<TextPlace> {
    let info = run.program.control(control)?;
    let UnitBody::Head(Head::Prefix(prefix)) = &run.program.unit(info.unit).body else {
        return None;
    };
    let span = prefix.communication();
    // The same expression has the same length up to blanks; elsewhere only its beginning is known.
    let length = span.end.saturating_sub(info.span.start);
    let moved = |place: &Span| Span {
        end: place.end.min(place.start.saturating_add(length)),
        ..*place
    };
    Some(TextPlace {
        span,
        also: info.also.iter().map(moved).collect(),
    })
}

/// A search for what a step comes from, through the operators of a term.
struct BranchSearch<'a> {
    stepper: &'a mut Stepper,
    found: Vec<TextPlace>,
    looks: usize,
}

impl BranchSearch<'_> {
    /// Finds the origins of the steps of a term, of those with a given label and target.
    fn look(&mut self, t: Term, label: Option<Label>, target: Option<Term>) {
        if self.looks == 0 || self.found.len() >= PLACES_MAX {
            return;
        }
        self.looks -= 1;
        let data = self.stepper.run.terms.data(t).clone();
        deep(|| match &data {
            TermData::Call { control, env } => {
                if let Some(place) = communication(&self.stepper.run, *control) {
                    self.add(place);
                    return;
                }
                let before = self.found.len();
                if let Ok(Unfolded::Term(opened)) = self.stepper.unfold(*control, env)
                    && opened != t
                {
                    self.look(opened, label, target);
                }
                // It is somewhere in this expression, more is not known.
                if self.found.len() == before {
                    let place = whole(&self.stepper.run, *control);
                    place.into_iter().for_each(|place| self.add(place));
                }
            }
            TermData::IntChoice(ts) => {
                // The step chooses one of them: that is the branch.
                let chosen = ts.iter().filter(|p| target.is_none_or(|t| t == **p));
                for p in chosen {
                    let first = places(&self.stepper.run, *p).into_iter().next();
                    first.into_iter().for_each(|place| self.add(place));
                }
            }
            _ => self.operator(&data, label, target),
        });
    }

    /// A step of an operator is one of some of its operands.
    fn operator(&mut self, data: &TermData, label: Option<Label>, target: Option<Term>) {
        let mut parts = operands(data);
        // The others do not run yet.
        if let TermData::Seq(..) | TermData::Sliding(..) | TermData::Exception(..) = data {
            parts.truncate(1);
        }
        let after = target.map(|t| operands(self.stepper.run.terms.data(t)));
        // Whether it goes on as the same operator, with other operands.
        let stays = target.is_some_and(|t| {
            let next = self.stepper.run.terms.data(t);
            std::mem::discriminant(next) == std::mem::discriminant(data)
        });
        for (at, p) in parts.iter().enumerate() {
            for (own, next) in self.steps(*p) {
                let fits = match (&after, stays) {
                    (None, _) => label.is_none_or(|label| label == own),
                    // What did not move stands there as before.
                    // What did not move stands there as before.
                    (Some(after), true) => {
                        after.contains(&next) && (after.get(at) != Some(p) || next == *p)
                    }
                    (Some(_), false) => {
                        target == Some(next) && label.is_none_or(|label| label == own)
                    }
                };
                // Hidden or renamed, it has another label here than outside; otherwise the same.
                let same = keeps_labels(data).then_some(label).flatten();
                if fits && same.is_none_or(|label| label == own) {
                    self.look(*p, Some(own), Some(next));
                }
            }
        }
    }

    /// The steps of an operand; none where they cannot be computed.
    fn steps(&mut self, t: Term) -> Steps {
        self.stepper.begin();
        transitions(t, self.stepper).unwrap_or_default()
    }

    fn add(&mut self, place: TextPlace) {
        if !self.found.contains(&place) {
            self.found.push(place);
        }
    }
}

/// Whether what an operand does is seen outside as it is.
fn keeps_labels(data: &TermData) -> bool {
    !matches!(
        data,
        TermData::Hide { .. }
            | TermData::Rename(..)
            | TermData::Link(..)
            | TermData::Seq(..)
            | TermData::Loop(_)
    )
}
