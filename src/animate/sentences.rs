//! The record of a representative's computation in words: never a bare tuple of numbers.

use num_bigint::BigUint;

use super::model::{
    ChoiceMark, ComponentView, Explanation, RepView, StepView, TypePermutation, UniquenessView,
};
use crate::report::numbers::grouped;
use crate::symmetry::trace::{BlockList, BlockSplit, Column, NTable, Step, TypeOrder, Variable};

/// A step of the algorithm as a line of the list of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The title, as `step 2.1  split block 2`.
    pub title: String,
    /// The result, as `3 -> 5 blocks`.
    pub detail: String,
    /// Whether the step made an arbitrary choice.
    pub choice: bool,
    /// The mark: whether the step made a choice, and whether that matters.
    pub mark: ChoiceMark,
}

impl Heading {
    /// The line of a step of a strategy other than `ordering`.
    #[must_use]
    pub fn of(step: &StepView) -> Self {
        Self {
            title: step.title.clone(),
            detail: step.detail.clone(),
            choice: step.mark != ChoiceMark::Forced,
            mark: step.mark,
        }
    }
}

/// The steps of a computation.
#[must_use]
pub fn headings(explanation: &Explanation) -> Vec<Heading> {
    let names = ComponentNames::new(&explanation.components);
    explanation
        .trace
        .steps
        .iter()
        .map(|step| heading(explanation, &names, step))
        .collect()
}

fn heading(explanation: &Explanation, names: &ComponentNames, step: &Step) -> Heading {
    let (title, detail) = title_and_detail(explanation, names, step);
    let mark = mark(explanation, step);
    Heading {
        title,
        detail,
        choice: mark != ChoiceMark::Forced,
        mark,
    }
}

/// The number of the step in the paper, and its result.
fn title_and_detail(
    explanation: &Explanation,
    names: &ComponentNames,
    step: &Step,
) -> (String, String) {
    match step {
        Step::Initial { after, .. } => (
            "step 1  control state".to_string(),
            format!(
                "{} -> {}",
                explanation.components.len(),
                blocks(after.len())
            ),
        ),
        Step::Count { round, .. } => (
            format!("step 2.{round}  count edges"),
            "n-values computed".to_string(),
        ),
        Step::Split {
            round,
            before,
            after,
            splits,
        } => {
            let which: Vec<_> = splits.iter().map(|s| (s.block + 1).to_string()).collect();
            let word = if which.len() == 1 { "block" } else { "blocks" };
            (
                format!("step 2.{round}  split {word} {}", which.join(",")),
                format!("{} -> {}", before.len(), blocks(after.len())),
            )
        }
        Step::FixedPoint { round, .. } => (
            format!("step 2.{round}  no split"),
            "counts are equal".to_string(),
        ),
        Step::Choice {
            block,
            before,
            after,
            ..
        } => (
            format!("step 3  pick in block {}", block + 1),
            choice_text(names, before, after, *block),
        ),
        Step::Ordered => (
            "order of components".to_string(),
            "every block is a single state".to_string(),
        ),
        Step::Tie { values, .. } => ("sets  tie".to_string(), values.join(", ")),
        Step::Types => (
            "order of values".to_string(),
            "by first appearance (Def. 38)".to_string(),
        ),
        Step::Generated => (
            "permutation".to_string(),
            permutation_parts(&explanation.representative).join("  "),
        ),
    }
}

/// Values that do not occur may come in any order: that changes the permutation, not the representative.
/// Nor does any other choice matter where all of them are known to lead to the same.
fn mark(explanation: &Explanation, step: &Step) -> ChoiceMark {
    let certain = explanation.representative.uniqueness.is_certain();
    // A single unseen value has one place left.
    let is_open = || explanation.trace.type_orders.iter().any(|t| unseen(t) > 1);
    match step {
        Step::Choice {
            fully_symmetric: true,
            ..
        } => ChoiceMark::Harmless,
        Step::Tie { harmless: true, .. } => ChoiceMark::Harmless,
        // Not harmless by themselves, but all picks were seen to agree.
        Step::Choice { .. } | Step::Tie { .. } if certain => ChoiceMark::Harmless,
        Step::Choice { .. } | Step::Tie { .. } => ChoiceMark::Harmful,
        Step::Types if is_open() => ChoiceMark::Harmless,
        _ => ChoiceMark::Forced,
    }
}

fn unseen(order: &TypeOrder) -> usize {
    order.values.len().saturating_sub(order.seen)
}

pub(super) fn blocks(count: usize) -> String {
    format!("{count} block{}", if count == 1 { "" } else { "s" })
}

/// Short names of components.
#[derive(Clone, Debug)]
pub struct ComponentNames(Vec<String>);

impl ComponentNames {
    /// The index where it says which component it is, otherwise `Family[index]`.
    #[must_use]
    pub fn new(components: &[ComponentView]) -> Self {
        // Two families may be indexed by one type: then the index alone does not say which is
        // meant.
        let unique = |name: &str| components.iter().filter(|c| c.index == name).count() == 1;
        let name = |c: &ComponentView| {
            if unique(&c.index) && !c.index.is_empty() {
                c.index.clone()
            } else {
                c.label()
            }
        };
        Self(components.iter().map(name).collect())
    }

    /// The name of a component.
    #[must_use]
    pub fn of(&self, component: usize) -> &str {
        self.0.get(component).map_or("?", String::as_str)
    }

    /// A set of components, as `{N0,N2}`.
    #[must_use]
    pub fn set(&self, members: &[usize]) -> String {
        let members: Vec<_> = members.iter().map(|m| self.of(*m)).collect();
        format!("{{{}}}", members.join(","))
    }

    /// `N0, N2 and N3`.
    #[must_use]
    pub fn list(&self, members: &[usize]) -> String {
        let names: Vec<_> = members.iter().map(|m| self.of(*m)).collect();
        match names.split_last() {
            None => "nobody".to_string(),
            Some((last, [])) => (*last).to_string(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        }
    }
}

/// A local state without spaces, as `Node(N0,B,N4)`.
#[must_use]
pub fn compact(component: &ComponentView) -> String {
    component.text.replace(", ", ",")
}

/// The blocks that a split has made.
pub(super) fn new_blocks(before: &BlockList, after: &BlockList) -> Vec<Vec<usize>> {
    let new = after.iter().filter(|block| !before.contains(block));
    new.cloned().collect()
}

pub(super) fn sets(names: &ComponentNames, blocks: &[Vec<usize>]) -> String {
    let sets: Vec<_> = blocks.iter().map(|block| names.set(block)).collect();
    sets.join(" ")
}

fn choice_text(
    names: &ComponentNames,
    before: &BlockList,
    after: &BlockList,
    block: usize,
) -> String {
    let members = before.get(block).map_or(&[][..], Vec::as_slice);
    let parts = sets(names, &new_blocks(before, after));
    format!("{} -> {parts}", names.set(members))
}

/// A variable of a component.
#[must_use]
pub fn variable(explanation: &Explanation, component: usize, index: usize) -> Option<&Variable> {
    explanation.trace.variables.get(component)?.get(index)
}

/// The variable `k` of the states in block `j`: all of them have the same variables.
fn block_variable<'a>(
    explanation: &'a Explanation,
    partition: &BlockList,
    column: Column,
) -> Option<&'a Variable> {
    let member = partition.get(column.j)?.first()?;
    variable(explanation, *member, column.k)
}

/// `me->S2.next`: the edges that a column counts.
#[must_use]
pub fn column_name(
    explanation: &Explanation,
    partition: &BlockList,
    member: usize,
    column: Column,
) -> String {
    let own = variable(explanation, member, column.i).map_or("?", |v| &v.name);
    let theirs = block_variable(explanation, partition, column).map_or("?", |v| &v.name);
    format!("{own}->S{}.{theirs}", column.j + 1)
}

/// The values of variables when the n-values of a step were counted: the elements of sets in the order of their own
/// counts.
fn values_at(explanation: &Explanation, step: usize) -> Option<&[Vec<String>]> {
    let until = explanation.trace.steps.get(..=step)?;
    until.iter().rev().find_map(|step| match step {
        Step::Count { values, .. } => Some(values.as_slice()),
        _ => None,
    })
}

/// The columns for the n-values of a step: the value that a member's column is about, and the components of block
/// `j` that the column counts for it.
#[must_use]
pub fn counted(
    explanation: &Explanation,
    step: usize,
    member: usize,
    column: Column,
) -> Option<(&str, Vec<usize>)> {
    let (partition, _) = tables_at(explanation, step)?;
    let values = values_at(explanation, step)?;
    let own = values.get(member)?.get(column.i)?;
    let holds = |other: &usize| {
        let variables = explanation.trace.variables.get(*other)?;
        let group = variables.get(column.k)?.group;
        let mut held = variables.iter().zip(values.get(*other)?);
        Some(held.any(|(variable, value)| variable.group == group && value == own))
    };
    let block = partition.get(column.j)?.iter().copied();
    Some((own, block.filter(|c| holds(c) == Some(true)).collect()))
}

/// The meaning of a count for a member, as `nobody in S2 points at it (through next)`.
#[must_use]
pub fn sentence(
    explanation: &Explanation,
    partition: &BlockList,
    member: usize,
    column: Column,
    count: u32,
) -> String {
    let block = format!("S{}", column.j + 1);
    let (Some(own), Some(theirs)) = (
        variable(explanation, member, column.i),
        block_variable(explanation, partition, column),
    ) else {
        return format!("{count} edges into {block}");
    };
    let (i, k) = (&own.name, &theirs.name);
    // In its own block a state counts itself, too (Def. 36 does not exclude it), which the text has to mention.
    let home = partition.get(column.j).is_some_and(|b| b.contains(&member));
    let not = if count == 0 { "not " } else { "" };
    match (own.identity, theirs.identity) {
        // An identity is held by one component of a family, so the count is 0 or 1: membership.
        (false, true) => format!("its {i} is {not}in {block}"),
        // Others that hold its identity refer to it.
        (true, false) if count == 0 => format!("nobody in {block} points at it (through {k})"),
        (true, false) => format!("{} at it (through {k})", states(count, &block, "point")),
        (true, true) if home => format!("it is {not}itself in {block}"),
        (true, true) => format!("{} its identity", states(count, &block, "have")),
        (false, false) if i == k && home => {
            format!(
                "{} the same {i} (counting itself)",
                states(count, &block, "hold")
            )
        }
        (false, false) if i == k => format!("{} the same {i}", states(count, &block, "hold")),
        (false, false) => format!("{} {k} equal to its {i}", states(count, &block, "have")),
    }
}

/// `2 states of S1 hold`, `1 state of S1 holds`, `no state of S1 holds`.
fn states(count: u32, block: &str, verb: &str) -> String {
    let singular = if verb == "have" {
        "has".to_string()
    } else {
        format!("{verb}s")
    };
    match count {
        0 => format!("no state of {block} {singular}"),
        1 => format!("1 state of {block} {singular}"),
        n => format!("{n} states of {block} {verb}"),
    }
}

/// The table of a block.
#[must_use]
pub fn table_of(tables: &[(usize, NTable)], block: usize) -> Option<&NTable> {
    let found = tables.iter().find(|(index, _)| *index == block);
    found.map(|(_, table)| table)
}

fn count_of(table: &NTable, member: usize, column: usize) -> Option<u32> {
    let (_, counts) = table.rows.iter().find(|(row, _)| *row == member)?;
    counts.get(column).copied()
}

/// The tables that belong to a step: those counted last.
#[must_use]
pub fn tables_at(
    explanation: &Explanation,
    step: usize,
) -> Option<(&BlockList, &[(usize, NTable)])> {
    let until = explanation.trace.steps.get(..=step)?;
    until.iter().rev().find_map(|step| match step {
        Step::Count { before, tables, .. } => Some((before, tables.as_slice())),
        _ => None,
    })
}

/// The round of the tables from [`tables_at`].
#[must_use]
pub fn round_at(explanation: &Explanation, step: usize) -> usize {
    let until = explanation.trace.steps.get(..=step).unwrap_or_default();
    let round = until.iter().rev().find_map(|step| match step {
        Step::Count { round, .. } => Some(*round),
        _ => None,
    });
    round.unwrap_or(0)
}

/// The sentences on a step.
#[must_use]
pub fn sentences(explanation: &Explanation, step: usize) -> Vec<String> {
    let names = ComponentNames::new(&explanation.components);
    match explanation.trace.steps.get(step) {
        None => Vec::new(),
        Some(Step::Initial { keys, .. }) => keys
            .iter()
            .enumerate()
            .map(|(at, key)| format!("S{}: {key}", at + 1))
            .collect(),
        Some(Step::Count { .. }) => vec![
            "For every state of a block: how many edges go from it into each block?".to_string(),
            "States of one block whose numbers differ will be told apart.".to_string(),
        ],
        Some(Step::Split { before, splits, .. }) => {
            let tables = tables_at(explanation, step).map_or(&[][..], |(_, tables)| tables);
            let explain = |split| split_sentences(explanation, &names, before, tables, split);
            splits.iter().flat_map(explain).collect()
        }
        Some(Step::FixedPoint { .. }) => {
            vec!["In every block all states have the same n-values: nothing splits.".to_string()]
        }
        Some(Step::Choice {
            picked,
            fully_symmetric,
            ..
        }) => choice_sentences(explanation, names.of(*picked), *fully_symmetric),
        Some(Step::Ordered) => vec![order_sentence(explanation, &names)],
        Some(Step::Tie {
            values,
            component,
            harmless,
            ..
        }) => tie_sentences(explanation, values, names.of(*component), *harmless),
        Some(Step::Types) => type_sentences(explanation, &names),
        Some(Step::Generated) => permutation_sentences(explanation),
    }
}

fn split_sentences(
    explanation: &Explanation,
    names: &ComponentNames,
    before: &BlockList,
    tables: &[(usize, NTable)],
    split: &BlockSplit,
) -> Vec<String> {
    let Some(table) = table_of(tables, split.block) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    // Neighbours only: the column that distinguishes one part from the next is the reason for their order.
    for pair in split.groups.windows(2) {
        let [first, second] = pair else { continue };
        let Some(at) = second.first_difference else {
            continue;
        };
        let (Some(column), Some(a), Some(b)) = (
            table.columns.get(at).copied(),
            first.members.first(),
            second.members.first(),
        ) else {
            continue;
        };
        let (m, n) = (count_of(table, *a, at), count_of(table, *b, at));
        let (m, n) = (m.unwrap_or_default(), n.unwrap_or_default());
        lines.push(format!(
            "{} before {}: {}, so {} is {m} ({} has {n}).",
            names.list(&first.members),
            names.list(&second.members),
            sentence(explanation, before, *a, column, m),
            column_name(explanation, before, *a, column),
            names.of(*b),
        ));
    }
    lines
}

/// The possible effect of a choice that is not harmless by itself.
fn doubt(explanation: &Explanation, what: &str) -> String {
    match &explanation.representative.uniqueness {
        UniquenessView::Proved(by) => {
            format!("Another {what} gives the same representative all the same ({by}).")
        }
        UniquenessView::AllPicksAgree(n) => {
            format!(
                "Another {what} gives the same representative all the same: all {n} were tried."
            )
        }
        UniquenessView::PicksDisagree(_) | UniquenessView::StatesDisagree(_) => format!(
            "Another {what} may give another representative, and one does: states of this orbit \
             have different ones."
        ),
        UniquenessView::Unknown(_) => {
            format!("Another {what} may give another representative: that is not known.")
        }
    }
}

fn choice_sentences(explanation: &Explanation, picked: &str, fully_symmetric: bool) -> Vec<String> {
    let harm = if fully_symmetric {
        "The block is fully symmetric (Def. 49): every pick gives the same representative."
            .to_string()
    } else {
        let doubt = doubt(explanation, "pick");
        format!("The block is not known to be fully symmetric (Def. 49). {doubt}")
    };
    vec![
        format!("No count tells the members apart. {picked} is put first: an arbitrary choice."),
        harm,
    ]
}

fn order_sentence(explanation: &Explanation, names: &ComponentNames) -> String {
    let order = explanation.trace.order.iter().map(|c| names.of(*c));
    format!("order  {}", order.collect::<Vec<_>>().join(" "))
}

fn tie_sentences(
    explanation: &Explanation,
    values: &[String],
    component: &str,
    harmless: bool,
) -> Vec<String> {
    let harm = if harmless {
        "They stand alone as elements: exchanging them leaves the state as it is.".to_string()
    } else {
        let doubt = doubt(explanation, "order");
        format!("They stand in tuples or in sets of sets. {doubt}")
    };
    vec![
        format!(
            "{} stand in the same places of the same sets, as in {component}: they are named in \
             this order, an arbitrary choice.",
            values.join(", ")
        ),
        harm,
    ]
}

/// The order of each type, and where each of its values was seen first.
fn type_sentences(explanation: &Explanation, names: &ComponentNames) -> Vec<String> {
    let mut lines = Vec::new();
    for types in &explanation.trace.type_orders {
        lines.push(format!("{}  {}", types.name, type_order_text(types)));
        let seen = types.values.iter().zip(&types.places);
        let first = seen.map(|(value, (component, at))| {
            let held = variable(explanation, *component, *at);
            let name = held.map_or("?", |v| v.name.as_str());
            format!("{value}: {name} of {}", names.of(*component))
        });
        let first: Vec<String> = first.collect();
        if !first.is_empty() {
            lines.push(format!("first seen  {}", first.join("; ")));
        }
    }
    lines
}

/// The images of the values of each type.
fn permutation_sentences(explanation: &Explanation) -> Vec<String> {
    let rep = &explanation.representative;
    let arrows = rep.permutation.iter().map(|p| {
        let arrows: Vec<_> = p.map.iter().map(|(a, b)| format!("{a}->{b}")).collect();
        format!("{}  {}", p.name, arrows.join(" "))
    });
    let cycles = format!("renaming  {}", permutation_parts(rep).join("  "));
    arrows.chain([cycles]).collect()
}

/// `<C, B | A, D>  A, D not seen: any order`.
#[must_use]
pub fn type_order_text(order: &TypeOrder) -> String {
    // Def. 38: the values that appear come first, and the order of the others is arbitrary.
    let (seen, rest) = order.values.split_at(order.seen.min(order.values.len()));
    match (seen.is_empty(), rest.is_empty()) {
        (_, true) => format!("<{}>  all seen", seen.join(", ")),
        (true, false) => format!("<| {}>  none seen: any order", rest.join(", ")),
        (false, false) => format!(
            "<{} | {}>  {} not seen{}",
            seen.join(", "),
            rest.join(", "),
            rest.join(", "),
            if rest.len() > 1 { ": any order" } else { "" }
        ),
    }
}

/// `NodeID (N1 N5)` and so on: every type that is permuted, in cycles; `none` if none is.
#[must_use]
pub fn permutation_parts(rep: &RepView) -> Vec<String> {
    cycles(&rep.permutation)
}

/// The cycles of a permutation, a text each.
#[must_use]
pub fn cycles(permutation: &[TypePermutation]) -> Vec<String> {
    let moved = permutation.iter().filter(|p| p.cycles != "id");
    let mut parts: Vec<_> = moved.map(|p| format!("{} {}", p.name, p.cycles)).collect();
    if parts.is_empty() {
        parts.push("none".to_string());
    }
    parts
}

/// `103,680 permutations / 96 fixing it = 1,080 states`.
#[must_use]
pub fn orbit_text(rep: &RepView) -> Option<String> {
    let orbit = rep.orbit.as_ref()?;
    Some(format!(
        "{} permutations / {} fixing it = {} state{}",
        grouped(&rep.group_order),
        grouped(&(&rep.group_order / orbit)),
        grouped(orbit),
        if *orbit == BigUint::from(1u8) {
            ""
        } else {
            "s"
        }
    ))
}
