//! Commands of the Structure view.

use crate::animate::model::{ErrorText, StructureView, TransitionView};
use crate::animate::structure::StructureRow;
use crate::animate::worker::{Reply, Request};
use crate::app::{App, Effect, Pane};
use crate::command::Availability;
use crate::facts;

/// The structure of the present state, or why there is none; `None` while the engine has not replied.
#[must_use]
pub fn fetched(app: &App) -> Option<Result<&StructureView, &ErrorText>> {
    let state = app.session.as_ref()?.current();
    match app.answers.get(&Request::Structure(state))? {
        Reply::Structure(_, result) => Some(result.as_deref()),
        _ => None,
    }
}

/// The structure of the present state, if it is known.
#[must_use]
pub fn shown(app: &App) -> Option<&StructureView> {
    fetched(app)?.ok()
}

/// The selected line of the tree.
#[must_use]
pub fn selected(app: &App) -> Option<StructureRow> {
    let rows = app.structure.rows(shown(app)?);
    rows.get(app.structure.row).copied()
}

/// The request for the selected part of the tree in detail.
#[must_use]
pub fn wanted_part(app: &App) -> Option<Request> {
    let state = app.session.as_ref()?.current();
    Some(Request::Part(state, selected(app)?.node))
}

/// The components that take part in the transition that is selected in Animate.
#[must_use]
pub fn movers(app: &App) -> Vec<usize> {
    let movers = |t: &TransitionView| t.movers.iter().map(|m| m.0).collect();
    facts::selected(app).map_or_else(Vec::new, movers)
}

/// Whether the structure is known.
pub fn has_structure(app: &App) -> Availability {
    facts::has_session(app)?;
    match shown(app) {
        Some(_) => Ok(()),
        None => Err("it is not known yet".to_string()),
    }
}

/// Whether the selected line can be folded or unfolded.
pub fn can_unfold(app: &App) -> Availability {
    has_structure(app)?;
    match selected(app).and_then(|row| folding(app, row)) {
        Some(_) => Ok(()),
        None => Err("there is nothing to fold or unfold here".to_string()),
    }
}

/// The kind of folding: of siblings of one form, or of the operands of an operator.
#[derive(Clone, Copy)]
enum Folding {
    /// The siblings of one form, shown in one line or in one each; by the first of them.
    Siblings(usize),
    /// The operands of a node.
    Operands(usize),
}

fn folding(app: &App, row: StructureRow) -> Option<Folding> {
    let view = shown(app)?;
    if row.times > 1 {
        return Some(Folding::Siblings(row.node));
    }
    // Operands of an operator fold first; a component folds with those of its form.
    if !view.nodes[row.node].is_leaf() {
        return Some(Folding::Operands(row.node));
    }
    let first = first_alike(view, row.node)?;
    app.structure
        .apart
        .contains(&first)
        .then_some(Folding::Siblings(first))
}

/// The first sibling of the form of a node.
fn first_alike(view: &StructureView, node: usize) -> Option<usize> {
    let parent = view.nodes[node].parent?;
    let form = view.nodes[node].form;
    let mut operands = view.operands(parent).into_iter();
    operands.find(|operand| view.nodes[*operand].form == form)
}

/// Shows siblings of one form apart or as one; the operands of an operator, or not.
pub fn unfold(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(folding) = selected(app).and_then(|row| folding(app, row)) else {
        return Vec::new();
    };
    let (set, node) = match folding {
        Folding::Siblings(first) => (&mut app.structure.apart, first),
        Folding::Operands(node) => (&mut app.structure.closed, node),
    };
    if !set.remove(&node) {
        set.insert(node);
    }
    select_node(app, node);
    Vec::new()
}

/// Selects a line of the tree.
pub fn select_row(app: &mut App, to: usize) {
    if app.structure.row != to {
        app.structure.row = to;
        app.scroll[Pane::Part as usize] = 0;
    }
}

fn select_node(app: &mut App, node: usize) {
    let rows = shown(app).map_or_else(Vec::new, |view| app.structure.rows(view));
    if let Some(at) = rows.iter().position(|row| row.node == node) {
        select_row(app, at);
    }
}

/// The component of the selected line of the wait-for graph.
fn waiting(app: &App) -> Option<usize> {
    let view = shown(app)?;
    let at = app.structure.wait;
    match view.cycles.get(at) {
        Some(cycle) => cycle.steps.first().map(|step| step.0),
        None => Some(view.waits.get(at - view.cycles.len())?.from),
    }
}

/// Whether a component waits.
pub fn has_waiting(app: &App) -> Availability {
    has_structure(app)?;
    match waiting(app) {
        Some(_) => Ok(()),
        None => Err("nobody waits".to_string()),
    }
}

/// Selects in the tree the component that waits.
pub fn to_waiting(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some(component) = waiting(app) {
        select_component(app, component);
        app.focus_on(Pane::Operators);
    }
    Vec::new()
}

/// Selects a component in the tree; folded nodes above it are unfolded.
pub fn select_component(app: &mut App, component: usize) {
    let Some(view) = shown(app) else { return };
    let is_it = |n: &usize| {
        let node = &view.nodes[*n];
        node.is_leaf() && node.components.0 == component
    };
    let Some(leaf) = (0..view.nodes.len()).find(is_it) else {
        return;
    };
    let (mut apart, mut closed) = (Vec::new(), Vec::new());
    let mut at = leaf;
    while let Some(parent) = view.nodes[at].parent {
        let alike = view.operands(parent).into_iter();
        let alike = alike.filter(|o| view.nodes[*o].form == view.nodes[at].form);
        let alike: Vec<usize> = alike.collect();
        // Lines of siblings that are one line show the operands of the first of them.
        if alike.len() > 1 {
            apart.push(alike[0]);
        }
        closed.push(parent);
        at = parent;
    }
    app.structure.apart.extend(apart);
    for operator in closed {
        app.structure.closed.remove(&operator);
    }
    select_node(app, leaf);
}
