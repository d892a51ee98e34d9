//! A page as text that fits into a mail: lines of at most 72 columns.

use super::{PageForm, PagePart, SharedPage};
use crate::columns::{width, wrap};
use crate::document::{Document, DocumentPart, DocumentTable, Paragraph, TableRow};
use crate::source::visible_line;

/// Columns of the longest line: mail that is quoted gets longer.
pub const COLUMNS: usize = 72;
/// Columns in front of the rows of a table.
const MARGIN: usize = 2;
/// Columns that a label may take.
const LABEL_MAX: usize = 16;

/// Writes a page as text.
#[must_use]
pub fn plain(page: &SharedPage) -> String {
    let mut out = PlainText::default();
    out.heading(&page.title, '=');
    out.parts(&page.parts);
    if !page.steps.is_empty() {
        out.heading("Steps", '=');
        let number = width(&page.steps.len().to_string());
        for (at, step) in page.steps.iter().enumerate() {
            let head = format!("{at:>number$}  ");
            let with = match step.with.join(", ") {
                with if with.is_empty() => with,
                with => format!("  ({with})"),
            };
            let text = visible_line(&format!("{}{with}", step.event)).into_owned();
            out.lines(MARGIN, &head, &text);
        }
        for (at, step) in page.steps.iter().enumerate() {
            out.heading(&page.step_heading(at), '-');
            out.parts(&step.parts);
        }
    }
    let end = out.0.trim_end().len();
    out.0.truncate(end);
    out.0.push('\n');
    out.0
}

#[derive(Default)]
struct PlainText(String);

impl PlainText {
    /// Begins a part that stands by itself, with an underlined heading.
    fn heading(&mut self, text: &str, line: char) {
        self.gap();
        let before = self.0.len();
        self.lines(0, "", &visible_line(text));
        let longest = self.0[before..].lines().map(width).max();
        let under: String = std::iter::repeat_n(line, longest.unwrap_or(0)).collect();
        self.line(&under);
    }

    /// An empty line, unless there is one or nothing comes before it.
    fn gap(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    /// Writes a text behind a head, in as many lines as it needs; the next lines begin below the text.
    fn lines(&mut self, margin: usize, head: &str, text: &str) {
        let begin = margin + width(head);
        if begin > COLUMNS / 2 {
            self.lines(margin.min(COLUMNS / 4), "", head.trim_end());
            return self.lines(margin.min(COLUMNS / 4) + MARGIN, "", text);
        }
        let room = COLUMNS - begin;
        for (at, line) in wrap(text, room).into_iter().enumerate() {
            let head = if at == 0 { head } else { "" };
            let gap = begin.saturating_sub(margin + width(head));
            self.line(&format!("{:margin$}{head}{:gap$}{line}", "", ""));
        }
    }

    fn parts(&mut self, parts: &[PagePart]) {
        for part in parts.iter().filter(|part| part.forms.has(PageForm::Text)) {
            self.gap();
            if !part.heading.is_empty() {
                self.lines(0, "", &format!("{}:", part.heading));
            }
            self.document(&part.document);
        }
    }

    fn document(&mut self, document: &Document) {
        let parts = document.sections.iter().flat_map(|section| &section.parts);
        let labels = parts.clone().filter_map(|part| match part {
            DocumentPart::Paragraph(paragraph) => Some(width(&paragraph.label)),
            DocumentPart::Table(_) | DocumentPart::Gap => None,
        });
        let label = labels.max().unwrap_or(0).min(LABEL_MAX);
        let mut last = "";
        for part in parts {
            match part {
                DocumentPart::Paragraph(paragraph) => {
                    self.paragraph(paragraph, label, last);
                    last = &paragraph.label;
                }
                DocumentPart::Table(table) => self.table(table),
                DocumentPart::Gap => self.gap(),
            }
        }
    }

    fn paragraph(&mut self, paragraph: &Paragraph, label: usize, last: &str) {
        let margin = (2 * paragraph.depth).min(COLUMNS / 4);
        if paragraph.label.is_empty() {
            // Some texts are indented by themselves.
            let text = paragraph.text.trim_start();
            let own = (paragraph.text.len() - text.len()).min(COLUMNS / 4);
            return self.lines(margin + own, "", text);
        }
        let shown = if paragraph.label == last {
            ""
        } else {
            &paragraph.label
        };
        let gap = (label + 2).saturating_sub(width(shown)).max(2);
        self.lines(
            margin,
            &format!("{shown}{:gap$}", ""),
            paragraph.text.trim(),
        );
    }

    /// Writes a table in columns if it fits, and otherwise each row as a text: nothing is cut.
    fn table(&mut self, table: &DocumentTable) {
        let rows: Vec<String> = table
            .aligned(usize::MAX)
            .into_iter()
            .map(|(_, cells)| cells.concat())
            .collect();
        if rows.iter().all(|row| width(row) + MARGIN <= COLUMNS) {
            for row in rows {
                self.line(&format!("{:MARGIN$}{row}", ""));
            }
            return;
        }
        for row in &table.rows {
            self.row(row, table);
        }
    }

    fn row(&mut self, row: &TableRow, table: &DocumentTable) {
        let cells = row.cells.iter().zip(&table.columns);
        let mut cells = cells.filter(|(cell, _)| !cell.is_empty());
        let Some((first, _)) = cells.next() else {
            return;
        };
        let rest: Vec<String> = cells
            .map(|(cell, column)| match &*column.head {
                "" => cell.clone(),
                head => format!("{head}: {cell}"),
            })
            .collect();
        self.lines(MARGIN, "", first);
        for text in rest {
            self.lines(2 * MARGIN, "", &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{TableColumn, Tone};
    use crate::page::PageStep;

    #[test]
    fn no_line_is_longer_than_a_mail_has_columns() {
        let long = "a_name_without_any_blank".repeat(9);
        let mut table = DocumentTable::new(vec![TableColumn::texts(None); 3]);
        table.row(
            Tone::Plain,
            vec!["P".into(), long.clone(), "b c".repeat(70)],
        );
        let mut document = Document::default();
        document.section("x").say(Tone::Strong, &long).table(table);
        document.labelled(Tone::Plain, &long, "value".repeat(40));
        document.deeper(60, Tone::Plain, "deep ".repeat(40));
        let part = PagePart {
            heading: long.clone(),
            document,
            ..PagePart::default()
        };
        let step = PageStep {
            event: long.clone(),
            with: vec![long.clone(); 3],
            parts: vec![part.clone()],
        };
        let page = SharedPage {
            title: long.clone(),
            parts: vec![part],
            steps: vec![step],
        };
        let text = plain(&page);
        for line in text.lines() {
            assert!(width(line) <= COLUMNS, "{line}");
        }
        // Broken into lines, but nothing is lost.
        let joined: String = text.split_whitespace().collect();
        assert!(joined.matches(&long).count() >= 7, "{text}");
    }
}
