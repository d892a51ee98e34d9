//! Scripts as tests: what evaluation must give.

mod corpus;
mod data;
mod errors;
mod limits;
mod processes;
mod special;
mod support;
mod symmetry;
mod walks;
