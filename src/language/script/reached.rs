//! A search through declarations, with the path to each.

use std::rc::Rc;

use super::core::Script;
use super::reach::TopLevel;
use crate::source::Span;
use crate::source::hash::IndexMap;

/// Declarations in the order in which they were reached.
#[derive(Default)]
pub(super) struct Reached {
    /// Each with the declaration that mentioned it first, and the place there. That one stands before it.
    all: IndexMap<TopLevel, Option<(TopLevel, Span)>>,
    /// The number of examined ones.
    done: usize,
}

impl Reached {
    /// A declaration is mentioned: by another one, or where the search begins.
    pub fn add(&mut self, node: TopLevel, from: Option<(TopLevel, Span)>) {
        debug_assert!(
            from.is_none_or(|(before, _)| self.all.contains_key(&before)),
            "what mentions something was reached itself"
        );
        self.all.entry(node).or_insert(from);
    }

    /// Whether a declaration was mentioned.
    pub fn contains(&self, node: TopLevel) -> bool {
        self.all.contains_key(&node)
    }

    /// The next declaration to be looked into.
    pub fn next_open(&mut self) -> Option<TopLevel> {
        let (node, _) = self.all.get_index(self.done)?;
        self.done += 1;
        Some(*node)
    }

    /// The ways to all of them.
    pub fn ways<'a>(&'a self, script: &'a Script) -> ReachTree<'a> {
        ReachTree::new(script, &self.all)
    }
}

/// Declarations of a long way that are shown, at each of its ends.
const ENDS: usize = 20;

/// The tree of a search: the path by which each declaration was reached from the roots.
pub(super) struct ReachTree<'a> {
    script: &'a Script,
    reached: &'a IndexMap<TopLevel, Option<(TopLevel, Span)>>,
    /// For each of `reached`, by its index.
    steps: Vec<WayStep>,
}

/// The place of a declaration on its path.
#[derive(Clone, Copy)]
struct WayStep {
    /// The number of declarations on the path, this one included.
    length: usize,
    /// The one on the way with [`ENDS`] before it; on a shorter way, this one.
    after_start: usize,
}

impl<'a> ReachTree<'a> {
    fn new(script: &'a Script, reached: &'a IndexMap<TopLevel, Option<(TopLevel, Span)>>) -> Self {
        let mut steps: Vec<WayStep> = Vec::with_capacity(reached.len());
        for (at, from) in reached.values().enumerate() {
            // Who mentioned a declaration first was reached before it was: its step is known.
            let before = from.and_then(|(node, _)| reached.get_index_of(&node));
            let before = before.and_then(|before| steps.get(before));
            let length = before.map_or(0, |before| before.length) + 1;
            let after_start = match before {
                Some(before) if before.length > ENDS => before.after_start,
                _ => at,
            };
            steps.push(WayStep {
                length,
                after_start,
            });
        }
        Self {
            script,
            reached,
            steps,
        }
    }

    /// The declarations that lead to one, outermost first, each with the place in the one before that
    /// mentions it (the first with its own). In the middle of a long way one entry says how many are
    /// left out: there may be as many places as declarations, and then the ways to all of them would
    /// be as long as the square of that.
    pub fn to(&self, node: TopLevel) -> Vec<(Rc<str>, Span)> {
        let todo = self.reached;
        let Some(last) = todo.get_index_of(&node) else {
            return Vec::new();
        };
        let WayStep {
            length,
            after_start,
        } = self.steps[last];
        let left_out = length.saturating_sub(2 * ENDS);
        let mut chain = Vec::new();
        let mut next = Some(last);
        // The way back visits declarations in the order in which they were reached: it ends.
        while let Some((at, (node, from))) = next.and_then(|at| Some((at, todo.get_index(at)?))) {
            // From the inner end: after so many, one entry stands for all up to `after_start`. A
            // single one might as well be shown itself.
            let skips = left_out > 1 && chain.len() == ENDS;
            let (name, own, from) = if skips {
                let (node, from) = todo.get_index(after_start).unwrap_or((node, from));
                let (_, own) = declared(self.script, *node);
                (format!("… {left_out} more …").into(), own, from)
            } else {
                let (name, own) = declared(self.script, *node);
                (name, own, from)
            };
            chain.push((name, from.map_or(own, |(_, span)| span)));
            next = from.and_then(|(before, _)| todo.get_index_of(&before));
            debug_assert!(next.is_none_or(|next| next < at), "a way that does not end");
        }
        chain.reverse();
        chain
    }
}

/// The name and the place of a declaration.
fn declared(script: &Script, node: TopLevel) -> (Rc<str>, Span) {
    match node {
        TopLevel::Global(g) => {
            let global = &script.globals[g.0 as usize];
            (Rc::clone(&global.name), global.span)
        }
        TopLevel::Channel(c) => {
            let channel = &script.channels[c.0 as usize];
            (Rc::clone(&channel.name), channel.span)
        }
        TopLevel::Type(t) => {
            let datatype = &script.types[t.0 as usize];
            (Rc::clone(&datatype.name), datatype.span)
        }
    }
}
