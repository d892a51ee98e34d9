//! Families that are part of the program: `builtin:allocator` is one wherever a family can be named.

/// A family that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInFamily {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The family in the file of this name.
macro_rules! built_in {
    ($name:literal) => {
        BuiltInFamily {
            name: $name,
            text: include_str!(concat!("../../assets/families/", $name, ".pat")),
        }
    };
}

/// All of them, easy ones first.
pub const FAMILIES: &[BuiltInFamily] = &[
    built_in!("token_ring"),
    built_in!("token_line"),
    built_in!("readers_writers"),
    built_in!("herman"),
    built_in!("herman_synchronous"),
    built_in!("israeli_jalfon"),
    built_in!("israeli_jalfon_both"),
    built_in!("israeli_jalfon_as_printed"),
    built_in!("allocator"),
    built_in!("coffee_can"),
    built_in!("philosophers"),
];

/// The family with this name.
#[must_use]
pub fn family(name: &str) -> Option<BuiltInFamily> {
    FAMILIES.iter().find(|family| family.name == name).copied()
}
