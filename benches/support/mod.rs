//! Models at any size, from those that come with the program.

#![allow(dead_code, reason = "each benchmark uses a part")]

#[path = "../../tests/support/sized.rs"]
pub mod sized;

/// How many nodes, threads and data.
#[derive(Clone, Copy)]
pub struct Size(pub usize, pub usize, pub usize);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{},{})", self.0, self.1, self.2)
    }
}

/// The list stack at a size.
pub fn script(Size(nodes, threads, data): Size) -> String {
    let model = include_str!("../../models/list_stack.csp");
    sized::list_stack(model, [nodes, threads, data])
}
