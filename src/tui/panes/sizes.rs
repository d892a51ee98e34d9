//! What holds for other sizes: what was searched, and what is proved.

use super::Content;
use crate::app::App;
use crate::racing::JobStage;
use crate::theme::Role;

/// How far it is, for the status line; `None` if nothing is asked.
#[must_use]
pub fn status(app: &App) -> Option<&'static str> {
    match app.sizes.stage {
        JobStage::Idle | JobStage::Ended => None,
        JobStage::Queued => Some("other sizes wait for the checks"),
        JobStage::Running => Some("other sizes ... X cancels"),
    }
}

/// The sizes that were searched, and what is proved of all.
#[must_use]
pub fn sizes(app: &App, columns: usize) -> Content {
    let asked = &app.sizes;
    let mut content = Content::new(match &asked.request {
        Some(request) => request.words(),
        None => "Every size".to_owned(),
    });
    if let Some(failure) = &asked.failure {
        let text = failure.detail.trim_end();
        content.push_diagnostic(app.theme, Role::Fail, text, columns);
        return content;
    }
    if let Some(found) = &asked.found {
        let sections = ["summary", "assertion", "ring", "automata"];
        content.push_parts(app.theme, found.parts(&sections), columns);
    }
    if asked.stage.is_active() {
        content.push_text(app.theme, Role::Dim, "more sizes are searched ...", columns);
    }
    content
}
