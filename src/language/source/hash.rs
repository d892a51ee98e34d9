//! The hash maps of the whole program.
//!
//! `fxhash` returns its raw product: on packed words whose low bits are zero, hashbrown (which
//! indexes with the low bits) degrades by a factor of hundreds. One rotation in `finish` cures it.

use std::hash::{BuildHasher, Hasher};

use fxhash::FxHasher;

/// `fxhash` finished with a rotation, so that high bits reach the low ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fx;

/// The hasher of [`Fx`].
#[derive(Default)]
pub struct RotatedFx(FxHasher);

impl Hasher for RotatedFx {
    fn finish(&self) -> u64 {
        // 26 of 64: the 26 high bits, which depend on all of the input, become the low bits that
        // tables index with.
        self.0.finish().rotate_left(26)
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
    // All of these are passed on. The provided methods would go through `write` with the bytes,
    // which is slower and gives other hashes.
    fn write_u8(&mut self, i: u8) {
        self.0.write_u8(i);
    }
    fn write_u16(&mut self, i: u16) {
        self.0.write_u16(i);
    }
    fn write_u32(&mut self, i: u32) {
        self.0.write_u32(i);
    }
    fn write_u64(&mut self, i: u64) {
        self.0.write_u64(i);
    }
    fn write_usize(&mut self, i: usize) {
        self.0.write_usize(i);
    }
}

impl BuildHasher for Fx {
    type Hasher = RotatedFx;
    fn build_hasher(&self) -> RotatedFx {
        RotatedFx(FxHasher::default())
    }
}

/// A map that iterates in insertion order.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, Fx>;
/// A set that iterates in insertion order; the index of an element is its identity.
pub type IndexSet<K> = indexmap::IndexSet<K, Fx>;
/// A map for look-up only: never iterate over it.
pub type Map<K, V> = hashbrown::HashMap<K, V, Fx>;
/// A set for look-up only: never iterate over it.
pub type Set<K> = hashbrown::HashSet<K, Fx>;
