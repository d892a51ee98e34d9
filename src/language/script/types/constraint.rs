//! Constraints on types, as bits.

/// `==`
pub const EQ: u8 = 1;
/// `<`
pub const ORD: u8 = 2;
/// Being an element of a set.
pub const SET: u8 = 4;
/// Wanting no more fields.
pub const COMPLETE: u8 = 8;
/// Being what something becomes when all its fields are given.
pub const YIELD: u8 = 16;

/// All, with their names.
pub const NAMES: [(u8, &str); 5] = [
    (EQ, "Eq"),
    (ORD, "Ord"),
    (SET, "Set"),
    (COMPLETE, "Complete"),
    (YIELD, "Yieldable"),
];

/// Implied constraints: ordered values can be compared, comparable values can be in a set, and events and values of
/// datatypes are complete and can be in sets.
const IMPLIED: [(u8, u8); 3] = [(ORD, EQ | SET), (EQ, SET), (YIELD, SET | COMPLETE)];

/// Constraints with those that follow from them.
#[must_use]
pub fn closed(have: u8) -> u8 {
    let implied = IMPLIED.iter().filter(|(c, _)| have & c != 0);
    implied.fold(have, |all, (_, more)| all | more)
}

/// Constraints without those that follow from others.
#[must_use]
pub fn reduced(have: u8) -> u8 {
    let implied = IMPLIED.iter().filter(|(c, _)| have & c != 0);
    implied.fold(have, |all, (_, more)| all & !more)
}
