//! Plans of exploration: the symmetric types that processes are reduced by.

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

/// A request for reduction; by default as much as possible.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand<'a> {
    /// Whether reduction is required (`true`) or forbidden (`false`).
    pub symmetry: Option<bool>,
    /// Whether to reduce by structure alone or never ([`Options::structure`]).
    pub structure: Option<bool>,
    /// Datatypes to reduce by, by name; empty for all.
    pub types: &'a [String],
    /// Types that the script asks for; empty for all.
    pub specs: &'a [SymmetrySpec],
    /// The place of the request in the script.
    pub place: Option<Span>,
}

impl Demand<'_> {
    /// The symmetric types that may be permuted.
    fn types(&self, loaded: &Loaded, roots: &[&Expr], trust: Trust) -> Result<DemandedTypes> {
        let script = &*loaded.script;
        if self.symmetry == Some(false) || self.structure == Some(true) {
            return Ok(DemandedTypes::default());
        }
        // Types named by an option take precedence over those named by the script.
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

/// Symmetric types requested for a reduction.
#[derive(Default)]
struct DemandedTypes {
    types: Vec<SymmetricType>,
    /// Requested types whose permutations move nothing.
    idle: Vec<SymmetricType>,
}

/// Permuted values above which a representative, and the sets of values in terms, take ten times as long as a step, or
/// longer.
const VALUES_MANY: usize = 256;

/// Whether permuting a type can move anything: it needs two values, and has to occur in some state or event of the
/// expressions.
fn permutes(symmetric: &SymmetricType) -> bool {
    symmetric.is_usable() && symmetric.is_reached
}

/// A way to explore processes. It may turn out to be impossible only when the network is compiled or searched.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The permuted types; empty for no reduction.
    pub(crate) types: Vec<SymmetricType>,
    /// Whether their symmetry relies on trust ([`Trust::Events`]).
    pub(super) trusting: bool,
    /// Whether identical components are exchanged.
    pub(super) exchanging: bool,
    /// Whether to search for structural symmetry too.
    pub(crate) structure: bool,
    /// Whether single states of processes matter: then compressions that would lose some are off.
    pub(super) states: bool,
    /// Types requested by name whose permutations move nothing.
    pub(super) idle: Vec<SymmetricType>,
    /// The bound on its work, if there is one.
    pub(super) patience: Option<Patience>,
}

impl Plan {
    /// The same plan with [`Plan::states`] set.
    #[must_use]
    pub(crate) fn showing(&self, states: bool) -> Self {
        Self {
            states,
            ..self.clone()
        }
    }

    /// The plan without symmetric types; identical components are still exchanged.
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

    /// The number of permuted values, if there are so many that a representative takes far longer than a step.
    pub(super) fn many_values(&self) -> Option<usize> {
        let values = self.types.iter().map(|t| t.members.len()).sum();
        (values > VALUES_MANY).then_some(values)
    }

    /// The same plan with a bound on its work.
    #[must_use]
    pub(super) fn within(&self, patience: Patience) -> Self {
        Self {
            patience: Some(patience),
            ..self.clone()
        }
    }

    /// The same without looking for structural symmetry.
    #[must_use]
    pub(super) fn unlooked_within(&self, patience: Patience) -> Self {
        Self {
            structure: false,
            ..self.within(patience)
        }
    }

    /// Whether neither values nor components are permuted.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.types.is_empty() && !self.exchanging
    }

    /// Whether to search for structural symmetry.
    #[must_use]
    pub fn looks_at_structure(&self) -> bool {
        self.structure
    }

    /// Names and numbers of values of the permuted types.
    pub fn sizes<'a>(&'a self, script: &'a Script) -> impl Iterator<Item = (String, usize)> + 'a {
        let size = |t: &SymmetricType| (type_name(script, t).to_string(), t.members.len());
        self.types.iter().map(size)
    }

    /// Explains for each type requested by name whose permutations move nothing why that is so.
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

    /// Whether the plan relies on trust ([`Trust::Events`]), which a later check may refute.
    #[must_use]
    pub fn is_trusting(&self) -> bool {
        self.trusting
    }
}

/// A plan by names, so that it means the same in another reading of the script.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanKey {
    /// Each datatype with its permuted values.
    types: Vec<(String, Vec<String>)>,
    trusting: bool,
    exchanging: bool,
    states: bool,
}

impl PlanKey {
    /// The key of a plan for a script.
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

    /// The key of [`Plan::unreduced`].
    #[must_use]
    pub fn unreduced() -> Self {
        Self {
            types: Vec::new(),
            trusting: false,
            exchanging: true,
            states: false,
        }
    }

    /// The same key with single states of processes visible.
    #[must_use]
    pub fn showing_states(self) -> Self {
        Self {
            states: true,
            ..self
        }
    }

    /// Whether single states of processes matter.
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

/// The plan of a key, for the processes of some expressions, which have to be symmetric in all of its values and may be
/// in more.
///
/// # Errors
/// A type of the key that is not symmetric there.
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
            // Permutations of fewer values form a subgroup.
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

/// The plans to explore the processes of some expressions, best first: reduced, with trust in functions such as `seq`
/// where they see events (events may hold values of all types, so without trust nothing would be symmetric), then,
/// unless reduction is required, unreduced. Checks and the animator both decide here, and nowhere else.
///
/// # Errors
/// A requested type that is not symmetric.
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
    // Types that are named exclude all other symmetry.
    let names_types = !(demand.types.is_empty() && demand.specs.is_empty());
    let structure =
        demand.symmetry != Some(false) && demand.structure != Some(false) && !names_types;
    let mut plans = vec![Plan {
        // If the same types are symmetric without trust, the plan does not rely on it.
        trusting: !literal.as_ref().is_ok_and(same),
        types: trusted.types,
        // An option that names types excludes all other reductions.
        exchanging: demand.symmetry != Some(false) && demand.types.is_empty(),
        structure,
        states: false,
        idle: trusted.idle,
        patience: None,
    }];
    if reduces && demand.symmetry != Some(true) {
        plans.push(Plan {
            structure,
            ..Plan::unreduced()
        });
    }
    Ok(plans)
}

/// The plans to check assertion `index` (from 0), best first.
///
/// # Errors
/// An unsupported feature of the assertion, or a requested type that is not symmetric.
pub fn plans(loaded: &Loaded, index: usize, options: &Options) -> Result<Vec<Plan>> {
    let question = question(&loaded.script, index)?;
    let assertion = &loaded.script.assertions[index];
    let symmetry = match options.symmetry {
        // Only states along the trace are explored, so there is little to reduce.
        _ if question.trace.is_some() => Some(false),
        // Adaptive reduction finds the symmetry of the network itself.
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

/// Tries plans in order until one succeeds: asymmetry may show at any time. Returns also why the first plan failed, if
/// it did.
///
/// # Errors
/// Any other error of `go`; if all plans fail, the error of the first.
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

/// Whether a name denotes this type: by the datatype, or by its symmetric part.
fn is_called(script: &Script, symmetric: &SymmetricType, name: &str) -> bool {
    datatype_name(script, symmetric) == name || *type_name(script, symmetric) == *name
}

/// Places listed in one message, at most: a script may have one for each pair of values.
const PLACES_MAX: usize = 1000;

/// Explains why a requested type is not symmetric: the place of each constant that excludes values.
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

/// The displayed name of a symmetric subtype: the datatype if nothing is left out, else the name of a definition
/// `X = diff(T, {C, …})` that leaves out the same values, else the datatype's name.
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
