//! Scripts through the front end: names and types.

use std::path::Path;

use orbitscope::script::{Checked, check};
use orbitscope::source::{Diagnostic, Severity};
use orbitscope::syntax::parse_text;

/// A script that must parse, checked.
pub fn checked(text: &str) -> Checked {
    let parsed = parse_text(Path::new("test.csp"), text);
    assert!(!parsed.has_errors(), "{text}: {:?}", parsed.diagnostics);
    check(parsed.file, parsed.sources)
}

/// Its errors.
pub fn errors(checked: &Checked) -> Vec<&Diagnostic> {
    let all = checked.diagnostics.iter();
    all.filter(|d| d.severity == Severity::Error).collect()
}
