//! Completion and preview of a line while it is typed.

use super::forms::{self, FORMS, Form};
use super::line::{CommandLine, Instruction};
use super::parse::{all_panes, pane_name};
use super::steps::step_names;
use super::taking;
use crate::animate::model::StrategyKind;
use crate::app::App;
use crate::registry;
use crate::views::View;

/// The form that a line has, by its first words.
#[must_use]
pub fn form_of(text: &str) -> Option<&'static Form> {
    let words: Vec<&str> = text.split_whitespace().collect();
    // The number of words that agree with the form, up to its first argument.
    let fixed = |form: &Form| {
        let own: Vec<&str> = form.usage.split(' ').collect();
        let is_word = |w: &&&str| w.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let count = own.iter().take_while(is_word).count();
        let agrees = words.len() >= count && own[..count] == words[..count];
        let whole = own.len() == words.len();
        (agrees && count > 0).then_some((count, whole))
    };
    let scored = FORMS.iter().filter_map(|form| Some((fixed(form)?, form)));
    // Of those with the same number, one with the right number of arguments.
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, form)| form)
}

/// The effect that a line would have now.
///
/// # Errors
/// The reason why it would fail, if that is known before.
pub fn preview_line(app: &App, line: &CommandLine) -> Result<String, String> {
    let form = form_of(&line.text);
    if form.is_some_and(|form| form.in_scripts) {
        return Err("this means something in scripts only".to_owned());
    }
    match &line.instruction {
        Instruction::Take(event) => {
            let session = app.session.as_ref().ok_or("no process is open")?;
            let view = session.view().ok_or("the state is not known yet")?;
            let transition = taking::transition(view, event)?;
            let event = if transition.event.is_empty() {
                "a silent step"
            } else {
                &transition.event
            };
            Ok(format!("Takes {event}."))
        }
        Instruction::Command { id, count } => {
            let command = registry::by_id(id).ok_or("there is no such command")?;
            // If it works elsewhere only, running it goes there first.
            if command.applies_here(app) {
                (command.available)(app)?;
            }
            Ok(match count {
                1 => command.description.to_owned(),
                n => format!("{n} times: {}", command.description),
            })
        }
        _ => Ok(form.map_or_else(String::new, |form| form.text.to_owned())),
    }
}

/// The lines that a line may become by completing its last word.
#[must_use]
pub fn completions(app: &App, text: &str) -> Vec<String> {
    let at = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, last) = text.split_at(at);
    let words: Vec<&str> = before.split_whitespace().collect();
    // Events and processes may have blanks in them.
    let (before, last) = match words.first() {
        Some(verb @ (&"take" | &"open")) => text.split_at(verb.len() + 1),
        _ => (before, last),
    };
    let mut found = arguments(app, &words);
    found.retain(|argument| argument.starts_with(last) && argument != last);
    found
        .iter()
        .map(|argument| format!("{before}{argument}"))
        .collect()
}

/// The possible words after some others.
fn arguments(app: &App, words: &[&str]) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    match words {
        [] => {
            let ids = registry::in_views().map(|command| command.id);
            let mut all: Vec<String> = forms::verbs().chain(ids).map(str::to_owned).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
        ["view"] => View::ALL
            .iter()
            .map(|view| view.name().to_lowercase())
            .collect(),
        ["focus"] => all_panes().map(pane_name).collect(),
        ["take", ..] => {
            let view = app.session.as_ref().and_then(|session| session.view());
            view.map_or_else(Vec::new, |view| taking::events(view))
        }
        ["open", ..] => app
            .info()
            .map_or_else(Vec::new, |info| info.processes.clone()),
        ["resume"] => app.checks.interrupted.clone(),
        ["check"] => {
            let all = app.info().map_or(&[][..], |info| &info.assertions);
            let numbers = all.iter().map(|assertion| assertion.number.to_string());
            numbers.chain(["all".to_owned()]).collect()
        }
        ["to-mark" | "compare"] | ["compare", _] => {
            let history = app.session.as_ref().map(|session| &session.history);
            history.map_or_else(Vec::new, |h| {
                h.marks().map(|(mark, _)| mark.to_string()).collect()
            })
        }
        ["state"] => owned(&["raw", "rep", "both", "counted"]),
        ["orbit"] => owned(&["goto", "play", "replay", "strategy"]),
        ["orbit", "strategy"] => {
            let names = StrategyKind::SHOWN.into_iter();
            names
                .map(|kind| kind.strategy().name().to_owned())
                .collect()
        }
        ["orbit", "goto"] | ["orbit", "play" | "replay", "to"] => {
            let mut names = step_names(app);
            names.extend(owned(&["first", "last"]));
            names
        }
        ["orbit", "play" | "replay"] => owned(&["to", "speed="]),
        ["expect"] => owned(&["not", "rep unchanged"]),
        _ => Vec::new(),
    }
}

/// The common beginning of several texts.
#[must_use]
pub fn common_start(texts: &[String]) -> String {
    let Some((first, rest)) = texts.split_first() else {
        return String::new();
    };
    let mut end = first.len();
    for text in rest {
        let same = first
            .char_indices()
            .zip(text.chars())
            .find(|((_, a), b)| a != b);
        let same = same.map_or(first.len().min(text.len()), |((at, _), _)| at);
        end = end.min(same);
    }
    first[..end].to_owned()
}
