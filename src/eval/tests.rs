//! Scripts as tests: what evaluation must give.

mod corpus;
mod support;
