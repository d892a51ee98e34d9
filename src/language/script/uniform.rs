//! Whether the text of processes treats the values of a datatype *uniformly*: then the instance with fewer values is
//! that part of a larger one that mentions only these. The datatype as a whole may stand only where a field is declared,
//! where a value is chosen (an input, `[]`, `|~|`), and in sets of events that operators take.
//!
//! Everything else that mentions it as a whole is an obstacle, with its place. Beside that, the scan finds what single
//! theorems need: how many values an event or a choice can introduce, whether choices can be seen in events, and
//! whether sets of events tell values apart.

mod events;
mod values;

use super::core::{
    Builtin, ChannelId, Expr, ExprKind, Field, GlobalId, GlobalKind, Items, Links, LocalDef,
    Pattern, PatternKind, RepOp, Script, Stmt, TypeId, VariableId, no_operator,
};
use super::reach::{TopLevel, reach};
use super::types::Types;
use super::visit::{self, Mention};
use crate::source::Span;
use crate::source::hash::{IndexSet, Map, Set};
use crate::source::stack::deep;

/// A place that keeps a condition from holding, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformObstacle {
    /// The place.
    pub span: Span,
    /// The reason, as a sentence without a full stop.
    pub why: String,
}

/// What is known of the uses of a datatype in some expressions and all that they reach.
#[derive(Clone, Debug, Default)]
pub struct Uniform {
    /// Uses that are not uniform.
    pub obstacles: Vec<UniformObstacle>,
    /// The most values of the datatype in one event.
    pub of_event: usize,
    /// The most values that one internal choice introduces.
    pub of_choice: usize,
    /// Choices over the datatype whose event does not show the value.
    pub hidden_choices: Vec<UniformObstacle>,
    /// Steps that can introduce values and that a trace does not show.
    pub unseen: Vec<UniformObstacle>,
    /// Sets, maps and renamings that can tell values apart, which the type checker does not notice.
    pub tells_apart: Vec<UniformObstacle>,
    /// Renamings that change which values an event carries, or in which order.
    pub relabels: Vec<UniformObstacle>,
}

/// Examines some expressions, such as one side of an assertion, and all that they reach.
#[must_use]
pub fn uniform(script: &Script, types: &Types, datatype: TypeId, roots: &[&Expr]) -> Uniform {
    let mut scan = UniformScan {
        script,
        types,
        datatype,
        containing: types.containing(script, datatype),
        slots: Map::default(),
        done: IndexSet::default(),
        lets: Map::default(),
        drawn: Vec::new(),
        found: Uniform::default(),
    };
    for root in roots {
        scan.term(root);
    }
    scan.found
}

/// What an expression is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum UsedAs {
    /// A process or data.
    Term,
    /// A set of values that a field declares or that is chosen from.
    Values,
    /// A set of events that an operator takes.
    Events,
}

/// A declaration that is examined once for each use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum UsedDeclaration {
    Global(GlobalId),
    Channel(ChannelId),
    Let(VariableId),
}

struct UniformScan<'a> {
    script: &'a Script,
    types: &'a Types,
    datatype: TypeId,
    /// The datatypes whose values can contain one of it.
    containing: Set<TypeId>,
    /// The most values in an element of a declared set; `None` while that is being computed.
    slots: Map<DeclaredSet, Option<usize>>,
    done: IndexSet<(UsedDeclaration, UsedAs)>,
    /// Local definitions, which are examined as what they are used as.
    lets: Map<VariableId, &'a LocalDef>,
    /// Variables that the generators around a set of events draw from the whole datatype.
    drawn: Vec<VariableId>,
    found: Uniform,
}

/// A declared set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum DeclaredSet {
    Global(GlobalId),
    Type(TypeId),
}

impl<'a> UniformScan<'a> {
    fn obstacle(&mut self, span: Span, why: impl Into<String>) {
        let why = why.into();
        self.found.obstacles.push(UniformObstacle { span, why });
    }

    fn name(&self) -> &'a str {
        &self.script.types[self.datatype.0 as usize].name
    }

    /// Whether a declaration is still to be examined as this.
    fn is_new(&mut self, declared: UsedDeclaration, used: UsedAs) -> bool {
        self.done.insert((declared, used))
    }

    fn used(&mut self, e: &'a Expr, used: UsedAs) {
        match used {
            UsedAs::Term => self.term(e),
            UsedAs::Values => {
                self.values(e);
            }
            UsedAs::Events => self.events(e),
        }
    }

    fn global(&mut self, g: GlobalId, used: UsedAs) {
        if !self.is_new(UsedDeclaration::Global(g), used) {
            return;
        }
        let global = &self.script.globals[g.0 as usize];
        if global.made {
            self.obstacle(global.span, "a Timed section gives events priorities");
        }
        // Variables of generators around a use are not those of the definition.
        let drawn = std::mem::take(&mut self.drawn);
        match &global.kind {
            GlobalKind::Value(e) => self.used(e, used),
            GlobalKind::Nametype(e) => match used {
                UsedAs::Term => self.term(e),
                UsedAs::Values | UsedAs::Events => {
                    self.values(e);
                }
            },
            GlobalKind::Function(f) => f.clauses.iter().for_each(|c| self.used(&c.body, used)),
            GlobalKind::Part { binding, .. } => self.term(&binding.1),
        }
        for parameter in global.params.iter() {
            self.global(*parameter, UsedAs::Term);
        }
        self.drawn = drawn;
    }

    fn channel(&mut self, c: ChannelId) -> usize {
        let fields = self.script.channels[c.0 as usize].fields.as_deref();
        let Some(fields) = fields else { return 0 };
        if self.is_new(UsedDeclaration::Channel(c), UsedAs::Values) {
            let slots = self.values(fields);
            self.found.of_event = self.found.of_event.max(slots);
            return slots;
        }
        self.slots_of(fields).unwrap_or(usize::MAX)
    }

    /// A local definition, where it is used; of another variable nothing is to be said.
    fn local(&mut self, v: VariableId, used: UsedAs) {
        let Some(def) = self.lets.get(&v).copied() else {
            return;
        };
        if !self.is_new(UsedDeclaration::Let(v), used) {
            return;
        }
        match def {
            LocalDef::Value(_, e) => self.used(e, used),
            LocalDef::Function(_, f, _) => {
                f.clauses.iter().for_each(|c| self.used(&c.body, used));
            }
        }
    }

    fn lets(&mut self, defs: &'a [LocalDef]) {
        for def in defs {
            match def {
                LocalDef::Function(v, ..) => {
                    self.lets.insert(*v, def);
                }
                LocalDef::Value(
                    Pattern {
                        kind: PatternKind::Bind(v),
                        ..
                    },
                    _,
                ) => {
                    self.lets.insert(*v, def);
                }
                LocalDef::Value(_, e) => self.term(e),
            }
        }
    }

    // ---------------------------------------------------------------------------------- processes and data

    fn term(&mut self, e: &'a Expr) {
        deep(|| self.term_here(e));
    }

    fn terms<const N: usize>(&mut self, es: [&'a Expr; N]) {
        es.into_iter().for_each(|e| self.term(e));
    }

    fn each(&mut self, es: &'a [Expr]) {
        es.iter().for_each(|e| self.term(e));
    }

    fn term_here(&mut self, e: &'a Expr) {
        use ExprKind as K;
        match &e.kind {
            K::Local(v) => self.local(*v, UsedAs::Term),
            K::Global(g) => self.global(*g, UsedAs::Term),
            K::Type(t) if self.containing.contains(t) => {
                let why = format!("all of `{}` stands here", self.name());
                self.obstacle(e.span, why);
            }
            K::Channel(c) => {
                self.channel(*c);
            }
            K::Builtin(b) => self.builtin(*b, e.span),
            K::Type(_) | K::Ctor(_) | K::Int(_) | K::Bool(_) | K::Char(_) | K::Str(_) => {}
            K::Tuple(es) | K::Dot(es) => self.each(es),
            K::Seq(i, s) => {
                self.stmts_of_data(s);
                self.items(i);
            }
            K::Set(i, s) => {
                self.stmts_of_data(s);
                self.items(i);
                self.set_of_data(e);
            }
            K::Productions(..) => self.productions_of_data(e),
            K::Map(pairs) => {
                self.apart(e.span, "a map compares its keys");
                pairs.iter().for_each(|(k, v)| self.terms([k, v]));
            }
            K::Apply(f, args) => self.apply(f, args),
            K::Let(defs, body) => {
                self.lets(defs);
                self.term(body);
            }
            K::Lambda(f) => f.clauses.iter().for_each(|c| self.term(&c.body)),
            K::Unary(_, a) => self.term(a),
            K::Binary(_, a, b) => self.terms([a, b]),
            K::If(a, b, c) => self.terms([a, b, c]),
            _ => self.process(e),
        }
    }

    fn items(&mut self, items: &'a Items) {
        match items {
            Items::List(es) => self.each(es),
            Items::Range(a, b) => {
                self.term(a);
                b.iter().for_each(|b| self.term(b));
            }
        }
    }

    fn stmts_of_data(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Generator(_, e) | Stmt::Condition(e) => self.term(e),
            }
        }
    }

    fn apply(&mut self, f: &'a Expr, args: &'a [Expr]) {
        match &f.kind {
            // Evaluation ends there.
            ExprKind::Builtin(Builtin::Error) => {}
            ExprKind::Builtin(Builtin::Run | Builtin::Chaos) => {
                args.iter().for_each(|a| self.events(a));
            }
            _ => {
                self.term(f);
                self.each(args);
            }
        }
    }

    /// Built-ins that are not looked into, or that see more than single values.
    fn builtin(&mut self, b: Builtin, span: Span) {
        use Builtin as B;
        let name = b.name();
        match b {
            B::Events | B::Extensions | B::Productions => {
                self.obstacle(span, format!("`{name}` stands where values are computed"));
            }
            B::SetOf
            | B::EmptyMap
            | B::MapFromList
            | B::MapLookup
            | B::MapMember
            | B::MapToList
            | B::MapUpdate
            | B::MapUpdateMultiple
            | B::MapDelete
            | B::MapsOver
            | B::RelationalImage
            | B::RelationalInverseImage
            | B::Transpose
            | B::MTransClose => {
                self.apart(span, &format!("`{name}` tells equal values from others"));
            }
            B::Explicate
            | B::LazyEnumerate
            | B::Diamond
            | B::Normal
            | B::LazyNorm
            | B::Sbisim
            | B::Dbisim
            | B::Wbisim
            | B::TauLoopFactor
            | B::ModelCompress => {
                self.obstacle(span, format!("`{name}` compresses a process: leave it out"));
            }
            B::Buffer
            | B::WeakBuffer
            | B::SignalBuffer
            | B::Wait
            | B::TSkip
            | B::TStop
            | B::TimedPriority
            | B::Chase
            | B::ChaseNoCache
            | B::Deter
            | B::Loop
            | B::FailureWatchdog
            | B::TraceWatchdog
            | B::Prioritise
            | B::PrioritiseNoCache
            | B::PrioritisePo
            | B::Run
            | B::Chaos => self.obstacle(span, format!("of `{name}` nothing is known here")),
            _ => {}
        }
    }

    fn apart(&mut self, span: Span, why: &str) {
        let why = why.to_owned();
        self.found.tells_apart.push(UniformObstacle { span, why });
    }

    /// Whether an expression mentions a variable that may hold values, or a channel that carries some.
    fn mentions_values(&mut self, e: &'a Expr) -> bool {
        let (mut locals, mut all) = (Vec::new(), false);
        let reached = reach(
            self.script,
            &[e],
            &mut |mention: Mention, _: Span| match mention {
                Mention::Local(v) => locals.push(v),
                Mention::Builtin(Builtin::Events) => all = true,
                _ => {}
            },
        );
        let carries = |node: TopLevel| match node {
            TopLevel::Channel(c) => self.channel(c) > 0,
            TopLevel::Type(t) => self.containing.contains(&t),
            TopLevel::Global(_) => false,
        };
        let carries = reached.into_iter().any(carries);
        all || carries || locals.into_iter().any(|v| self.may_hold(v))
    }

    /// A set among data: how many elements it has depends on which are equal.
    fn set_of_data(&mut self, e: &'a Expr) {
        if self.mentions_values(e) {
            let why = format!("a set whose elements can hold values of `{}`", self.name());
            self.apart(e.span, &why);
        }
    }

    fn productions_of_data(&mut self, e: &'a Expr) {
        if self.mentions_values(e) {
            let why = format!(
                "a set of all events with values of `{}` stands where values are computed",
                self.name()
            );
            self.obstacle(e.span, why);
        }
    }

    /// An expression whose outermost form is a process operator.
    fn process(&mut self, e: &'a Expr) {
        use ExprKind as K;
        match &e.kind {
            K::Prefix { head, fields, body } => {
                self.term(head);
                fields.iter().for_each(|f| self.field(f, e.span));
                self.term(body);
            }
            K::Guard(a, b) | K::Process(_, a, b) => self.terms([a, b]),
            K::Hide(p, a) | K::Project(p, a) => {
                self.term(p);
                self.events(a);
                self.hides(a);
            }
            K::Parallel(p, a, q)
            | K::Exception(p, a, q)
            | K::SyncChoice(p, a, q)
            | K::SyncInterrupt(p, a, q) => {
                self.terms([p, q]);
                self.events(a);
            }
            K::AlphaParallel(p, a, b, q) => {
                self.terms([p, q]);
                self.events(a);
                self.events(b);
            }
            K::Link(p, links, q) => {
                self.terms([p, q]);
                self.links(links, e.span);
                let why = "linked events are hidden";
                self.unseen(e.span, why);
            }
            K::Rename(p, links) => {
                self.term(p);
                self.links(links, e.span);
            }
            K::Replicated {
                op,
                set,
                stmts,
                body,
            } => self.replicated(*op, set.as_deref(), stmts, body, e.span),
            K::ReplicatedLink { links, stmts, body } => {
                self.stmts_of_data(stmts);
                self.links(links, e.span);
                self.unseen(e.span, "linked events are hidden");
                self.term(body);
            }
            no_operator!() => {}
        }
    }

    fn unseen(&mut self, span: Span, why: &str) {
        let why = why.to_owned();
        self.found.unseen.push(UniformObstacle { span, why });
    }

    fn hides(&mut self, set: &'a Expr) {
        if self.mentions_values(set) {
            let why = format!("events with values of `{}` may be hidden here", self.name());
            self.unseen(set.span, &why);
        }
    }

    fn field(&mut self, field: &'a Field, prefix: Span) {
        match field {
            Field::Output(e) => self.term(e),
            Field::Input(_, set) => {
                set.iter().for_each(|s| {
                    self.values(s);
                });
            }
            Field::Nondet(_, set) => {
                set.iter().for_each(|s| {
                    self.values(s);
                });
                self.unseen(prefix, "`$` chooses a value by itself");
            }
        }
    }

    fn replicated(
        &mut self,
        op: RepOp,
        set: Option<&'a Expr>,
        stmts: &'a [Stmt],
        body: &'a Expr,
        span: Span,
    ) {
        let name = self.name();
        let is_choice = matches!(op, RepOp::ExtChoice | RepOp::IntChoice);
        let mut drawn = 0usize;
        for stmt in stmts {
            match stmt {
                Stmt::Generator(_, e) if is_choice => {
                    drawn = drawn.saturating_add(self.values(e));
                }
                Stmt::Generator(_, e) => {
                    if self.slots_of(e).is_none_or(|n| n > 0) {
                        let why = format!("how many processes there are depends on `{name}`");
                        self.obstacle(e.span, why);
                    } else {
                        self.term(e);
                    }
                }
                Stmt::Condition(e) => self.term(e),
            }
        }
        if drawn > 0 && op == RepOp::IntChoice {
            self.found.of_choice = self.found.of_choice.max(drawn);
            self.unseen(span, &format!("`|~|` chooses a value of `{name}`"));
        }
        if drawn > 0 && op == RepOp::ExtChoice && !shows(stmts, body) {
            let why = format!("a choice over `{name}` whose event does not show the value");
            self.found.hidden_choices.push(UniformObstacle {
                span,
                why: why.clone(),
            });
            self.unseen(span, &why);
        }
        set.into_iter().for_each(|s| self.events(s));
        self.term(body);
    }

    /// The pairs of a renaming or a link.
    fn links(&mut self, links: &'a Links, span: Span) {
        let bound = self.generators(&links.stmts, span);
        for (old, new) in &links.pairs {
            self.terms([old, new]);
            self.fields_alone(old);
            self.fields_alone(new);
            let (left, right) = (self.held_in(old), self.held_in(new));
            if left != right || left.iter().any(|v| !bound.contains(v)) || has_doubles(&left) {
                let why = "a renaming that changes the values of an event, or names one";
                self.found.relabels.push(UniformObstacle {
                    span: old.span,
                    why: why.to_owned(),
                });
                self.unseen(old.span, why);
            }
            if left.iter().any(|v| !bound.contains(v)) || has_doubles(&left) {
                self.apart(old.span, "a renaming of events with certain values");
            }
            let right_tells = has_doubles(&right) || right.iter().any(|v| !bound.contains(v));
            if matches!(self.carried(new), Some(n) if n > 0) && right_tells {
                self.apart(new.span, "a renaming to events with certain values");
            }
        }
    }
}

fn has_doubles(variables: &[VariableId]) -> bool {
    let different: Set<VariableId> = variables.iter().copied().collect();
    different.len() < variables.len()
}

/// Whether a choice is one of prefixes whose events show each variable of its generators.
fn shows(stmts: &[Stmt], body: &Expr) -> bool {
    let mut variables = Vec::new();
    for stmt in stmts {
        if let Stmt::Generator(pattern, _) = stmt {
            visit::pattern(pattern, &mut |mention: Mention, _: Span| {
                if let Mention::Binder(v) = mention {
                    variables.push(v);
                }
            });
            // What is not bound is not shown either.
            if !matches!(pattern.kind, PatternKind::Bind(_)) {
                return false;
            }
        }
    }
    let ExprKind::Prefix { head, fields, .. } = &body.kind else {
        return false;
    };
    let mut shown: Set<VariableId> = Set::default();
    let outputs = fields.iter().filter_map(|f| match f {
        Field::Output(e) => Some(e),
        Field::Input(..) | Field::Nondet(..) => None,
    });
    for part in outputs.chain([&**head]) {
        part_values(part, &mut shown);
    }
    variables.iter().all(|v| shown.contains(v))
}

/// The variables that stand as fields of an event.
fn part_values(e: &Expr, shown: &mut Set<VariableId>) {
    match &e.kind {
        ExprKind::Local(v) => {
            shown.insert(*v);
        }
        ExprKind::Dot(parts) => parts.iter().for_each(|p| part_values(p, shown)),
        _ => {}
    }
}
