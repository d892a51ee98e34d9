//! Other systems with symmetry reduction, and what stands for each here.
#![doc = ""]
#![doc = include_str!("SYSTEMS.md")]
