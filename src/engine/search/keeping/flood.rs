//! Permutation flooding (ProB): with a pair, all pairs of its orbit are stored, and it alone is expanded. So the work
//! is that of a reduced search, and the memory that of an unreduced one.

use super::{Entered, Keeping, KeepingScratch, Kept};
use crate::machine::FormatId;
use crate::machine::LocalId;
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss, ProductState};
use crate::search::store::{StateStore, StoredId, UNREACHED};
use crate::source::hash::IndexSet;
use crate::specification::NodeId;
use crate::value::Atom;

/// Stores whole orbits.
#[derive(Clone, Copy, Debug)]
pub struct Flood;

impl Keeping for Flood {
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        product.pack_as_met(pair, &mut scratch.representative, &mut kept.key);
        Ok(false)
    }

    fn enters_by_itself(&self) -> bool {
        true
    }

    fn enter(
        &self,
        product: &Product<'_>,
        store: &mut StateStore,
        key: &[u8],
        _: &[u8],
        parent: StoredId,
    ) -> Result<Entered, ProductMiss> {
        if store.find(key).is_some() {
            return Ok(Entered::default());
        }
        // Compute all of them before any is stored: a table entry may be missing on the way.
        let orbit = orbit(product, key)?;
        store.insert(key, &[], parent);
        let images = orbit.iter();
        let unreached = images.filter(|image| store.insert(image, &[], UNREACHED));
        Ok(Entered {
            is_new: true,
            unreached: unreached.count(),
            ..Entered::default()
        })
    }
}

/// All pairs of the orbit of a packed pair.
fn orbit(product: &Product<'_>, key: &[u8]) -> Result<IndexSet<Box<[u8]>>, ProductMiss> {
    let transpositions = transpositions(product);
    let mut all: IndexSet<Box<[u8]>> = IndexSet::default();
    let mut at = ProductState::default();
    let (mut image, mut packed) = (Vec::new(), Vec::new());
    all.insert(key.into());
    let mut next = 0;
    while let Some(bytes) = all.get_index(next) {
        next += 1;
        product.unpack(bytes, &mut at);
        let format = FormatId(at.format);
        let mut add = |node: u32, locals: &mut Vec<LocalId>| {
            product.network.format(format).merged().apply(locals);
            packed.clear();
            product.pack(node, format, locals, &mut packed);
            if !all.contains(&packed[..]) {
                all.insert(packed[..].into());
            }
        };
        for by in &transpositions {
            let locals = product.locals;
            product
                .network
                .permute(locals, format, &at.locals, by, &mut image)?;
            let node = match product.specification {
                Some(side) => side.permute(locals, NodeId(at.node), by)?.0,
                None => at.node,
            };
            add(node, &mut image);
        }
        for set in product.network.format(format).copies().sets() {
            for two in set.windows(2) {
                image.clone_from(&at.locals);
                image.swap(usize::from(two[0]), usize::from(two[1]));
                add(at.node, &mut image);
            }
        }
        // An orbit may be large, and limits are otherwise checked only after it.
        if product.locals.is_interrupted() {
            return Err(ProductMiss::Enough);
        }
    }
    Ok(all)
}

/// The transpositions of adjacent values of a type: they generate all permutations.
fn transpositions(product: &Product<'_>) -> Vec<Vec<Atom>> {
    let atoms = product.atoms;
    let mut found = Vec::new();
    for kind in 0..atoms.kinds() {
        let range = atoms.atoms(kind as u8);
        for value in range.start + 1..range.end {
            let mut image: Vec<Atom> = (0..atoms.len() as u16).map(Atom).collect();
            image.swap(usize::from(value) - 1, usize::from(value));
            found.push(image);
        }
    }
    found
}
