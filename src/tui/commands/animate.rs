//! Commands of the Animate view.

use crate::actions::{animate, compare, components, reload};
use crate::app::{Pane, View};
use crate::command::Command;
use crate::facts;
use crate::menu_group::MenuGroup::{Explain, Go, Look, Steps};

const ANIMATE: &[View] = &[View::Animate];
/// Views in which steps are taken.
const STEPS: &[View] = &[View::Animate, View::Graph];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_ANIMATE: &[Command] = &[
    Command::new("take", "take the transition", &["enter"], animate::take,
        "Take the selected transition; h and l choose among those that are equal up to symmetry.")
        .views(ANIMATE).panes(&[Pane::Transitions]).hint("take").when(facts::can_take),
    Command::new("jump", "go to this step", &["enter"], animate::jump,
        "Go to the selected step of the history; later steps stay and U leads back to them.")
        .views(ANIMATE).panes(&[Pane::History]).hint("jump").when(facts::has_session),
    Command::new("undo", "undo a step", &["u"], animate::undo,
        "Go back one step, 5u five; nothing is forgotten. A digit alone goes to that view.")
        .views(STEPS).hint("undo").counts().when(facts::can_undo).menu(Steps),
    Command::new("redo", "redo a step", &["U", "ctrl-r"], animate::redo,
        "Go forward again along the branch that was left last.")
        .views(STEPS).hint("redo").counts().when(facts::can_redo).menu(Steps),
    Command::new("group", "group transitions up to symmetry", &["o"], animate::group,
        "Show transitions that are equal up to symmetry as one, or each by itself.")
        .views(ANIMATE).hint("group").when(facts::can_take).menu(Look),
    Command::new("why", "why this representative?", &["w"], animate::why,
        "Open the Orbit view: how the representative of this state was computed, step by step.")
        .views(ANIMATE).hint("why").when(facts::can_explain).menu(Explain),
    Command::new("show", "raw, rep, counted or both", &["s"], animate::show,
        "Show the state as it is, its representative, how many components are in which local state, or the first two side by side.")
        .views(ANIMATE).hint("raw/rep").when(facts::has_state).menu(Look),
    Command::new("listed", "changed components, or all", &["d"], animate::list_others,
        "List only the components that the last step changed, then all, then again all but those at rest: these are a count where the list is too long.")
        .views(ANIMATE).hint("changed").when(facts::shows_changes).menu(Look),
    Command::new("open-component", "the component in full", &["enter"], components::open,
        "Show the selected component in full, with what it was before the last step.")
        .views(ANIMATE).panes(&[Pane::State]).hint("in full").when(components::is_selected),
    Command::new("next-visible", "next visible event", &["t"], animate::next_visible,
        "Take the fewest silent steps after which a visible event is possible, and that event; of several the first one by its name.")
        .views(ANIMATE).hint("next visible").when(facts::has_session).menu(Steps),
    Command::new("fold-silent", "silent steps together", &["i"], animate::fold_silent,
        "List silent steps that follow one another as one line of the history, or each by itself.")
        .views(ANIMATE).panes(&[Pane::History]).hint("silent").when(facts::has_session).menu(Look),
    Command::new("random", "take a random step", &["r"], animate::random,
        "Take a random step; 20r takes twenty. The same keys give the same walk every time.")
        .views(ANIMATE).hint("random").counts().when(facts::can_walk).menu(Steps),
    Command::new("repeat", "repeat the last event", &["."], animate::repeat,
        "Take the event that was taken last, if it is possible here.")
        .views(ANIMATE).counts().when(facts::can_repeat).menu(Steps),
    Command::new("restart", "restart or reload", &["R"], reload::restart,
        "Go to the initial state of the process; the history keeps what was done. If the script changed on disk, reload it and replay the walk.")
        .views(ANIMATE).when(reload::can_restart).menu(Steps),
    Command::new("member-next", "next equal transition", &["l", "right"], animate::member_next,
        "Select the next transition of the group.")
        .views(ANIMATE).panes(&[Pane::Transitions]).counts().when(facts::can_take),
    Command::new("member-previous", "previous equal transition", &["h", "left"], animate::member_previous,
        "Select the previous transition of the group.")
        .views(ANIMATE).panes(&[Pane::Transitions]).counts().when(facts::can_take),
    Command::new("to-met", "go to where it was met", &["v"], compare::to_visited,
        "Go to where the target of the selected transition, or another state of its orbit, was met.")
        .views(ANIMATE).when(compare::has_visited).menu(Go),
    Command::new("branch", "next branch", &["B"], animate::branch,
        "Go to the end of the next branch of the history.")
        .views(ANIMATE).hint("branch").when(facts::has_branches).menu(Go),
    Command::new("history", "show the history", &["H"], animate::history,
        "Show all steps in a window; Enter goes to one.")
        .views(ANIMATE).when(facts::has_session).menu(Go),
    Command::new("failure", "show the error in full", &["e"], animate::failure,
        "Show why this state could not be evaluated, with the place in the script.")
        .views(ANIMATE).when(facts::has_failure).menu(Explain),
];
