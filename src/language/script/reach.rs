//! Reachability of declarations: those that expressions mention, directly or through others.

use super::core::{
    Assertion, AssertionKind, Builtin, ChannelId, Expr, ExprKind, Function, GlobalId, GlobalKind,
    Script, TypeId,
};
use super::visit::{self, Mention, Visit};
use crate::source::Span;
use crate::source::hash::IndexSet;

/// A declaration of the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TopLevel {
    /// A definition.
    Global(GlobalId),
    /// A channel.
    Channel(ChannelId),
    /// A datatype or subtype.
    Type(TypeId),
}

/// All declarations that some expressions reach, in the order in which they are found. `also` visits every mention
/// in the expressions and in the declarations.
pub fn reach(script: &Script, roots: &[&Expr], also: &mut dyn Visit) -> IndexSet<TopLevel> {
    let mut walk = ReachWalk {
        script,
        found: IndexSet::default(),
        also,
    };
    for root in roots {
        visit::expr(root, &mut walk);
    }
    let mut done = 0;
    // What is found is also what is left to do: the set grows while it is gone through.
    while let Some(node) = walk.found.get_index(done).copied() {
        done += 1;
        inside(script, node, &mut walk);
    }
    walk.found
}

/// Every mention in one declaration.
pub fn inside(script: &Script, node: TopLevel, f: &mut dyn Visit) {
    match node {
        TopLevel::Global(g) => match &script.globals[g.0 as usize].kind {
            GlobalKind::Value(e) | GlobalKind::Nametype(e) => visit::expr(e, f),
            GlobalKind::Function(function) => visit::clauses(function, f),
            GlobalKind::Part { binding, .. } => {
                visit::pattern(&binding.0, f);
                visit::expr(&binding.1, f);
            }
        },
        TopLevel::Channel(c) => {
            if let Some(fields) = &script.channels[c.0 as usize].fields {
                visit::expr(fields, f);
            }
        }
        TopLevel::Type(t) => {
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

/// The declaration that a mention leads to.
fn declaration(script: &Script, mention: Mention) -> Option<TopLevel> {
    match mention {
        Mention::Global(g) => Some(TopLevel::Global(g)),
        Mention::Type(t) => Some(TopLevel::Type(t)),
        Mention::Ctor(c) | Mention::CtorPattern(c) => {
            Some(TopLevel::Type(script.ctors[c.0 as usize].owner))
        }
        Mention::Channel(c) | Mention::ChannelPattern(c) => Some(TopLevel::Channel(c)),
        Mention::Local(_) | Mention::Builtin(_) | Mention::Binder(_) => None,
    }
}

/// Whether an expression is the message of an `error`, where evaluation ends anyway.
#[must_use]
pub fn is_error(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Apply(f, _) if matches!(f.kind, ExprKind::Builtin(Builtin::Error)))
}

/// The declarations whose meaning may depend on an order among values: they reach one of the
/// functions of Def. 23.2. Messages of `error` do not count.
pub struct Ordered<'a> {
    script: &'a Script,
    found: IndexSet<TopLevel>,
}

impl<'a> Ordered<'a> {
    /// Finds those of a script.
    #[must_use]
    pub fn new(script: &'a Script) -> Self {
        let mut ordered = Self {
            script,
            found: IndexSet::default(),
        };
        let mut open: Vec<(TopLevel, MentionedByText)> = nodes(script)
            .map(|node| (node, ordered.look(|looked| inside(script, node, looked))))
            .collect();
        loop {
            let before = ordered.found.len();
            // Those that are found may make others of them: until no more are found.
            open.retain(|(node, looked)| {
                let yes = ordered.holds(looked);
                if yes {
                    ordered.found.insert(*node);
                }
                !yes
            });
            if ordered.found.len() == before {
                return ordered;
            }
        }
    }

    /// Whether a declaration is one of them.
    #[must_use]
    pub fn has(&self, node: TopLevel) -> bool {
        self.found.contains(&node)
    }

    /// Whether an expression is like them.
    #[must_use]
    pub fn has_expression(&self, e: &Expr) -> bool {
        let looked = self.look(|looked| visit::expr(e, looked));
        self.holds(&looked)
    }

    fn look(&self, walk: impl FnOnce(&mut MentionedByText<'a>)) -> MentionedByText<'a> {
        let mut looked = MentionedByText {
            script: self.script,
            nodes: IndexSet::default(),
            direct: false,
        };
        walk(&mut looked);
        looked
    }

    fn holds(&self, looked: &MentionedByText<'_>) -> bool {
        looked.direct || looked.nodes.iter().any(|n| self.found.contains(n))
    }
}

/// The mentions of a text.
struct MentionedByText<'a> {
    script: &'a Script,
    nodes: IndexSet<TopLevel>,
    /// A function of Def. 23.2 is among it.
    direct: bool,
}

impl Visit for MentionedByText<'_> {
    fn mention(&mut self, mention: Mention, _: Span) {
        self.direct |= matches!(mention, Mention::Builtin(b) if b.sees_order());
        // All channels are in it.
        if matches!(mention, Mention::Builtin(Builtin::Events)) {
            let all = 0..self.script.channels.len() as u32;
            self.nodes
                .extend(all.map(|c| TopLevel::Channel(ChannelId(c))));
        }
        self.nodes.extend(declaration(self.script, mention));
    }

    fn enters(&self, e: &Expr) -> bool {
        !is_error(e)
    }
}

struct ReachWalk<'a> {
    script: &'a Script,
    found: IndexSet<TopLevel>,
    also: &'a mut dyn Visit,
}

impl Visit for ReachWalk<'_> {
    fn mention(&mut self, mention: Mention, span: Span) {
        self.found.extend(declaration(self.script, mention));
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
    for root in script.assertions.iter().flat_map(Assertion::roots) {
        visit::expr(root, f);
    }
    for print in &script.prints {
        visit::expr(print, f);
    }
}

/// Whether a script chases processes, but in no specification and under no priority of τ: then nothing
/// compares chased processes or looks at their single steps.
#[must_use]
pub fn chases_in_implementations_alone(script: &Script) -> bool {
    let is_chase = |mention| {
        let Mention::Builtin(function) = mention else {
            return false;
        };
        matches!(function, Builtin::Chase | Builtin::ChaseNoCache)
    };
    let mut chases = false;
    everything(script, &mut |mention: Mention, _: Span| {
        chases |= is_chase(mention);
    });
    // What a specification does is compared with, event by event, and under a priority single steps
    // count.
    let compares = |assertion: &Assertion| {
        let mut found = assertion.tau_priority.is_some();
        if let AssertionKind::Refinement { spec, .. } = &assertion.kind {
            reach(script, &[spec], &mut |mention: Mention, _: Span| {
                found |= is_chase(mention);
            });
        }
        found
    };
    chases && !script.assertions.iter().any(compares)
}

/// Every declaration.
fn nodes(script: &Script) -> impl Iterator<Item = TopLevel> {
    let ids = |n: usize| 0..n as u32;
    let globals = ids(script.globals.len()).map(|i| TopLevel::Global(GlobalId(i)));
    let channels = ids(script.channels.len()).map(|i| TopLevel::Channel(ChannelId(i)));
    let types = ids(script.types.len()).map(|i| TopLevel::Type(TypeId(i)));
    globals.chain(channels).chain(types)
}
