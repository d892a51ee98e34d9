//! Permutations of types as plain data.

use serde_json::{Value, json};

/// A permutation of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePermutation {
    /// The name of the symmetric type.
    pub name: String,
    /// Cycle notation without fixed points, as `(N1 N5 N3 N2)`; `id` if there are no others.
    pub cycles: String,
    /// Every value and its image, in order of declaration.
    pub map: Vec<(String, String)>,
}

/// Permutations of types as an array of JSON.
#[must_use]
pub fn permutation_json(parts: &[TypePermutation]) -> Value {
    let part = |p: &TypePermutation| {
        let map = p.map.iter().map(|(from, to)| json!([from, to]));
        json!({ "type": p.name, "cycles": p.cycles, "map": map.collect::<Vec<_>>() })
    };
    parts.iter().map(part).collect()
}
