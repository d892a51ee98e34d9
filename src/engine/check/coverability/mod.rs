//! Whether a trace refinement holds for any number of components: coverability (Karp and Miller).
//!
//! A family is `||| x : T @ P(x)`, or the same with `||`, and a rest beside it. Where members hold no value of T but their
//! own, the members that the rest and the specification do not name differ by their local states alone, so a state is a
//! control ([`counted`]) and a number of members in each local state. A step involves few of them, and none is disabled
//! by others: a system of counters ([`tree`]), of which the tree is finite, for all sizes of T together.
//!
//! # Why the answer holds for every size
//!
//! Let the script use T as a whole only where a larger T means more of the same ([`crate::script`], *uniform*). Then the
//! steps of the system of size n that mention values of a set W alone are those of the system of size |W|, after renaming.
//! A step from a control that names v values involves at most `room` others, by the types of channels and choices: so in
//! the network compiled for v + `room` values there is an image of each step of each size, and no other step.
//!
//! - No size from that on is left out: a system of n members begins with n tokens in the first place, which ω covers.
//! - No size is invented: each control of the tree is reached with some number of members, and with every larger one.
//!
//! The conditions on the compiled network are decided in [`members`], but for one: that every family shows its values.
//! Of `||| x : T @ start -> STOP` nothing would be counted. So a second size is compiled, at which the rest has to be the
//! same. Rules by the number of values that they involve, and the controls of the tree, have to agree as well; that is no
//! part of the proof, and a difference would show that something above was taken for granted.
//!
//! The sizes below that of the compiled network are left to ordinary checks: there, a step may lack values to choose.

mod counted;
mod members;
mod tree;

use counted::{BothSides, FamilyCounters};
use members::{INVOLVED_MAX, Members, asymmetric, nowhere};
use tree::{Marking, TreeSize, cover};

use super::options::Options;
use super::plan::Plan;
use super::question::{question, side};
use super::system::System;
use crate::machine::Network;
use crate::script::core::{AssertionKind, Model, TypeId};
use crate::script::load::Loaded;
use crate::script::symmetric::{self, SymmetricType, Trust};
use crate::script::uniform::{self, uniform};
use crate::source::diagnostic::Result;
use crate::source::{Budget, Cancel, Diagnostic, Kind, Span, Stop};
use crate::specification::Specification;

/// Local states of the specification explored ahead, at most.
const SPECIFICATION_AHEAD: usize = 2_000;
/// The least number of values that the network is compiled for.
const SIZE_MIN: usize = 1 + INVOLVED_MAX;
/// The largest.
const SIZE_MAX: usize = 12;

/// A condition that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetCondition {
    /// The reason, without a full stop.
    pub why: String,
    /// The place in the script, if there is one.
    pub span: Option<Span>,
}

/// The question: an assertion, and the type that indexes the family.
pub struct CoverabilityQuestion<'a> {
    /// The number of the assertion, from 0.
    pub index: usize,
    /// The name of the type.
    pub type_name: &'a str,
    /// Limits.
    pub options: &'a Options,
    /// Cancels the work.
    pub cancel: &'a Cancel,
}

/// The figures of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Nodes of the tree.
    pub nodes: usize,
    /// Its controls.
    pub controls: usize,
    /// Most values that the rest and the specification name at once.
    pub named: usize,
    /// The size at which the network was compiled: smaller ones are not decided.
    pub size: usize,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverabilityAnswer {
    /// It holds for each number of components from [`Coverage::size`] on.
    Holds(Coverage),
    /// It fails from some number of components on. One from this size on that fails does so with every larger one; below,
    /// a larger one may hold.
    Fails {
        /// The size at which the network was compiled.
        size: usize,
    },
    /// The type is that of no family.
    NoFamily,
    /// A condition is not met.
    Refused(UnmetCondition),
    /// A limit came first.
    Stopped(Stop),
}

/// Why a tree is not completed.
#[derive(Debug)]
pub(crate) enum CoverEnd {
    /// The specification does not allow a step, found at this size.
    Bad { size: usize },
    /// The network is too small: it needs so many values, where a step takes so many that are not named.
    Larger { size: usize, takes: usize },
    /// No process is made for each value of the type.
    NoFamily,
    /// A condition is not met.
    Refused(UnmetCondition),
    /// A limit.
    Stopped(Stop),
    /// An error of the evaluation.
    Failed(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for CoverEnd {
    fn from(error: Box<Diagnostic>) -> Self {
        match error.kind {
            Kind::Stopped(stop) => Self::Stopped(stop),
            _ => Self::Failed(error),
        }
    }
}

/// What is computed at one size.
#[derive(Debug, PartialEq, Eq)]
struct OneSize {
    tree: TreeSize,
    named: usize,
    rest: usize,
    members: usize,
    /// For each number of values, the rules with so many.
    rules: [usize; INVOLVED_MAX + 1],
}

/// Decides the assertion for every size of the type; `at_size` loads the script with so many values.
///
/// # Errors
/// An error of the script at some size.
pub fn decide(
    question: &CoverabilityQuestion<'_>,
    at_size: &mut dyn FnMut(usize) -> Result<Loaded>,
) -> Result<CoverabilityAnswer> {
    let mut place = None;
    let mut noting = |size: usize| {
        let loaded = at_size(size)?;
        place = Some(loaded.script.assertions[question.index].span);
        Ok(loaded)
    };
    match decided(question, &mut noting) {
        Ok(coverage) => Ok(CoverabilityAnswer::Holds(coverage)),
        Err(CoverEnd::Bad { size }) => Ok(CoverabilityAnswer::Fails { size }),
        Err(CoverEnd::NoFamily) => Ok(CoverabilityAnswer::NoFamily),
        // Without a place of its own, that of the assertion.
        Err(CoverEnd::Refused(UnmetCondition { why, span })) => {
            Ok(CoverabilityAnswer::Refused(UnmetCondition {
                why,
                span: span.or(place),
            }))
        }
        Err(CoverEnd::Stopped(stop)) => Ok(CoverabilityAnswer::Stopped(stop)),
        Err(CoverEnd::Failed(error)) => Err(error),
        // Each repetition is larger, up to a bound.
        Err(CoverEnd::Larger { .. }) => Err(Box::new(Diagnostic::nowhere(
            "E0799",
            "internal error: a size that grows without bound",
        ))),
    }
}

fn decided(
    question: &CoverabilityQuestion<'_>,
    at_size: &mut dyn FnMut(usize) -> Result<Loaded>,
) -> std::result::Result<Coverage, CoverEnd> {
    let (mut size, mut takes) = (SIZE_MIN, 0);
    // At least one of the two grows with each repetition.
    while size <= SIZE_MAX {
        match at(question, size, takes, at_size) {
            Ok(first) => {
                let second = at(question, size + 1, takes, at_size)?;
                agree(&first, &second, size)?;
                return Ok(Coverage {
                    nodes: first.tree.nodes,
                    controls: first.tree.controls,
                    named: first.named,
                    size,
                });
            }
            Err(CoverEnd::Larger {
                size: larger,
                takes: more,
            }) => {
                size = size.max(larger);
                takes = takes.max(more);
            }
            Err(end) => return Err(end),
        }
    }
    Err(CoverEnd::Refused(nowhere(&format!(
        "one step may involve so many values that more than {SIZE_MAX} components would have to be compiled"
    ))))
}

/// Builds the tree at one size, where a step takes at least so many values that are not named.
fn at(
    question: &CoverabilityQuestion<'_>,
    size: usize,
    takes: usize,
    at_size: &mut dyn FnMut(usize) -> Result<Loaded>,
) -> std::result::Result<OneSize, CoverEnd> {
    let loaded = at_size(size)?;
    let budget = Budget {
        limits: question.options.limits.clone(),
        cancel: question.cancel.clone(),
    };
    let (family, mentioned) = family_type(question, &loaded)?;
    let mut sides = compiled(question, &loaded, family, &budget)?;
    let members = Members::find(&mut sides.machine, &sides.network).map_err(CoverEnd::Refused)?;
    let (rest, rules) = (members.rest.len(), members.rules_by_values());
    let of_value = members.of_value[0].len();
    // Of a step: what its event or its choice mentions, and a member of each family that is not mentioned; then the same
    // of a hidden step of the specification. A step that takes all members has to show as such.
    let room = mentioned.saturating_mul(2).saturating_add(of_value);
    let room = room.max(INVOLVED_MAX);
    let mut family = FamilyCounters::new((sides, members), (room, takes), &budget)?;
    let tree = cover(&mut family, Marking::unbounded(0))?;
    family.stayed_symmetric()?;
    Ok(OneSize {
        tree,
        named: family.named,
        rest,
        members: of_value,
        rules,
    })
}

/// The type of the family, and the values that one step may mention besides those that are held, with the conditions on
/// the text decided.
fn family_type(
    about: &CoverabilityQuestion<'_>,
    loaded: &Loaded,
) -> std::result::Result<(SymmetricType, usize), CoverEnd> {
    let script = &*loaded.script;
    let assertion = &script.assertions[about.index];
    let refused = |why: &str| CoverEnd::Refused(nowhere(why));
    let types = symmetric::of_assertion(script, &loaded.types, assertion, Trust::Nothing);
    let is_meant =
        |t: &SymmetricType| *script.types[t.datatype.0 as usize].name == *about.type_name;
    let none = "the type has no two values that are interchangeable";
    let family = types.into_iter().find(is_meant);
    let family = family.ok_or_else(|| refused(none))?;
    let told_apart = family.excluded().find_map(|c| family.reasons(c).next());
    if let Some(reason) = told_apart.cloned() {
        return Err(CoverEnd::Refused(UnmetCondition {
            why: format!(
                "not all values of the type are interchangeable: one is {}",
                reason.why
            ),
            span: Some(reason.span),
        }));
    }
    if !family.is_usable() {
        return Err(refused(none));
    }
    let clauses = &script.types[family.datatype.0 as usize].clauses;
    if clauses.iter().any(|(_, fields)| fields.is_some()) {
        return Err(refused("some values of the type have fields"));
    }
    let mentioned = mentioned_values(loaded, about.index, family.datatype)?;
    Ok((family, mentioned))
}

/// The values that one step may mention besides those that are held, where the text uses the type uniformly but for families.
fn mentioned_values(
    loaded: &Loaded,
    index: usize,
    datatype: TypeId,
) -> std::result::Result<usize, CoverEnd> {
    let script = &*loaded.script;
    let assertion = &script.assertions[index];
    let refused = |why: &str| CoverEnd::Refused(nowhere(why));
    let text = uniform(script, &loaded.types, datatype, &assertion.roots());
    if text.families.is_empty() {
        return Err(CoverEnd::NoFamily);
    }
    let specification = match &assertion.kind {
        AssertionKind::Refinement {
            spec,
            model: Model::Traces,
            ..
        } if !assertion.negated && assertion.tau_priority.is_none() => spec,
        _ => {
            return Err(refused(
                "only `[T=` is decided for any number of components, without `not` and without a priority of τ",
            ));
        }
    };
    let is_family = |o: &&uniform::UniformObstacle| {
        let mut plain = text.families.iter().filter(|f| f.is_plain);
        plain.any(|f| f.span == o.span)
    };
    let others = text.obstacles.iter().filter(|o| !is_family(o));
    // Its components would not be counted.
    let compared = uniform(script, &loaded.types, datatype, &[specification]);
    let of_specification = compared
        .families
        .first()
        .map(|family| uniform::UniformObstacle {
            span: family.span,
            why:
                "the specification has a process for each value, which would have to be counted too"
                    .to_owned(),
        });
    let others = others.chain(&of_specification);
    let mut obstacles = others.chain(&text.hidden_choices).chain(&text.relabels);
    if let Some(uniform::UniformObstacle { span, why }) = obstacles.next().cloned() {
        return Err(CoverEnd::Refused(UnmetCondition {
            why,
            span: Some(span),
        }));
    }
    Ok(text.of_event.saturating_add(text.of_choice))
}

/// Compiles both sides with the values of the type as atoms.
fn compiled(
    about: &CoverabilityQuestion<'_>,
    loaded: &Loaded,
    family: SymmetricType,
    budget: &Budget,
) -> std::result::Result<BothSides, CoverEnd> {
    let question = question(&loaded.script, about.index)?;
    let plan = Plan {
        types: vec![family],
        exchanging: false,
        structure: false,
        states: true,
        ..Plan::unreduced()
    };
    let ahead = budget.limits.local_states_max;
    let System {
        mut machine,
        network,
    } = System::open(loaded, question.implementation, &plan, budget, ahead)?;
    let Some(expr) = question.specification else {
        // It is a refinement.
        return Err(CoverEnd::Refused(nowhere("there is no specification")));
    };
    let term = side(&mut machine, &question, expr)?;
    let own = Network::new(&mut machine, term, ahead.min(SPECIFICATION_AHEAD))?;
    let mappable = own.first().mappable();
    mappable.map_err(|error| CoverEnd::Refused(asymmetric(&error)))?;
    let specification = Specification::new(&mut machine, (own, None), budget.limits.states_max)?;
    Ok(BothSides {
        machine,
        network,
        specification,
    })
}

/// Whether two sizes show the same system: the rest is the same, and rules that involve few values are as many as there
/// are choices of these.
fn agree(first: &OneSize, second: &OneSize, size: usize) -> std::result::Result<(), CoverEnd> {
    let of_each = |rules: &[usize], size: usize| -> Vec<usize> {
        let chosen = rules.iter().enumerate();
        chosen
            .map(|(values, count)| count * choices(size, values))
            .collect()
    };
    // Crosswise, to compare fractions.
    let same_rules = of_each(&first.rules, size + 1) == of_each(&second.rules, size);
    let same_parts = (first.rest, first.members) == (second.rest, second.members);
    let same_tree = (first.tree.controls, first.named) == (second.tree.controls, second.named);
    if same_rules && same_parts && same_tree {
        return Ok(());
    }
    Err(CoverEnd::Refused(nowhere(
        "with one component more, the system is not the same with one component more: another part of it depends on the \
         number",
    )))
}

/// The number of sets of so many values among `size`.
fn choices(size: usize, values: usize) -> usize {
    (0..values).fold(1, |product, n| product * (size - n) / (n + 1))
}
