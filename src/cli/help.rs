//! `orbitscope help [TOPIC…]`: pages of the manual, codes of diagnostics, and subcommands.

use std::fmt::Write as _;
use std::io::IsTerminal;

use clap::CommandFactory;

use super::args::{Colour, HelpArgs};
use super::output::Output;
use super::{Cli, USAGE, colour, complain};
use crate::source::markdown::{Style, show};
use crate::source::{alternatives, codes, distance, glossary, manual, models, nearest};
use crate::tui::{self, language::commands_page};

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDTH_MAX: usize = 100;

/// Words of the longest term, and some.
const WORDS_MAX: usize = 6;

/// The width for a pipe, that of old terminals.
const WIDTH_PIPED: usize = 80;

/// Shows the requested pages. Returns the exit code.
pub fn run(args: &HelpArgs) -> u8 {
    let style = style();
    let mut text = String::new();
    if args.topics.is_empty() {
        text = topics();
    }
    let mut rest = args.topics.as_slice();
    while !rest.is_empty() {
        let Some((page, words)) = longest(rest, style) else {
            complain(&unknown(rest));
            return USAGE;
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&page);
        rest = &rest[words..];
    }
    let mut output = Output::coloured(style.bold);
    output.write(&text);
    output.code(0)
}

/// The page that as many words as possible ask for, and how many these are: a term may have several, and several
/// pages may be asked for.
fn longest(words: &[String], style: Style) -> Option<(String, usize)> {
    let most = words.len().min(WORDS_MAX);
    let asked = |count: usize| {
        let page = about(&words[..count].join(" "), style)?;
        Some((page, count))
    };
    (1..=most).rev().find_map(asked)
}

fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let columns = tui::columns().unwrap_or(WIDTH_PIPED);
    Style {
        width: if terminal {
            columns.min(WIDTH_MAX)
        } else {
            WIDTH_PIPED
        },
        bold: colour(Colour::Auto, terminal),
    }
}

fn about(topic: &str, style: Style) -> Option<String> {
    if topic.eq_ignore_ascii_case("codes") {
        return Some(list());
    }
    if topic.eq_ignore_ascii_case("terms") {
        return Some(terms());
    }
    if let Some(page) = codes::page(topic) {
        return Some(page.show());
    }
    let page = manual::topic(topic).map(|topic| show(topic.text, style));
    let mut command = Cli::command();
    // Names the subcommands in full, as in `orbitscope check`.
    command.build();
    let options = command.find_subcommand_mut(topic);
    let options = options.map(|command| command.render_long_help().to_string());
    let commands = topic.eq_ignore_ascii_case("commands").then(commands_page);
    let term = glossary::find(topic).map(|term| {
        let page = format!("# {}\n\n{}", term.name, term.show());
        show(&page, style)
    });
    // One name may be that of a page and of a listed item.
    let parts: Vec<String> = [page, options, commands, term]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// The list of topics.
fn topics() -> String {
    let mut text = "orbitscope help TOPIC shows one of these pages:\n\n".to_owned();
    let mut row = |name: &str, title: &str| {
        let _ = writeln!(text, "  {name:<21}{title}");
    };
    for topic in manual::TOPICS {
        row(topic.name, topic.title());
    }
    row(
        "codes",
        "All codes of errors and warnings; E0301 explains one",
    );
    row(
        "terms",
        "All terms that the program uses; orbit explains one",
    );
    row(
        "commands",
        "What can be typed after `:` on the screen, and written in scripts for it",
    );
    text.push_str("\nAnd of these commands all options, as does orbitscope COMMAND --help:\n\n");
    for command in Cli::command().get_subcommands() {
        if command.is_hide_set() {
            continue;
        }
        let about = command.get_about().map(ToString::to_string);
        let _ = writeln!(
            text,
            "  {:<21}{}",
            command.get_name(),
            about.unwrap_or_default()
        );
    }
    text.push_str("\norbitscope --help says what can be written on the command line.\n");
    text
}

/// The error on an unknown page, with the one that may be meant.
fn unknown(words: &[String]) -> String {
    let whole = words.join(" ");
    let first = words.first().map_or("", String::as_str);
    let names = named();
    let near = [whole.as_str(), first].map(|asked| meant(asked, &names));
    let near = near.into_iter().find(|near| !near.is_empty());
    // Several words may be several pages, of which the first is not there.
    let asked = if meant(&whole, &names).is_empty() {
        first
    } else {
        whole.as_str()
    };
    let meant = match near {
        None => "`orbitscope help` lists all pages".to_owned(),
        Some(near) => {
            let near: Vec<&str> = near.iter().map(String::as_str).collect();
            format!("is {} meant?", alternatives(&near))
        }
    };
    format!("there is no page `{asked}`; {meant}")
}

/// Search keys of pages, with their names: the names themselves, words of their headings and of terms, and the
/// models.
fn named() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |by: &str, name: &str| all.push((by.to_owned(), name.to_owned()));
    for topic in manual::TOPICS {
        add(topic.name, topic.name);
    }
    let command = Cli::command();
    for command in command.get_subcommands() {
        add(command.get_name(), command.get_name());
    }
    for page in codes::pages() {
        add(page.code, page.code);
    }
    for list in ["codes", "commands", "terms"] {
        add(list, list);
    }
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
        // Shorter ones are in every text, and near to anything.
        let words = words.filter(|word| word.len() > 3);
        words.map(str::to_owned).collect()
    };
    for term in glossary::terms() {
        add(term.name, term.name);
        // Its synonyms lead to it as well.
        term.also.iter().for_each(|by| add(by, by));
        words(term.name)
            .iter()
            .for_each(|word| add(word, term.name));
    }
    for topic in manual::TOPICS {
        words(topic.title())
            .iter()
            .for_each(|word| add(word, topic.name));
    }
    for model in models::MODELS {
        add(model.name, "models");
    }
    all
}

/// The names that may be meant, best first.
fn meant(asked: &str, names: &[(String, String)]) -> Vec<String> {
    let by = names.iter().map(|(by, _)| by.as_str());
    let mut near = nearest(asked, by);
    if near.is_empty() {
        // Half of the letters may be wrong, if there is nothing better.
        let far = |by: &str| distance(asked, by, asked.len() / 2);
        let by = names
            .iter()
            .filter_map(|(by, _)| Some((far(by)?, by.as_str())));
        near = by.min().map(|(_, by)| by).into_iter().collect();
    }
    let mut found: Vec<String> = Vec::new();
    for by in near {
        let name = names.iter().find(|(known, _)| known == by);
        let name = name.map_or(by, |(_, name)| name);
        if !found.iter().any(|other| other == name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// A line for each term.
fn terms() -> String {
    let mut text = String::new();
    for term in glossary::terms() {
        let line = format!("{:<20}{}", term.name, term.paper);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A line for each code.
fn list() -> String {
    let mut text = String::new();
    for page in codes::pages() {
        let _ = writeln!(text, "{}  {}", page.code, page.title);
    }
    text
}
