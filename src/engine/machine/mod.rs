//! Process term to supercombinator: components, rules, formats (Sec. 5, App. C).
//!
//! In: a normalised process term. Out: a network whose global state is a vector of local states, and
//! whose transitions follow from rules. Components, rules and formats are made on demand. Local
//! states are a *shape* and some *atoms* ([`locals`]); each is evaluated once per orbit.
//! This module knows no strategies for representatives, no assertions and no screen.
//!
//! # The order of the files
//!
//! Each file refers only to those before it in this list.
//!
//! - Numbers and tables: `order`, `ids`, `events`, `event_images`, `tables`, `locals`.
//! - Shared by all networks of a check: `parallel`, `shared`, and beside it `phase`, `places`,
//!   `digests`, `opening`.
//! - The composition of a format: `generators`, `tree`, `unroll`, `composition`.
//! - Its behaviour: `seen`, `waiting`, `ready`, `rules`, and their derivation (`event_sets`, `offers`, `priority`,
//!   `derive`), `reach`, `behaviour`.
//! - Data computed from both: `mappable`, `images`, `copies`, `bisimilar`.
//! - All of it together is a `format`; `partners` finds the obstacles to an event without a rule; `reconfigure` and
//!   `changes` lead from one to the next; a `network` holds them, its states are `permuted`, and `pack` encodes them
//!   as bytes. `completion` fills in its missing entries.

mod behaviour;
pub mod bisimilar;
mod changes;
pub(crate) mod completion;
mod composition;
pub mod copies;
mod derive;
pub mod digests;
mod event_images;
mod event_sets;
mod events;
mod format;
pub mod generators;
mod ids;
mod image_trees;
pub(crate) mod images;
pub(crate) mod locals;
pub(crate) mod mappable;
pub mod network;
mod offers;
mod opening;
pub mod order;
pub(crate) mod pack;
mod parallel;
pub mod partners;
mod permuted;
mod phase;
mod places;
mod priority;
pub(crate) mod reach;
mod ready;
mod reconfigure;
pub(crate) mod rules;
pub(crate) mod seen;
mod shared;
mod sorting;
pub(crate) mod tables;
#[cfg(test)]
mod testing;
pub mod tree;
mod unroll;
pub(crate) mod waiting;

pub use crate::eval::Growing;
pub use events::EventId;
pub use format::Format;
pub use ids::{FormatId, LocalId, Miss, ShapeId};
pub(crate) use locals::Locals;
pub use network::Network;
pub use places::TextPlace;
pub use shared::Machine;
