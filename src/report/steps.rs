//! A counterexample as text: a line for each step, with the changes of the components that take part.

use std::fmt::Write;

use super::brief::{brief_states, count_the_last, without_long_sets};
use super::changed::changed;
use super::numbers;
use super::outcome::{Counterexample, CounterexampleStep, Ending};
use super::paint::Paint;
use super::parted::PartedText;
use super::words::EventKind;
use crate::source::visible_line as visible;

/// Writes the steps of a counterexample.
pub(super) fn counterexample(found: &Counterexample, paint: &Paint, text: &mut String) {
    let _ = writeln!(text, "   {}", visible(&found.reason));
    let width = found
        .steps
        .iter()
        .map(|s| s.event.chars().count())
        .max()
        .unwrap_or(0);
    // The last text on the specification: it is repeated only when it changes.
    let mut spec = found.initial_spec.clone();
    let mut line = |text: &mut String, n: &str, kind, event: &str, changes: &str, now: &str| {
        let side = specification(&mut spec, now);
        let event = visible(event);
        let changes = paint.dim(&visible(&format!("{changes}{side}")));
        let line = format!("   {n:>5} {kind:<7}  {event:<width$}  {changes}");
        // Where nothing follows the event, the columns would end in blanks.
        let _ = writeln!(text, "{}", line.trim_end());
    };
    let _ = writeln!(text, "   {}", paint.dim(&visible(&beginning(found))));
    let door = match found.ending {
        Ending::Divergence { lap, .. } => found.steps.len().checked_sub(lap),
        _ => None,
    };
    let mut before = LastStates::new(found);
    for (n, step) in found.steps.iter().enumerate() {
        if let Some(offered) = &step.observed {
            let seen = format!("with nothing on offer but {offered}:");
            line(text, "", "", "", &seen, "");
        }
        if door == Some(n) {
            line(text, "", "", "", "from here on for ever:", "");
        }
        let kind = match step.kind {
            EventKind::Tau => "tau",
            EventKind::Tick => "tick",
            EventKind::Visible => "VISIBLE",
        };
        let spec = match (&step.spec, found.initial_spec.is_empty()) {
            (Some(spec), _) => spec,
            (None, true) => "",
            (None, false) => "refused",
        };
        // Counted from 1, as in `replay` for a step that is not possible.
        let number = (n + 1).to_string();
        line(
            text,
            &number,
            kind,
            &step.event,
            &changes(&mut before, step),
            spec,
        );
    }
}

/// The node of the specification, if it differs from the last text.
fn specification(last: &mut String, now: &str) -> String {
    if now.is_empty() || now == last {
        return String::new();
    }
    let brief = brief_states(now);
    let new = changed(last, now).filter(|new| new.len() < brief.len());
    now.clone_into(last);
    format!("  | {}", new.unwrap_or(brief))
}

/// The initial states of the components that take part, and of the specification.
fn beginning(found: &Counterexample) -> String {
    // A network may have hundreds of components, of which a run moves a few.
    let moves = |component: usize| {
        let mut changes = found.steps.iter().flat_map(|s| &s.changes);
        changes.any(|(c, _)| *c == component)
    };
    let states = found.components.iter().zip(&found.initial).enumerate();
    let mut parts: Vec<String> = states
        .filter(|(n, _)| moves(*n))
        .map(|(_, (label, state))| format!("{label} = {state}"))
        .collect();
    let still = found.components.len().saturating_sub(parts.len());
    count_the_last(&mut parts, "more that move");
    match still {
        0 => {}
        others if parts.is_empty() => {
            parts.push(format!(
                "{} as at the start",
                numbers::counted(others as u64, "component")
            ));
        }
        1 => parts.push("(1 more that does not move)".to_owned()),
        others => parts.push(format!("({others} more that do not move)")),
    }
    let spec = match found.initial_spec.as_str() {
        "" => String::new(),
        spec => format!("  | {}", brief_states(spec)),
    };
    format!("begins with {}{spec}", parts.join("  "))
}

/// The state before a step: its components, and the last text on each.
struct LastStates<'a> {
    found: &'a Counterexample,
    components: &'a [PartedText],
    states: Vec<&'a str>,
}

impl<'a> LastStates<'a> {
    fn new(found: &'a Counterexample) -> Self {
        Self {
            found,
            components: &found.components,
            states: found.initial.iter().map(PartedText::as_str).collect(),
        }
    }

    /// Goes on to the components that a step leads to.
    fn enter(&mut self, step: &'a CounterexampleStep) {
        let components = self.found.components_after(step);
        // Numbers of other components are unrelated to the earlier ones.
        if components != self.components {
            self.components = components;
            self.states = vec![""; components.len()];
        }
    }

    /// A component and the part of its state that a step changed.
    fn change(&mut self, component: usize, after: &'a str) -> String {
        let label = self
            .components
            .get(component)
            .map_or("?", PartedText::as_str);
        let before = match self.states.get_mut(component) {
            Some(before) => std::mem::replace(before, after),
            None => "",
        };
        let new = changed(before, after);
        let new = new.as_deref().unwrap_or(after);
        format!("{label} = {}", without_long_sets(new))
    }
}

/// The components that move, with their own event where it has another name there.
fn changes<'a>(before: &mut LastStates<'a>, step: &'a CounterexampleStep) -> String {
    before.enter(step);
    let change = |(n, (component, after)): (usize, &'a (usize, PartedText))| {
        let change = before.change(*component, after);
        // The two lists go together, but the events are left out where the components change.
        let own = step.events.get(n).map_or("", |e| e.1.as_str());
        // Renaming may have given it another name on the way out of the component.
        if own.is_empty() || step.event == own {
            change
        } else {
            format!("{change} by {own}")
        }
    };
    let mut changes: Vec<String> = step.changes.iter().enumerate().map(change).collect();
    // Where the network has changed, these are all of its components.
    count_the_last(&mut changes, "more");
    changes.join("  ")
}
