//! What the arguments of `check` ask a check for.

use super::args::{CheckArgs, SymmetryMode};
use crate::source::Limits;
use orbitscope_engine::check::Options;
use orbitscope_engine::search::keeping::KeepingKind;

impl CheckArgs {
    /// The mode of symmetry, from all options that set it.
    #[must_use]
    pub fn mode(&self) -> SymmetryMode {
        match (self.no_symmetry, self.structure) {
            (true, _) => SymmetryMode::None,
            (_, true) => SymmetryMode::Structure,
            _ => match self.symmetry.unwrap_or_default() {
                // This strategy has no other use.
                SymmetryMode::Auto if self.is_by_structure() => SymmetryMode::Structure,
                mode => mode,
            },
        }
    }

    /// Whether the strategy is one for groups that are found in the structure of the network.
    #[must_use]
    pub fn is_by_structure(&self) -> bool {
        let kind = self.rep.as_deref().and_then(KeepingKind::named);
        kind.is_some_and(|kind| kind.by_structure().is_some())
    }
}

/// Whether mode and strategy go together.
pub(super) fn fits(args: &CheckArgs) -> Result<(), String> {
    let types = args.mode() == SymmetryMode::Types || !args.types.is_empty();
    match &args.rep {
        Some(name) if types && args.is_by_structure() => Err(format!(
            "`--rep {name}` is for symmetry that is found in the structure of the network, and datatypes were \
             asked for"
        )),
        // The default is for both.
        Some(name)
            if args.mode() == SymmetryMode::Structure
                && !args.is_by_structure()
                && KeepingKind::named(name) != Some(KeepingKind::default()) =>
        {
            Err(format!(
                "`--rep {name}` is for symmetry of datatypes, and what is found in the structure of the network was \
                 asked for"
            ))
        }
        _ => Ok(()),
    }
}

pub(super) fn options(args: &CheckArgs, limits: Limits) -> Options {
    let defaults = Options::default();
    Options {
        structure: match args.mode() {
            SymmetryMode::Types => Some(false),
            SymmetryMode::Structure => Some(true),
            SymmetryMode::Auto | SymmetryMode::None => None,
        },
        symmetry: match args.mode() {
            SymmetryMode::None => Some(false),
            SymmetryMode::Types | SymmetryMode::Structure => Some(true),
            // Naming types asks for a reduction: if there is none, that is an error.
            SymmetryMode::Auto => (!args.types.is_empty()).then_some(true),
        },
        adaptive: args.adaptive,
        types: args.types.clone(),
        keeping: match &args.rep {
            Some(name) => KeepingKind::named(name).unwrap_or_default(),
            None => KeepingKind::default(),
        },
        state_symmetry: args.state_symmetry,
        sleep_sets: defaults.sleep_sets,
        // Two runs are to differ by symmetry alone.
        partial_order: if args.steps.por {
            Some(true)
        } else {
            (args.steps.no_por || args.both).then_some(false)
        },
        shortest: args.steps.shortest,
        simulate_after: defaults.simulate_after,
        compress_after: defaults.compress_after,
        look_after: defaults.look_after,
        collapse_after: defaults.collapse_after,
        store: None,
        processes: None,
        count_full: args.count_full,
        merging: !args.no_merging,
        threads: match args.workers {
            Some(threads) => usize::from(threads),
            // The processes share the cores.
            None => (defaults.threads / args.processes.number()).max(1),
        },
        limits,
    }
}
