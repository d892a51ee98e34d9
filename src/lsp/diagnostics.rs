//! Places and diagnostics in the types of the protocol.

use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
    Uri,
};

use crate::source::positions::{Ruler, Units};
use crate::source::{Diagnostic, FileId, Severity, SourceMap, Span};

/// The two ends of a span of the file that is measured.
pub(super) fn range_by(ruler: &mut Ruler<'_>, span: Span) -> Range {
    let mut position = |offset| {
        let at = ruler.position(offset);
        Position::new(at.line, at.character)
    };
    Range::new(position(span.start), position(span.end))
}

/// The byte of a text that stands at a position; beyond the end of a line, the end of the line.
pub(super) fn offset(text: &str, at: Position, units: Units) -> usize {
    let mut start = 0;
    for _ in 0..at.line {
        match text[start..].find('\n') {
            Some(n) => start += n + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].split('\n').next().unwrap_or_default();
    // A position behind the end of a line is its end, before both characters of the line end.
    let line = line.strip_suffix('\r').unwrap_or(line);
    start + units.byte(line, at.character as usize)
}

/// A range of a file.
#[must_use]
pub fn range(sources: &SourceMap, span: Span, units: Units) -> Range {
    let file = sources.files().get(usize::from(span.file.0));
    file.map_or_else(Range::default, |file| {
        range_by(&mut Ruler::new(file, units), span)
    })
}

/// A diagnostic with the places that belong to it, whose files are named by `uri`; without a place it is at the
/// start of the main file.
#[must_use]
pub fn diagnostic(
    diagnostic: &Diagnostic,
    sources: &SourceMap,
    units: Units,
    uri: impl Fn(FileId) -> Option<Uri>,
) -> lsp_types::Diagnostic {
    let place = |span: Span| Some(Location::new(uri(span.file)?, range(sources, span, units)));
    let labels = diagnostic.labels.iter().map(|l| (l.span, l.text.clone()));
    let trace = diagnostic.trace.iter();
    let related = labels.chain(trace.map(|(name, span)| (*span, format!("in {name}"))));
    let related = related.filter_map(|(span, message)| {
        let location = place(span)?;
        Some(DiagnosticRelatedInformation { location, message })
    });
    lsp_types::Diagnostic {
        // The protocol knows no diagnostics without a place.
        range: diagnostic
            .span
            .map_or_else(Range::default, |span| range(sources, span, units)),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        source: Some("orbitscope".to_owned()),
        message: diagnostic.full_text(),
        related_information: Some(related.collect()),
        ..lsp_types::Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_diagnostic_has_everything() {
        let mut sources = SourceMap::default();
        sources.add(Path::new("a.csp"), "P = Q\nQ = P\n");
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
        let shown = diagnostic(&d, &sources, Units::Utf16, |_| "file:///a.csp".parse().ok());
        assert_eq!(shown.message, "a circle\nhere\nhelp: break it");
        assert_eq!(shown.range.end.character, 5);
        let related = shown.related_information.unwrap();
        assert_eq!(related[0].location.range.start.line, 1);
        assert_eq!(related[1].message, "in Q");
    }
}
