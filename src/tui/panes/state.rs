//! The raw state, its representative, and how the one became the other.

use super::{Content, absent};
use crate::animate::counted;
use crate::animate::model::{ComponentView, RepView, StateView, TypeOrdering, UniquenessView};
use crate::animate::sentences::{self, ComponentNames};
use crate::report::numbers;
use crate::tui::app::{App, ShownState};
use crate::tui::facts;
use crate::tui::layout::{Tier, tier};
use crate::tui::text::{Row, fit, pad, width, wrap};
use crate::tui::theme::Role;

/// The state pane: raw on wide screens, otherwise what `s` has chosen.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let Some(view) = app.session.as_ref().and_then(|s| s.view()) else {
        return Content {
            title: "State".to_string(),
            ..absent(app, columns)
        };
    };
    let mut content = match (tier(app.size), app.animate.show, app.representative()) {
        (_, ShownState::Counted, _) => counters(app, view, columns),
        // Wide screens have a pane of its own for the representative.
        (Tier::Wide, _, _) | (_, ShownState::Raw, _) | (_, _, None) => raw(app, view, columns),
        (_, ShownState::Rep, Some(_)) => representative(app, columns),
        (_, ShownState::Both, Some(rep)) => both(app, view, rep, columns, rows),
    };
    if facts::is_what_if(app) {
        content.title.push_str(" by hand");
    }
    content
}

/// How many components of each family are in which local state.
fn counters(app: &App, view: &StateView, columns: usize) -> Content {
    let mut content = Content::new("State (counted)");
    content.right = numbers::counted(view.components.len() as u64, "component");
    let theme = app.theme;
    for family in counted::counted(view) {
        content.push(Row::new(theme).add(Role::Strong, format!("   {}", family.family)));
        for (state, count) in &family.states {
            let head = format!("  {count:>3} x ");
            let lines = wrap(state, columns.saturating_sub(width(&head) + 1));
            for (at, line) in lines.into_iter().enumerate() {
                let head = if at == 0 {
                    head.clone()
                } else {
                    " ".repeat(width(&head))
                };
                content.push(Row::new(theme).plain(head).plain(line));
            }
        }
    }
    content.push(Row::new(theme));
    let what = "Names of components are left out (me), names that they hold are not: states with the same \
                counters may be of different orbits.";
    content.push_text(theme, Role::Dim, what, columns);
    content
}

fn raw(app: &App, view: &StateView, columns: usize) -> Content {
    let mut content = Content::new("State (raw)");
    content.right = numbers::counted(view.components.len() as u64, "component");
    let changed = app
        .session
        .as_ref()
        .map(|s| s.changed())
        .unwrap_or_default();
    let label = label_width(&view.components);
    family_rows(&view.components, |at, header, head| {
        if header {
            content.push(Row::new(app.theme).add(Role::Strong, head));
            return;
        }
        let Some(component) = view.components.get(at) else {
            return;
        };
        let old = changed.get(at).and_then(Option::as_ref);
        let mark = if old.is_some() { "~" } else { " " };
        let role = if old.is_some() {
            Role::Changed
        } else {
            Role::Plain
        };
        let start = format!(" {mark} {}", pad(&head, label + 2));
        let was = old
            .map(|old| was_text(old, &component.name))
            .unwrap_or_default();
        let room = columns.saturating_sub(width(&start));
        // The present state comes first, but some of what it was before has to be seen.
        let least = width(&was).min(8);
        let text = if width(&component.text) + width(&was) <= room {
            component.text.clone()
        } else {
            fit(&sentences::compact(component), room.saturating_sub(least))
        };
        let was = fit(&was, room.saturating_sub(width(&text)));
        let row = Row::new(app.theme).add(role, start).add(role, text);
        content.push(row.add(Role::Dim, was));
    });
    verdict(app, view, &mut content, columns);
    if view.representative.is_none() {
        content.push(Row::new(app.theme));
        let text = format!("no representative: {}", view.no_representative);
        content.push_text(app.theme, Role::Dim, &text, columns);
    }
    content
}

/// How types are ordered, unless as usual.
fn order_text(app: &App) -> &'static str {
    match app.orbit.order {
        TypeOrdering::Appearance => "",
        TypeOrdering::IdentitiesFirst => ", identities first (Y)",
    }
}

/// The local state, without spaces if they do not fit.
fn tight(component: &ComponentView, room: usize) -> String {
    if width(&component.text) <= room {
        component.text.clone()
    } else {
        fit(&sentences::compact(component), room)
    }
}

/// ` was GetTop`: the name suffices where it differs.
fn was_text(old: &str, name: &str) -> String {
    let before = old.split('(').next().unwrap_or(old);
    if before == name {
        format!(" was {}", old.replace(", ", ","))
    } else {
        format!(" was {before}")
    }
}

fn verdict(app: &App, view: &StateView, content: &mut Content, columns: usize) {
    let text = match (view.deadlocked, view.terminated) {
        (true, _) => "DEADLOCK: no transition is possible",
        (_, true) => "TERMINATED",
        _ => return,
    };
    content.push(Row::new(app.theme));
    content.push_text(app.theme, Role::Fail, text, columns);
}

fn label_width(components: &[ComponentView]) -> usize {
    let widths = components.iter().map(|c| {
        if c.index.is_empty() {
            width(&c.family)
        } else {
            width(&c.index) + 1
        }
    });
    widths.max().unwrap_or(0).min(16)
}

/// Calls `row` with a heading for every family of several components, and for every component.
fn family_rows(components: &[ComponentView], mut row: impl FnMut(usize, bool, String)) {
    let mut family = "";
    for (at, component) in components.iter().enumerate() {
        if component.index.is_empty() {
            // A component that is alone in its family separates families: the heading comes again
            // after it.
            family = "";
            row(at, false, component.family.clone());
            continue;
        }
        if component.family != family {
            family = &component.family;
            row(at, true, format!("   {family}"));
        }
        row(at, false, format!(" {}", component.index));
    }
}

/// The representative, with the component that became each of its components.
#[must_use]
pub fn representative(app: &App, columns: usize) -> Content {
    let view = app.session.as_ref().and_then(|s| s.view());
    let Some(view) = view else {
        return Content {
            title: "Representative".to_string(),
            ..absent(app, columns)
        };
    };
    let mut content = Content::new("Representative");
    let Some(rep) = app.representative() else {
        let text = match view.representative {
            None => &view.no_representative,
            Some(_) => "computing ...",
        };
        content.push_text(app.theme, Role::Dim, text, columns);
        return content;
    };
    content.right = rep.uniqueness.badge();
    content.footer = match app.orbit.order {
        TypeOrdering::Appearance => format!("strategy: {}", rep.strategy),
        TypeOrdering::IdentitiesFirst => format!("{}{}", rep.strategy, order_text(app)),
    };
    let names = ComponentNames::new(&view.components);
    let label = label_width(&rep.components);
    let arrow = view
        .components
        .iter()
        .map(|c| width(&c.index))
        .max()
        .unwrap_or(0)
        + 3;
    family_rows(&rep.components, |at, header, head| {
        if header {
            content.push(Row::new(app.theme).add(Role::Strong, head));
            return;
        }
        let Some(component) = rep.components.get(at) else {
            return;
        };
        // A component without an index goes nowhere else.
        let from = rep.source.get(at).filter(|_| !component.index.is_empty());
        let start = format!("   {}", pad(&head, label + 2));
        let room = columns.saturating_sub(width(&start) + arrow + 1);
        let text = pad(&tight(component, room), room);
        let row = Row::new(app.theme).plain(start).plain(text);
        let from = from.map(|c| format!(" <- {}", names.of(*c)));
        content.push(row.add(Role::Dim, from.unwrap_or_default()));
    });
    permutation(app, rep, &mut content, columns);
    content
}

fn permutation(app: &App, rep: &RepView, content: &mut Content, columns: usize) {
    let mut line = " pi".to_string();
    for part in sentences::permutation_parts(rep) {
        // A part that is too long for any line still gets one: otherwise there would be empty
        // lines.
        if width(&line) + width(&part) + 2 > columns && line.trim() != "pi" {
            content
                .push(Row::new(app.theme).plain(std::mem::replace(&mut line, "   ".to_string())));
        }
        line += &format!(" {part} ");
    }
    content.push(Row::new(app.theme).plain(line));
    let said = match &rep.uniqueness {
        UniquenessView::Proved(_) | UniquenessView::AllPicksAgree(_) => return,
        UniquenessView::PicksDisagree(_) => format!("not unique: {}", rep.uniqueness.why()),
        UniquenessView::Unknown(reason) => format!("perhaps not unique: {reason}"),
    };
    content.push_text(app.theme, Role::Choice, &said, columns);
}

/// Raw state and where each component goes, in as many columns as fit.
fn both(app: &App, view: &StateView, rep: &RepView, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("State  both");
    content.right = rep.uniqueness.badge();
    content.footer = format!("s: raw | rep | both   w: why{}", order_text(app));
    let cells = both_cells(app, view, rep);
    // Lines for the permutation and the trace.
    let room = rows.saturating_sub(3).max(1);
    let across = if cells.len() > room && columns >= 70 {
        2
    } else {
        1
    };
    let deep = cells.len().div_ceil(across);
    let each = columns / across;
    for at in 0..deep {
        let mut row = Row::new(app.theme);
        for part in 0..across {
            if let Some((changed, left, right)) = cells.get(part * deep + at) {
                let role = if *changed { Role::Changed } else { Role::Plain };
                let right = fit(right, each / 2);
                let left = pad(left, each.saturating_sub(width(&right) + 2));
                row = row.add(role, left).add(Role::Dim, format!("{right} "));
                row = if part + 1 < across {
                    row.plain("|")
                } else {
                    row
                };
            }
        }
        content.push(row);
    }
    verdict(app, view, &mut content, columns);
    content.push(Row::new(app.theme));
    permutation(app, rep, &mut content, columns);
    if let Some(session) = &app.session {
        let depth = session.history.depth();
        let text = format!("trace {}  {depth} steps", session.trace_text());
        content.push_text(app.theme, Role::Plain, &text, columns);
    }
    content
}

fn both_cells(app: &App, view: &StateView, rep: &RepView) -> Vec<(bool, String, String)> {
    let changed = app
        .session
        .as_ref()
        .map(|s| s.changed())
        .unwrap_or_default();
    let label = view
        .components
        .iter()
        .map(|c| width(&c.label()))
        .max()
        .unwrap_or(0);
    let cell = |(at, component): (usize, &ComponentView)| {
        let moved = changed.get(at).is_some_and(Option::is_some);
        let mark = if moved { "~" } else { " " };
        let left = format!(
            "{mark} {} {}",
            pad(&component.label(), label),
            component.text
        );
        // `source` goes from the representative to the state; here it is read the other way round.
        let to = rep.source.iter().position(|from| *from == at);
        let target = to.and_then(|to| rep.components.get(to));
        let right = target.map_or(String::new(), |target| {
            if component.index.is_empty() {
                format!("-> {}", target.text)
            } else {
                format!("-> {}", target.index)
            }
        });
        (moved, left, right)
    };
    view.components.iter().enumerate().map(cell).collect()
}
