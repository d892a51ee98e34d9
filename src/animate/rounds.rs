//! The rounds of `ordering-n1` and `ordering-n2` in words: the partition after each. Their numbers are not those
//! that the panes of `ordering` show, so they have steps of their own.

use super::courses::Namer;
use super::sentences::blocks;
use super::strategy::{ChoiceMark, StepView};
use crate::symmetry::StrategyKind;
use crate::symmetry::observe::Observer;
use crate::symmetry::partition::{OrderedPartition, Vector};
use crate::symmetry::trace::BlockList;

/// Something that component ordering did.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OrderingRound {
    /// Step 1, with the partition that it made.
    Started(BlockList),
    /// Step 2: a round that split something.
    Split(BlockList),
    /// Step 2: a round that split nothing.
    FixedPoint,
    /// Step 3: the member that was put first, and whether all picks are alike.
    Chosen(usize, bool, BlockList),
}

/// Keeps the partition after each round.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    all: Vec<OrderingRound>,
}

impl Observer for Rounds {
    fn initial(&mut self, _: &Vector, blocks: &OrderedPartition) {
        self.all.push(OrderingRound::Started(blocks.to_partition()));
    }

    fn refined(&mut self, _: &Vector, blocks: &OrderedPartition, changed: bool) {
        self.all.push(if changed {
            OrderingRound::Split(blocks.to_partition())
        } else {
            OrderingRound::FixedPoint
        });
    }

    fn choice(&mut self, _: &Vector, blocks: &OrderedPartition, block: usize, all: bool) {
        let after = blocks.to_partition();
        // The block keeps its index, and its first part is the member that was picked.
        let picked = after[block][0];
        self.all.push(OrderingRound::Chosen(picked, all, after));
    }
}

/// The property that step 2 compares, in a sentence.
fn compared(kind: StrategyKind) -> &'static str {
    match kind {
        StrategyKind::OrderingN1 => {
            "Components of one block are told apart by n' (Sec. 7.5): for each of their variables, which \
             variables of which blocks hold the same value, and not in how many components."
        }
        _ => {
            "Components of one block are told apart by n'' (Sec. 7.5): in how many components of each \
             block some variable holds the same value as some variable of theirs."
        }
    }
}

impl Rounds {
    /// Why every state of the orbit gets the same representative, if step 3 made no choice that matters.
    pub(super) fn proof(&self) -> Option<&'static str> {
        let choices = self.all.iter().filter_map(|round| match round {
            OrderingRound::Chosen(_, all_alike, _) => Some(*all_alike),
            _ => None,
        });
        match choices.reduce(|a, b| a && b) {
            None => Some("no choice was needed"),
            Some(true) => Some("Prop 50"),
            Some(false) => None,
        }
    }

    /// The steps, without the result.
    pub(super) fn steps(&self, kind: StrategyKind, names: &Namer<'_>) -> Vec<StepView> {
        let mut steps = Vec::new();
        let mut count = names.components.len();
        let mut number = 0;
        for round in &self.all {
            let (title, sentence, mark, after) = match round {
                OrderingRound::Started(after) => {
                    count = names.components.len();
                    (
                        "step 1  control state".to_owned(),
                        "Components are told apart by their control states and by values of other \
                         types (Def. 36)."
                            .to_owned(),
                        ChoiceMark::Forced,
                        Some(after),
                    )
                }
                OrderingRound::Split(after) => {
                    number += 1;
                    let title = format!("step 2.{number}  split");
                    let sentence = compared(kind).to_owned();
                    (title, sentence, ChoiceMark::Forced, Some(after))
                }
                OrderingRound::FixedPoint => {
                    number += 1;
                    let title = format!("step 2.{number}  no split");
                    let sentence = format!("{} Nothing more is told apart.", compared(kind));
                    (title, sentence, ChoiceMark::Forced, None)
                }
                OrderingRound::Chosen(picked, all_alike, after) => {
                    let picked = names.component(*picked as u16);
                    let (sentence, mark) = choice(picked, *all_alike);
                    let title = format!("step 3  {picked} first");
                    (title, sentence, mark, Some(after))
                }
            };
            let detail = match after {
                Some(after) => format!("{count} -> {}", blocks(after.len())),
                None => blocks(count),
            };
            count = after.map_or(count, Vec::len);
            steps.push(StepView {
                title,
                detail,
                mark,
                sentences: vec![sentence],
                state: after.map_or_else(Vec::new, |after| {
                    vec![(String::new(), listed(names, after))]
                }),
            });
        }
        steps.push(order_of_values());
        steps
    }
}

/// The text of a choice, and whether it may make a difference.
fn choice(picked: &str, all_alike: bool) -> (String, ChoiceMark) {
    if all_alike {
        (
            "The members of a block differ only in values that occur nowhere else (Def. 49): every order \
             gives the same state."
                .to_owned(),
            ChoiceMark::Harmless,
        )
    } else {
        (
            format!(
                "A block has several members: {picked} is put first, for no other reason than where it \
                 stands in the state."
            ),
            ChoiceMark::Harmful,
        )
    }
}

/// The last step but the result.
fn order_of_values() -> StepView {
    StepView {
        title: "order the values".to_owned(),
        detail: "by appearance".to_owned(),
        mark: ChoiceMark::Forced,
        sentences: vec![
            "The values of each type are listed in the order in which the ordered components hold them, \
             and named in this order (Defs. 38 and 40). The elements of a set come in the order of their \
             n-values."
                .to_owned(),
        ],
        state: Vec::new(),
    }
}

/// A partition, as `{Node[N0] Node[N1]} {Top}`.
fn listed(names: &Namer<'_>, blocks: &BlockList) -> String {
    let set = |block: &Vec<usize>| {
        let members: Vec<u16> = block.iter().map(|c| *c as u16).collect();
        names.component_set(&members)
    };
    blocks.iter().map(set).collect::<Vec<_>>().join(" ")
}
