//! Ways to explore processes: which types they are reduced by.

use std::rc::Rc;

use super::options::Options;
use super::patience::Patience;
use super::question::question;
use crate::script::core::{CtorId, Expr, Script, SymmetrySpec};
use crate::script::load::Loaded;
use crate::script::symmetric::{self, SymmetricType, Trust};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Kind, Span};
use crate::value::AtomTypes;

/// What somebody wants of a reduction; by default as much as there is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand<'a> {
    /// Reduction demanded or forbidden.
    pub symmetry: Option<bool>,
    /// Structure alone, or never ([`Options::structure`]).
    pub structure: Option<bool>,
    /// Datatypes to reduce by, by name; empty for all.
    pub types: &'a [String],
    /// Types that the script asks for; empty for all.
    pub specs: &'a [SymmetrySpec],
    /// Where it is said.
    pub place: Option<Span>,
}

impl Demand<'_> {
    /// The symmetric types that may be used.
    fn types(&self, loaded: &Loaded, roots: &[&Expr], trust: Trust) -> Result<DemandedTypes> {
        let script = &*loaded.script;
        if self.symmetry == Some(false) || self.structure == Some(true) {
            return Ok(DemandedTypes::default());
        }
        // Types that are named from outside go before those that the script names.
        if self.types.is_empty() && !self.specs.is_empty() {
            let first = |mut errors: Vec<Diagnostic>| Box::new(errors.swap_remove(0));
            let found = symmetric::explicit(script, &loaded.types, self.specs, roots, trust);
            let (types, idle) = found.map_err(first)?.into_iter().partition(permutes);
            return Ok(DemandedTypes { types, idle });
        }
        let all = symmetric::symmetric_types(script, &loaded.types, roots, trust);
        for name in self.types {
            let found = all.iter().find(|t| is_called(script, t, name));
            if found.is_none_or(|t| !t.is_usable()) {
                return Err(not_symmetric(name, self.place, found));
            }
        }
        let is_named = |t: &SymmetricType| self.types.iter().any(|n| is_called(script, t, n));
        let chosen = |t: &SymmetricType| self.types.is_empty() || is_named(t);
        let (types, mut idle): (Vec<_>, Vec<_>) =
            all.into_iter().filter(chosen).partition(permutes);
        idle.retain(is_named);
        Ok(DemandedTypes { types, idle })
    }
}

/// Symmetric types that somebody wants a reduction by.
#[derive(Default)]
struct DemandedTypes {
    types: Vec<SymmetricType>,
    /// Those that were named, and of which permuting moves nothing.
    idle: Vec<SymmetricType>,
}

/// Values to permute, of which there are many: for more than this, a representative and the sets of values in terms take
/// ten times as long as a step, or longer.
const VALUES_MANY: usize = 256;

/// Whether permuting a type can move anything: a single value is exchanged with nothing, and a type that the
/// expressions never reach occurs in no state and no event.
fn permutes(symmetric: &SymmetricType) -> bool {
    symmetric.is_usable() && symmetric.is_reached
}

/// A way to explore processes. Whether it can be gone shows only when the network is made, or even
/// later, while it is searched.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is permuted; empty for no reduction.
    pub(crate) types: Vec<SymmetricType>,
    /// Whether that rests on trust ([`Trust::Events`]).
    pub(super) trusting: bool,
    /// Whether identical components are exchanged.
    pub(super) exchanging: bool,
    /// Whether symmetry is looked for in the structure of the network, too.
    pub(crate) structure: bool,
    /// Whether each state of processes is looked at: then nothing is compressed that would lose some.
    pub(super) states: bool,
    /// Types that were asked for by name, and of which permuting moves nothing.
    pub(super) idle: Vec<SymmetricType>,
    /// How much work it may take.
    pub(super) patience: Option<Patience>,
}

impl Plan {
    /// The same for somebody who looks at each state of processes, or does not.
    #[must_use]
    pub(crate) fn showing(&self, states: bool) -> Self {
        Self {
            states,
            ..self.clone()
        }
    }

    /// Without symmetric types; identical components are exchanged all the same.
    #[must_use]
    pub fn unreduced() -> Self {
        Self {
            types: Vec::new(),
            trusting: false,
            exchanging: true,
            structure: true,
            states: false,
            idle: Vec::new(),
            patience: None,
        }
    }

    /// How many values there are to permute, if they are so many that to look for a representative takes far longer than to
    /// make a step.
    pub(super) fn many_values(&self) -> Option<usize> {
        let values = self.types.iter().map(|t| t.members.len()).sum();
        (values > VALUES_MANY).then_some(values)
    }

    /// The same within so much work.
    #[must_use]
    pub(super) fn within(&self, patience: Patience) -> Self {
        Self {
            patience: Some(patience),
            ..self.clone()
        }
    }

    /// Whether nothing is permuted or exchanged, whatever is symmetric.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.types.is_empty() && !self.exchanging
    }

    /// Whether symmetry may be looked for in the structure of the network.
    #[must_use]
    pub fn looks_at_structure(&self) -> bool {
        self.structure
    }

    /// Name and number of values of the types that are permuted.
    pub fn sizes<'a>(&'a self, script: &'a Script) -> impl Iterator<Item = (String, usize)> + 'a {
        let size = |t: &SymmetricType| (type_name(script, t).to_string(), t.members.len());
        self.types.iter().map(size)
    }

    /// Why permuting the types that were asked for by name moves nothing, for each of which that is so.
    pub fn idle<'a>(&'a self, script: &'a Script) -> impl Iterator<Item = String> + 'a {
        self.idle.iter().map(|symmetric| {
            let name = type_name(script, symmetric);
            match symmetric.members.len() {
                0 => format!("no value of `{name}` is left to permute"),
                1 => format!(
                    "`{name}` has a single value to permute, which is exchanged with nothing"
                ),
                _ => format!("`{name}` is never met here"),
            }
        })
    }

    /// Whether it rests on trust ([`Trust::Events`]), which what is found out later may disappoint.
    #[must_use]
    pub fn is_trusting(&self) -> bool {
        self.trusting
    }
}

/// A plan by names, so that it means the same in another reading of the script.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanKey {
    /// Each datatype with its values that are permuted.
    types: Vec<(String, Vec<String>)>,
    trusting: bool,
    exchanging: bool,
    states: bool,
}

impl PlanKey {
    /// That of a plan for a script.
    #[must_use]
    pub fn new(script: &Script, plan: &Plan) -> Self {
        let values = |t: &SymmetricType| {
            let name = |c: &CtorId| script.ctors[c.0 as usize].name.to_string();
            t.members.iter().map(name).collect()
        };
        let named = |t: &SymmetricType| (datatype_name(script, t).to_owned(), values(t));
        Self {
            types: plan.types.iter().map(named).collect(),
            trusting: plan.trusting,
            exchanging: plan.exchanging,
            states: plan.states,
        }
    }

    /// That of [`Plan::unreduced`].
    #[must_use]
    pub fn unreduced() -> Self {
        Self {
            types: Vec::new(),
            trusting: false,
            exchanging: true,
            states: false,
        }
    }

    /// The same where each state of processes is looked at.
    #[must_use]
    pub fn showing_states(self) -> Self {
        Self {
            states: true,
            ..self
        }
    }

    /// Whether it does.
    #[must_use]
    pub fn shows_states(&self) -> bool {
        self.states
    }

    /// Whether no type is permuted.
    #[must_use]
    pub fn is_unreduced(&self) -> bool {
        self.types.is_empty()
    }
}

/// The plan that a key stands for, for what some expressions stand for: they have to be symmetric in all
/// of it, and may be in more.
///
/// # Errors
/// That they are not.
pub fn plan_of(loaded: &Loaded, roots: &[&Expr], key: &PlanKey) -> Result<Plan> {
    let script = &*loaded.script;
    let trust = if key.trusting {
        Trust::Events
    } else {
        Trust::Nothing
    };
    let all = symmetric::symmetric_types(script, &loaded.types, roots, trust);
    let mut types = Vec::with_capacity(key.types.len());
    for (name, values) in &key.types {
        let found = all.iter().find(|t| datatype_name(script, t) == name);
        let mut chosen = found.filter(|t| t.is_usable()).cloned();
        if let Some(symmetric) = &mut chosen {
            let wanted = |c: &CtorId| {
                values
                    .iter()
                    .any(|v| **v == *script.ctors[c.0 as usize].name)
            };
            // Permutations of fewer values are among those of all.
            symmetric.members.retain(wanted);
        }
        match chosen.filter(|t| t.members.len() == values.len()) {
            Some(symmetric) => types.push(symmetric),
            None => return Err(not_symmetric(name, None, found)),
        }
    }
    Ok(Plan {
        types,
        trusting: key.trusting,
        exchanging: key.exchanging,
        structure: true,
        states: key.states,
        idle: Vec::new(),
        patience: None,
    })
}

fn datatype_name<'a>(script: &'a Script, symmetric: &SymmetricType) -> &'a str {
    &script.types[symmetric.datatype.0 as usize].name
}

/// The ways to explore what some expressions stand for, the best one first: reduced by what is symmetric
/// if functions such as `seq` are trusted where they see events (events may hold values of all types,
/// so without trust nothing would be symmetric), and, unless reduction is demanded, not reduced. This is
/// the only place where that is decided, for checks and for what is animated.
///
/// # Errors
/// A type that was asked for and is not symmetric.
pub fn plans_of(loaded: &Loaded, roots: &[&Expr], demand: &Demand<'_>) -> Result<Vec<Plan>> {
    let trusted = demand.types(loaded, roots, Trust::Events)?;
    let literal = demand.types(loaded, roots, Trust::Nothing);
    let same = |literal: &DemandedTypes| {
        let key = |t: &SymmetricType| (t.datatype, t.members.clone());
        literal
            .types
            .iter()
            .map(key)
            .eq(trusted.types.iter().map(key))
    };
    let reduces = !trusted.types.is_empty();
    let mut plans = vec![Plan {
        // If the same types come out without trust, nothing rests on it.
        trusting: !literal.as_ref().is_ok_and(same),
        types: trusted.types,
        // Who names types wants these and nothing else.
        exchanging: demand.symmetry != Some(false) && demand.types.is_empty(),
        structure: demand.symmetry != Some(false)
            && demand.types.is_empty()
            && demand.structure != Some(false),
        states: false,
        idle: trusted.idle,
        patience: None,
    }];
    if reduces && demand.symmetry != Some(true) {
        plans.push(Plan {
            structure: false,
            ..Plan::unreduced()
        });
    }
    Ok(plans)
}

/// The ways to check assertion `index` (from 0), the best one first.
///
/// # Errors
/// What the assertion needs and this version lacks, or a type that was asked for and is not symmetric.
pub fn plans(loaded: &Loaded, index: usize, options: &Options) -> Result<Vec<Plan>> {
    let question = question(&loaded.script, index)?;
    let assertion = &loaded.script.assertions[index];
    let symmetry = match options.symmetry {
        // Only what the trace leads to is looked at, so there is little to reduce.
        _ if question.trace.is_some() => Some(false),
        // It looks for symmetry in the network as it is.
        _ if options.adaptive => Some(false),
        None if assertion.symmetry.is_some() => Some(true),
        wanted => wanted,
    };
    let demand = Demand {
        symmetry,
        structure: options.wanted_structure(),
        types: &options.types,
        specs: assertion.symmetry.as_deref().unwrap_or(&[]),
        place: Some(assertion.span),
    };
    plans_of(loaded, &question.roots(), &demand)
}

/// Goes by the first plan that can be gone to the end: that something is not symmetric may show at any
/// time. Gives also why better plans could not be gone, if there were any.
///
/// # Errors
/// Whatever `go` reports; where no plan can be gone, why the first one could not.
pub fn by_first<T>(
    plans: &[Plan],
    mut go: impl FnMut(&Plan) -> Result<T>,
) -> Result<(T, Option<Box<Diagnostic>>)> {
    let mut failed: Option<Box<Diagnostic>> = None;
    for plan in plans {
        match go(plan) {
            Err(error) if error.kind == Kind::Asymmetric => failed = Some(failed.unwrap_or(error)),
            Err(error) => return Err(error),
            Ok(done) => return Ok((done, failed)),
        }
    }
    let none = || {
        Box::new(Diagnostic::nowhere(
            "E0799",
            "internal error: there is no plan",
        ))
    };
    Err(failed.unwrap_or_else(none))
}

/// Whether people may mean this type by a name: that of the datatype, or that of its symmetric part.
fn is_called(script: &Script, symmetric: &SymmetricType, name: &str) -> bool {
    datatype_name(script, symmetric) == name || *type_name(script, symmetric) == *name
}

/// At most this many places are listed in one message: a script may have as many as it has values, and
/// each of them for every value.
const PLACES_MAX: usize = 1000;

/// Why a type that was asked for cannot be used: the place of each constant that stands in the way.
fn not_symmetric(
    name: &str,
    place: Option<Span>,
    found: Option<&SymmetricType>,
) -> Box<Diagnostic> {
    let message = format!("no two values of `{name}` are interchangeable in this assertion");
    let mut error = Diagnostic::nowhere("E0502", message);
    error.span = place;
    match found {
        None => {
            error = error.note(format!(
                "there is no datatype `{name}` with two or more atomic values"
            ));
        }
        Some(symmetric) => {
            let reasons = symmetric.excluded().flat_map(|c| symmetric.reasons(c));
            for reason in reasons.take(PLACES_MAX) {
                error = error.also(reason.span, &*reason.why);
            }
        }
    }
    Box::new(error)
}

/// The atoms of symmetric types.
#[must_use]
pub fn atom_types(script: &Script, types: &[SymmetricType]) -> AtomTypes {
    let named: Vec<_> = types
        .iter()
        .map(|t| (type_name(script, t), t.members.clone()))
        .collect();
    AtomTypes::new(&named)
}

/// What people call a symmetric subtype: the datatype itself if nothing is left out, else the name of
/// a definition `X = diff(T, {C, …})` that leaves out the same, else the datatype's name.
#[must_use]
pub fn type_name(script: &Script, symmetric: &SymmetricType) -> Rc<str> {
    use crate::script::core::{Builtin, ExprKind, GlobalKind, Items};
    let datatype = &script.types[symmetric.datatype.0 as usize];
    let leaves_out_the_same = |body: &Expr| {
        let ExprKind::Apply(function, args) = &body.kind else {
            return false;
        };
        let (ExprKind::Builtin(Builtin::Diff), [all, out]) = (&function.kind, &args[..]) else {
            return false;
        };
        let (ExprKind::Type(of), ExprKind::Set(Items::List(listed), stmts)) =
            (&all.kind, &out.kind)
        else {
            return false;
        };
        *of == symmetric.datatype
            && stmts.is_empty()
            && listed.len() + symmetric.members.len() == datatype.clauses.len()
            && listed
                .iter()
                .all(|e| matches!(e.kind, ExprKind::Ctor(c) if !symmetric.members.contains(&c)))
    };
    if symmetric.members.len() < datatype.clauses.len() {
        for global in &script.globals {
            if let GlobalKind::Value(body) | GlobalKind::Nametype(body) = &global.kind
                && leaves_out_the_same(body)
            {
                return Rc::clone(&global.name);
            }
        }
    }
    Rc::clone(&datatype.name)
}
