//! The registry keeps its promises: keys, help, palette, menu and hints say the same.

use super::super::app::{Pane, View};
use super::super::registry::{all, by_id, is_prefix, lookup};
use super::super::{keys, layout, overlay, view};
use super::{Harness, at_the_seventeen};

fn places() -> Vec<(View, Pane)> {
    let panes = |view: View| view.panes().iter().map(move |pane| (view, *pane));
    View::ALL.into_iter().flat_map(panes).collect()
}

#[test]
fn ids_are_unique_and_texts_are_there() {
    for (at, command) in all().enumerate() {
        assert_eq!(
            all().position(|c| c.id == command.id),
            Some(at),
            "{}",
            command.id
        );
        assert!(by_id(command.id).is_some());
        assert!(
            !command.name.is_empty() && !command.keys.is_empty(),
            "{}",
            command.id
        );
        assert!(command.description.ends_with(['.', '?']), "{}", command.id);
    }
}

/// Wherever a command applies, each of its keys means it and nothing else.
#[test]
fn every_key_is_bound_to_one_command() {
    for (view, pane) in places() {
        for command in all().filter(|c| c.applies(view, pane)) {
            for key in command.keys {
                let found = lookup(view, pane, key).map(|c| c.id);
                assert_eq!(found, Some(command.id), "{key} in {view:?} {pane:?}");
                // A sequence such as `g g` is pressed key by key.
                let first = key.split(' ').next().unwrap_or(key);
                assert!(keys::press(first).is_some(), "{key} cannot be pressed");
                assert!(!is_prefix(view, pane, key), "{key} begins a sequence");
            }
        }
    }
}

/// Every command is somewhere, the hints are bound there, and there is a key that is not Ctrl.
#[test]
fn every_hint_is_bound_and_every_command_reachable() {
    for command in all() {
        let here = places().into_iter().find(|(v, p)| command.applies(*v, *p));
        assert!(here.is_some(), "{} applies nowhere", command.id);
    }
    let mut harness = at_the_seventeen((120, 36));
    for (view_, pane) in places() {
        for size in [(120, 36), (80, 24), (60, 16)] {
            let app = &mut harness.app;
            (app.size, app.view) = (size, view_);
            app.focus_on(pane);
            for (range, command) in view::hints(app) {
                let found = lookup(view_, pane, command.key()).map(|c| c.id);
                assert_eq!(found, Some(command.id));
                assert!(
                    range.end <= usize::from(size.0),
                    "{} at {size:?}",
                    command.id
                );
            }
            let ids: Vec<_> = view::hints(app).iter().map(|(_, c)| c.id).collect();
            assert!(ids.contains(&"help") && ids.contains(&"quit"));
        }
    }
}

#[test]
fn every_command_is_in_the_palette_and_in_the_help_of_its_place() {
    let mut harness = Harness::new((120, 36));
    let palette = overlay::palette_items(&harness.app, "");
    for command in all() {
        assert!(
            palette.iter().any(|i| i.title == command.name),
            "{}",
            command.id
        );
    }
    for (view, pane) in places() {
        harness.app.view = view;
        harness.app.focus_on(pane);
        let help = overlay::help_items(&harness.app, "");
        for command in all().filter(|c| c.applies(view, pane)) {
            let item = help.iter().find(|i| i.title == command.name);
            let keys = item.map(|i| i.keys.clone()).unwrap_or_default();
            assert!(
                keys.starts_with(&keys::shown(command.key())),
                "{}",
                command.id
            );
        }
    }
}

#[test]
fn menu_letters_are_unique() {
    let mut harness = Harness::new((120, 36));
    for view in View::ALL {
        harness.app.view = view;
        let mut letters: Vec<_> = overlay::menu_items(&harness.app)
            .iter()
            .map(|(c, _)| *c)
            .collect();
        letters.sort_unstable();
        let count = letters.len();
        letters.dedup();
        assert_eq!(letters.len(), count, "{view:?}");
    }
}

#[test]
fn the_palette_finds_by_name_key_and_script() {
    let harness = Harness::new((120, 36));
    let first = |query: &str| overlay::palette_items(&harness.app, query).remove(0).title;
    assert_eq!(first("undo a"), "undo a step");
    assert_eq!(first("PgDn"), "page down");
    assert_eq!(
        first("deadl"),
        "check: System :[deadlock free] :[symmetry reduce]"
    );
    assert_eq!(first("open BadS"), "open BadSystem");
    assert_eq!(first("type-order"), "how types are ordered");
    let any = overlay::palette_items(&harness.app, "open P |~| Q");
    assert!(any.iter().any(|i| i.title == "open P |~| Q"));
}

/// No two panes overlap, and all of them lie within the screen.
#[test]
fn panes_never_overlap() {
    let mut harness = Harness::new((120, 36));
    for (view, pane) in places() {
        for width in (60..200).step_by(7) {
            for height in 16..60 {
                let app = &mut harness.app;
                (app.view, app.size) = (view, (width, height));
                app.focus_on(pane);
                let places = layout::panes(app);
                for (at, (_, area)) in places.iter().enumerate() {
                    // The last two lines are those of status and hints.
                    assert!(area.right() <= width && area.bottom() + 2 <= height);
                    for (_, other) in &places[at + 1..] {
                        assert!(!area.intersects(*other), "{view:?} {width}x{height}");
                    }
                }
            }
        }
    }
}
