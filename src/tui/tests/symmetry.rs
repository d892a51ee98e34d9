//! The Symmetry view, driven by keys.

use super::super::app::{App, Msg, Pane, View};
use super::super::panes::group::letter;
use super::super::settings::Motion;
use super::super::theme::{Role, Theme};
use super::{Harness, at_the_seventeen, model, pane, screen, scripted};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];

/// A ring that can be turned, three threads that can be exchanged, and a coin of which only events move.
const SCRIPT: &str = "\
channel take, pass : {0..N-1}
Cell(i) = take.i -> Full(i) [] pass.i -> Full(i)
Full(i) = pass.((i+1)%N) -> Cell(i)
Ring = || i : {0..N-1} @ [{take.i, pass.i, pass.((i+1)%N)}] Cell(i)
channel lock, unlock : {0..2}
Thread(t) = lock.t -> unlock.t -> Thread(t)
Lock      = lock?t -> Locked(t)
Locked(t) = unlock.t -> Lock
Threads   = (||| t : {0..2} @ Thread(t)) [| {| lock, unlock |} |] Lock
channel toss : {0, 1}
Coin = toss?side -> Coin
System = Ring ||| Threads ||| Coin
";

/// What the generators of its symmetry are, by their places in the list.
const COIN: usize = 0;
const RING: usize = 3;

/// The system with a ring of six in which the first cell is full and the first thread has the lock.
fn system(size: (u16, u16)) -> Harness {
    let mut harness = scripted(&format!("N = 6\n{SCRIPT}"), Some("System"));
    harness.send(Msg::Resize(size.0, size.1));
    for event in ["take.0", "lock.0"] {
        harness.line(&format!("take {event}")).unwrap();
    }
    harness
}

/// The same in the Symmetry view, where the ring is turned.
fn turning() -> Harness {
    let mut harness = system(SIZES[0]);
    harness.press("8");
    assert_eq!(harness.app.playing.generator, RING);
    harness
}

fn shot(name: &str, app: &mut App) {
    for size in SIZES {
        app.size = size;
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen(app));
    }
    app.size = SIZES[0];
}

fn drawing(harness: &Harness) -> String {
    pane(&harness.app, Pane::Drawing, 72, 31)
}

#[test]
fn s_shows_the_group_and_its_generators() {
    let mut harness = system(SIZES[0]);
    harness.press("S");
    assert_eq!(harness.app.view, View::Symmetry);
    shot("symmetry", &mut harness.app);
    harness.press("l l");
    shot("symmetry_applied", &mut harness.app);
    harness.press("N l");
    shot("symmetry_columns", &mut harness.app);
    harness.app.theme = Theme::new(true, true);
    harness.press("n l");
    for size in [SIZES[0], SIZES[1]] {
        harness.press("l");
        harness.app.size = size;
        let text = screen(&harness.app);
        assert!(text.is_ascii(), "{text}");
        insta::assert_snapshot!(format!("symmetry_ascii_{}x{}", size.0, size.1), text);
    }
}

#[test]
fn generators_are_chosen_and_applied_by_hand() {
    let mut harness = turning();
    assert!(drawing(&harness).contains("applied 0 of 6 times"));
    assert!(drawing(&harness).contains("The present state as it is."));
    harness.press("j 4l");
    assert!(drawing(&harness).contains("applied 4 of 6 times"));
    assert!(drawing(&harness).contains("reached in as many steps"));
    harness.press("9l");
    assert!(drawing(&harness).contains("applied 6 of 6 times"));
    assert!(drawing(&harness).contains("The present state itself again."));
    harness.press("l");
    assert!(
        harness.app.note.contains("0 begins anew"),
        "{}",
        harness.app.note
    );
    harness.press("2h");
    assert!(drawing(&harness).contains("applied 4 of 6 times"));
    // Another generator is shown from its beginning, and round and round.
    harness.press("n");
    assert_eq!(
        (harness.app.playing.generator, harness.app.playing.power),
        (COIN, 0)
    );
    harness.press("l");
    assert!(
        drawing(&harness).contains("only events do"),
        "{}",
        drawing(&harness)
    );
    harness.press("N N");
    assert_eq!(harness.app.playing.generator, RING - 1);
    // Another state is shown as it is.
    harness.press("l 1 u 8");
    assert_eq!(
        (harness.app.playing.generator, harness.app.playing.power),
        (RING - 1, 0)
    );
}

/// Milliseconds pass.
fn pass(harness: &mut Harness, milliseconds: u64) {
    let now = harness.app.now + milliseconds;
    harness.send(Msg::Tick(now));
    harness.settle();
}

#[test]
fn a_generator_plays_to_its_end() {
    let mut harness = turning();
    harness.press("p");
    assert!(harness.app.wants_ticks());
    for power in 0..6 {
        assert_eq!(harness.app.playing.power, power);
        assert!(harness.screen().contains("playing 1x"));
        pass(&mut harness, 999);
        assert_eq!(harness.app.playing.power, power);
        pass(&mut harness, 1);
    }
    assert_eq!(harness.app.playing.power, 6);
    assert!(!harness.app.playing.plays);
    assert!(drawing(&harness).contains("The present state itself again."));
    // Again from the beginning, faster, and stopped by Esc, by the key, and by leaving.
    harness.press("+ p");
    assert_eq!(harness.app.playing.power, 0);
    pass(&mut harness, 500);
    assert_eq!(harness.app.playing.power, 1);
    harness.press("esc");
    assert!(!harness.app.playing.plays);
    harness.press("p p");
    assert!(!harness.app.playing.plays);
    harness.press("p 1");
    assert!(!harness.app.playing.plays);
    assert_eq!(harness.app.playing.power, 1);
}

#[test]
fn motion_may_be_switched_off() {
    for (motion, at_once) in [(Motion::Reduced, false), (Motion::Off, true)] {
        let mut harness = turning();
        harness.app.settings.motion = motion;
        harness.press("p");
        assert_eq!(harness.app.playing.power == 6, at_once, "{motion:?}");
        pass(&mut harness, 1_000);
        assert_eq!(harness.app.playing.power, 6, "{motion:?}");
        assert!(!harness.app.playing.plays);
    }
}

/// While it is looked for, the screen says so; Esc cancels, and coming back looks once more.
#[test]
fn looking_can_be_cancelled() {
    let mut harness = system(SIZES[0]);
    harness.press_only("8");
    let text = harness.screen();
    assert!(
        text.contains("looking for the symmetry of System ... Esc cancels"),
        "{text}"
    );
    let state = harness.app.session.as_ref().map(|s| s.current());
    let state = state.expect("a process is open");
    harness.press_only("esc");
    harness.settle();
    // Whether it was found before it could be cancelled is up to the threads.
    let late = crate::animate::model::ErrorText::line("cancelled");
    harness.app.playing.learn(state, Err(late), true);
    let text = harness.screen();
    assert!(
        text.contains("The symmetry is not known: it was cancelled"),
        "{text}"
    );
    harness.press("1 8");
    assert!(harness.screen().contains("C6 x S3"));
}

/// A process of which a component is not known to its end.
#[test]
fn a_process_of_unknown_structure_says_so() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("8 p");
    let text = harness.screen();
    assert!(text.contains("some component was not explored"), "{text}");
    assert!(!harness.app.playing.plays);
}

#[test]
fn without_a_process_nothing_is_looked_for() {
    let mut harness = Harness::opened(SIZES[0], "NoSuch");
    harness.press("esc 8");
    assert!(
        harness.screen().contains("O opens another process"),
        "{}",
        harness.screen()
    );
    harness.press("p");
    assert!(
        harness.app.note.contains("no process is open"),
        "{}",
        harness.app.note
    );
    let mut loading = Harness::loading(SIZES[0], "System");
    loading.press_only("8");
    assert!(loading.screen().contains("8 Symmetry"));
}

/// The letters of orbits stand wherever there are colours, and no two orbits have the same.
#[test]
fn orbits_have_letters() {
    let letters: Vec<String> = [0, 1, 25, 26, 27, 701, 702]
        .iter()
        .map(|n| letter(Some(*n)))
        .collect();
    assert_eq!(letters, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    assert_eq!(letter(None), ".");
    let harness = turning();
    let text = drawing(&harness);
    for name in ["A Thread(1)", "B Cell(1)", ". Coin", ". Lock"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert_ne!(PALETTE.style(Role::Value(0)), PALETTE.style(Role::Value(1)));
}

const PALETTE: Theme = Theme {
    palette: super::super::theme::Palette::Dark,
    background: None,
    ascii: false,
};

fn click(harness: &mut Harness, text: &str) {
    let screen = harness.screen();
    let found = screen.lines().enumerate().find_map(|(row, line)| {
        let at = line.find(text)?;
        Some((row, line[..at].chars().count()))
    });
    let (row, column) = found.unwrap_or_else(|| panic!("no {text} in {screen}"));
    harness.send(Msg::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: column as u16 + 1,
        row: row as u16,
        modifiers: KeyModifiers::NONE,
    }));
    harness.settle();
}

#[test]
fn the_mouse_does_what_keys_do() {
    let mut harness = system(SIZES[0]);
    click(&mut harness, "8 Symmetry");
    assert_eq!(harness.app.view, View::Symmetry);
    click(&mut harness, "2, of order 2");
    assert_eq!(harness.app.playing.generator, 1);
    click(&mut harness, "l apply");
    assert_eq!(harness.app.playing.power, 1);
    click(&mut harness, "h back");
    assert_eq!(harness.app.playing.power, 0);
    click(&mut harness, "p play");
    assert!(harness.app.playing.plays);
    click(&mut harness, "n next");
    assert_eq!(
        (harness.app.playing.generator, harness.app.playing.plays),
        (2, false)
    );
}

/// A ring of so many cells, of which the first one is full, turned by one.
fn ring(count: usize) -> Harness {
    let mut harness = scripted(&format!("N = {count}\n{SCRIPT}"), Some("Ring"));
    harness.line("take take.0").unwrap();
    harness.press("8 l");
    harness
}

/// Many components stand in columns, which scroll; what there is besides is counted.
#[test]
fn three_hundred_components_stand_in_columns() {
    let mut harness = ring(300);
    for size in [(120, 36), (80, 24), (60, 16)] {
        harness.app.size = size;
        let text = harness.screen();
        assert!(text.contains("300 components"), "{text}");
        assert!(text.contains("A Cell(0)   -> Cell(299)"), "{text}");
        assert!(
            text.contains(" of 152 ") || text.contains(" of 302 "),
            "{text}"
        );
        assert!(!text.contains("A Cell(1)  "), "{text}");
        harness.press("G");
        let text = harness.screen();
        assert!(text.contains("A Cell(1)  "), "{text}");
        harness.press("g g");
    }
    let text = pane(&harness.app, Pane::Drawing, 72, 31);
    for cell in 0..300 {
        assert!(text.contains(&format!("Cell({cell})")), "{cell}: {text}");
    }
    assert!(
        text.contains("*Full(299)") && text.contains("*Cell(0)"),
        "{text}"
    );
    insta::assert_snapshot!("symmetry_300_80x24", {
        harness.app.size = (80, 24);
        harness.screen()
    });
}

/// A circle has as many arrows as components, whatever the size; where it has no room, there are columns with arrows.
#[test]
fn a_ring_is_a_circle_where_there_is_room() {
    for count in [3, 5, 8, 12, 30, 41] {
        let harness = ring(count);
        for (columns, rows) in [(118, 33), (72, 31), (78, 11), (58, 11), (40, 5)] {
            let text = pane(&harness.app, Pane::Drawing, columns, rows);
            let arrows = text.matches(['→', '←', '↑', '↓']).count();
            let steps = text.matches(" -> ").count();
            assert!(
                (arrows, steps) == (count, 0) || (arrows, steps) == (0, count),
                "{count} in {columns}x{rows}: {arrows} arrows, {steps} steps\n{text}"
            );
            for cell in 0..count {
                assert!(text.contains(&format!("A Cell({cell})")), "{text}");
            }
            assert!(text.contains("*Full(1)"), "{text}");
        }
        let roomy = pane(&harness.app, Pane::Drawing, 118, 33);
        assert_eq!(roomy.contains(" -> "), count > 12, "{count}\n{roomy}");
    }
}

/// Rings of up to twelve are drawn as circles on a usual screen, with each name once and in full, and with an arrow
/// from each to the next one.
#[test]
fn rings_of_up_to_twelve_are_drawn() {
    for count in 3..=12 {
        for long in [false, true] {
            let text = format!("N = {count}\n{SCRIPT}");
            let cell = if long { "WaitingForItsTurn" } else { "Cell" };
            let text = text.replace("Cell(", &format!("{cell}("));
            let mut harness = scripted(&text, Some("Ring"));
            harness.press("8");
            let shown = drawing(&harness);
            let arrows = shown.chars().filter(|c| "→←↑↓".contains(*c));
            assert_eq!(arrows.count(), count, "{shown}");
            for at in 0..count {
                let name = format!("A {cell}({at})");
                assert_eq!(shown.matches(&name).count(), 1, "{name}: {shown}");
            }
            for size in [(120, 36), (80, 24), (60, 20), (60, 16), (20, 5)] {
                harness.send(Msg::Resize(size.0, size.1));
            }
        }
    }
}

/// Philosophers and their forks are two rings, one within the other.
#[test]
fn ten_philosophers_and_their_forks_sit_around_a_table() {
    for count in [10, 12, 13] {
        let text = std::fs::read_to_string(model("round_table")).unwrap();
        let text = text.replace("N = 5", &format!("N = {count}"));
        let mut harness = scripted(&text, Some("Table"));
        harness.press("8");
        let shown = drawing(&harness);
        let arrows = shown.chars().filter(|c| "→←↑↓".contains(*c));
        if count <= 12 {
            assert_eq!(arrows.count(), 2 * count, "{shown}");
            insta::assert_snapshot!(format!("symmetry_table_{count}"), shown);
        }
        for size in [(120, 36), (80, 24), (60, 20), (20, 5)] {
            harness.send(Msg::Resize(size.0, size.1));
        }
    }
}

/// The representative names where a component came from by what tells it apart in its family, which is never cut.
#[test]
fn sources_are_named_within_their_family() {
    let harness = system(SIZES[0]);
    let text = pane(&harness.app, Pane::Representative, 36, 24);
    let sources = text.lines().filter_map(|line| line.split_once("<- "));
    let sources: Vec<&str> = sources
        .map(|(_, name)| name.trim_matches(['│', ' ']).trim())
        .collect();
    assert!(sources.len() > 3, "{text}");
    let is_index = |name: &&str| name.parse::<usize>().is_ok();
    assert!(sources.iter().all(is_index), "{sources:?}\n{text}");
    // So is the renaming, on as many lines as it needs.
    let renaming = text.split_once("renaming").map_or("", |(_, rest)| rest);
    let brackets = |sign: char| renaming.matches(sign).count();
    assert_eq!(brackets('('), brackets(')'), "{text}");
}
