//! Pictures of the screen at the sizes that matter.

use std::path::Path;

use super::super::app::{App, Pane, Status, View};
use super::super::theme::{Role, Theme};
use super::super::{layout, panes as all_panes};
use super::{Harness, MISSING, at_the_seventeen, real, real_file, screen, scripted};
use crate::check::Options;

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];

fn shot(name: &str, app: &mut App) {
    for size in SIZES {
        app.size = size;
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen(app));
    }
    app.size = SIZES[0];
}

#[test]
fn loading() {
    let mut harness = Harness::loading(SIZES[0], "System");
    shot("loading", &mut harness.app);
}

#[test]
fn animate() {
    let mut harness = at_the_seventeen(SIZES[0]);
    shot("animate", &mut harness.app);
    // Less than the least size: all views are the same.
    harness.app.size = (40, 10);
    insta::assert_snapshot!("animate_40x10", screen(&harness.app));
    harness.app.size = SIZES[0];
    harness.press("o");
    shot("animate_ungrouped", &mut harness.app);
}

#[test]
fn animate_with_a_branch_and_a_failure() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("2u j enter u U B G enter");
    shot("animate_branch", &mut harness.app);
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("G enter");
    shot("animate_failure", &mut harness.app);
    harness.press("e");
    shot("failure_in_full", &mut harness.app);
}

#[test]
fn orbit() {
    let mut harness = real("example37", None);
    harness.press("w");
    shot("orbit_1_initial", &mut harness.app);
    harness.press("l l");
    shot("orbit_3_split", &mut harness.app);
    harness.press("]");
    shot("orbit_5_choice", &mut harness.app);
    harness.press("$");
    shot("orbit_6_ordered", &mut harness.app);
}

#[test]
fn check() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 x j j x");
    shot("check", &mut harness.app);
    harness.press("tab tab v");
    shot("check_visible", &mut harness.app);
    harness.press("s / Node enter");
    shot("check_quotient", &mut harness.app);
}

#[test]
fn check_running() {
    let mut harness = Harness::held(SIZES[0]);
    harness.press_only("4 a");
    // The figures and what is planned have to be there, too, or the picture would depend on how fast the thread is.
    harness.wait_for("check 2", |app| {
        app.checks.status[1] == Status::Running
            && app.pending.is_empty()
            && app
                .checks
                .running
                .as_ref()
                .is_some_and(|(_, p)| p.states > 0)
    });
    shot("check_running", &mut harness.app);
    harness.press_only("1 q");
    shot("quit_question", &mut harness.app);
    harness.press_only("n X");
    harness.settle();
    assert!(!harness.quit);
    shot("check_cancelled", &mut harness.app);
}

#[test]
fn overlays() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("?");
    shot("help", &mut harness.app);
    harness.press("esc : d e a d l");
    shot("palette", &mut harness.app);
    harness.press("esc space");
    shot("menu", &mut harness.app);
    harness.press("s");
    shot("menu_steps", &mut harness.app);
    harness.press("esc");
    harness.press("esc V");
    shot("types", &mut harness.app);
    harness.press("esc /");
    shot("filter", &mut harness.app);
    harness.app.size = SIZES[1];
    harness.press("esc H k k");
    shot("history", &mut harness.app);
}

#[test]
fn a_script_that_is_not_there() {
    let mut harness = real_file(Path::new(MISSING), None, &Options::default());
    shot("missing_script", &mut harness.app);
    harness.press("esc");
    shot("missing_script_behind", &mut harness.app);
}

/// Colour is never the only signal: without it the text is the same, and so it is with ASCII boxes
/// but for the boxes.
#[test]
fn mono_and_colour_have_the_same_text() {
    let mut apps = vec![at_the_seventeen(SIZES[0]).app];
    let mut harness = real("example37", None);
    harness.press("w l l");
    apps.push(harness.app);
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 j j x");
    apps.push(harness.app);
    for app in &mut apps {
        for size in SIZES {
            app.size = size;
            let text = |app: &mut App, colour, ascii| {
                app.theme = Theme::new(colour, ascii);
                screen(app)
            };
            let mono = text(app, false, false);
            assert_eq!(mono, text(app, true, false));
            let ascii = text(app, false, true);
            // Every character, not only those of the boxes.
            assert!(ascii.is_ascii(), "{ascii}");
        }
    }
}

/// Whatever a role says with colour, the line says in words or signs too.
#[test]
fn roles_carry_signs_or_words() {
    let theme = Theme::new(true, false);
    let signs = [
        (Role::Changed, &["~", "->", "*", "new", "[", "=="][..]),
        (Role::Choice, &["!", "?", "perhaps", "No verdict"]),
        (Role::Ok, &["ok", "holds"]),
        (
            Role::Fail,
            &[
                "FAIL",
                "not",
                "DEADLOCK",
                "ERROR",
                "X ",
                "TERMINATED",
                "VIOLATION",
            ],
        ),
    ];
    let mut harnesses = vec![at_the_seventeen(SIZES[0]), real("example37", None)];
    harnesses[1].press("w l l l l");
    let mut checked = Harness::new(SIZES[0]);
    checked.press("4 x j j x");
    harnesses.push(checked);
    let mut seen = 0;
    for app in harnesses.iter_mut().map(|h| &mut h.app) {
        app.theme = theme;
        for (pane, _) in layout::panes(app) {
            let mut signed = false;
            for line in all_panes::build(app, pane, 70, 16).lines {
                let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
                // Other roles say where keys act, or how important a text is.
                for (role, signs) in signs {
                    if line.spans.iter().any(|s| s.style == theme.style(role)) {
                        seen += 1;
                        // A cell of several lines has its sign on the first.
                        let goes_on = signed && role == Role::Fail;
                        signed = goes_on || signs.iter().any(|s| text.contains(s));
                        assert!(signed, "{role:?}: {text}");
                    }
                }
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

/// Where names do not fit side by side, the representative stands below the state, and where there is no room for
/// that either, it folds: the state keeps the room, and the focus goes to what is drawn.
#[test]
fn panes_follow_the_width_of_names() {
    let text = |count: usize, name: &str| {
        let ids: Vec<String> = (0..count).map(|n| format!("I{n}")).collect();
        format!(
            "datatype Id = {}\nchannel hello : Id\n{name}(i, n) = hello.i -> {name}(i, (n + 1) % 3)\n\
             System = ||| i : Id @ {name}(i, 0)\n",
            ids.join(" | ")
        )
    };
    let long = "AProcessWithANameThatTellsWhatItIsFor";
    let places = |source: &str| {
        let mut harness = scripted(source, Some("System"));
        harness.press("enter");
        let at = |pane| {
            layout::panes(&harness.app)
                .into_iter()
                .find(|(p, _)| *p == pane)
        };
        let places = (at(Pane::State), at(Pane::Representative));
        for _ in 0..8 {
            harness.press("tab");
            assert!(layout::visible(&harness.app, harness.app.pane()));
        }
        (
            places.0.expect("a state").1,
            places.1.map(|(_, area)| area),
            harness.screen(),
        )
    };
    let (state, beside, _) = places(&text(3, "Short"));
    assert!(beside.is_some_and(|area| area.y == state.y && area.x > state.x));
    let (state, below, screen) = places(&text(3, long));
    assert!(below.is_some_and(|area| area.x == state.x && area.y > state.y));
    // Three in the state and three in the representative, none of them cut.
    assert!(
        screen.matches(&format!("{long}(I")).count() >= 6,
        "{screen}"
    );
    let (state, none, screen) = places(&text(12, long));
    assert!(none.is_none() && state.width > 70);
    assert!(screen.contains(&format!("{long}(I0, ")), "{screen}");
}

/// Each view says in one line what it shows where there is room, and nowhere else is that cut.
#[test]
fn every_view_says_what_it_shows() {
    let mut harness = Harness::new((200, 50));
    for view in View::ALL {
        harness.press(&format!("esc {}", view.number()));
        let says = view.shows();
        assert!(says.ends_with('.') && says.len() <= 50, "{says}");
        for (w, h) in [(200, 50), (120, 36), (80, 24), (60, 16)] {
            harness.app.size = (w, h);
            let shown = screen(&harness.app);
            let status = shown.lines().nth(usize::from(h) - 2).unwrap();
            let begins = status.contains(&says[..10]);
            assert_eq!(begins, status.contains(says), "{status}");
            assert!(begins || w < 200, "{status}");
        }
        harness.app.size = (200, 50);
    }
    harness.press("1 f");
    assert!(
        harness
            .screen()
            .contains("The shortest way to such a state")
    );
}
