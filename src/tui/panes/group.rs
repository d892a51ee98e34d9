//! The panes of the Symmetry view that speak of the group.

use num_bigint::BigUint;

use super::{Content, absent};
use crate::actions::symmetry::{generators as count_of, order, selected, shown};
use crate::app::{App, SPEEDS};
use crate::report::numbers::grouped;
use crate::report::structure::{StructureGroupView, orbit_letters};
use crate::text::{Row, fit, wrap};
use crate::theme::Role;

/// Characters of an order that has room in the status line.
const ORDER_MAX: usize = 15;

/// The text while nothing is known.
#[must_use]
pub fn unknown(app: &App, title: &str, columns: usize) -> Content {
    let mut content = Content::new(title);
    let Some(session) = &app.session else {
        content.lines = absent(app, columns).lines;
        content.targets = vec![None; content.lines.len()];
        return content;
    };
    match app.playing.fetched(session.current()) {
        Some(Err(failure)) => {
            let text = format!("The symmetry is not known: {}", failure.summary);
            content.push_text(app.theme, Role::Fail, &text, columns);
            let again = "It is looked for once more when you come back to this view.";
            content.push_text(app.theme, Role::Dim, again, columns);
        }
        _ => {
            let process = session.history.process();
            let text = format!("looking for the symmetry of {process} ... Esc cancels");
            content.push_text(app.theme, Role::Dim, &text, columns);
        }
    }
    content
}

/// The letter of each orbit of several components, by component; none for those that nothing moves.
#[must_use]
pub fn letters(group: &StructureGroupView, components: usize) -> Vec<Option<usize>> {
    let mut letters = vec![None; components];
    let several = group.orbits.iter().filter(|orbit| orbit.len() > 1);
    for (number, orbit) in several.enumerate() {
        for component in orbit {
            letters[*component] = Some(number);
        }
    }
    letters
}

/// The letters of an orbit; a dot for a fixed component.
#[must_use]
pub fn letter(number: Option<usize>) -> String {
    number.map_or_else(|| ".".to_owned(), orbit_letters)
}

/// The role of a letter: no meaning is in it alone.
#[must_use]
pub fn role(number: Option<usize>) -> Role {
    number.map_or(Role::Plain, Role::Value)
}

/// The place in the view, for the status line.
#[must_use]
pub fn status(app: &App) -> Vec<String> {
    let Some((_, found)) = shown(app) else {
        return Vec::new();
    };
    let mut parts = vec![match &found.told.found {
        Err(_) => "symmetry not looked for".to_owned(),
        Ok(group) if group.generators.is_empty() => "no symmetry".to_owned(),
        Ok(group) => short(group),
    }];
    if selected(app).is_some() {
        let count = count_of(app);
        parts.push(format!(
            "generator {} of {count}",
            app.playing.generator + 1
        ));
        let times = grouped(&BigUint::from(order(app)));
        parts.push(format!("applied {} of {times}", app.playing.power));
        if app.playing.plays {
            parts.push(format!("playing {}", SPEEDS[app.playing.speed].0));
        }
    }
    parts
}

/// The name of a group, or its order if that is short.
fn short(group: &StructureGroupView) -> String {
    let name = group.name.as_ref().filter(|name| *name != "1");
    let order = group.order.as_ref().map(grouped);
    match (name, order) {
        (Some(name), _) => name.clone(),
        (None, Some(order)) if order.len() <= ORDER_MAX => format!("order {order}"),
        (None, Some(order)) => {
            let digits = order.bytes().filter(u8::is_ascii_digit).count();
            format!("an order of {digits} digits")
        }
        (None, None) => "order not known".to_owned(),
    }
}

/// The generators, each in cycles of components and of events.
#[must_use]
pub fn generators(app: &App, columns: usize) -> Content {
    let Some((_, found)) = shown(app) else {
        return unknown(app, "Generators", columns);
    };
    let mut content = Content::new("Generators");
    let group = match &found.told.found {
        Ok(group) => group,
        Err(_) => {
            content.push_text(app.theme, Role::Dim, "not looked for", columns);
            return content;
        }
    };
    if group.generators.is_empty() {
        content.push_text(app.theme, Role::Dim, "there are none", columns);
    }
    content.right = match group.generators.len() {
        0 => String::new(),
        count => format!("{} of {count}", app.playing.generator + 1),
    };
    for (at, generator) in group.generators.iter().enumerate() {
        let chosen = at == app.playing.generator;
        let (mark, role) = if chosen {
            (">", Role::Selected)
        } else {
            (" ", Role::Strong)
        };
        if chosen {
            content.at = Some(content.lines.len());
        }
        let order = found.orders.get(at).map(grouped).unwrap_or_default();
        let head = format!("{}, of order {order} on states", at + 1);
        let row = Row::new(app.theme).plain(mark).add(role, head);
        content.push_target(row, at);
        let room = columns.saturating_sub(4);
        let lines = found.told.generator_lines(generator);
        let lines: Vec<String> = if chosen {
            lines.iter().flat_map(|line| wrap(line, room)).collect()
        } else {
            // Of the others, enough to recognise them.
            lines.iter().take(1).map(|line| fit(line, room)).collect()
        };
        for line in lines {
            content.push_target(Row::new(app.theme).plain("   ").plain(line), at);
        }
    }
    content
}

/// The sections of the document in the pane of the group.
const SECTIONS: [&str; 6] = ["group", "orbits", "events", "text", "almost", "size"];

/// The group and all that is known of it.
#[must_use]
pub fn group(app: &App, columns: usize) -> Content {
    let Some((_, found)) = shown(app) else {
        return unknown(app, "Group", columns);
    };
    let mut content = Content::new("Group");
    let subject = format!("of the open process {}", found.told.subject);
    content.push_text(app.theme, Role::Dim, &subject, columns);
    content.push_parts(app.theme, found.document.parts(&SECTIONS), columns);
    content
}
