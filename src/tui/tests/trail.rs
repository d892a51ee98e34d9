//! Counterexamples of all kinds and sizes: what is on the screen, and that all of it can be reached.

use std::path::Path;

use super::super::app::{App, Pane};
use super::super::layout;
use super::super::panes::counterexample::TrailTable;
use super::super::report::trail::has_end;
use super::super::theme::{Palette, Role, Theme};
use super::super::trail::TrailRow;
use super::{Harness, at_the_seventeen, panes, real_file, screen, scripted};
use crate::animate::model::Ending;
use crate::check::Options;
use crate::source::hash::IndexSet;

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];

/// An attack of three steps more than there are facts, each of which is a component.
fn attack() -> Harness {
    let path = Path::new("../data/screens/attack.csp");
    read(real_file(path, None, &Options::default()), 1)
}

/// The same with three hundred facts.
fn large_attack() -> Harness {
    let text = include_str!("../../../tests/data/screens/attack.csp");
    read(
        scripted(&text.replace("COUNT = 40", "COUNT = 300"), None),
        1,
    )
}

/// Five thousand steps.
fn long() -> Harness {
    let text = "channel a, b : {0..4999}\nchannel error\nSession(n) = n == 5000 & error -> STOP\n  \
                [] n < 5000 & if n % 3 == 0 then a.n -> Session(n+1) else b.n -> Session(n+1)\n\
                assert RUN({|a, b|}) [T= Session(0)\n";
    read(scripted(text, None), 1)
}

/// A value of ten thousand characters that changes at its end.
fn huge() -> Harness {
    let text = "datatype End = END.{0..3}\nchannel a : End\n\
                Send(s, END.n) = a.END.n -> if n < 3 then Send(s, END.(n+1)) else STOP\n\
                assert STOP [T= Send(<1000000..1001300>, END.0) \\ {a.END.0, a.END.1, a.END.2}\n";
    read(scripted(text, None), 1)
}

/// Its assertion of this number is checked, and the table of its counterexample is focused.
fn read(mut harness: Harness, number: usize) -> Harness {
    harness.press("4");
    for _ in 1..number {
        harness.press("j");
    }
    harness.press("x");
    harness.app.focus_on(Pane::Counterexample);
    harness
}

/// Each ending.
fn endings() -> Vec<(Ending, Harness)> {
    let path = Path::new("../data/screens/endings.csp");
    let mut found = Vec::new();
    for number in 1.. {
        let harness = read(real_file(path, None, &Options::default()), number);
        if harness.app.checks.selected + 1 < number {
            break;
        }
        let run = super::super::facts::counterexample(&harness.app);
        found.push((run.unwrap().ending.clone(), harness));
    }
    let kind = |(ending, _): &(Ending, Harness)| std::mem::discriminant(ending);
    let kinds: IndexSet<_> = found.iter().map(kind).collect();
    assert_eq!(
        kinds.len(),
        9,
        "{:?}",
        found.iter().map(|f| &f.0).collect::<Vec<_>>()
    );
    found
}

fn steps(app: &App) -> usize {
    super::super::facts::counterexample(app)
        .unwrap()
        .steps
        .len()
}

/// What of the table is on the screen.
fn table<T>(app: &App, say: impl Fn(&TrailTable<'_>) -> T) -> T {
    let (columns, rows) = layout::inner(app, Pane::Counterexample);
    let path = super::super::facts::counterexample(app).unwrap();
    say(&TrailTable::new(app, path, columns.into(), rows.into()))
}

#[test]
fn screens_of_an_attack() {
    let mut harness = attack();
    for (name, keys) in [
        ("component", "0 l l l j j j j"),
        ("unfolded", "0 g g l l l i"),
        ("end", "$"),
        ("all", "d G"),
    ] {
        harness.press(keys);
        for size in SIZES {
            harness.app.size = size;
            let name = format!("trail_{name}_{}x{}", size.0, size.1);
            insta::assert_snapshot!(name, screen(&harness.app));
        }
        harness.app.size = SIZES[0];
    }
}

/// Each ending is told at the last column, with the reason below, at each size.
#[test]
fn every_ending_is_told() {
    for (ending, mut harness) in endings() {
        let path = super::super::facts::counterexample(&harness.app).unwrap();
        assert_eq!(has_end(path), !matches!(ending, Ending::Refused { .. }));
        let begins: String = path.reason.chars().take(20).collect();
        harness.press("$");
        for size in SIZES {
            harness.app.size = size;
            let text = screen(&harness.app);
            let fails = ending != Ending::Performed;
            let told = text.contains(&format!("VIOLATION {begins}"));
            assert_eq!(told, fails, "{ending:?}\n{text}");
            let steps = format!(" of {} | rows", steps(&harness.app));
            assert!(text.contains(&steps), "{ending:?}\n{text}");
        }
    }
}

/// Whatever the size of the run: each key answers, each step and each row can be selected, and what is selected
/// is on the screen.
#[test]
fn large_runs_are_walked() {
    for mut harness in [long(), large_attack(), huge()] {
        let steps = steps(&harness.app);
        for size in SIZES {
            harness.app.size = size;
            let start = std::time::Instant::now();
            for key in [
                "$", "0", "l", "l", "G", "k", "d", "G", "i", "esc", "$", "h", "h", "v", "$", "v",
            ] {
                harness.press_only(key);
                let text = screen(&harness.app);
                assert!(table(&harness.app, |t| {
                    let (row, column) = t.selected();
                    let at = t.trail.columns.iter().position(|c| c == column);
                    t.rows.contains(&row) && at.is_some_and(|at| t.window.contains(&at))
                }));
                assert!(
                    harness.app.overlay.is_some() || text.contains(&format!(" of {steps} | rows")),
                    "{text}"
                );
            }
            assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        }
    }
}

/// A value of ten thousand characters is read in full, and two that differ at their ends look different.
#[test]
fn long_values_open_in_full() {
    let mut harness = huge();
    harness.app.size = SIZES[1];
    harness.press("l G");
    assert_eq!(
        table(&harness.app, |t| t.selected().0),
        TrailRow::Component(0)
    );
    let text = screen(&harness.app);
    assert!(text.contains("END.1") && text.contains("END.0"), "{text}");
    harness.press("i G");
    let text = screen(&harness.app);
    assert!(text.contains("event"), "{text}");
}

/// The run is followed to the step that was selected; there the screen says what is wrong.
#[test]
fn a_run_is_followed_to_its_violation() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 j j x");
    harness.app.focus_on(Pane::Counterexample);
    harness.press("$ enter");
    for size in SIZES {
        harness.app.size = size;
        harness.app.focus_on(Pane::State);
        let text = screen(&harness.app);
        assert!(text.contains("VIOLATION"), "{text}");
        insta::assert_snapshot!(format!("followed_{}x{}", size.0, size.1), text);
    }
    harness.press("u");
    let text = screen(&harness.app);
    assert!(
        !text.contains("VIOLATION") && text.contains("spec"),
        "{text}"
    );
    // The other pane is focused: Check comes back as it was left.
    harness.press("4 0 l l enter");
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.followed().map(|place| place.steps), Some(2));
}

/// With many components, what a step changed is on the screen at every size, with what it was in full or cut
/// where the two differ.
#[test]
fn what_moved_is_in_sight() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 j j x");
    harness.app.focus_on(Pane::Counterexample);
    harness.press("0 enter s");
    for _ in 0..8 {
        harness.press("U");
        let session = harness.app.session.as_ref().unwrap();
        let changed: Vec<String> = session.changed().into_iter().flatten().collect();
        for size in [(120, 30), (80, 24), (60, 16)] {
            harness.app.size = size;
            harness.app.focus_on(Pane::State);
            let text = screen(&harness.app);
            for old in &changed {
                assert!(text.contains(old.as_str()), "{old}\n{text}");
            }
        }
        harness.app.size = SIZES[0];
    }
    harness.press("d");
    assert!(screen(&harness.app).contains("changed only"));
    harness.press("/ Top enter");
    insta::assert_snapshot!("state_filtered", screen(&harness.app));
}

/// The text of a frame is the same in every theme, and ASCII is ASCII.
#[test]
fn themes_change_no_text() {
    let mut apps = vec![at_the_seventeen(SIZES[0]).app];
    let mut harness = attack();
    harness.press("$");
    apps.push(harness.app);
    for app in &mut apps {
        for size in SIZES {
            app.size = size;
            let text = |app: &mut App, palette| {
                app.theme = Theme {
                    palette,
                    background: None,
                    ascii: false,
                };
                screen(app)
            };
            let mono = text(app, Palette::Mono);
            for palette in Palette::ALL {
                assert_eq!(mono, text(app, palette));
            }
            app.theme.ascii = true;
            assert!(screen(app).is_ascii());
        }
    }
}

/// What goes wrong is said with a sign or a word on each line that is in its colour.
#[test]
fn what_is_wrong_has_a_sign() {
    for (_, mut harness) in endings() {
        harness.app.theme = Theme::new(true, false);
        harness.press("$ l");
        let fail = harness.app.theme.style(Role::Fail);
        let mut signed = false;
        for line in panes::build(&harness.app, Pane::Counterexample, 100, 20).lines {
            let marked = line.spans.iter().any(|span| span.style == fail);
            let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
            let signs = ["X ", "VIOLATION"];
            // A cell of several lines has its sign on the first.
            signed = marked && (signed || signs.iter().any(|s| text.contains(s)));
            assert!(!marked || signed, "{text}");
        }
    }
}

/// Below the least size no key changes what cannot be seen.
#[test]
fn without_room_only_quitting_acts() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.app.size = (40, 10);
    let before = harness.app.session.as_ref().unwrap().history.current();
    harness.press("enter u 4 x : j");
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.history.current(), before);
    assert!(harness.app.overlay.is_none() && !harness.quit);
    assert!(screen(&harness.app).contains("q and Ctrl-z"));
    // The walk is not saved, which is asked about here, too.
    harness.press("q");
    assert!(!harness.quit && screen(&harness.app).contains("not saved"));
    harness.press("y");
    assert!(harness.quit);
}

/// Silent steps of the history are taken together, but for those that a person looks for.
#[test]
fn silent_steps_of_the_history_are_one_line() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("H i");
    let text = screen(&harness.app);
    assert!(text.contains("silent steps, to"), "{text}");
    let before = panes::history::lines(&harness.app).len();
    assert!(before < 15);
    // From line to line up to the beginning.
    for _ in 0..before {
        harness.press("k");
    }
    assert_eq!(harness.app.animate.history, Some(0));
    insta::assert_snapshot!("history_folded", screen(&harness.app));
    harness.press("i");
    assert_eq!(panes::history::lines(&harness.app).len(), 15);
}
