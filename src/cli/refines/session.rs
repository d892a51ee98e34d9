//! Session options of FDR4, which `refines` takes as flags: `compiler.reuse_machines` is `--compiler-reuse-machines`.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use orbitscope_engine::check::Options;

/// A session option of FDR4.
struct SessionOption {
    /// Its name in FDR4.
    name: &'static str,
    /// The long flag, with a dash for each dot and underscore.
    flag: &'static str,
    /// Its effect here.
    help: &'static str,
}

/// Help on an option that is taken so that its users need not change their calls.
const IDLE: &str = "Without effect here";

const LEAVES: &str = "compiler.leaf_compression";
const REUSE: &str = "compiler.reuse_machines";
const WORKERS: &str = "refinement.bfs.workers";
const COUNTEREXAMPLES: &str = "refinement.desired_counterexample_count";

/// The options that are taken.
const TAKEN: &[SessionOption] = &[
    idle(
        "compiler.check_for_immediate_recursions",
        "compiler-check-for-immediate-recursions",
    ),
    SessionOption {
        name: LEAVES,
        flag: "compiler-leaf-compression",
        help: "sbisim (default) merges bisimilar local states, none does not",
    },
    idle(
        "compiler.recursive_high_level",
        "compiler-recursive-high-level",
    ),
    SessionOption {
        name: REUSE,
        flag: "compiler-reuse-machines",
        help: "Whether assertions share compiled processes: on (default) or off",
    },
    idle("cspm.evaluator_heap_size", "cspm-evaluator-heap-size"),
    idle("cspm.profiling.active", "cspm-profiling-active"),
    idle(
        "cspm.profiling.flatten_recursion",
        "cspm-profiling-flatten-recursion",
    ),
    idle("cspm.runtime_range_checks", "cspm-runtime-range-checks"),
    SessionOption {
        name: WORKERS,
        flag: "refinement-bfs-workers",
        help: "Threads of the search, 1 to 1024. Default: one a core",
    },
    idle(
        "refinement.cluster.homogeneous",
        "refinement-cluster-homogeneous",
    ),
    SessionOption {
        name: COUNTEREXAMPLES,
        flag: "refinement-desired-counterexample-count",
        help: "Counterexamples of an assertion, at most. Default: 1",
    },
    idle(
        "refinement.explorer.storage.type",
        "refinement-explorer-storage-type",
    ),
    idle(
        "refinement.storage.compressor",
        "refinement-storage-compressor",
    ),
    idle(
        "refinement.storage.file.cache_size",
        "refinement-storage-file-cache-size",
    ),
    idle(
        "refinement.storage.file.checksum",
        "refinement-storage-file-checksum",
    ),
    idle(
        "refinement.storage.file.compressor",
        "refinement-storage-file-compressor",
    ),
    idle(
        "refinement.storage.file.path",
        "refinement-storage-file-path",
    ),
    idle("refinement.track_history", "refinement-track-history"),
];

const fn idle(name: &'static str, flag: &'static str) -> SessionOption {
    SessionOption {
        name,
        flag,
        help: IDLE,
    }
}

/// The session options of a call, by their names in FDR4.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions(Vec<(&'static str, String)>);

/// What session options come to.
pub struct SessionEffect {
    /// Whether assertions share compiled processes.
    pub shares: bool,
    /// The options that have no effect.
    pub idle: Vec<&'static str>,
}

impl SessionOptions {
    /// Sets what the options mean here.
    ///
    /// # Errors
    /// A sentence on a value that an option cannot have.
    pub fn apply(&self, options: &mut Options) -> Result<SessionEffect, String> {
        let mut effect = SessionEffect {
            shares: true,
            idle: Vec::new(),
        };
        for (name, value) in &self.0 {
            match *name {
                LEAVES if value == "none" => options.merging = false,
                LEAVES if value == "sbisim" => options.merging = true,
                REUSE => effect.shares = switch(name, value)?,
                WORKERS => options.threads = number(name, value, 1024)?,
                COUNTEREXAMPLES => {
                    options.limits.violations_max = number(name, value, usize::from(u16::MAX))?;
                }
                _ => effect.idle.push(name),
            }
        }
        Ok(effect)
    }
}

/// The value of an option that is on or off.
fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Ok(true),
        "off" | "false" | "no" | "0" => Ok(false),
        _ => Err(format!(
            "the session option {name} is on or off, not `{value}`"
        )),
    }
}

/// The value of an option that is a number of at least one.
fn number(name: &str, value: &str, most: usize) -> Result<usize, String> {
    let number = value.parse().ok().filter(|n| (1..=most).contains(n));
    number.ok_or_else(|| {
        format!("the session option {name} is a number from 1 to {most}, not `{value}`")
    })
}

impl Args for SessionOptions {
    fn augment_args(command: Command) -> Command {
        TAKEN.iter().fold(command, |command, option| {
            let flag = Arg::new(option.name)
                .long(option.flag)
                .alias(option.name)
                .value_name("VALUE")
                .help_heading("Session options of FDR4")
                .help(option.help);
            command.arg(flag)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SessionOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |option: &SessionOption| matches.get_one::<String>(option.name).cloned();
        let given = TAKEN
            .iter()
            .filter_map(|option| Some((option.name, value(option)?)));
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_the_name_with_dashes() {
        for option in TAKEN {
            assert_eq!(option.name.replace(['.', '_'], "-"), option.flag);
        }
    }

    #[test]
    fn options_are_obeyed_or_named() {
        let given = [
            (LEAVES, "none"),
            (REUSE, "off"),
            (WORKERS, "3"),
            (COUNTEREXAMPLES, "5"),
            ("refinement.track_history", "true"),
        ];
        let given = given.map(|(name, value)| (name, value.to_owned()));
        let mut options = Options::default();
        let effect = SessionOptions(given.to_vec()).apply(&mut options).unwrap();
        assert!(!options.merging && !effect.shares);
        assert_eq!((options.threads, options.limits.violations_max), (3, 5));
        assert_eq!(effect.idle, ["refinement.track_history"]);
        for (name, value) in [(WORKERS, "0"), (REUSE, "maybe"), (COUNTEREXAMPLES, "many")] {
            let bad = SessionOptions(vec![(name, value.to_owned())]);
            let why = bad.apply(&mut options).err().unwrap();
            assert!(why.contains(name) && why.contains(value), "{why}");
        }
    }
}
