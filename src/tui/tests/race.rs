//! Races of strategies, in the Check view.

use super::super::app::{Msg, Pane, View};
use super::super::layout;
use super::super::racing::JobStage;
use super::{Harness, pane, real, real_file, screen, scripted};
use crate::animate::comparison::RelationView;
use crate::animate::model::KeepingKind;
use crate::check::Options;
use crate::symmetry::StructuralKind;

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];
const SIZE: (u16, u16) = SIZES[0];

fn shot(name: &str, harness: &mut Harness) {
    for size in SIZES {
        harness.app.size = size;
        let name = format!("race_{name}_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, screen(&harness.app));
    }
    harness.app.size = SIZE;
}

#[test]
fn before_a_race_there_is_no_table_of_it() {
    let mut harness = Harness::new(SIZE);
    harness.press("4");
    let panes = layout::reachable(&harness.app);
    assert!(!panes.contains(&Pane::Racing) && !panes.contains(&Pane::Doubled));
}

#[test]
fn a_race_of_an_assertion() {
    let mut harness = Harness::new(SIZE);
    harness.press("4 r");
    harness.settle();
    assert_eq!(
        (harness.app.view, harness.app.pane()),
        (View::Check, Pane::Racing)
    );
    // The first strategy that has something to compare.
    assert_eq!(harness.app.race.selected, 3);
    shot("ended", &mut harness);
    harness.press("k");
    harness.press("enter");
    assert!(harness.screen().contains("ordering has nothing to compare"));
    harness.press("G k");
    let text = pane(&harness.app, Pane::Doubled, 118, 14);
    assert!(text.contains("counters do not apply"), "{text}");
}

#[test]
fn a_race_goes_on_in_the_background_until_it_is_cancelled() {
    let mut harness = Harness::held(SIZE);
    harness.press_only("4 r");
    // What the animator is asked for is answered, too, or the picture would depend on how fast it is.
    harness.wait_for("the last strategy", |app| {
        app.race.rows.len() == 5 && app.race.running.is_some() && app.pending.is_empty()
    });
    shot("running", &mut harness);
    harness.press_only("p");
    assert!(harness.screen().contains("a race is going on"));
    harness.press_only("1");
    assert!(harness.app.race.is_active(), "it goes on elsewhere");
    harness.press_only("q");
    assert!(harness.screen().contains("Quit?"));
    harness.press_only("n 4 esc");
    harness.settle();
    assert_eq!(harness.app.race.stage, JobStage::Ended);
    assert_eq!(harness.app.race.rows.len(), 6);
}

#[test]
fn a_check_takes_the_place_of_a_race_which_can_be_looked_at_again() {
    let mut harness = Harness::new(SIZE);
    harness.press("4 r");
    harness.settle();
    harness.press("x");
    harness.settle();
    assert_eq!(harness.app.pane(), Pane::Assertions);
    assert!(!layout::visible(&harness.app, Pane::Racing));
    harness.press("shift-tab");
    assert_eq!(harness.app.pane(), Pane::Doubled);
    assert!(layout::visible(&harness.app, Pane::Racing));
}

/// Esc leads back to the check, from where the race can be looked at again.
#[test]
fn esc_leaves_a_race() {
    let mut harness = Harness::new(SIZE);
    harness.press("4 r");
    harness.settle();
    assert_eq!(harness.app.pane(), Pane::Racing);
    harness.press("esc");
    assert_eq!(
        (harness.app.view, harness.app.pane()),
        (View::Check, Pane::Assertions)
    );
    assert!(!layout::visible(&harness.app, Pane::Racing));
    assert!(!harness.app.race.rows.is_empty());
    harness.press("shift-tab shift-tab");
    assert!(layout::visible(&harness.app, Pane::Racing));
    // At two panes, too, and while it is going on Esc stops it first.
    harness.send(Msg::Resize(80, 24));
    harness.press("esc");
    assert!(!layout::visible(&harness.app, Pane::Racing));
}

#[test]
fn why_there_is_no_race() {
    let text = "channel a, b\nP = a -> b -> P\nassert P :[deadlock free]\n";
    let mut harness = scripted(text, None);
    harness.press("4 r");
    let text = harness.screen();
    assert!(text.contains("no datatype is symmetric"), "{text}");
}

/// Example 43 in five keys: race, the strategy `ordering`, compare.
#[test]
fn what_a_race_finds_is_opened_in_compare() {
    let mut harness = real("ring", Some("Rings"));
    harness.press("4 p");
    harness.settle();
    let rows = &harness.app.race.rows;
    assert_eq!(rows.len(), KeepingKind::all().count());
    let at = rows
        .iter()
        .position(|row| row.strategy == "ordering")
        .unwrap();
    harness.press("g g");
    harness.press(&vec!["j"; at].join(" "));
    harness.press("k");
    let text = pane(&harness.app, Pane::Doubled, 118, 14);
    assert!(text.contains("fell back 35 times of 59"), "{text}");
    harness.press("j");
    let text = pane(&harness.app, Pane::Doubled, 118, 14);
    assert!(
        text.contains("ordering gives one orbit two representatives"),
        "{text}"
    );
    harness.press("enter");
    harness.settle();
    assert_eq!(harness.app.view, View::Compare);
    let session = harness.app.session.as_ref().unwrap();
    let (a, b) = harness.app.compare.states().unwrap();
    let by = harness.app.compare.by;
    assert_eq!(by.name(), Some("ordering"));
    let found = session.comparison(a, b, by).unwrap().as_ref().unwrap();
    assert!(matches!(found.relation, RelationView::SameOrbit(_)));
    assert_eq!(found.parting.as_ref().unwrap().word, "choice");
    let marks: Vec<char> = session.history.marks().map(|(mark, _)| mark).collect();
    assert_eq!(marks, ['a', 'b']);
    // Both ways are branches of the history.
    assert_eq!(session.history.leaves().len(), 2);
}

/// What is opened in Compare is shown by the strategy that keeps both states; A goes on to others, whose steps stand side
/// by side, and Enter opens them in Orbit.
#[test]
fn the_strategy_that_keeps_both_is_the_one_that_is_compared() {
    let mut harness = real("ring", Some("Rings"));
    harness.press("4 p");
    harness.settle();
    let rows = &harness.app.race.rows;
    let at = rows
        .iter()
        .position(|row| row.strategy == "sorted")
        .unwrap();
    harness.press("g g");
    harness.press(&vec!["j"; at].join(" "));
    harness.press("enter");
    harness.settle();
    let text = harness.screen();
    assert!(text.contains("Verdict, by sorted"), "{text}");
    assert!(
        text.contains("Same orbit, two representatives by sorted"),
        "{text}"
    );
    assert!(text.contains("1. sort the values"), "{text}");
    assert!(text.contains("2! leave ties as they are"), "{text}");
    shot("compared", &mut harness);
    harness.press("enter");
    harness.settle();
    assert_eq!(harness.app.view, View::Orbit);
    let text = harness.screen();
    assert!(text.contains("Strategy sorted"), "{text}");
    assert!(text.contains("Representative: one of several"), "{text}");
    harness.press("3");
    // Segmented, then the two of Sec. 7.5.
    let mut names = Vec::new();
    for _ in 0..9 {
        harness.press("A");
        harness.settle();
        names.push(harness.app.compare.by.name().unwrap());
        assert!(!harness.screen().contains("computing"), "{names:?}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 9, "{names:?}");
}

/// A ring of integers: what races goes by the structure, and the pane says over which group.
#[test]
fn strategies_of_groups_race_where_no_datatype_is_symmetric() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/symmetry/cells.csp");
    let mut harness = real_file(&path, Some("Ring"), &Options::default());
    harness.press("4 p");
    harness.settle();
    let rows = &harness.app.race.rows;
    let names: Vec<&str> = rows.iter().map(|row| row.strategy).collect();
    assert_eq!(names, StructuralKind::ALL.map(StructuralKind::name));
    // Words of four bits up to rotation.
    assert_eq!(rows[0].progress.states, 6);
    let text = pane(&harness.app, Pane::Racing, 118, 14);
    let over = "the structure of the network: 4 permutations";
    assert!(text.contains(over), "{text}");
    for part in ["structure", "chain", "enumerate", "local", "all states"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
