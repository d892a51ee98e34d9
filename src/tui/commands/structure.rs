//! Commands of the Structure view.

use crate::actions::structure;
use crate::app::{Pane, View};
use crate::command::Command;
use crate::menu_group::MenuGroup::Look;

const STRUCTURE: &[View] = &[View::Structure];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_STRUCTURE: &[Command] = &[
    Command::new("to-waiting", "go to who waits", &["enter"], structure::to_waiting,
        "Select in the tree the component that the selected line is about.")
        .views(STRUCTURE).panes(&[Pane::Waits]).hint("go there").when(structure::has_waiting),
    Command::new("unfold-part", "fold or unfold", &["i", "enter"], structure::unfold,
        "Show siblings of one form as one line or apart, or hide the operands of an operator.")
        .views(STRUCTURE).panes(&[Pane::Operators, Pane::Part]).hint("unfold").when(structure::can_unfold).menu(Look),
];
