//! The observer that keeps a record of everything, as [`RepTrace`].

use super::observe::Observer;
use super::partition::{Blocks, Vector};
use super::trace::{Column, Group, NTable, Partition, RepTrace, Split, Step};

/// Records the steps of one computation.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The steps so far; names and orders of the trace are filled in by whoever started this.
    pub trace: RepTrace,
    round: usize,
    before: Partition,
    tables: Vec<(usize, NTable)>,
}

impl Recorder {
    /// The n-values of the members of one block, written out: what the algorithm compares without
    /// writing it out.
    fn table(vector: &Vector, blocks: &Blocks, block: usize) -> NTable {
        let members = blocks.block(block);
        let kinds_match = |i: usize, first: u16, j: usize, k: usize| {
            let other = blocks.block(j)[0];
            let (x, y) = (
                vector.variables(first).start + i,
                vector.variables(other).start + k,
            );
            vector.kinds[x] == vector.kinds[y]
        };
        let mut columns = Vec::new();
        let first = members[0];
        for i in 0..vector.variables(first).len() {
            for j in 0..blocks.len() {
                for k in 0..vector.variables(blocks.block(j)[0]).len() {
                    if kinds_match(i, first, j, k) {
                        columns.push(Column { i, j, k });
                    }
                }
            }
        }
        let value = |c: u16, v: usize| vector.atoms[vector.variables(c).start + v];
        let count = |s: u16, column: &Column| {
            let there = blocks.block(column.j).iter();
            there
                .filter(|other| value(**other, column.k) == value(s, column.i))
                .count() as u32
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

    /// The parts of `block` among the blocks of `after`, with the column that tells each from the
    /// one before.
    fn split(table: &NTable, after: &Partition, members: &[usize], block: usize) -> Option<Split> {
        let first_block_after = after
            .iter()
            .position(|b| b.iter().all(|c| members.contains(c)))?;
        let mut groups: Vec<Group> = Vec::new();
        for part in after[first_block_after..]
            .iter()
            .take_while(|b| b.iter().all(|c| members.contains(c)))
        {
            let row = |c: usize| table.rows.iter().find(|r| r.0 == c).map(|r| &r.1);
            let previous = groups.last().map(|g| g.members[0]);
            let first_difference =
                previous.and_then(|p| row(p)?.iter().zip(row(part[0])?).position(|(x, y)| x != y));
            groups.push(Group {
                members: part.clone(),
                first_difference,
            });
        }
        (groups.len() > 1).then_some(Split {
            block,
            groups,
            first_block_after,
        })
    }
}

impl Observer for Recorder {
    const WATCHING: bool = true;

    fn initial(&mut self, _vector: &Vector, blocks: &Blocks) {
        self.trace.steps.push(Step::Initial {
            after: blocks.to_partition(),
            keys: Vec::new(),
        });
    }

    fn count(&mut self, vector: &Vector, blocks: &Blocks) {
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
        });
    }

    fn refined(&mut self, _vector: &Vector, blocks: &Blocks, changed: bool) {
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

    fn choice(&mut self, _vector: &Vector, blocks: &Blocks, block: usize, all: bool) {
        let after = blocks.to_partition();
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

    fn ordered(&mut self, _vector: &Vector, blocks: &Blocks) {
        self.trace.order = blocks.order.iter().map(|c| *c as usize).collect();
        self.trace.steps.push(Step::Ordered);
    }
}
