//! Documents as HTML: paragraphs, lists of facts, and tables with heads.

use std::fmt::Write;

use crate::document::{Document, DocumentPart, DocumentTable, Paragraph, TableRow, Tone};
use crate::graph::xml::XmlText;

/// Columns beyond which a table is one that scrolls sideways by itself.
const COLUMNS_MAX: usize = 6;

/// Writes the sections of a document, which is the part of a page with this heading.
pub(super) fn document(document: &Document, heading: &str, out: &mut String) {
    let parts: Vec<&DocumentPart> = document
        .sections
        .iter()
        .flat_map(|section| &section.parts)
        .collect();
    for run in parts.chunk_by(|a, b| kind(a) == kind(b)) {
        let paragraphs = run.iter().filter_map(|part| match part {
            DocumentPart::Paragraph(paragraph) => Some(paragraph),
            DocumentPart::Table(_) | DocumentPart::Gap => None,
        });
        match run.first().map(|part| kind(part)) {
            Some(PartKind::Facts) => facts(paragraphs, out),
            Some(PartKind::Items) => items(paragraphs, out),
            Some(PartKind::Text) => paragraphs.for_each(|p| text(p, out)),
            Some(PartKind::Other) | None => {}
        }
        for part in run {
            if let DocumentPart::Table(table) = part {
                scrolled(table, heading, out);
            }
        }
    }
}

/// What neighbouring parts have to share to be written as one element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Facts,
    Items,
    Text,
    Other,
}

fn kind(part: &DocumentPart) -> PartKind {
    match part {
        DocumentPart::Paragraph(p) if !p.label.is_empty() => PartKind::Facts,
        DocumentPart::Paragraph(p) if indent(p) > 0 => PartKind::Items,
        DocumentPart::Paragraph(_) => PartKind::Text,
        DocumentPart::Table(_) | DocumentPart::Gap => PartKind::Other,
    }
}

/// Levels by which a paragraph is indented; some texts begin with blanks instead.
fn indent(paragraph: &Paragraph) -> usize {
    paragraph.depth + usize::from(paragraph.text.starts_with(' '))
}

/// The class of a tone.
pub(super) fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Orbit(_) => "plain",
        Tone::Strong => "strong",
        Tone::Dim => "dim",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Open => "open",
        Tone::Changed => "changed",
    }
}

fn text(paragraph: &Paragraph, out: &mut String) {
    let (class, text) = (class(paragraph.tone), XmlText(paragraph.text.trim()));
    let _ = writeln!(out, "<p class=\"{class}\">{text}</p>");
}

fn items<'a>(paragraphs: impl Iterator<Item = &'a Paragraph>, out: &mut String) {
    out.push_str("<ul>\n");
    for paragraph in paragraphs {
        let (class, text) = (class(paragraph.tone), XmlText(paragraph.text.trim()));
        let depth = indent(paragraph).min(6);
        let _ = writeln!(out, "<li class=\"{class} depth{depth}\">{text}</li>");
    }
    out.push_str("</ul>\n");
}

/// Labels with their texts; a label that is the one before is not repeated.
fn facts<'a>(paragraphs: impl Iterator<Item = &'a Paragraph>, out: &mut String) {
    out.push_str("<dl>\n");
    let mut last = "";
    for paragraph in paragraphs {
        if paragraph.label != last {
            let label = XmlText(&paragraph.label);
            let _ = writeln!(out, "<dt>{label}</dt>");
        }
        last = &paragraph.label;
        let (class, text) = (class(paragraph.tone), XmlText(&paragraph.text));
        let _ = writeln!(out, "<dd class=\"{class}\">{text}</dd>");
    }
    out.push_str("</dl>\n");
}

/// Writes a table; one of many columns in a frame that keys can scroll.
fn scrolled(table: &DocumentTable, heading: &str, out: &mut String) {
    if table.columns.len() <= COLUMNS_MAX {
        return write_table(table, out);
    }
    let heading = XmlText(heading);
    let _ = writeln!(
        out,
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Table: {heading}\">"
    );
    write_table(table, out);
    out.push_str("</div>\n");
}

/// Writes a table. The first cell of a row names it; a strong row with nothing but its first cell begins a group.
fn write_table(table: &DocumentTable, out: &mut String) {
    if table.rows.is_empty() {
        return;
    }
    out.push_str("<table>\n");
    if table.columns.iter().any(|column| !column.head.is_empty()) {
        out.push_str("<thead><tr>");
        for column in &table.columns {
            let _ = match &*column.head {
                "" => write!(out, "<td></td>"),
                head => write!(out, "<th scope=\"col\">{}</th>", XmlText(head)),
            };
        }
        out.push_str("</tr></thead>\n");
    }
    out.push_str("<tbody>\n");
    for (at, row) in table.rows.iter().enumerate() {
        if is_group(row) {
            if at > 0 {
                out.push_str("</tbody>\n<tbody>\n");
            }
            let (columns, head) = (table.columns.len(), XmlText(&row.cells[0]));
            let _ = writeln!(
                out,
                "<tr><th scope=\"rowgroup\" colspan=\"{columns}\">{head}</th></tr>"
            );
        } else {
            write_row(table, row, out);
        }
    }
    out.push_str("</tbody>\n</table>\n");
}

fn is_group(row: &TableRow) -> bool {
    let mut cells = row.cells.iter();
    let named = cells.next().is_some_and(|first| !first.is_empty());
    row.tone == Tone::Strong && named && row.cells.len() > 1 && cells.all(String::is_empty)
}

fn write_row(table: &DocumentTable, row: &TableRow, out: &mut String) {
    let _ = write!(out, "<tr class=\"{}\">", class(row.tone));
    let mut is_named = false;
    for (cell, column) in row.cells.iter().zip(&table.columns) {
        let number = if column.is_number {
            " class=\"number\""
        } else {
            ""
        };
        let text = XmlText(cell.trim());
        let _ = if !is_named && !cell.trim().is_empty() {
            is_named = true;
            write!(out, "<th scope=\"row\"{number}>{text}</th>")
        } else {
            write!(out, "<td{number}>{text}</td>")
        };
    }
    out.push_str("</tr>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TableColumn;

    #[test]
    fn documents_keep_their_meaning_and_escape_what_they_quote() {
        let mut table =
            DocumentTable::new(vec![TableColumn::headed("who"), TableColumn::headed("<b>")]);
        table.row(Tone::Strong, vec!["Node".into(), String::new()]);
        table.row(Tone::Changed, vec!["[N0]".into(), "\"&'".into()]);
        let mut told = Document::default();
        told.say(Tone::Strong, "<script>");
        told.labelled(Tone::Plain, "pi", "one");
        told.labelled(Tone::Bad, "pi", "two");
        told.deeper(2, Tone::Dim, "below").table(table);
        let mut out = String::new();
        document(&told, "", &mut out);
        assert_eq!(
            out,
            "<p class=\"strong\">&lt;script&gt;</p>\n\
             <dl>\n<dt>pi</dt>\n<dd class=\"plain\">one</dd>\n<dd class=\"bad\">two</dd>\n</dl>\n\
             <ul>\n<li class=\"dim depth2\">below</li>\n</ul>\n\
             <table>\n<thead><tr><th scope=\"col\">who</th><th scope=\"col\">&lt;b&gt;</th></tr></thead>\n\
             <tbody>\n<tr><th scope=\"rowgroup\" colspan=\"2\">Node</th></tr>\n\
             <tr class=\"changed\"><th scope=\"row\">[N0]</th><td>&quot;&amp;&apos;</td></tr>\n\
             </tbody>\n</table>\n"
        );
    }
}
