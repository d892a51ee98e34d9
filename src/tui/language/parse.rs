//! Parsing of a line: its instruction, or its mistake.

use super::forms;
use super::line::{CommandLine, Instruction, Mistake, StepName};
use super::words::{LineWord, LineWords, hint, number};
use crate::actions::yank::WORDS;
use crate::animate::engine::split_trace;
use crate::animate::model::{GivenCycles, StrategyKind};
use crate::app::{SPEEDS, ShownState};
use crate::keys;
use crate::registry;
use crate::views::{Pane, View};

/// The largest number of a command.
const COUNT_MAX: usize = 9999;
/// The smallest and the largest screen, in columns and in rows.
const SIZES: [(u16, u16); 2] = [(20, 400), (5, 200)];
/// The longest pause, in seconds.
const PAUSE_MAX: f64 = 3600.0;

/// Parses one line.
///
/// # Errors
/// The mistake, with its place.
pub fn parse(text: &str) -> Result<CommandLine, Mistake> {
    let mut words = LineWords::new(text);
    let instruction = match words.next() {
        None => Instruction::Nothing,
        Some(word) if word.text.starts_with('#') => Instruction::Nothing,
        Some(verb) => instruction(verb, &mut words)?,
    };
    Ok(CommandLine {
        instruction,
        text: text.trim().to_owned(),
    })
}

fn instruction(verb: LineWord<'_>, words: &mut LineWords<'_>) -> Result<Instruction, Mistake> {
    // Some ids are the first words of forms, too: alone they are the commands.
    if let Some(command) = registry::by_id(verb.text)
        && (words.is_empty() || !forms::verbs().any(|form| form == verb.text))
    {
        let count = match words.next() {
            None => 1,
            Some(word) if !command.counts => {
                return Err(word.mistake(format!("`{}` takes no number", command.id)));
            }
            Some(word) => count(word)?,
        };
        words.end()?;
        let id = command.id;
        return Ok(Instruction::Command { id, count });
    }
    let read = match verb.text {
        "view" => Instruction::View(view(words.need("the name of a view")?)?),
        "focus" => Instruction::Focus(pane(words.need("the name of a pane")?)?),
        "take" => Instruction::Take(words.need_text("an event")?.text.to_owned()),
        "trace" => Instruction::Trace(trace(words.need_text("a trace, as <a, b>")?)?),
        "goto" => {
            let word = words.need("the number of a step")?;
            Instruction::Goto(number(word, "the number of a step")?)
        }
        "open" => Instruction::Open(words.need_text("a process")?.text.to_owned()),
        "check" => Instruction::Check(assertion(words.need("the number of an assertion")?)?),
        "resume" => Instruction::Resume(words.need_text("the folder of a check")?.text.into()),
        "mark" => Instruction::Mark(letter(words.need("a letter")?)?),
        "to-mark" => Instruction::ToMark(letter(words.need("a letter")?)?),
        "compare" => {
            let a = letter(words.need("a letter")?)?;
            let b = words.next().map(letter).transpose()?;
            Instruction::Compare(a, b)
        }
        "yank" => Instruction::Yank(copied(words.need("what to copy")?)?),
        "write" => Instruction::Write(words.need_text("the name of a file")?.text.into()),
        "filter" => Instruction::Filter(words.need_text("a text")?.text.to_owned()),
        "find" => Instruction::Find(words.need_text("a condition")?.text.to_owned()),
        "state" => Instruction::Show(shown(words.need("raw, rep, both or counted")?)?),
        "orbit" => orbit(words)?,
        "permute" => {
            Instruction::Permute(cycles(words.need_text("a permutation, as (N0 N3)(A B)")?)?)
        }
        "key" => Instruction::Keys(pressed(words)?),
        "type" => Instruction::Keys(typed(words.need_text("a text")?)?),
        "size" => size(words.need("a size, as 80x24")?)?,
        "wait" => Instruction::Wait,
        "pause" => pause(words.need("a number of seconds")?)?,
        "frame" => Instruction::Frame(words.next().map(frame_name).transpose()?),
        "expect" => expect(words)?,
        _ => return Err(unknown(verb)),
    };
    words.end()?;
    Ok(read)
}

fn unknown(verb: LineWord<'_>) -> Mistake {
    let names = forms::verbs().chain(registry::in_views().map(|command| command.id));
    let text = verb.text;
    // Commands have no dots in them, and events have.
    let instead = match text.contains('.') {
        true => format!("; `take {text}` takes an event"),
        false => hint(text, names),
    };
    verb.mistake(format!("`{text}` is no command{instead}"))
}

/// The key of a text to copy.
fn copied(word: LineWord<'_>) -> Result<char, Mistake> {
    let found = WORDS.iter().find(|(name, _)| *name == word.text);
    found.map(|(_, key)| *key).ok_or_else(|| {
        let near = hint(word.text, WORDS.iter().map(|(name, _)| *name));
        let all: Vec<&str> = WORDS.iter().map(|(name, _)| *name).collect();
        let all = all.join(", ");
        word.mistake(format!("`{}` is none of {all}{near}", word.text))
    })
}

fn count(word: LineWord<'_>) -> Result<usize, Mistake> {
    match number(word, "a number")? {
        0 => Err(word.mistake("the number is at least 1")),
        n if n > COUNT_MAX => Err(word.mistake(format!("the number is at most {COUNT_MAX}"))),
        n => Ok(n),
    }
}

fn view(word: LineWord<'_>) -> Result<View, Mistake> {
    let is_meant = |view: &View| {
        view.name().eq_ignore_ascii_case(word.text) || word.text == view.number().to_string()
    };
    let found = View::ALL.into_iter().find(is_meant);
    found.ok_or_else(|| {
        let names: Vec<String> = View::ALL.iter().map(|v| v.name().to_lowercase()).collect();
        let near = hint(word.text, names.iter().map(String::as_str));
        word.mistake(format!("there is no view `{}`{near}", word.text))
    })
}

/// `side-by-side`: how a pane is called in a line.
pub(super) fn pane_name(pane: Pane) -> String {
    let mut name = String::new();
    for c in format!("{pane:?}").chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Iterates over all panes, each once.
pub(super) fn all_panes() -> impl Iterator<Item = Pane> {
    View::ALL
        .into_iter()
        .flat_map(|view| view.panes().iter().copied())
}

fn pane(word: LineWord<'_>) -> Result<Pane, Mistake> {
    let found = all_panes().find(|pane| pane_name(*pane).eq_ignore_ascii_case(word.text));
    found.ok_or_else(|| {
        let names: Vec<String> = all_panes().map(pane_name).collect();
        let near = hint(word.text, names.iter().map(String::as_str));
        word.mistake(format!("there is no pane `{}`{near}", word.text))
    })
}

fn trace(word: LineWord<'_>) -> Result<Vec<String>, Mistake> {
    match (word.text.starts_with('<'), word.text.ends_with('>')) {
        (true, true) if word.text.len() > 1 => Ok(split_trace(word.text)),
        (false, _) => Err(word.mistake("a trace begins with `<`, as in <a, b>")),
        _ => Err(word.mistake("a trace ends with `>`, as in <a, b>")),
    }
}

fn assertion(word: LineWord<'_>) -> Result<Option<usize>, Mistake> {
    match word.text {
        "all" => Ok(None),
        _ => number(word, "the number of an assertion, nor `all`").map(Some),
    }
}

fn letter(word: LineWord<'_>) -> Result<char, Mistake> {
    keys::letter(word.text).ok_or_else(|| word.mistake(format!("`{}` is not a letter", word.text)))
}

fn shown(word: LineWord<'_>) -> Result<ShownState, Mistake> {
    const NAMES: [(&str, ShownState); 4] = [
        ("raw", ShownState::Raw),
        ("rep", ShownState::Rep),
        ("both", ShownState::Both),
        ("counted", ShownState::Counted),
    ];
    let found = NAMES.iter().find(|(name, _)| *name == word.text);
    found.map(|(_, shown)| *shown).ok_or_else(|| {
        let near = hint(word.text, NAMES.iter().map(|(name, _)| *name));
        let message = format!(
            "raw, rep, both or counted can be shown, not `{}`{near}",
            word.text
        );
        word.mistake(message)
    })
}

fn orbit(words: &mut LineWords<'_>) -> Result<Instruction, Mistake> {
    const PARTS: [&str; 4] = ["goto", "play", "replay", "strategy"];
    let part = words.need("goto, play, replay or strategy")?;
    Ok(match part.text {
        "goto" => Instruction::OrbitGoto(step(words.need("a step")?)?),
        "play" | "replay" => play(words, part.text == "replay")?,
        "strategy" => Instruction::OrbitStrategy(strategy(words.need("the name of a strategy")?)?),
        _ => {
            let near = hint(part.text, PARTS);
            let message = format!("`orbit {}` is no command{near}", part.text);
            return Err(part.mistake(message));
        }
    })
}

fn play(words: &mut LineWords<'_>, anew: bool) -> Result<Instruction, Mistake> {
    let (mut to, mut speed) = (None, None);
    while let Some(word) = words.next() {
        match word.text.strip_prefix("speed=") {
            Some(text) => speed = Some(steps_a_second(word, text)?),
            None if word.text == "to" => to = Some(step(words.need("a step")?)?),
            None => {
                let message = format!("`to STEP` or `speed=S` may follow, not `{}`", word.text);
                return Err(word.mistake(message));
            }
        }
    }
    Ok(Instruction::OrbitPlay { to, speed, anew })
}

fn steps_a_second(word: LineWord<'_>, text: &str) -> Result<usize, Mistake> {
    let named = |(name, _): &(&str, u64)| name.trim_end_matches('x') == text.trim_end_matches('x');
    SPEEDS.iter().position(named).ok_or_else(|| {
        let names: Vec<_> = SPEEDS
            .iter()
            .map(|(name, _)| name.trim_end_matches('x'))
            .collect();
        word.mistake(format!("the speed is one of {}", names.join(", ")))
    })
}

fn step(word: LineWord<'_>) -> Result<StepName, Mistake> {
    match word.text {
        "first" => return Ok(StepName::First),
        "last" => return Ok(StepName::Last),
        _ => {}
    }
    if word.text.starts_with(|c: char| c.is_ascii_digit()) {
        return match number(word, "the number of a step")? {
            0 => Err(word.mistake("steps are counted from 1")),
            n => Ok(StepName::Number(n)),
        };
    }
    let known = |c: char| c.is_ascii_alphanumeric() || c == '.';
    if word.text.chars().all(known) {
        Ok(StepName::Named(word.text.to_owned()))
    } else {
        Err(word.mistake(format!(
            "`{}` is no step: a number, first, last, or a name as step2.1.split",
            word.text
        )))
    }
}

fn strategy(word: LineWord<'_>) -> Result<StrategyKind, Mistake> {
    let name = |kind: StrategyKind| kind.strategy().name();
    let mut all = StrategyKind::SHOWN.into_iter();
    let found = all.find(|kind| name(*kind) == word.text);
    found.ok_or_else(|| {
        let near = hint(word.text, StrategyKind::SHOWN.into_iter().map(name));
        word.mistake(format!("there is no strategy `{}`{near}", word.text))
    })
}

/// `(N0 N3)(A B)`, with blanks or commas between the values.
fn cycles(word: LineWord<'_>) -> Result<GivenCycles, Mistake> {
    let mut found: GivenCycles = Vec::new();
    let mut open: Option<Vec<String>> = None;
    let mut at = word.at;
    let mut rest = word.text;
    while let Some(c) = rest.chars().next() {
        let ends = |c: char| c.is_whitespace() || "(),".contains(c);
        let length = rest.find(ends).filter(|end| *end > 0);
        let length = length.unwrap_or(if ends(c) { c.len_utf8() } else { rest.len() });
        let part = LineWord {
            text: &rest[..length],
            at,
        };
        match (part.text, &mut open) {
            ("(", None) => open = Some(Vec::new()),
            (")", Some(cycle)) if cycle.len() < 2 => {
                return Err(part.mistake("a cycle has two values or more"));
            }
            (")", Some(cycle)) => {
                found.push(std::mem::take(cycle));
                open = None;
            }
            (text, _) if text == "," || text.trim().is_empty() => {}
            ("(" | ")", _) => {
                return Err(part.mistake(format!("`{}` does not belong here", part.text)));
            }
            (text, Some(cycle)) => {
                if cycle
                    .iter()
                    .chain(found.iter().flatten())
                    .any(|known| known == text)
                {
                    return Err(part.mistake(format!("{text} stands twice")));
                }
                cycle.push(text.to_owned());
            }
            (_, None) => return Err(part.mistake("a cycle begins with `(`, as in (N0 N3)")),
        }
        at += part.text.chars().count();
        rest = &rest[length..];
    }
    match open {
        None => Ok(found),
        Some(_) => Err(Mistake {
            columns: at..at,
            message: "a cycle ends with `)`".to_owned(),
        }),
    }
}

fn pressed(words: &mut LineWords<'_>) -> Result<Vec<String>, Mistake> {
    let mut word = words.need("the name of a key")?;
    let mut all = Vec::new();
    loop {
        // `Enter` and `Ctrl-d` are written as in the help; a letter is itself.
        let name = match word.text.chars().count() {
            1 => word.text.to_owned(),
            _ => word.text.to_lowercase(),
        };
        if keys::press(&name).is_none() {
            let near = hint(&name, keys::NAMED);
            return Err(word.mistake(format!("there is no key `{}`{near}", word.text)));
        }
        all.push(name);
        match words.next() {
            Some(next) => word = next,
            None => return Ok(all),
        }
    }
}

/// The keys that type a text.
fn typed(word: LineWord<'_>) -> Result<Vec<String>, Mistake> {
    if word.text.chars().any(char::is_control) {
        return Err(word.mistake("control characters cannot be typed"));
    }
    let key = |c: char| match c {
        ' ' => "space".to_owned(),
        c => c.to_string(),
    };
    Ok(word.text.chars().map(key).collect())
}

fn size(word: LineWord<'_>) -> Result<Instruction, Mistake> {
    let size = parse_size(word.text);
    let (width, height) = size.map_err(|message| word.mistake(message))?;
    Ok(Instruction::Size(width, height))
}

/// `80x24`: the columns and rows of a screen.
///
/// # Errors
/// The mistake, in words.
pub fn parse_size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once('x');
    let size = parts.and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let (width, height): (u16, u16) =
        size.ok_or_else(|| format!("`{text}` is not a size, as 80x24"))?;
    let [(narrow, wide), (low, high)] = SIZES;
    if (narrow..=wide).contains(&width) && (low..=high).contains(&height) {
        Ok((width, height))
    } else {
        Err(format!(
            "a screen has {narrow} to {wide} columns and {low} to {high} rows"
        ))
    }
}

fn pause(word: LineWord<'_>) -> Result<Instruction, Mistake> {
    let seconds = word.text.parse::<f64>().ok();
    match seconds.filter(|s| s.is_finite() && (0.0..=PAUSE_MAX).contains(s)) {
        Some(seconds) => Ok(Instruction::Pause((seconds * 1000.0).round() as u64)),
        None => Err(word.mistake(format!(
            "`{}` is not a number of seconds up to {PAUSE_MAX}",
            word.text
        ))),
    }
}

/// The end of the name of a frame that is saved as a picture.
pub const PICTURE: &str = ".svg";

fn frame_name(word: LineWord<'_>) -> Result<String, Mistake> {
    // It becomes the name of a file in a given folder.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name = word.text.strip_suffix(PICTURE).unwrap_or(word.text);
    if !name.is_empty() && name.chars().all(plain) {
        Ok(word.text.to_owned())
    } else {
        Err(word.mistake(
            "a name consists of letters, digits, `-` and `_`, before `.svg` for a picture",
        ))
    }
}

fn expect(words: &mut LineWords<'_>) -> Result<Instruction, Mistake> {
    let mut after = words.clone();
    let first = after.next().map(|word| word.text);
    match first {
        Some("rep")
            if after
                .clone()
                .rest()
                .is_some_and(|rest| rest.text == "unchanged") =>
        {
            words.rest();
            Ok(Instruction::ExpectSameRepresentative)
        }
        Some("not") => {
            words.next();
            expected(words, false)
        }
        _ => expected(words, true),
    }
}

fn expected(words: &mut LineWords<'_>, there: bool) -> Result<Instruction, Mistake> {
    let word = words.need_text("a text")?;
    if word.text.trim().is_empty() {
        return Err(word.mistake("the text is empty"));
    }
    let text = word.text.to_owned();
    Ok(Instruction::Expect { text, there })
}
