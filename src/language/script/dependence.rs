//! Dependence between declarations: groups that refer to each other (strongly connected components), each after
//! those that it depends on. Types are inferred in this order.

use std::rc::Rc;

use super::core::{
    ChannelId, CtorId, Expr, GlobalId, GlobalKind, LocalDef, Pattern, Script, TypeId, VariableId,
};
use super::visit::{self, Mention};
use crate::source::Span;
use crate::source::components::components;
use crate::source::hash::{IndexSet, Map};

/// Something that the top level declares, other than a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeDecl {
    Ctor(CtorId),
    Channel(ChannelId),
    Type(TypeId),
}

/// Declarations of the top level that refer to each other.
#[derive(Debug, Default)]
pub(super) struct DeclGroup {
    pub globals: Vec<GlobalId>,
    pub others: Vec<TypeDecl>,
}

/// All declarations of a script, in groups.
pub(super) fn groups(script: &Script) -> Vec<DeclGroup> {
    let nodes = NodeNumbers {
        globals: script.globals.len(),
        ctors: script.ctors.len(),
        channels: script.channels.len(),
    };
    let edges = edges(script, &nodes);
    let group = |component: Vec<usize>| {
        let mut group = DeclGroup::default();
        for at in component {
            match nodes.other(at) {
                None => group.globals.push(GlobalId(at as u32)),
                Some(other) => group.others.push(other),
            }
        }
        group
    };
    components(&edges).into_iter().map(group).collect()
}

/// Nodes of the graph of top-level definitions: globals, then constructors, channels, datatypes.
struct NodeNumbers {
    globals: usize,
    ctors: usize,
    channels: usize,
}

impl NodeNumbers {
    fn of(&self, mention: Mention) -> Option<usize> {
        match mention {
            Mention::Global(g) => Some(g.0 as usize),
            Mention::Ctor(c) | Mention::CtorPattern(c) => Some(self.globals + c.0 as usize),
            Mention::Channel(c) | Mention::ChannelPattern(c) => {
                Some(self.globals + self.ctors + c.0 as usize)
            }
            Mention::Type(t) => Some(self.datatype(t)),
            _ => None,
        }
    }

    fn datatype(&self, t: TypeId) -> usize {
        self.globals + self.ctors + self.channels + t.0 as usize
    }

    /// The type declaration of a node, if it is not a definition.
    fn other(&self, at: usize) -> Option<TypeDecl> {
        let ctor = at.checked_sub(self.globals)?;
        let Some(channel) = ctor.checked_sub(self.ctors) else {
            return Some(TypeDecl::Ctor(CtorId(ctor as u32)));
        };
        Some(match channel.checked_sub(self.channels) {
            None => TypeDecl::Channel(ChannelId(channel as u32)),
            Some(datatype) => TypeDecl::Type(TypeId(datatype as u32)),
        })
    }
}

/// The mentions of each node.
fn edges(script: &Script, nodes: &NodeNumbers) -> Vec<Vec<usize>> {
    let mut edges = Vec::new();
    let mut first_part: Map<*const (Pattern, Expr), usize> = Map::default();
    for (i, global) in script.globals.iter().enumerate() {
        let mut out: IndexSet<usize> = IndexSet::default();
        let mut add = |m: Mention, _: Span| out.extend(nodes.of(m));
        match &global.kind {
            GlobalKind::Value(e) | GlobalKind::Nametype(e) => visit::expr(e, &mut add),
            GlobalKind::Function(f) => visit::clauses(f, &mut add),
            GlobalKind::Part { binding, .. } => {
                visit::pattern(&binding.0, &mut add);
                visit::expr(&binding.1, &mut add);
                // All variables of one binding are inferred together.
                // Edges to the first variable of the binding and back make them one component.
                let first = *first_part.entry(Rc::as_ptr(binding)).or_insert(i);
                if first != i {
                    out.insert(first);
                    let back: &mut Vec<usize> = &mut edges[first];
                    back.push(i);
                }
            }
        }
        edges.push(out.into_iter().collect());
    }
    for (i, ctor) in script.ctors.iter().enumerate() {
        let mut out = mentions(script.fields(CtorId(i as u32)), nodes);
        // A datatype and its constructors are always one group: its values can be compared or not,
        // as a whole.
        out.push(nodes.datatype(ctor.owner));
        edges.push(out);
    }
    for channel in &script.channels {
        edges.push(mentions(channel.fields.as_deref(), nodes));
    }
    for datatype in &script.types {
        let clauses = datatype.clauses.iter();
        let mut out: Vec<usize> = clauses
            .filter_map(|(c, _)| nodes.of(Mention::Ctor(*c)))
            .collect();
        out.extend(datatype.subtype_of.map(|t| nodes.datatype(t)));
        edges.push(out);
    }
    edges
}

/// The definitions of a `let`, by their places in it, in groups.
pub(super) fn local_groups(defs: &[LocalDef]) -> Vec<Vec<usize>> {
    // Nothing to put in order; and lets that nest deeply need not be looked through each time.
    if defs.len() == 1 {
        return vec![vec![0]];
    }
    let mut owner: Map<VariableId, usize> = Map::default();
    for (i, def) in defs.iter().enumerate() {
        for local in defined(def) {
            owner.insert(local, i);
        }
    }
    let edges: Vec<Vec<usize>> = defs
        .iter()
        .map(|def| {
            let mut out: IndexSet<usize> = IndexSet::default();
            // Only variables of this `let`: others are known already.
            visit::local_def(def, &mut |m, _| {
                if let Mention::Local(l) = m {
                    out.extend(owner.get(&l).copied());
                }
            });
            out.into_iter().collect()
        })
        .collect();
    components(&edges)
}

fn mentions(e: Option<&Expr>, nodes: &NodeNumbers) -> Vec<usize> {
    let mut out: IndexSet<usize> = IndexSet::default();
    if let Some(e) = e {
        visit::expr(e, &mut |m, _| out.extend(nodes.of(m)));
    }
    out.into_iter().collect()
}

/// The variables that a local definition defines.
pub(super) fn defined(def: &LocalDef) -> Vec<VariableId> {
    match def {
        LocalDef::Function(local, ..) => vec![*local],
        LocalDef::Value(p, _) => {
            let mut out = Vec::new();
            visit::pattern(p, &mut |m, _| {
                if let Mention::Binder(l) = m {
                    out.push(l);
                }
            });
            out
        }
    }
}
