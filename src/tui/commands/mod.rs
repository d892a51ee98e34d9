//! The tables of the registry, one file for each view. The first command that applies wins: special ones stand
//! before general ones, here and in the tables.

mod animate;
mod check;
mod compare;
mod everywhere;
mod graph;
mod orbit;
mod pages;
mod source;
mod structure;
mod symmetry;

use super::command::Command;

/// The tables, in order of precedence.
pub static TABLES: &[&[Command]] = &[
    pages::ON_A_CARD,
    pages::ON_THE_WELCOME_PAGE,
    animate::IN_ANIMATE,
    orbit::IN_ORBIT,
    compare::IN_COMPARE,
    check::IN_CHECK,
    graph::IN_GRAPH,
    source::IN_SOURCE,
    structure::IN_STRUCTURE,
    symmetry::IN_SYMMETRY,
    everywhere::AT_STATES,
    everywhere::EVERYWHERE,
];
