//! Tests of the whole folder.

mod corpus;
mod limits;
mod messages;
mod precedence;
mod trees;
