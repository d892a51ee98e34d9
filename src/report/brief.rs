//! Shortened texts: one line for texts too long for a line of a report.

use super::numbers;

/// Components of one line above which the rest is only counted.
const LISTED_MAX: usize = 24;

/// Puts how many they are in the place of the last of very many components.
pub(super) fn count_the_last(components: &mut Vec<String>, more: &str) {
    let last = components.len().saturating_sub(LISTED_MAX);
    // Their number takes as much room as one of them.
    if last > 1 {
        components.truncate(LISTED_MAX);
        let last = numbers::thousands(last as u128);
        components.push(format!("({last} {more})"));
    }
}

/// Characters of a set above which a step shows only how it begins: the state at the beginning has it whole.
const SET_MAX: usize = 60;

/// The text with `{a.0, a.1, …}` for each set of many.
pub(super) fn without_long_sets(text: &str) -> String {
    // There are never more characters than bytes, so no set in it can be too long.
    if text.len() <= SET_MAX {
        return text.to_owned();
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(open) = rest.find('{') {
        let (before, set) = rest.split_at(open);
        out.push_str(before);
        let end = closing(set);
        if set[..end].chars().count() <= SET_MAX {
            out.push_str(&set[..end]);
        } else {
            let start: String = set.chars().take(SET_MAX / 2).collect();
            // Up to the last element that is whole.
            let items = start.rfind(", ").map_or(&*start, |at| &start[..at]);
            out.push_str(items);
            out.push_str(", …");
            let count = |brace: char| items.matches(brace).count();
            // With sets inside of the set, several may have been open at the cut.
            let unclosed = count('{').saturating_sub(count('}'));
            out.push_str(&"}".repeat(unclosed));
        }
        rest = &set[end..];
    }
    out.push_str(rest);
    out
}

/// The bytes of a set that a text begins with.
fn closing(set: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in set.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    set.len()
}

/// Longest list of states of a specification that is written out; of a longer one, the beginning of the first state.
const STATES_MAX: usize = 120;

/// The first states of a specification that there is room for, and the number of the others. The input is as
/// [`super::counterexamples`] writes it: `A ||| B or C ||| D or 7 more`.
pub(super) fn brief_states(text: &str) -> String {
    if text.chars().count() <= STATES_MAX {
        return text.to_owned();
    }
    let states = top_level(text, " or ");
    let (first, others) = states.split_first().unwrap_or((&text, &[]));
    let counted = others.last().and_then(|last| last.strip_suffix(" more"));
    let counted = counted.and_then(|n| n.replace(',', "").parse::<u64>().ok());
    let more = match counted {
        Some(n) => others.len() as u64 - 1 + n,
        None => others.len() as u64,
    };
    let mut brief = String::new();
    let components = top_level(first, " ||| ");
    for (n, component) in components.iter().enumerate() {
        let room = STATES_MAX.saturating_sub(brief.chars().count());
        if n > 0 && component.chars().count() > room {
            brief.push_str(&format!(" ||| ({} more)", components.len() - n));
            break;
        }
        if n > 0 {
            brief.push_str(" ||| ");
        }
        if component.chars().count() > room {
            brief.extend(component.chars().take(room));
            brief.push('…');
        } else {
            brief.push_str(component);
        }
    }
    match more {
        0 => {}
        1 => brief.push_str(" or 1 more state"),
        _ => brief.push_str(&format!(
            " or {} more states",
            numbers::thousands(more.into())
        )),
    }
    brief
}

/// The pieces of a text between separators that stand in no brackets.
fn top_level<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut pieces, mut from, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && at >= from && text[at..].starts_with(separator) => {
                pieces.push(&text[from..at]);
                from = at + separator.len();
            }
            _ => {}
        }
    }
    pieces.push(&text[from..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sets_are_cut_and_nothing_else() {
        let items: Vec<String> = (0..100).map(|n| format!("a.{n}")).collect();
        let set = format!("{{{}}}", items.join(", "));
        let text = format!("P({set}, 3, {{b, {set}}}, <x>)");
        assert_eq!(
            without_long_sets(&text),
            "P({a.0, a.1, a.2, a.3, a.4, …}, 3, {b, {a.0, a.1, a.2, a.3, a.4, …}}, <x>)"
        );
        let short = "Node(N1, {A, B}, <{C}>)".repeat(5);
        assert_eq!(without_long_sets(&short), short);
        assert_eq!(without_long_sets(&"{".repeat(99)).chars().count(), 63);
    }

    #[test]
    fn of_very_many_components_the_last_are_counted() {
        let listed = |count: usize| {
            let mut components: Vec<String> = (0..count).map(|n| format!("P{n}")).collect();
            count_the_last(&mut components, "more");
            components
        };
        assert_eq!(listed(25).last().map(String::as_str), Some("P24"));
        let many = listed(3_000);
        assert_eq!(many.len(), 25);
        assert_eq!(many[23..], ["P23", "(2,976 more)"]);
    }

    #[test]
    fn states_of_a_specification_are_shown_as_far_as_there_is_room() {
        let state = |n: u32| {
            let components: Vec<String> = (0..n).map(|c| format!("P(c.{c}, (a or b))")).collect();
            components.join(" ||| ")
        };
        let some = [state(2), state(2), "5 more".to_owned()].join(" or ");
        assert_eq!(brief_states(&some), some);
        let all = [state(40), state(40), state(40), "10,150 more".to_owned()].join(" or ");
        let expected = format!("{} ||| (34 more) or 10,152 more states", state(6));
        assert_eq!(brief_states(&all), expected);
        // Neither a number of others nor other components.
        let long = "x".repeat(500);
        assert_eq!(brief_states(&long), format!("{}…", "x".repeat(120)));
        let two = [&*long, "STOP"].join(" or ");
        assert_eq!(
            brief_states(&two),
            format!("{}… or 1 more state", "x".repeat(120))
        );
    }
}
