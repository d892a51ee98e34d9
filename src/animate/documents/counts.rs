//! The n-values of a step of `ordering` (Def. 36): tables for people, and facts for programs.

use serde_json::{Value, json};

use crate::model::Explanation;
use crate::report::document::{Document, DocumentTable, TableColumn, Tone};
use crate::report::numbers::counted;
use crate::sentences::{ComponentNames, column_name};
use crate::symmetry::trace::{BlockList, Column, NTable, Step};

/// The tables of a step that counts edges.
pub(super) struct EdgeTables<'a> {
    explanation: &'a Explanation,
    round: usize,
    partition: &'a BlockList,
    tables: &'a [(usize, NTable)],
}

impl<'a> EdgeTables<'a> {
    /// The tables of a step; none if it counts nothing.
    pub(super) fn of(explanation: &'a Explanation, step: usize) -> Option<Self> {
        match explanation.trace.steps.get(step)? {
            Step::Count {
                round,
                before,
                tables,
                ..
            } => Some(Self {
                explanation,
                round: *round,
                partition: before,
                tables,
            }),
            _ => None,
        }
    }

    /// Writes a table for each block: a row for each kind of edges, a column for each member. Rows whose numbers are
    /// equal for all members are counted only, unless all are wanted.
    pub(super) fn write(&self, shows_all: bool, document: &mut Document) {
        let names = ComponentNames::new(&self.explanation.components);
        for (block, counts) in self.tables {
            let members: Vec<usize> = counts.rows.iter().map(|(member, _)| *member).collect();
            let number = TableColumn {
                is_number: true,
                ..TableColumn::default()
            };
            // The empty column sets the table off from the sentences above it.
            let mut columns = vec![TableColumn::default(), TableColumn::texts(None)];
            columns.extend(members.iter().map(|_| number.clone()));
            let mut table = DocumentTable::new(columns);
            let row = |head: String, cells: Vec<String>| {
                let start = ["  ".to_owned(), head].into_iter();
                start.chain(cells).collect::<Vec<_>>()
            };
            let heads = members.iter().map(|member| names.of(*member).to_owned());
            table.row(
                Tone::Strong,
                row(format!("S{}", block + 1), heads.collect()),
            );
            let mut equal = 0;
            for (at, column) in counts.columns.iter().enumerate() {
                let numbers: Vec<u32> = counts.rows.iter().map(|(_, row)| row[at]).collect();
                let differ = numbers.windows(2).any(|pair| pair[0] != pair[1]);
                if differ || shows_all {
                    let cells = numbers.iter().map(u32::to_string).collect();
                    let tone = if differ { Tone::Changed } else { Tone::Plain };
                    table.row(tone, row(self.name(&members, *column), cells));
                } else {
                    equal += 1;
                }
            }
            document.table(table);
            if equal > 0 {
                let rows = counted(equal, "number");
                let text = format!("{rows} equal for all members of S{}", block + 1);
                document.deeper(3, Tone::Dim, format!(" {text}"));
            }
        }
    }

    /// A column in words, as `next->S2.me`.
    fn name(&self, members: &[usize], column: Column) -> String {
        let member = members.first().copied().unwrap_or_default();
        column_name(self.explanation, self.partition, member, column)
    }

    /// The round, the partition that was counted against, and the numbers; blocks are counted from 1, as in names of
    /// columns, and components from 0.
    pub(super) fn json(&self) -> Value {
        let tables = self.tables.iter().map(|(block, counts)| {
            let members: Vec<usize> = counts.rows.iter().map(|(member, _)| *member).collect();
            let columns = counts.columns.iter();
            let rows = counts.rows.iter();
            json!({
                "block": block + 1,
                "columns": columns.map(|c| self.name(&members, *c)).collect::<Vec<_>>(),
                "rows": rows
                    .map(|(component, numbers)| json!({ "component": component, "n": numbers }))
                    .collect::<Vec<_>>(),
            })
        });
        json!({
            "round": self.round,
            "partition": self.partition,
            "tables": tables.collect::<Vec<_>>(),
        })
    }
}
