//! Marks and the Compare view.

use super::super::app::{Msg, Overlay, Pane, View};
use super::super::comparing::WhichSide;
use super::super::theme::{Role, Theme};
use super::super::{layout, panes as all_panes};
use super::{Harness, at_the_seventeen, events, real, screen, scripted, step};
use crate::animate::comparison::{PartingView, RelationView};
use crate::animate::model::{AskedStrategy, StateComparison};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];
const SIZE: (u16, u16) = SIZES[0];

/// Opened at each of the sizes: what is focused depends on it.
fn shot(name: &str, open: impl Fn((u16, u16)) -> Harness) {
    for size in SIZES {
        let harness = open(size);
        let name = format!("compare_{name}_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, screen(&harness.app));
    }
}

/// The fourteenth state of the list stack beside the one before.
fn beside(size: (u16, u16)) -> Harness {
    pressed(at_the_seventeen(size), "u m a U c a")
}

/// Where two transitions lead that are equal up to symmetry.
fn members(size: (u16, u16)) -> Harness {
    pressed(at_the_seventeen(size), "c enter")
}

/// A process after some steps, marked, beside itself after as many undone and others taken.
fn after(
    mut harness: Harness,
    size: (u16, u16),
    (one, back, other): (&str, usize, &str),
) -> Harness {
    let take = |harness: &mut Harness, events: &str| {
        for event in events.split(' ') {
            harness.line(&format!("take {event}")).unwrap();
        }
    };
    take(&mut harness, one);
    harness.press("m a");
    if back > 0 {
        harness.line(&format!("undo {back}")).unwrap();
    }
    take(&mut harness, other);
    harness.send(Msg::Resize(size.0, size.1));
    pressed(harness, "c a")
}

/// Rings of one orbit whose representatives depend on the choices.
fn choice(size: (u16, u16)) -> Harness {
    let one = "init.N1.A.N2 init.N2.B.N3 init.N3.B.N0 init.N0.A.N1";
    let other = "init.N2.A.N3 init.N3.B.N0 init.N0.B.N1";
    after(real("ring", Some("Rings")), size, (one, 3, other))
}

/// A A B B against A B A B: counting tells no more.
fn tree(size: (u16, u16)) -> Harness {
    let one = "init.N0.A.N1 init.N1.B.N2 init.N2.A.N3 init.N3.B.N0";
    let other = "free.N1 free.N2 init.N1.A.N2 init.N2.B.N3";
    let harness = scripted(include_str!("../../../models/ring.csp"), Some("Ring"));
    after(harness, size, (one, 0, other))
}

/// Nothing happens any more in either; but the operators hold other values.
fn other_format(size: (u16, u16)) -> Harness {
    let text = "datatype S = A | B\nchannel a, j, b, c : S\n\
                N(v, s, q) = #q != 0 & a!(head(q)) -> N(v, s, tail(q))\n\
                L = j?v -> (N(v, {v}, <v>) [| {| b, c.v |} |] N(v, diff({v}, diff(S, S)), <v>))\n";
    let steps = ("j.A a.A a.A", 3, "j.B a.B a.B");
    after(scripted(text, Some("L")), size, steps)
}

/// What one reads of two states where the engine has come to this.
fn doctored(change: impl Fn(&mut StateComparison)) -> String {
    let mut harness = members(SIZE);
    let (a, b) = harness.app.compare.states().unwrap();
    let session = harness.app.session.as_mut().unwrap();
    let mut found = session
        .comparison(a, b, AskedStrategy::Usual)
        .unwrap()
        .as_ref()
        .unwrap()
        .as_ref()
        .clone();
    change(&mut found);
    session.learn_comparison((a, b), AskedStrategy::Usual, Ok(found));
    // Exchanged and back, since what was unfolded is kept until then.
    harness.press("x x");
    harness.screen()
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
    assert_eq!(step(&harness), 14);
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
    assert_eq!(step(&harness), 10);
}

/// Every letter, also those that are commands, and capitals.
#[test]
fn every_letter_marks() {
    let mut harness = Harness::new(SIZE);
    harness.press("enter enter");
    for letter in ('a'..='z').chain('A'..='Z') {
        harness.press(&format!("m {letter} u ' {letter}"));
        assert_eq!(step(&harness), 2, "{letter}");
        assert_eq!(harness.app.view, View::Animate, "{letter}");
    }
    assert!(!harness.quit);
}

#[test]
fn what_is_no_letter_does_nothing() {
    let mut harness = Harness::new(SIZE);
    harness.press("m enter");
    assert_eq!(step(&harness), 0);
    assert!(
        harness
            .screen()
            .contains("mark this state: Enter is no letter")
    );
    harness.press("m 3 m esc ' esc enter");
    assert_eq!((step(&harness), harness.app.view), (1, View::Animate));
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
    assert_eq!(step(&harness), 0);
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
    assert_eq!(step(&harness), 1);
}

#[test]
fn nothing_to_compare_with() {
    let mut harness = scripted("channel a\nP = a -> a -> P\n", Some("P"));
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
    // The first two of eight equal transitions.
    let all = &harness
        .app
        .session
        .as_ref()
        .unwrap()
        .view()
        .unwrap()
        .transitions;
    let target = |event: &str| all.iter().find(|t| &*t.event == event).unwrap().target;
    let first_two = ["initNode.T1.N0.A.N4", "initNode.T1.N0.D.N4"].map(target);
    let (a, b) = harness.app.compare.states().unwrap();
    assert_eq!([a, b], first_two);
    harness.press("1 4 l c 1");
    harness.press("1 c");
    harness.press("esc");
    assert_eq!(harness.app.view, View::Animate);
    harness.press("c 2");
    let at = |harness: &Harness, step: usize| {
        let history = &harness.app.session.as_ref().unwrap().history;
        history.node(history.line()[step]).state
    };
    assert_eq!(
        harness.app.compare.states(),
        Some((at(&harness, 13), at(&harness, 14)))
    );
    // `c c` is the selected entry while no mark is called so.
    harness.press("1 c c");
    assert_eq!(harness.app.compare.states().unwrap().0, at(&harness, 11));
    harness.press("1 m c u c c");
    assert_eq!(harness.app.compare.states().unwrap().0, at(&harness, 14));
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
    shot("members", members);
    // Enter takes the transition, so that Orbit can show its target.
    harness.press("h enter");
    assert_eq!((harness.app.view, step(&harness)), (View::Orbit, 15));
    assert_eq!(events(&harness)[14], "initNode.T1.N0.A.N4");
    harness.press("3 l enter");
    assert_eq!((harness.app.view, step(&harness)), (View::Orbit, 15));
    assert_eq!(events(&harness)[14], "initNode.T1.N0.D.N4");
}

#[test]
fn verdicts() {
    shot("choice", choice);
    shot("keys", beside);
    shot("tree", tree);
    let text = screen(&other_format(SIZE).app);
    assert!(
        text.contains("Undecided: the states have other components"),
        "{text}"
    );
    let text = screen(&pressed(at_the_seventeen(SIZE), "m a c a").app);
    assert!(text.contains("State A and state B are the same."), "{text}");
}

/// What takes the engine too long to come to in a test, or ought never to happen.
#[test]
fn rare_verdicts() {
    let text = doctored(|found| found.relation = RelationView::Undecided { nodes: 10_000 });
    assert!(text.contains("Undecided: after 10,000 nodes"), "{text}");
    let text = doctored(|found| {
        let RelationView::SameOrbit(witness) = found.relation.clone() else {
            panic!("{found:?}");
        };
        let components = vec![0];
        found.relation = RelationView::Bisimilar {
            witness,
            components,
        };
    });
    assert!(text.contains("one orbit after merging only"), "{text}");
    let text = doctored(|found| {
        found.parting = Some(PartingView {
            step: Some(1),
            word: "fault",
            text: "Internal error: the runs part.".to_owned(),
        });
    });
    assert!(text.contains("Internal error: the runs part."), "{text}");
}

#[test]
fn panes_of_the_view_are_all_within_reach() {
    for size in SIZES {
        let mut harness = members(size);
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
    let mut harness = tree(SIZE);
    harness.press("shift-tab");
    assert_eq!(harness.app.pane(), Pane::Verdict);
    let text = harness.screen();
    assert!(
        text.contains("+ A to A? No:") && !text.contains("Round"),
        "{text}"
    );
    harness.press("j enter");
    let text = harness.screen();
    assert!(
        text.contains("- A to A? No:") && text.contains("Round"),
        "{text}"
    );
    shot("tree_unfolded", |size| {
        let mut harness = tree(size);
        harness.app.focus_on(Pane::Verdict);
        pressed(harness, "j enter")
    });
    harness.press("enter");
    assert!(!harness.screen().contains("Round"));
}

#[test]
fn exchanged_arrows_and_differences() {
    let mut harness = choice(SIZE);
    let (a, b) = harness.app.compare.states().unwrap();
    assert_eq!(harness.app.compare.side, WhichSide::B);
    harness.press("p");
    let text = harness.screen();
    assert!(text.contains("-> N1") && text.contains("<- N0"), "{text}");
    shot("arrows", |size| pressed(choice(size), "tab p"));
    shot("differences", |size| pressed(choice(size), "tab d"));
    harness.press("p x");
    assert_eq!(harness.app.compare.states(), Some((b, a)));
    assert_eq!(harness.app.compare.side, WhichSide::A);
    harness.press("x 1 c a p");
    assert!(harness.app.note.is_empty(), "{}", harness.app.note);
    // No permutation, no arrows.
    let mut harness = beside(SIZE);
    harness.press("p");
    assert!(
        harness.app.note.contains("no permutation takes A to B"),
        "{}",
        harness.app.note
    );
}

#[test]
fn enter_goes_to_the_states() {
    let mut harness = beside(SIZE);
    harness.press("tab");
    assert_eq!(harness.app.pane(), Pane::StateA);
    harness.press("enter");
    assert_eq!((harness.app.view, step(&harness)), (View::Animate, 13));
    harness.press("3 tab enter");
    assert_eq!((harness.app.view, step(&harness)), (View::Animate, 14));
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
    assert_eq!(step(&harness), 15);
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
    let mut harness = Harness::new(SIZE);
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
    for mut harness in [other_format, choice, beside, tree, members].map(|open| open(SIZE)) {
        let theme = Theme::new(true, false);
        harness.app.theme = theme;
        let signs = [
            (Role::Changed, &["~"][..]),
            (Role::Choice, &["!"]),
            (Role::Fail, &["rror", "not"]),
        ];
        for (pane, _) in layout::panes(&harness.app) {
            let mut signed = Vec::new();
            for line in all_panes::build(&harness.app, pane, 70, 16).lines {
                let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
                // A sentence has its sign where it begins.
                let marked = |role| line.spans.iter().any(|s| s.style == theme.style(role));
                signed.retain(|role| marked(*role));
                for (role, signs) in signs {
                    if marked(role) && !signed.contains(&role) {
                        assert!(signs.iter().any(|s| text.contains(s)), "{role:?}: {text}");
                        signed.push(role);
                    }
                }
            }
        }
        let mono = screen(&harness.app);
        harness.app.theme.ascii = true;
        assert!(screen(&harness.app).is_ascii(), "{mono}");
    }
}

/// Of a group found in the structure, the verdict says what is compared before it counts.
#[test]
fn a_verdict_by_structure_says_what_is_compared() {
    let text = "N = 4
channel put, get, mv : {0..N-1}
Cell(i) = put.i -> Full(i) [] mv.((i+N-1)%N) -> Full(i)
Full(i) = get.i -> Cell(i) [] mv.i -> Cell(i)
System = || i:{0..N-1} @ [{| put.i, get.i, mv.i, mv.((i+N-1)%N) |}] Cell(i)
";
    let mut harness = scripted(text, Some("System"));
    harness.line("take put.0").unwrap();
    harness.press("m a");
    harness.line("take put.1").unwrap();
    harness.press("c a");
    let shown = harness.screen();
    let at = |words: &str| {
        shown
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {shown}"))
    };
    assert!(at("Different orbits.") < at("A permutation from A to B would take"));
    assert!(at("A permutation from A to B would take") < at("Components like Cell[0] in Full(0)"));
}
