//! The symmetry of a compiled network that nobody declared: which permutations of its components, their
//! local states and their events map the network and its initial state to themselves.
//!
//! In: a network all of whose components were explored to the end. Out: a group of such maps, each of them
//! verified. Nothing here knows datatypes: a ring of processes numbered by integers is as good as one over a
//! symmetric type.
//!
//! - `points`: the local states of all components as numbers.
//! - `blueprint`: what components and rules do, in these numbers, and nothing else.
//! - `element`: a map of all of it to itself.
//! - `graph`: the coloured graph whose automorphisms are such maps.
//! - `judge`: whether a map is one (Def. 29).
//! - `search`: all that there are, as a group.
//! - `partial`: the symmetry of a part of the rules, which may have more of it than all of them.
//! - `parts`: the group taken apart, for finding least images under it.
//! - `wreath`: blocks that are permuted in all ways, with a group in each.

pub mod blueprint;
pub mod element;
mod graph;
pub mod judge;
pub mod partial;
pub mod parts;
pub mod points;
pub mod search;
mod waits;
mod wreath;
