//! The models that are part of the program: `builtin:list_stack` is one wherever a script can be named.

use std::path::Path;

/// The prefix of the name of a built-in model.
pub const PREFIX: &str = "builtin:";

/// A model that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInModel {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    /// The script.
    pub text: &'static str,
}

/// The model in the file of this name.
macro_rules! model {
    ($name:literal, $about:literal) => {
        BuiltInModel {
            name: $name,
            about: $about,
            text: include_str!(concat!("../../../models/", $name, ".csp")),
        }
    };
}

/// All of them, easy ones first.
pub const MODELS: &[BuiltInModel] = &[
    model!("list_stack", "a stack as a linked list, under one lock"),
    model!("two_buffers", "the smallest system worth drawing"),
    model!("philosophers", "a table made symmetric, and a deadlock"),
    model!("stack_aba", "the stack without a lock: the ABA problem"),
    model!("peterson", "mutual exclusion by shared variables"),
    model!("database", "sets of identities in local states"),
    model!("example37", "nodes told apart by who points at them"),
    model!("ring", "a representative that is not unique"),
    model!("round_table", "symmetry that no datatype declares"),
    model!("tree_broadcast", "a tree that grows while it runs"),
    model!(
        "lock_free_queue",
        "linearizability, and the ABA problem again"
    ),
    model!("array_queue", "sequence numbers that never run out"),
    model!("coarse_list_set", "a set as a sorted list, under one lock"),
    model!("fine_list_set", "the same, with locks hand over hand"),
    model!("timed_crossing", "a gate in time, and one that is late"),
];

/// The model with this name.
#[must_use]
pub fn model(name: &str) -> Option<BuiltInModel> {
    MODELS.iter().find(|model| model.name == name).copied()
}

/// The name after [`PREFIX`], if that is what a path is.
#[must_use]
pub fn named(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(PREFIX)
}

/// Checks that there is a file or built-in model to read. An unknown name of a model is reported when it is read.
///
/// # Errors
/// Errors of the operating system.
pub fn readable(path: &Path) -> std::io::Result<()> {
    match named(path) {
        Some(_) => Ok(()),
        None => std::fs::metadata(path).map(|_| ()),
    }
}
