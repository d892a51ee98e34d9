//! Warnings about sound scripts: what is most likely not meant as it is written.
//!
//! Each of them is true wherever it is given, and rare in scripts that are as their authors want
//! them. So nothing is said of definitions of the top level that no assertion reaches (they may be
//! there to be animated), of parameters that are not used, or of a variable that hides another.

mod clauses;
mod constants;
mod facts;
mod names;
mod single;
mod unused;

use super::core::Script;
use super::reach::everything;
use super::types::Types;
use crate::source::{Diagnostic, FileId};
use facts::Facts;

/// All warnings about the main file of a script without errors, in the order of the text.
#[must_use]
pub fn run(script: &Script, types: &Types) -> Vec<Diagnostic> {
    let mut facts = Facts::default();
    everything(script, &mut facts);
    let mut found = std::mem::take(&mut facts.clauses);
    unused::find(script, &facts, &mut found);
    names::find(script, types, &facts, &mut found);
    constants::find(script, &facts.constants, &mut found);
    single::find(script, types, &mut found);
    // An included file may be meant for several scripts.
    found.retain(|d| d.span.is_some_and(|s| s.file == FileId(0)));
    found.sort_by_key(|d| (d.span, d.code));
    // Instances of a module repeat what is said of it.
    found.dedup_by_key(|d| (d.span, d.code));
    found
}
