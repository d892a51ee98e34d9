//! The texts in which the reference front end writes down what a process must be: equations
//! `name = process`, an empty line after each, and at the end the name to start from. Names are like
//! `Round({1})::ANNON(1)::P2`; here every name becomes an identifier, so that the equations are a
//! script.

/// Processes that are what they are: their equations say nothing.
const BUILT_IN: [&str; 8] = [
    "SKIP",
    "STOP",
    "DIV",
    "CHAOS(",
    "RUN(",
    "BUFFER(",
    "WEAK_BUFFER(",
    "SIGNAL_BUFFER(",
];

/// Definitions in CSPm, and the expression to start from.
pub struct Translated {
    pub definitions: Vec<String>,
    pub start: String,
}

/// Translates a text; none if it ends early.
pub fn translate(text: &str) -> Option<Translated> {
    let mut chunks: Vec<String> = text
        .split("\n\n")
        .map(|chunk| chunk.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|chunk| !chunk.is_empty())
        .collect();
    let start = chunks.pop()?;
    let mut equations: Vec<(String, String)> = Vec::new();
    for chunk in chunks {
        let (name, body) = split(&chunk)?;
        if body.is_empty() {
            return None;
        }
        let own = |b: &str| name == b || b.ends_with('(') && name.starts_with(b);
        if BUILT_IN.iter().any(|b| own(b)) || equations.iter().any(|e| e.0 == name && e.1 == body) {
            continue;
        }
        equations.push((name, body));
    }
    // `STOP(tock)` has no equation of its own.
    let timed_stop = ("STOP(tock)".to_owned(), "tock -> STOP(tock)".to_owned());
    if !equations.iter().any(|e| e.0 == timed_stop.0) {
        equations.push(timed_stop);
    }
    let mut names: Vec<(String, String)> = equations
        .iter()
        .enumerate()
        .map(|(i, (name, _))| (name.clone(), format!("Equation{i}")))
        .collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let uses_tock = equations
        .iter()
        .any(|(_, body)| body.contains("STOP(tock)") && body.len() > 18);
    let definitions = equations
        .iter()
        .filter(|(name, _)| uses_tock || name != "STOP(tock)")
        .map(|(name, body)| {
            let body = one_choice(&full_order(&renamed(body, &names)));
            format!("{} = {body}", renamed(name, &names))
        })
        .collect();
    Some(Translated {
        definitions,
        start: full_order(&renamed(&start, &names)),
    })
}

/// Name and right side: what stands around the first `=` that is a word and outside brackets.
fn split(chunk: &str) -> Option<(String, String)> {
    let mut depth = 0;
    for (i, c) in chunk.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            '=' if depth == 0 && chunk[..i].ends_with(' ') => {
                let body = chunk[i + 1..].trim();
                return Some((chunk[..i].trim().to_owned(), body.to_owned()));
            }
            _ => {}
        }
    }
    None
}

/// The text with every name of the list replaced; longer names come first.
fn renamed(text: &str, names: &[(String, String)]) -> String {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_':".contains(c));
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let starts = !inside(out.chars().last());
        let found = names.iter().find(|(name, _)| {
            let after = rest.strip_prefix(name.as_str());
            starts && after.is_some_and(|a| !inside(a.chars().next()) && !a.starts_with('('))
        });
        if let Some((name, new)) = found {
            out.push_str(new);
            rest = &rest[name.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// A chain of `|~|` stands for one choice.
fn one_choice(text: &str) -> String {
    let operands: Vec<&str> = text.split(" |~| ").collect();
    match operands[..] {
        [_] => text.to_owned(),
        _ => format!("|~| p : {{{}}} @ p", operands.join(", ")),
    }
}

/// `prioritisepo` is written with the closed order, τ and ✓ in it; scripts give it the events, an
/// order without those, and the events that are not below τ.
fn full_order(text: &str) -> String {
    let Some((before, after)) = text.split_once("prioritisepo(") else {
        return text.to_owned();
    };
    let (process, order) = after.split_once(", {").unwrap_or((after, ""));
    let pairs: Vec<(&str, &str)> = order
        .trim_end_matches("})")
        .split("), ")
        .filter_map(|pair| pair.trim_matches(['(', ')', ' ']).split_once(", "))
        .collect();
    let silent = |e: &str| e == "τ" || e == "✓";
    let mut events: Vec<&str> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    events.retain(|e| !silent(e));
    events.sort_unstable();
    events.dedup();
    let below = |e: &&str| pairs.iter().any(|(a, b)| silent(a) && b == e);
    let maximal: Vec<&str> = events.iter().copied().filter(|e| !below(e)).collect();
    let visible: Vec<String> = pairs
        .iter()
        .filter(|(a, _)| !silent(a))
        .map(|(a, b)| format!("({a}, {b})"))
        .collect();
    format!(
        "{before}prioritisepo({process}, {{{}}}, {{{}}}, {{{}}})",
        events.join(", "),
        visible.join(", "),
        maximal.join(", ")
    )
}
