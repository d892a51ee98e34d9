//! Commands of the Compare view.

use crate::actions::compare;
use crate::app::{Pane, View};
use crate::command::Command;
use crate::menu_group::MenuGroup::{Explain, Look};

const COMPARE: &[View] = &[View::Compare];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_COMPARE: &[Command] = &[
    Command::new("open-step", "open the step in Orbit", &["enter"], compare::open_step,
        "Go to the state whose run is selected, and show the selected step of it in Orbit.")
        .views(COMPARE).panes(&[Pane::SideBySide]).hint("Orbit").when(compare::has_run),
    Command::new("go-compared", "go to this state", &["enter"], compare::go,
        "Go to the state that the pane shows.")
        .views(COMPARE).panes(&[Pane::StateA, Pane::StateB]).hint("go there").when(compare::has_pair),
    Command::new("fold", "fold or unfold", &["enter"], compare::fold,
        "Show or hide what is below the selected line.")
        .views(COMPARE).panes(&[Pane::Verdict]).hint("unfold").when(compare::can_fold),
    Command::new("exchange", "exchange A and B", &["x"], compare::exchange,
        "Compare the second state with the first.")
        .views(COMPARE).hint("exchange").when(compare::has_pair).menu(Explain),
    Command::new("arrows", "components beside their images", &["p"], compare::arrows,
        "Let each component of A stand beside the one of B that the permutation takes it to, or in its own place.")
        .views(COMPARE).hint("images").when(compare::has_witness).menu(Look),
    Command::new("compare-strategy", "next strategy", &["A"], compare::next_strategy,
        "Compare the representatives that the next strategy gives both states, of those that `--rep` names.")
        .views(COMPARE).hint("strategy").when(compare::has_pair).menu(Explain),
    Command::new("differences", "differences only", &["d"], compare::differences,
        "Leave out components that are alike, or show all.")
        .views(COMPARE).hint("differences").when(compare::has_alike).menu(Look),
    Command::new("run-a", "the run on A", &["h", "left"], compare::side_a,
        "Select the run on state A: Enter opens Orbit there.")
        .views(COMPARE).panes(&[Pane::SideBySide]).hint("A").when(compare::is_on_b),
    Command::new("run-b", "the run on B", &["l", "right"], compare::side_b,
        "Select the run on state B: Enter opens Orbit there.")
        .views(COMPARE).panes(&[Pane::SideBySide]).hint("B").when(compare::is_on_a),
];
