//! An index from places of the text to the meanings of names, for hovering and going to definitions.

use super::core::{Builtin, ChannelId, CtorId, GlobalId, Script, TypeId, VariableId};
use super::reach::everything;
use super::types::Types;
use super::visit::Mention;
use crate::source::hash::{IndexMap, Map};
use crate::source::{FileId, Span};

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A definition of the top level or of a module.
    Global(GlobalId),
    /// A datatype or subtype.
    Type(TypeId),
    /// A constructor.
    Ctor(CtorId),
    /// A channel.
    Channel(ChannelId),
    /// A variable.
    Local(VariableId),
    /// Built in.
    Builtin(Builtin),
}

/// All names of a script with their meanings.
#[derive(Debug, Default)]
pub struct Index {
    /// In the order of their starts.
    names: Vec<(Span, Definition)>,
    /// The binding places of variables.
    binders: IndexMap<VariableId, Span>,
}

impl Index {
    /// The names of a script.
    #[must_use]
    pub fn new(script: &Script) -> Self {
        let mut this = Self::default();
        // What the translation of Timed sections made has no place of its own.
        let written = script.globals.iter().enumerate().filter(|(_, g)| !g.made);
        for (i, global) in written {
            let id = GlobalId(i as u32);
            this.names.push((global.span, Definition::Global(id)));
        }
        for (i, datatype) in script.types.iter().enumerate() {
            let id = TypeId(i as u32);
            this.names.push((datatype.span, Definition::Type(id)));
        }
        for (i, channel) in script.channels.iter().enumerate() {
            let id = ChannelId(i as u32);
            this.names.push((channel.span, Definition::Channel(id)));
        }
        // No name that is written has a space. What follows an event in a Timed section is called by such a name, in the
        // place of what is written there, which may be a single name.
        let is_made = |l: VariableId| script.locals[l.0 as usize].contains(' ');
        everything(script, &mut |mention: Mention, span: Span| {
            let definition = match mention {
                Mention::Local(l) | Mention::Binder(l) if is_made(l) => return,
                // A section has its own `WAIT`, `STOP` and so on, which the script does not define.
                Mention::Global(g) if script.globals[g.0 as usize].made => {
                    let name = &*script.globals[g.0 as usize].name;
                    match Builtin::ALL.iter().find(|b| b.name() == name) {
                        Some(b) => Definition::Builtin(*b),
                        None => return,
                    }
                }
                Mention::Local(l) => Definition::Local(l),
                Mention::Global(g) => Definition::Global(g),
                Mention::Type(t) => Definition::Type(t),
                Mention::Ctor(c) | Mention::CtorPattern(c) => Definition::Ctor(c),
                Mention::Channel(c) | Mention::ChannelPattern(c) => Definition::Channel(c),
                Mention::Builtin(b) => Definition::Builtin(b),
                Mention::Binder(l) => {
                    this.binders.entry(l).or_insert(span);
                    Definition::Local(l)
                }
            };
            this.names.push((span, definition));
        });
        // What is written once may be translated to several copies, each with variables of its own: the index has the first.
        let mut first: Map<Span, VariableId> = Map::default();
        for (local, span) in &this.binders {
            first.entry(*span).or_insert(*local);
        }
        for (_, definition) in &mut this.names {
            if let Definition::Local(local) = definition
                && let Some(span) = this.binders.get(local)
            {
                *local = first[span];
            }
        }
        this.names.sort_by_key(|(span, _)| *span);
        this.names.dedup_by_key(|(span, _)| *span);
        this
    }

    /// Every name, in the order of the text.
    pub fn all(&self) -> impl Iterator<Item = (Span, Definition)> + '_ {
        self.names.iter().copied()
    }

    /// The name at a byte of a file, with its meaning.
    #[must_use]
    pub fn at(&self, file: FileId, offset: u32) -> Option<(Span, Definition)> {
        let after = self
            .names
            .partition_point(|(s, _)| (s.file, s.start) <= (file, offset));
        // Names do not nest, but what stands in parentheses counts with them.
        self.names[..after]
            .iter()
            .rev()
            .take_while(|(s, _)| s.file == file)
            .take(NEAR)
            .filter(|(s, _)| s.end >= offset)
            .min_by_key(|(s, _)| s.end - s.start)
            .copied()
    }

    /// Every place where something is named, in order.
    pub fn places(&self, what: Definition) -> impl Iterator<Item = Span> + '_ {
        let of = move |(span, found): &(Span, Definition)| (*found == what).then_some(*span);
        self.names.iter().filter_map(of)
    }

    /// Whether another script has as many names with equal meanings.
    #[must_use]
    pub fn means_the_same(&self, other: &Self) -> bool {
        let definitions = |index: &Self| index.names.iter().map(|(_, d)| *d).collect::<Vec<_>>();
        definitions(self) == definitions(other)
    }

    /// The place of a definition; none for built-ins.
    #[must_use]
    pub fn place(&self, script: &Script, definition: Definition) -> Option<Span> {
        match definition {
            Definition::Global(g) => script.globals.get(g.0 as usize).map(|g| g.span),
            Definition::Type(t) => script.types.get(t.0 as usize).map(|t| t.span),
            Definition::Ctor(c) => script.ctors.get(c.0 as usize).map(|c| c.span),
            Definition::Channel(c) => script.channels.get(c.0 as usize).map(|c| c.span),
            Definition::Local(l) => self.binders.get(&l).copied(),
            Definition::Builtin(_) => None,
        }
    }
}

/// Names before a place that are examined.
const NEAR: usize = 16;

/// A description of a meaning, in a line of CSPm where possible: `f :: (Int) -> Proc`.
#[must_use]
pub fn describe(script: &Script, types: &Types, definition: Definition) -> String {
    let (name, shown) = match definition {
        Definition::Global(g) => (&script.globals[g.0 as usize].name, types.show(g)),
        Definition::Ctor(c) => (&script.ctors[c.0 as usize].name, types.show_ctor(c)),
        Definition::Channel(c) => (&script.channels[c.0 as usize].name, types.show_channel(c)),
        Definition::Local(l) => (&script.locals[l.0 as usize], types.show_local(l)),
        Definition::Type(t) => {
            let name = &script.types[t.0 as usize].name;
            (name, format!("{{{name}}}"))
        }
        Definition::Builtin(b) => return b.name().to_owned(),
    };
    format!("{name} :: {shown}")
}
