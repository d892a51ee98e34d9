//! Other systems with symmetry reduction, and their counterparts here.
#![doc = ""]
#![doc = include_str!("SYSTEMS.md")]
