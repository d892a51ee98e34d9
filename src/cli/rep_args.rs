//! The names of strategies on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::animate::model::{AskedStrategy, KeepingKind};

/// A name that `--rep` takes, with what it is exact for.
fn named(kind: KeepingKind) -> PossibleValue {
    let value = PossibleValue::new(kind.name());
    match kind.by_structure() {
        Some(_) => value.help(format!(
            "for symmetry found in the structure: {}",
            kind.exact_for()
        )),
        None => value.help(kind.exact_for()),
    }
}

fn all() -> impl Iterator<Item = KeepingKind> {
    KeepingKind::all().chain(KeepingKind::structural())
}

/// The names that `--rep` takes.
pub fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new(all().map(named))
}

/// The same names, of which those that choose no representatives are not listed: they are refused in a sentence.
pub fn askable() -> PossibleValuesParser {
    let chooses = |kind: KeepingKind| AskedStrategy::try_from(kind).is_ok();
    PossibleValuesParser::new(all().map(|kind| named(kind).hide(!chooses(kind))))
}
