//! Tests of the whole folder.

mod corpus;
