//! Texts of the cells in the table of a run.

use super::{Trail, TrailCell, TrailColumn, channel as channel_of, has_end};
use crate::document::Tone;
use crate::outcome::{Counterexample, Ending};
use crate::words::EventKind;

/// A cell before it is cut.
pub struct CellText {
    /// Its meaning.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

impl CellText {
    /// A text without emphasis.
    pub fn plain(text: impl Into<String>) -> Self {
        let (tone, text) = (Tone::Plain, text.into());
        Self { tone, text }
    }

    /// The sign for what does not move.
    #[must_use]
    pub fn still() -> Self {
        let (tone, text) = (Tone::Dim, ".".to_string());
        Self { tone, text }
    }
}

/// Whether a column is the one of the violation.
#[must_use]
pub fn is_wrong(path: &Counterexample, column: &TrailColumn) -> bool {
    let last = path.steps.len() + usize::from(has_end(path));
    let bad = path.ending != Ending::Performed;
    bad && *column.steps.end() == last
}

/// The number of the step, and its kind.
#[must_use]
pub fn number(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    let (from, to) = (*column.steps.start(), *column.steps.end());
    let Some(step) = trail.step(to) else {
        return CellText::plain(if to == 0 { "0" } else { "end" });
    };
    let kind = match step.kind {
        EventKind::Tau => "tau",
        EventKind::Tick => "TICK",
        EventKind::Visible => "VISIBLE",
    };
    let numbers = if from == to {
        to.to_string()
    } else {
        format!("{from}-{to}")
    };
    let lap = match trail.loop_start() {
        Some(start) if from >= start => " loop",
        _ => "",
    };
    CellText {
        tone: Tone::Strong,
        text: format!("{numbers} {kind}{lap}"),
    }
}

/// The channel of the step; at the end, the violation.
#[must_use]
pub fn channel(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    let to = *column.steps.end();
    let text = match (trail.step(to), &column.fold) {
        (None, _) if to == 0 => "start".to_string(),
        (None, _) => return ending_word(&trail.path.ending),
        (Some(_), Some(name)) => format!("{name} x{}", column.count()),
        (Some(step), None) => channel_of(step).to_string(),
    };
    CellText {
        tone: Tone::Strong,
        text,
    }
}

fn ending_word(ending: &Ending) -> CellText {
    let (tone, text) = match ending {
        Ending::Performed => (Tone::Good, "ok: performed"),
        Ending::Refused { .. } => (Tone::Bad, "X not allowed"),
        Ending::Deadlock => (Tone::Bad, "X DEADLOCK"),
        Ending::Refusal { .. } => (Tone::Bad, "X refuses"),
        Ending::Revival { .. } => (Tone::Bad, "X refuses too much"),
        Ending::Ambiguity { .. } | Ending::Reluctant { .. } => (Tone::Bad, "X can refuse"),
        Ending::Unable { .. } => (Tone::Bad, "X cannot do"),
        Ending::Divergence { .. } => (Tone::Bad, "X DIVERGES"),
    };
    let text = text.to_string();
    CellText { tone, text }
}

/// The text below the channel: the rest of the event, or at the end the subject of the violation.
#[must_use]
pub fn fields(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    CellText::plain(rest(trail, column))
}

fn rest(trail: &Trail<'_>, column: &TrailColumn) -> String {
    let to = *column.steps.end();
    if let Some(step) = trail.step(to) {
        return match column.fold {
            Some(_) => "..".to_string(),
            None => step.event.all_items().replace(", ", ","),
        };
    }
    match &trail.path.ending {
        _ if to == 0 => String::new(),
        Ending::Refusal { offered, .. } | Ending::Revival { offered, .. } => {
            format!("offers {offered}")
        }
        Ending::Ambiguity { refused, .. } => refused.to_string(),
        Ending::Unable { event, .. } | Ending::Reluctant { event, .. } => event.clone(),
        Ending::Divergence { lap, .. } => match lap {
            1 => "last step for ever".to_string(),
            n => format!("last {n} steps for ever"),
        },
        Ending::Performed | Ending::Refused { .. } | Ending::Deadlock => String::new(),
    }
}

/// The state of the specification, or what it does not allow.
#[must_use]
pub fn specification(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    if !trail.is_specified() {
        return CellText::plain("");
    }
    let (from, to) = (*column.steps.start(), *column.steps.end());
    let wrong = |text: String| CellText {
        tone: Tone::Bad,
        text,
    };
    match (&trail.path.ending, trail.specification(to)) {
        // The specification has no state after this step: it does not allow it.
        (Ending::Refused { allowed, .. }, None) => match allowed.as_str() {
            "{}" => wrong("X allows nothing".to_string()),
            allowed => wrong(format!("X allows {allowed}")),
        },
        (_, None) => wrong("X refuses".to_string()),
        (Ending::Refusal { acceptances, .. }, _) if to > trail.path.steps.len() => {
            if acceptances.is_empty() {
                wrong("X diverges".to_string())
            } else {
                wrong(format!("X wants {}", acceptances.join(" or ")))
            }
        }
        (
            Ending::Revival {
                event, acceptances, ..
            },
            _,
        ) if to > trail.path.steps.len() => {
            if acceptances.is_empty() {
                wrong(format!("X never settles with {event}"))
            } else {
                wrong(format!("X wants {}", acceptances.join(" or ")))
            }
        }
        (_, Some(now)) if from > 0 && trail.specification(from - 1) == Some(now) => {
            CellText::still()
        }
        (_, Some(now)) => CellText::plain(now.replace(", ", ",")),
    }
}

/// The local state of a component, if it changes.
#[must_use]
pub fn component(trail: &Trail<'_>, component: usize, column: &TrailColumn) -> CellText {
    match trail.cell(component, column) {
        TrailCell::Still => CellText::still(),
        TrailCell::TakesPart => CellText::plain("*"),
        TrailCell::Absent => CellText::plain("-"),
        TrailCell::Becomes(now) => {
            let now = now.replace(", ", ",");
            CellText::plain(match renamed(trail, component, column) {
                Some(label) => format!("{label}: {now}"),
                None => now,
            })
        }
    }
}

/// The component at an index where the network has changed, if its label differs.
fn renamed<'a>(trail: &Trail<'a>, component: usize, column: &TrailColumn) -> Option<&'a str> {
    let step = trail.step(*column.steps.end())?;
    let label = step.components.as_ref()?.get(component)?;
    (*label != trail.name(component)).then_some(label.as_str())
}
