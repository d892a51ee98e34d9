//! Diagnostics as editors take them: positions from 0 in UTF-16 units, files as URIs. This is the form
//! of the Language Server Protocol.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::diagnostic::is_context;
use super::{Diagnostic, FileId, Severity, SourceFile, SourceMap, Span};

/// A line and a distance from its start in UTF-16 units, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The UTF-16 units before the place in its line.
    pub character: u32,
}

/// Where a byte of a file stands.
#[must_use]
pub fn position(file: &SourceFile, offset: u32) -> Position {
    let offset = (offset as usize).min(file.text.len());
    // Never below 0: the first line starts at 0.
    let line = file.line_starts.partition_point(|s| *s as usize <= offset) - 1;
    let from = file.line_starts[line] as usize;
    // An offset in the middle of a character gives no text and so the start of the line; spans are
    // not made so.
    let units = file
        .text
        .get(from..offset)
        .map_or(0, |s| s.encode_utf16().count());
    Position {
        line: line as u32,
        character: units as u32,
    }
}

/// The byte that a position stands for; the end of the line if it has fewer units.
#[must_use]
pub fn offset(file: &SourceFile, at: Position) -> u32 {
    let Some(start) = file.line_starts.get(at.line as usize) else {
        return file.text.len() as u32;
    };
    let rest = &file.text[*start as usize..];
    // The newline is not part of the line: no position leads behind it.
    let line = rest.split('\n').next().unwrap_or_default();
    let mut units = 0;
    let mut bytes = 0;
    for c in line.chars() {
        // `>=`: a position between the two units of one character is taken for the place after it.
        if units >= at.character {
            break;
        }
        units += c.len_utf16() as u32;
        bytes += c.len_utf8() as u32;
    }
    start + bytes
}

/// A range of a file.
#[must_use]
pub fn range(sources: &SourceMap, span: Span) -> Value {
    let Some(file) = sources.files().get(span.file.0 as usize) else {
        return json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    };
    let (start, end) = (position(file, span.start), position(file, span.end));
    json!({
        "start": { "line": start.line, "character": start.character },
        "end": { "line": end.line, "character": end.character },
    })
}

/// The URI of a file.
#[must_use]
pub fn file_uri(sources: &SourceMap, file: FileId) -> String {
    sources
        .files()
        .get(file.0 as usize)
        .map_or_else(String::new, |f| uri(&f.path))
}

/// The `file:` URI of a path, which is made absolute.
#[must_use]
pub fn uri(path: &Path) -> String {
    // Without looking at the disk: links stay as the editor knows them.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = String::from("file://");
    let shown = absolute.to_string_lossy().replace('\\', "/");
    // `C:/…`, which stands behind a slash in a URI.
    if !shown.starts_with('/') {
        out.push('/');
    }
    for byte in shown.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The path of a `file:` URI.
#[must_use]
pub fn local_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut at = rest.bytes();
    while let Some(byte) = at.next() {
        if byte == b'%' {
            // Bytes, not characters: one character may take several escapes.
            let hex = [at.next()?, at.next()?];
            let text = std::str::from_utf8(&hex).ok()?;
            bytes.push(u8::from_str_radix(text, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/scripts/a.csp`
    let drive = text.len() > 3 && text.as_bytes()[2] == b':';
    Some(PathBuf::from(if drive { &text[1..] } else { &text }))
}

/// A diagnostic in the form of the protocol; what has no place stands at the start of the main file.
#[must_use]
pub fn diagnostic(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    // The protocol knows no diagnostics without a place.
    let span = diagnostic.span.unwrap_or(Span {
        file: FileId(0),
        start: 0,
        end: 0,
    });
    let location =
        |span: Span| json!({ "uri": file_uri(sources, span.file), "range": range(sources, span) });
    let labels = diagnostic
        .labels
        .iter()
        .map(|l| json!({ "location": location(l.span), "message": l.text }));
    let trace = diagnostic.trace.iter().map(
        |(name, span)| json!({ "location": location(*span), "message": format!("in {name}") }),
    );
    json!({
        "range": range(sources, span),
        "severity": match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
        },
        "code": diagnostic.code,
        "source": "orbitscope",
        "message": message(diagnostic),
        "relatedInformation": labels.chain(trace).collect::<Vec<_>>(),
    })
}

/// All that a diagnostic says in words, a line each.
fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    if !diagnostic.label.is_empty() {
        let _ = write!(text, "\n{}", diagnostic.label);
    }
    for note in &diagnostic.notes {
        let kind = if is_context(note) { "note" } else { "help" };
        let _ = write!(text, "\n{kind}: {note}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &str) -> SourceMap {
        let mut sources = SourceMap::default();
        sources.add(Path::new("a.csp"), text);
        sources
    }

    #[test]
    fn positions_count_utf16_units() {
        let sources = sources("x\n-- 𝔸é\nP = STOP");
        let file = sources.file(FileId(0));
        for at in [0, 1, 2, 5, 9, 11, 12, 20] {
            let there = position(file, at);
            assert_eq!(offset(file, there), at, "{there:?}");
        }
        let after = Position {
            line: 1,
            character: 6,
        };
        assert_eq!(position(file, 11), after);
        assert_eq!(
            offset(
                file,
                Position {
                    line: 9,
                    character: 0
                }
            ),
            20
        );
        assert_eq!(
            offset(
                file,
                Position {
                    line: 0,
                    character: 99
                }
            ),
            1
        );
    }

    #[test]
    fn uris_lead_back() {
        for name in ["/a/b c.csp", "/ü/100%.csp", "/plain.csp"] {
            let path = Path::new(name);
            assert_eq!(local_path(&uri(path)).as_deref(), Some(path), "{name}");
        }
        assert_eq!(uri(Path::new("/b c")), "file:///b%20c");
        assert_eq!(local_path("untitled:1"), None);
        assert_eq!(local_path("file:///%zz"), None);
    }

    #[test]
    fn a_diagnostic_has_everything() {
        let sources = sources("P = Q\nQ = P\n");
        let span = |start, end| Span {
            file: FileId(0),
            start,
            end,
        };
        let mut d = Diagnostic::error("E0001", span(4, 5), "a circle")
            .label("here")
            .also(span(6, 7), "and back")
            .note("break it");
        d.trace.push(("Q".to_owned(), span(10, 11)));
        let shown = diagnostic(&d, &sources);
        assert_eq!(shown["message"], "a circle\nhere\nhelp: break it");
        assert_eq!(shown["range"]["end"]["character"], 5);
        assert_eq!(
            shown["relatedInformation"][0]["location"]["range"]["start"]["line"],
            1
        );
        assert_eq!(shown["relatedInformation"][1]["message"], "in Q");
    }
}
