//! The values of `print` expressions, before the outcomes of the assertions.

use serde_json::{Value, json};

use crate::eval::Evaluator;
use crate::source::{Cancel, Diagnostic, Limits, render, visible_line};
use orbitscope_language::script::load::Loaded;

/// A `print` with its value, or its error.
pub struct Printed {
    /// The file and line.
    place: (String, usize),
    /// The expression as it is written.
    pub expression: String,
    /// Its value as text.
    pub value: Result<String, Box<Diagnostic>>,
}

/// Evaluates all `print` expressions of a script, each for itself.
pub fn evaluate(loaded: &Loaded, limits: &Limits, cancel: &Cancel) -> Vec<Printed> {
    if loaded.script.prints.is_empty() {
        return Vec::new();
    }
    let mut evaluator = Evaluator::new(loaded.script.clone(), limits, cancel.clone());
    let mut printed = Vec::new();
    for e in &loaded.script.prints {
        let file = loaded.sources.file(e.span.file).path.display().to_string();
        let line = loaded.sources.line_col(e.span).line;
        let value = match loaded.in_the_way_of(e) {
            // Something that it mentions has an error: evaluated, it would only fail for that, or
            // mislead.
            Some(error) => Err(Box::new(error)),
            None => evaluator.evaluate(e).map(|v| evaluator.show(v)),
        };
        printed.push(Printed {
            place: (file, line as usize),
            expression: loaded.sources.text(e.span).trim().to_owned(),
            value,
        });
    }
    printed
}

/// `file:line: value`; none if there is no value.
pub fn line(printed: &Printed) -> Option<String> {
    let value = printed.value.as_ref().ok()?;
    let (file, line) = &printed.place;
    Some(visible_line(&format!("{file}:{line}: {value}")).into_owned())
}

/// The printed value as JSON.
pub fn to_json(printed: &Printed, loaded: &Loaded) -> Value {
    let mut shown = json!({
        "file": printed.place.0,
        "line": printed.place.1,
        "expression": printed.expression,
    });
    match &printed.value {
        Ok(value) => shown["value"] = json!(value),
        Err(d) => shown["diagnostic"] = render::to_json(d, &loaded.sources),
    }
    shown
}
