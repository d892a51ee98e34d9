//! Comparing with the real engine: from the keys to the verdict, in memory and in a pseudo-terminal.

use std::time::Instant;

use orbitscope::animate::model::{AskedStrategy, StateId};
use orbitscope::animate::worker::Request;
use orbitscope::source::Limits;
use orbitscope::tui::app::{Msg, View};

use super::pty::{Terminal, project};
use super::session::Screen;
use super::support::{repository, say};

fn at(model: &str) -> Screen {
    Screen::open_at(&repository(model), None)
}

fn representative(screen: &Screen) -> Option<(StateId, Vec<String>)> {
    let view = screen.session().view()?;
    let rep = view.representative.as_ref()?;
    let texts = rep.components.iter().map(|c| c.text.clone());
    Some((view.orbit, texts.collect()))
}

/// How many random steps lead from the ring A A B B to another state of its orbit with the other
/// representative; fewer than a thousand, so that they are typed in three digits.
fn steps_to_another() -> usize {
    let mut screen = at("models/ring.csp");
    let (orbit, first) = representative(&screen).expect("a representative");
    for step in 1..1_000 {
        screen.press("r");
        if representative(&screen).is_some_and(|(o, r)| o == orbit && r != first) {
            return step;
        }
    }
    panic!("no other representative within a thousand steps");
}

/// Mark, go on, compare, see the pick to blame, open Orbit at that step.
#[test]
fn the_pick_to_blame_in_ten_keys() {
    let steps = steps_to_another();
    let walk: Vec<String> = steps.to_string().chars().map(String::from).collect();
    let mark = ["m", "a"].map(String::from);
    let compare = ["r", "c", "a"].map(String::from);
    let keys: Vec<String> = mark.into_iter().chain(walk).chain(compare).collect();
    assert!(keys.len() < 10, "{keys:?}");
    say(&format!("ring.csp: the walk has {} keys", keys.len() + 1));
    for (columns, rows) in [(120, 36), (80, 24)] {
        let mut terminal = Terminal::start(project(), "models/ring.csp");
        terminal.resize(columns, rows);
        terminal.wait("started after 4 steps");
        let mut marked = false;
        for key in &keys {
            terminal.press(key);
            match key.as_str() {
                "m" => terminal.wait("type a letter"),
                "a" if !marked => {
                    terminal.wait("'a marks step 4");
                    marked = true;
                }
                "r" => {
                    terminal.wait(&format!("step {0}/{0}", steps + 4));
                    terminal.wait_until("an answer", |s| !s.contains("computing"));
                }
                "c" => terminal.wait("Compare what?"),
                _ => {}
            }
        }
        terminal.wait("[3 Compare]");
        terminal.wait("Same orbit, two representatives:");
        terminal.wait("step 3 picked N");
        terminal.wait("the runs part at step 4");
        terminal.wait("> 4! step 3  pick in block 1");
        terminal.press("\r");
        terminal.wait("[2 Orbit]");
        terminal.wait("step 4/");
        terminal.wait("No count tells the members apart. N");
        terminal.press("\x03");
        terminal.wait("EXIT=0");
        terminal.wait("RESTORED");
    }
}

/// The same in memory: what the panes say, at all sizes.
#[test]
fn panes_of_the_ring() {
    let steps = steps_to_another();
    let mut screen = at("models/ring.csp");
    screen.press("m a");
    // In one go: a digit that is looked at for a while is the number of a view.
    screen.write(&steps.to_string());
    screen.press("r c a p");
    for (width, height) in [(120, 36), (80, 24), (60, 16)] {
        screen.send(Msg::Resize(width, height));
        for pane in ["Verdict", "SideBySide", "StateA", "StateB", "WhatIf"] {
            for _ in 0..5 {
                if format!("{:?}", screen.app.pane()) != pane {
                    screen.press("tab");
                }
            }
            if width < 120 || pane == "SideBySide" {
                let name = format!("ring_{pane}_{width}x{height}");
                insta::assert_snapshot!(name, body(&screen.text()));
            }
        }
    }
}

/// The screen without its first and last lines, which tell how far the walk was.
fn body(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let inner = &lines[1..lines.len() - 2];
    let known = |line: &&str| !line.contains(", present");
    let inner: Vec<&str> = inner.iter().copied().filter(known).collect();
    inner.join("\n")
}

/// A A B B against A B A B: counting tells no more, and every partner of the datum A is refuted. One trace
/// leads through both.
#[test]
fn a_tree_of_refutations_is_unfolded() {
    let path = repository("models/ring.csp");
    let mut screen = Screen::start(&path, None, Limits::default());
    let trace = "init.N0.A.N1 init.N1.B.N2 init.N2.A.N3 init.N3.B.N0 \
                 free.N1 free.N2 init.N1.A.N2 init.N2.B.N3";
    screen.app.trace = Some(trace.split(' ').map(str::to_owned).collect());
    screen.settle();
    screen.press("4 u m b 4 U c b");
    let text = screen.text();
    assert!(text.contains("Different orbits."), "{text}");
    assert!(
        text.contains("Counting tells no more. A of state A would have to go to"),
        "{text}"
    );
    assert!(
        text.contains("+ A to A? No:") && !text.contains("Round"),
        "{text}"
    );
    // Focus on the verdict, and the first of its branches.
    screen.press("shift-tab j enter");
    let text = screen.text();
    assert!(
        text.contains("- A to A? No:") && text.contains("Round"),
        "{text}"
    );
    screen.send(Msg::Resize(60, 16));
    // Every line comes into sight where there is room for a few.
    let mut seen = String::new();
    for _ in 0..40 {
        seen += &screen.text();
        screen.press("j enter");
    }
    for words in ["Until then", "As little", "The runs of the"] {
        assert!(seen.contains(words), "{words}: {seen}");
    }
}

#[test]
fn two_states_of_the_list_stack_in_fifty_milliseconds() {
    let mut screen = at("models/list_stack.csp");
    screen.press("3 0 r m a 3 0 r c a");
    assert_eq!(screen.app.view, View::Compare);
    let (a, b) = screen.app.compare.states().expect("two states");
    let told = screen
        .session()
        .comparison(a, b, AskedStrategy::Usual)
        .expect("an answer");
    assert!(told.is_ok(), "{told:?}");
    // In the engine itself, without the screen.
    let path = repository("models/list_stack.csp");
    let mut engine = orbitscope::animate::engine::ScriptEngine::load(path).expect("a script");
    let mut states = vec![engine.open("System").expect("a process")];
    for step in 0..40 {
        let view = engine.view(states[step]).expect("a state");
        let all = &view.transitions;
        states.push(all[(7 * step) % all.len()].target);
    }
    let mut slowest = 0;
    for pair in states
        .windows(2)
        .chain(states.chunks(13).filter(|c| c.len() > 1))
    {
        let start = Instant::now();
        let found = engine.compare(pair[0], pair[pair.len() - 1], AskedStrategy::Usual);
        assert!(found.is_ok(), "{found:?}");
        slowest = slowest.max(start.elapsed().as_millis());
    }
    say(&format!(
        "list_stack.csp: the slowest comparison took {slowest} ms"
    ));
    // Ten times as much as is promised: other tests run beside this one.
    assert!(slowest < 500, "{slowest} ms");
}

/// Where there is no symmetry, or the states are of different processes, the panes say so.
#[test]
fn refusals_are_shown() {
    let mut screen = at("models/philosophers.csp");
    screen.press("enter m a");
    screen.open("STOP ||| STOP");
    screen.press("c a");
    let text = screen.text();
    assert!(
        text.contains("the two states are of different processes"),
        "{text}"
    );
    screen.press("x tab tab tab tab q ' a");
    assert!(screen.text().contains("step 1/"), "{}", screen.text());

    let folder = std::env::temp_dir().join(format!("orbitscope-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("plain.csp");
    std::fs::write(&path, "channel a, b\nP = a -> b -> P\n").expect("a file");
    let mut screen = Screen::open_at(&path, None);
    screen.press("enter c enter");
    let text = screen.text();
    assert!(
        text.contains("The states could not be compared: no datatype is symmetric"),
        "{text}"
    );
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
}

/// A comparison that is asked for while a walk is on, cancelled, and asked for again.
#[test]
fn busy_and_cancelled() {
    let mut screen = at("models/list_stack.csp");
    screen.press("m a enter");
    for key in ["9", "9", "r", "esc", "c", "a", "esc"] {
        screen.key(key);
    }
    screen.send(Msg::Resize(60, 16));
    screen.settle();
    screen.press("1 c a");
    screen.send(Msg::Resize(120, 36));
    let (a, b) = screen.app.compare.states().expect("two states");
    assert!(
        screen
            .session()
            .comparison(a, b, AskedStrategy::Usual)
            .expect("an answer")
            .is_ok()
    );
    assert!(
        !screen
            .app
            .pending
            .contains(&Request::Compare(a, b, AskedStrategy::Usual))
    );
}
