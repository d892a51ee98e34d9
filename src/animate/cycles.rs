//! Permutations as a person writes them.

/// A permutation in cycles, as a person writes it: `(N0 N3)(A B)`.
pub type GivenCycles = Vec<Vec<String>>;

/// The cycles as text.
#[must_use]
pub fn cycles_text(cycles: &GivenCycles) -> String {
    let all = cycles.iter().map(|cycle| format!("({})", cycle.join(" ")));
    all.collect()
}
