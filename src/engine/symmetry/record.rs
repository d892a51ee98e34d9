//! An observer that records every step as a [`RepTrace`], which is complete, and in words, when the
//! computation ends.

use super::observe::Observer;
use super::ordering::Tie;
use super::partition::{OrderedPartition, Vector};
use super::trace::{
    BlockList, BlockSplit, Column, NTable, RepTrace, SplitGroup, Step, TypeOrder, Variable,
};
use crate::value::Atom;

/// Names of types, values and variables for a record.
#[derive(Clone, Debug, Default)]
pub struct RecordNames {
    /// The names of the symmetric types, by number.
    pub types: Vec<String>,
    /// The names of all their values, by number, each with the number of its type.
    pub values: Vec<(String, usize)>,
    /// For each component, the common key of its block in step 1.
    pub keys: Vec<String>,
    /// For each component, its distinguished variables, and then those of its label.
    pub variables: Vec<Vec<Variable>>,
}

/// Records the steps of one computation.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The steps so far.
    pub trace: RepTrace,
    names: RecordNames,
    round: usize,
    before: BlockList,
    tables: Vec<(usize, NTable)>,
    /// For each type, where its values appear.
    places: Vec<Vec<(usize, usize)>>,
}

impl Recorder {
    /// A record in these words.
    #[must_use]
    pub fn new(names: RecordNames) -> Self {
        Self {
            names,
            ..Self::default()
        }
    }

    /// Inserts the ties, before the types are ordered.
    pub fn note_ties(&mut self, ties: &[Tie]) {
        let value = |atom: &Atom| self.value(*atom);
        let steps: Vec<Step> = ties
            .iter()
            .map(|tie| Step::Tie {
                values: tie.values.iter().map(value).collect(),
                component: usize::from(tie.place.0),
                variable: tie.place.1,
                harmless: tie.harmless,
            })
            .collect();
        // Ties are known only when all values have names, which is when the record is complete; but
        // they were decided before the types were ordered.
        let types = self.trace.steps.iter().position(|s| *s == Step::Types);
        let at = types.unwrap_or(self.trace.steps.len());
        self.trace.steps.splice(at..at, steps);
    }

    fn value(&self, atom: Atom) -> String {
        let known = self.names.values.get(usize::from(atom.0));
        known.map_or_else(String::new, |(name, _)| name.clone())
    }

    /// The present values of all variables.
    fn values(&self, vector: &Vector) -> Vec<Vec<String>> {
        let of = |component: usize| {
            let held = &vector.atoms[vector.variables(component as u16)];
            held.iter().map(|atom| self.value(*atom)).collect()
        };
        (0..vector.len()).map(of).collect()
    }

    /// The table of n-values of the members of one block, which the algorithm compares without
    /// writing it out.
    fn table(vector: &Vector, blocks: &OrderedPartition, block: usize) -> NTable {
        let members = blocks.block(block);
        // `k` ranges over variables with the type of `v_i` (Def. 36, step 2). Any member of a block
        // serves, since all have the same variables.
        let kinds_match = |i: usize, first: u16, j: usize, k: usize| {
            let other = blocks.block(j)[0];
            let (x, y) = (
                vector.variables(first).start + i,
                vector.variables(other).start + k,
            );
            vector.kinds[x] == vector.kinds[y]
        };
        // A set is one column, that of its first variable.
        let starts_group = |j: usize, k: usize| {
            let variables = vector.variables(blocks.block(j)[0]);
            let group = |k: usize| vector.groups[variables.start + k];
            !(0..k).any(|before| group(before) == group(k))
        };
        let mut columns = Vec::new();
        let first = members[0];
        for i in 0..vector.variables(first).len() {
            for j in 0..blocks.len() {
                for k in 0..vector.variables(blocks.block(j)[0]).len() {
                    if kinds_match(i, first, j, k) && starts_group(j, k) {
                        columns.push(Column { i, j, k });
                    }
                }
            }
        }
        let value = |c: u16, v: usize| vector.atoms[vector.variables(c).start + v];
        // The elements of a set count together: their order means nothing.
        let holds = |other: u16, k: usize, wanted: Atom| {
            let variables = vector.variables(other);
            let group = vector.groups[variables.start + k];
            let of_group = variables.filter(|v| vector.groups[*v] == group);
            of_group.filter(|v| vector.atoms[*v] == wanted).count()
        };
        let count = |s: u16, column: &Column| {
            let wanted = value(s, column.i);
            let there = blocks.block(column.j).iter();
            there
                .map(|other| holds(*other, column.k, wanted))
                .sum::<usize>() as u32
        };
        let rows = members
            .iter()
            .map(|s| {
                (
                    *s as usize,
                    columns.iter().map(|column| count(*s, column)).collect(),
                )
            })
            .collect();
        NTable { columns, rows }
    }

    /// The parts of `block` among the blocks of `after`, with the first column in which each differs from the
    /// one before.
    fn split(
        table: &NTable,
        after: &BlockList,
        members: &[usize],
        block: usize,
    ) -> Option<BlockSplit> {
        // Blocks are split in place, so the parts of a block are side by side.
        let first_block_after = after
            .iter()
            .position(|b| b.iter().all(|c| members.contains(c)))?;
        let mut groups: Vec<SplitGroup> = Vec::new();
        for part in after[first_block_after..]
            .iter()
            .take_while(|b| b.iter().all(|c| members.contains(c)))
        {
            let row = |c: usize| table.rows.iter().find(|r| r.0 == c).map(|r| &r.1);
            let previous = groups.last().map(|g| g.members[0]);
            let first_difference =
                previous.and_then(|p| row(p)?.iter().zip(row(part[0])?).position(|(x, y)| x != y));
            groups.push(SplitGroup {
                members: part.clone(),
                first_difference,
            });
        }
        (groups.len() > 1).then_some(BlockSplit {
            block,
            groups,
            first_block_after,
        })
    }
}

impl Observer for Recorder {
    fn initial(&mut self, vector: &Vector, blocks: &OrderedPartition) {
        self.trace.variables = std::mem::take(&mut self.names.variables);
        for (component, variables) in self.trace.variables.iter_mut().enumerate() {
            // Labels are variables only where the state does not show them.
            variables.truncate(vector.variables(component as u16).len());
        }
        let after = blocks.to_partition();
        let key = |block: &Vec<usize>| {
            let known = block.first().and_then(|c| self.names.keys.get(*c));
            known.cloned().unwrap_or_default()
        };
        let keys = after.iter().map(key).collect();
        self.trace.steps.push(Step::Initial { after, keys });
    }

    fn count(&mut self, vector: &Vector, blocks: &OrderedPartition) {
        self.round += 1;
        self.before = blocks.to_partition();
        self.tables = (0..blocks.len())
            .filter(|b| blocks.block(*b).len() > 1)
            .map(|b| (b, Self::table(vector, blocks, b)))
            .collect();
        self.trace.steps.push(Step::Count {
            round: self.round,
            before: self.before.clone(),
            tables: self.tables.clone(),
            values: self.values(vector),
        });
    }

    fn refined(&mut self, _vector: &Vector, blocks: &OrderedPartition, changed: bool) {
        let after = blocks.to_partition();
        if !changed {
            self.trace.steps.push(Step::FixedPoint {
                round: self.round,
                partition: after,
            });
            return;
        }
        let splits = self
            .tables
            .iter()
            .filter_map(|(block, table)| Self::split(table, &after, &self.before[*block], *block))
            .collect();
        self.trace.steps.push(Step::Split {
            round: self.round,
            before: self.before.clone(),
            after,
            splits,
        });
        self.before = blocks.to_partition();
    }

    fn choice(&mut self, _vector: &Vector, blocks: &OrderedPartition, block: usize, all: bool) {
        let after = blocks.to_partition();
        // The block keeps its index, and its first part is the member that was picked.
        let picked = after[block][0];
        let before = std::mem::replace(&mut self.before, after.clone());
        self.trace.steps.push(Step::Choice {
            block,
            picked,
            fully_symmetric: all,
            before,
            after,
        });
    }

    fn ordered(&mut self, _vector: &Vector, blocks: &OrderedPartition) {
        self.trace.order = blocks.order.iter().map(|c| *c as usize).collect();
        self.trace.steps.push(Step::Ordered);
    }

    fn appears(&mut self, vector: &Vector, component: u16, variable: usize) {
        let atom = usize::from(vector.atoms[variable].0);
        let kind = self.names.values.get(atom).map_or(0, |(_, kind)| *kind);
        let at = variable - vector.variables(component).start;
        self.places
            .resize_with(self.places.len().max(kind + 1), Vec::new);
        self.places[kind].push((usize::from(component), at));
    }

    fn generated(&mut self, image: &[Atom], seen: &[u16]) {
        for (kind, name) in self.names.types.iter().enumerate() {
            let all = self.names.values.iter().zip(image);
            let of_kind = all.filter(|((_, k), _)| *k == kind);
            let mut values: Vec<_> = of_kind.map(|((name, _), to)| (*to, name.clone())).collect();
            // By image: the n-th of the order of Def. 38 goes to the n-th value of the type (Def.
            // 40), so this is that order.
            values.sort();
            self.trace.type_orders.push(TypeOrder {
                name: name.clone(),
                values: values.into_iter().map(|(_, name)| name).collect(),
                seen: usize::from(seen[kind]),
                places: self.places.get(kind).cloned().unwrap_or_default(),
            });
        }
        self.trace.steps.extend([Step::Types, Step::Generated]);
    }
}
