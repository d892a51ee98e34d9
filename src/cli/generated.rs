//! Output generated from the definitions of the commands: pages for `man`, completions for shells, and the version
//! of the build.

use clap::CommandFactory;
use clap_mangen::Man;

use super::output::Output;
use super::setup_args::{CompletionsArgs, ManArgs};
use super::{Cli, USAGE, complain};
use crate::source::write::write_own;

/// The commit that the program was built from, if the build has set it.
const COMMIT: Option<&str> = option_env!("ORBITSCOPE_COMMIT");

/// The definitions as they are, with subcommands under their whole names.
fn commands() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// The page of the program on standard output, or all pages into a folder. Returns the exit code.
pub fn man(args: &ManArgs) -> u8 {
    let root = commands();
    let mut output = Output::default();
    let Some(folder) = &args.folder else {
        return match page(&root) {
            Ok(text) => {
                output.made(&text);
                output.code(0)
            }
            Err(error) => failed("the page", &error),
        };
    };
    if let Err(error) = std::fs::create_dir_all(folder) {
        return failed(&folder.display().to_string(), &error);
    }
    for command in with_all_below(&root) {
        let path = folder.join(format!("{}.1", title(command)));
        let done = page(command).and_then(|text| write_own(&path, text.as_bytes()));
        if let Err(error) = done {
            return failed(&path.display().to_string(), &error);
        }
    }
    output.code(0)
}

/// A command with all its subcommands, except hidden ones.
fn with_all_below(command: &clap::Command) -> Vec<&clap::Command> {
    let below = command.get_subcommands().filter(|c| !c.is_hide_set());
    let below = below.flat_map(with_all_below);
    std::iter::once(command).chain(below).collect()
}

/// The name of a command's page: `orbitscope lesson run` has the page orbitscope-lesson-run(1).
fn title(command: &clap::Command) -> String {
    let name = command.get_bin_name().unwrap_or("orbitscope");
    name.replace(' ', "-")
}

fn page(command: &clap::Command) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    Man::new(command.clone())
        .title(title(command))
        .render(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(what: &str, error: &std::io::Error) -> u8 {
    complain(&format!("{what} cannot be written: {error}"));
    USAGE
}

/// Prints the completions of commands and options for a shell. Returns the exit code.
pub fn completions(args: &CompletionsArgs) -> u8 {
    let mut bytes = Vec::new();
    let mut command = Cli::command();
    clap_complete::generate(args.shell, &mut command, "orbitscope", &mut bytes);
    let mut output = Output::default();
    output.made(&String::from_utf8_lossy(&bytes));
    output.code(0)
}

/// `orbitscope 0.1.0`, or with all facts about the build. Returns the exit code.
pub fn version(long: bool) -> u8 {
    let mut text = format!("orbitscope {}\n", env!("CARGO_PKG_VERSION"));
    if long {
        let profile = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
        text += &format!(
            "commit:   {}\ntarget:   {arch} {os}\nprofile:  {profile}\nlicences: {}\n",
            COMMIT.unwrap_or("not told to the build"),
            env!("CARGO_PKG_LICENSE"),
        );
    }
    let mut output = Output::default();
    output.write(&text);
    output.code(0)
}
