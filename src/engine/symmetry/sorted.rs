//! The `sorted` and `segmented` strategies of Sec. 7.6.
//!
//! Both need, for a symmetric type, a family of components that the type indexes. Sorting the family
//! by the parts that no permutation touches sorts the values of the type. `sorted` breaks ties by
//! component index; `segmented` tries every permutation of the ties and takes the least state.
//! A type that indexes no family is left alone by both.

use super::context::StateContext;
use super::partition::Labels;
use super::scratch::SortedScratch;
use super::strategy::{Representative, Strategy};
use crate::machine::Miss;
use crate::value::Atom;

/// Permutations that `segmented` tries at most; beyond them it falls back on `sorted`.
pub const SEGMENTED_MAX: usize = 5_040;

/// Sorts the values of each indexed type by the non-distinguished parts of the components that they
/// identify, then, if `with_spec`, by their first mention in the specification; leaves cells of equal
/// values in `cells` as ranges of `order`.
pub(super) fn sort_values(context: &StateContext<'_>, out: &mut Representative, with_spec: bool) {
    let Representative {
        sorted, scratch, ..
    } = out;
    let format = context.network.format(context.format);
    scratch.vector.fill(
        context.atoms,
        context.locals,
        format,
        context.state,
        &[],
        Labels::None,
    );
    // Cleared one by one, so that the inner vectors keep their capacity.
    sorted.keys.resize_with(context.atoms.len(), Vec::new);
    sorted.keys.iter_mut().for_each(Vec::clear);
    for (component, identity) in format.identity().iter().enumerate() {
        if let Some(atom) = identity {
            sorted.keys[atom.0 as usize].push(scratch.vector.keys[component]);
        }
    }
    // One value may identify components of several families: order them by class.
    sorted
        .keys
        .iter_mut()
        // The lower half of a key is the class (the pattern of labels is zero here), the upper half
        // the rank of the shape.
        .for_each(|keys| keys.sort_unstable_by_key(|k| (k & 0xffff_ffff, *k)));
    if with_spec {
        for (place, atom) in context.spec_atoms.iter().enumerate() {
            // Above all keys, so that the entry never compares like a further component.
            sorted.keys[atom.0 as usize].push(u64::MAX - place as u64);
        }
    }
    sorted.order.clear();
    sorted
        .order
        .extend((0..context.atoms.len() as u16).map(Atom));
    sorted.cells.clear();
    for kind in 0..context.atoms.kinds() {
        let range = context.atoms.atoms(kind as u8);
        sort_type(sorted, range.start as usize, range.end as usize);
    }
}

/// Sorts the values from `from` up to `to`, which are those of one type, by their keys, and adds their cells.
fn sort_type(sorted: &mut SortedScratch, from: usize, to: usize) {
    // No family is indexed by this type: its values keep their names.
    if from == to || sorted.keys[from..to].iter().all(Vec::is_empty) {
        return;
    }
    let keys = &sorted.keys;
    sorted.order[from..to]
        .sort_unstable_by(|a, b| keys[a.0 as usize].cmp(&keys[b.0 as usize]).then(a.cmp(b)));
    let mut start = from;
    // One step beyond the end, to close the last cell.
    for at in from + 1..=to {
        let key = |n: usize| &keys[sorted.order[n].0 as usize];
        if at == to || key(at - 1) != key(at) {
            if at - start > 1 {
                sorted.cells.push((start, at));
            }
            start = at;
        }
    }
}

/// The cells of equal values of the last computation.
#[must_use]
pub fn cells(out: &Representative) -> Vec<Vec<Atom>> {
    let SortedScratch { cells, order, .. } = &out.sorted;
    let cell = |(from, to): &(usize, usize)| order[*from..*to].to_vec();
    cells.iter().map(cell).collect()
}

/// Number of permutations within the cells, saturating.
fn trials(cells: &[(usize, usize)]) -> usize {
    cells.iter().fold(1usize, |product, (from, to)| {
        (1..=to - from).fold(product, usize::saturating_mul)
    })
}

/// Sets the permutation that takes the n-th value in the order to the n-th value.
pub(super) fn set_image(order: &[Atom], image: &mut Vec<Atom>) {
    image.clear();
    image.resize(order.len(), Atom(0));
    for (rank, atom) in order.iter().enumerate() {
        image[atom.0 as usize] = Atom(rank as u16);
    }
}

/// The `sorted` strategy: ties by component index.
#[derive(Clone, Copy, Debug)]
pub struct Sorted;

impl Strategy for Sorted {
    fn name(&self) -> &'static str {
        "sorted"
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        sort_values(context, out, false);
        out.fell_back = false;
        set_image(&out.sorted.order, &mut out.image);
        context.image(&out.image, &mut out.locals)
    }
}

/// The `segmented` strategy: the least state over all permutations within cells of equal values.
#[derive(Clone, Copy, Debug)]
pub struct Segmented;

impl Strategy for Segmented {
    fn name(&self) -> &'static str {
        "segmented"
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        sort_values(context, out, false);
        // Seven factorial: seven equal values, or several smaller cells.
        if trials(&out.sorted.cells) > SEGMENTED_MAX {
            Sorted.representative(context, out)?;
            out.fell_back = true;
            return Ok(());
        }
        out.fell_back = false;
        // Empty means that nothing was tried yet.
        out.sorted.best.clear();
        try_cells(context, out, 0)?;
        std::mem::swap(&mut out.image, &mut out.sorted.best_image);
        std::mem::swap(&mut out.locals, &mut out.sorted.best);
        Ok(())
    }

    fn tells_uniqueness(&self) -> bool {
        true
    }

    fn instead(&self) -> &'static str {
        "`sorted` was done where there are more than 5,040 orders of equal values"
    }
}

/// Permutes one cell after another; after the last compares the image with the best so far.
fn try_cells(
    context: &StateContext<'_>,
    out: &mut Representative,
    cell: usize,
) -> Result<(), Miss> {
    let Some((from, to)) = out.sorted.cells.get(cell).copied() else {
        set_image(&out.sorted.order, &mut out.image);
        let trial = &mut out.sorted.trial;
        context.image(&out.image, trial)?;
        if out.sorted.best.is_empty() || out.sorted.trial < out.sorted.best {
            std::mem::swap(&mut out.sorted.best, &mut out.sorted.trial);
            // The content of `out.image` is garbage now: `set_image` overwrites it for the next
            // trial.
            std::mem::swap(&mut out.sorted.best_image, &mut out.image);
        }
        return Ok(());
    };
    permute_range(context, out, cell, from, to)
}

/// Tries every order of `order[from..to]`, each with every order of the later cells. Restores the
/// range.
fn permute_range(
    context: &StateContext<'_>,
    out: &mut Representative,
    cell: usize,
    from: usize,
    to: usize,
) -> Result<(), Miss> {
    if to - from <= 1 {
        // One value is left for the last place of the cell: go on with the next cell.
        return try_cells(context, out, cell + 1);
    }
    for at in from..to {
        out.sorted.order.swap(from, at);
        // After a miss the range is left as it is: the computation starts anew with sorting.
        permute_range(context, out, cell, from + 1, to)?;
        out.sorted.order.swap(from, at);
    }
    Ok(())
}
