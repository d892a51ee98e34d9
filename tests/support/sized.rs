//! Scripts at other sizes: their datatypes with other values. Benchmarks use it, too.

/// The values of a datatype: a letter and a number each.
pub fn values(letter: &str, n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("{letter}{i}")).collect();
    names.join(" | ")
}

/// Replaces the values of datatypes, each of which has a line of its own.
///
/// # Panics
/// If there is no such line.
pub fn resized<V: AsRef<str>>(text: &str, datatypes: &[(&str, V)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (name, values) in datatypes {
        let is_of = |line: &String| line.split_whitespace().take(2).eq(["datatype", *name]);
        let at = lines.iter().position(is_of);
        let at = at.unwrap_or_else(|| panic!("`datatype {name}` has no line"));
        lines[at] = format!("datatype {name} = {}", values.as_ref());
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The list stack with other numbers of nodes, threads and data.
pub fn list_stack(text: &str, [nodes, threads, data]: [usize; 3]) -> String {
    let datatypes = [
        ("NodeIDType", format!("Null | {}", values("N", nodes))),
        ("ThreadID", values("T", threads)),
        ("Data", values("D", data)),
    ];
    resized(text, &datatypes)
}
