//! The registry keeps its promises: keys, help, palette, menu and hints say the same.

use super::super::app::Overlay;
use super::super::app::{KeyPlace, Pane, View};
use super::super::menu_group::MenuGroup;
use super::super::registry::{all, by_id, in_views, is_prefix, lookup};
use super::super::{footer, help, keys, layout, menu, overlay, view};
use super::{Harness, at_the_seventeen};

/// The places in the views.
fn places() -> impl Iterator<Item = (View, Pane)> {
    KeyPlace::all().filter_map(|place| match place {
        KeyPlace::In(view, pane) => Some((view, pane)),
        KeyPlace::On(_) => None,
    })
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
    for place in KeyPlace::all() {
        for command in all().filter(|c| c.applies(place)) {
            for key in command.keys {
                let found = lookup(place, key).map(|c| c.id);
                assert_eq!(found, Some(command.id), "{key} in {place:?}");
                // A sequence such as `g g` is pressed key by key.
                let first = key.split(' ').next().unwrap_or(key);
                assert!(keys::press(first).is_some(), "{key} cannot be pressed");
                assert!(!is_prefix(place, key), "{key} begins a sequence");
            }
        }
    }
}

/// Every command is somewhere, the hints are bound there, and there is a key that is not Ctrl.
#[test]
fn every_hint_is_bound_and_every_command_reachable() {
    for command in all() {
        let here = KeyPlace::all().find(|place| command.applies(*place));
        assert!(here.is_some(), "{} applies nowhere", command.id);
    }
    let mut harness = at_the_seventeen((120, 36));
    for (view_, pane) in places() {
        for size in [(120, 36), (80, 24), (60, 16)] {
            let app = &mut harness.app;
            (app.size, app.view) = (size, view_);
            app.focus_on(pane);
            for (range, command) in footer::hints(app) {
                let found = lookup(KeyPlace::In(view_, pane), command.key()).map(|c| c.id);
                assert_eq!(found, Some(command.id));
                assert!(
                    range.end <= usize::from(size.0),
                    "{} at {size:?}",
                    command.id
                );
            }
            let ids: Vec<_> = footer::hints(app).iter().map(|(_, c)| c.id).collect();
            assert!(ids.contains(&"help") && ids.contains(&"quit"));
        }
    }
}

#[test]
fn every_command_is_in_the_palette_and_in_the_help_of_its_place() {
    let mut harness = Harness::new((120, 36));
    let palette = overlay::palette_items(&harness.app, "");
    // On the pages over the views there is no palette.
    for command in in_views() {
        assert!(
            palette.iter().any(|i| i.title == command.name),
            "{}",
            command.id
        );
    }
    for (view, pane) in places() {
        harness.app.view = view;
        harness.app.focus_on(pane);
        let help = help::items(&harness.app, "");
        for command in all().filter(|c| c.applies(KeyPlace::In(view, pane))) {
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

/// In no view does a letter of the menu mean two groups, or a letter of a group two commands.
#[test]
fn menu_letters_are_unique() {
    let unique = |mut letters: Vec<char>, what: &str| {
        letters.sort_unstable();
        let count = letters.len();
        letters.dedup();
        assert_eq!(letters.len(), count, "{what}: {letters:?}");
    };
    unique(MenuGroup::ALL.map(|group| group.row().0).to_vec(), "groups");
    let mut harness = Harness::new((120, 36));
    for view in View::ALL {
        harness.app.view = view;
        for group in MenuGroup::ALL {
            let items = menu::items(&harness.app, group);
            let letters = items.iter().map(|(letter, _)| *letter);
            unique(letters.collect(), &format!("{view:?} {group:?}"));
        }
    }
}

/// One alphabet: in the menu a command has the letter that it has by itself, or the last of its keys.
#[test]
fn menu_letters_are_those_of_the_keys() {
    let mut harness = Harness::new((120, 36));
    for view in View::ALL {
        harness.app.view = view;
        let all = MenuGroup::ALL.into_iter();
        let items: Vec<_> = all
            .flat_map(|group| menu::items(&harness.app, group))
            .collect();
        for command in all_in_menu(view) {
            let item = items.iter().find(|(_, item)| item.title == command.name);
            let (letter, _) = item.unwrap_or_else(|| panic!("{} in {view:?}", command.id));
            let key = command.key().trim_end_matches(keys::LETTER).trim_end();
            assert!(key.ends_with(*letter), "{} in {view:?}", command.id);
        }
    }
}

fn all_in_menu(view: View) -> impl Iterator<Item = &'static crate::command::Command> {
    all().filter(move |c| c.menu.is_some() && c.works_in(view))
}

/// `Space` opens the menu in every view, a letter a group, and Esc leads back step by step.
#[test]
fn space_opens_the_menu_everywhere_and_esc_goes_back() {
    let mut harness = Harness::new((120, 36));
    for view in View::ALL {
        harness.press(&format!("{}", view.number()));
        harness.press("space");
        assert_eq!(harness.app.overlay, Some(Overlay::Menu(None)), "{view:?}");
        harness.press("l");
        let inside = Some(Overlay::Menu(Some(MenuGroup::Look)));
        assert_eq!(harness.app.overlay, inside, "{view:?}");
        harness.press("esc");
        assert_eq!(harness.app.overlay, Some(Overlay::Menu(None)), "{view:?}");
        harness.press("esc");
        assert_eq!(harness.app.overlay, None, "{view:?}");
    }
    harness.press("1 enter enter");
    let depth = |harness: &Harness| harness.app.session.as_ref().unwrap().history.depth();
    assert_eq!(depth(&harness), 2);
    harness.press("space s u");
    assert_eq!((depth(&harness), &harness.app.overlay), (1, &None));
    // A letter that means nothing is told, and the group stays open.
    harness.press("space s Q");
    assert_eq!(harness.app.note, "Q is not in this group");
    assert_eq!(
        harness.app.overlay,
        Some(Overlay::Menu(Some(MenuGroup::Steps)))
    );
}

/// No line of the menu is cut, and all lines fit on a terminal of 80x24 and of 120x36.
#[test]
fn the_menu_fits() {
    for size in [(120, 36), (80, 24)] {
        let mut harness = at_the_seventeen(size);
        for view in View::ALL {
            harness.app.view = view;
            for group in std::iter::once(None).chain(MenuGroup::ALL.map(Some)) {
                harness.app.overlay = Some(Overlay::Menu(group));
                let area = view::overlay_area(&harness.app, &Overlay::Menu(group));
                let content = menu::content(&harness.app, group, usize::from(area.width) - 2);
                let what = format!("{view:?} {group:?} at {size:?}");
                assert!(
                    content.lines.len() <= usize::from(area.height) - 2,
                    "{what}"
                );
                for line in &content.lines {
                    let text = line.to_string();
                    assert!(
                        !text.contains("..") || text.contains("not now"),
                        "{what}: {text}"
                    );
                }
            }
        }
    }
}

/// What the help names as tasks is done by the keys beside them.
#[test]
fn tasks_of_the_help_are_done_by_their_keys() {
    let mut harness = Harness::new((120, 36));
    for view in View::ALL {
        harness.press(&format!("{}", view.number()));
        let items = help::items(&harness.app, "");
        let tasks: Vec<_> = items
            .iter()
            .filter(|item| item.section == items[0].section)
            .collect();
        assert!((2..=6).contains(&tasks.len()), "{view:?}: {}", tasks.len());
        assert!(tasks.iter().all(|task| !task.keys.is_empty()), "{view:?}");
    }
    harness.press("1 ? enter");
    assert!(
        harness.app.find.text.contains("deadlock"),
        "{}",
        harness.screen()
    );
}

/// `O` offers processes alone: what is opened there must not be a check.
#[test]
fn what_is_opened_is_a_process() {
    let mut harness = Harness::new((120, 36));
    for query in ["open ", "open Bad", "open STOP", "open deadlock"] {
        for item in overlay::palette_items(&harness.app, query) {
            assert!(
                matches!(
                    item.action,
                    overlay::ItemAction::Open(_) | overlay::ItemAction::Fill(_)
                ),
                "{query}: {}",
                item.title
            );
        }
    }
    harness.press("O enter");
    assert_eq!(harness.app.view, View::Animate);
    harness.press("4 O B a d enter");
    assert_eq!(
        harness.app.session.as_ref().unwrap().history.process(),
        "BadSystem"
    );
}

/// A function is filled in with arguments from the script, which can be changed; an error is told at the line.
#[test]
fn functions_are_opened_with_arguments() {
    let mut harness = Harness::new((120, 36));
    harness.press("O");
    let text = harness.screen();
    assert!(
        text.contains("open System") && text.contains("assertion 1:"),
        "{text}"
    );
    harness.press("L o c k e d enter");
    let Some(Overlay::Palette(search)) = &harness.app.overlay else {
        panic!("{}", harness.screen());
    };
    let filled = search.query.clone();
    assert!(
        filled.starts_with("open Locked(") && filled.ends_with(')'),
        "{filled}"
    );
    harness.press("enter");
    let opened = |harness: &Harness| {
        harness
            .app
            .session
            .as_ref()
            .unwrap()
            .history
            .process()
            .to_owned()
    };
    assert_eq!(format!("open {}", opened(&harness)), filled);
    // One argument too few.
    harness.press("O T o p ( ) enter");
    let Some(Overlay::Palette(search)) = &harness.app.overlay else {
        panic!("{}", harness.screen());
    };
    assert_eq!(search.query, "open Top()");
    assert!(!search.wrong.is_empty() && harness.screen().contains(&search.wrong[..20]));
    assert_eq!(format!("open {}", opened(&harness)), filled);
    // Once it is changed, the error is gone.
    harness.press("backspace N u l l ) enter");
    assert_eq!(opened(&harness), "Top(Null)");
}

/// A number typed in one go with a motion is a number; a view that was looked at stays.
#[test]
fn digits_before_a_motion_are_a_count() {
    let mut harness = Harness::new((120, 36));
    harness.press("enter enter enter enter enter");
    harness.app.focus_on(Pane::History);
    let at = |harness: &Harness| (harness.app.view, harness.app.animate.history);
    harness.press("2k");
    assert_eq!(at(&harness), (View::Animate, Some(3)));
    harness.press("3k");
    assert_eq!(at(&harness), (View::Animate, Some(0)));
    harness.press("12j");
    assert_eq!(at(&harness), (View::Animate, Some(5)));
    harness.press("40k");
    assert_eq!(at(&harness), (View::Animate, Some(0)));
    harness.press_only("4");
    harness.press("j");
    assert_eq!(at(&harness), (View::Check, Some(0)));
}

/// Who took the long way is told the short one, twice.
#[test]
fn the_short_way_is_told_twice() {
    let mut harness = Harness::new((120, 36));
    for told in [true, true, false] {
        harness.press(": zoom enter");
        assert_eq!(
            harness.app.note == "next time: z",
            told,
            "{}",
            harness.app.note
        );
    }
    harness.press("z");
    assert_eq!(harness.app.note, "");
}

#[test]
fn the_palette_finds_by_name_key_and_script() {
    let harness = Harness::new((120, 36));
    let first = |query: &str| overlay::palette_items(&harness.app, query).remove(0).title;
    assert_eq!(first("undo a"), "undo a step");
    assert_eq!(first("PgDn"), "page down");
    assert_eq!(
        first("diverg"),
        "check: Poppers :[divergence free] :[symmetry reduce]"
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
