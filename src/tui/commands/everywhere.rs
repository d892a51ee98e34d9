//! Commands of several views, or of all.

use crate::actions::{check, compare, find, general, reload, session, share, stops, yank};
use crate::app::{KeyPage, View};
use crate::command::Command;
use crate::facts;
use crate::menu_group::MenuGroup::{Check, Explain, Go, Keep, Look, Open, Program, Steps};

/// Views with a present state.
const AT_A_STATE: &[View] = &[
    View::Animate,
    View::Orbit,
    View::Compare,
    View::Graph,
    View::Structure,
    View::Symmetry,
];

/// Views that show a walk, a counterexample or a comparison.
const SHARED: &[View] = &[
    View::Animate,
    View::Compare,
    View::Check,
    View::Graph,
    View::Structure,
    View::Symmetry,
];

/// The welcome page with all of its lists.
const WELCOME: &[KeyPage] = &[KeyPage::Welcome, KeyPage::Path];

/// All pages over the views.
const PAGES: &[KeyPage] = &[KeyPage::Card, KeyPage::Welcome, KeyPage::Path];

/// Commands that need a present state.
#[rustfmt::skip]
pub static AT_STATES: &[Command] = &[
    Command::new("compare", "compare states", &["c"], compare::choose,
        "Compare this state with a mark (c and its letter), the step before (cc), or what the list offers.")
        .views(AT_A_STATE).hint("compare").when(compare::can_compare).menu(Explain),
    Command::new("mark", "mark this state", &["m letter"], compare::mark,
        "m and a letter mark the present state; ' and the letter come back to it.")
        .views(AT_A_STATE).hint("mark").when(facts::has_session).menu(Go),
    Command::new("to-mark", "go to a mark", &["' letter"], compare::to_mark,
        "' and a letter go to the state that m and the letter have marked.")
        .views(AT_A_STATE).when(facts::has_session).menu(Go),
    Command::new("find", "find a state", &["f"], find::find,
        "Find the shortest way to a state where an event is offered, a component is in a local state, or nothing is possible.")
        .views(AT_A_STATE).hint("find").when(find::can_find).menu(Go),
    Command::new("stop-at", "where random steps stop", &["F"], stops::stop_at,
        "Let random steps stop where the condition holds that was searched for last, after a visible event, or at nothing.")
        .views(AT_A_STATE).when(facts::has_session).menu(Steps),
    Command::new("share-page", "page to share", &["E h"], share::html,
        "Write the walk to this state, the counterexample or the comparison as one file for a browser, which needs nothing else.")
        .views(SHARED).when(share::can_share).menu(Keep),
    Command::new("share-text", "text to share", &["E t"], share::text,
        "Write the walk to this state, the counterexample or the comparison as text that fits into a mail.")
        .views(SHARED).when(share::can_share).menu(Keep),
];

/// Commands that work everywhere, or have a condition of their own.
#[rustfmt::skip]
pub static EVERYWHERE: &[Command] = &[
    Command::new("cancel", "cancel the checks", &["X"], check::cancel,
        "Stop the running check or race, and what waits.")
        .hint("cancel").when(facts::is_active).menu(Check),
    Command::new("filter", "filter", &["/"], general::filter,
        "Show only transitions, components of the state, rows of the counterexample or boxes of the graph that contain a text.")
        .views(&[View::Animate, View::Check, View::Graph]).hint("filter").when(general::can_filter).menu(Look),
    Command::new("down", "down", &["j", "down"], general::down,
        "Select the next row, or scroll.").counts().also_on(PAGES),
    Command::new("up", "up", &["k", "up"], general::up,
        "Select the row before, or scroll.").counts().also_on(PAGES),
    Command::new("page-down", "page down", &["pgdn", "ctrl-d"], general::page_down,
        "Go down by a page.").counts().also_on(PAGES),
    Command::new("page-up", "page up", &["pgup", "ctrl-u"], general::page_up,
        "Go up by a page.").counts().also_on(PAGES),
    Command::new("top", "to the top", &["g g", "home"], general::top,
        "Go to the first row.").also_on(WELCOME),
    Command::new("bottom", "to the bottom", &["G", "end"], general::bottom,
        "Go to the last row.").also_on(WELCOME),
    Command::new("pane-next", "next pane", &["tab"], general::pane_next,
        "Focus the next pane.").hint("pane"),
    Command::new("pane-previous", "previous pane", &["shift-tab"], general::pane_previous,
        "Focus the pane before."),
    Command::new("zoom", "zoom the pane", &["z"], general::zoom,
        "Let the focused pane fill the screen, or show all panes again.")
        .menu(Look),
    Command::new("open", "open a process", &["O"], general::open,
        "Animate another process of the script, or any process expression.")
        .when(facts::is_ready).menu(Open),
    Command::new("open-script", "open another script", &["P"], general::other_script,
        "Open another script, or a walk that was saved: a path to type, what was opened before, the models of the program.")
        .menu(Open),
    Command::new("welcome", "welcome page", &["I"], general::welcome,
        "Show the page with which the program begins: the tour, scripts, lessons.")
        .menu(Open),
    Command::new("write", "save the session", &["W", "ctrl-s"], session::write,
        "Write the walk with all branches, marks and what is shown to a file; --session opens it again.")
        .when(facts::has_session).menu(Keep),
    Command::new("yank", "copy", &["y"], yank::menu,
        "Copy the state, its representative, the permutation, the trace, a table or the pane: to the clipboard or to a file.")
        .menu(Keep),
    Command::new("recover", "open the walk that was kept", &["ctrl-o"], session::recover,
        "Open the walk that was kept when the program ended by a signal, a crash, or because the terminal went away.")
        .except(View::Source).when(session::can_recover).menu(Open),
    Command::new("reload", "reload the script", &["R"], reload::reload,
        "Load the script as it is on disk now, and replay the walk on it; the old one stays until that is done.")
        .except(View::Animate).when(reload::can_reload).menu(Open),
    Command::new("messages", "errors and warnings", &["D"], general::messages,
        "Show what the script's errors and warnings are.")
        .when(facts::has_messages).menu(Explain),
    Command::new("types", "what it is reduced by", &["V"], general::types,
        "What the open process, or in Check the selected assertion, is reduced by, and why not by more.")
        .when(facts::is_ready).menu(Explain),
    Command::new("lessons", "lessons", &["L"], general::lessons,
        "Take a lesson: cards that explain symmetry reduction beside a screen of their own. What you animate stays as it is.")
        .also_on(&[KeyPage::Welcome]).menu(Open),
    Command::new("menu", "menu", &["space"], general::menu,
        "Show the commands in groups; one letter opens a group, the next runs a command.")
        .hint("menu"),
    Command::new("palette", "all commands", &[":"], general::palette,
        "Find any command, assertion or process by its name, or type a line such as take push.T0.A, which Tab completes.").hint("find"),
    Command::new("help", "help", &["?", "f1"], general::help,
        "Explain the words on this screen, and show what works here; type to search, Enter runs.")
        .hint("explain").also_on(PAGES).menu(Program),
    Command::new("clear", "clear", &["esc"], general::clear,
        "Drop a number, stop a walk, cancel what is being computed, show all rows again, leave a race. Never quits."),
    Command::new("theme", "next theme", &["ctrl-t"], general::theme,
        "Other colours: dark, light, ansi (sixteen colours), mono (none).").also_on(WELCOME)
        .menu(Program),
    Command::new("mouse", "mouse on or off", &["M"], general::mouse,
        "Leave the mouse to the terminal, to select text, or use it here.")
        .also_on(&[KeyPage::Welcome]).menu(Program),
    Command::new("redraw", "draw again", &["ctrl-l"], general::redraw,
        "Draw the screen again.").also_on(PAGES)
        .menu(Program),
    Command::new("suspend", "suspend", &["ctrl-z"], general::suspend,
        "Go to the shell; fg comes back.").also_on(PAGES)
        .menu(Program),
    Command::new("quit", "quit or back", &["q"], general::quit,
        "Back to Animate; from there, end the program. Ctrl-c always ends it.")
        .hint("quit").menu(Program),
    Command::new("quit-now", "quit at once", &["ctrl-c"], general::quit_now,
        "End the program without asking, wherever you are.").also_on(PAGES),
];
