//! The edges that a number counts, drawn between the components.

use super::{Content, nvalues};
use crate::animate::model::Explanation;
use crate::animate::sentences::{self, ComponentNames, variable};
use crate::app::App;
use crate::symmetry::trace::Column;
use crate::text::Row;
use crate::theme::Role;

/// The pane: the edges of the selected cell, and then all references as chains.
#[must_use]
pub fn build(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Edges");
    let Some(explanation) = app.explanation() else {
        return content;
    };
    let names = ComponentNames::new(&explanation.components);
    if let Some((partition, member, column, count)) = nvalues::selected(app) {
        let name = sentences::column_name(explanation, partition, member, column);
        content.right = format!("cell {name}, row {}", names.of(member));
        let heading = format!("counted: {count}");
        content.push_text(app.theme, Role::Strong, &heading, columns);
        let edges = counted(explanation, &names, app.orbit.frame, member, column);
        for edge in &edges {
            content.push(
                Row::new(app.theme)
                    .plain("   ")
                    .add(Role::Changed, edge.clone()),
            );
        }
        let text = sentences::sentence(explanation, partition, member, column, count);
        content.push_text(app.theme, Role::Plain, &text, columns);
        content.push(Row::new(app.theme));
    }
    let chains = chains(explanation, &names, |name| format!(" --{name}--> "));
    if !chains.is_empty() {
        content.push_text(app.theme, Role::Strong, "who points at whom", columns);
    }
    for chain in chains {
        content.push_text(app.theme, Role::Plain, &chain, columns);
    }
    content
}

/// The edges that a cell counts: drawn from the variable to the identity that it names.
fn counted(
    explanation: &Explanation,
    names: &ComponentNames,
    step: usize,
    member: usize,
    column: Column,
) -> Vec<String> {
    let own = variable(explanation, member, column.i);
    let Some((value, others)) = sentences::counted(explanation, step, member, column) else {
        return Vec::new();
    };
    let edge = |other: &usize| {
        let theirs = variable(explanation, *other, column.k)?;
        let own = own?;
        let (a, b) = (names.of(member), names.of(*other));
        Some(match (own.identity, theirs.identity) {
            // An edge points to the component whose identity is named.
            (false, true) => format!("{a} =={}==> {b}", own.name),
            (true, false) => format!("{b} =={}==> {a}", theirs.name),
            // A state counts itself, too.
            (true, true) if a == b => format!("{a} itself"),
            _ => format!("{a}.{} == {b}.{} == {}", own.name, theirs.name, value),
        })
    };
    others.iter().filter_map(edge).collect()
}

/// An edge of the picture: from, variable, to.
type Edge<'a> = (usize, &'a str, usize);

fn pointers(explanation: &Explanation) -> Vec<Edge<'_>> {
    let variables = &explanation.trace.variables;
    let identity = |kind: usize, value: &str| {
        variables.iter().position(|vars| {
            vars.iter()
                .any(|v| v.identity && v.kind == kind && v.value == value)
        })
    };
    let mut edges = Vec::new();
    for (from, vars) in variables.iter().enumerate() {
        for variable in vars.iter().filter(|v| !v.identity) {
            if let Some(to) = identity(variable.kind, &variable.value) {
                edges.push((from, variable.name.as_str(), to));
            }
        }
    }
    edges
}

/// The references among components in the present state, a line each: `Top->N4->N1`.
#[must_use]
pub fn heap(app: &App) -> Vec<String> {
    let Some(explanation) = app.explanation() else {
        return Vec::new();
    };
    let names = ComponentNames::new(&explanation.components);
    chains(explanation, &names, |_| "->".to_owned())
}

/// Paths through all edges, each edge once: those without a predecessor begin. `arrow` draws the edge of a variable.
fn chains(
    explanation: &Explanation,
    names: &ComponentNames,
    arrow: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut rest = pointers(explanation);
    let mut chains = Vec::new();
    while let Some(first) = rest.first().copied() {
        // In a ring each has a predecessor: then the first remaining edge begins. So each turn takes at least one
        // edge, and the loop ends.
        let headed = |from: usize, edges: &[Edge<'_>]| edges.iter().all(|(_, _, to)| *to != from);
        let start = rest.iter().find(|(from, _, _)| headed(*from, &rest));
        let mut at = start.map_or(first.0, |(from, _, _)| *from);
        let mut text = names.of(at).to_string();
        while let Some(next) = rest.iter().position(|(from, _, _)| *from == at) {
            let (_, name, to) = rest.remove(next);
            text += &arrow(name);
            text += names.of(to);
            at = to;
        }
        chains.push(text);
    }
    chains
}
