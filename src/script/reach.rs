//! What expressions reach: every declaration that they mention, directly or through others.

use super::core::{ChannelId, Expr, Function, GlobalId, GlobalKind, Script, TypeId};
use super::symmetric::roots;
use super::visit::{self, Mention, Visit};
use crate::source::Span;
use crate::source::hash::IndexSet;

/// A declaration of the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A definition.
    Global(GlobalId),
    /// A channel.
    Channel(ChannelId),
    /// A datatype or subtype.
    Type(TypeId),
}

/// All declarations that some expressions reach, in the order in which they are found. `also` is told
/// of every mention in the expressions and in the declarations.
pub fn reach(script: &Script, roots: &[&Expr], also: &mut dyn Visit) -> IndexSet<Node> {
    let mut walk = Walk {
        script,
        found: IndexSet::default(),
        also,
    };
    for root in roots {
        visit::expr(root, &mut walk);
    }
    let mut done = 0;
    while let Some(node) = walk.found.get_index(done).copied() {
        done += 1;
        inside(script, node, &mut walk);
    }
    walk.found
}

/// Every mention in one declaration.
pub fn inside(script: &Script, node: Node, f: &mut dyn Visit) {
    match node {
        Node::Global(g) => match &script.globals[g.0 as usize].kind {
            GlobalKind::Value(e) | GlobalKind::Nametype(e) => visit::expr(e, f),
            GlobalKind::Function(function) => visit::clauses(function, f),
            GlobalKind::Part { binding, .. } => {
                visit::pattern(&binding.0, f);
                visit::expr(&binding.1, f);
            }
        },
        Node::Channel(c) => {
            if let Some(fields) = &script.channels[c.0 as usize].fields {
                visit::expr(fields, f);
            }
        }
        Node::Type(t) => {
            for (ctor, fields) in &script.types[t.0 as usize].clauses {
                let span = script.ctors[ctor.0 as usize].span;
                f.mention(Mention::Ctor(*ctor), span);
                if let Some(fields) = fields {
                    visit::expr(fields, f);
                }
            }
        }
    }
}

struct Walk<'a> {
    script: &'a Script,
    found: IndexSet<Node>,
    also: &'a mut dyn Visit,
}

impl Visit for Walk<'_> {
    fn mention(&mut self, mention: Mention, span: Span) {
        let node = match mention {
            Mention::Global(g) => Some(Node::Global(g)),
            Mention::Type(t) => Some(Node::Type(t)),
            Mention::Ctor(c) | Mention::CtorPattern(c) => {
                Some(Node::Type(self.script.ctors[c.0 as usize].owner))
            }
            Mention::Channel(c) | Mention::ChannelPattern(c) => Some(Node::Channel(c)),
            Mention::Local(_) | Mention::Builtin(_) | Mention::Binder(_) => None,
        };
        self.found.extend(node);
        self.also.mention(mention, span);
    }

    fn enters(&self, e: &Expr) -> bool {
        self.also.enters(e)
    }

    fn expression(&mut self, e: &Expr) {
        self.also.expression(e);
    }

    fn function(&mut self, function: &Function) {
        self.also.function(function);
    }
}

/// Visits every expression of a script once.
pub fn everything(script: &Script, f: &mut dyn Visit) {
    for node in nodes(script) {
        inside(script, node, f);
    }
    for root in script.assertions.iter().flat_map(roots) {
        visit::expr(root, f);
    }
    for print in &script.prints {
        visit::expr(print, f);
    }
}

/// Every declaration.
fn nodes(script: &Script) -> impl Iterator<Item = Node> {
    let ids = |n: usize| 0..n as u32;
    let globals = ids(script.globals.len()).map(|i| Node::Global(GlobalId(i)));
    let channels = ids(script.channels.len()).map(|i| Node::Channel(ChannelId(i)));
    let types = ids(script.types.len()).map(|i| Node::Type(TypeId(i)));
    globals.chain(channels).chain(types)
}
