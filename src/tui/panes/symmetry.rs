//! Symmetry in the text: the interchangeable values, and the places that distinguish others.

use super::{Content, outline};
use crate::animate::model::ListedType;
use crate::app::App;
use crate::cutting::apart;
use crate::report::reduction;
use crate::source::Span;
use crate::text::{Row, fit, width};
use crate::theme::Role;

/// The places that can be selected: each type, and the expressions that break its symmetry.
fn places(app: &App) -> impl Iterator<Item = Span> + '_ {
    let each = app.reading.listing.types.iter();
    each.flat_map(|t| std::iter::once(t.place).chain(t.breaks.iter().map(|b| b.0)))
}

/// The number of places that can be selected.
#[must_use]
pub fn count(app: &App) -> usize {
    places(app).count()
}

/// The selected place.
#[must_use]
pub fn selected(app: &App) -> Option<Span> {
    let last = count(app).checked_sub(1)?;
    places(app).nth(app.reading.symmetry.min(last))
}

/// Builds the pane.
#[must_use]
pub fn build(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Symmetry, by the text");
    let chosen = app.reading.symmetry.min(count(app).saturating_sub(1));
    let session = app.session.as_ref();
    if let Some(found) = session.and_then(|s| s.reduction()) {
        let short = reduction::short(found.used.as_ref(), &found.plan);
        let text = format!("open process: {short}");
        content.push_text(app.theme, Role::Strong, &text, columns);
    }
    let types = &app.reading.listing.types;
    if types.is_empty() {
        let text = "no datatype with two or more atomic values is known";
        content.push_text(app.theme, Role::Dim, text, columns);
    }
    let breaks = types.iter().flat_map(|listed| &listed.breaks);
    let texts: Vec<String> = breaks.map(|(_, why)| format!("  / {why}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let lines = places(app).map(|place| outline::line(app, place));
    let room = columns.saturating_sub(lines.map(|line| width(&line)).max().unwrap_or(0) + 4);
    let mut texts = apart(&texts, room).into_iter();
    let mut at = 0;
    for listed in types {
        let mut entry = |content: &mut Content, text: &str, place| {
            push(app, content, (at, at == chosen), columns, text, place);
            at += 1;
        };
        entry(&mut content, &headline(listed), listed.place);
        for ((place, _), text) in listed.breaks.iter().zip(&mut texts) {
            entry(&mut content, &text, *place);
        }
        if listed.more > 0 {
            let text = format!("  / and {} more places", listed.more);
            content.push_text(app.theme, Role::Dim, &text, columns);
        }
    }
    content
}

/// The heading of a type.
fn headline(listed: &ListedType) -> String {
    match listed.members.len() {
        0 | 1 => format!("{}: no interchangeable values", listed.name),
        n => {
            let members = listed.members.join(", ");
            format!("= {}: {n} interchangeable: {members}", listed.name)
        }
    }
}

fn push(
    app: &App,
    content: &mut Content,
    (at, is_chosen): (usize, bool),
    columns: usize,
    text: &str,
    place: Span,
) {
    let (mark, role) = content.entry(is_chosen);
    let place = outline::line(app, place);
    let room = columns.saturating_sub(width(&place) + 4);
    let row = Row::new(app.theme).add(role, format!("{mark} {}", fit(text, room)));
    let row = row.to(columns.saturating_sub(width(&place) + 1));
    content.push_target(row.add(Role::Dim, place), at);
}
