//! A function fits on a screen, or says why not; a struct of the search has few fields.

use super::tidy::{Source, none, sources};

/// Lines of a function, from its signature to its end.
const LINES_MAX: usize = 60;

/// How a comment right above a long function begins its reason.
const EXCUSES: [&str; 3] = [
    "long because",
    "Longer than other functions",
    "In one piece",
];

/// The long functions of a file, as `path: name (lines)`, but for those with a reason.
fn long(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let words: Vec<&str> = line.split_whitespace().collect();
        let named = words
            .iter()
            .position(|word| *word == "fn")
            .filter(|n| *n <= 3);
        let Some(name) = named.and_then(|n| words.get(n + 1)) else {
            continue;
        };
        if line.trim_start().starts_with("//") || line.trim_end().ends_with([';', '}']) {
            continue;
        }
        let ends = |line: &&str| {
            let is_end = line.trim_end() == "}" || line.trim_end() == ");";
            is_end && line.len() - line.trim_start().len() == indent
                || line.len() == indent + 1 && line.ends_with('}')
        };
        let len = lines[at + 1..].iter().position(ends);
        // A signature without a body ends before any brace does.
        let body = lines[at..].iter().position(|l| l.trim_end().ends_with('{'));
        let declared = lines[at..].iter().position(|l| l.trim_end().ends_with(';'));
        if declared
            .zip(body)
            .is_some_and(|(declared, body)| declared < body)
        {
            continue;
        }
        let above = lines[..at].iter().rev();
        let mut above = above.take_while(|l| l.trim_start().starts_with(['/', '#']));
        let excused = above.any(|l| EXCUSES.iter().any(|excuse| l.contains(excuse)));
        if let Some(len) = len.filter(|len| len + 2 > LINES_MAX && !excused) {
            let name = name.split(['(', '<']).next().unwrap_or_default();
            found.push(format!("{}: {name} ({} lines)", source.path, len + 2));
        }
    }
    found
}

#[test]
fn functions_fit_on_a_screen() {
    let is_test = |s: &&Source| s.path.contains("/tests/") || s.path.ends_with("/tests.rs");
    let all = sources(&["src"]);
    let found: Vec<String> = all.iter().filter(|s| !is_test(s)).flat_map(long).collect();
    none("long functions without a reason", &found);
}

#[test]
fn long_functions_are_found() {
    let body = "    x();\n".repeat(60);
    let text = format!(
        "impl A {{\n    fn short(&self) {{}}\n    pub fn f(\n        &self,\n    ) {{\n{body}    }}\n}}\n"
    );
    let found = |text: &str| long(&Source::new("src/a.rs", text));
    assert_eq!(found(&text), ["src/a.rs: f (64 lines)"]);
    let excused = text.replace(
        "    pub fn f",
        "    // Longer than other functions: a table.\n    #[must_use]\n    pub fn f",
    );
    assert_eq!(found(&excused), [""; 0]);
    assert_eq!(found(&text.replacen("x();\n", "", 10)), [""; 0]);
    let declared =
        format!("trait T {{\n    fn f(&self);\n    fn g(\n        &self,\n    );\n{body}}}\n");
    assert_eq!(found(&declared), [""; 0]);
}

/// Fields of a struct in the rooms of the search.
const FIELDS_MAX: usize = 12;

/// The structs of a file with more fields, as `path: name (fields)`.
fn wide(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let (mut name, mut fields) = (None, 0);
    for line in source.program().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_struct = words.iter().position(|word| *word == "struct");
        if let Some(at) = is_struct.filter(|at| *at <= 1 && line.ends_with('{')) {
            (name, fields) = (words.get(at + 1).copied(), 0);
        } else if line == "}" {
            let wide = name.take().filter(|_| fields > FIELDS_MAX);
            found.extend(wide.map(|name| format!("{}: {name} ({fields})", source.path)));
        } else if line.starts_with("    ") && line.contains(": ") && line.ends_with(',') {
            fields += 1;
        }
    }
    found
}

#[test]
fn structs_of_the_search_have_few_fields() {
    let all = sources(&["src/engine/search", "src/engine/reductions"]);
    assert!(all.len() > 30, "{}", all.len());
    let found: Vec<String> = all.iter().flat_map(wide).collect();
    none("structs with too many fields", &found);
    let text = format!(
        "pub struct Wide {{\n{}}}\n",
        "    /// A: b,\n    pub a: u8,\n".repeat(13)
    );
    assert_eq!(
        wide(&Source::new("src/a.rs", &text)),
        ["src/a.rs: Wide (13)"]
    );
}
