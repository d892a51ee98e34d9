//! Scripts as tests: what evaluation must give.

mod corpus;
mod data;
mod errors;
mod processes;
mod support;
mod symmetry;
