//! The group of the Symmetry view in words: its generators, its orbits, the symmetry known from the text, near
//! misses.

use num_bigint::BigUint;

use super::{Content, absent};
use crate::actions::symmetry::{generators as count_of, order, selected, shown};
use crate::animate::model::ProcessSymmetry;
use crate::app::{App, SPEEDS};
use crate::registry::shown_key;
use crate::report::numbers::{grouped, thousands};
use crate::report::structure::{
    NetworkSymmetry, StructureGroupView, difference, names_sentence, orders, text_alone,
};
use crate::text::{Row, fit, wrap};
use crate::theme::Role;

/// Components of an orbit that are named.
const NAMED_MAX: usize = 40;
/// Characters of an order that has room in the status line.
const ORDER_MAX: usize = 15;
/// Orbits that are listed.
const ORBITS_MAX: usize = 40;

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

/// The letter of an orbit: `A` to `Z`, then `AA` and so on; a dot for a fixed component.
#[must_use]
pub fn letter(number: Option<usize>) -> String {
    let Some(mut number) = number else {
        return ".".to_owned();
    };
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (number % 26) as u8));
        match number / 26 {
            0 => break,
            rest => number = rest - 1,
        }
    }
    letters.into_iter().rev().collect()
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

/// The group and all that is known of it.
#[must_use]
pub fn group(app: &App, columns: usize) -> Content {
    let Some((_, found)) = shown(app) else {
        return unknown(app, "Group", columns);
    };
    let mut content = Content::new("Group");
    content.footer = format!("{}: what it is reduced by", shown_key("types"));
    let told = &found.told;
    let mut say = |role: Role, text: &str| content.push_text(app.theme, role, text, columns);
    let subject = format!("of the open process {}", told.subject);
    say(Role::Dim, &subject);
    match &told.found {
        Err(why) => say(Role::Choice, &format!("not looked for: {why}")),
        Ok(group) if group.generators.is_empty() => {
            say(Role::Strong, "no symmetry");
            say(
                Role::Plain,
                "Only the permutation that moves nothing maps the network to itself.",
            );
        }
        Ok(group) => {
            say(Role::Strong, &orders(group));
            if !group.complete {
                say(
                    Role::Choice,
                    "Not all of it was found with the work that was allowed.",
                );
            }
        }
    }
    say(Role::Dim, names_sentence(told.names_matter));
    if let Ok(group) = &told.found {
        orbits(app, told, group, columns, &mut content);
    }
    let mut say = |role: Role, text: &str| content.push_text(app.theme, role, text, columns);
    say(Role::Strong, "by the text alone");
    say(Role::Plain, &text_alone(told));
    if let Some(difference) = difference(told) {
        say(Role::Plain, &difference);
    }
    if let Ok(group) = &told.found {
        say(Role::Strong, "almost");
        for miss in &group.misses {
            say(Role::Plain, &told.miss_text(miss));
        }
        if group.misses.is_empty() {
            say(Role::Plain, "nothing else was found that almost holds");
        }
        let (vertices, edges) = group.graph;
        let (vertices, edges) = (thousands(vertices as u128), thousands(edges as u128));
        let size = format!("{vertices} vertices and {edges} edges were looked at");
        say(Role::Dim, &size);
    }
    say(Role::Dim, &cost(found));
    content
}

/// The cost of the search.
#[must_use]
pub fn cost(found: &ProcessSymmetry) -> String {
    let (compiling, searching) = found.told.seconds;
    format!(
        "looking took {} ms: compiling {:.0}, the group {:.0}, the rest what almost holds",
        thousands(found.milliseconds.into()),
        compiling * 1_000.0,
        searching * 1_000.0
    )
}

/// The orbits of several components with their letters, and the components that nothing moves.
fn orbits(
    app: &App,
    told: &NetworkSymmetry,
    group: &StructureGroupView,
    columns: usize,
    content: &mut Content,
) {
    let names = |numbers: &[usize]| {
        let shown = numbers.iter().take(NAMED_MAX);
        let shown: Vec<&str> = shown.map(|at| told.components[*at].as_str()).collect();
        match numbers.len().saturating_sub(NAMED_MAX) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    };
    let mut push = |number: Option<usize>, text: &str| {
        let sign = letter(number);
        for (at, line) in wrap(text, columns.saturating_sub(5))
            .into_iter()
            .enumerate()
        {
            let row = Row::new(app.theme).plain(" ");
            let row = match at {
                0 => row.add(role(number), sign.clone()),
                _ => row.plain(" ".repeat(sign.len())),
            };
            content.push(row.plain(" ").plain(line));
        }
    };
    let several: Vec<_> = group.orbits.iter().filter(|o| o.len() > 1).collect();
    for (number, orbit) in several.iter().take(ORBITS_MAX).enumerate() {
        push(Some(number), &format!("orbit: {}", names(orbit)));
    }
    if several.len() > ORBITS_MAX {
        let more = several.len() - ORBITS_MAX;
        push(None, &format!("and {more} more orbits"));
    }
    let fixed = group.fixed();
    match fixed.len() {
        0 => push(None, "no component is fixed"),
        all if all == told.components.len() => push(None, "all components are fixed"),
        _ => push(None, &format!("fixed: {}", names(&fixed))),
    }
}
