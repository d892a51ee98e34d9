//! What scripts mean and how the source tree is kept: small examples with expected outcomes.

#[path = "../support/mod.rs"]
mod support;

mod annotations;
mod assertions;
mod circles;
mod counterexamples;
mod editors;
mod experiments;
mod finer_models;
mod functions;
#[path = "../../examples/fuzz/judge.rs"]
mod judge;
mod models;
mod modules;
mod names;
mod nesting;
mod one_session;
mod pages;
mod places;
mod regressions;
mod rooms;
mod script;
mod structure_figures;
#[path = "../../benches/tables/models.rs"]
#[allow(dead_code, reason = "the benchmark uses the rest")]
mod tables;
mod tidy;
mod timed;
mod types;

use support::shape;
