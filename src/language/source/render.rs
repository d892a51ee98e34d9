//! Drawing diagnostics: the only place that knows how they look.
//!
//! `annotate-snippets` draws; here the source is prepared for it. Only the lines that matter are
//! handed over, tabs become blanks, control characters become visible, and of very long lines only
//! the neighbourhood of the marked places is kept. Line and column in the heading are the real ones.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use super::diagnostic::is_context;
use super::visible::{push_visible, visible, visible_line};
use super::{Diagnostic, FileId, Severity, SourceMap, Span, codes};

/// Lines longer than this are cut.
const LINE_MAX: usize = 300;
/// Characters kept on each side of a marked place in a line that is cut.
const AROUND: usize = 60;
/// A marked place that covers more lines is drawn as its first line.
const LINES_MAX: usize = 6;
/// Places further apart than this are drawn as snippets of their own.
const GAP_MAX: usize = 40;

/// One diagnostic as text, with a newline at the end.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // Everything that comes from a script or a file name is made harmless before it is drawn.
    let message = visible(&diagnostic.message);
    let mut group: Group<'_> = level
        .primary_title(message)
        .id(diagnostic.code)
        .elements(std::iter::empty::<Origin<'_>>());
    for block in blocks(diagnostic, sources) {
        group = group.element(block.origin).element(block.snippet);
    }
    for note in &diagnostic.notes {
        let level = if is_context(note) {
            Level::NOTE
        } else {
            Level::HELP
        };
        group = group.element(level.message(visible(note)));
    }
    for (name, span) in &diagnostic.trace {
        let text = format!("in {} at {}", visible_line(name), place(sources, *span));
        group = group.element(Level::NOTE.message(text));
    }
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    // A heading of our own makes the renderer announce another snippet of an unnamed file.
    let mut text = String::new();
    for line in renderer.render(&[group]).lines() {
        if without_colour(line).trim() != ":::" {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// The line without escape sequences, which are all of the form `ESC [ … m` here.
fn without_colour(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}

/// More are not read by anybody.
const SHOWN_MAX: usize = 500;

/// Whether a diagnostic is about types: often a consequence of an error in a name.
fn is_about_types(d: &Diagnostic) -> bool {
    codes::is_about_types(d.code)
}

/// Whether a diagnostic is about an undefined name.
fn is_about_a_name(d: &Diagnostic) -> bool {
    d.severity == Severity::Error && codes::is_about_names(d.code)
}

/// All of them in the order of their places, with an empty line between them; of very many only the
/// first, errors before warnings. Where names are not known, what is wrong with types comes last.
#[must_use]
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, colour: bool) -> String {
    // A name that is not known has no type, which leads to errors about types.
    let names = diagnostics.iter().any(is_about_a_name);
    let place = |d: &&Diagnostic| {
        let last = names && is_about_types(d);
        (last, d.span.map(|s| (s.file, s.start, s.end)))
    };
    let mut shown: Vec<&Diagnostic> = diagnostics.iter().collect();
    if shown.len() > SHOWN_MAX {
        // First by weight, to decide what is shown; then by place, for the order in which it is
        // shown.
        shown.sort_by_key(|d| (std::cmp::Reverse(d.severity), place(d)));
        shown.truncate(SHOWN_MAX);
    }
    shown.sort_by_key(place);
    let mut texts: Vec<String> = shown.iter().map(|d| render(d, sources, colour)).collect();
    if shown.len() < diagnostics.len() {
        texts.push(format!("… and {} more\n", diagnostics.len() - shown.len()));
    }
    texts.join("\n")
}

/// A diagnostic for other programs.
#[must_use]
pub fn to_json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|l| json!({ "place": json_place(sources, l.span), "text": l.text }))
        .collect();
    let trace: Vec<Value> = diagnostic
        .trace
        .iter()
        .map(|(name, span)| json!({ "name": name, "place": json_place(sources, *span) }))
        .collect();
    json!({
        "severity": severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "place": diagnostic.span.map(|s| json_place(sources, s)),
        "label": diagnostic.label,
        "labels": labels,
        "notes": diagnostic.notes,
        "trace": trace,
    })
}

fn json_place(sources: &SourceMap, span: Span) -> Value {
    let Some(file) = sources.files().get(span.file.0 as usize) else {
        return Value::Null;
    };
    let start = sources.line_col(span);
    let end = sources.line_col(Span {
        start: span.end,
        ..span
    });
    json!({
        "file": file.path.display().to_string(),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "start": span.start,
        "end": span.end,
    })
}

fn place(sources: &SourceMap, span: Span) -> String {
    if sources.files().get(span.file.0 as usize).is_some() {
        visible_line(&sources.place(span)).into_owned()
    } else {
        String::from("an unknown place")
    }
}

/// A marked place: the bytes, the words, and whether it is the one that the message is about.
struct MarkedPlace<'a> {
    span: Span,
    text: &'a str,
    primary: bool,
}

/// A heading and the lines under it.
struct Block<'a> {
    origin: Origin<'a>,
    snippet: Snippet<'a, annotate_snippets::Annotation<'a>>,
}

fn blocks<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Vec<Block<'a>> {
    let primary = diagnostic.span.map(|span| MarkedPlace {
        span,
        text: &diagnostic.label,
        primary: true,
    });
    let others = diagnostic.labels.iter().map(|l| MarkedPlace {
        span: l.span,
        text: &l.text,
        primary: false,
    });
    let mut marks: Vec<MarkedPlace<'a>> = primary
        .into_iter()
        .chain(others)
        .filter(|m| (m.span.file.0 as usize) < sources.files().len())
        .collect();
    // The block with the primary place comes first; in it, the lines are in order.
    // Each round takes at least the first mark away. The primary one is first, so its block is.
    let mut blocks = Vec::new();
    while !marks.is_empty() {
        let (here, rest) = neighbours(marks, sources);
        blocks.push(block(&here, sources));
        marks = rest;
    }
    blocks
}

/// The marks that are drawn together with the first one, and the others.
fn neighbours<'a>(
    marks: Vec<MarkedPlace<'a>>,
    sources: &SourceMap,
) -> (Vec<MarkedPlace<'a>>, Vec<MarkedPlace<'a>>) {
    let Some(first) = marks.first() else {
        return (marks, Vec::new());
    };
    // Around the first mark only, not in chains: a block of marks each near the next could be of
    // any length.
    let (file, line) = (first.span.file, line_of(sources, first.span));
    marks
        .into_iter()
        .partition(|m| m.span.file == file && line_of(sources, m.span).abs_diff(line) <= GAP_MAX)
}

fn line_of(sources: &SourceMap, span: Span) -> usize {
    sources.line_col(span).line as usize
}

fn block<'a>(marks: &[MarkedPlace<'a>], sources: &SourceMap) -> Block<'a> {
    let file = marks.first().map_or(FileId(0), |m| m.span.file);
    let source = sources.file(file);
    let text: &str = &source.text;
    let ranges: Vec<(usize, usize)> = marks.iter().map(|m| range(text, m.span)).collect();
    let from = ranges.iter().map(|r| r.0).min().unwrap_or(0);
    let to = ranges.iter().map(|r| r.1).max().unwrap_or(0);
    // Whole lines, and only those between the first and the last mark: the file may be large.
    let from = text[..from].rfind('\n').map_or(0, |n| n + 1);
    let to = text[to..].find('\n').map_or(text.len(), |n| to + n);
    let window = Window::new(text, from, to, &ranges);

    // The heading names the primary place, or the first one in a block that has none.
    let main = marks.iter().find(|m| m.primary).or(marks.first());
    let at = main.map(|m| sources.line_col(m.span));
    let mut origin = Origin::path(visible_line(&source.path.display().to_string()).into_owned());
    if let Some(at) = at {
        origin = origin
            .line(at.line as usize)
            .char_column(at.column as usize);
    }
    let start = Span {
        file,
        start: from as u32,
        end: from as u32,
    };
    // The number of the first line that is handed over: the renderer counts on from there.
    let line = sources.line_col(start).line as usize;
    let annotations: Vec<_> = marks
        .iter()
        .zip(&ranges)
        .map(|(mark, (start, end))| {
            let kind = if mark.primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let label = (!mark.text.is_empty()).then(|| visible(mark.text));
            // Marks are moved with the text: tabs, escapes and cuts have changed the offsets.
            kind.span(window.at(*start)..window.at(*end)).label(label)
        })
        .collect();
    Block {
        origin,
        snippet: Snippet::source(window.text)
            .line_start(line)
            .annotations(annotations),
    }
}

/// The bytes to underline: on character boundaries, inside the text, not too many lines.
fn range(text: &str, span: Span) -> (usize, usize) {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(span.start as usize);
    let mut end = boundary(span.end as usize).max(start);
    let lines = text[start..end].bytes().filter(|b| *b == b'\n').count();
    if lines >= LINES_MAX {
        // The first line only: a mark over hundreds of lines shows nothing.
        end = text[start..].find('\n').map_or(end, |n| start + n);
    }
    // A mark at a line end must not reach into the next line.
    while end > start + 1 && text[start..end].ends_with('\n') {
        end -= 1;
    }
    (start, end)
}

/// The byte at which a line is shown again after an omitted part: at a place, or at its end. The omitted part is not
/// read, since hundreds of messages can be about one line of a million characters.
fn resumed(line: &str, place: Option<usize>) -> usize {
    // Before the newline, which is never left out.
    let end = line.len() - usize::from(line.ends_with('\n'));
    let mut at = place.map_or(end, |p| p.min(end));
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Prepared source text and where its bytes came from.
struct Window {
    text: String,
    /// Offsets in the file and in `text`, ascending.
    map: Vec<(usize, usize)>,
}

impl Window {
    fn new(source: &str, from: usize, to: usize, marks: &[(usize, usize)]) -> Self {
        let mut this = Self {
            text: String::new(),
            map: Vec::new(),
        };
        let mut start = from;
        for line in source[from..to].split_inclusive('\n') {
            this.line(line, start, marks);
            start += line.len();
        }
        // A mark may end where the last line does.
        this.map.push((to, this.text.len()));
        this
    }

    fn line(&mut self, line: &str, start: usize, marks: &[(usize, usize)]) {
        let long = line.len() > LINE_MAX;
        // The ends of marks count by themselves: of a long mark the middle is left out.
        let points: Vec<usize> = marks.iter().flat_map(|(s, e)| [*s, *e]).collect();
        let near = |at: usize| {
            // The beginning is kept as well: it says whose definition the line is.
            !long || at < start + AROUND || points.iter().any(|p| at.abs_diff(*p) <= AROUND)
        };
        let mut left_out = false;
        let mut i = 0;
        while let Some(c) = line[i..].chars().next() {
            let at = start + i;
            i += c.len_utf8();
            if c != '\n' && !near(at) {
                if !left_out {
                    self.map.push((at, self.text.len()));
                    self.text.push('…');
                }
                left_out = true;
                let starts = points.iter().map(|p| p.saturating_sub(AROUND));
                let next = starts.filter(|p| *p > at).min();
                // Jumps, but never back: what is left out is not read character by character.
                i = i.max(resumed(line, next.map(|p| p - start)));
                continue;
            }
            left_out = false;
            self.map.push((at, self.text.len()));
            match c {
                '\n' => self.text.push('\n'),
                '\t' => self.text.push_str("    "),
                // Part of a line end; drawn, it would be an escape.
                '\r' => {}
                c => push_visible(&mut self.text, c),
            }
        }
    }

    /// The place in the prepared text of a byte of the file.
    fn at(&self, offset: usize) -> usize {
        // The first entry at or behind the offset: an offset inside a part that is left out leads
        // to where the text goes on.
        let n = self.map.partition_point(|(from, _)| *from < offset);
        self.map.get(n).map_or(self.text.len(), |(_, to)| *to)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn show(text: &str, start: u32, end: u32) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add(Path::new("a.csp"), text);
        let span = Span { file, start, end };
        let diagnostic = Diagnostic::error("E0000", span, "it is wrong")
            .label("this")
            .note("make it right");
        render(&diagnostic, &sources, false)
    }

    #[test]
    fn plain() {
        insta::assert_snapshot!(show("P = STOP\nQ = a -> b\n", 13, 14), @r"
        error[E0000]: it is wrong
         --> a.csp:2:5
          |
        2 | Q = a -> b
          |     ^ this
          |
          = help: make it right
        ");
    }

    #[test]
    fn tabs_and_control_characters() {
        insta::assert_snapshot!(show("\tP =\t\u{1b}[31mSTOP x\n", 15, 16), @r"
        error[E0000]: it is wrong
         --> a.csp:1:16
          |
        1 |     P =    \u{1b}[31mSTOP x
          |                           ^ this
          |
          = help: make it right
        ");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_drawn() {
        let evil = "x\u{1b}[2K\u{7}\u{9b}1G\u{202e}\r";
        let mut sources = SourceMap::default();
        let name = format!("{evil}\nno errors");
        let file = sources.add(Path::new(&name), format!("{evil} y"));
        let span = Span {
            file,
            start: 0,
            end: 1,
        };
        let mut diagnostic = Diagnostic::error("E0000", span, evil)
            .label(evil)
            .note(evil);
        diagnostic.trace.push((format!("P\n{evil}"), span));
        let text = render(&diagnostic, &sources, false);
        let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{text:?}");
        assert!(!text.lines().any(|l| l.starts_with("no errors")), "{text}");
        assert!(
            text.contains("\\u{1b}[2K\\u{7}\\u{9b}1G\\u{202e}"),
            "{text}"
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("P = {}x{}", "a -> ".repeat(1000), " -> b".repeat(1000));
        insta::assert_snapshot!(show(&text, 5004, 5005), @r"
        error[E0000]: it is wrong
         --> a.csp:1:5005
          |
        1 | P = a -> a -> a -> a -> a -> a -> a -> a -> a -> a -> a -> a…a -> a -> a -> a -> a -> a -> a -> a -> a -> a -> a -> a -> x -> b -> b ...
          |                                                                                                                          ^ this
          |
          = help: make it right
        ");
    }

    #[test]
    fn places_beyond_the_text_do_not_matter() {
        assert!(show("é", 1, 900).contains("it is wrong"));
        assert!(show("", 0, 0).contains("it is wrong"));
        assert!(show("P\n", 2, 2).contains("it is wrong"));
    }

    #[test]
    fn two_files_and_a_trace() {
        let mut sources = SourceMap::default();
        let a = sources.add(Path::new("a.csp"), "P = Q\n");
        let b = sources.add(Path::new("b.csp"), "\nQ = P\n");
        let span = |file, start, end| Span { file, start, end };
        let mut diagnostic =
            Diagnostic::warning("E0001", span(a, 4, 5), "a circle").also(span(b, 5, 6), "and back");
        diagnostic.trace.push((String::from("Q"), span(b, 1, 2)));
        insta::assert_snapshot!(render(&diagnostic, &sources, false), @r"
        warning[E0001]: a circle
         --> a.csp:1:5
          |
        1 | P = Q
          |     ^
         ::: b.csp:2:5
          |
        2 | Q = P
          |     - and back
          |
          = note: in Q at b.csp:2:1
        ");
        assert!(render(&diagnostic, &sources, true).contains('\u{1b}'));
        assert_eq!(
            to_json(&diagnostic, &sources)["labels"][0]["place"]["line"],
            2
        );
    }

    #[test]
    fn nowhere_and_order() {
        let mut sources = SourceMap::default();
        let a = sources.add(Path::new("a.csp"), "P = Q\n");
        let at = |start| Span {
            file: a,
            start,
            end: start + 1,
        };
        let all = [
            Diagnostic::error("E0003", at(4), "third"),
            Diagnostic::error("E0002", at(0), "second"),
            Diagnostic::nowhere("E0001", "first"),
        ];
        let text = render_all(&all, &sources, false);
        let place = |word: &str| text.find(word);
        assert!(place("first") < place("second") && place("second") < place("third"));
    }
}
