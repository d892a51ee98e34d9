//! The lessons of the program, gone through with the real engine, and taken in a real terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orbitscope::animate::checker::{Runners, run_from_file};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::sizes::sizes_from_file;
use orbitscope::animate::worker::{EngineFactory, EngineSource};
use orbitscope::check::Options;
use orbitscope::source::{Cancel, Limits};
use orbitscope::tui::lessons::lesson::ShelvedLesson;
use orbitscope::tui::lessons::rehearsal::{RehearsedAnswers, rehearse};
use orbitscope::tui::lessons::shelf::{lesson_file, shipped, tour};

use super::pty::Terminal;
use super::support::repository;

/// The engines and the checks of a model.
fn workshop(path: &Path) -> (EngineSource, Runners) {
    let [engine, checked, sized] = std::array::from_fn(|_| path.to_path_buf());
    let engines = Box::new(move || {
        let engine = engine.clone();
        Box::new(move |cancel: &Cancel| {
            let engine = ScriptEngine::load_within(engine, Limits::default(), cancel)?;
            Ok(Box::new(engine))
        }) as EngineFactory
    });
    let options = Options::default();
    let sizes = options.clone();
    let runners = Runners {
        check: Arc::new(move |request, room, cancel, report| {
            run_from_file(&checked, request, room, (&options, cancel), report);
        }),
        race: Arc::new(|_, _, _| {}),
        sizes: Arc::new(move |request, cancel, report| {
            sizes_from_file(&sized, request, (&sizes, None), cancel, report);
        }),
        stored: None,
    };
    (engines, runners)
}

fn model(lesson: &ShelvedLesson) -> PathBuf {
    let name = lesson.lesson.model.trim_start_matches("builtin:");
    repository(&format!("models/{name}.csp"))
}

#[test]
fn each_lesson_comes_to_its_end_answered_right_and_answered_wrong() {
    for lesson in shipped() {
        let lesson = lesson.expect("a sound lesson");
        let name = &lesson.lesson.id;
        let asked = lesson.lesson.cards.iter().filter(|card| card.ask.is_some());
        let asked = asked.count();
        for (answers, right) in [
            (RehearsedAnswers::Right, asked),
            (RehearsedAnswers::Wrong, 0),
        ] {
            let went = rehearse(
                &lesson,
                workshop(&model(&lesson)),
                answers,
                &Cancel::default(),
            );
            assert_eq!(went, Ok((right, asked)), "{name}, answered {answers:?}");
        }
    }
}

#[test]
fn the_tour_comes_to_its_end_whether_its_keys_are_pressed_or_passed_over() {
    let tour = tour().expect("a sound tour");
    for answers in [RehearsedAnswers::Right, RehearsedAnswers::Wrong] {
        let went = rehearse(&tour, workshop(&model(&tour)), answers, &Cancel::default());
        // To press a key is no answer that could be wrong.
        assert_eq!(went, Ok((0, 0)), "{answers:?}");
    }
}

/// The tour is worth its minutes: a comparison finds something, a symmetry is drawn and applied, and a check fails, whose
/// run is followed to what goes wrong. That each is seen, the test before this one holds.
#[test]
fn the_tour_shows_what_symmetry_finds() {
    let tour = tour().expect("a sound tour");
    let cards = tour.lesson.cards.iter();
    let claims: Vec<String> = cards
        .flat_map(|card| &card.expect)
        .map(|line| line.line.text.clone())
        .collect();
    let mut from = claims.iter();
    for claim in ["Same orbit", "applied 1 of 5", "FAIL", "VIOLATION"] {
        let found = from.any(|text| text.contains(claim));
        assert!(found, "{claim}, in this order: {claims:?}");
    }
}

#[test]
fn a_claim_that_does_not_hold_is_found_with_its_place() {
    let path = super::support::script(
        "false_claims.ron",
        "Lesson(
  version: 1, id: \"x\", title: \"x\", model: \"builtin:ring\", cards: [
    Card(say: \"x\", do: [\"take init.N9.A.N1\"], expect: [\"no such words\"]),
    Card(say: \"x\", do: [\"orbit goto step9\"]),
  ],
)",
    );
    let lesson = lesson_file(&path).expect("a sound file");
    let flaws = rehearse(
        &lesson,
        workshop(&model(&lesson)),
        RehearsedAnswers::Right,
        &Cancel::default(),
    );
    let flaws = flaws.expect_err("claims that do not hold");
    let places: Vec<_> = flaws
        .iter()
        .map(|flaw| (flaw.at.line, flaw.at.column))
        .collect();
    assert_eq!(places, [(3, 26), (3, 57), (4, 26)], "{flaws:?}");
}

/// A folder for what is remembered, and the words before the arguments that make the program use it.
fn remembering(name: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("orbitscope-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let state = folder.join("state");
    (folder, state)
}

fn started(folder: &Path, state: &Path, arguments: &str) -> Terminal {
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let state = state.display();
    Terminal::run(
        folder,
        &format!(
            "export ORBITSCOPE_STATE_DIR='{state}' ORBITSCOPE_LESSONS_DIR=/nowhere; '{program}' {arguments}; echo EXIT=$?; sleep 60"
        ),
    )
}

#[test]
fn a_lesson_is_left_and_goes_on_in_a_terminal() {
    let (folder, state) = remembering("lesson-run");
    let mut terminal = started(&folder, &state, "lesson run counting --report answers.json");
    terminal.wait("Card 1 of 9");
    terminal.press("n");
    terminal.wait("your turn");
    terminal.press("3\r");
    terminal.wait("Right.");
    terminal.resize(80, 24);
    terminal.wait("step 1: what is plain");
    terminal.press("n");
    terminal.wait("card 3/9");
    terminal.press("\u{1b}");
    terminal.wait("EXIT=0");
    let report = std::fs::read_to_string(folder.join("answers.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(
        (report["right"].as_u64(), report["asked"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(report["card"].as_u64(), Some(3));
    let mut again = started(&folder, &state, "lesson run counting");
    again.wait("card 3/9");
    // Two instances at once: each keeps the place in its own lesson.
    let mut other = started(&folder, &state, "lesson run ring.ron; true");
    other.wait("EXIT=");
    let mut other = started(&folder, &state, "lesson run choices");
    other.wait("card 1/8");
    other.press("n");
    other.wait("card 2/8");
    again.press("n");
    again.wait("card 4/9");
    let mut list = started(&folder, &state, "lesson list");
    list.wait("at card 4 of 9");
    list.wait("at card 2 of 8");
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn notes_follow_a_presenter() {
    let (folder, state) = remembering("lesson-notes");
    let mut notes = started(&folder, &state, "lesson notes counting --follow");
    notes.wait("Nobody presents counting now");
    let mut presenter = started(&folder, &state, "lesson present counting");
    presenter.wait("card 1/9");
    notes.wait("Card 1 of 9");
    presenter.press("n");
    presenter.wait("card 2/9");
    notes.wait("Card 2 of 9");
    notes.wait("not answered yet");
    // Both clocks run without a key.
    presenter.wait("0:03 since the start");
    notes.wait("0:04 since the start");
    presenter.wait("0:05 since the start");
    let mut second = started(&folder, &state, "lesson present counting");
    second.wait("card 1/9");
    notes.wait("2 terminals present this lesson");
    second.press("q");
    second.wait("EXIT=0");
    // Behind its end stands the next lesson: notes of any lesson follow there, under one clock of the class.
    let mut any = started(&folder, &state, "lesson notes --follow");
    any.wait("Card 2 of 9");
    for card in 3..=9 {
        presenter.press("n");
        presenter.wait(&format!("card {card}/9"));
    }
    presenter.press("n");
    presenter.wait("Enter goes on with the next lesson");
    presenter.press("n");
    presenter.wait("choices · card 1/8");
    any.wait("Card 1 of 8");
    any.wait("class 0:");
    notes.wait("Nobody presents counting now");
    presenter.press("q");
    presenter.wait("EXIT=0");
    any.wait("Nobody presents a lesson now");
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn where_nothing_can_be_remembered_a_lesson_can_be_taken() {
    let (folder, _) = remembering("lesson-unwritable");
    // A file where the folder should be.
    let state = folder.join("taken");
    std::fs::write(&state, "x").expect("a file");
    let mut terminal = started(&folder, &state, "lesson run names");
    terminal.wait("your place is not kept");
    // Letters are an answer here; the arrow passes the question over.
    terminal.press("\u{1b}[C");
    terminal.wait("take the names away");
    assert!(terminal.shows(Duration::from_secs(20), |screen| {
        screen.contains("Node(N3, B, N1)")
    }));
    terminal.press("q");
    terminal.wait("EXIT=0");
    std::fs::remove_dir_all(folder).expect("a folder");
}
