//! One text for several events or local states: `a.{0,1}.B`.

/// At most this many values are written out in one set of a label.
const SET_MAX: usize = 6;
/// At most this many events are written out where they are not a product.
const LIST_MAX: usize = 2;

/// One text for several local states: per-argument sets if they are exactly their product.
pub fn local_states(texts: &[&str]) -> String {
    let mut distinct: Vec<&str> = texts.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let parts = |text: &&'_ str| -> Option<(String, String)> {
        let (name, rest) = text.split_once('(')?;
        Some((name.to_string(), rest.strip_suffix(')')?.to_string()))
    };
    // Texts that are not all of the form `Name(…)` cannot be taken apart.
    let split: Option<Vec<_>> = distinct.iter().map(parts).collect();
    let Some(split) = split else {
        return list(&distinct);
    };
    let Some((name, _)) = split.first() else {
        return String::new();
    };
    if split.iter().any(|(other, _)| other != name) {
        return list(&distinct);
    }
    let arguments: Vec<_> = split.iter().map(|(_, args)| split_at(args, ',')).collect();
    match product(&arguments, ",") {
        Some(arguments) => format!("{name}({arguments})"),
        None => list(&distinct),
    }
}

/// Splits an event at its dots, but not at dots within brackets or strings.
#[must_use]
pub fn fields(event: &str) -> Vec<&str> {
    split_at(event, '.')
}

/// Splits a text at a separator outside brackets and strings.
fn split_at(event: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut from) = (0_usize, false, 0);
    for (at, c) in event.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            // In values, these are the brackets of sequences.
            '(' | '{' | '[' | '<' => depth += 1,
            // A text that was cut short may close what it never opened.
            ')' | '}' | ']' | '>' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                parts.push(&event[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&event[from..]);
    parts
}

/// One text for several events: per-field sets if the events are exactly their product.
#[must_use]
pub fn compress(events: &[&str]) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    let mut known = crate::source::hash::Set::default();
    for event in events {
        if known.insert(*event) {
            distinct.push(event);
        }
    }
    let split: Vec<_> = distinct.iter().map(|e| fields(e)).collect();
    product(&split, ".").unwrap_or_else(|| list(&distinct))
}

/// The sets of values of each field, and how many texts their product has.
fn field_sets(split: &[Vec<&str>]) -> Option<(Vec<String>, usize)> {
    let arity = split.first()?.len();
    // Of different lengths: no product.
    if split.iter().any(|fields| fields.len() != arity) {
        return None;
    }
    let mut size = 1_usize;
    let mut parts = Vec::new();
    for at in 0..arity {
        let mut values: Vec<&str> = Vec::new();
        for fields in split {
            if !values.contains(&fields[at]) {
                values.push(fields[at]);
            }
        }
        // Fields with many values; the texts are fewer than such a product anyway.
        size = size.checked_mul(values.len())?;
        parts.push(set(&values));
    }
    Some((parts, size))
}

/// The sets if the texts are their product; of many other texts, how many of the product they are.
fn product(split: &[Vec<&str>], separator: &str) -> Option<String> {
    let (parts, size) = field_sets(split)?;
    let text = parts.join(separator);
    // The texts are distinct, and all lie in the product: as many means all of it.
    if size == split.len() {
        Some(text)
    // Too many for a list, but of one channel: the sets tell more than a list that is cut short.
    } else if split.len() > LIST_MAX && parts.first().is_some_and(|first| !first.starts_with('{')) {
        Some(format!("{text} ({} of {size})", split.len()))
    } else {
        None
    }
}

fn set(values: &[&str]) -> String {
    match values {
        [one] => (*one).to_string(),
        many if many.len() <= SET_MAX => format!("{{{}}}", many.join(",")),
        many => format!(
            "{{{},+{}}}",
            many[..SET_MAX - 1].join(","),
            many.len() - SET_MAX + 1
        ),
    }
}

fn list(events: &[&str]) -> String {
    let shown = events.len().min(LIST_MAX);
    let mut text = events[..shown].join(", ");
    if events.len() > shown {
        text += &format!(", +{} more", events.len() - shown);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_respect_brackets_and_strings() {
        assert_eq!(fields("a"), ["a"]);
        assert_eq!(fields("c.1.<A.1,B>.N0"), ["c", "1", "<A.1,B>", "N0"]);
        assert_eq!(fields("c.\"x.y\".(1.2)"), ["c", "\"x.y\"", "(1.2)"]);
        assert_eq!(fields(""), [""]);
    }

    #[test]
    fn a_product_becomes_sets() {
        let events = ["i.T1.N0.A", "i.T1.N0.D", "i.T1.N2.A", "i.T1.N2.D"];
        assert_eq!(compress(&events), "i.T1.{N0,N2}.{A,D}");
        assert_eq!(compress(&events[..1]), "i.T1.N0.A");
        assert_eq!(compress(&["a.0", "a.0"]), "a.0");
    }

    #[test]
    fn local_states_become_sets() {
        let all = ["P(T0,A)", "P(T0,B)", "P(T1,A)", "P(T1,B)"];
        assert_eq!(local_states(&all), "P({T0,T1},{A,B})");
        assert_eq!(local_states(&["P(T0)", "Q(T0)"]), "P(T0), Q(T0)");
        assert_eq!(local_states(&["STOP", "STOP"]), "STOP");
    }

    #[test]
    fn anything_else_is_listed() {
        assert_eq!(compress(&["a.0.0", "a.1.1"]), "a.0.0, a.1.1");
        assert_eq!(
            compress(&["a.0.0", "a.1.1", "a.2.2"]),
            "a.{0,1,2}.{0,1,2} (3 of 9)"
        );
        assert_eq!(compress(&["a", "a.1", "b"]), "a, a.1, +1 more");
        assert_eq!(compress(&["a", "a.1"]), "a, a.1");
    }

    #[test]
    fn long_sets_are_cut() {
        let events: Vec<String> = (0..9).map(|i| format!("c.{i}")).collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        assert_eq!(compress(&events), "c.{0,1,2,3,4,+4}");
    }
}
