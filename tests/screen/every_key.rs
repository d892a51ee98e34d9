//! Every key that the help promises, pressed where it can be used, with the real engine behind the screen: it
//! does something, nothing breaks, and what is shown afterwards is what the raw system does.

use std::collections::BTreeSet;

use orbitscope::tui::app::{App, Pane};
use orbitscope::tui::keys::LETTER;
use orbitscope::tui::registry;

use super::session::Screen;
use super::support::repository;

/// A place where a person may be, and how to come there.
struct Situation {
    name: &'static str,
    model: &'static str,
    process: Option<&'static str>,
    /// Keys that are pressed one after the other, each when what the one before asked for is there.
    keys: &'static str,
    /// A last key, after which nothing is waited for.
    unfinished: Option<&'static str>,
}

const fn situation(name: &'static str, model: &'static str, keys: &'static str) -> Situation {
    Situation {
        name,
        model,
        process: None,
        keys,
        unfinished: None,
    }
}

/// From simple ones to those that only few keys need.
const SITUATIONS: [Situation; 9] = [
    situation(
        "after some steps",
        "models/list_stack.csp",
        "enter enter m a enter u u j enter enter m b u 1",
    ),
    situation("an explanation", "models/example37.csp", "enter w l l"),
    situation(
        "two states",
        "models/list_stack.csp",
        "enter m a enter enter c a",
    ),
    situation(
        "a counterexample",
        "models/philosophers.csp",
        "4 x j x j x k k",
    ),
    situation("a race", "models/ring.csp", "7 x"),
    situation(
        "an orbit that was met",
        "models/philosophers.csp",
        "enter enter u j",
    ),
    situation(
        "an error in the script",
        "tests/slips/missing_within.csp",
        "1",
    ),
    Situation {
        name: "a check that runs",
        model: "models/list_stack.csp",
        process: None,
        keys: "4",
        unfinished: Some("a"),
    },
    situation("a failure", "tests/data/fails_after_a_step.csp", "enter"),
];

impl Situation {
    fn come_there(&self) -> Screen {
        let mut screen = Screen::open_at(&repository(self.model), self.process);
        screen.press(self.keys);
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

/// Goes to where a command works, if it can be used in a pane there.
fn usable(screen: &mut Screen, id: &str) -> bool {
    let Some(command) = registry::by_id(id) else {
        return false;
    };
    let view = match command.views {
        [] => screen.app.view,
        views if views.contains(&screen.app.view) => screen.app.view,
        _ => return false,
    };
    let panes: Vec<Pane> = match command.panes {
        [] => vec![screen.app.pane()],
        panes => panes.to_vec(),
    };
    panes.into_iter().any(|pane| {
        let there = view.panes().contains(&pane);
        if there {
            screen.app.focus_on(pane);
        }
        there && (command.available)(&screen.app).is_ok()
    })
}

/// What a key may change, without what changes by itself.
fn seen(app: &App) -> String {
    format!("{app:?}")
}

#[test]
fn every_key_does_what_the_help_promises_somewhere() {
    let mut idle = BTreeSet::new();
    let mut nowhere = BTreeSet::new();
    for command in registry::all() {
        for keys in command.keys {
            let mut could = false;
            let mut did = false;
            for situation in &SITUATIONS {
                let mut screen = situation.come_there();
                if !usable(&mut screen, command.id) {
                    continue;
                }
                could = true;
                let before = seen(&screen.app);
                screen.asked.clear();
                press(&mut screen, keys);
                did = !screen.asked.is_empty() || seen(&screen.app) != before;
                if did {
                    screen.key("ctrl-l");
                    screen.app.size = (80, 24);
                    screen.text();
                    screen.press("X esc esc esc");
                    screen.compare();
                    break;
                }
            }
            let name = format!("{} ({keys})", command.id);
            match (could, did) {
                (false, _) => nowhere.insert(name),
                (true, false) => idle.insert(name),
                (true, true) => false,
            };
        }
    }
    assert!(
        nowhere.is_empty() && idle.is_empty(),
        "no situation in which they can be used: {nowhere:#?}\nthey do nothing: {idle:#?}"
    );
}
