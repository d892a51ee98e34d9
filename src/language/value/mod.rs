//! The data: hash-consed values, sets, maps, events; atoms and what a renaming of atoms does to
//! values.
//!
//! In: what the evaluator builds. Out: handles whose equality is equality of values. Nothing here
//! knows syntax, environments or processes (a process inside a value is an opaque number).
//!
//! The [`Interner`] holds the values; code that only makes or reads some needs nothing else. The [`ValueStore`] adds
//! the declarations of fields and caches, and lends them in the combination that a task needs: [`Dotted`] and
//! [`Sizes`] only read, [`Sets`] may make values, take time and fill its cache, [`Shapes`] caches splits.

pub mod algebra;
pub mod atoms;
mod buffers;
pub mod declared;
pub mod dots;
pub mod fields;
mod flags;
mod inclusion;
mod integers;
mod interner;
pub mod intervals;
mod listing;
mod members;
pub mod numbers;
mod order;
pub(crate) mod parts;
mod sets;
pub mod shapes;
mod show;
mod sizes;
mod store;
#[cfg(test)]
mod tests;
pub mod views;
mod watch;

pub use atoms::AtomTypes;
pub use dots::Dotted;
pub use flags::ValueFlags;
pub use interner::Interner;
pub use intervals::Intervals;
pub use sets::Sets;
pub use shapes::Shapes;
pub use sizes::Sizes;
pub use store::ValueStore;

use crate::script::core::{Builtin, ChannelId, CtorId};
use crate::source::Stop;

/// A hash-consed value. Equal handles of one [`Interner`] are equal values, and only those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

/// The data behind a handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    /// An integer; arithmetic is checked.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A character; a string is a sequence of these.
    Char(char),
    /// Two items or more: a single one is no tuple.
    Tuple(Box<[Value]>),
    /// A sequence all of whose items are known.
    Seq(Box<[Value]>),
    /// The infinite sequence `<n..>`.
    From(i64),
    /// A sequence of which only the beginning is known.
    Stream {
        /// The first items: at least one.
        items: Box<[Value]>,
        /// The rest of the sequence: [`Data::Suspended`] or [`Data::From`].
        rest: Value,
    },
    /// A long sequence, or a part of one, that is being walked or built (see [`views`]). Never part of a
    /// state, a set or an event.
    View {
        /// The buffer that holds the items.
        buffer: u32,
        /// The position of the first.
        start: i64,
        /// The position behind the last.
        end: i64,
    },
    /// A constructor without the fields that it may still take.
    Ctor(CtorId),
    /// A channel without its fields.
    Channel(ChannelId),
    /// Two or more parts. A field that is itself a constructed value is one part, so
    /// `op.T0.DoPush.A` has three: `op`, `T0`, `DoPush.A`.
    Dot(Box<[Value]>),
    /// A finite set: strictly ascending by [`Interner::compare`].
    Set(Box<[Value]>),
    /// A finite map: keys strictly ascending.
    Map(Box<[(Value, Value)]>),
    /// A set that is not enumerated (yet, or ever).
    Lazy(LazySet),
    /// A function or partial application; `code` belongs to `eval`.
    Closure {
        /// The number of the function body.
        code: u32,
        /// The values of its free variables.
        env: Box<[Value]>,
    },
    /// A built-in function used as a value.
    Builtin(Builtin),
    /// A curried built-in function with its first arguments.
    Applied(Builtin, Box<[Value]>),
    /// A value that is not evaluated yet (because nothing needs it, or because it cannot be);
    /// `code` belongs to `eval`. It is never itself the result of an evaluation, but may be a part
    /// of one: an item of a tuple or sequence, a value of a map.
    Suspended {
        /// The number of the expression.
        code: u32,
        /// The values of its free variables.
        env: Box<[Value]>,
    },
    /// A process; the number belongs to `process`.
    Process(u32),
    /// The place of an atom in a shape (see `shapes`).
    Hole {
        /// The symmetric type of the atom.
        kind: u8,
        /// Its position in the atom tuple.
        index: u16,
    },
}

/// Sets given by what belongs to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LazySet {
    /// Integers: `Int`, `{n..}`, a long range, and what else can be made of these.
    Ints(Intervals),
    /// `Char`
    Chars,
    /// `Proc`
    Processes,
    /// `Seq(S)`
    Seqs(Value),
    /// `Events`
    Events,
    /// `{|e1, …|}`: all complete extensions of these, ascending.
    Productions(Box<[Value]>),
    /// All values of a datatype or subtype that is too large or infinite to list.
    Datatype(crate::script::core::TypeId),
    /// A dotted product of sets, as in `{0..3}.T`.
    Product(Box<[Value]>),
    /// Tuples over sets, as in the set reading of `(A, B)` in a `nametype` or channel.
    Tuples(Box<[Value]>),
    /// `Set(S)`
    Powerset(Value),
    /// `Map(K, V)`: the maps from some of the keys to the values.
    Maps(Value, Value),
    /// Union of two sets of which at least one is lazy.
    Union(Value, Value),
    /// `diff` of which the first is lazy.
    Diff(Value, Value),
    /// `inter` of which both are lazy.
    Inter(Value, Value),
}

/// An error about a value. It has no place: `eval` adds the span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// The value is not of the kind needed (named with its article).
    Expected(&'static str, Value),
    /// An infinite set was to be listed.
    Infinite(Value),
    /// A set or sequence has more elements than `Limits::elements_max`.
    TooLarge(Value),
    /// Inclusion of the first in the second cannot be decided.
    Undecided(Value, Value),
    /// A result does not fit 64 bits.
    Overflow(&'static str),
    /// `x / 0` or `x % 0`.
    DivisionByZero,
    /// Work on values was cancelled or reached a limit.
    Stopped(Stop),
    /// The values take more bytes than [`crate::source::Limits::values_max`].
    Full,
    /// Anything else, in words.
    Other(String),
}

/// The result of an operation on values.
pub type ValueResult<T> = Result<T, ValueError>;

/// A value of a symmetric type: a number over all symmetric types of one `AtomTypes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(pub u16);
