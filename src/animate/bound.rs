//! A condition bound to a process: which values it names, whether its names mean something there, and
//! whether it holds of a state.

use std::borrow::Borrow;
use std::rc::Rc;

use super::conditions::{
    Claim, ClaimColumns, ComponentPattern, Condition, ConditionError, FieldPattern, LocalPattern,
};
use super::opened::AnimatedProcess;
use crate::lab::explore::{ExploredKey, RawArrows};
use crate::lab::find::SoughtState;
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::report::parted::{PartedText, compact};
use crate::report::words::{self, OMEGA, WordCache};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::{IndexSet, Map};
use crate::value::Atom;

/// Largest number of names that are suggested in place of an unknown one.
const NAMED_MAX: usize = 8;
/// Local states of a component whose names are looked through.
const NAMES_MAX: usize = 5_000;

/// Why there is no answer.
pub(super) enum Refused {
    /// The condition means nothing in this process.
    Condition(ConditionError),
    /// An evaluation error, or a limit where no search was going on.
    Diagnostic(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Refused {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Diagnostic(diagnostic)
    }
}

/// A condition in which the values that permutations move are known.
pub(super) struct BoundCondition {
    condition: Condition,
    /// The values that it names.
    pub(super) carried: Vec<Atom>,
    /// Why a search for it cannot be reduced; empty if it can.
    pub(super) alone: String,
    /// Names of all values that permutations move.
    names: Vec<String>,
}

impl BoundCondition {
    pub(super) fn new(
        open: &mut AnimatedProcess,
        key: &ExploredKey,
        condition: &Condition,
    ) -> Result<Self, Refused> {
        let atoms = open.machine.atoms().len();
        let names: Vec<String> = (0..atoms)
            .map(|atom| open.machine.atom_name(Atom(atom as u16)))
            .collect();
        let mut carried: IndexSet<usize> = IndexSet::default();
        let mut sets = false;
        let _ = condition.map(&mut |text| {
            let before = carried.len();
            each_word(text, |word| {
                if let Some(atom) = names.iter().position(|name| name == word) {
                    carried.insert(atom);
                }
            });
            // The order of the members of a set is not kept by permutations.
            sets |= (text.contains('{') || text.contains("=>")) && carried.len() > before;
            text.to_owned()
        });
        let known = KnownNames::new(open, key)?;
        for (claim, at) in condition.claims() {
            known.check(open, claim, at)?;
        }
        let copies = !open.network.format(key.0).copies().is_empty();
        let label = |(claim, _): &(&Claim, ClaimColumns)| match claim {
            Claim::Is(ComponentPattern::Component(label), _) => Some(label.clone()),
            _ => None,
        };
        let named: Vec<String> = condition.claims().iter().filter_map(label).collect();
        let labels = open
            .words
            .component_labels(&mut open.machine, &open.network, key.0);
        let mut odd = labels.iter().filter(|label| !label.is_whole);
        let odd = odd.any(|label| named.iter().any(|name| label.text.compact() == *name));
        let alone = match (sets, !named.is_empty() && copies || odd) {
            (true, _) => "the condition names values within a set",
            (_, true) => "the condition names one of several components that are alike",
            _ => "",
        };
        Ok(Self {
            condition: condition.clone(),
            carried: carried.into_iter().map(|atom| Atom(atom as u16)).collect(),
            alone: alone.to_owned(),
            names,
        })
    }

    /// The condition, with other names in the place of the carried values.
    fn renamed(&self, carried: &[Atom]) -> Condition {
        self.condition.map(&mut |text| {
            let mut out = String::with_capacity(text.len());
            let mut rest = text;
            while !rest.is_empty() {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                if length == 0 {
                    let other = rest.find(is_word).unwrap_or(rest.len());
                    out.push_str(&rest[..other]);
                    rest = &rest[other..];
                    continue;
                }
                let word = &rest[..length];
                let place = self
                    .carried
                    .iter()
                    .position(|a| self.names[usize::from(a.0)] == word);
                out.push_str(match place {
                    Some(place) => &self.names[usize::from(carried[place].0)],
                    None => word,
                });
                rest = &rest[length..];
            }
            out
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

fn each_word(text: &str, mut f: impl FnMut(&str)) {
    text.split(|c| !is_word(c))
        .filter(|w| !w.is_empty())
        .for_each(&mut f);
}

/// Known names of components, families and channels.
struct KnownNames {
    labels: Vec<PartedText>,
    families: IndexSet<String>,
    format: FormatId,
}

impl KnownNames {
    fn new(open: &mut AnimatedProcess, key: &ExploredKey) -> Result<Self, Refused> {
        let labels = open.words.labels(&mut open.machine, &open.network, key.0);
        let labels: Vec<PartedText> = labels.iter().map(PartedText::compact).collect();
        Ok(Self {
            families: labels.iter().map(|l| l.head().to_owned()).collect(),
            labels,
            format: key.0,
        })
    }

    /// Checks that the names of a claim exist in this process.
    fn check(
        &self,
        open: &mut AnimatedProcess,
        claim: &Claim,
        at: ClaimColumns,
    ) -> Result<(), Refused> {
        let refuse = |message: String| Err(Refused::Condition(ConditionError { at, message }));
        match claim {
            Claim::Deadlock | Claim::Terminated | Claim::Stable => Ok(()),
            Claim::Offers(fields) | Claim::Can(fields) => {
                let Some(FieldPattern::OneOf(channel)) = fields.first() else {
                    return Ok(());
                };
                let known = self.channels(open, matches!(claim, Claim::Can(_)));
                // Events that are not known yet may follow, of any channel.
                let locals = open.machine.locals();
                let all_known = open.network.format(self.format).is_closed(locals);
                match channel.iter().find(|c| !known.contains(*c)) {
                    Some(other) if all_known => refuse(format!(
                        "no {}event of this process begins with `{other}`; {}",
                        if matches!(claim, Claim::Can(_)) {
                            ""
                        } else {
                            "visible "
                        },
                        named("they begin with", known.iter())
                    )),
                    _ => Ok(()),
                }
            }
            Claim::Is(who, local) => {
                let family = match who {
                    ComponentPattern::Component(name) => {
                        let Some(label) = self.labels.iter().find(|label| *label == name) else {
                            let text = named("there are", close(name, &self.labels).into_iter());
                            return refuse(format!("no component is called `{name}`; {text}"));
                        };
                        label.head()
                    }
                    ComponentPattern::Some(name)
                    | ComponentPattern::Every(name)
                    | ComponentPattern::No(name) => {
                        if !self.families.contains(name) {
                            let text = named("there are", self.families.iter());
                            return refuse(format!("no family is called `{name}`; {text}"));
                        }
                        name
                    }
                };
                self.check_local(open, family, local, at)
            }
        }
    }

    fn channels(&self, open: &AnimatedProcess, hidden: bool) -> IndexSet<String> {
        let rules = open.network.format(self.format).rules().list();
        let events: IndexSet<EventId> = rules
            .iter()
            .flat_map(|rule| [Some(rule.result), Some(rule.shown).filter(|_| hidden)])
            .flatten()
            .filter(|e| e.is_visible())
            .collect();
        let mut known: IndexSet<String> = IndexSet::default();
        for event in events {
            known.insert(open.machine.channel_name(event));
        }
        known
    }

    /// Checks that a local state is one that components of a family can reach, if all of these are known.
    fn check_local(
        &self,
        open: &mut AnimatedProcess,
        family_name: &str,
        local: &LocalPattern,
        at: ClaimColumns,
    ) -> Result<(), Refused> {
        let LocalPattern::Named(name, args) = local else {
            return Ok(());
        };
        let member = self.labels.iter().position(|l| l.head() == family_name);
        let Some(member) = member else { return Ok(()) };
        let reach = &open.network.format(self.format).reach()[member];
        if !reach.complete || reach.locals.len() > NAMES_MAX {
            return Ok(());
        }
        let locals = reach.locals.clone();
        let mut known: IndexSet<String> = IndexSet::default();
        let mut arity: Option<usize> = None;
        for local in locals {
            let (own, values) = open.words.named_local(&mut open.machine, local);
            if compact(own) == *name {
                arity = Some(values.len());
            }
            known.insert(compact(own));
        }
        let message = match (arity, args) {
            (None, _) => format!(
                "no local state of {family_name} is called `{name}`; {}",
                named("there are", known.iter())
            ),
            (Some(arity), Some(args)) if args.len() != arity => {
                format!(
                    "`{name}` has {arity} values and not {}; `_` stands for any",
                    args.len()
                )
            }
            _ => return Ok(()),
        };
        Err(Refused::Condition(ConditionError { at, message }))
    }
}

/// `there are A, B and 3 more`
fn named<'a, T: Borrow<str> + 'a>(head: &str, all: impl Iterator<Item = &'a T>) -> String {
    let mut all: Vec<&str> = all.map(Borrow::borrow).collect();
    let more = all.len().saturating_sub(NAMED_MAX);
    all.truncate(NAMED_MAX);
    match (all.is_empty(), more) {
        (true, _) => "there is none".to_owned(),
        (_, 0) => format!("{head} {}", all.join(", ")),
        (_, more) => format!("{head} {} and {more} more", all.join(", ")),
    }
}

/// The names that begin like another one first.
fn close<'a>(name: &str, all: &'a [PartedText]) -> Vec<&'a PartedText> {
    let mut all: Vec<&PartedText> = all.iter().collect();
    let alike = |other: &str| {
        let same = name.chars().zip(other.chars()).take_while(|(a, b)| a == b);
        std::cmp::Reverse(same.count())
    };
    all.sort_by_key(|other| alike(other));
    all
}

/// A local state as conditions see it.
struct ReadLocal {
    text: String,
    name: String,
    values: Vec<String>,
}

/// Holds a condition to states.
pub(super) struct StateReader {
    pub(super) bound: BoundCondition,
    renamed: Map<Box<[Atom]>, Rc<Condition>>,
    locals: Map<LocalId, ReadLocal>,
    labels: Map<FormatId, Rc<[PartedText]>>,
    events: Map<EventId, Vec<String>>,
}

impl StateReader {
    pub(super) fn new(bound: BoundCondition) -> Self {
        Self {
            bound,
            renamed: Map::default(),
            locals: Map::default(),
            labels: Map::default(),
            events: Map::default(),
        }
    }

    pub(super) fn holds(
        &mut self,
        machine: &mut Machine,
        network: &Network,
        words: &mut WordCache,
        state: &SoughtState<'_>,
    ) -> Checked<bool> {
        let condition = match self.renamed.get(state.carried) {
            Some(known) => Rc::clone(known),
            None => {
                let renamed = Rc::new(self.bound.renamed(state.carried));
                self.renamed
                    .insert(state.carried.into(), Rc::clone(&renamed));
                renamed
            }
        };
        let format = state.key.0;
        if !self.labels.contains_key(&format) {
            let labels = words.labels(machine, network, format);
            let labels = labels.iter().map(PartedText::compact).collect();
            self.labels.insert(format, labels);
        }
        let labels = Rc::clone(&self.labels[&format]);
        for local in &state.key.1 {
            if !self.locals.contains_key(local) {
                let text = compact(&words.text(machine, *local));
                let (name, values) = words.named_local(machine, *local);
                let read = ReadLocal {
                    text,
                    name: compact(name),
                    values: values.iter().map(|(_, v)| compact(v)).collect(),
                };
                self.locals.insert(*local, read);
            }
        }
        for (result, shown, _) in state.arrows {
            for event in [result, shown] {
                if event.is_visible() && !self.events.contains_key(event) {
                    let text = words::shown(machine, *event).compact();
                    let parts = std::iter::once(text.head()).chain(text.items());
                    let parts = parts.map(str::to_owned).collect();
                    self.events.insert(*event, parts);
                }
            }
        }
        machine.eval.check_time()?;
        condition.holds(&mut |claim| Ok(self.claim(claim, &labels, &state.key.1, state.arrows)))
    }

    fn claim(
        &self,
        claim: &Claim,
        labels: &[PartedText],
        state: &[LocalId],
        arrows: &RawArrows,
    ) -> bool {
        let omega = || state.iter().all(|local| self.locals[local].text == OMEGA);
        let matches = |event: &EventId, wanted: &[FieldPattern]| {
            let Some(fields) = self.events.get(event) else {
                return false;
            };
            wanted.len() <= fields.len()
                && wanted
                    .iter()
                    .zip(fields)
                    .all(|(pattern, field)| match pattern {
                        FieldPattern::Any => true,
                        FieldPattern::OneOf(values) => values.contains(field),
                    })
        };
        match claim {
            Claim::Deadlock => arrows.is_empty() && !omega(),
            Claim::Terminated => arrows.is_empty() && !state.is_empty() && omega(),
            Claim::Stable => arrows.iter().all(|(event, ..)| event.is_visible()),
            Claim::Offers(wanted) => arrows.iter().any(|(event, ..)| matches(event, wanted)),
            Claim::Can(wanted) => arrows
                .iter()
                .any(|(event, shown, _)| matches(event, wanted) || matches(shown, wanted)),
            Claim::Is(who, local) => {
                let is = |n: usize| self.is_in(state[n], local);
                let of = |name: &str| {
                    let own = (0..state.len()).filter(|n| labels[*n].head() == name);
                    own.collect::<Vec<usize>>().into_iter()
                };
                match who {
                    ComponentPattern::Component(label) => {
                        labels.iter().position(|l| *l == *label).is_some_and(is)
                    }
                    ComponentPattern::Some(name) => of(name).any(is),
                    ComponentPattern::Every(name) => of(name).all(is),
                    ComponentPattern::No(name) => !of(name).any(is),
                }
            }
        }
    }

    fn is_in(&self, local: LocalId, pattern: &LocalPattern) -> bool {
        let local = &self.locals[&local];
        match pattern {
            LocalPattern::Text(text) => local.text == *text,
            LocalPattern::Named(name, None) => local.name == *name || local.text == *name,
            LocalPattern::Named(name, Some(values)) => {
                local.name == *name
                    && local.values.len() == values.len()
                    && values
                        .iter()
                        .zip(&local.values)
                        .all(|(wanted, value)| wanted.as_ref().is_none_or(|wanted| wanted == value))
            }
        }
    }
}
