//! What keys do.

use std::path::Path;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::super::app::{Effect, Msg, Overlay, Pane, ShownState, Status, View};
use super::{Harness, LIST_STACK, at_the_seventeen, events, real, runners, screen, scripted, step};
use crate::animate::model::{TypeOrdering, Verdict};
use crate::check::Options;
use crate::source::Cancel;

const SIZE: (u16, u16) = (120, 36);

fn mouse(harness: &mut Harness, kind: MouseEventKind, column: u16, row: u16) {
    let modifiers = KeyModifiers::NONE;
    harness.send(Msg::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers,
    }));
    harness.settle();
}

#[test]
fn the_first_frame_needs_no_engine() {
    let harness = Harness::loading(SIZE, "System");
    assert!(harness.screen().contains("loading"));
}

#[test]
fn seventeen_transitions_are_four_orbits() {
    let mut harness = at_the_seventeen(SIZE);
    let text = harness.screen();
    assert!(text.contains("17 -> 4 orbits"));
    assert!(text.contains("> x8  tau  initNode.T1.{N0,N2,N3,N5}.{A,D}.N4"));
    harness.press("o");
    assert_eq!(harness.app.session.as_ref().unwrap().groups.len(), 17);
    harness.press("o h");
    assert!(
        harness
            .screen()
            .contains("initNode.T1.N5.D.N4  (8 of 8, h/l)")
    );
    harness.press("enter");
    assert_eq!(events(&harness).last().unwrap(), "initNode.T1.N5.D.N4");
    harness.press("u");
    assert!(harness.screen().contains("visited: orbit of step 15 (v)"));
}

#[test]
fn undo_redo_counts_and_jumps() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5u");
    assert_eq!(step(&harness), 9);
    harness.press("3U");
    assert_eq!(step(&harness), 12);
    harness.press("R");
    assert_eq!(step(&harness), 0);
    // Redo goes along the line that was left, although the restart came in between.
    harness.press("9U U");
    assert_eq!(step(&harness), 10);
    // From the transitions over state and representative to the history.
    harness.press("tab tab tab");
    assert_eq!(harness.app.pane(), Pane::History);
    harness.press("g g enter");
    assert_eq!(step(&harness), 0);
    harness.press("u");
    assert!(harness.app.note.contains("nothing to undo"));
}

/// Digits that are numbers of views go there, until a key shows that they were a count.
#[test]
fn counts_that_begin_with_the_number_of_a_view() {
    let mut harness = at_the_seventeen(SIZE);
    // The 2 shows the Orbit view; `u` means nothing there, but takes a count in Animate.
    harness.press("2u");
    assert_eq!((harness.app.view, step(&harness)), (View::Animate, 12));
    harness.press("R 14U");
    assert_eq!((harness.app.view, step(&harness)), (View::Animate, 14));
    harness.press("R 12U");
    assert_eq!(step(&harness), 12);
    harness.press("R 20r");
    assert_eq!(harness.app.view, View::Animate);
    assert!(step(&harness) > 10);
    harness.press("2");
    assert_eq!(harness.app.view, View::Orbit);
    harness.press("4");
    assert_eq!(harness.app.view, View::Check);
    harness.press("x");
    assert!(matches!(harness.app.checks.status[0], Status::Done(_)));
}

#[test]
fn random_walks_are_the_same_every_time_and_stop_at_a_deadlock() {
    let walk = || {
        let mut harness = Harness::new(SIZE);
        harness.press("99r");
        let history = &harness.app.session.as_ref().unwrap().history;
        let states: Vec<_> = history
            .path()
            .iter()
            .map(|id| history.node(*id).state)
            .collect();
        (states, harness.app.note.clone())
    };
    let (states, note) = walk();
    assert_eq!((states, note.clone()), walk());
    // The deadlock, or a state that cannot be evaluated.
    assert!(note.starts_with("stopped"), "{note}");
}

#[test]
fn repeat_takes_the_last_event_if_it_is_possible() {
    let mut harness = Harness::new(SIZE);
    harness.press(".");
    assert!(harness.app.note.contains("no event to repeat"));
    harness.press("enter .");
    assert!(harness.app.note.contains("lock.T0 is not possible here"));
    // Undone, the event is possible again: it is remembered by the session, not by the history.
    harness.press("u .");
    assert_eq!(step(&harness), 1);
}

#[test]
fn filters_by_event_component_and_case() {
    let mut harness = at_the_seventeen(SIZE);
    let count = |h: &Harness| -> usize {
        let groups = &h.app.session.as_ref().unwrap().groups;
        groups.iter().map(|g| g.members.len()).sum()
    };
    harness.press("/ READNEXT enter");
    assert_eq!(count(&harness), 1);
    harness.press("esc");
    assert_eq!(count(&harness), 17);
    harness.press("/ node[n4] enter");
    assert_eq!(count(&harness), 1);
    harness.press("/ z z z");
    assert_eq!(count(&harness), 0);
    assert!(harness.screen().contains("No transition passes the filter"));
    harness.press("esc");
    assert_eq!(count(&harness), 1);
}

#[test]
fn what_changed_is_marked_with_the_old_value() {
    let harness = at_the_seventeen(SIZE);
    let text = harness.screen();
    assert!(text.contains("~  T1   Choose(T1, N4)"), "{text}");
    assert!(text.contains(" was GetTop(T1)"), "{text}");
}

#[test]
fn an_evaluation_error_is_named_and_the_session_goes_on() {
    let mut harness = at_the_seventeen(SIZE);
    // The last transition leads to the state that cannot be evaluated.
    harness.press("G enter");
    assert!(harness.screen().contains("liststack.csp:44:"));
    harness.press("e");
    assert!(matches!(harness.app.overlay, Some(Overlay::Message { .. })));
    harness.press("esc u enter");
    assert_eq!(step(&harness), 15);
}

#[test]
fn a_panic_of_the_engine_is_a_message() {
    let path = Path::new(LIST_STACK);
    let broken = Box::new(|_: &Cancel| panic!("the engine is broken"));
    let checks = runners(path, &Options::default(), &[]);
    let mut harness = Harness::start(SIZE, (path, None), broken, checks);
    harness.settle();
    let text = harness.screen();
    assert!(
        text.contains("Internal error: the engine is broken"),
        "{text}"
    );
    harness.press("esc 4 q q");
    assert!(harness.quit);
}

#[test]
fn a_process_that_is_not_there_is_named() {
    let mut harness = Harness::opened(SIZE, "Nowhere");
    let text = harness.screen();
    // Once, over the whole screen, in every view that has nothing else to show.
    assert_eq!(
        text.matches("`Nowhere` is not defined").count(),
        1,
        "{text}"
    );
    harness.press("2");
    let text = harness.screen();
    assert!(text.contains("`Nowhere` is not defined"), "{text}");
    assert!(text.contains("O opens another process"), "{text}");
    harness.press("4");
    assert!(
        !harness.screen().contains("Nowhere` is"),
        "{}",
        harness.screen()
    );
    harness.press("O System enter");
    assert_eq!(step(&harness), 0);
}

#[test]
fn raw_representative_and_both() {
    let mut harness = at_the_seventeen(SIZE);
    for (show, there, missing) in [
        (ShownState::Raw, "State (raw)", "Representative ─"),
        (ShownState::Rep, "Representative ─", "State (raw)"),
    ] {
        harness.press("s");
        assert_eq!(harness.app.animate.show, show);
        let text = harness.screen();
        assert!(text.contains(there) && !text.contains(missing), "{text}");
    }
}

#[test]
fn the_orbit_view_steps_plays_and_follows() {
    let mut harness = real("example37", None);
    harness.press("w");
    assert_eq!(
        (harness.app.view, harness.app.orbit.frame),
        (View::Orbit, 0)
    );
    harness.press("]");
    assert_eq!(
        (harness.app.orbit.frame, harness.app.orbit.component),
        (2, 3)
    );
    let text = harness.screen();
    let sentence = "N3 before N0: nobody in S2 points at it (through next), so me->S2.next is 0";
    assert!(text.contains(sentence), "{text}");
    harness.press("n n n n n k");
    assert!(
        harness.screen().contains("N1 ==next==> N0"),
        "{}",
        harness.screen()
    );
    harness.press("$");
    assert_eq!(harness.app.orbit.frame, 8);
    harness.press("0 + p");
    // A step every second: the tables come as a whole, unlike in slow motion.
    harness.send(Msg::Tick(1_000));
    harness.send(Msg::Tick(2_000));
    assert_eq!(harness.app.orbit.frame, 2);
    harness.press("+ p");
    assert!(!harness.app.wants_ticks());
    harness.press("Y $");
    assert_eq!(harness.app.orbit.order, TypeOrdering::IdentitiesFirst);
    assert!(harness.screen().contains("<N2, N5, N3, N0, N1, N4>"));
    harness.press("T E");
    assert!(!harness.screen().contains("n-values:"));
    harness.press("q");
    assert_eq!(harness.app.view, View::Animate);
}

#[test]
fn checks_run_and_the_counterexample_is_animated() {
    let mut harness = Harness::new(SIZE);
    // The table stands at the violation, and so does the run that is followed from there.
    harness.press("4 j j x enter");
    assert_eq!((harness.app.view, step(&harness)), (View::Animate, 11));
    let history = &harness.app.session.as_ref().unwrap().history;
    assert_eq!(history.process(), "BadSystem");
    assert_eq!(history.line().len(), 12);
    let trace = harness.app.session.as_ref().unwrap().trace_text();
    assert_eq!(trace, "<push.T0.A, push.T0.B, pop.T0.A>");
    harness.press("11u");
    assert_eq!(step(&harness), 0);
    harness.press("B");
    assert_eq!(
        harness.app.session.as_ref().unwrap().history.process(),
        "System"
    );
}

#[test]
fn quitting_asks_while_a_check_is_running() {
    let mut harness = Harness::held(SIZE);
    // Not waited for: the second check never ends by itself.
    harness.press_only("4 j x q q");
    assert_eq!(harness.app.overlay, Some(Overlay::Quit));
    harness.press_only("esc esc esc");
    assert!(!harness.quit);
    harness.press_only("q y");
    assert!(harness.quit);
}

#[test]
fn cancelled_checks_say_so() {
    let mut harness = Harness::held(SIZE);
    harness.press_only("4 j x X");
    harness.settle();
    let outcome = harness.app.checks.outcome().unwrap();
    assert_eq!(
        outcome.verdict,
        Verdict::Inconclusive("cancelled".to_string())
    );
    harness.press("q q");
    assert!(harness.quit);
}

#[test]
fn escape_never_quits_and_ctrl_c_always_does() {
    for open in ["", "?", ":", "space", "/", "H", "V", "8", "2", "4", "z"] {
        let mut harness = Harness::new((80, 24));
        if !open.is_empty() {
            harness.press(open);
        }
        harness.press("esc esc esc esc");
        assert!(!harness.quit && harness.app.overlay.is_none(), "{open}");
        if !open.is_empty() {
            harness.press(open);
        }
        harness.press("ctrl-c");
        assert!(harness.quit, "{open}");
    }
}

#[test]
fn help_menu_and_palette_run_commands() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("? undo enter");
    assert_eq!(step(&harness), 13);
    harness.press("space s u");
    assert_eq!(step(&harness), 12);
    harness.press(": orbit space view enter");
    assert_eq!(harness.app.view, View::Orbit);
    harness.press(": check: space Spec enter");
    assert_eq!(harness.app.view, View::Check);
    assert!(matches!(harness.app.checks.status[0], Status::Done(_)));
    harness.press("space c X");
    assert!(harness.app.note.contains("no check is running"));
}

/// The list is not made anew for each of them, and the line does not grow without end.
#[test]
fn a_long_text_that_is_pasted_is_cut() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press(":");
    for _ in 0..10_000 {
        harness.press_only("x");
    }
    let typed = match &harness.app.overlay {
        Some(Overlay::Palette(search)) => search.query.len(),
        _ => 0,
    };
    assert_eq!(typed, crate::keys::LINE_MAX);
    assert!(harness.app.note.contains("at most 2000 bytes"));
    harness.press("backspace esc");
    assert!(harness.app.overlay.is_none());
}

/// Letters of a text that is pasted are no keys.
#[test]
fn what_is_pasted_is_text() {
    let mut harness = at_the_seventeen(SIZE);
    let steps = harness.app.session.as_ref().unwrap().history.ids().count();
    harness.send(Msg::Paste("uuq\nr".to_owned()));
    assert!(
        harness.app.note.contains("went nowhere"),
        "{}",
        harness.app.note
    );
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.history.ids().count(), steps);
    harness.press(":");
    harness.send(Msg::Paste("go\tto \r\n step 3\n".to_owned()));
    let query = |harness: &Harness| match &harness.app.overlay {
        Some(Overlay::Palette(search)) => search.query.clone(),
        _ => String::new(),
    };
    assert_eq!(query(&harness), "go to step 3");
    harness.press("alt-b ctrl-w");
    assert_eq!(query(&harness), "go to 3");
    harness.press("ctrl-u");
    harness.send(Msg::Paste("x".repeat(1_000_000)));
    assert_eq!(query(&harness).len(), crate::keys::LINE_MAX);
    harness.press("ctrl-u u n d o enter : up");
    assert_eq!(query(&harness), "undo");
}

/// An event is taken by its name: the letters of it between two keys.
#[test]
fn an_event_is_taken_by_its_letters() {
    let mut harness = scripted(
        "channel coffee, tea : {0..3}\nP = [] i : {0..3} @ (coffee.i -> P [] tea.i -> STOP)\n",
        Some("P"),
    );
    harness.press(": t e a . 2 enter");
    assert_eq!(events(&harness), ["tea.2"]);
}

/// Digits that are typed one after the other with time between them open views.
#[test]
fn a_digit_after_a_pause_is_no_count() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("8 7");
    assert_eq!(harness.app.view, View::Structure);
    assert!(!harness.screen().contains("count"), "{}", harness.screen());
}

#[test]
fn the_mouse_selects_takes_and_opens_tabs() {
    let mut harness = at_the_seventeen(SIZE);
    let down = MouseEventKind::Down(MouseButton::Left);
    // Rows count from 0. Groups begin in row 2 and take two rows each: row 8 is the fourth group.
    mouse(&mut harness, down, 10, 8);
    assert_eq!(harness.app.animate.group, 3);
    mouse(&mut harness, down, 10, 4);
    mouse(&mut harness, down, 10, 4);
    assert_eq!(events(&harness).last().unwrap(), "initNode.T1.N0.B.N4");
    mouse(&mut harness, MouseEventKind::ScrollUp, 10, 30);
    mouse(&mut harness, down, 14, 0);
    assert_eq!(harness.app.view, View::Orbit);
    mouse(&mut harness, down, 3, 0);
    assert_eq!(harness.app.view, View::Animate);
    let hint = super::super::footer::hints(&harness.app);
    let undo = hint.iter().find(|(_, c)| c.id == "undo").unwrap().0.start as u16;
    mouse(&mut harness, down, undo, 35);
    assert_eq!(step(&harness), 14);
    harness.press("space");
    for entry in ["p  Program", "?  help"] {
        let text = harness.screen();
        let mut rows = text.lines().enumerate();
        let found =
            rows.find_map(|(row, line)| Some((row, line.split_once(entry)?.0.chars().count())));
        let (row, column) = found.unwrap();
        mouse(&mut harness, down, column as u16, row as u16);
    }
    assert!(matches!(harness.app.overlay, Some(Overlay::Help(_))));
    harness.press("esc M");
    assert_eq!(harness.others, [Effect::Mouse(false)]);
}

#[test]
fn a_terminal_that_shrinks_and_grows_shows_the_same() {
    let mut harness = at_the_seventeen(SIZE);
    let before = harness.screen();
    harness.send(Msg::Resize(40, 10));
    assert!(harness.screen().contains("at least 60x16"));
    assert!(harness.screen().contains("push.T0.B"));
    harness.send(Msg::Resize(SIZE.0, SIZE.1));
    assert_eq!(harness.screen(), before);
}

#[test]
fn ten_thousand_transitions_are_drawn_quickly() {
    let text = "channel a : {1..10000}\nP = a?x -> Q(x)\nQ(x) = a.x -> P\n";
    let harness = scripted(text, Some("P"));
    assert!(
        harness.screen().contains("10000 transitions"),
        "{}",
        harness.screen()
    );
    // Only what fits is drawn, so the time must not grow with the list.
    let start = std::time::Instant::now();
    for _ in 0..10 {
        let _ = screen(&harness.app);
    }
    let each = start.elapsed() / 10;
    assert!(
        each.as_millis() < 80,
        "{each:?} a frame without optimisation"
    );
}

/// Who goes to another view while the first process is compiled is left there; who opens one goes to it.
#[test]
fn the_first_process_takes_nobody_away() {
    let mut harness = Harness::loading((120, 36), "System");
    harness.press_only("4");
    harness.settle();
    assert_eq!(harness.app.view, View::Check);
    assert!(harness.app.session.is_some());
    harness.press(": o p e n space P u s h e r s enter");
    assert_eq!(harness.app.view, View::Animate);
}

/// Where few components have long states, the representative stands below, and nothing is cut.
#[test]
fn what_does_not_fit_beside_stands_below() {
    let text = "datatype C = c1 | c2 | c3\nchannel enter : C\n\
                CustomerCtrl(n, c) = n < 2 & enter?x -> CustomerCtrl(n+1, x)\n\
                Other(m) = enter?x -> Other(m)\n\
                channel first : C\nSystem = first?c -> (CustomerCtrl(0, c) [| {| enter |} |] Other(0))\n\
                assert System :[deadlock free]\n";
    let mut harness = scripted(text, None);
    harness.press("enter");
    let text = harness.screen();
    for whole in [
        "│ ~ CustomerCtrl  CustomerCtrl.enter(0) was",
        "│   CustomerCtrl  CustomerCtrl.enter(0) ",
    ] {
        assert!(text.contains(whole), "{text}");
    }
}
