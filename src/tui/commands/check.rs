//! Commands of the Check view.

use crate::actions::{check, counterexamples, race, sizes, trail};
use crate::app::{Pane, View};
use crate::command::Command;
use crate::facts;
use crate::menu_group::MenuGroup::{Check, Go, Keep, Look};

const CHECK: &[View] = &[View::Check];
/// Views in which counterexamples are read and followed.
const RUNS: &[View] = &[View::Check, View::Animate];

/// The table of these commands.
#[rustfmt::skip]
pub static IN_CHECK: &[Command] = &[
    Command::new("open-result", "open the result", &["enter"], check::open,
        "Animate the counterexample of the selected assertion, or read its result; check it if there is none yet.")
        .views(CHECK).panes(&[Pane::Assertions, Pane::Progress]).hint("open").when(facts::has_assertions),
    Command::new("animate-counterexample", "animate the counterexample", &["enter"], check::animate,
        "Open the counterexample in Animate, as a branch of the history, at the selected step.")
        .views(CHECK).panes(&[Pane::Counterexample, Pane::Explanation]).hint("animate")
        .when(facts::has_counterexample),
    Command::new("check", "check the assertion", &["x"], check::run,
        "Check the selected assertion in the background; 5x looks for up to five counterexamples.")
        .views(CHECK).hint("run").counts().when(facts::has_assertions).menu(Check),
    Command::new("check-all", "check all assertions", &["a"], check::run_all,
        "Check all assertions one after the other.")
        .views(CHECK).hint("all").when(facts::has_assertions).menu(Check),
    Command::new("both", "reduced against unreduced", &["b"], check::run_both,
        "Check the selected assertion with reduction and without it, and compare verdicts and numbers of states.")
        .views(CHECK).hint("both").when(facts::has_assertions).menu(Check),
    Command::new("resume", "go on with an interrupted check", &["C"], check::resume_near,
        "Go on with a check of this script whose states are on disk (`check --store`), where it was interrupted.")
        .views(CHECK).when(check::has_interrupted).menu(Check),
    Command::new("race-assertion", "race the strategies", &["r"], race::race_assertion,
        "Search for the selected assertion with each strategy, for a minute each at most, and compare what they keep and cost.")
        .views(CHECK).hint("race").when(race::can_race_assertion).menu(Check),
    Command::new("race-process", "race through all states", &["p"], race::race_process,
        "Go through all states of the open process with each strategy, and compare what they keep and cost.")
        .views(CHECK).when(race::can_race_process).menu(Check),
    Command::new("compare-doubled", "compare the two states", &["enter"], race::compare,
        "Open the first two states of one orbit that the selected strategy keeps in Compare, marked a and b.")
        .views(CHECK).panes(&[Pane::Racing, Pane::Doubled]).hint("compare").when(race::has_doubled),
    Command::new("reduction", "symmetry reduction on or off", &["o"], check::reduction,
        "Check with reduction, without it, or as the assertion says.")
        .views(CHECK).hint("reduction").menu(Check),
    Command::new("visible", "visible events only", &["v"], trail::visible,
        "Show all events of the counterexample, or the visible ones.")
        .views(CHECK).hint("visible").when(facts::has_counterexample).menu(Look),
    Command::new("rows", "rows that move, or all", &["d"], trail::rows,
        "Show the components that move in the steps on the screen, or all of them.")
        .views(CHECK).hint("all rows").when(facts::has_counterexample).menu(Look),
    Command::new("unfold-steps", "fold or unfold steps, members or the cell", &["i"], trail::unfold,
        "On the rows above: fold the steps of this channel or unfold them; on a family: its members; on a component: the cell in full.")
        .views(CHECK).panes(&[Pane::Counterexample]).hint("unfold").when(facts::has_counterexample).menu(Look),
    Command::new("next-counterexample", "next counterexample", &["]"], counterexamples::next,
        "Go to the next counterexample of this assertion, and behind the last one to those of the next; in Animate follow it.")
        .views(RUNS).counts().when(counterexamples::has_others).menu(Go),
    Command::new("previous-counterexample", "counterexample before", &["["], counterexamples::previous,
        "Go to the counterexample before; in Animate follow it.")
        .views(RUNS).counts().when(counterexamples::has_others).menu(Go),
    Command::new("quotient", "path in the reduced automaton", &["s"], check::quotient,
        "Show the path of representatives on which the counterexample was found, or hide it.")
        .views(CHECK).when(facts::has_counterexample).menu(Look),
    Command::new("save", "save the counterexample", &["e"], check::save,
        "Write the counterexample to a file in this folder; --counterexample opens it again.")
        .views(CHECK).hint("save").when(facts::has_counterexample).menu(Keep),
    Command::new("columns-right", "next steps", &["l", "right"], trail::right,
        "Select the next step of the counterexample.")
        .views(CHECK).counts().when(facts::has_counterexample),
    Command::new("columns-left", "steps before", &["h", "left"], trail::left,
        "Select the step of the counterexample before.")
        .views(CHECK).counts().when(facts::has_counterexample),
    Command::new("columns-first", "first step", &["0"], trail::first,
        "Go to the first step of the counterexample.")
        .views(CHECK).when(facts::has_counterexample),
    Command::new("columns-last", "last step", &["$"], trail::last,
        "Go to the last step of the counterexample.")
        .views(CHECK).when(facts::has_counterexample),
    Command::new("sizes", "every size", &["n"], sizes::of_assertion,
        "Check the selected assertion at the sizes 1 to 6 of what has a size, 20 seconds each at most, and prove what holds for all.")
        .views(CHECK).hint("sizes").when(sizes::can_ask_assertion).menu(Check),
    Command::new("circle", "the process as a circle", &["N"], sizes::of_circle,
        "Read the open process as a circle of N cells, compare it at several N, and prove what holds of its automata for all.")
        .views(CHECK).when(sizes::can_ask_circle).menu(Check),
];
