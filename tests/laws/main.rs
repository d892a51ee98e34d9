//! What algorithms are held to: definitions, brute force, and other ways to compute the same.

#[path = "../support/mod.rs"]
mod support;

mod adaptive;
mod allocations;
mod certificates;
mod chasing;
mod collapsed_states;
mod compare;
mod compressed_networks;
mod compressed_processes;
mod compressions;
mod copies;
mod dives;
mod evaluator_properties;
mod every_symmetry;
mod exact;
mod find;
mod finer_models;
mod formats;
mod graphs;
mod graphs_by_structure;
mod keeping;
mod large_specifications;
mod mappability;
mod merging;
mod normal_form;
mod numbered;
mod paper_examples;
mod partial_order;
mod partial_order_counts;
mod process_laws;
mod random_scripts;
mod refinement;
mod related;
mod renaming;
mod ruled_out;
mod shared_compiling;
mod shared_variables;
mod sleep_sets;
mod smaller_specifications;
mod structure;
mod structure_checks;
mod structure_groups;
mod trust;
mod uniqueness;
