//! The names of strategies on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser};

use orbitscope_engine::search::keeping::KeepingKind;

/// The names that `--rep` takes, each with what it is exact for.
pub fn strategies() -> PossibleValuesParser {
    let of = |kind: KeepingKind| match kind.by_structure() {
        Some(_) => format!("for symmetry found in the structure: {}", kind.exact_for()),
        None => kind.exact_for().to_owned(),
    };
    let value = |kind: KeepingKind| PossibleValue::new(kind.name()).help(of(kind));
    let all = KeepingKind::all().chain(KeepingKind::structural());
    PossibleValuesParser::new(all.map(value))
}
