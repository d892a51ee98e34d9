//! Datatypes whose values the built-ins of Def. 23.2 can see.

use std::rc::Rc;

use super::scheme::Use;
use super::store::TypeStore;
use super::ty::{Ty, TyKind};
use crate::script::core::{Builtin, Script, TypeId};
use crate::source::Span;
use crate::source::hash::{IndexMap, IndexSet, Map};

/// The datatypes whose values a use of a built-in can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenTypes {
    /// Values of these datatypes, and perhaps events.
    Types {
        /// Datatypes with values among the parts that it sees.
        datatypes: Vec<TypeId>,
        /// Whether it sees events, which can carry values of every type.
        events: bool,
    },
    /// The types do not tell; it must be taken to be all of them.
    Unknown,
}

/// One use of a built-in that can break symmetry, with what it can see.
#[derive(Clone, Debug)]
pub struct Sensitive {
    /// The built-in.
    pub builtin: Builtin,
    /// The place of the built-in (not necessarily of the name that introduces it).
    pub origin: Span,
    /// The types that it can see.
    pub involved: SeenTypes,
}

/// The types that each use can see, by the place that introduces it. All types are known by now.
pub(super) fn involved(
    uses: Vec<Use>,
    script: &Script,
    store: &TypeStore,
    ctors: &[Ty],
) -> IndexMap<Span, Vec<Sensitive>> {
    let mut search = ContentsSearch {
        script,
        store,
        ctors,
        known: Map::default(),
    };
    let mut all: IndexMap<Span, Vec<Sensitive>> = IndexMap::default();
    for used in uses {
        let involved = search.of_use(used.builtin, used.ty);
        all.entry(used.at).or_default().push(Sensitive {
            builtin: used.builtin,
            origin: used.origin,
            involved,
        });
    }
    all
}

/// The contents that values of a type can have.
#[derive(Default)]
struct Contents {
    datatypes: IndexSet<TypeId>,
    events: bool,
    /// Something that can hold values of every type.
    unknown: bool,
}

struct ContentsSearch<'a> {
    script: &'a Script,
    store: &'a TypeStore,
    /// The types of all constructors.
    ctors: &'a [Ty],
    /// A cache of the contents of datatypes, with and without functions. A script may have one use for each
    /// constructor, so not every use may visit all constructors.
    known: Map<(TypeId, bool), Rc<Contents>>,
}

impl ContentsSearch<'_> {
    /// The datatypes whose values a built-in can see in values of a type. Processes and functions can
    /// hold values of every type; but what `show` makes of a function is the same text for all. A
    /// variable holds none: where it is instantiated, the use there is looked at.
    fn of_use(&mut self, builtin: Builtin, t: Ty) -> SeenTypes {
        let functions = builtin != Builtin::Show;
        let mut held = Contents::default();
        // What stands in the type itself, and then what values of these datatypes hold.
        for datatype in self.add(t, functions, &mut held) {
            let inside = self.of_datatype(datatype, functions);
            held.datatypes.extend(&inside.datatypes);
            held.events |= inside.events;
            held.unknown |= inside.unknown;
        }
        if held.unknown {
            return SeenTypes::Unknown;
        }
        let mut datatypes: Vec<TypeId> = held.datatypes.into_iter().collect();
        datatypes.sort_unstable();
        SeenTypes::Types {
            datatypes,
            events: held.events,
        }
    }

    /// The contents of a datatype: the fields of its constructors, transitively.
    fn of_datatype(&mut self, datatype: TypeId, functions: bool) -> Rc<Contents> {
        if let Some(known) = self.known.get(&(datatype, functions)) {
            return Rc::clone(known);
        }
        let mut held = Contents::default();
        // It is marked first, as it may contain itself.
        held.datatypes.insert(datatype);
        let mut todo = vec![datatype];
        while let Some(next) = todo.pop() {
            for (ctor, _) in &self.script.types[next.0 as usize].clauses {
                todo.extend(self.add(self.ctors[ctor.0 as usize], functions, &mut held));
            }
        }
        let held = Rc::new(held);
        self.known.insert((datatype, functions), Rc::clone(&held));
        held
    }

    /// Adds what stands in a type itself; the answer is the datatypes that are new.
    fn add(&self, t: Ty, functions: bool, held: &mut Contents) -> Vec<TypeId> {
        let mut new = Vec::new();
        self.store.walk(t, |kind| match kind {
            TyKind::Fun(..) if !functions => {}
            TyKind::Any | TyKind::Proc | TyKind::Fun(..) => held.unknown = true,
            TyKind::Event => held.events = true,
            TyKind::Data(d) if held.datatypes.insert(*d) => new.push(*d),
            _ => {}
        });
        new
    }
}
