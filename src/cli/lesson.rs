//! `orbitscope lesson`: lessons listed, taken, presented and checked.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::args::LookArgs;
use super::lesson_args::{
    CheckedLessons, FollowedLesson, LessonAction, LessonArgs, LessonFolder, NamedLesson,
    TakenLesson,
};
use super::output::Output;
use super::signals::Signals;
use super::{INTERRUPTED, USAGE, check, complain, open};
use crate::report::columns::wrap;
use crate::report::numbers::counted;
use crate::source::Cancel;
use crate::tui;
use crate::tui::lessons::lesson::{Shelf, ShelvedLesson, UnreadLesson};
use crate::tui::lessons::places::{self, LessonProgress};
use crate::tui::lessons::rehearsal::{RehearsedAnswers, rehearse};
use crate::tui::lessons::room::{LessonClass, LessonManner, LessonStart};
use crate::tui::lessons::shelf::{self, lesson_file, lesson_files};
use crate::tui::lessons::timing::{self, LessonClock};
use crate::tui::lessons::tree::{LessonFlaw, LessonPlace};
use crate::tui::lessons::{card, keys};

/// Interval at which the place of a presenter is read.
const LOOK: Duration = Duration::from_millis(250);

/// Runs the subcommand `lesson`.
pub fn run(args: &LessonArgs) -> u8 {
    match &args.action {
        LessonAction::List(folder) => list(folder),
        LessonAction::Run(taken) => take(taken),
        LessonAction::Present(named) => present(named),
        LessonAction::Notes(followed) => notes(followed),
        LessonAction::Check(checked) => check_all(checked),
    }
}

fn all(folder: &LessonFolder) -> Result<Shelf, u8> {
    if let Some(path) = folder.folder.as_ref().filter(|path| !path.is_dir()) {
        complain(&format!("{} is no folder", path.display()));
        return Err(USAGE);
    }
    Ok(Shelf::filled(folder.folder.as_deref()))
}

fn list(folder: &LessonFolder) -> u8 {
    let shelf = match all(folder) {
        Ok(shelf) => shelf,
        Err(code) => return code,
    };
    let mut text = String::new();
    let widest = shelf
        .lessons
        .iter()
        .map(|known| known.lesson.id.len())
        .max();
    for (at, known) in shelf.lessons.iter().enumerate() {
        let lesson = &known.lesson;
        let state = match shelf.progress.get(&lesson.id) {
            None => String::new(),
            Some(p) if p.done => "  (done)".to_owned(),
            Some(p) => format!("  (at card {} of {})", p.card + 1, lesson.cards.len()),
        };
        let (id, wide) = (&lesson.id, widest.unwrap_or(0));
        text += &format!(
            "{:>2}  {id:<wide$}  {:>2} min  {}{state}\n",
            at + 1,
            lesson.minutes,
            lesson.title
        );
    }
    let mut out = Output::default();
    out.write(&text);
    for line in shelf.unread.iter().flat_map(UnreadLesson::lines) {
        complain(&line);
    }
    if !shelf.note.is_empty() {
        complain(&shelf.note);
    }
    out.code(if shelf.unread.is_empty() { 0 } else { USAGE })
}

/// Finds a lesson by the typed text: a file if there is one, otherwise an id or a number.
fn named(shelf: &Shelf, lesson: &str) -> Result<ShelvedLesson, u8> {
    let path = Path::new(lesson);
    let is_file = path.extension().is_some_and(|ending| ending == "ron");
    let found = if is_file {
        lesson_file(path).map_err(|unread| unread.lines().join("\n"))
    } else {
        shelf.named(lesson).cloned()
    };
    match found {
        Ok(found) => Ok(found),
        Err(why) => {
            why.lines().for_each(complain);
            // A lesson that was meant may be among those that cannot be read.
            shelf
                .unread
                .iter()
                .flat_map(UnreadLesson::lines)
                .for_each(|line| complain(&line));
            Err(USAGE)
        }
    }
}

/// Finds a lesson by the typed text, and how it is begun: at its first card, and before those that follow it.
fn begun(wanted: &NamedLesson, manner: LessonManner) -> Result<(LessonStart, Shelf), u8> {
    let shelf = all(&wanted.folder)?;
    let shelved = named(&shelf, &wanted.lesson)?;
    let start = LessonStart {
        class: LessonClass {
            began: None,
            following: shelf.after(&shelved),
        },
        shelved,
        progress: LessonProgress::default(),
        manner,
    };
    Ok((start, shelf))
}

/// The manner of a lesson that is taken or presented by itself.
fn manner(presenting: bool) -> LessonManner {
    LessonManner {
        presenting,
        alone: true,
        strict: false,
    }
}

fn take(taken: &TakenLesson) -> u8 {
    let (mut start, shelf) = match begun(&taken.named, manner(false)) {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    if let Some(path) = &taken.report
        && let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        && !folder.is_dir()
    {
        complain(&format!("{}: there is no such folder", folder.display()));
        return USAGE;
    }
    let progress = shelf.progress.get(&start.shelved.lesson.id);
    if let Some(progress) = progress.filter(|_| !taken.again) {
        start.progress.clone_from(progress);
    }
    if taken.report.is_some() {
        // The file has the answers of one lesson.
        start.class.following.clear();
    }
    show(&taken.named.folder, start, taken.report.clone())
}

fn present(wanted: &NamedLesson) -> u8 {
    match begun(wanted, manner(true)) {
        Ok((start, _)) => show(&wanted.folder, start, None),
        Err(code) => code,
    }
}

/// Shows a lesson, and writes the answers to a file if one is given.
fn show(folder: &LessonFolder, start: LessonStart, report: Option<PathBuf>) -> u8 {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        if let Some(gone) = tui::ended_before() {
            return open::ended(Ok(gone));
        }
        complain("a lesson needs a terminal; `orbitscope lesson check` goes through one without");
        return USAGE;
    }
    if let Err(why) = start.shelved.model() {
        complain(&why);
        return USAGE;
    }
    let mut options = open::options(&LookArgs::default(), false);
    options.settings.lessons.clone_from(&folder.folder);
    options.settings.report = report;
    open::ended(tui::run(tui::ScreenStart::Lesson(Box::new(start)), options))
}

fn notes(wanted: &FollowedLesson) -> u8 {
    let shelf = match all(&wanted.folder) {
        Ok(shelf) => shelf,
        Err(code) => return code,
    };
    let shelved = match wanted.lesson.as_deref().map(|lesson| named(&shelf, lesson)) {
        None => return follow(&shelf, None),
        Some(Ok(found)) => found,
        Some(Err(code)) => return code,
    };
    if wanted.follow {
        follow(&shelf, Some(&shelved))
    } else {
        let cards = 0..shelved.lesson.cards.len();
        let mut out = Output::default();
        out.write(&format!("{}\n", shelved.lesson.title));
        for card in cards {
            let text = format!("\n{}", page(&shelved, card, false));
            out.write(&in_lines(&text, check::columns()));
        }
        out.code(0)
    }
}

/// The notes of one card.
fn page(shelved: &ShelvedLesson, card: usize, asking: bool) -> String {
    let lesson = &shelved.lesson;
    let Some(found) = lesson.cards.get(card) else {
        return "the presenter shows another version of this lesson\n".to_owned();
    };
    let before: u64 = lesson.cards[..card].iter().map(timing::seconds_of).sum();
    let mut text = format!(
        "Card {} of {}  {}   (planned to begin at {}, takes {})\n",
        card + 1,
        lesson.cards.len(),
        found.title,
        timing::minutes(before),
        timing::minutes(timing::seconds_of(found)),
    );
    text += &format!(
        "{}\n",
        if found.notes.is_empty() {
            "No notes."
        } else {
            &found.notes
        }
    );
    if let Some(ask) = &found.ask {
        let open = if asking { " (not answered yet)" } else { "" };
        let right = keys::right(ask);
        text += &format!("Q. {}  A. {right}{open}\n", ask.asked(&right));
    }
    text
}

/// A text in lines of at most so many columns, broken at words.
fn in_lines(text: &str, columns: usize) -> String {
    let lines = text.lines().flat_map(|line| wrap(line, columns));
    lines.map(|line| line + "\n").collect()
}

/// The clock of the presenter of a lesson, or of any of a shelf, and the notes of the card that is shown now, for those
/// who follow.
fn followed(shelf: &Shelf, wanted: Option<&ShelvedLesson>) -> (String, String) {
    let id = wanted.map(|shelved| shelved.lesson.id.as_str());
    let found = places::presenters(id);
    let place = found.here.first();
    let shelved = wanted.or_else(|| shelf.find(&place?.lesson));
    let (clock, mut text) = match (place, shelved) {
        (Some(place), Some(shelved)) => {
            let times = [place.class_began, place.began, place.arrived];
            let clock = LessonClock::at(places::milliseconds_now(), times);
            let [clock, ..] = clock.texts(&shelved.lesson, place.card);
            let outline = card::outline(&shelved.lesson, place.card);
            let page = page(shelved, place.card, place.asking);
            (format!("{clock}\n\n"), format!("{page}\n\n{outline}\n"))
        }
        (Some(place), None) => {
            let lesson = &place.lesson;
            let text =
                format!("`{lesson}` is presented, which is not listed here: name its file.\n");
            (String::new(), text)
        }
        (None, _) => {
            let id = id.unwrap_or("components");
            let text = format!(
                "Nobody presents {} now. Start it in another terminal: orbitscope lesson present {id}\n",
                wanted.map_or("a lesson", |_| id),
            );
            (String::new(), text)
        }
    };
    if let [first, _, ..] = found.here.as_slice() {
        let (count, process) = (found.here.len(), first.process);
        let what = wanted.map_or("lessons", |_| "this lesson");
        text += &format!(
            "\n{count} terminals present {what}: these are the notes of process {process}, which moved last.\n"
        );
    }
    if found.gone > 0 && found.here.is_empty() {
        text += "The presenter's process has ended without leaving the lesson.\n";
    }
    if found.broken > 0 {
        text += &format!(
            "{} files of presenters cannot be read, and are left aside.\n",
            found.broken
        );
    }
    (clock, text)
}

fn follow(shelf: &Shelf, wanted: Option<&ShelvedLesson>) -> u8 {
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    let clears = std::io::stdout().is_terminal();
    let mut out = Output::default();
    let mut last = String::new();
    while !cancel.is_cancelled() && out.code(0) == 0 {
        let (clock, notes) = followed(shelf, wanted);
        if clears {
            // The terminal may have become wider or narrower, too.
            let text = in_lines(&format!("{clock}{notes}"), check::columns());
            if text != last {
                out.replace(&text);
                last = text;
            }
        } else if notes != last {
            // Elsewhere only cards are news, and not each second.
            let before = if last.is_empty() { "" } else { "\n" };
            out.write(&format!("{before}{clock}{notes}"));
            last = notes;
        }
        thread::sleep(LOOK);
    }
    out.code(signals.code().unwrap_or(0))
}

fn check_all(checked: &CheckedLessons) -> u8 {
    let (lessons, unread) = match gathered(checked.path.as_deref()) {
        Ok(found) => found,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    let mut out = Output::default();
    let mut wrong = false;
    for line in unread.iter().flat_map(UnreadLesson::lines) {
        out.write(&format!("{line}\n"));
        wrong = true;
    }
    for shelved in lessons {
        let lesson = &shelved.lesson;
        let name = shelved
            .file
            .as_ref()
            .map_or_else(|| lesson.id.clone(), |p| p.display().to_string());
        let seconds = timing::planned_seconds(lesson);
        let time = timing::minutes(seconds);
        let outcome = if checked.no_run {
            Ok(String::new())
        } else {
            gone_through(&shelved, &cancel)
        };
        if cancel.is_cancelled() {
            return out.code(signals.code().unwrap_or(INTERRUPTED));
        }
        match outcome {
            Ok(said) => out.write(&format!(
                "{name}: {}, {time} planned{said}\n",
                counted(lesson.cards.len() as u64, "card")
            )),
            Err(flaws) => {
                wrong = true;
                let unread = UnreadLesson { name, flaws };
                unread
                    .lines()
                    .iter()
                    .for_each(|line| out.write(&format!("{line}\n")));
            }
        }
    }
    out.code(u8::from(wrong))
}

/// Goes through a lesson twice: answered right, and answered wrong.
fn gone_through(shelved: &ShelvedLesson, cancel: &Cancel) -> Result<String, Vec<LessonFlaw>> {
    let whole = |why: String| vec![LessonFlaw::new(LessonPlace { line: 0, column: 0 }, why)];
    let model = shelved.model().map_err(whole)?;
    let workshop = open::workshop();
    let mut said = String::new();
    for answers in [RehearsedAnswers::Right, RehearsedAnswers::Wrong] {
        let (right, all) = rehearse(shelved, workshop(&model), answers, cancel)?;
        let as_meant = match answers {
            RehearsedAnswers::Right => right == all,
            RehearsedAnswers::Wrong => right == 0,
        };
        if !as_meant {
            return Err(whole(format!(
                "of {all} answers {right} were counted as right"
            )));
        }
        let questions = counted(all as u64, "question");
        said = format!(", {questions}, all claims hold");
    }
    Ok(said)
}

/// The lessons that are meant, and files that cannot be read.
fn gathered(path: Option<&Path>) -> Result<(Vec<ShelvedLesson>, Vec<UnreadLesson>), String> {
    let found: Vec<_> = match path {
        None => shelf::shipped().chain([shelf::tour()]).collect(),
        Some(path) => {
            let files = if path.is_dir() {
                lesson_files(path)?
            } else {
                vec![path.to_path_buf()]
            };
            files.iter().map(|path| lesson_file(path)).collect()
        }
    };
    if found.is_empty() {
        return Err("there are no files that end in .ron".to_owned());
    }
    let (mut lessons, mut unread) = (Vec::new(), Vec::new());
    for lesson in found {
        match lesson {
            Ok(found) => lessons.push(found),
            Err(why) => unread.push(why),
        }
    }
    Ok((lessons, unread))
}
