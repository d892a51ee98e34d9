//! Declarations of the top level.

use std::rc::Rc;

use super::pattern::{Binder, names_in, strip};
use super::scope::{Availability, Entity, availability};
use super::{Annotation, Resolver, Target, broken};
use crate::script::core::{
    Builtin, Channel, ChannelId, Ctor, CtorId, Datatype, Function, Global, GlobalId, GlobalKind,
    LocalId, TypeId,
};
use crate::source::hash::{IndexMap, Set};
use crate::source::{Diagnostic, Severity, Span};
use crate::syntax::ast::{self, DeclKind};

/// All clauses of one function, as written.
pub(super) struct Clauses<'a> {
    pub name: &'a ast::Ident,
    pub list: Vec<(&'a [Vec<ast::Pattern>], &'a ast::Expr, Span)>,
}

/// Declarations after clauses of one name were joined.
pub(super) enum Item<'a> {
    Function(Clauses<'a>),
    Pattern(&'a ast::Pattern, &'a ast::Expr),
    Other(&'a ast::Decl),
}

/// What a global will be once every name is known.
enum Pending<'a> {
    Value(&'a ast::Expr),
    Function(Clauses<'a>),
    Nametype(&'a ast::Expr),
    Part(usize),
}

/// A top-level pattern binding with the variables it defines.
struct TopPattern<'a> {
    pattern: &'a ast::Pattern,
    body: &'a ast::Expr,
    parts: Vec<(Rc<str>, GlobalId)>,
}

/// Constructors of a subtype as written.
type SubtypeClauses<'a> = &'a [(ast::Ident, Option<ast::Expr>)];
/// Constructors of a datatype with their fields.
type DatatypeClauses<'a> = Vec<(CtorId, Option<&'a ast::Expr>)>;

/// What the first pass leaves to the second.
#[derive(Default)]
struct Work<'a> {
    pending: Vec<Pending<'a>>,
    patterns: Vec<TopPattern<'a>>,
    subtypes: Vec<(TypeId, SubtypeClauses<'a>)>,
    datatypes: Vec<(TypeId, DatatypeClauses<'a>)>,
    channels: Vec<(Vec<ChannelId>, &'a ast::Expr)>,
    constants: Set<Rc<str>>,
}

impl Resolver {
    /// Two passes: declare every name, then resolve what stands behind them.
    pub(super) fn top_level(&mut self, decls: &[ast::Decl]) {
        let items = self.join(decls);
        let mut work = Work::default();
        constants(decls, &mut work.constants);
        for item in items {
            self.declare_item(item, &mut work);
        }
        self.declare_builtins(decls);
        self.annotate(decls, &IndexMap::default());
        self.resolve_types(&work);
        self.resolve_globals(work);
        for decl in decls {
            match &decl.kind {
                DeclKind::Assert(a) => self.assertion(a),
                DeclKind::Print(e) => {
                    let e = self.expr(e);
                    self.script.prints.push(e);
                }
                _ => {}
            }
        }
    }

    /// Joins the clauses of each function. Clauses that are not adjacent are joined too, but
    /// reported.
    pub(super) fn join<'a>(&mut self, decls: &'a [ast::Decl]) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = Vec::new();
        let mut index: IndexMap<Rc<str>, usize> = IndexMap::default();
        for decl in decls {
            match &decl.kind {
                DeclKind::Clause { name, groups, body } => {
                    let clause = (groups.as_slice(), body, decl.span);
                    let last = items.len().wrapping_sub(1);
                    match index.get(&name.text).copied() {
                        Some(at) => {
                            if let Some(Item::Function(clauses)) = items.get_mut(at) {
                                if at != last {
                                    self.diagnostics.push(not_adjacent(name, clauses));
                                }
                                clauses.list.push(clause);
                            }
                        }
                        None => {
                            index.insert(Rc::clone(&name.text), items.len());
                            let list = vec![clause];
                            items.push(Item::Function(Clauses { name, list }));
                        }
                    }
                }
                DeclKind::Pattern { pattern, body } => {
                    items.push(Item::Pattern(pattern, body));
                }
                // Annotations may stand between clauses.
                DeclKind::Annotation { .. } => {}
                _ => items.push(Item::Other(decl)),
            }
        }
        items
    }

    fn declare_item<'a>(&mut self, item: Item<'a>, work: &mut Work<'a>) {
        match item {
            Item::Function(clauses) => {
                let name = clauses.name;
                self.global(&name.text, name.span, Pending::Function(clauses), work);
            }
            Item::Pattern(pattern, body) => self.declare_pattern(pattern, body, work),
            Item::Other(decl) => self.declare_other(decl, work),
        }
    }

    fn global<'a>(
        &mut self,
        name: &Rc<str>,
        span: Span,
        pending: Pending<'a>,
        work: &mut Work<'a>,
    ) -> Option<GlobalId> {
        let id = GlobalId(self.script.globals.len() as u32);
        if !self.declare(name, Entity::Global(id), span) {
            return None;
        }
        self.script.globals.push(Global {
            name: Rc::clone(name),
            span,
            kind: GlobalKind::Value(broken(span, "not resolved")),
        });
        work.pending.push(pending);
        Some(id)
    }

    fn declare_pattern<'a>(
        &mut self,
        pattern: &'a ast::Pattern,
        body: &'a ast::Expr,
        work: &mut Work<'a>,
    ) {
        let bare = strip(pattern);
        if let ast::PatternKind::Name(name) = &bare.kind {
            self.global(name, bare.span, Pending::Value(body), work);
            return;
        }
        let index = work.patterns.len();
        let mut parts = Vec::new();
        for (name, span) in names_in(pattern) {
            if work.constants.contains(&name) || name.contains("::") {
                continue;
            }
            if let Some(id) = self.global(&name, span, Pending::Part(index), work) {
                parts.push((name, id));
            }
        }
        work.patterns.push(TopPattern {
            pattern,
            body,
            parts,
        });
    }

    fn declare_other<'a>(&mut self, decl: &'a ast::Decl, work: &mut Work<'a>) {
        match &decl.kind {
            DeclKind::Channel { names, fields } => {
                let ids = names.iter().map(|n| self.channel(n)).collect();
                if let Some(fields) = fields {
                    work.channels.push((ids, fields));
                }
            }
            DeclKind::Datatype {
                subtype,
                name,
                clauses,
            } => self.declare_datatype(*subtype, name, clauses, work),
            DeclKind::Nametype { name, body } => {
                self.global(&name.text, name.span, Pending::Nametype(body), work);
            }
            DeclKind::Module { name, .. } => {
                self.unsupported("E0601", name.span, "modules are not supported yet", &[name]);
            }
            DeclKind::Instance { name, .. } => self.unsupported(
                "E0602",
                name.span,
                "module instances are not supported yet",
                &[name],
            ),
            DeclKind::Timed { decls, .. } => {
                let start = Span {
                    end: decl.span.start + 5,
                    ..decl.span
                };
                self.unsupported("E0603", start, "Timed sections are not supported yet", &[]);
                self.skip(decls);
            }
            _ => {}
        }
    }

    /// Reports a part that is left out, and remembers its names so that uses stay quiet.
    fn unsupported(
        &mut self,
        code: &'static str,
        span: Span,
        message: &str,
        names: &[&ast::Ident],
    ) {
        self.report(
            Diagnostic::error(code, span, message)
                .label("left out")
                .note("the rest of the script can be used"),
        );
        for name in names {
            self.scopes.define(&name.text, Entity::Skipped, name.span);
        }
    }

    /// Defines all names of declarations that are left out.
    fn skip(&mut self, decls: &[ast::Decl]) {
        for decl in decls {
            match &decl.kind {
                DeclKind::Clause { name, .. }
                | DeclKind::Nametype { name, .. }
                | DeclKind::Instance { name, .. }
                | DeclKind::Module { name, .. } => self.skip_name(&name.text, name.span),
                DeclKind::Pattern { pattern, .. } => {
                    for (name, span) in names_in(pattern) {
                        self.skip_name(&name, span);
                    }
                }
                DeclKind::Channel { names, .. } => {
                    names.iter().for_each(|n| self.skip_name(&n.text, n.span));
                }
                DeclKind::Datatype { name, clauses, .. } => {
                    self.skip_name(&name.text, name.span);
                    clauses
                        .iter()
                        .for_each(|(c, _)| self.skip_name(&c.text, c.span));
                }
                _ => {}
            }
        }
    }

    fn skip_name(&mut self, name: &Rc<str>, span: Span) {
        if self.scopes.innermost(name).is_none() {
            self.scopes.define(name, Entity::Skipped, span);
        }
    }

    fn channel(&mut self, name: &ast::Ident) -> ChannelId {
        let id = ChannelId(self.script.channels.len() as u32);
        self.declare(&name.text, Entity::Channel(id), name.span);
        self.script.channels.push(Channel {
            name: Rc::clone(&name.text),
            span: name.span,
            fields: None,
        });
        id
    }

    fn declare_datatype<'a>(
        &mut self,
        subtype: bool,
        name: &'a ast::Ident,
        clauses: &'a [(ast::Ident, Option<ast::Expr>)],
        work: &mut Work<'a>,
    ) {
        let id = TypeId(self.script.types.len() as u32);
        self.declare(&name.text, Entity::Type(id), name.span);
        self.script.types.push(Datatype {
            name: Rc::clone(&name.text),
            span: name.span,
            clauses: Vec::new(),
            subtype_of: None,
        });
        if subtype {
            work.subtypes.push((id, clauses));
            return;
        }
        let mut list = Vec::new();
        for (ctor, fields) in clauses {
            let c = CtorId(self.script.ctors.len() as u32);
            if !self.declare(&ctor.text, Entity::Ctor(c), ctor.span) {
                continue;
            }
            self.script.ctors.push(Ctor {
                name: Rc::clone(&ctor.text),
                span: ctor.span,
                owner: id,
                has_fields: fields.is_some(),
            });
            list.push((c, fields.as_ref()));
        }
        work.datatypes.push((id, list));
    }

    /// `transparent` and `external` names; a definition of the script with the same name wins.
    pub(super) fn declare_builtins(&mut self, decls: &[ast::Decl]) {
        for decl in decls {
            let (DeclKind::External(names) | DeclKind::Transparent(names)) = &decl.kind else {
                continue;
            };
            for name in names {
                let known = Builtin::ALL.iter().find(|b| {
                    b.name() == &*name.text
                        && matches!(availability(**b), Availability::Declared(_))
                });
                match known {
                    Some(b) if self.scopes.innermost(&name.text).is_none() => {
                        let builtin = Entity::Builtin(*b);
                        self.scopes.define(&name.text, builtin, name.span);
                    }
                    Some(_) => {}
                    None => self.unknown_builtin(name),
                }
            }
        }
    }

    fn unknown_builtin(&mut self, name: &ast::Ident) {
        let known: Vec<&str> = Builtin::ALL
            .iter()
            .filter(|b| matches!(availability(**b), Availability::Declared(_)))
            .map(|b| b.name())
            .collect();
        let message = format!("there is no built-in function `{}`", name.text);
        self.report(
            Diagnostic::error("E0213", name.span, message)
                .note(format!("known are {}", known.join(", "))),
        );
        self.skip_name(&name.text, name.span);
    }

    /// Ties annotations to the definitions of the same list. `locals` are those of a `let`.
    pub(super) fn annotate(&mut self, decls: &[ast::Decl], locals: &IndexMap<Rc<str>, LocalId>) {
        let mut seen: IndexMap<Rc<str>, Span> = IndexMap::default();
        for decl in decls {
            let DeclKind::Annotation { names, scheme } = &decl.kind else {
                continue;
            };
            for name in names {
                if let Some(earlier) = seen.insert(Rc::clone(&name.text), name.span) {
                    let message = format!("`{}` has two type annotations", name.text);
                    self.report(
                        Diagnostic::error("E0211", name.span, message)
                            .also(earlier, "the first one"),
                    );
                    continue;
                }
                let target = match (locals.get(&name.text), self.scopes.innermost(&name.text)) {
                    (Some(l), _) => Target::Local(*l),
                    (None, Some(b)) => match b.entity {
                        Entity::Global(g) => Target::Global(g),
                        Entity::Skipped => continue,
                        _ => {
                            self.orphan(name);
                            continue;
                        }
                    },
                    (None, None) => {
                        self.orphan(name);
                        continue;
                    }
                };
                self.annotations.push(Annotation {
                    target,
                    scheme: scheme.clone(),
                    span: name.span,
                });
            }
        }
    }

    fn orphan(&mut self, name: &ast::Ident) {
        let message = format!("`{}` has a type annotation but no definition", name.text);
        self.report(
            Diagnostic::error("E0210", name.span, message)
                .note("the definition must stand in the same list of declarations"),
        );
    }

    fn resolve_types(&mut self, work: &Work) {
        for (id, clauses) in &work.datatypes {
            let list = clauses
                .iter()
                .map(|(c, fields)| (*c, fields.map(|e| self.expr(e))))
                .collect();
            self.script.types[id.0 as usize].clauses = list;
        }
        for (id, clauses) in &work.subtypes {
            self.resolve_subtype(*id, clauses);
        }
        for (ids, fields) in &work.channels {
            let fields = Rc::new(self.expr(fields));
            for id in ids {
                self.script.channels[id.0 as usize].fields = Some(Rc::clone(&fields));
            }
        }
    }

    /// Constructors of a subtype are those of one datatype.
    fn resolve_subtype(&mut self, id: TypeId, clauses: &[(ast::Ident, Option<ast::Expr>)]) {
        let mut owner: Option<(TypeId, Span)> = None;
        let mut list: Vec<(CtorId, Option<_>)> = Vec::new();
        for (name, fields) in clauses {
            let fields = fields.as_ref().map(|e| self.expr(e));
            let ctor = match self.scopes.lookup(&name.text) {
                Some(Entity::Ctor(c)) => c,
                Some(Entity::Skipped) => continue,
                found => {
                    self.no_constructor(name, found);
                    continue;
                }
            };
            let this = self.script.ctors[ctor.0 as usize].owner;
            match owner {
                Some((o, first)) if o != this => {
                    self.report(
                        Diagnostic::error(
                            "E0209",
                            name.span,
                            "a subtype takes its constructors from one datatype",
                        )
                        .also(first, "this one is of another datatype"),
                    );
                    continue;
                }
                _ => owner = Some((this, name.span)),
            }
            if let Some((_, _)) = list.iter().find(|(c, _)| *c == ctor) {
                let message = format!("`{}` is listed twice", name.text);
                self.report(Diagnostic::error("E0202", name.span, message));
                continue;
            }
            list.push((ctor, fields));
        }
        let subtype = &mut self.script.types[id.0 as usize];
        subtype.clauses = list;
        // Without any sound constructor it stands for itself, and is empty.
        subtype.subtype_of = Some(owner.map_or(id, |(o, _)| o));
    }

    /// FDR4 lets names of other definitions pass here, so for them a warning must do.
    fn no_constructor(&mut self, name: &ast::Ident, found: Option<Entity>) {
        let message = format!("`{}` is not a constructor of a datatype", name.text);
        let mut diagnostic = Diagnostic::error("E0209", name.span, message)
            .note("a subtype lists constructors that a datatype declares");
        if found.is_some() {
            diagnostic.severity = Severity::Warning;
            diagnostic.label = "left out".to_owned();
        } else if let Some(near) = self.scopes.suggestion(&name.text) {
            diagnostic = diagnostic.note(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic);
    }

    fn resolve_globals(&mut self, work: Work) {
        let Work {
            pending, patterns, ..
        } = work;
        let bindings: Vec<_> = patterns
            .iter()
            .map(|top| {
                let mut list = Vec::new();
                let pattern = self.pattern(top.pattern, &mut Binder::Listed(&mut list));
                (Rc::new((pattern, self.expr(top.body))), list)
            })
            .collect();
        for (index, pending) in pending.into_iter().enumerate() {
            let kind = match pending {
                Pending::Value(e) => GlobalKind::Value(self.expr(e)),
                Pending::Nametype(e) => GlobalKind::Nametype(self.expr(e)),
                Pending::Function(clauses) => GlobalKind::Function(self.function(&clauses)),
                Pending::Part(at) => {
                    let id = GlobalId(index as u32);
                    let name = patterns[at].parts.iter().find(|(_, g)| *g == id);
                    let (binding, list) = &bindings[at];
                    let local = name.and_then(|(n, _)| list.iter().find(|(m, _)| m == n));
                    match local {
                        Some((_, local)) => GlobalKind::Part {
                            binding: Rc::clone(binding),
                            local: *local,
                        },
                        None => continue,
                    }
                }
            };
            self.script.globals[index].kind = kind;
        }
    }

    /// Clauses whose parameters differ in number from those of the first are reported and left out.
    pub(super) fn function(&mut self, clauses: &Clauses) -> Function {
        let name = &clauses.name.text;
        let shape = |groups: &[Vec<ast::Pattern>]| groups.iter().map(Vec::len).collect();
        let mut arity: Option<(Vec<usize>, Span)> = None;
        let mut list = Vec::new();
        for (groups, body, span) in &clauses.list {
            let this: Vec<usize> = shape(groups);
            let clause = self.clause(groups, body, *span);
            match &arity {
                Some((first, place)) if *first != this => {
                    let message = format!("the clauses of `{name}` differ in their parameters");
                    self.report(
                        Diagnostic::error("E0204", *span, message)
                            .label(format!("{} here", parameters(&this)))
                            .also(*place, format!("{} here", parameters(first))),
                    );
                }
                Some(_) => list.push(clause),
                None => {
                    arity = Some((this, *span));
                    list.push(clause);
                }
            }
        }
        Function {
            name: Rc::clone(name),
            arity: arity.map(|a| a.0).unwrap_or_default(),
            clauses: list,
        }
    }
}

fn parameters(shape: &[usize]) -> String {
    let groups: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match shape {
        [1] => "1 parameter".to_owned(),
        _ => format!("{} parameters", groups.join(" and then ")),
    }
}

fn not_adjacent(name: &ast::Ident, clauses: &Clauses) -> Diagnostic {
    let message = format!("the clauses of `{}` are not together", name.text);
    let last = clauses.list.last().map_or(clauses.name.span, |c| c.2);
    Diagnostic::error("E0203", name.span, message)
        .label("a clause after other declarations")
        .also(last, "the clauses before it end here")
        .note("move all clauses together, or rename one of the functions")
}

/// Names of constructors and channels, which patterns treat as constants.
fn constants(decls: &[ast::Decl], out: &mut Set<Rc<str>>) {
    for decl in decls {
        match &decl.kind {
            DeclKind::Channel { names, .. } => {
                out.extend(names.iter().map(|n| Rc::clone(&n.text)));
            }
            DeclKind::Datatype { clauses, .. } => {
                out.extend(clauses.iter().map(|(c, _)| Rc::clone(&c.text)));
            }
            _ => {}
        }
    }
}
