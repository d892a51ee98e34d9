//! Symmetry markers (ProB): a hash of each state that all states of its orbit share.
//!
//! The colours of values are refined to a fixpoint, and the state as seen through the colours is
//! hashed. States of one orbit have equal markers, since refinement reads only invariants of
//! permutations. The converse does not hold: states of different orbits share a marker
//! if refinement does not separate them, or if hashes collide.

use super::context::StateContext;
use super::partition::{Labels, Vector};
use super::refine::{Colours, Signatures};

/// Scratch buffers, reused from state to state.
#[derive(Debug, Default)]
pub struct MarkerScratch {
    vector: Vector,
    signatures: Signatures,
    colours: Colours,
    seen: Vec<bool>,
    parts: Vec<(u64, u64)>,
    values: Vec<u64>,
}

/// Mixes a word into a sum; two factors make two independent sums.
fn mix(sum: u64, word: u64, factor: u64) -> u64 {
    let product = u128::from(sum ^ word.wrapping_add(0x9e37_79b9_7f4a_7c15)) * u128::from(factor);
    (product as u64) ^ (product >> 64) as u64 ^ sum.rotate_left(23)
}

/// Hashes words, with both factors.
fn mix_all(words: impl Iterator<Item = u64>) -> (u64, u64) {
    let mut sums = (0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344);
    for word in words {
        sums.0 = mix(sums.0, word, 0xd6e8_feb8_6659_fd93);
        sums.1 = mix(sums.1, word, 0xa076_1d64_78bd_642f);
    }
    sums
}

/// Hashes several words in this order. Sums of such hashes distinguish multisets of words.
pub fn mixed<const N: usize>(words: [u64; N]) -> u64 {
    mix_all(words.into_iter()).0
}

/// The marker of a state beside a node of the specification, whose orbit shares `node_look`.
pub fn marker(context: &StateContext<'_>, node_look: u64, scratch: &mut MarkerScratch) -> [u64; 2] {
    let MarkerScratch {
        vector,
        signatures,
        colours,
        seen,
        parts,
        values,
    } = scratch;
    let format = context.network.format(context.format);
    vector.fill(
        context.atoms,
        context.locals,
        format,
        context.state,
        &[],
        Labels::All,
    );
    seen.clear();
    seen.resize(context.atoms.len(), false);
    for atom in &vector.atoms {
        seen[usize::from(atom.0)] = true;
    }
    // By type, and within it values that occur before those that do not: a colour is the first value of the type
    // plus the number of values with smaller colours.
    colours.clear();
    for kind in 0..context.atoms.kinds() {
        let range = context.atoms.atoms(kind as u8);
        let occurs = |atom: u16| seen[usize::from(atom)];
        let last = range.start + range.clone().filter(|a| occurs(*a)).count() as u16;
        let colour = |atom| if occurs(atom) { range.start } else { last };
        colours.extend(range.clone().map(colour));
    }
    signatures.refine(vector, colours, |_| {});
    parts.clear();
    for component in 0..context.state.len() {
        let shape = context.locals.shape_of(context.state[component]);
        // The number of a shape, not its rank, which changes when further shapes are interned.
        let class = format.components()[component].class;
        let head = u64::from(shape.0) << 16 | u64::from(class);
        let held = signatures.held_by(component).iter().copied();
        parts.push(mix_all(std::iter::once(head).chain(held)));
    }
    // The order of components must not count.
    parts.sort_unstable();
    values.clear();
    let colour = |atom: &crate::value::Atom| u64::from(colours[usize::from(atom.0)]);
    values.extend(context.spec_atoms.iter().map(colour));
    if !context.spec_atoms_ordered {
        values.sort_unstable();
    }
    let head = [u64::from(context.format.0), node_look, values.len() as u64];
    let all = head.into_iter().chain(values.iter().copied());
    let (first, second) = mix_all(all.chain(parts.iter().flat_map(|part| [part.0, part.1])));
    [first, second]
}
