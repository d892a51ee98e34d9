//! Colour refinement of values by where they occur: the fixpoint of Def. 36, step 2, for values
//! instead of components.
//!
//! A colour is the first value of its type, plus the number of values of the type with a smaller colour,
//! so the colour of a value that is alone in its cell is a name for it. Values are read only
//! through their colours, so refinement commutes with permutations.

use super::partition::Vector;

/// A colour for each value.
pub(super) type Colours = Vec<u16>;

/// Scratch buffers: the sort keys of refinement.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    /// Signatures of the components, one after the other, and where each starts.
    keys: Vec<u64>,
    starts: Vec<usize>,
    order: Vec<u16>,
    rank: Vec<u32>,
    /// For each variable, a hash of all parts of its element of a set, if it has several.
    rows: Vec<u64>,
    /// For each value, where it occurs.
    places: Vec<Vec<u64>>,
    values: Vec<u16>,
    fresh: Colours,
}

/// Mixes two words. Equal results of different words only make refinement weaker.
fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (product ^ product >> 32 ^ b).wrapping_mul(0xa076_1d64_78bd_642f)
}

impl Signatures {
    /// Refines the colours of values by the components that hold them, and components by their values, to a
    /// fixpoint. `seen` receives the colours after each round that splits a cell.
    pub(super) fn refine(
        &mut self,
        vector: &Vector,
        colours: &mut Colours,
        mut seen: impl FnMut(&Colours),
    ) {
        while self.refine_once(vector, colours) {
            seen(colours);
        }
    }

    /// The signature of a component in the last round: the colours of its values, sorted within sets.
    pub(super) fn held_by(&self, component: usize) -> &[u64] {
        // Before them stands the key of the component.
        &self.keys[self.starts[component] + 1..self.starts[component + 1]]
    }

    /// True if a cell was split.
    fn refine_once(&mut self, vector: &Vector, colours: &mut Colours) -> bool {
        // Components first: the places of a value are given by the ranks of the components that hold
        // it.
        self.mix_rows(vector, colours);
        self.rank_components(vector, colours);
        self.places.resize_with(colours.len(), Vec::new);
        self.places.iter_mut().for_each(Vec::clear);
        for component in 0..vector.len() as u16 {
            let rank = u64::from(self.rank[component as usize]);
            for variable in vector.variables(component) {
                // The group identifies the variable: elements of one set have one group, hence one
                // place.
                let mut place = rank << 16 | u64::from(vector.groups[variable]);
                if vector.compound[variable] {
                    place = mix(place, self.rows[variable]);
                }
                self.places[vector.atoms[variable].0 as usize].push(place);
            }
        }
        // The order of components differs between a state and its image, so it must not
        // count.
        self.places.iter_mut().for_each(|p| p.sort_unstable());
        let places = &self.places;
        // Values that occur nowhere have colours of their own from the beginning, and are never split.
        let occurs = |v: &u16| !places[*v as usize].is_empty();
        self.values.clear();
        self.values.extend((0..colours.len() as u16).filter(occurs));
        let key = |v: u16| (colours[v as usize], &places[v as usize]);
        // By the old colour first: cells are split, never merged, and keep their order. The number
        // of the value only makes the sort deterministic; equal keys get equal colours below.
        self.values
            .sort_unstable_by(|a, b| key(*a).cmp(&key(*b)).then(a.cmp(b)));
        self.fresh.clear();
        self.fresh.extend_from_slice(colours);
        let mut start = 0;
        for at in 1..self.values.len() {
            let (before, this) = (self.values[at - 1], self.values[at]);
            let first = colours[this as usize];
            if colours[before as usize] != first {
                start = at;
            } else if key(before) == key(this) {
                self.fresh[this as usize] = self.fresh[before as usize];
            } else {
                // The values of the cell before this one have smaller colours now: the invariant of
                // colours, kept for the parts of the cell.
                self.fresh[this as usize] = first + (at - start) as u16;
            }
        }
        // The old colours become the buffer of the next round.
        let changed = self.fresh != *colours;
        std::mem::swap(&mut self.fresh, colours);
        changed
    }

    /// Hashes each element of a set whose elements have several parts.
    fn mix_rows(&mut self, vector: &Vector, colours: &Colours) {
        if !vector.grouped {
            return;
        }
        self.rows.clear();
        self.rows.resize(vector.atoms.len(), 0);
        for component in 0..vector.len() as u16 {
            let variables = vector.variables(component);
            for variable in variables.clone().filter(|v| vector.compound[*v]) {
                let colour = u64::from(colours[vector.atoms[variable].0 as usize]);
                let part = mix(u64::from(vector.groups[variable]), colour);
                // A sum needs no order of the parts; the group that is mixed into each tells parts
                // apart. It is collected at the first variable of the element, and then copied to
                // the others.
                let sum = &mut self.rows[vector.row_start(variables.start, variable)];
                *sum = sum.wrapping_add(part);
            }
            for variable in variables.clone().filter(|v| vector.compound[*v]) {
                self.rows[variable] = self.rows[vector.row_start(variables.start, variable)];
            }
        }
    }

    /// Ranks the components by key and colours of their values; within a set, by the sorted colours.
    fn rank_components(&mut self, vector: &Vector, colours: &Colours) {
        self.keys.clear();
        self.starts.clear();
        for component in 0..vector.len() as u16 {
            self.starts.push(self.keys.len());
            self.keys.push(vector.keys[component as usize]);
            let from = self.keys.len();
            for variable in vector.variables(component) {
                let colour = u64::from(colours[vector.atoms[variable].0 as usize]);
                // The group is above the colour, so sorting the keys leaves variables in their
                // places and orders only the elements within sets.
                let mut key = u64::from(vector.groups[variable]) << 16 | colour;
                if vector.compound[variable] {
                    key = mix(key, self.rows[variable]);
                }
                self.keys.push(key);
            }
            if vector.grouped {
                self.keys[from..].sort_unstable();
            }
        }
        self.starts.push(self.keys.len());
        let (keys, starts) = (&self.keys, &self.starts);
        let signature = |c: u16| &keys[starts[c as usize]..starts[c as usize + 1]];
        self.order.clear();
        self.order.extend(0..vector.len() as u16);
        self.order
            .sort_unstable_by(|a, b| signature(*a).cmp(signature(*b)).then(a.cmp(b)));
        self.rank.clear();
        self.rank.resize(vector.len(), 0);
        // Equal signatures get equal ranks. Ranks without gaps are not needed, only that they
        // follow the order of the signatures, which no permutation changes.
        for at in 1..self.order.len() {
            let (before, this) = (self.order[at - 1], self.order[at]);
            let step = u32::from(signature(before) != signature(this));
            self.rank[this as usize] = self.rank[before as usize] + step;
        }
    }
}
