//! A state is of one network: nothing that is shown of it may be of another one.

use std::process::Command;
use std::time::{Duration, Instant};

use orbitscope::source::Limits;
use orbitscope::tui::app::{Msg, View};

use super::session::Screen;
use super::support::{repository, script, tiers};

#[test]
fn a_second_process_shows_its_own_states() {
    let mut screen = Screen::open_at(&repository("models/two_buffers.csp"), Some("Q"));
    screen.press("enter enter enter");
    screen.compare();
    screen.open("One");
    screen.compare();
    assert_eq!(screen.session().history.process(), "One");
    assert_eq!(screen.session().view().expect("told").components.len(), 1);
    screen.press("enter");
    screen.compare();
    screen.open("Q ||| One");
    screen.compare();
    // Along the branches back to the first process.
    for _ in 0..4 {
        screen.press("B");
        screen.compare();
        screen.press("u");
        screen.compare();
    }
    screen.open("Q");
    screen.compare();
    // What is known of the first process is still known.
    let session = screen.session();
    assert_eq!(session.history.depth(), 0);
    let same = session
        .history
        .ids()
        .filter(|id| session.history.node(*id).parent.is_none());
    assert_eq!(same.count(), 3, "the same process is the same network");
}

#[test]
fn a_counterexample_after_a_walk_shows_its_own_states() {
    let path = repository("models/stack_aba.csp");
    let mut screen = Screen::open_at(&path, None);
    screen.press("2 0 r");
    screen.compare();
    screen.press("4");
    let assertions = screen.app.info().expect("loaded").assertions.len();
    for _ in 0..assertions {
        screen.press("4 x enter");
        screen.key("esc");
        for _ in 0..30 {
            if screen.app.view != View::Animate {
                break;
            }
            screen.compare();
            screen.press("U");
        }
        screen.compare();
        screen.press("B");
        screen.compare();
        screen.press("4 j");
    }
}

/// Its event is the length of a sequence that grows without end.
const GROWING: &str = "channel c : Int\nP(s) = c!(#s) -> P(s^<0,0,0>)\nGrowing = P(<>)\n\
    channel a\nSmall = a -> Small\n\
    forever(n) = forever(n+1)\nStuck = a -> c!forever(0) -> STOP\n";

#[test]
fn what_is_computed_can_be_cancelled() {
    let path = script("stuck.csp", GROWING);
    let mut screen = Screen::open_at(&path, Some("Small"));
    screen.ask_for("Stuck");
    std::thread::sleep(Duration::from_millis(300));
    assert!(screen.text().contains("Esc cancels"), "{}", screen.text());
    screen.send(Msg::Resize(20, 5));
    let _ = screen.text();
    screen.send(Msg::Resize(120, 36));
    let before = Instant::now();
    screen.key("esc");
    screen.settle();
    assert!(before.elapsed() < Duration::from_secs(2));
    let text = screen.text();
    assert!(text.contains("cancelled: Stuck was not opened"), "{text}");
    assert_eq!(screen.session().history.process(), "Small");
    screen.press("enter");
    screen.compare();
    // While it computes again, it can be left.
    screen.ask_for("Stuck");
    screen.key("q");
    assert!(screen.quit);
    let before = Instant::now();
    drop(screen);
    assert!(before.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_state_that_was_cancelled_is_computed_when_one_comes_back() {
    if !tiers::has_time(
        "screen networks::a_state_that_was_cancelled_is_computed_when_one_comes_back",
    ) {
        return;
    }
    let text = "channel a : {0,1}\nchannel c : Int\nforever(n) = forever(n+1)\n\
        P = a.0 -> P [] a.1 -> c!forever(0) -> STOP\n";
    let path = script("stuck_state.csp", text);
    let mut screen = Screen::open_at(&path, Some("P"));
    assert_eq!(screen.session().view().expect("told").transitions.len(), 2);
    screen.key("j");
    screen.key("enter");
    std::thread::sleep(Duration::from_millis(200));
    screen.key("esc");
    screen.settle();
    assert!(screen.text().contains("cancelled"), "{}", screen.text());
    screen.press("u k enter");
    assert!(screen.session().view().is_some(), "{}", screen.text());
    assert!(!screen.text().contains("cancelled"), "{}", screen.text());
}

/// In a process of its own: what the other tests occupy in this one is not the screen's.
#[test]
fn a_process_that_grows_without_end_does_not_fill_the_machine() {
    let program = std::env::current_exe().expect("this program");
    let alone = ["--exact", "networks::growing_alone", "--ignored"];
    let output = Command::new(program).args(alone).output();
    let output = output.expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("1 passed"), "{told}");
}

#[test]
#[ignore = "measures the memory of its process, and is started alone"]
fn growing_alone() {
    let path = script("growing_alone.csp", GROWING);
    let limits = Limits::default().with_memory(300 << 20);
    let mut screen = Screen::start(&path, Some("Growing"), limits);
    let before = Instant::now();
    screen.settle();
    assert!(before.elapsed() < Duration::from_secs(30));
    screen.write("40");
    screen.press("r");
    assert_eq!(screen.session().history.depth(), 40, "{}", screen.text());
    let resident = orbitscope::source::memory::resident().unwrap_or(0);
    assert!(resident < 1 << 30, "{resident}");
    screen.open("Small");
    screen.compare();
}

#[test]
fn very_many_transitions_are_counted() {
    let text = "channel c : {0..49}.{0..49}.{0..7}\nP = c?x?y?z -> P\n";
    let path = script("many_transitions.csp", text);
    let mut screen = Screen::open_at(&path, Some("P"));
    let view = screen.session().view().expect("told");
    assert_eq!((view.transitions.len(), view.omitted), (10_000, 10_000));
    assert!(
        screen.text().contains("10,000 of 20,000 listed"),
        "{}",
        screen.text()
    );
    screen.press("enter");
    assert_eq!(screen.session().history.depth(), 1);
}

#[test]
fn a_count_of_many_digits_stands_apart_from_the_event() {
    let text = "datatype Id = A | B | C | D | E | F | G | H | I | J | K | L\n\
                channel c : Id.Id\nP = c?x?y -> Q(x, y)\nQ(x, y) = c.x.y -> P\n\
                assert P :[deadlock free]\n";
    let path = script("counts.csp", text);
    let screen = Screen::open_at(&path, Some("P"));
    let shown = screen.text();
    let counts: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.get(line.find("x1")?..))
        .collect();
    assert_eq!(counts.len(), 2, "{shown}");
    assert!(counts[0].starts_with("x12  vis  c."), "{shown}");
    assert!(counts[1].starts_with("x132 vis  c."), "{shown}");
}

#[test]
fn a_long_walk_keeps_what_is_shown_true() {
    let path = repository("models/peterson.csp");
    let mut screen = Screen::open_at(&path, None);
    for _ in 0..3 {
        screen.write("2000");
        screen.press("r");
        screen.compare();
    }
    screen.press("u");
    screen.compare();
    screen.press("R");
    screen.compare();
}
