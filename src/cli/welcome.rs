//! `orbitscope` alone, and `orbitscope welcome`: the welcome page.

use std::io::IsTerminal;

use super::args::{LookArgs, OpenArgs};
use super::{USAGE, complain_in_lines, open};
use crate::source::models;
use crate::tui;
use crate::tui::welcome::{WelcomePage, memory};

/// The message where there is no screen for the welcome page.
const BEGINNING: &str =
    "no script was given, and without a terminal there is nothing to show. To begin with:

  orbitscope                       in a terminal: a tour of three minutes, scripts, lessons
  orbitscope FILE                  animate a script; --plain talks in lines
  orbitscope check FILE            check its assertions
  orbitscope lesson list           lessons about symmetry reduction
  orbitscope help start            five minutes with the list stack

These models are part of the program, as in orbitscope builtin:list_stack:";

/// `orbitscope` without a script. Returns the exit code.
pub fn alone(args: &OpenArgs) -> u8 {
    if args.plain || args.script.is_some() || !has_screen() {
        return without_screen();
    }
    let skips = memory::remembered().0.skip;
    show(
        &args.look,
        if skips {
            WelcomePage::Open
        } else {
            WelcomePage::Main
        },
    )
}

/// `orbitscope welcome`. Returns the exit code.
pub fn run(look: &LookArgs) -> u8 {
    match (has_screen(), tui::ended_before()) {
        (true, _) => show(look, WelcomePage::Main),
        (false, Some(gone)) => open::ended(Ok(gone)),
        (false, None) => without_screen(),
    }
}

fn has_screen() -> bool {
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    terminal && std::env::var("TERM").as_deref() != Ok("dumb")
}

fn show(look: &LookArgs, page: WelcomePage) -> u8 {
    let options = open::options(look, false);
    open::ended(tui::run(tui::ScreenStart::Welcome(page), options))
}

fn without_screen() -> u8 {
    let name = |model: &models::BuiltInModel| format!("  {:<32} {}", model.name, model.about);
    let names: Vec<_> = models::MODELS.iter().map(name).collect();
    complain_in_lines(&format!("{BEGINNING}\n\n{}", names.join("\n")));
    USAGE
}
