//! Marks and the Compare view.

use super::super::app::{Msg, Overlay, Pane, View};
use super::super::comparing::WhichSide;
use super::super::theme::{Role, Theme};
use super::super::{layout, panes as all_panes};
use super::{Harness, at_the_seventeen, fake, pane, screen};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];
const SIZE: (u16, u16) = SIZES[0];

fn state(harness: &Harness) -> u32 {
    harness.app.session.as_ref().unwrap().current().number
}

/// Opened at each of the sizes: what is focused depends on it.
fn shot(name: &str, open: impl Fn((u16, u16)) -> Harness) {
    for size in SIZES {
        let harness = open(size);
        let name = format!("compare_{name}_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, screen(&harness.app));
    }
}

/// The fourteenth state of the list stack beside an earlier one.
fn beside(size: (u16, u16), number: usize) -> Harness {
    let mut harness = at_the_seventeen(size);
    match 14 - number {
        0 => harness.press("m a c a"),
        back => harness.press(&format!("{back}u m a {back}U c a")),
    }
    harness
}

fn pressed(mut harness: Harness, keys: &str) -> Harness {
    harness.press(keys);
    harness
}

#[test]
fn marks_are_set_shown_moved_and_found() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("m");
    let text = harness.screen();
    assert!(
        text.contains("m ... mark this state: type a letter"),
        "{text}"
    );
    harness.press("a");
    let text = harness.screen();
    assert!(text.contains("'a marks step 14"), "{text}");
    assert!(text.contains("getTop.T1.N4               'a"), "{text}");
    harness.press("4u ' a");
    assert_eq!(state(&harness), 14);
    harness.press("4u m a");
    let text = harness.screen();
    assert!(
        text.contains("'a marks step 10 now, and no longer step 14"),
        "{text}"
    );
    harness.press("m a");
    assert!(harness.screen().contains("'a marks this state already"));
    harness.press("2U m b '");
    let text = harness.screen();
    assert!(text.contains("' ... go to which mark? a b"), "{text}");
    harness.press("a");
    assert_eq!(state(&harness), 10);
}

/// Every letter, also those that are commands, and capitals.
#[test]
fn every_letter_marks() {
    let mut harness = Harness::new(SIZE);
    harness.press("enter enter");
    for letter in ('a'..='z').chain('A'..='Z') {
        harness.press(&format!("m {letter} u ' {letter}"));
        assert_eq!(state(&harness), 2, "{letter}");
        assert_eq!(harness.app.view, View::Animate, "{letter}");
    }
    assert!(!harness.quit);
}

#[test]
fn what_is_no_letter_does_nothing() {
    let mut harness = Harness::new(SIZE);
    harness.press("m enter");
    assert_eq!(state(&harness), 0);
    assert!(
        harness
            .screen()
            .contains("mark this state: Enter is no letter")
    );
    harness.press("m 3 m esc ' esc enter");
    assert_eq!((state(&harness), harness.app.view), (1, View::Animate));
    harness.press("' z");
    assert!(harness.screen().contains("there is no mark 'z: mz sets it"));
    harness.press("m q ' z");
    let text = harness.screen();
    assert!(
        text.contains("there is no mark 'z; those that there are: 'q"),
        "{text}"
    );
}

#[test]
fn marks_survive_another_process() {
    let mut harness = Harness::new(SIZE);
    harness.press("enter m a O BadSystem enter");
    assert_eq!(state(&harness), 400);
    harness.press("c");
    let text = harness.screen();
    assert!(text.contains("> a  'a (step 1 of System)"), "{text}");
    harness.press("a");
    assert!(
        harness
            .screen()
            .contains("the two states are of different processes")
    );
    harness.press("1 ' a");
    assert_eq!(state(&harness), 1);
}

#[test]
fn nothing_to_compare_with() {
    let mut harness = Harness::new(SIZE);
    harness.press("c");
    assert_eq!(harness.app.overlay, None);
    assert!(harness.screen().contains("no mark and no step before"));
    harness.press("3");
    assert!(harness.screen().contains("Nothing is compared yet."));
    // None of the commands of the view does anything.
    for key in [
        "x", "p", "d", "enter", "h", "l", "tab", "enter", "tab", "enter", "G", "j",
    ] {
        harness.press(key);
    }
    assert_eq!(harness.app.view, View::Compare);
    harness.press("q");
    assert_eq!(harness.app.view, View::Animate);
}

#[test]
fn the_list_of_what_can_be_compared() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("3u m b 3U m a c");
    // The mark that is elsewhere, not the one of this state.
    assert_eq!(harness.app.overlay, Some(Overlay::Compare(1)));
    shot("list", |size| {
        pressed(at_the_seventeen(size), "3u m b 3U m a c")
    });
    harness.press("z");
    assert!(
        harness
            .screen()
            .contains("there is no mark 'z; those that there are: 'a 'b")
    );
    harness.press("c down enter");
    let (a, b) = harness.app.compare.states().unwrap();
    // The first two of eight equal transitions.
    assert_eq!((a.number, b.number), (100, 103));
    harness.press("1 4 l c 1");
    harness.press("1 c");
    harness.press("esc");
    assert_eq!(harness.app.view, View::Animate);
    harness.press("c 2");
    let (a, b) = harness.app.compare.states().unwrap();
    assert_eq!((a.number, b.number), (13, 14));
    // `c c` is the selected entry while no mark is called so.
    harness.press("1 c c");
    assert_eq!(harness.app.compare.states().unwrap().0.number, 11);
    harness.press("1 m c u c c");
    assert_eq!(harness.app.compare.states().unwrap().0.number, 14);
}

#[test]
fn members_of_a_group() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("c");
    assert!(
        harness
            .screen()
            .contains("where 1 and 2 of the 8 equal transitions lead")
    );
    harness.press("enter");
    shot("members", |size| pressed(at_the_seventeen(size), "c enter"));
    // Enter takes the transition, so that Orbit can show its target.
    harness.press("h enter");
    assert_eq!((harness.app.view, state(&harness)), (View::Orbit, 100));
    assert_eq!(harness.app.orbit.frame, 2);
    harness.press("3 l enter");
    assert_eq!((harness.app.view, state(&harness)), (View::Orbit, 103));
}

#[test]
fn verdicts() {
    for (number, name) in [
        (7, "other_format"),
        (8, "undecided"),
        (9, "bisimilar"),
        (10, "fault"),
        (11, "one_orbit"),
        (12, "keys"),
        (13, "tree"),
        (14, "same"),
    ] {
        shot(name, |size| beside(size, number));
    }
}

#[test]
fn every_pane() {
    let harness = beside(SIZE, 11);
    for p in [
        Pane::StateA,
        Pane::StateB,
        Pane::Verdict,
        Pane::SideBySide,
        Pane::WhatIf,
    ] {
        insta::assert_snapshot!(format!("compare_pane_{p:?}"), pane(&harness.app, p, 56, 16));
    }
}

#[test]
fn panes_of_the_view_are_all_within_reach() {
    for size in SIZES {
        let mut harness = beside(size, 11);
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push(harness.app.pane());
            assert!(
                layout::visible(&harness.app, harness.app.pane()),
                "{size:?}"
            );
            // To the last line of each.
            harness.press("G");
            let (columns, rows) = layout::inner(&harness.app, harness.app.pane());
            let pane = harness.app.pane();
            let content = all_panes::build(&harness.app, pane, columns.into(), rows.into());
            let first = all_panes::first_line(&harness.app, pane, &content, rows.into());
            let last = first + usize::from(rows) + content.frozen;
            assert!(last >= content.lines.len(), "{pane:?} {size:?}");
            harness.press("tab");
        }
        for pane in View::Compare.panes() {
            assert!(seen.contains(pane), "{pane:?} {size:?}");
        }
    }
}

#[test]
fn trees_unfold() {
    let mut harness = beside(SIZE, 13);
    harness.press("shift-tab");
    assert_eq!(harness.app.pane(), Pane::Verdict);
    let text = harness.screen();
    assert!(
        text.contains("+ N0 to N2? No:") && !text.contains("N1 to N5?"),
        "{text}"
    );
    harness.press("j j enter");
    let text = harness.screen();
    assert!(
        text.contains("> - ") || text.contains(">  - N0 to N2? No:"),
        "{text}"
    );
    shot("tree_unfolded", |size| {
        let mut harness = beside(size, 13);
        harness.app.focus_on(Pane::Verdict);
        pressed(harness, "j j enter")
    });
    harness.press("enter");
    assert!(!harness.screen().contains("Counting tells no more. N1"));
}

#[test]
fn exchanged_arrows_and_differences() {
    let mut harness = beside(SIZE, 11);
    assert_eq!(harness.app.compare.side, WhichSide::B);
    harness.press("p");
    let text = harness.screen();
    assert!(text.contains("-> N2") && text.contains("<- N0"), "{text}");
    shot("arrows", |size| pressed(beside(size, 11), "tab p"));
    shot("differences", |size| pressed(beside(size, 11), "tab d"));
    harness.press("p x");
    let (a, b) = harness.app.compare.states().unwrap();
    assert_eq!((a.number, b.number), (14, 11));
    assert_eq!(harness.app.compare.side, WhichSide::A);
    harness.press("x 1 c a p");
    assert!(harness.app.note.is_empty(), "{}", harness.app.note);
    // No permutation, no arrows.
    let mut harness = beside(SIZE, 12);
    harness.press("p");
    assert!(
        harness.app.note.contains("no permutation takes A to B"),
        "{}",
        harness.app.note
    );
}

#[test]
fn enter_goes_to_the_states() {
    let mut harness = beside(SIZE, 11);
    harness.press("tab");
    assert_eq!(harness.app.pane(), Pane::StateA);
    harness.press("enter");
    assert_eq!((harness.app.view, state(&harness)), (View::Animate, 11));
    harness.press("3 tab enter");
    assert_eq!((harness.app.view, state(&harness)), (View::Animate, 14));
}

#[test]
fn where_an_orbit_was_met() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("enter m a u l");
    let text = harness.screen();
    assert!(
        text.contains("visited: orbit of 'a (step 15) (v)"),
        "{text}"
    );
    harness.press("v");
    assert_eq!(state(&harness), 100);
    assert!(harness.screen().contains("you came from step 14"));
    harness.press("u l c");
    let text = harness.screen();
    assert!(
        text.contains("'a (step 15), and where the selected transition leads"),
        "{text}"
    );
    // Where nothing was met, it says so.
    harness.press("esc G v");
    assert!(
        harness
            .app
            .note
            .contains("no other state of its orbit was visited")
    );
}

/// Keys while the engine is busy, and sizes that change, leave the view whole.
#[test]
fn comparing_while_busy_and_resized() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press_only("3u m a 3U c a p x d l h");
    harness.send(Msg::Resize(60, 16));
    harness.press_only("j enter 3 x");
    harness.send(Msg::Resize(80, 24));
    harness.settle();
    assert!(harness.screen().contains("COMPARE"), "{}", harness.screen());
    // Cancelled before it was answered, or answered: never in between.
    let mut harness = Harness::loading(SIZE, None, fake::engine(), fake::checks());
    harness.settle();
    harness.press("enter m a enter");
    harness.press_only("c a esc");
    harness.settle();
    let text = harness.screen();
    assert!(
        text.contains("different orbits") || text.contains("cancelled"),
        "{text}"
    );
    harness.press("c a");
    assert!(harness.screen().contains("different orbits"));
}

/// What colours say, signs and words say too.
#[test]
fn roles_of_the_view_carry_signs() {
    for number in 7..14 {
        let mut harness = beside(SIZE, number);
        let theme = Theme::new(true, false);
        harness.app.theme = theme;
        let signs = [
            (Role::Changed, &["~"][..]),
            (Role::Choice, &["!"]),
            (Role::Fail, &["rror", "not"]),
        ];
        for (pane, _) in layout::panes(&harness.app) {
            for line in all_panes::build(&harness.app, pane, 70, 16).lines {
                let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
                for (role, signs) in signs {
                    if line.spans.iter().any(|s| s.style == theme.style(role)) {
                        assert!(signs.iter().any(|s| text.contains(s)), "{role:?}: {text}");
                    }
                }
            }
        }
        let mono = screen(&harness.app);
        harness.app.theme.ascii = true;
        assert!(screen(&harness.app).is_ascii(), "{mono}");
    }
}
