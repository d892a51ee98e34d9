//! Markdown for terminals: the part of it that the pages of this program use.
//!
//! Headings, paragraphs, items of lists, tables with a row a line, and blocks of code between fences. Links become
//! their text, and a link to another page of the manual says how to ask for that page.

/// The style in which a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Characters in a line, where something can be broken.
    pub width: usize,
    /// Whether a terminal shows bold text.
    pub bold: bool,
}

/// Less is not readable.
const WIDTH_MIN: usize = 20;

/// The page as lines of text.
#[must_use]
pub fn show(text: &str, style: Style) -> String {
    let style = Style {
        width: style.width.max(WIDTH_MIN),
        ..style
    };
    let mut out = String::new();
    let mut paragraph = String::new();
    let mut table: Vec<&str> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            flush(&mut out, &mut paragraph, style);
            fenced = !fenced;
            continue;
        }
        if fenced {
            push(&mut out, if line.is_empty() { "" } else { "    " }, line);
            continue;
        }
        if line.starts_with('|') {
            flush(&mut out, &mut paragraph, style);
            table.push(line);
            continue;
        }
        write_table(&mut out, &mut table, style);
        if line.starts_with('#') {
            flush(&mut out, &mut paragraph, style);
            let title = inline(
                line.trim_start_matches(['#', ' ']),
                Style {
                    bold: false,
                    ..style
                },
            );
            push(&mut out, "", &strong(&title, style));
        } else if line.trim().is_empty() {
            flush(&mut out, &mut paragraph, style);
            push(&mut out, "", "");
        } else if line.starts_with("- ") {
            flush(&mut out, &mut paragraph, style);
            paragraph.push_str(line);
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim());
        }
    }
    write_table(&mut out, &mut table, style);
    flush(&mut out, &mut paragraph, style);
    out
}

fn push(out: &mut String, indent: &str, line: &str) {
    out.push_str(indent);
    out.push_str(line.trim_end());
    out.push('\n');
}

fn strong(text: &str, style: Style) -> String {
    match style.bold {
        true => format!("\u{1b}[1m{text}\u{1b}[0m"),
        false => text.to_owned(),
    }
}

/// Ends a paragraph or an item of a list.
fn flush(out: &mut String, paragraph: &mut String, style: Style) {
    let text = std::mem::take(paragraph);
    if text.is_empty() {
        return;
    }
    let text = links_told(&text);
    let hang = if text.starts_with("- ") { "  " } else { "" };
    for (n, line) in wrapped(&text, style.width - hang.len()).iter().enumerate() {
        push(out, if n == 0 { "" } else { hang }, &inline(line, style));
    }
}

/// The paragraph in lines of at most `width` characters; the text of a link is not broken from its target.
fn wrapped(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
        let wide = word.chars().count();
        if used > 0 && used + 1 + wide > width {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
        }
        used += wide;
    }
    lines
}

/// The text with each link as its words; one to a page of the manual tells how that is asked for.
fn links_told(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let whole = after.split_once("](").and_then(|(words, tail)| {
            let (target, tail) = tail.split_once(')')?;
            (!words.contains(['[', ']'])).then_some((words, target, tail))
        });
        // A bracket between backticks is CSPm.
        let quoted = (out.matches('`').count() + before.matches('`').count()) % 2 == 1;
        out.push_str(before);
        match whole.filter(|_| !quoted) {
            Some((words, target, tail)) => {
                // A picture is named.
                if out.ends_with('!') {
                    out.pop();
                    out.push_str("Picture: ");
                }
                out.push_str(words);
                let page = target
                    .strip_suffix(".md")
                    .filter(|page| !page.contains('/'));
                if let Some(page) = page {
                    out.push_str(&format!(" (`help {page}`)"));
                }
                rest = tail;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

/// A line with its marks of emphasis taken out, or in bold.
fn inline(line: &str, style: Style) -> String {
    let mut out = String::new();
    for (n, piece) in line.split("**").enumerate() {
        let plain = piece.replace(" *", " ").replace("* ", " ");
        // What stands between backticks is taken as it is.
        let piece = if piece.contains('`') { piece } else { &plain };
        if n % 2 == 1 {
            out.push_str(&strong(piece, style));
        } else {
            out.push_str(piece);
        }
    }
    out
}

/// Writes the table that was read, each column as wide as it has to be: the last one gets what is left of a line,
/// and goes on below itself.
fn write_table(out: &mut String, table: &mut Vec<&str>, style: Style) {
    let rows: Vec<Vec<String>> = std::mem::take(table)
        .into_iter()
        // The line below the heading has dashes and colons only.
        .filter(|row| row.contains(|c: char| !matches!(c, '|' | '-' | ':' | ' ')))
        .map(cells)
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return;
    }
    let widest = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column));
        widths.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let before: usize = widths[..columns - 1].iter().map(|w| w + 2).sum();
    // Where the first columns take the line, each cell but the first goes below.
    let below = before + WIDTH_MIN > style.width;
    for (n, row) in rows.iter().enumerate() {
        match below {
            true => write_stacked(out, row, style),
            false => write_row(out, row, &widths, style, n == 0),
        }
    }
}

/// A row as a list of its cells.
fn write_stacked(out: &mut String, row: &[String], style: Style) {
    for (n, cell) in row.iter().enumerate() {
        let indent = if n == 0 { "" } else { "    " };
        for line in wrapped(cell, style.width - indent.len()) {
            push(out, indent, &inline(&line, style));
        }
    }
}

fn write_row(out: &mut String, row: &[String], widths: &[usize], style: Style, is_heading: bool) {
    let mut start = String::new();
    for (cell, width) in row.iter().zip(widths).take(widths.len() - 1) {
        let blanks = width.saturating_sub(cell.chars().count()) + 2;
        start.push_str(cell);
        start.push_str(&" ".repeat(blanks));
    }
    let last = row.get(widths.len() - 1).map_or("", String::as_str);
    let indent = start.chars().count();
    for (n, line) in wrapped(last, style.width - indent).iter().enumerate() {
        let before = match n {
            0 => start.clone(),
            _ => " ".repeat(indent),
        };
        let line = format!("{before}{}", inline(line, style));
        let heading = strong(line.trim_end(), style);
        push(out, "", if is_heading { &heading } else { &line });
    }
}

/// The cells of a row; `\|` is a bar inside of one.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner
        .strip_suffix('|')
        .unwrap_or(inner)
        .replace("\\|", "\u{0}");
    let cells = inner
        .split('|')
        .map(|cell| cell.trim().replace('\u{0}', "|"));
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A title

One *two* **three** four five six seven eight nine ten [the page](symmetry.md), [race](race.md) and
`Spec(<>) [T= System`.

- an item that is long enough for two lines
- another

| key | what it does |
| --- | --- |
| `u`, `U` | back, and forward again, as often as there are steps |

```console
$ orbitscope   help
a   b
```
";

    #[test]
    fn pages_fit_the_width() {
        let style = Style {
            width: 40,
            bold: false,
        };
        let shown = show(PAGE, style);
        insta::assert_snapshot!(shown);
        let long = shown.lines().filter(|line| line.chars().count() > 40);
        assert_eq!(long.count(), 0);
        let picture = show("![a view](../views/view.svg)", style);
        assert_eq!(picture.trim(), "Picture: a view");
        let bold = show(
            PAGE,
            Style {
                bold: true,
                ..style
            },
        );
        assert!(bold.contains("\u{1b}[1mA title\u{1b}[0m"));
    }
}
