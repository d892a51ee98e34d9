//! `orbitscope help [TOPIC…]`: codes of diagnostics, and subcommands.

use std::fmt::Write as _;

use clap::CommandFactory;

use super::args::HelpArgs;
use super::output::Output;
use super::{Cli, USAGE, complain};
use crate::source::codes;
use crate::tui::language::commands_page;

/// Shows the pages asked for; gives the exit code.
pub fn run(args: &HelpArgs) -> u8 {
    let mut text = String::new();
    if args.topics.is_empty() {
        text = Cli::command().render_help().to_string();
    }
    for (n, topic) in args.topics.iter().enumerate() {
        let Some(page) = about(topic) else {
            complain(&format!(
                "there is no page `{topic}`; `orbitscope help codes` lists all codes"
            ));
            return USAGE;
        };
        if n > 0 {
            text.push('\n');
        }
        text.push_str(&page);
    }
    let mut output = Output::default();
    output.write(&text);
    output.code(0)
}

fn about(topic: &str) -> Option<String> {
    if topic.eq_ignore_ascii_case("codes") {
        return Some(list());
    }
    if topic.eq_ignore_ascii_case("commands") {
        return Some(commands_page());
    }
    if let Some(page) = codes::page(topic) {
        return Some(page.show());
    }
    let mut command = Cli::command();
    // Names the subcommands in full, as in `orbitscope check`.
    command.build();
    let found = command.find_subcommand_mut(topic)?;
    Some(found.render_long_help().to_string())
}

/// A line for each code.
fn list() -> String {
    let mut text = String::new();
    for page in codes::pages() {
        let _ = writeln!(text, "{}  {}", page.code, page.title);
    }
    text
}
