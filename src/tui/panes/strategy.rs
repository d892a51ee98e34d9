//! The choice of a representative by a strategy other than `ordering`.

use super::result::{self, Permuted};
use super::{Content, why};
use crate::animate::model::StrategyKind;
use crate::animate::sentences;
use crate::app::App;
use crate::facts;
use crate::text::{Row, pad, width, wrap};
use crate::theme::Role;

/// Whether checks store the representative that is shown, in a few words.
#[must_use]
pub fn compared(app: &App) -> String {
    if facts::goes_by_structure(app) {
        return "by values alone: other views go by the structure, too".to_owned();
    }
    let used = StrategyKind::default();
    let name = used.strategy().name();
    if app.orbit.strategy == used {
        return format!("checks use {name}: this one");
    }
    // Where `ordering` is shown, its representative is that of the state itself.
    let shown = match app.other_strategy() {
        Some(view) => Some(&view.representative.components),
        None => app.representative().map(|rep| &rep.components),
    };
    match (app.strategy(used), shown) {
        (Some(Ok(view)), Some(shown)) if view.representative.components == *shown => {
            format!("checks use {name}: same representative")
        }
        (Some(Ok(_)), Some(_)) => format!("checks use {name}: another representative (A)"),
        _ => format!("checks use {name}"),
    }
}

/// The work of another strategy in a step, and the result.
#[must_use]
pub fn build(app: &App, columns: usize) -> Content {
    let name = app.orbit.strategy.strategy().name();
    let mut content = Content::new(format!("Strategy {name}"));
    let Some(view) = app.other_strategy() else {
        let text = match app.strategy(app.orbit.strategy) {
            Some(Err(failure)) => failure.summary.clone(),
            _ => why::missing(app),
        };
        content.push_text(app.theme, Role::Dim, &text, columns);
        return content;
    };
    content.footer = compared(app);
    let is_last = app.orbit.frame + 1 >= view.steps.len();
    if let Some(step) = view.steps.get(app.orbit.frame) {
        content.right = step.mark.meaning().to_string();
        for sentence in &step.sentences {
            content.push_text(app.theme, Role::Plain, sentence, columns);
        }
        let head = step.state.iter().map(|(head, _)| width(head)).max();
        let head = head.unwrap_or(0).min(columns / 3);
        if !step.state.is_empty() {
            content.push(Row::new(app.theme));
        }
        for (name, text) in &step.state {
            let mut name = name.as_str();
            for line in wrap(text, columns.saturating_sub(head + 4)) {
                let row = Row::new(app.theme).add(Role::Strong, format!(" {}  ", pad(name, head)));
                content.push(row.plain(line));
                // The heading stands beside the first line only.
                name = "";
            }
        }
    }
    if is_last {
        let permuted = Permuted {
            components: &view.components,
            representative: &view.representative.components,
            source: &view.representative.source,
        };
        result::component_rows(app, &permuted, &mut content, columns);
        let pi = sentences::cycles(&view.representative.permutation).join("  ");
        content.push_text(app.theme, Role::Plain, &format!("renaming  {pi}"), columns);
    }
    content.push(Row::new(app.theme));
    let unique = format!(
        "Representative: {}.",
        view.representative.uniqueness.claim()
    );
    for line in [unique].into_iter().chain(view.remarks()) {
        content.push_text(app.theme, Role::Dim, &line, columns);
    }
    content
}
