//! Digests of states and events, as names that are valid outside of one machine ([`crate::process::digest`]).

use super::events::EventId;
use super::ids::{FormatId, LocalId};
use super::network::Network;
use super::shared::Machine;
use super::tree::{EndingOperator, Precedence, Tree};
pub use crate::process::digest::Digest;
use crate::process::digest::Digests;
use crate::process::term::Label;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::value::{Data, Value};

/// Cache of digests for one network of a machine.
#[derive(Debug, Default)]
pub struct MachineDigests {
    digests: Digests,
    locals: Map<LocalId, Digest>,
    formats: Map<FormatId, Digest>,
}

impl Machine {
    /// The digest of a state: of the operators above its components, and of these, in vector order. Equal components
    /// under other operators are another state.
    pub fn digest_state(
        &mut self,
        (network, format): (&Network, FormatId),
        state: &[LocalId],
        known: &mut MachineDigests,
    ) -> Digest {
        let operators = match known.formats.get(&format) {
            Some(digest) => *digest,
            None => {
                let tree = self.without_silence_first(network.format(format).tree());
                self.digest_tree(tree, &mut known.digests)
            }
        };
        known.formats.insert(format, operators);
        let locals = state.iter().map(|local| self.digest_local(*local, known));
        let locals: Vec<Digest> = locals.collect();
        Digest::of_all(std::iter::once(operators).chain(locals))
    }

    /// Strips the priority of silence that an assertion puts above both sides: an animated process has none.
    fn without_silence_first<'t>(&self, tree: &'t Tree) -> &'t Tree {
        match tree {
            Tree::Priority(below, Precedence::Partial { order, .. }) => {
                let without_pairs = self.eval.store().data(*order) == &Data::Set([].into());
                if without_pairs { below } else { tree }
            }
            _ => tree,
        }
    }

    /// The digest of a tree. Leaves are numbered from left to right, so their numbers carry no information.
    fn digest_tree(&self, tree: &Tree, known: &mut Digests) -> Digest {
        let (store, terms) = (self.eval.store(), self.eval.terms());
        let value = |known: &mut Digests, v: Value| known.value(store, terms, v);
        let below = |known: &mut Digests, tree: &Tree| deep(|| self.digest_tree(tree, known));
        let (own, parts) = match tree {
            Tree::Leaf(_) => ("component", Vec::new()),
            Tree::Interleave(operands) => {
                let operands = operands.iter().map(|p| below(known, p));
                ("|||", operands.collect())
            }
            Tree::Sharing(set, operands) => {
                let set = value(known, *set);
                let operands = operands.iter().map(|p| below(known, p));
                ("[||]", std::iter::once(set).chain(operands).collect())
            }
            Tree::Alphabetised(operands) => {
                let operand = |(set, p): &(Value, Tree)| [value(known, *set), below(known, p)];
                ("||", operands.iter().flat_map(operand).collect())
            }
            Tree::Link(p, links, q) => {
                let both = [below(known, p), below(known, q)];
                ("[<->]", vec![value(known, *links), both[0], both[1]])
            }
            Tree::Hide(p, set, keeps) => {
                let own = if *keeps { "keeping" } else { "hiding" };
                (own, vec![value(known, *set), below(known, p)])
            }
            Tree::Rename(p, map) => ("[[]]", vec![value(known, *map), below(known, p)]),
            Tree::Priority(p, Precedence::Levels(levels)) => {
                ("prioritise", vec![value(known, *levels), below(known, p)])
            }
            Tree::Priority(p, Precedence::Partial { order, below: low }) => {
                let sets = [*order, *low].map(|v| value(known, v));
                ("prioritisepo", vec![sets[0], sets[1], below(known, p)])
            }
            Tree::Priority(p, Precedence::Chase) => ("chase", vec![below(known, p)]),
            Tree::Ending(operator) => {
                let own = match operator {
                    EndingOperator::Sequence(..) => ";",
                    EndingOperator::Choice(_) => "[]",
                    EndingOperator::Interrupt(_) => "/\\",
                    EndingOperator::Exception(..) => "[||>",
                };
                let operands = operator.operands().into_iter().map(|p| below(known, p));
                let mut parts: Vec<Digest> = operands.collect();
                if let EndingOperator::Exception(_, set, _) = operator {
                    parts.push(value(known, *set));
                }
                let next = operator.next();
                parts.extend(next.map(|next| known.term(store, terms, next)));
                (own, parts)
            }
        };
        Digest::of_operator(&own, &parts)
    }

    /// The digest of a local state.
    pub fn digest_local(&mut self, local: LocalId, known: &mut MachineDigests) -> Digest {
        if let Some(digest) = known.locals.get(&local) {
            return *digest;
        }
        let term = self.term_of(local);
        let (store, terms) = (self.eval.store(), self.eval.terms());
        let digest = known.digests.term(store, terms, term);
        known.locals.insert(local, digest);
        digest
    }

    /// The digest of an event: of its value, if it is visible.
    #[must_use]
    pub fn digest_event(&self, event: EventId, known: &mut MachineDigests) -> Digest {
        let value = match self.events.label(event) {
            Label::Event(value) => {
                let (store, terms) = (self.eval.store(), self.eval.terms());
                vec![known.digests.value(store, terms, value)]
            }
            Label::Tau => Vec::new(),
            // Different from the digest of every visible event.
            Label::Tick => vec![Digest::of_all([])],
            Label::Done => vec![Digest::of_all([]); 2],
        };
        Digest::of_all(value)
    }
}
