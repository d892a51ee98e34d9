//! Commands of the Orbit view.

use crate::actions::orbit;
use crate::app::{KeyPage, View};
use crate::command::Command;
use crate::facts;
use crate::menu_group::MenuGroup::{Explain, Look, Steps};

const ORBIT: &[View] = &[View::Orbit];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_ORBIT: &[Command] = &[
    Command::new("step-back", "step back", &["h", "left"], orbit::back,
        "Show the step of the algorithm before this one.")
        .views(ORBIT).hint("back").counts().when(orbit::has_before).menu(Steps),
    Command::new("step-forward", "step forward", &["l", "right"], orbit::forward,
        "Show the next step of the algorithm.")
        .views(ORBIT).hint("step").counts().when(orbit::has_after).menu(Steps),
    Command::new("play", "play or pause", &["p"], orbit::play,
        "Let the steps advance by themselves, or stop them.")
        .views(ORBIT).hint("play").when(orbit::explained).also_on(&[KeyPage::Card]).menu(Steps),
    Command::new("strategy", "next strategy", &["A"], orbit::next_strategy,
        "Show how the next strategy chooses the representative, of those that `--rep` names.")
        .views(ORBIT).hint("strategy").when(facts::has_session).menu(Explain),
    Command::new("faster", "faster", &["+", "="], orbit::faster,
        "Play faster.")
        .views(ORBIT).hint("faster").when(orbit::explained).also_on(&[KeyPage::Card]),
    Command::new("slower", "slower", &["-"], orbit::slower,
        "Play more slowly.")
        .views(ORBIT).hint("slower").when(orbit::explained).also_on(&[KeyPage::Card]),
    Command::new("first", "first step", &["0"], orbit::first,
        "Go to the first step.")
        .views(ORBIT).hint("start").when(orbit::has_before).menu(Steps),
    Command::new("last", "last step", &["$"], orbit::last,
        "Go to the last step, where the representative is known.")
        .views(ORBIT).hint("end").when(orbit::has_after).menu(Steps),
    Command::new("next-split", "next split", &["]"], orbit::next_split,
        "Go to the next step that splits a block.")
        .views(ORBIT).hint("split").counts().when(orbit::explained).menu(Steps),
    Command::new("previous-split", "previous split", &["["], orbit::previous_split,
        "Go to the step before that splits a block.")
        .views(ORBIT).counts().when(orbit::explained).menu(Steps),
    Command::new("column-next", "next column", &["n"], orbit::column_next,
        "Select the next column of the n-values.")
        .views(ORBIT).hint("column").counts().when(orbit::has_columns),
    Command::new("column-previous", "previous column", &["N"], orbit::column_previous,
        "Select the column of the n-values before this one.")
        .views(ORBIT).counts().when(orbit::has_columns),
    Command::new("edges", "show or hide the edges", &["E"], orbit::edges,
        "Show or hide the edges that the selected number counts.")
        .views(ORBIT).hint("edges").when(orbit::counts).menu(Look),
    Command::new("table", "show or hide the n-values", &["T"], orbit::table,
        "Show or hide the table of n-values.")
        .views(ORBIT).hint("table").when(orbit::counts).menu(Look),
    Command::new("type-order", "how types are ordered", &["Y"], orbit::type_order,
        "Order types by values in order of appearance (Def. 38), or identity variables first.")
        .views(ORBIT).when(facts::has_session).menu(Explain),
];
