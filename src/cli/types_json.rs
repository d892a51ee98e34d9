//! The result of `orbitscope typecheck`, as JSON.

use std::path::Path;

use serde_json::{Value, json};

use crate::lsp;
use crate::source::positions::{self, Units};
use crate::source::{FileId, SourceMap, Span};
use orbitscope_language::script::core::Assertion;
use orbitscope_language::script::load::Loaded;
use orbitscope_language::script::report::{Break, Symmetry, of_assertion, typed, whole};

/// The document of one file.
pub fn document(file: &Path, loaded: &Loaded, with_types: bool) -> Value {
    let sources = &loaded.sources;
    let diagnostics: Vec<Value> = loaded
        .diagnostics
        .iter()
        .map(|d| {
            let uri = |file| positions::file_uri(sources, file).parse().ok();
            let mut value = json!(lsp::diagnostic(d, sources, Units::Utf16, uri));
            let file = d.span.map_or(FileId(0), |s| s.file);
            value["uri"] = json!(positions::file_uri(sources, file));
            value
        })
        .collect();
    let mut document = json!({
        "path": file.display().to_string(),
        "uri": positions::file_uri(sources, FileId(0)),
        "diagnostics": diagnostics,
    });
    if with_types {
        document["types"] = types(loaded);
        document["symmetry"] = symmetry(loaded);
    }
    document
}

fn location(sources: &SourceMap, span: Span) -> Value {
    json!({
        "uri": positions::file_uri(sources, span.file),
        "range": lsp::range(sources, span, Units::Utf16),
    })
}

/// The type of every definition.
fn types(loaded: &Loaded) -> Value {
    let types = typed(&loaded.script, &loaded.types);
    let shown = types.iter().map(|t| {
        json!({
            "name": t.name,
            "kind": t.kind,
            "type": t.shown,
            "location": location(&loaded.sources, t.span),
        })
    });
    shown.collect()
}

/// The types in which the script as a whole and each assertion is symmetric.
fn symmetry(loaded: &Loaded) -> Value {
    let (script, types) = (&loaded.script, &loaded.types);
    let describe = |list: &[Symmetry]| -> Vec<Value> {
        list.iter()
            .map(|one| datatype(&loaded.sources, one))
            .collect()
    };
    let assertion = |(n, a): (usize, &Assertion)| {
        json!({
            "index": n + 1,
            "assertion": &*a.text,
            "datatypes": describe(&of_assertion(script, types, n)),
        })
    };
    let assertions = script.assertions.iter().enumerate().map(assertion);
    json!({
        "script": describe(&whole(script, types)),
        "assertions": assertions.collect::<Vec<_>>(),
    })
}

/// The symmetry of one datatype, with the expressions that distinguish its values.
fn datatype(sources: &SourceMap, one: &Symmetry) -> Value {
    let via = |(name, span): &(String, Span)| json!({ "name": name, "location": location(sources, *span) });
    let break_json = |b: &Break| {
        json!({
            // Null means all values: the expression that distinguishes them names none.
            "values": if b.values.is_empty() { Value::Null } else { json!(b.values) },
            "reason": b.why,
            "location": location(sources, b.span),
            "via": b.via.iter().map(via).collect::<Vec<_>>(),
        })
    };
    json!({
        "datatype": one.name,
        "largest": one.shown,
        "symmetric": one.members,
        "of": one.of,
        "breaks": one.breaks.iter().map(break_json).collect::<Vec<_>>(),
    })
}
