//! Textbook forms and those of other tools, each with the form of CSPm.

use super::{Slip, code, innermost, word};
use crate::source::Diagnostic;

/// A form of a textbook or of another tool.
pub(super) fn recognise(slip: &Slip<'_>) -> Option<Diagnostic> {
    empty(slip)
        .or_else(|| directive(slip))
        .or_else(|| buffer(slip))
        .or_else(|| temporal(slip))
        .or_else(|| recursion(slip))
        .or_else(|| substitution(slip))
        .or_else(|| interface(slip))
        .or_else(|| alphabets(slip))
        .or_else(|| guarded(slip))
}

/// A keyword alone on its line: what follows was taken for a name.
fn empty(slip: &Slip<'_>) -> Option<Diagnostic> {
    let (head, before) = (slip.head(), slip.before.trim());
    let example = match head {
        "datatype" => "datatype T = A | B",
        "subtype" => "subtype S = A",
        "nametype" => "nametype N = {0..3}",
        "channel" => "channel c : {0..3}",
        _ => return None,
    };
    if before != head || (slip.on_first_line() && !slip.rest.is_empty()) {
        return None;
    }
    let message = format!("this `{head}` declares nothing");
    let start = slip.context.start;
    let d = slip.at(code::SYNTAX, start, head.len(), message);
    Some(d.note(format!("as in `{example}`")))
}

/// `#define N 3;`, `#assert P() deadlockfree;`
fn directive(slip: &Slip<'_>) -> Option<Diagnostic> {
    // The parser may have read the `#` as the length of a sequence.
    let hash = match slip.rest.starts_with('#') {
        true => slip.place,
        false => slip.place.checked_sub(1)?,
    };
    let text = slip.context.text.get(hash..)?;
    let text = text
        .strip_prefix('#')
        .filter(|_| hash >= slip.context.start)?;
    let directive = word(text);
    let note = match directive {
        "define" => "a constant is a definition: `N = 3`",
        "assert" => {
            "an assertion has a line of its own: `assert P :[deadlock free]`, `assert P :[divergence free]`, `assert P :[deterministic]`, `assert Spec [T= P`"
        }
        "alphabet" => "alphabets stand at the operator: `P [A||B] Q`",
        "import" => "another file is read by `include \"file.csp\"`",
        _ => return None,
    };
    let message = format!("`#{directive}` is not CSPm");
    Some(
        slip.at(code::FOREIGN, hash, directive.len() + 1, message)
            .note(note),
    )
}

/// `channel c 0;`
fn buffer(slip: &Slip<'_>) -> Option<Diagnostic> {
    let digits = slip.rest.bytes().take_while(u8::is_ascii_digit).count();
    if slip.head() != "channel" || digits == 0 || slip.before.contains(':') {
        return None;
    }
    let d = slip.here(code::FOREIGN, digits, "channels have no buffers");
    Some(d.note("`channel c : {0..3}` declares what c carries; `BUFFER(n, {(in, out)})` is a buffer for n values"))
}

/// `assert P |= LTL: "…"`
fn temporal(slip: &Slip<'_>) -> Option<Diagnostic> {
    if slip.head() != "assert" || !slip.rest.starts_with("|=") {
        return None;
    }
    let d = slip.here(
        code::ASSERTION,
        2,
        "there are no formulas of temporal logic",
    );
    Some(d.note("write what is allowed as a process: `assert Spec [T= P` for what must never happen, `assert Spec [FD= P` for what must happen too"))
}

/// `mu X @ a -> X`
fn recursion(slip: &Slip<'_>) -> Option<Diagnostic> {
    let before = slip.before;
    let keyword = ["mu", "rec", "μ", "µ"].into_iter().find(|keyword| {
        let front = before.strip_suffix(keyword);
        front.is_some_and(|front| !front.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    let greek = ["μ", "µ"].into_iter().find(|mu| slip.rest.starts_with(mu));
    let (keyword, place, variable) = match (keyword, greek) {
        (Some(keyword), _) if slip.operator && !slip.rest.starts_with('(') => {
            let place = slip.context.start + before.len() - keyword.len();
            (keyword, place, word(slip.rest))
        }
        (_, Some(mu)) => (mu, slip.place, word(slip.rest[mu.len()..].trim_start())),
        _ => return None,
    };
    if variable.is_empty() {
        return None;
    }
    let message = format!("`{keyword}` is not CSPm: a definition may name itself");
    let d = slip.at(code::FOREIGN, place, keyword.len(), message);
    Some(d.note(format!(
        "write `{variable} = a -> {variable}`, or `let {variable} = a -> {variable} within {variable}` in a process"
    )))
}

/// `P[[a/b]]` and `P[a/b]`
fn substitution(slip: &Slip<'_>) -> Option<Diagnostic> {
    let open = innermost(slip.context, slip.place)?;
    let due = match open.text {
        "[[" => slip.rest.starts_with("]]"),
        "[" => slip.expects("`<->`") && slip.rest.starts_with(']'),
        _ => false,
    };
    let start = open.start + open.text.len();
    let inside = slip.context.text.get(start..slip.place)?;
    let pair = inside.rfind(',').map_or(0, |n| n + 1);
    let (new, old) = inside[pair..].split_once('/')?;
    if !due || slip.head() == "assert" && open.text == "[" {
        return None;
    }
    let slash = start + pair + new.len();
    let (new, old) = (new.trim(), old.trim());
    let d = slip.at(code::ARROW, slash, 1, "renaming is written with `<-`");
    Some(d.note(format!(
        "`P[[{old} <- {new}]]` performs {new} where P performs {old}"
    )))
}

/// `P |[A]| Q`
fn interface(slip: &Slip<'_>) -> Option<Diagnostic> {
    if !slip.operator || !slip.rest.starts_with("|[") {
        return None;
    }
    let d = slip.here(code::FOREIGN, 2, "`|[…]|` is written `[|…|]`");
    let set = slip.rest[2..].split_once("]|").map(|(set, _)| set.trim());
    let set = set
        .filter(|set| !set.is_empty() && !set.contains('\n'))
        .unwrap_or("A");
    Some(d.note(format!("`P [|{set}|] Q` shares the events of the set")))
}

/// `P {a}||{b} Q`
fn alphabets(slip: &Slip<'_>) -> Option<Diagnostic> {
    let line = slip.rest.lines().next().unwrap_or_default();
    let (left, right) = line.split_once("||")?;
    let left = left.trim_end();
    let right = right.trim_start();
    let braces = left.starts_with('{') && left.ends_with('}');
    let name = !left.is_empty() && word(left) == left;
    if !slip.operator || right.starts_with('|') || !(braces || name) {
        return None;
    }
    let end = match right.starts_with('{') {
        true => right.find('}').map_or(0, |n| n + 1),
        false => word(right).len(),
    };
    let d = slip.here(
        code::ALPHABETS,
        left.len(),
        "the alphabets of `||` stand in brackets",
    );
    let note = match &right[..end] {
        "" => "write `P [A||B] Q`".to_owned(),
        right => format!("write `P [{left}||{right}] Q`"),
    };
    Some(d.note(note))
}

/// `(a -> P | b -> Q)`
fn guarded(slip: &Slip<'_>) -> Option<Diagnostic> {
    let next = slip.rest.strip_prefix('|')?;
    let longer = next.starts_with(['|', '~', ']', '}', ')', '[', '=', '\\', '>']);
    let inside = innermost(slip.context, slip.place);
    let choice = inside.is_none_or(|open| open.text == "(");
    if longer || !slip.operator || !choice || !slip.before.contains("->") {
        return None;
    }
    let d = slip.here(code::FOREIGN, 1, "`|` does not join processes");
    Some(
        d.write_here("[]")
            .note("`a -> P [] b -> Q` offers both events"),
    )
}
