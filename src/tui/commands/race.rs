//! What can be done in the Race view.

use crate::actions::race;
use crate::app::View;
use crate::command::Command;

const RACE: &[View] = &[View::Race];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_RACE: &[Command] = &[
    Command::new("race-process", "race through all states", &["x"], race::race_process,
        "Go through all states of the open process with each strategy, and compare what they keep and cost.")
        .views(RACE).menu('x').hint("run").when(race::can_race_process),
    Command::new("compare-doubled", "compare the two states", &["enter"], race::compare,
        "Open the first two states of one orbit that the selected strategy keeps in Compare, marked a and b.")
        .views(RACE).hint("compare").when(race::has_doubled),
];
