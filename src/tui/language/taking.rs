//! The transition that an event names.

use super::words::hint;
use crate::animate::model::{StateView, TransitionView};
use crate::animate::tracing::GivenStep;
use crate::report::runs::traced;

/// Largest number of events listed.
const TOLD_MAX: usize = 6;

/// A transition's event as it is typed.
fn typed(transition: &TransitionView) -> String {
    traced(&transition.event).into()
}

/// The transitions to different states that a text names: those with the event, or if there is none those
/// whose event begins with it.
fn named<'a>(view: &'a StateView, event: &str) -> Vec<&'a TransitionView> {
    let begins = |t: &TransitionView| {
        typed(t)
            .strip_prefix(event)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    let of = |is_meant: &dyn Fn(&TransitionView) -> bool| {
        let mut found: Vec<&TransitionView> = Vec::new();
        for transition in view.transitions.iter().filter(|t| is_meant(t)) {
            if found.iter().all(|known| known.target != transition.target) {
                found.push(transition);
            }
        }
        found
    };
    match of(&|t| typed(t) == event) {
        found if found.is_empty() => of(&begins),
        found => found,
    }
}

/// The transition that is meant: `a` if it is the only one, `a#2` the second of several.
///
/// # Errors
/// No transition matches, or several do; with the events that can be typed.
pub(super) fn transition<'a>(
    view: &'a StateView,
    text: &str,
) -> Result<&'a TransitionView, String> {
    let GivenStep { event, number, .. } = &GivenStep::new(text);
    let found = named(view, event);
    match (found.as_slice(), number) {
        ([], _) => Err(none(view, event)),
        ([one], None) => Ok(one),
        (all, Some(n)) => all.get(n.wrapping_sub(1)).copied().ok_or_else(|| {
            let count = all.len();
            format!(
                "there is no {event}#{n}: {}",
                match count {
                    1 => "there is one transition with this event".to_owned(),
                    _ => format!("{event}#1 to {event}#{count} are possible"),
                }
            )
        }),
        (all, None) => Err(several(event, all)),
    }
}

fn none(view: &StateView, event: &str) -> String {
    let mut events: Vec<String> = view.transitions.iter().map(typed).collect();
    events.dedup();
    if events.is_empty() {
        return format!("{event} is not possible: there is no transition");
    }
    let near = hint(event, events.iter().map(String::as_str));
    if near.is_empty() {
        format!(
            "{event} is not possible here; possible are {}",
            list(&events)
        )
    } else {
        format!("{event} is not possible here{near}")
    }
}

fn several(event: &str, all: &[&TransitionView]) -> String {
    let events: Vec<String> = all.iter().map(|t| typed(t)).collect();
    if events.iter().all(|known| known == event) {
        format!(
            "{event} is ambiguous: {event}#1 to {event}#{} lead to different states",
            all.len()
        )
    } else {
        format!("{event} is ambiguous: {}", list(&events))
    }
}

fn list(events: &[String]) -> String {
    let shown: Vec<_> = events.iter().take(TOLD_MAX).map(String::as_str).collect();
    match events.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Arguments for `take`, in the order of the transitions: each event once, with numbers where one is not enough.
#[must_use]
pub(super) fn events(view: &StateView) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for transition in &view.transitions {
        let event = typed(transition);
        let all = named(view, &event);
        let text = match all.iter().position(|t| t.target == transition.target) {
            Some(at) if all.len() > 1 => format!("{event}#{}", at + 1),
            _ => event,
        };
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}
