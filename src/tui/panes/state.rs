//! The raw state, its representative, and how the one became the other.

use super::components::{self, ComponentLine, ValueTypes, label_width, tight};
use super::edges;
use super::{Content, absent};
use crate::animate::counted;
use crate::animate::model::{ComponentView, RepView, StateView, TypeOrdering, UniquenessView};
use crate::animate::sentences::{self, ComponentNames};
use crate::animate::session::Session;
use crate::app::{App, ListedComponents, ShownState};
use crate::cutting::middle;
use crate::facts;
use crate::layout::{Tier, tier};
use crate::report::numbers;
use crate::report::words::{self, in_order};
use crate::text::{Row, pad, width, wrap};
use crate::theme::Role;

/// Builds the state pane: raw on wide screens, otherwise in the form chosen by `s`.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let Some(view) = app.session.as_ref().and_then(|s| s.view()) else {
        return Content {
            title: "State".to_string(),
            ..absent(app, columns)
        };
    };
    let run = run_lines(app, columns);
    let rows = rows.saturating_sub(run.len());
    let mut content = match (tier(app.size), app.animate.show, app.representative()) {
        (_, ShownState::Counted, _) => counters(app, view, columns),
        // Wide screens have a pane of its own for the representative.
        (Tier::Wide, _, _) | (_, ShownState::Raw, _) | (_, _, None) => {
            raw(app, view, columns, rows)
        }
        (_, ShownState::Rep, Some(_)) => representative(app, columns, rows),
        (_, ShownState::Both, Some(rep)) => both(app, view, rep, columns, rows),
    };
    if facts::is_what_if(app) {
        content.title.push_str(" by hand");
    }
    content.put_first(run);
    content
}

/// The lines on a run that is followed: the specification, and at the end the violation.
fn run_lines(app: &App, columns: usize) -> Vec<Row> {
    let Some(place) = app.session.as_ref().and_then(Session::followed) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let mut say = |role, head: &str, text: &str| {
        let room = columns.saturating_sub(11).max(10);
        for (at, line) in wrap(text, room).into_iter().enumerate() {
            let head = if at == 0 { head } else { "" };
            let row = Row::new(app.theme).add(role, format!(" {} ", pad(head, 9)));
            lines.push(row.add(role, line));
        }
    };
    let wrong = place.is_violation();
    if let Some(state) = place.specification() {
        let role = if wrong && place.is_refused() {
            Role::Fail
        } else {
            Role::Plain
        };
        say(role, "spec", &middle(state, 2 * columns.saturating_sub(11)));
    }
    if wrong {
        say(Role::Fail, "VIOLATION", &place.path.reason);
    }
    lines
}

/// The counters: the number of components of each family in each local state.
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

fn raw(app: &App, view: &StateView, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("State (raw)");
    content.right = numbers::counted(view.components.len() as u64, "component");
    content.footer = footer(app);
    // The violation comes first: below a long list it would not be seen.
    verdict(app, view, &mut content, columns);
    let above = content.lines.len();
    components::list(app, view, &mut content, columns, rows.saturating_sub(above));
    if above > 0 {
        content.frozen = content.frozen.max(above);
    }
    if view.representative.is_none() {
        content.push(Row::new(app.theme));
        let text = format!("no representative: {}", view.no_representative);
        content.push_text(app.theme, Role::Dim, &text, columns);
    }
    heap(app, &mut content, (columns, rows));
    content
}

/// The references among components, if there is room for all of them.
fn heap(app: &App, content: &mut Content, (columns, rows): (usize, usize)) {
    let chains = edges::heap(app);
    if chains.is_empty() || content.lines.len() + 1 + chains.len() > rows {
        return;
    }
    content.push(Row::new(app.theme));
    for (n, chain) in chains.iter().enumerate() {
        let head = if n == 0 { "heap" } else { "" };
        let text = format!("   {head:<4} {}", middle(chain, columns.saturating_sub(9)));
        content.push(Row::new(app.theme).add(Role::Dim, text));
    }
}

fn footer(app: &App) -> String {
    let mut shown = Vec::new();
    if app.animate.listed == ListedComponents::Changed {
        shown.push("changed only".to_owned());
    }
    if !app.animate.state_filter.is_empty() {
        shown.push(format!("with /{}", app.animate.state_filter));
    }
    shown.join(", ")
}

/// The ordering of types, unless it is the usual one.
fn order_text(app: &App) -> &'static str {
    match app.orbit.order {
        TypeOrdering::Appearance => "",
        TypeOrdering::IdentitiesFirst => ", identities first (Y)",
    }
}

fn verdict(app: &App, view: &StateView, content: &mut Content, columns: usize) {
    let text = match (view.deadlocked, view.terminated) {
        (true, _) => words::DEADLOCKED,
        (_, true) => words::TERMINATED,
        _ => return,
    };
    content.push_text(app.theme, Role::Fail, text, columns);
    content.push(Row::new(app.theme));
}

/// The representative, with the component that became each of its components.
#[must_use]
pub fn representative(app: &App, columns: usize, rows: usize) -> Content {
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
    rep.uniqueness.badge().clone_into(&mut content.right);
    content.footer = match app.orbit.order {
        TypeOrdering::Appearance => format!("strategy: {}", rep.strategy),
        TypeOrdering::IdentitiesFirst => format!("{}{}", rep.strategy, order_text(app)),
    };
    let names = ComponentNames::new(&view.components);
    let label = label_width(&rep.components, columns);
    let types = ValueTypes::of(app);
    // Within a family the index says all; a component without an index goes nowhere else.
    let from = |at: usize, component: &ComponentView| {
        let source = *rep.source.get(at).filter(|_| !component.index.is_empty())?;
        let before = view.components.get(source)?;
        Some(match before.family == component.family {
            true => before.index.clone(),
            false => names.of(source).to_owned(),
        })
    };
    let each = rep.components.iter().enumerate();
    let sources = each.filter_map(|(at, component)| Some(width(&from(at, component)?)));
    let arrow = sources.max().unwrap_or(0) + 3;
    // The permutation follows.
    let (room, all) = (rows.saturating_sub(2), in_order(&rep.components));
    let entries = components::entries(app, &rep.components, all, room, |_| false);
    for line in components::lines(&rep.components, &entries) {
        let (at, head) = match line {
            ComponentLine::One(at, head) => (at, head),
            other => {
                content.push(other.row(app, &rep.components, label, columns));
                continue;
            }
        };
        let component = &rep.components[at];
        let from = from(at, component);
        let start = format!("   {}", pad(&head, label + 2));
        let room = columns.saturating_sub(width(&start) + arrow + 1);
        let text = pad(&tight(component, room), room);
        let row = types.add(Row::new(app.theme).plain(start), &text);
        let from = from.map(|name| format!(" <- {name}"));
        content.push(row.add(Role::Dim, from.unwrap_or_default()));
    }
    permutation(app, rep, &mut content, columns);
    content
}

fn permutation(app: &App, rep: &RepView, content: &mut Content, columns: usize) {
    let mut line = " renaming".to_string();
    let parts = sentences::permutation_parts(rep).into_iter();
    // A part that is too long for any line needs several.
    let parts = parts.flat_map(|part| match width(&part) + 12 > columns {
        true => wrap(&part, columns.saturating_sub(12)),
        false => vec![part],
    });
    for part in parts {
        if width(&line) + width(&part) + 2 > columns && line.trim() != "renaming" {
            content
                .push(Row::new(app.theme).plain(std::mem::replace(&mut line, "   ".to_string())));
        }
        line += &format!(" {part} ");
    }
    content.push(Row::new(app.theme).plain(line));
    let said = match &rep.uniqueness {
        UniquenessView::Proved(_) | UniquenessView::AllPicksAgree(_) => return,
        UniquenessView::PicksDisagree(_) | UniquenessView::StatesDisagree(_) => {
            format!("one of several: {}", rep.uniqueness.why())
        }
        UniquenessView::Unknown(reason) => format!("perhaps one of several: {reason}"),
    };
    content.push_text(app.theme, Role::Choice, &said, columns);
}

/// Raw state and where each component goes, in as many columns as fit.
fn both(app: &App, view: &StateView, rep: &RepView, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("State  both");
    content.right = format!("representative: {}", rep.uniqueness.badge());
    let mut cells = both_cells(app, view, rep);
    content.footer = format!("{}{}", footer(app), order_text(app));
    let all = cells.len();
    let moved = cells.iter().filter(|cell| cell.moved).count();
    // Lines for the permutation and the trace.
    let room = rows.saturating_sub(3).max(1);
    // Rather a line of what follows is scrolled away than a component is cut in half a pane.
    let whole = |cell: &BothCell| width(&cell.text) + width(&cell.target) + 2 <= columns / 2;
    let surplus = cells.len().saturating_sub(room);
    let in_two = columns >= 70 && (surplus > 3 || surplus > 0 && cells.iter().all(whole));
    let across = if in_two { 2 } else { 1 };
    if cells.len() > room * across && moved > 0 {
        // Not all are on the screen: those that the last step changed come first.
        cells.sort_by_key(|cell| !cell.moved);
        content.title = format!("State  both, changed first: {moved} of {all}");
    }
    let deep = cells.len().div_ceil(across);
    let each = columns / across;
    let parts: Vec<&[BothCell]> = cells.chunks(deep.max(1)).collect();
    let starts: Vec<usize> = parts.iter().map(|part| arrow_column(part, each)).collect();
    for at in 0..deep {
        let mut row = Row::new(app.theme);
        for (part, start) in parts.iter().zip(&starts) {
            let Some(cell) = part.get(at) else {
                continue;
            };
            let role = if cell.moved {
                Role::Changed
            } else {
                Role::Plain
            };
            let room = each.saturating_sub(start + 2);
            let target = pad(&middle(&cell.target, room), room);
            let text = pad(&middle(&cell.text, *start), start + 1);
            row = row.add(role, text).add(Role::Dim, target);
            row = row.plain(if across > 1 && part.len() == deep {
                "|"
            } else {
                " "
            });
        }
        content.push(row);
    }
    verdict(app, view, &mut content, columns);
    content.push(Row::new(app.theme));
    permutation(app, rep, &mut content, columns);
    if let Some(session) = &app.session {
        let depth = session.history.depth();
        let steps = numbers::counted(depth as u64, "step");
        let text = format!("trace {}  {steps}", session.trace_text());
        content.push_text(app.theme, Role::Plain, &text, columns);
    }
    heap(app, &mut content, (columns, rows));
    content
}

/// A component, and where the permutation takes it.
struct BothCell {
    /// Whether the last step changed it.
    moved: bool,
    text: String,
    target: String,
}

/// The column of the arrows of a list, one for all: a ragged one cannot be read downwards. Places within a family
/// have room; a local state, which is the target of a lone component, may be cut.
fn arrow_column(cells: &[BothCell], columns: usize) -> usize {
    let target_max = columns / 3;
    let targets = cells.iter().map(|cell| width(&cell.target));
    let target = targets
        .filter(|target| *target <= target_max)
        .max()
        .unwrap_or(0);
    let widest = cells
        .iter()
        .map(|cell| width(&cell.text))
        .max()
        .unwrap_or(0);
    widest.min(columns.saturating_sub(target + 2))
}

fn both_cells(app: &App, view: &StateView, rep: &RepView) -> Vec<BothCell> {
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
        let text = format!(
            "{mark} {} {}",
            pad(&component.label(), label),
            component.text
        );
        // `source` goes from the representative to the state; here it is read the other way round.
        let to = rep.source.iter().position(|from| *from == at);
        let target = to.and_then(|to| rep.components.get(to));
        let target = target.map_or(String::new(), |target| {
            if component.index.is_empty() && component.text == target.text {
                // It goes nowhere, and none of its values does.
                String::new()
            } else if component.index.is_empty() {
                format!("-> {}", target.text)
            } else {
                format!("-> {}", target.index)
            }
        });
        BothCell {
            moved,
            text,
            target,
        }
    };
    let order = in_order(&view.components).into_iter();
    let all = order.filter_map(|at| Some((at, view.components.get(at)?)));
    let shown = all.filter(|(at, _)| {
        let moved = changed.get(*at).is_some_and(Option::is_some);
        moved || app.animate.listed != ListedComponents::Changed
    });
    shown.map(cell).collect()
}
