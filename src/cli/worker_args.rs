//! Arguments of `worker`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::units;

/// What is said of the address at which a worker listens, before it.
pub const LISTENS: &str = "orbitscope worker listens on ";

/// Arguments of `worker`.
#[derive(Clone, Debug, Args)]
pub struct WorkerArgs {
    /// Where to listen: an address of this machine that the others reach, as 10.0.0.7:4000. With port 0 the system
    /// chooses one, which is said.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: String,
    /// The key, which all machines of a check hold: a file of at least 32 bytes that no one else may read (mode 600). With
    /// - it is 32 bytes of standard input, and the worker ends when that ends.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// End after one check.
    #[arg(long)]
    pub once: bool,
    /// Let no check take more memory here than this, as 500M or 8G.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub memory: Option<usize>,
    /// Keep the states of checks with `--store` in folders within this one, a folder for each check.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Let the files of no check take more than this, as 500M or 100G.
    #[arg(long, value_name = "SIZE", value_parser = units::size, requires = "store")]
    pub disk: Option<usize>,
    /// Let no check use more threads here than this.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Whether this is the process that serves a check.
    #[arg(long, hide = true)]
    pub serves: bool,
}

impl WorkerArgs {
    /// Whether the key comes from the process that has started this one.
    pub fn has_key_on_stdin(&self) -> bool {
        self.key == Path::new("-")
    }
}
