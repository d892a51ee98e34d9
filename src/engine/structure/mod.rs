//! Structural symmetry of a compiled network, found without declarations: the permutations of its components, their
//! local states and their events that map the network and its initial state to themselves.
//!
//! In: a network all of whose components were explored completely. Out: a group of such maps, each of them
//! verified. This module knows no datatypes: a ring of processes numbered by integers is as good as one over a
//! symmetric type.
//!
//! - `points`: the local states of all components as numbers.
//! - `network_structure`: the structure of a network: components and rules in these numbers, and nothing else.
//! - `element`: an automorphism of all of it.
//! - `graph`: the coloured graph whose automorphisms are these.
//! - `verify`: the verification of a map (Def. 29).
//! - `search`: the group of all automorphisms.
//! - `partial`: the symmetry of a subset of the rules, which may be larger than that of all.
//! - `parts`: the factors of the group, for finding least images under it.
//! - `wreath`: blocks that are permuted in all ways, with a group in each.

pub mod element;
mod graph;
pub mod network_structure;
pub mod partial;
pub mod parts;
pub mod points;
pub mod search;
pub mod verify;
mod waits;
mod wreath;
