//! The selected assertion before it has a verdict: its question, its sides, what may reduce it, and the options.

use super::Content;
use crate::animate::model::{AssertionInfo, ComponentView};
use crate::app::{App, Pane, Status};
use crate::facts::{self, reduction_word};
use crate::layout;
use crate::report::asked::AskedSide;
use crate::report::document::{Document, Tone};
use crate::report::numbers::counted;
use crate::report::reduction;
use crate::source::hash::IndexMap;
use crate::theme::Role;

/// Adds all that is known of the selected assertion, which nothing has to be compiled for.
pub fn unchecked(app: &App, content: &mut Content, columns: usize) {
    let Some(info) = app.info() else { return };
    let Some(assertion) = info.assertions.get(app.checks.selected) else {
        let text = "The script has no assertions, so there is nothing to check. f finds states of which \
                    something holds; p lets strategies race through all states of the open process.";
        return content.push_text(app.theme, Role::Dim, text, columns);
    };
    content.title = format!("What is asked  #{}", assertion.number);
    content.push_text(app.theme, Role::Dim, &stage(app), columns);
    let document = question(app, assertion);
    content.push_parts(app.theme, document.parts(&[""]), columns);
}

/// Adds the question of the selected assertion alone, for want of room.
pub fn sentences(app: &App, content: &mut Content, columns: usize) {
    let assertions = app.info().map(|info| &info.assertions);
    let Some(assertion) = assertions.and_then(|all| all.get(app.checks.selected)) else {
        return;
    };
    for sentence in &assertion.question.sentences {
        content.push_text(app.theme, Role::Plain, sentence, columns);
    }
}

/// How far the check of the selected assertion is, and the keys for it.
fn stage(app: &App) -> String {
    match app.checks.status.get(app.checks.selected) {
        Some(Status::Running) if !layout::visible(app, Pane::Progress) => String::new(),
        Some(Status::Running) => "Being checked. X cancels it.".to_string(),
        Some(Status::Queued) => "Waits for the checks before it. X cancels them.".to_string(),
        // Another one is running: its text is above.
        _ if app.checks.running.is_some() => {
            "This assertion is not checked yet: x queues it behind the one that runs.".to_string()
        }
        _ => "Not checked yet: x checks it, a checks all; b with reduction and without it, r with each strategy."
            .to_string(),
    }
}

fn question(app: &App, assertion: &AssertionInfo) -> Document {
    let mut document = Document::default();
    for sentence in &assertion.question.sentences {
        document.labelled(Tone::Strong, "asked", sentence);
    }
    for side in &assertion.question.sides {
        document.labelled(Tone::Plain, side.role, said_of(app, side));
    }
    let plan = facts::planning(app);
    for line in match plan {
        Some(Ok(planned)) => reduction::planned_sentences(planned),
        Some(Err(failure)) => vec![format!("It cannot be checked: {}", failure.summary)],
        None => vec!["What it is reduced by is not yet known.".to_string()],
    } {
        document.labelled(Tone::Plain, "reduced by", line);
    }
    document.labelled(Tone::Plain, "options", options(app, assertion));
    document
}

/// A side with its place, and its components where it is the open process.
fn said_of(app: &App, side: &AskedSide) -> String {
    let mut text = side.process.clone();
    if let Some(place) = &side.place {
        text += &format!(", defined at {place}");
    }
    let open = app
        .session
        .as_ref()
        .filter(|s| s.history.process() == side.process);
    if let Some(view) = open.and_then(|session| session.view()) {
        let count = counted(view.components.len() as u64, "component");
        text += &format!("; {count} where it is open: {}", families(&view.components));
    }
    text
}

/// `Lock, Node (6), Thread (3)`.
fn families(components: &[ComponentView]) -> String {
    let mut sizes: IndexMap<&str, usize> = IndexMap::default();
    for component in components {
        *sizes.entry(component.family.as_str()).or_default() += 1;
    }
    let shown = sizes.into_iter().map(|(name, size)| match size {
        1 => name.to_owned(),
        _ => format!("{name} ({size})"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The options of a check that would begin now.
fn options(app: &App, assertion: &AssertionInfo) -> String {
    let reduction = match app.checks.reduction {
        None if assertion.symmetry => "which the assertion demands",
        chosen => reduction_word(chosen),
    };
    let mut text = format!("o: symmetry reduction {reduction}");
    if assertion.question.partial_order {
        text += "; partial order reduction, for which the assertion asks";
    }
    text + "; it ends at the first counterexample (5x: at the fifth)"
}
