//! Real scripts and counts that were obtained independently; they are found beside the checkout.

#[path = "../support/mod.rs"]
mod support;

mod corpus_verdicts;
mod evaluator_values;
mod expected_processes;
mod family_sizes;
mod family_table;
mod frontend;
mod oracle;
mod real_symmetry;
mod structure_of_scripts;
mod symmetry_table;
mod syntax_printing;
mod types_large;
