//! The Graph view.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::super::actions::graph::pictured;
use super::super::app::{Effect, Msg, Pane, View};
use super::super::drawing::picture;
use super::super::graphing::Chosen;
use super::super::layout;
use super::super::theme::Theme;
use super::{Harness, at_the_seventeen, pane, real, screen, scripted, step};
use crate::animate::model::{PictureForm, PictureRequest, PictureText, StateId};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];
const SIZE: (u16, u16) = SIZES[0];

fn shot(name: &str, harness: &mut Harness) {
    for size in SIZES {
        harness.app.size = size;
        let name = format!("graph_{name}_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, screen(&harness.app));
    }
    harness.app.size = SIZE;
}

fn tick(harness: &mut Harness, times: u64) {
    for _ in 0..times {
        let now = harness.app.now + 200;
        harness.send(Msg::Tick(now));
    }
}

fn state(harness: &Harness) -> StateId {
    harness.app.session.as_ref().unwrap().current()
}

#[test]
fn screens() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5");
    shot("around", &mut harness);
    harness.press("j");
    shot("selected", &mut harness);
    harness.press("i");
    tick(&mut harness, 10);
    shot("unfolded", &mut harness);
    harness.press("i");
    tick(&mut harness, 10);
    harness.press("/ readNext enter");
    shot("filtered", &mut harness);
    let mut harness = Harness::new(SIZE);
    harness.press("5 o + +");
    shot("states", &mut harness);
}

/// Down along a line, there, and back where one came from.
#[test]
fn walking_moves_the_animator() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5 j");
    let (start, before) = (state(&harness), step(&harness));
    harness.press("enter");
    assert_ne!(state(&harness), start);
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.history.depth(), before + 1);
    assert_eq!(harness.app.view, View::Graph);
    // Enter where one is does nothing but say so.
    harness.press("enter");
    assert!(
        harness.screen().contains("you are here"),
        "{}",
        harness.screen()
    );
    harness.press("k enter");
    assert_eq!(state(&harness), start);
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.history.depth(), before);
    harness.press("U");
    assert_ne!(state(&harness), start);
}

#[test]
fn the_radius_and_its_limits() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5");
    let boxes = |harness: &Harness| picture(&harness.app).unwrap().around.boxes.len();
    let two = boxes(&harness);
    harness.press("-");
    assert!(boxes(&harness) < two);
    harness.press("-");
    assert!(harness.screen().contains("one step is the least"));
    harness.press("+ + + + + + +");
    assert!(harness.screen().contains("6 steps are the most"));
}

#[test]
fn a_box_is_unfolded_in_frames() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5 j");
    let items = |harness: &Harness| picture(&harness.app).unwrap().items.len();
    let folded = items(&harness);
    harness.press("i");
    let mut counts = vec![items(&harness)];
    for _ in 0..6 {
        tick(&mut harness, 1);
        counts.push(items(&harness));
    }
    assert!(counts.is_sorted(), "{counts:?}");
    // 24 of the states of an orbit are drawn.
    assert_eq!(counts.last(), Some(&(folded + 23)));
    assert!(!harness.app.wants_ticks());
    // Not all of them are reached by a transition from here.
    harness.press("l");
    assert!(
        matches!(harness.app.graph.chosen, Some(Chosen::Member(_))),
        "{:?} {}",
        harness.app.graph.chosen,
        harness.screen()
    );
    harness.press("enter");
    assert!(
        harness.screen().contains("leads to this very state"),
        "{}",
        harness.screen()
    );
    harness.press("i");
    tick(&mut harness, 8);
    assert_eq!(items(&harness), folded);
    assert!(harness.app.graph.unfolding.is_none());
}

#[test]
fn filters_leave_out_what_does_not_lead_there() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5");
    let shown = |harness: &Harness| picture(&harness.app).unwrap().items.len();
    let all = shown(&harness);
    harness.press("/ e v e n t space r e a d N e x t * enter");
    assert!(shown(&harness) < all && shown(&harness) > 1);
    assert!(harness.screen().contains("left out by the filter"));
    harness.press("esc");
    assert_eq!(shown(&harness), all);
    harness.press("/ c o m p space n o n e enter");
    let picture = picture(&harness.app).unwrap();
    assert_eq!(picture.items.len(), picture.around.current + 1);
}

#[test]
fn exports_name_their_form() {
    let mut harness = real("two_buffers", None);
    harness.press("5 e");
    assert!(harness.screen().contains("d DOT"), "{}", harness.screen());
    harness.press("d o e s");
    let forms = harness.others.iter().filter_map(|effect| match effect {
        Effect::SavePicture(made) => Some((made.0.full, made.0.form.ending())),
        _ => None,
    });
    assert_eq!(forms.collect::<Vec<_>>(), [(false, "dot"), (true, "svg")]);
}

/// A click selects the box under the pointer, a second one goes there.
#[test]
fn the_mouse_selects_and_goes() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5");
    let (_, area) = layout::panes(&harness.app)[0];
    let (columns, rows) = (usize::from(area.width - 2), usize::from(area.height - 2));
    let place = |harness: &Harness| {
        let hit = |x: u16, y: u16| {
            super::super::panes::graph::hit(&harness.app, (columns, rows), x.into(), y.into())
        };
        let current = picture(&harness.app).unwrap().selected(&harness.app);
        let below = (0..area.height - 2).flat_map(|y| (0..area.width - 2).map(move |x| (x, y)));
        let last = picture(&harness.app).unwrap().items.len() - 1;
        assert_ne!(last, current);
        below
            .into_iter()
            .find(|(x, y)| hit(*x, *y).is_some_and(|item| item > current))
    };
    let (x, y) = place(&harness).unwrap();
    let click = |harness: &mut Harness| {
        let event = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: area.x + 1 + x,
            row: area.y + 1 + y,
            modifiers: KeyModifiers::NONE,
        };
        harness.send(Msg::Mouse(event));
        harness.settle();
    };
    click(&mut harness);
    assert!(harness.app.graph.chosen.is_some());
    assert_eq!((step(&harness), harness.app.pane()), (14, Pane::Graph));
}

#[test]
fn the_picture_needs_no_colour_and_no_other_signs() {
    let mut harness = at_the_seventeen(SIZE);
    harness.press("5 j i");
    tick(&mut harness, 8);
    for size in SIZES {
        let app = &mut harness.app;
        app.size = size;
        let mut text = |colour, ascii| {
            app.theme = Theme::new(colour, ascii);
            screen(app)
        };
        assert_eq!(text(false, false), text(true, false));
        let ascii = text(false, true);
        assert!(ascii.is_ascii(), "{ascii}");
    }
}

/// Boxes are as wide and as high as what they say, where there is room for it.
#[test]
fn boxes_use_the_room() {
    let mut harness = Harness::new((200, 60));
    harness.press("5");
    let shown = pane(&harness.app, Pane::Graph, 138, 55);
    assert!(
        shown.contains("FreeNode(N0), FreeNode(N1), FreeNode(N2),"),
        "{shown}"
    );
    assert!(!shown.contains("..") && !shown.contains(", +"), "{shown}");
    let mut harness = at_the_seventeen((200, 60));
    harness.press("5");
    // Six wide, all is said in two lines.
    let shown = pane(&harness.app, Pane::Graph, 82, 40);
    assert!(shown.contains("Node(N0, A, N4),"), "{shown}");
    // With less of it they are narrower, and still none looks like another.
    let narrow = pane(&harness.app, Pane::Graph, 58, 12);
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 58),
        "{narrow}"
    );
}

/// The meaning of signs is told by a key, and takes no room before.
#[test]
fn signs_are_explained_by_a_key() {
    let mut harness = Harness::new(SIZE);
    harness.press("5");
    assert!(!harness.screen().contains("where you are"));
    harness.press("K");
    let text = harness.screen();
    assert!(
        text.contains("where you are") && text.contains("8 transitions"),
        "{text}"
    );
    harness.press("esc");
    harness.app.theme = Theme::new(false, true);
    harness.press("K");
    assert!(harness.screen().is_ascii());
}

/// Large files are written only after a yes; small ones at once.
#[test]
fn large_exports_ask_before() {
    let mut harness = real("two_buffers", None);
    harness.press("5");
    let export = |harness: &mut Harness, vertices: usize, bytes: usize| {
        let asked = PictureRequest {
            process: "System".to_owned(),
            full: true,
            form: PictureForm::Dot,
        };
        let made = PictureText {
            text: "x".repeat(bytes),
            vertices,
            is_whole: true,
        };
        let effects = pictured(&mut harness.app, asked, Ok(Box::new(made)), false);
        harness.carry_out(effects);
    };
    export(&mut harness, 2_000, 200_000);
    assert_eq!(harness.others.len(), 1);
    export(&mut harness, 2_001, 10_000);
    assert_eq!(harness.others.len(), 1);
    assert!(
        harness.screen().contains("2,001 states, 10 kB: write it?"),
        "{}",
        harness.screen()
    );
    harness.press("n");
    assert_eq!(harness.others.len(), 1);
    assert!(harness.screen().contains("nothing was written"));
    export(&mut harness, 12, 5_000_001);
    assert!(harness.screen().contains("12 states, 5,001 kB: write it?"));
    harness.press("y");
    assert!(matches!(harness.others[1..], [Effect::SavePicture(_)]));
    // What is typed elsewhere is no answer.
    harness.press("f");
    export(&mut harness, 12, 5_000_001);
    harness.press("y enter esc");
    assert_eq!(harness.others.len(), 2);
}

/// The name of a module that all local states share tells nothing, and has no room in boxes.
#[test]
fn what_all_boxes_share_is_left_out() {
    let text = "module Buffers
channel inside
exports
channel put, get : {0..1}
Cell(n) = put?m -> Cell(m) [] get.n -> Cell(n)
endmodule
System = Buffers::Cell(0)
";
    let mut harness = scripted(text, Some("System"));
    harness.press("5");
    let shown = pane(&harness.app, Pane::Graph, 82, 31);
    let shown = shown
        .lines()
        .filter(|line| line.contains('│') && !line.contains('▼'));
    let shown: String = shown.collect();
    assert!(
        shown.contains("│Cell(1)") && !shown.contains("Buffers::"),
        "{shown}"
    );
}
