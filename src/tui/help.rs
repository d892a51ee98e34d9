//! The help of a place: what people want to do there with the keys for it, the words on the screen, and all keys.

use super::app::View::{Animate, Check, Compare, Graph, Orbit, Source, Structure, Symmetry};
use super::app::{App, KeyPlace, View};
use super::command::Command;
use super::language;
use super::overlay::{ItemAction, ListItem, filtered};
use super::{keys, registry, terms};
use crate::source::glossary::GlossaryTerm;

/// The heading above tasks.
const TASKS_HEADING: &str = "What do you want to do?";
/// The heading above the words of the screen.
const WORDS_HEADING: &str = "Words on this screen (?? lists all)";
/// The heading above all keys.
const KEYS_HEADING: &str = "All keys that work here";
/// Words of the screen that are explained before the keys; `??` lists all.
const WORDS_MAX: usize = 6;

/// Something that people want to do, and the command for it.
struct Task {
    /// In words that need no explanation.
    text: &'static str,
    /// The views in which the help names it.
    views: &'static [View],
    /// The id of the command.
    command: &'static str,
    /// The keys after that of the command.
    then: &'static str,
}

const fn task(
    text: &'static str,
    views: &'static [View],
    command: &'static str,
    then: &'static str,
) -> Task {
    Task {
        text,
        views,
        command,
        then,
    }
}

/// The tasks of all views, in the order of the help.
#[rustfmt::skip]
const TASKS: [Task; 23] = [
    task("find a deadlock", &[Animate, Structure], "find", "d e a d l o c k enter"),
    task("see in what two states differ", &[Animate], "compare", ""),
    task("go back a step", &[Animate, Graph], "undo", ""),
    task("copy the trace", &[Animate, Graph], "yank", "v"),
    task("check all assertions", &[Animate], "check-all", ""),
    task("follow the algorithm step by step", &[Orbit], "step-forward", ""),
    task("let it play", &[Orbit], "play", ""),
    task("see another strategy", &[Orbit], "strategy", ""),
    task("see only what differs", &[Compare], "differences", ""),
    task("see which component becomes which", &[Compare], "arrows", ""),
    task("compare other states", &[Compare], "compare", ""),
    task("go back to the walk", &[Orbit, Compare, Check], "view-animate", ""),
    task("check all, and stand at the first failure", &[Check], "check-all", ""),
    task("follow the counterexample step by step", &[Check], "animate-counterexample", ""),
    task("see what the reduction saves", &[Check], "both", ""),
    task("keep the counterexample", &[Check], "save", ""),
    task("see more steps around", &[Graph], "wider", ""),
    task("see each state by itself, or orbits", &[Graph], "quotient-full", ""),
    task("go to where a name is defined", &[Source], "definition", ""),
    task("find a text", &[Source], "search", ""),
    task("fold or unfold a part", &[Structure], "unfold-part", ""),
    task("turn the state until it is as it was", &[Symmetry], "play-generator", ""),
    task("turn it another way", &[Symmetry], "generator-next", ""),
];

impl Task {
    /// The entry of the help; none if the command works in another pane only.
    fn item(&self, app: &App) -> Option<ListItem> {
        let command = registry::by_id(self.command)?;
        let leads = !command.works_in(app.view);
        if !leads && !command.applies_here(app) {
            return None;
        }
        let mut item = ListItem::command(app, command);
        let pressed = self.pressed(app, command, leads)?;
        self.text.clone_into(&mut item.title);
        item.section = TASKS_HEADING;
        item.keys = shown(&pressed);
        if !self.then.is_empty() {
            let line = language::parse(&format!("key {}", pressed.join(" "))).ok()?;
            item.action = ItemAction::Line(Box::new(line));
        }
        Some(item)
    }

    /// The keys, one after the other: first that of the view which has the command.
    fn pressed<'a>(&'a self, app: &App, command: &'a Command, leads: bool) -> Option<Vec<&'a str>> {
        let view = command.views.first().filter(|_| leads);
        let view = match view {
            Some(view) => Some(registry::key_of(app, registry::by_id(view.command().0)?)),
            None => None,
        };
        let own = Some(registry::key_of(app, command)).filter(|key| !key.is_empty())?;
        let keys = view.into_iter().chain([own]);
        Some(keys.chain(self.then.split_whitespace()).collect())
    }
}

/// Keys as people write them: letters that spell a word stand together.
fn shown(pressed: &[&str]) -> String {
    let mut text = String::new();
    let mut spells = false;
    for (at, key) in pressed.iter().enumerate() {
        let is_letter = keys::letter(key).is_some();
        // The key of the command and what is typed after it are apart.
        if at > 0 && !(is_letter && spells) {
            text.push(' ');
        }
        text += &keys::shown(key);
        spells = is_letter && at > 0;
    }
    text
}

/// The entries of the help, filtered; behind a `?` the words alone.
#[must_use]
pub fn items(app: &App, query: &str) -> Vec<ListItem> {
    let words = terms::by_use(app);
    if let Some(query) = query.strip_prefix('?') {
        let items = words.iter().map(|(seen, term)| ListItem {
            keys: if seen.is_some() { "here" } else { "" }.to_owned(),
            ..word(term.name, term)
        });
        return filtered(items.collect(), query.trim_start());
    }
    let tasks = TASKS.iter().filter(|task| task.views.contains(&app.view));
    let is_view = matches!(app.place(), KeyPlace::In(..));
    let mut all: Vec<_> = tasks
        .filter(|_| is_view)
        .filter_map(|t| t.item(app))
        .collect();
    // A search finds every word, seen or not.
    all.extend(match query {
        "" => seen_words(&words).take(WORDS_MAX).collect::<Vec<_>>(),
        _ => words
            .iter()
            .map(|(_, term)| word(term.name, term))
            .collect(),
    });
    let here = registry::all().filter(|c| c.applies_here(app));
    all.extend(here.map(|c| ListItem {
        section: KEYS_HEADING,
        ..ListItem::command(app, c)
    }));
    filtered(all, query)
}

/// The words of the screen, as they stand there.
fn seen_words(words: &[(Option<&'static str>, GlossaryTerm)]) -> impl Iterator<Item = ListItem> {
    let seen = words
        .iter()
        .filter_map(|(seen, term)| Some(((*seen)?, term)));
    seen.map(|(name, term)| word(name, term))
}

/// The entry of a term: one sentence, and the number of its definition behind that.
fn word(name: &str, term: &GlossaryTerm) -> ListItem {
    let number = match term.paper {
        "" => String::new(),
        paper => format!(" ({paper})"),
    };
    ListItem {
        title: name.to_owned(),
        detail: format!("{}{number}", term.short()),
        keys: String::new(),
        reason: None,
        action: ItemAction::Term(term.name),
        section: WORDS_HEADING,
    }
}
