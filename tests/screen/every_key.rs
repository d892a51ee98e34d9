//! Every key that the help promises, pressed where it can be used, with the real engine behind the screen: it
//! does something, nothing breaks, and what is shown afterwards is what the raw system does.

use std::collections::{BTreeMap, BTreeSet};

use orbitscope::report::run_file::RunFile;
use orbitscope::source::Limits;
use orbitscope::tui::app::{App, KeyPage, KeyPlace, Msg, Pane};
use orbitscope::tui::command::Command;
use orbitscope::tui::keys::LETTER;
use orbitscope::tui::registry;
use orbitscope::tui::theme::Theme;
use ratatui::buffer::Buffer;

use super::session::{PATIENT, Screen};
use super::support::{repository, tiers};

/// A place where a person may be, and how to come there.
struct Situation {
    name: &'static str,
    model: &'static str,
    /// Keys that are pressed one after the other, each when what the one before asked for is there.
    keys: &'static str,
    /// A last key, after which nothing is waited for.
    unfinished: Option<&'static str>,
    /// What was there before the screen was.
    before: fn(&mut App),
    /// What happens besides.
    then: fn(&mut Screen),
}

const fn situation(name: &'static str, model: &'static str, keys: &'static str) -> Situation {
    Situation {
        name,
        model,
        keys,
        unfinished: None,
        before: |_| {},
        then: |_| {},
    }
}

const STACK: &str = "models/list_stack.csp";
const RINGS: &str = "tests/data/structure/rings.csp";
const DINERS: &str = "models/philosophers.csp";

/// A walk of the list stack.
const KEPT: &str = r#"Run(version: 2, script: [(path: "list_stack.csp")], run: (entries: [Open("System"),
  Step(kind: tau, movers: "Thread[T1] -> Pushing(T1, D)"), Step(kind: tau, event: "lock.T1")], here: 2))"#;

/// A A B B, and then A B A B.
const TOLD_APART: &str = "init.N0.A.N1 init.N1.B.N2 init.N2.A.N3 init.N3.B.N0 \
                          free.N1 free.N2 init.N1.A.N2 init.N2.B.N3";

/// From simple ones to those that only few keys need.
const SITUATIONS: [Situation; 35] = [
    situation(
        "after some steps",
        STACK,
        "enter enter m a enter u u j enter enter m b u 1",
    ),
    situation("at the beginning", DINERS, "1"),
    situation(
        "a state by itself",
        DINERS,
        "enter enter tab j s s / P enter",
    ),
    situation(
        "the history",
        STACK,
        "enter enter enter u u j enter tab tab tab",
    ),
    situation("an explanation", "models/example37.csp", "enter w l l"),
    situation("an explanation that plays", "models/example37.csp", "w p"),
    situation("another strategy", "models/ring.csp", "enter w A l"),
    situation("two states", STACK, "enter m a enter enter c a"),
    situation(
        "two states of one orbit",
        DINERS,
        "enter m a u l enter c a h",
    ),
    Situation {
        before: |app| app.trace = Some(TOLD_APART.split(' ').map(str::to_owned).collect()),
        ..situation(
            "two states that a tree tells apart",
            "models/ring.csp",
            "4 u m b 4 U c b shift-tab j",
        )
    },
    situation("assertions", DINERS, "4"),
    situation("a counterexample", DINERS, "4 x j x j x k k"),
    situation(
        "a counterexample that is read",
        DINERS,
        "4 j j x tab tab 0 l l",
    ),
    situation(
        "a counterexample that is followed",
        DINERS,
        "4 j j x enter u",
    ),
    situation("the surroundings", STACK, "enter enter 5 j"),
    situation("states around", DINERS, "enter 5 o l"),
    situation("an orbit taken apart", STACK, "enter enter 5 j i"),
    situation("the text", STACK, "enter 6 j j w"),
    situation("a definition", STACK, "6 / P u s h enter n enter"),
    situation("two files", "tests/data/two_files.csp", "enter 6 j"),
    situation("a race", "models/ring.csp", "4 p"),
    situation("other sizes", "models/two_buffers.csp", "4 n"),
    situation("a circle", "models/round_table.csp", "4 N"),
    situation("the tree of operators", STACK, "enter 7 j"),
    situation("a deadlock", DINERS, "4 j j x enter 7 tab tab j"),
    situation("a symmetry", "models/peterson.csp", "enter enter S l"),
    situation("several generators", RINGS, "enter 8 l"),
    situation("a symmetry that plays", RINGS, "enter S p"),
    situation("an orbit that was met", DINERS, "enter enter u j"),
    situation(
        "an error in the script",
        "tests/slips/missing_within.csp",
        "1",
    ),
    Situation {
        unfinished: Some("a"),
        ..situation("a check that runs", STACK, "4")
    },
    situation(
        "a failure",
        "tests/data/fails_after_a_step.csp",
        "enter enter",
    ),
    Situation {
        then: |screen| screen.send(Msg::DiskChanged(vec![STACK.to_owned()])),
        ..situation("a script that changed", STACK, "enter 4")
    },
    Situation {
        before: |app| app.checks.interrupted = vec!["states".to_owned()],
        ..situation("a check that was interrupted", STACK, "4")
    },
    Situation {
        before: |app| {
            let kept = RunFile::parse("kept.run.ron", KEPT).expect("a session");
            app.files.left = Some((kept, "kept.run.ron".into()));
        },
        ..situation("a walk that was left behind", STACK, "1")
    },
];

impl Situation {
    fn come_there(&self) -> Screen {
        let path = repository(self.model);
        let shown = path.display().to_string();
        let mut app = App::new(&shown, None, Theme::new(false, false), (120, 36));
        (self.before)(&mut app);
        let mut screen = Screen::around(app, &path, (Limits::default(), PATIENT));
        screen.settle();
        screen.press(self.keys);
        (self.then)(&mut screen);
        if let Some(key) = self.unfinished {
            screen.key(key);
        }
        screen
    }
}

/// Presses the keys of a command, as the registry writes them.
fn press(screen: &mut Screen, keys: &str) {
    for key in keys.split(' ') {
        screen.key(if key == LETTER { "a" } else { key });
    }
}

/// The panes of the present view in which a command is promised and can be used.
fn usable(screen: &mut Screen, command: &Command) -> Vec<Pane> {
    let view = screen.app.view;
    let panes: Vec<Pane> = match command.panes {
        [] => vec![screen.app.pane()],
        panes => panes.to_vec(),
    };
    let before = (screen.app.focus, screen.app.lower);
    let mut found = Vec::new();
    for pane in panes {
        if !view.panes().contains(&pane) || !command.applies(KeyPlace::In(view, pane)) {
            continue;
        }
        screen.app.focus_on(pane);
        if (command.available)(&screen.app).is_ok() {
            found.push(pane);
        }
        (screen.app.focus, screen.app.lower) = before;
    }
    found
}

/// What a key can be seen to do: the screen is another one, or something is asked of the world outside.
fn does(screen: &mut Screen, keys: &str) -> bool {
    let before: Buffer = screen.frame();
    screen.asked.clear();
    press(screen, keys);
    !screen.asked.is_empty() || screen.quit || screen.frame() != before
}

/// Where nothing may be left to do: at the end of a list, in the view that is shown already.
fn may_rest(command: &Command) -> bool {
    let moves = [
        "top",
        "bottom",
        "pane-next",
        "pane-previous",
        "clear",
        "first",
        "last",
        "not-applied",
        "generator-next",
        "generator-previous",
        "columns-first",
        "columns-last",
        "line-end",
        "history",
        "follow",
        "jump",
        "run-a",
        "run-b",
    ];
    command.counts || command.id.starts_with("view-") || moves.contains(&command.id)
}

/// A command, a situation in which it was pressed, and a pane there.
type Tried = (&'static Command, usize, Pane);

/// Where each command can be used.
fn places() -> Vec<Tried> {
    let mut found = Vec::new();
    for (at, situation) in SITUATIONS.iter().enumerate() {
        let mut screen = situation.come_there();
        for command in registry::in_views() {
            let panes = usable(&mut screen, command);
            found.extend(panes.into_iter().map(|pane| (command, at, pane)));
        }
    }
    found
}

/// Presses keys where a command can be used; whether they do something, and what is wrong with what is shown
/// afterwards.
fn tried((command, at, pane): Tried, keys: &str) -> bool {
    let situation = &SITUATIONS[at];
    let mut screen = situation.come_there();
    screen.app.focus_on(pane);
    let done = does(&mut screen, keys);
    if done && situation.unfinished.is_none() {
        screen.settle();
    }
    screen.send(Msg::Resize(80, 24));
    screen.text();
    screen.press("X esc esc esc");
    if let Err(error) = screen.differs() {
        let (name, id) = (situation.name, command.id);
        panic!("{id} ({keys}) in `{name}`: {error}\n{}", screen.text());
    }
    done
}

#[test]
fn every_key_does_what_the_help_promises_somewhere() {
    let places = places();
    let mut nowhere = BTreeSet::new();
    let mut idle = BTreeMap::new();
    for command in registry::in_views() {
        let there: Vec<&Tried> = places.iter().filter(|(c, ..)| c.id == command.id).collect();
        if there.is_empty() {
            nowhere.insert(command.id);
        }
        for keys in command.keys {
            if !there.iter().any(|place| tried(**place, keys)) {
                let names: Vec<_> = there
                    .iter()
                    .map(|(_, at, _)| SITUATIONS[*at].name)
                    .collect();
                idle.insert(format!("{} ({keys})", command.id), names);
            }
        }
    }
    assert!(
        nowhere.is_empty() && idle.is_empty(),
        "no situation in which they can be used: {nowhere:#?}\nthey do nothing: {idle:#?}"
    );
}

/// A key that the help shows, and does not show as one that cannot be used, is never pressed in vain.
#[test]
fn what_is_promised_in_a_situation_is_done_there() {
    let mut idle = Vec::new();
    // A part of them, another one each day.
    let part = if tiers::tries_all() { 1 } else { 12 };
    let seed: usize = super::random_keys::seed() as usize;
    for (at, place) in places().into_iter().enumerate() {
        let (command, situation, pane) = place;
        if may_rest(command) || !(at + seed).is_multiple_of(part) {
            continue;
        }
        let situation = SITUATIONS[situation].name;
        if !tried(place, command.key()) {
            idle.push(format!("{} in `{situation}`, {pane:?}", command.id));
        }
    }
    assert!(idle.is_empty(), "they do nothing: {idle:#?}");
}

/// What lies over the screen and takes the keys: how it is opened, and the keys that it promises, each after
/// others that bring it to where it has something to do.
const OVERLAYS: [(&str, &str, &[&str]); 15] = [
    (
        "help",
        "enter ?",
        &[
            "down",
            "down up",
            "a",
            "a backspace",
            "tab",
            "pgdn",
            "pgdn pgup",
            "end",
            "end home",
            "? down",
            "t a k e enter",
            "? o r b enter",
            "enter",
            "esc",
        ],
    ),
    (
        "palette",
        "enter :",
        &[
            "down",
            "down up",
            "z",
            "tab",
            "pgdn",
            "pgdn pgup",
            "end",
            "end home",
            "z enter",
            "esc",
            "t a k e space tab",
            "u n d o enter",
        ],
    ),
    (
        "processes",
        "O",
        &["down", "down enter", "S T O P enter", "esc"],
    ),
    ("menu", "enter space", &["u", "/", "1", "4", "esc", "!"]),
    ("menu of Graph", "5 space", &["o", "i", "esc"]),
    (
        "a text",
        "V",
        &[
            "j", "j k", "pgdn", "G", "G g", "end", "end home", "space", "enter", "q", "esc",
        ],
    ),
    (
        "history",
        "r r r r u H",
        &[
            "k", "k j", "k enter", "i", "B", "home", "home end", "esc", "q", "H",
        ],
    ),
    (
        "find",
        "enter f",
        &[
            "d",
            "d backspace",
            "d tab",
            "down",
            "down up",
            "d e a d l o c k enter",
            "esc",
            "x enter",
        ],
    ),
    (
        "compare",
        "enter m a enter c",
        &["a", "down", "down up", "enter", "c", "esc"],
    ),
    (
        "filter",
        "/",
        &["e", "e backspace", "z z enter", "e esc", "esc"],
    ),
    (
        "copy",
        "enter y",
        &[
            "s", "r", "p", "t", "v", "c", "n", "y", "l", "f", "f s", "esc", "q",
        ],
    ),
    (
        "lessons",
        "L",
        &["j", "j k", "end", "end home", "enter", "2", "esc", "q", "L"],
    ),
    ("quit", "1 2 r q", &["y", "enter", "n", "s", "esc"]),
    (
        "welcome",
        "I",
        &[
            "j", "j k", "down", "down up", "end", "end home", "f1", "enter", "esc", "q",
        ],
    ),
    (
        "open another script",
        "P",
        &[
            "down",
            "down up",
            "z",
            "z backspace",
            "z enter",
            "end",
            "end home",
            "esc",
        ],
    ),
];

#[test]
fn every_key_of_what_lies_over_the_screen_does_something() {
    let mut idle = Vec::new();
    for (name, opening, promised) in OVERLAYS {
        for keys in promised {
            let mut screen = situation(name, STACK, "1").come_there();
            if name == "history" {
                // Where it has no pane.
                screen.send(Msg::Resize(80, 24));
            }
            screen.press(opening);
            if name == "a text" {
                // More than fits.
                screen.send(Msg::Resize(60, 16));
            }
            let over = screen.app.overlay.is_some();
            assert!(
                over || screen.app.welcome.is_some(),
                "{name} is not opened by {opening}"
            );
            let mut keys: Vec<&str> = keys.split(' ').collect();
            let last = keys.pop().unwrap_or_default();
            for key in &keys {
                screen.key(key);
            }
            if !does(&mut screen, last) {
                idle.push(format!("{name}: {} {last}", keys.join(" ")));
            }
            screen.settle();
            screen.press("esc esc");
            screen.compare();
        }
    }
    assert!(idle.is_empty(), "they do nothing: {idle:#?}");
}

/// Ways to each page over the views: to its entries, and to cards with a question, one that plays, and one that is
/// longer than its place.
const PAGES: [(KeyPage, &[&str]); 3] = [
    (
        KeyPage::Card,
        &["L 1", "L 1 n", "L 3 n n n", "L 3 n n n n n n", "L 1 n n n"],
    ),
    (KeyPage::Welcome, &["I", "I j", "I G"]),
    (KeyPage::Path, &["P", "P down", "P end"]),
];

/// On some card of some lesson, or at some entry.
#[test]
fn every_key_of_a_page_does_something() {
    let mut idle = Vec::new();
    for (page, ways) in PAGES {
        let place = KeyPlace::On(page);
        for command in registry::all().filter(|c| c.applies(place)) {
            for keys in command.keys {
                let done = ways.iter().any(|way| {
                    let mut screen = situation("a page", STACK, "1").come_there();
                    screen.press(way);
                    assert_eq!(screen.app.place(), place, "{way}");
                    let moves = matches!(command.id, "page-down" | "page-up" | "down" | "up");
                    if moves && page == KeyPage::Card {
                        screen.send(Msg::Resize(60, 16));
                    }
                    if matches!(command.id, "page-up" | "up") && page == KeyPage::Card {
                        screen.press("pgdn j");
                    }
                    let done = does(&mut screen, keys);
                    screen.settle();
                    screen.compare();
                    done
                });
                if !done {
                    idle.push((page, command.id, keys));
                }
            }
        }
    }
    assert!(idle.is_empty(), "they do nothing: {idle:#?}");
}
