//! What can be written on the command line to set the program up: its configuration, pages for `man`, completions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `config`.
#[derive(Clone, Debug, Args)]
pub struct ConfigArgs {
    /// What to do.
    #[arg(value_enum)]
    pub what: ConfigAction,
}

/// What is done with the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigAction {
    /// Print where its file is, or would be.
    Path,
    /// Print what holds, as it can stand in the file.
    Dump,
    /// Say what is wrong with the file, if anything is.
    Check,
}

/// Arguments of `man`.
#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The folder, such as ~/.local/share/man/man1; it is made if it is not there.
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
