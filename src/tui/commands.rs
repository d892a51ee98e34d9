//! The tables of the registry. The first command that applies wins: put special ones first.

use super::actions::{animate, check, compare, general, orbit, race};
use super::app::{Pane, View};
use super::command::Command;
use super::facts;

const ANIMATE: &[View] = &[View::Animate];
const ORBIT: &[View] = &[View::Orbit];
const COMPARE: &[View] = &[View::Compare];
const CHECK: &[View] = &[View::Check];
const RACE: &[View] = &[View::Race];
/// Where there is a present state.
const AT_A_STATE: &[View] = &[View::Animate, View::Orbit, View::Compare];

/// All tables, in order of precedence.
pub static TABLES: [&[Command]; 7] = [
    &IN_ANIMATE,
    &IN_ORBIT,
    &IN_COMPARE,
    &IN_CHECK,
    &IN_RACE,
    &AT_STATES,
    &EVERYWHERE,
];

#[rustfmt::skip]
static IN_ANIMATE: [Command; 16] = [
    Command::new("take", "take the transition", &["enter"], animate::take,
        "Take the selected transition; h and l choose among those that are equal up to symmetry.")
        .views(ANIMATE).panes(&[Pane::Transitions]).hint("take").when(facts::can_take),
    Command::new("jump", "go to this step", &["enter"], animate::jump,
        "Go to the selected step of the history; later steps stay and U leads back to them.")
        .views(ANIMATE).panes(&[Pane::History]).hint("jump").when(facts::has_session),
    Command::new("undo", "undo a step", &["u"], animate::undo,
        "Go back one step; nothing is forgotten.")
        .views(ANIMATE).menu('u').hint("undo").counts().when(facts::can_undo),
    Command::new("redo", "redo a step", &["U", "ctrl-r"], animate::redo,
        "Go forward again along the branch that was left last.")
        .views(ANIMATE).menu('U').hint("redo").counts().when(facts::can_redo),
    Command::new("group", "group transitions up to symmetry", &["o"], animate::group,
        "Show transitions that are equal up to symmetry as one, or each by itself.")
        .views(ANIMATE).menu('s').hint("group").when(facts::has_session),
    Command::new("why", "why this representative?", &["w"], animate::why,
        "Open the Orbit view: how the representative of this state was computed, step by step.")
        .views(ANIMATE).menu('w').hint("why").when(facts::can_explain),
    Command::new("show", "raw, rep, counted or both", &["s"], animate::show,
        "Show the state as it is, its representative, how many components are in which local state, or the first two side by side.")
        .views(ANIMATE).menu('v').hint("raw/rep").when(facts::has_session),
    Command::new("random", "take a random step", &["r"], animate::random,
        "Take a random step; 20r takes twenty. The same keys give the same walk every time.")
        .views(ANIMATE).menu('r').hint("random").counts().when(facts::can_walk),
    Command::new("repeat", "repeat the last event", &["."], animate::repeat,
        "Take the event that was taken last, if it is possible here.")
        .views(ANIMATE).menu('.').counts().when(facts::can_repeat),
    Command::new("restart", "restart", &["R"], animate::restart,
        "Go to the initial state of the process; the history keeps what was done.")
        .views(ANIMATE).menu('R').when(facts::can_undo),
    Command::new("member-next", "next equal transition", &["l", "right"], animate::member_next,
        "Select the next transition of the group.")
        .views(ANIMATE).panes(&[Pane::Transitions]).counts().when(facts::can_take),
    Command::new("member-previous", "previous equal transition", &["h", "left"], animate::member_previous,
        "Select the previous transition of the group.")
        .views(ANIMATE).panes(&[Pane::Transitions]).counts().when(facts::can_take),
    Command::new("to-met", "go to where it was met", &["v"], compare::to_met,
        "Go to where the target of the selected transition, or another state of its orbit, was met.")
        .views(ANIMATE).menu('g').when(compare::was_met),
    Command::new("branch", "next branch", &["B"], animate::branch,
        "Go to the end of the next branch of the history.")
        .views(ANIMATE).menu('b').when(facts::has_branches),
    Command::new("history", "show the history", &["H"], animate::history,
        "Show all steps in a window; Enter goes to one.")
        .views(ANIMATE).menu('h').when(facts::has_session),
    Command::new("failure", "show the error in full", &["e"], animate::failure,
        "Show why this state could not be evaluated, with the place in the script.")
        .views(ANIMATE).menu('e').when(facts::has_failure),
];

#[rustfmt::skip]
static IN_ORBIT: [Command; 15] = [
    Command::new("step-back", "step back", &["h", "left"], orbit::back,
        "Show the step of the algorithm before this one.")
        .views(ORBIT).hint("back").counts().when(orbit::explained),
    Command::new("step-forward", "step forward", &["l", "right"], orbit::forward,
        "Show the next step of the algorithm.")
        .views(ORBIT).hint("step").counts().when(orbit::explained),
    Command::new("play", "play or pause", &["p"], orbit::play,
        "Let the steps advance by themselves, or stop them.")
        .views(ORBIT).menu('p').hint("play").when(orbit::explained),
    Command::new("strategy", "next strategy", &["A"], orbit::next_strategy,
        "Show how the next strategy chooses the representative: ordering, walk, exact, sorted, segmented, ordering-n1, ordering-n2, bubble, counters.")
        .views(ORBIT).menu('A').hint("strategy").when(facts::has_session),
    Command::new("faster", "faster", &["+", "="], orbit::faster,
        "Play faster.")
        .views(ORBIT).hint("faster").when(orbit::explained),
    Command::new("slower", "slower", &["-"], orbit::slower,
        "Play more slowly.")
        .views(ORBIT).hint("slower").when(orbit::explained),
    Command::new("first", "first step", &["0"], orbit::first,
        "Go to the first step.")
        .views(ORBIT).hint("start").when(orbit::explained),
    Command::new("last", "last step", &["$"], orbit::last,
        "Go to the last step, where the representative is known.")
        .views(ORBIT).hint("end").when(orbit::explained),
    Command::new("next-split", "next split", &["]"], orbit::next_split,
        "Go to the next step that splits a block.")
        .views(ORBIT).hint("split").counts().when(orbit::explained),
    Command::new("previous-split", "previous split", &["["], orbit::previous_split,
        "Go to the step before that splits a block.")
        .views(ORBIT).counts().when(orbit::explained),
    Command::new("column-next", "next column", &["n"], orbit::column_next,
        "Select the next column of the n-values.")
        .views(ORBIT).hint("column").counts().when(orbit::counted),
    Command::new("column-previous", "previous column", &["N"], orbit::column_previous,
        "Select the column of the n-values before this one.")
        .views(ORBIT).counts().when(orbit::counted),
    Command::new("edges", "show or hide the edges", &["E"], orbit::edges,
        "Show or hide the edges that the selected number counts.")
        .views(ORBIT).menu('e').hint("edges").when(orbit::counts),
    Command::new("table", "show or hide the n-values", &["T"], orbit::table,
        "Show or hide the table of n-values.")
        .views(ORBIT).menu('t').hint("table").when(orbit::counts),
    Command::new("type-order", "how types are ordered", &["Y"], orbit::type_order,
        "Order types by values in order of appearance (Def. 38), or identity variables first.")
        .views(ORBIT).menu('y').when(facts::has_session),
];

#[rustfmt::skip]
static IN_COMPARE: [Command; 8] = [
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
        .views(COMPARE).menu('x').hint("exchange").when(compare::has_pair),
    Command::new("arrows", "components beside their images", &["p"], compare::arrows,
        "Let each component of A stand beside the one of B that the permutation takes it to, or in its own place.")
        .views(COMPARE).menu('p').hint("pi").when(compare::has_witness),
    Command::new("differences", "differences only", &["d"], compare::differences,
        "Leave out components that are alike, or show all.")
        .views(COMPARE).menu('D').hint("differences").when(compare::has_pair),
    Command::new("run-a", "the run on A", &["h", "left"], compare::side_a,
        "Select the run on state A: Enter opens Orbit there.")
        .views(COMPARE).panes(&[Pane::SideBySide]).hint("A").when(compare::has_pair),
    Command::new("run-b", "the run on B", &["l", "right"], compare::side_b,
        "Select the run on state B: Enter opens Orbit there.")
        .views(COMPARE).panes(&[Pane::SideBySide]).hint("B").when(compare::has_pair),
];

#[rustfmt::skip]
static IN_CHECK: [Command; 13] = [
    Command::new("open-result", "open the result", &["enter"], check::open,
        "Animate the counterexample of the selected assertion, or read its result; check it if there is none yet.")
        .views(CHECK).panes(&[Pane::Assertions, Pane::Progress]).hint("open").when(facts::has_assertions),
    Command::new("animate-counterexample", "animate the counterexample", &["enter"], check::animate,
        "Open the counterexample in Animate, as a branch of the history, at its first state.")
        .views(CHECK).panes(&[Pane::Counterexample, Pane::Explanation]).hint("animate")
        .when(facts::has_counterexample),
    Command::new("check", "check the assertion", &["x"], check::run,
        "Check the selected assertion in the background.")
        .views(CHECK).menu('x').hint("run").when(facts::has_assertions),
    Command::new("check-all", "check all assertions", &["a"], check::run_all,
        "Check all assertions one after the other.")
        .views(CHECK).menu('A').hint("all").when(facts::has_assertions),
    Command::new("race-assertion", "race the strategies", &["R"], race::race_assertion,
        "Search for the selected assertion with each strategy, and compare what they keep and cost.")
        .views(CHECK).menu('R').hint("race").when(race::can_race_assertion),
    Command::new("reduction", "symmetry reduction on or off", &["o"], check::reduction,
        "Check with reduction, without it, or as the assertion says.")
        .views(CHECK).menu('r').hint("reduction"),
    Command::new("visible", "visible events only", &["v"], check::visible,
        "Show all events of the counterexample, or the visible ones.")
        .views(CHECK).menu('v').hint("visible").when(facts::has_counterexample),
    Command::new("quotient", "path in the reduced automaton", &["s"], check::quotient,
        "Show the path of representatives on which the counterexample was found, or hide it.")
        .views(CHECK).menu('s').when(facts::has_counterexample),
    Command::new("save", "save the counterexample", &["e"], check::save,
        "Write the counterexample to a file in this folder; --counterexample opens it again.")
        .views(CHECK).menu('e').hint("save").when(facts::has_counterexample),
    Command::new("columns-right", "next steps", &["l", "right"], check::right,
        "Scroll the counterexample to the right.")
        .views(CHECK).counts().when(facts::has_counterexample),
    Command::new("columns-left", "steps before", &["h", "left"], check::left,
        "Scroll the counterexample to the left.")
        .views(CHECK).counts().when(facts::has_counterexample),
    Command::new("columns-first", "first step", &["0"], check::first,
        "Go to the first step of the counterexample.")
        .views(CHECK).when(facts::has_counterexample),
    Command::new("columns-last", "last step", &["$"], check::last,
        "Go to the last step of the counterexample.")
        .views(CHECK).when(facts::has_counterexample),
];

#[rustfmt::skip]
static IN_RACE: [Command; 2] = [
    Command::new("race-process", "race through all states", &["x"], race::race_process,
        "Go through all states of the open process with each strategy, and compare what they keep and cost.")
        .views(RACE).menu('x').hint("run").when(race::can_race_process),
    Command::new("compare-doubled", "compare the two states", &["enter"], race::compare,
        "Open the first two states of one orbit that the selected strategy keeps in Compare, marked a and b.")
        .views(RACE).hint("compare").when(race::has_doubled),
];

#[rustfmt::skip]
static AT_STATES: [Command; 3] = [
    Command::new("compare", "compare states", &["c"], compare::choose,
        "Compare this state with a mark (c and its letter), the step before (cc), or what the list offers.")
        .views(AT_A_STATE).menu('c').hint("compare").when(compare::can_compare),
    Command::new("mark", "mark this state", &["m letter"], compare::mark,
        "m and a letter mark the present state; ' and the letter come back to it.")
        .views(AT_A_STATE).menu('m').hint("mark").when(facts::has_session),
    Command::new("to-mark", "go to a mark", &["' letter"], compare::to_mark,
        "' and a letter go to the state that m and the letter have marked.")
        .views(AT_A_STATE).menu('\'').when(facts::has_session),
];

#[rustfmt::skip]
static EVERYWHERE: [Command; 28] = [
    Command::new("cancel", "cancel the checks", &["X"], check::cancel,
        "Stop the running check and those that wait.")
        .menu('X').when(facts::is_active),
    Command::new("filter", "filter", &["/"], general::filter,
        "Show only transitions, or rows of the counterexample, that contain a text.")
        .views(&[View::Animate, View::Check]).menu('f').hint("filter").when(general::can_filter),
    Command::new("view-animate", "Animate view", &["1"], general::to_animate,
        "Where am I, and what can happen?")
        .menu('a'),
    Command::new("view-orbit", "Orbit view", &["2"], general::to_orbit,
        "How was this representative computed?")
        .menu('o'),
    Command::new("view-compare", "Compare view", &["3"], general::to_compare,
        "What are two states to each other, and why?")
        .menu('C'),
    Command::new("view-check", "Check view", &["4"], general::to_check,
        "Do the assertions hold?")
        .menu('k'),
    Command::new("view-race", "Race view", &["7"], general::to_race,
        "What does the search keep and cost with each strategy?")
        .menu('n'),
    Command::new("down", "down", &["j", "down"], general::down,
        "Select the next row, or scroll.").counts(),
    Command::new("up", "up", &["k", "up"], general::up,
        "Select the row before, or scroll.").counts(),
    Command::new("page-down", "page down", &["pgdn", "ctrl-d"], general::page_down,
        "Go down by a page.").counts(),
    Command::new("page-up", "page up", &["pgup", "ctrl-u"], general::page_up,
        "Go up by a page.").counts(),
    Command::new("top", "to the top", &["g g", "home"], general::top,
        "Go to the first row."),
    Command::new("bottom", "to the bottom", &["G", "end"], general::bottom,
        "Go to the last row."),
    Command::new("pane-next", "next pane", &["tab"], general::pane_next,
        "Focus the next pane.").hint("pane"),
    Command::new("pane-previous", "previous pane", &["shift-tab"], general::pane_previous,
        "Focus the pane before."),
    Command::new("zoom", "zoom the pane", &["z"], general::zoom,
        "Let the focused pane fill the screen, or show all panes again.")
        .menu('z'),
    Command::new("open", "open a process", &["O"], general::open,
        "Animate another process of the script, or any process expression.")
        .menu('O').when(facts::is_ready),
    Command::new("messages", "errors and warnings", &["D"], general::messages,
        "Show what the script's errors and warnings are.")
        .menu('d').when(facts::has_messages),
    Command::new("types", "symmetry", &["S"], general::types,
        "What the open process, or in Check the selected assertion, is reduced by, and why not by more.")
        .menu('T').when(facts::is_ready),
    Command::new("menu", "menu", &["space"], general::menu,
        "Show the commands by one letter.").hint("menu"),
    Command::new("palette", "all commands", &[":"], general::palette,
        "Find any command, assertion or process by its name.").hint("find"),
    Command::new("help", "help", &["?", "f1"], general::help,
        "Show what works here; type to search, Enter runs.")
        .menu('?').hint("help"),
    Command::new("clear", "clear", &["esc"], general::clear,
        "Drop a number, stop a walk, cancel what is being computed, show all rows again. Never quits."),
    Command::new("mouse", "mouse on or off", &["M"], general::mouse,
        "Leave the mouse to the terminal, to select text, or use it here.")
        .menu('M'),
    Command::new("redraw", "draw again", &["ctrl-l"], general::redraw,
        "Draw the screen again."),
    Command::new("suspend", "suspend", &["ctrl-z"], general::suspend,
        "Go to the shell; fg comes back."),
    Command::new("quit", "quit or back", &["q"], general::quit,
        "Back to Animate; from there, end the program. Ctrl-c always ends it.")
        .menu('q').hint("quit"),
    Command::new("quit-now", "quit at once", &["ctrl-c"], general::quit_now,
        "End the program without asking, wherever you are."),
];
