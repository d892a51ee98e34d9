//! `orbitscope help [TOPIC…]`: pages of the manual, codes of diagnostics, and subcommands.

use std::fmt::Write as _;
use std::io::IsTerminal;

use clap::CommandFactory;

use super::args::{Colour, HelpArgs};
use super::output::Output;
use super::{Cli, USAGE, colour, complain};
use crate::source::markdown::{Style, show};
use crate::source::{alternatives, codes, glossary, manual, nearest};
use crate::tui::{self, language::commands_page};

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDTH_MAX: usize = 100;

/// What is piped is as wide as terminals used to be.
const WIDTH_PIPED: usize = 80;

/// Shows the pages asked for; gives the exit code.
pub fn run(args: &HelpArgs) -> u8 {
    let style = style();
    let mut text = String::new();
    if args.topics.is_empty() {
        text = topics();
    }
    for (n, topic) in args.topics.iter().enumerate() {
        let Some(page) = about(topic, style) else {
            complain(&unknown(topic));
            return USAGE;
        };
        if n > 0 {
            text.push('\n');
        }
        text.push_str(&page);
    }
    let mut output = Output::coloured(style.bold);
    output.write(&text);
    output.code(0)
}

fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let columns = tui::columns().unwrap_or(WIDTH_PIPED);
    Style {
        width: match terminal {
            true => columns.min(WIDTH_MAX),
            false => WIDTH_PIPED,
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
    // One name may be that of a page and of something that is listed.
    let parts: Vec<String> = [page, options, commands, term]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// What can be asked for.
fn topics() -> String {
    let mut text = "orbitscope help TOPIC shows one of these pages:\n\n".to_owned();
    let mut row = |name: &str, title: &str| {
        let _ = writeln!(text, "  {name:<14}{title}");
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
            "  {:<14}{}",
            command.get_name(),
            about.unwrap_or_default()
        );
    }
    text.push_str("\norbitscope --help says what can be written on the command line.\n");
    text
}

/// That there is no such page, and what may be meant.
fn unknown(topic: &str) -> String {
    let command = Cli::command();
    let subcommands = command.get_subcommands().map(clap::Command::get_name);
    let names = manual::TOPICS.iter().map(|topic| topic.name);
    let codes = codes::pages().map(|page| page.code);
    let lists = ["codes", "commands", "terms"];
    let terms = glossary::terms().into_iter().map(|term| term.name);
    let all = names
        .chain(subcommands)
        .chain(codes)
        .chain(lists)
        .chain(terms);
    let near = nearest(topic, all);
    let meant = match near.is_empty() {
        true => "`orbitscope help` lists all pages".to_owned(),
        false => format!("is {} meant?", alternatives(&near)),
    };
    format!("there is no page `{topic}`; {meant}")
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
