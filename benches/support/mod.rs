//! The list stack at any size, from the shipped model.

/// How many nodes, threads and data.
#[derive(Clone, Copy)]
pub struct Size(pub usize, pub usize, pub usize);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{},{})", self.0, self.1, self.2)
    }
}

/// The model with its three datatypes replaced.
pub fn script(size: Size) -> String {
    let values = |prefix: &str, n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("{prefix}{i}")).collect();
        names.join(" | ")
    };
    let model = include_str!("../../models/list_stack.csp");
    let lines: Vec<String> = model
        .lines()
        .map(|line| match line.split_whitespace().nth(1) {
            Some(name) if line.starts_with("datatype") => match name {
                "NodeIDType" => format!("datatype NodeIDType = Null | {}", values("N", size.0)),
                "ThreadID" => format!("datatype ThreadID = {}", values("T", size.1)),
                "Data" => format!("datatype Data = {}", values("D", size.2)),
                _ => line.to_owned(),
            },
            _ => line.to_owned(),
        })
        .collect();
    lines.join("\n")
}
