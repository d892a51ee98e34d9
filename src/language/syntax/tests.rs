//! Tests of the whole folder.

mod corpus;
mod messages;
mod precedence;
mod trees;
