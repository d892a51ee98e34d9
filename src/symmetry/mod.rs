//! Permutations, component bijections, mappability (Sec. 6), ordered partitions, representatives
//! (Sec. 7), strategies, orbit sizes.

pub mod trace;
