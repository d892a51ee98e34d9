//! The help page on typed commands.

use std::fmt::Write as _;

use super::forms::FORMS;
use crate::text::wrap;
use crate::{keys, registry};

/// Columns of the page.
const COLUMNS: usize = 100;
/// Columns for the forms.
const FIRST: usize = 34;

/// The page of all forms, and all commands with their keys, which `orbitscope help commands` prints.
#[must_use]
pub fn commands_page() -> String {
    let mut text = String::from(
        "Commands are typed after `:`, and written in scripts (`orbitscope open FILE --script S`), one a line.\n\
         Tab completes what is typed.\n\n",
    );
    for form in FORMS {
        let mut told = form.text.to_owned();
        if form.in_scripts {
            told += " (In scripts only.)";
        }
        if form.example != form.usage {
            told += &format!(" As in: {}", form.example);
        }
        entry(&mut text, form.usage, &told);
    }
    text.push_str("\nCOMMAND is one of these; N can follow where a number is shown:\n\n");
    for command in registry::in_views() {
        let number = if command.counts { " [N]" } else { "" };
        let keys: Vec<_> = command.keys.iter().map(|key| keys::shown(key)).collect();
        let told = format!("{} (key: {})", command.description, keys.join(", "));
        entry(&mut text, &format!("{}{number}", command.id), &told);
    }
    text
}

fn entry(text: &mut String, first: &str, told: &str) {
    let mut lines = wrap(told, COLUMNS - FIRST).into_iter();
    // A long form has a line of its own.
    if first.len() + 3 > FIRST {
        let _ = writeln!(text, "  {first}");
    } else {
        let line = lines.next().unwrap_or_default();
        let _ = writeln!(text, "  {first:<width$}{line}", width = FIRST - 2);
    }
    for line in lines {
        let _ = writeln!(text, "{:FIRST$}{line}", "");
    }
}
