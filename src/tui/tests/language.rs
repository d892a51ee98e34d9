//! Commands as text: what is read, what is said of mistakes, and what each form does.

use proptest::prelude::*;

use super::super::app::{Overlay, Pane, ShownState, View};
use super::super::language::{self, FORMS, Instruction, completions, parse, run};
use super::super::registry;
use super::{Harness, at_the_seventeen};
use crate::animate::history::Origin;

impl Harness {
    /// Does a line, and waits.
    pub fn line(&mut self, text: &str) -> Result<(), String> {
        let line = parse(text).map_err(|mistake| mistake.message)?;
        let effects = run(&mut self.app, &line)?;
        self.carry_out(effects);
        self.settle();
        Ok(())
    }
}

/// The table of the module's doc is the table that help prints; every example can be read.
#[test]
fn every_form_is_documented_and_its_example_is_read() {
    let doc = include_str!("../language/mod.rs");
    let rows: Vec<String> = FORMS
        .iter()
        .map(|form| {
            format!(
                "//! | `{}` | `{}` |",
                form.usage.replace('|', "\\|"),
                form.example
            )
        })
        .collect();
    let told: Vec<&str> = doc
        .lines()
        .filter(|line| line.starts_with("//! | `"))
        .collect();
    assert_eq!(told, rows);
    for form in FORMS {
        assert!(form.text.ends_with('.'), "{}", form.usage);
        let line = parse(form.example).unwrap();
        assert_eq!(line.text, form.example);
    }
    for command in registry::all() {
        let line = parse(command.id).unwrap();
        let (id, count) = (command.id, 1);
        assert_eq!(line.instruction, Instruction::Command { id, count });
        assert_eq!(
            parse(&format!("{id} 7")).is_ok(),
            command.counts
                || ["check", "take", "open", "filter", "find", "write", "resume"].contains(&id),
            "{id}"
        );
    }
}

/// What is wrong, and the columns, counted from 0.
#[test]
fn mistakes_have_places() {
    let told = |text: &str| {
        let mistake = parse(text).unwrap_err();
        format!("{:?} {}", mistake.columns, mistake.message)
    };
    let cases = [
        (
            "veiw orbit",
            "0..4 `veiw` is no command; did you mean `view`?",
        ),
        (
            "view orbitt",
            "5..11 there is no view `orbitt`; did you mean `orbit`?",
        ),
        ("view", "4..4 the name of a view is missing"),
        (
            "  view orbit now",
            "13..16 nothing may follow here, but `now` does",
        ),
        ("undo five", "5..9 `five` is not a number"),
        ("undo 0", "5..6 the number is at least 1"),
        ("zoom 2", "5..6 `zoom` takes no number"),
        (
            "focus histroy",
            "6..13 there is no pane `histroy`; did you mean `history`?",
        ),
        ("goto here", "5..9 `here` is not the number of a step"),
        (
            "check some",
            "6..10 `some` is not the number of an assertion, nor `all`",
        ),
        ("mark 1", "5..6 `1` is not a letter"),
        ("compare a bb", "10..12 `bb` is not a letter"),
        (
            "state row",
            "6..9 raw, rep, both or counted can be shown, not `row`; did you mean `raw`?",
        ),
        ("trace a, b", "6..10 a trace begins with `<`, as in <a, b>"),
        ("trace <a, b", "6..11 a trace ends with `>`, as in <a, b>"),
        ("orbit", "5..5 goto, play, replay or strategy is missing"),
        (
            "orbit goo 1",
            "6..9 `orbit goo` is no command; did you mean `goto`?",
        ),
        ("orbit goto 0", "11..12 steps are counted from 1"),
        (
            "orbit play on",
            "11..13 `to STEP` or `speed=S` may follow, not `on`",
        ),
        (
            "orbit play speed=3",
            "11..18 the speed is one of 0.25, 0.5, 1, 2, 4",
        ),
        (
            "orbit strategy wlak",
            "15..19 there is no strategy `wlak`; did you mean `walk`?",
        ),
        (
            "permute N0 N3",
            "8..10 a cycle begins with `(`, as in (N0 N3)",
        ),
        ("permute (N0 N3", "14..14 a cycle ends with `)`"),
        ("permute (N0)", "11..12 a cycle has two values or more"),
        ("permute (Ä B)(B C)", "14..15 B stands twice"),
        ("permute (N0 (N1", "12..13 `(` does not belong here"),
        (
            "key entre",
            "4..9 there is no key `entre`; did you mean `enter`?",
        ),
        ("size 80", "5..7 `80` is not a size, as 80x24"),
        (
            "size 9x9",
            "5..8 a screen has 20 to 400 columns and 5 to 200 rows",
        ),
        (
            "pause soon",
            "6..10 `soon` is not a number of seconds up to 3600",
        ),
        (
            "pause nan",
            "6..9 `nan` is not a number of seconds up to 3600",
        ),
        (
            "frame a/b",
            "6..9 a name consists of letters, digits, `-` and `_`, before `.svg` for a picture",
        ),
        ("expect not", "10..10 a text is missing"),
        ("expect \"  \"", "8..10 the text is empty"),
    ];
    for (text, wanted) in cases {
        assert_eq!(told(text), wanted, "{text}");
    }
}

/// Each line, and what it leads to. A refusal is told as a sentence.
#[test]
fn every_form_does_what_it_says() {
    let mut harness = at_the_seventeen((120, 36));
    let done = |harness: &mut Harness, text: &str| {
        harness
            .line(text)
            .unwrap_or_else(|why| panic!("{text}: {why}"));
    };
    done(&mut harness, "undo 4");
    assert_eq!(harness.app.session.as_ref().unwrap().history.depth(), 10);
    done(&mut harness, "goto 14");
    assert_eq!(harness.app.session.as_ref().unwrap().history.depth(), 14);
    done(&mut harness, "mark a");
    done(&mut harness, "goto 13");
    done(&mut harness, "mark b");
    done(&mut harness, "to-mark a");
    done(&mut harness, "compare b");
    assert_eq!(harness.app.view, View::Compare);
    done(&mut harness, "compare a b");
    done(&mut harness, "view orbit");
    assert_eq!(harness.app.view, View::Orbit);
    done(&mut harness, "orbit goto last");
    assert_eq!(harness.app.orbit.frame + 1, harness.app.frames());
    done(&mut harness, "orbit goto step1");
    assert_eq!(harness.app.orbit.frame, 0);
    done(&mut harness, "orbit replay to step2.1 speed=4");
    assert!(harness.app.orbit.playing);
    assert_eq!(harness.app.orbit.until, Some(1));
    done(&mut harness, "orbit play to 2");
    done(&mut harness, "orbit strategy walk");
    done(&mut harness, "orbit strategy ordering");
    done(&mut harness, "state raw");
    assert_eq!(harness.app.animate.show, ShownState::Raw);
    done(&mut harness, "focus history");
    assert_eq!(
        (harness.app.view, harness.app.pane()),
        (View::Animate, Pane::History)
    );
    done(&mut harness, "filter readNext");
    done(&mut harness, "expect readNext.T1.N4.N1");
    done(&mut harness, "expect not initNode.T1.{");
    done(&mut harness, "filter \"\"");
    done(&mut harness, "key tab Z z z");
    done(&mut harness, "focus transitions");
    done(&mut harness, "take readNext");
    assert_eq!(harness.app.session.as_ref().unwrap().history.depth(), 15);
    done(&mut harness, "check 1");
    done(&mut harness, "size 80x24");
    assert_eq!(harness.app.size, (80, 24));
    done(&mut harness, "wait");
    done(&mut harness, "key : d");
    done(&mut harness, "type eadl ock");
    assert!(matches!(&harness.app.overlay, Some(Overlay::Palette(s)) if s.query == "deadl ock"));
    done(&mut harness, "key esc");
    done(&mut harness, "trace <lock.T0>");
    done(&mut harness, "open BadSystem");
    done(&mut harness, "take lock.T0");
}

#[test]
fn what_cannot_be_done_is_refused_in_a_sentence() {
    let mut harness = at_the_seventeen((120, 36));
    let mut told = |text: &str| harness.line(text).unwrap_err();
    assert_eq!(told("redo"), "redo a step: nothing to redo");
    assert_eq!(
        told("goto 15"),
        "there is no step 15: the history goes to step 14"
    );
    assert_eq!(told("check 9"), "there is no assertion 9: there are 3");
    assert_eq!(told("to-mark q"), "there is no mark 'q: mq sets it");
    assert_eq!(told("compare q"), "there is no mark 'q: mq sets it");
    assert!(told("take initNode").starts_with("initNode is ambiguous: initNode.T1.N"));
    assert!(told("take push.T9").starts_with("push.T9 is not possible here"));
    assert!(told("orbit goto step9").starts_with("there is no step `step9` here"));
    assert_eq!(told("focus counterexample"), "this pane is not shown now");
    assert_eq!(
        told("expect no such text"),
        "`no such text` is not on the screen"
    );
    assert_eq!(told("expect not Orbit"), "`Orbit` is on the screen");
    harness.line("open NOWHERE").unwrap();
    let failed = harness.app.failed.clone();
    assert_eq!(
        failed.as_deref(),
        Some("NOWHERE cannot be opened: <expression>:1:1: `NOWHERE` is not defined [E0201]")
    );
}

/// A state renamed by hand is an entry of the history that no step was taken to, and is not visited.
#[test]
fn a_renamed_state_was_not_visited() {
    let mut harness = Harness::new((120, 36));
    harness.line("permute (N0 Null)").unwrap();
    let failed = harness.app.failed.clone().unwrap_or_default();
    assert!(failed.contains("Null"), "{failed}");
    for _ in 0..14 {
        harness.press("enter");
    }
    harness.line("permute (N0 N1)").unwrap();
    let session = harness.app.session.as_ref().unwrap();
    let here = session.history.here();
    assert_eq!(here.origin, Origin::Renamed("(N0 N1)".to_string()));
    assert!(!session.history.is_reached(session.history.current()));
    assert!(
        session.trace_text().ends_with("(N0 N1)>"),
        "{}",
        session.trace_text()
    );
    harness.line("expect renamed (N0 N1)").unwrap();
    harness.line("expect State (raw) by hand").unwrap();
    harness
        .line("expect renamed by hand, not by a step")
        .unwrap();
    harness.line("undo").unwrap();
    harness.line("expect not by hand").unwrap();
    let session = harness.app.session.as_ref().unwrap();
    assert!(session.history.is_reached(session.history.current()));
}

#[test]
fn the_palette_takes_lines() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("u : take space readN tab");
    let Some(Overlay::Palette(search)) = &harness.app.overlay else {
        panic!("closed");
    };
    let ways = completions(&harness.app, "take ");
    assert!(!ways.is_empty() && ways.iter().all(|way| parse(way).is_ok()));
    assert!(search.query.starts_with("take "));
    harness.press("esc U : take space readN tab");
    assert!(
        harness.screen().contains("Takes readNext.T1.N4.N1."),
        "{}",
        harness.screen()
    );
    harness.press("enter");
    assert_eq!(harness.app.session.as_ref().unwrap().history.depth(), 15);
    // What is wrong stays where it can be put right.
    harness.press("u : view space orbitt enter");
    assert!(harness.app.overlay.is_some());
    assert!(
        harness
            .screen()
            .contains("column 6: there is no view `orbitt`"),
        "{}",
        harness.screen()
    );
    harness.press("backspace enter");
    assert_eq!(
        (harness.app.view, harness.app.overlay.is_some()),
        (View::Orbit, false)
    );
    // Names of commands are found although they begin as lines do.
    harness.press(": check space all space ass");
    assert!(!harness.screen().contains("column"), "{}", harness.screen());
    harness.press("esc : take space the space tr");
    assert!(
        !harness.screen().contains("not possible"),
        "{}",
        harness.screen()
    );
    harness.press("esc");
    // What only scripts know is refused.
    harness.press(": size space 80x24");
    assert!(
        harness.screen().contains("in scripts only"),
        "{}",
        harness.screen()
    );
    assert_eq!(
        language::common_start(&["ab".to_string(), "aä".to_string()]),
        "a"
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,40}") {
        held(&text);
    }

    #[test]
    fn no_words_make_the_reader_panic(
        words in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "view", "take", "trace", "<", "a,", "b>", "orbit", "goto", "play", "to", "speed=",
                    "step2.1", "permute", "(N0", "N3)(", ")", "key", "type", "\"", "size", "80x24",
                    "expect", "not", "rep", "unchanged", "#", "a#2", "99999999999999999999", "-1", "ä",
                ]).prop_map(str::to_owned),
                "\\PC{0,6}",
            ],
            0..8,
        ),
    ) {
        held(&words.join(" "));
    }
}

fn held(text: &str) {
    if let Err(mistake) = parse(text) {
        let count = text.chars().count();
        assert!(mistake.columns.start <= mistake.columns.end && mistake.columns.end <= count);
        assert!(!mistake.message.is_empty());
    }
}
