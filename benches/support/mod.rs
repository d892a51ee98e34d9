//! Models at any size, from those that come with the program.

#![allow(dead_code, reason = "each benchmark uses a part")]

/// How many nodes, threads and data.
#[derive(Clone, Copy)]
pub struct Size(pub usize, pub usize, pub usize);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{},{})", self.0, self.1, self.2)
    }
}

/// The values of a datatype: a letter and a number each.
pub fn values(letter: &str, n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("{letter}{i}")).collect();
    names.join(" | ")
}

/// Replaces the line of each of these datatypes.
///
/// # Panics
/// If the model has no such line.
pub fn resized(model: &str, datatypes: &[(&str, String)]) -> String {
    let mut lines: Vec<String> = model.lines().map(str::to_owned).collect();
    for (name, values) in datatypes {
        let is_of = |line: &String| line.split_whitespace().take(2).eq(["datatype", name]);
        let at = lines.iter().position(is_of).expect("a line of its own");
        lines[at] = format!("datatype {name} = {values}");
    }
    lines.join("\n")
}

/// The list stack with its three datatypes replaced.
pub fn script(Size(nodes, threads, data): Size) -> String {
    let datatypes = [
        ("NodeIDType", format!("Null | {}", values("N", nodes))),
        ("ThreadID", values("T", threads)),
        ("Data", values("D", data)),
    ];
    resized(include_str!("../../models/list_stack.csp"), &datatypes)
}
