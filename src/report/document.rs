//! Documents: everything that a feature says, made once. The command line writes them as text and as JSON, and the
//! screen shows sections of them in panes, so that a fact has one wording and one name everywhere.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Map, Value};

use crate::columns::{fit, width};
use crate::source::visible_line;

/// The meaning of a text, from which a renderer chooses its style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// A text without emphasis.
    #[default]
    Plain,
    /// A heading or a result.
    Strong,
    /// A remark of less importance.
    Dim,
    /// A claim that holds.
    Good,
    /// A claim that does not hold, or an error.
    Bad,
    /// A limit, an arbitrary choice, or an open question.
    Open,
    /// A part that differs from its neighbour.
    Changed,
    /// The orbit with this number.
    Orbit(usize),
}

/// A paragraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paragraph {
    /// Its meaning.
    pub tone: Tone,
    /// The number of levels by which it is indented.
    pub depth: usize,
    /// The label in front of it; empty if it has none.
    pub label: String,
    /// The text, without line breaks.
    pub text: String,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableColumn {
    /// Its head; a table whose heads are all empty has no line of them.
    pub head: Cow<'static, str>,
    /// Whether its cells are numbers, which are aligned to the right.
    pub is_number: bool,
    /// Its rank among the columns that are left out where there is no room for all: the smallest goes first. `None`
    /// if it always stays.
    pub left_out: Option<u8>,
    /// The width beyond which a text pushes the cells behind it aside, instead of making the column wider. `None` if
    /// there is none.
    pub most: Option<usize>,
}

impl TableColumn {
    /// A column of texts below a head.
    #[must_use]
    pub fn headed(head: impl Into<Cow<'static, str>>) -> Self {
        Self {
            head: head.into(),
            ..Self::default()
        }
    }

    /// A column of texts without a head.
    #[must_use]
    pub fn texts(most: Option<usize>) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// Its meaning.
    pub tone: Tone,
    /// A cell for each column.
    pub cells: Vec<String>,
}

/// Rows of cells below one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentTable {
    /// The columns.
    pub columns: Vec<TableColumn>,
    /// The rows.
    pub rows: Vec<TableRow>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentPart {
    /// A paragraph.
    Paragraph(Paragraph),
    /// A table.
    Table(DocumentTable),
    /// An empty line of the text.
    Gap,
}

/// Paragraphs and tables that belong together; a pane shows some of the sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentSection {
    /// The name by which a pane asks for it.
    pub name: &'static str,
    /// The paragraphs and tables.
    pub parts: Vec<DocumentPart>,
}

/// Everything that a feature says: sections for people, and facts for programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The sections, in the order of the text.
    pub sections: Vec<DocumentSection>,
    facts: Map<String, Value>,
}

impl Document {
    /// Begins a section.
    pub fn section(&mut self, name: &'static str) -> &mut Self {
        self.sections.push(DocumentSection {
            name,
            parts: Vec::new(),
        });
        self
    }

    fn part(&mut self, part: DocumentPart) -> &mut Self {
        if self.sections.is_empty() {
            self.section("");
        }
        if let Some(last) = self.sections.last_mut() {
            last.parts.push(part);
        }
        self
    }

    /// Adds a paragraph to the section that was begun last.
    pub fn say(&mut self, tone: Tone, text: impl AsRef<str>) -> &mut Self {
        self.deeper(0, tone, text)
    }

    /// Adds a paragraph with a label.
    pub fn labelled(
        &mut self,
        tone: Tone,
        label: impl Into<String>,
        text: impl AsRef<str>,
    ) -> &mut Self {
        let label = label.into();
        self.paragraph(tone, 0, label, text.as_ref())
    }

    /// Adds a paragraph that is indented.
    pub fn deeper(&mut self, depth: usize, tone: Tone, text: impl AsRef<str>) -> &mut Self {
        self.paragraph(tone, depth, String::new(), text.as_ref())
    }

    fn paragraph(&mut self, tone: Tone, depth: usize, label: String, text: &str) -> &mut Self {
        self.part(DocumentPart::Paragraph(Paragraph {
            tone,
            depth,
            label,
            // Words of a script must not begin a line of their own.
            text: visible_line(text).into_owned(),
        }))
    }

    /// Adds a table.
    pub fn table(&mut self, table: DocumentTable) -> &mut Self {
        self.part(DocumentPart::Table(table))
    }

    /// Adds an empty line.
    pub fn gap(&mut self) -> &mut Self {
        self.part(DocumentPart::Gap)
    }

    /// Adds a fact: `a.b` is the fact `b` within the object `a`.
    ///
    /// # Panics
    /// In debug builds, if a fact with this name exists.
    pub fn fact(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        let mut at = &mut self.facts;
        let mut rest = name;
        while let Some((outer, inner)) = rest.split_once('.') {
            let object = at.entry(outer).or_insert_with(|| Map::new().into());
            let Value::Object(object) = object else {
                debug_assert!(false, "the fact {outer} is no object");
                return self;
            };
            (at, rest) = (object, inner);
        }
        let before = at.insert(rest.to_owned(), value.into());
        debug_assert!(before.is_none(), "the fact {name} is told twice");
        self
    }

    /// Adds the parts of some sections of another document.
    pub fn append(&mut self, other: &Self, sections: &[&str]) -> &mut Self {
        for part in other.parts(sections) {
            self.part(part.clone());
        }
        self
    }

    /// The facts as an object of JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        Value::Object(self.facts.clone())
    }

    /// The sections as text.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<&DocumentPart> = self.sections.iter().flat_map(|s| &s.parts).collect();
        let between_gaps = parts.split(|part| **part == DocumentPart::Gap);
        let texts: Vec<String> = between_gaps.map(text_of).collect();
        texts.join("\n")
    }

    /// The parts of these sections, in the order of the text.
    pub fn parts<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a DocumentPart> {
        let found = self.sections.iter().filter(|s| names.contains(&s.name));
        found.flat_map(|section| &section.parts)
    }
}

/// Parts as text, their labels in one column.
fn text_of(parts: &[&DocumentPart]) -> String {
    let labels = parts.iter().filter_map(|part| match part {
        DocumentPart::Paragraph(paragraph) => Some(width(&paragraph.label)),
        DocumentPart::Table(_) | DocumentPart::Gap => None,
    });
    let label = labels.max().unwrap_or(0);
    let mut text = String::new();
    let mut last = "";
    for part in parts {
        match part {
            DocumentPart::Paragraph(paragraph) => {
                paragraph.write(&mut text, label, last);
                last = &paragraph.label;
            }
            DocumentPart::Table(table) => {
                for (_, cells) in table.aligned(usize::MAX) {
                    let _ = writeln!(text, "  {}", cells.concat().trim_end());
                }
            }
            DocumentPart::Gap => {}
        }
    }
    text
}

impl Paragraph {
    /// Writes a line, behind a column of labels; a label that was written just before is not repeated.
    fn write(&self, text: &mut String, label: usize, last: &str) {
        let margin = 2 * self.depth;
        let _ = if self.label.is_empty() {
            writeln!(text, "{:margin$}{}", "", self.text)
        } else {
            let shown = if self.label == last { "" } else { &self.label };
            let gap = label + 2 - width(shown);
            writeln!(text, "{:margin$}{shown}{:gap$}{}", "", "", self.text)
        };
    }
}

/// Names with their sizes as an object of JSON.
#[must_use]
pub fn sizes(list: &[(String, usize)]) -> Value {
    let sizes = list.iter();
    let sizes = sizes.map(|(name, size)| (name.clone(), Value::from(*size)));
    sizes.collect::<Map<_, _>>().into()
}

impl DocumentTable {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: Vec<TableColumn>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, tone: Tone, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        let cells = cells
            .into_iter()
            .map(|cell| visible_line(&cell).into_owned());
        self.rows.push(TableRow {
            tone,
            cells: cells.collect(),
        });
    }

    /// The rows with their cells as wide as their columns, two spaces in front of each but the first. Where there is
    /// no `room` for a row, columns are left out as their ranks say, and then the widest texts are cut. The row of
    /// heads comes first, if there are heads.
    #[must_use]
    pub fn aligned(&self, room: usize) -> Vec<(Tone, Vec<String>)> {
        let heads = TableRow {
            tone: Tone::Strong,
            cells: self.columns.iter().map(|c| c.head.to_string()).collect(),
        };
        let has_heads = self.columns.iter().any(|column| !column.head.is_empty());
        let rows = has_heads.then_some(&heads).into_iter().chain(&self.rows);
        let rows: Vec<&TableRow> = rows.collect();
        let widest = |(at, column): (usize, &TableColumn)| {
            let widest = rows.iter().map(|row| width(&row.cells[at])).max();
            widest.unwrap_or(0).min(column.most.unwrap_or(usize::MAX))
        };
        let wanted: Vec<usize> = self.columns.iter().enumerate().map(widest).collect();
        let mut widths = wanted.clone();
        let shown = self.fitting(&mut widths, room);
        let cell = |row: &TableRow, place: usize, at: usize| {
            let text = match widths[at] < wanted[at] {
                true => fit(&row.cells[at], widths[at]),
                false => row.cells[at].clone(),
            };
            let gap = if place == 0 { 0 } else { 2 };
            let missing = widths[at].saturating_sub(width(&text));
            let (before, after) = match self.columns[at].is_number {
                true => (gap + missing, 0),
                false => (gap, missing),
            };
            format!("{:before$}{text}{:after$}", "", "")
        };
        let cells = |row: &TableRow| {
            let shown = shown.iter().enumerate();
            shown.map(|(place, at)| cell(row, place, *at)).collect()
        };
        rows.into_iter().map(|row| (row.tone, cells(row))).collect()
    }

    /// The columns that fit into a room, which are made narrower where leaving columns out is not enough.
    fn fitting(&self, widths: &mut [usize], room: usize) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..widths.len()).collect();
        loop {
            let taken = shown.iter().map(|at| widths[*at] + 2).sum::<usize>();
            let excess = taken.saturating_sub(room.saturating_add(2));
            if excess == 0 {
                return shown;
            }
            let ranked = shown.iter().enumerate();
            let ranked = ranked.filter_map(|(n, at)| Some((self.columns[*at].left_out?, n)));
            if let Some((_, first)) = ranked.min() {
                shown.remove(first);
                continue;
            }
            let texts = shown.iter().filter(|at| !self.columns[**at].is_number);
            match texts.max_by_key(|at| widths[**at]) {
                Some(at) if widths[*at] > 1 => widths[*at] -= 1,
                _ => return shown,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_nested_by_their_names() {
        let mut document = Document::default();
        document.fact("a.b.c", 1).fact("a.d", "x").fact("e", true);
        let wanted = json!({ "a": { "b": { "c": 1 }, "d": "x" }, "e": true });
        assert_eq!(document.json(), wanted);
    }

    #[test]
    fn labels_stand_in_a_column_and_are_not_repeated() {
        let mut document = Document::default();
        document.say(Tone::Strong, "heading");
        document.labelled(Tone::Plain, "almost", "one");
        document.labelled(Tone::Plain, "almost", "two");
        document.labelled(Tone::Plain, "so", "three");
        document.gap().deeper(1, Tone::Plain, "deeper");
        let text = "heading\nalmost  one\n        two\nso      three\n\n  deeper\n";
        assert_eq!(document.text(), text);
    }

    #[test]
    fn tables_leave_out_columns_until_they_fit() {
        let column = |head: &'static str, is_number, left_out| TableColumn {
            head: head.into(),
            is_number,
            left_out,
            most: None,
        };
        let mut table = DocumentTable {
            columns: vec![
                column("name", false, None),
                column("first", true, Some(1)),
                column("second", true, Some(0)),
            ],
            rows: Vec::new(),
        };
        table.row(Tone::Plain, vec!["a".into(), "1".into(), "2".into()]);
        let line = |room| table.aligned(room)[1].1.concat();
        assert_eq!(line(usize::MAX), "a         1       2");
        assert_eq!(line(19), "a         1       2");
        assert_eq!(line(18), "a         1");
        assert_eq!(line(3), "a  ");
    }
}
