//! Lists of declarations, each in its place: the top level, the two parts of a module, a Timed
//! section. First channels, datatypes and modules are declared, then everything else; instances of
//! modules with parameters are expanded here.

use std::rc::Rc;

use super::join::{Clauses, Item};
use super::module::Template;
use super::pattern::{names_in, strip};
use super::scope::{Entity, FrameId, ModuleId};
use super::section::Section;
use super::{PHASE, Resolver, broken};
use crate::script::core::{
    Channel, ChannelId, Ctor, CtorId, Datatype, Global, GlobalId, GlobalKind, TypeId,
};
use crate::source::Span;
use crate::source::hash::{IndexMap, Map, Set};
use crate::source::stack::deep;
use crate::syntax::ast::{self, DeclKind};

/// Where a list of declarations stands.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Everything in scope, outermost first.
    pub frames: Vec<FrameId>,
    /// Where its names go.
    pub home: FrameId,
    /// Whether its names can be used outside its module.
    pub exporting: bool,
    /// What its names start with: empty, or `M::`.
    pub prefix: Rc<str>,
    /// The Timed section around it.
    pub section: Option<usize>,
    /// The modules around it, as positions in the text.
    pub inside: Vec<usize>,
    /// The parameters of the instances around it.
    pub params: Rc<[GlobalId]>,
    /// Whether it is part of an instance, so that its templates are checked elsewhere.
    pub expanded: bool,
}

/// What a global will be once every name is known.
pub(super) enum Pending<'a> {
    Value(&'a ast::Expr),
    Function(Clauses<'a>),
    Nametype(&'a ast::Expr),
    Part(usize),
    /// A parameter of a module that is checked by itself.
    Parameter,
    /// Written by the translation of Timed sections.
    Made,
}

/// A top-level pattern binding with the variables it defines.
pub(super) struct TopPattern<'a> {
    pub pattern: &'a ast::Pattern,
    pub body: &'a ast::Expr,
    pub parts: Vec<(Rc<str>, GlobalId)>,
    pub place: Rc<Place>,
}

/// Constructors as written.
pub(super) type CtorClauses<'a> = &'a [(ast::Ident, Option<ast::Expr>)];

/// Constructors of a datatype with their fields.
pub(super) type OwnCtors<'a> = Vec<(CtorId, Option<&'a ast::Expr>)>;

/// One list of declarations.
pub(super) struct Body<'a> {
    pub decls: &'a [ast::Decl],
    pub place: Rc<Place>,
    items: Vec<Item<'a>>,
    /// The lists inside, by the address of the declaration that holds them.
    pub inner: Map<usize, Vec<usize>>,
}

/// What the first passes leave to the later ones.
#[derive(Default)]
pub(super) struct Work<'a> {
    pub bodies: Vec<Body<'a>>,
    pub pending: Vec<(Pending<'a>, Rc<Place>)>,
    pub patterns: Vec<TopPattern<'a>>,
    pub subtypes: Vec<(TypeId, CtorClauses<'a>, Rc<Place>)>,
    pub datatypes: Vec<(TypeId, OwnCtors<'a>, Rc<Place>)>,
    pub channels: Vec<(Vec<ChannelId>, &'a ast::Expr, Rc<Place>)>,
    pub sections: Vec<(Span, Option<&'a ast::Expr>, Rc<Place>)>,
    pub templates: IndexMap<ModuleId, Template<'a>>,
    /// Modules with parameters that are not checked by themselves yet.
    pub unchecked: Vec<ModuleId>,
    /// The positions in the text of modules and instances, by address.
    pub order: Map<usize, usize>,
    /// Parts of the text that are expanded more than once.
    pub expanded: Vec<Span>,
    pub parameters: Set<GlobalId>,
    pub instances: usize,
}

/// The address of a declaration, which tells it from all others.
pub(super) fn address(decl: &ast::Decl) -> usize {
    std::ptr::from_ref(decl) as usize
}

impl Resolver {
    /// Looks from a place.
    pub(super) fn enter(&mut self, place: &Place) {
        let timed = place.section.is_some();
        self.scopes
            .enter(&place.frames, place.home, place.exporting, timed);
        self.timed = place.section.and_then(|s| self.sections.get(s).copied());
    }

    /// Declares channels, datatypes and modules of a list and of those inside it.
    pub(super) fn open_body<'a>(
        &mut self,
        decls: &'a [ast::Decl],
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) -> usize {
        self.enter(place);
        let items = self.join(decls);
        let id = work.bodies.len();
        work.bodies.push(Body {
            decls,
            place: Rc::clone(place),
            items,
            inner: Map::default(),
        });
        deep(|| {
            for decl in decls {
                if self.bounds.over(PHASE, Some(decl.span)) {
                    return;
                }
                let inner = self.open_decl(decl, place, work);
                if !inner.is_empty() {
                    work.bodies[id].inner.insert(address(decl), inner);
                }
            }
        });
        id
    }

    fn open_decl<'a>(
        &mut self,
        decl: &'a ast::Decl,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) -> Vec<usize> {
        self.enter(place);
        match &decl.kind {
            DeclKind::Channel { names, fields } => {
                let ids = names.iter().map(|n| self.channel(n, place)).collect();
                if let Some(fields) = fields {
                    work.channels.push((ids, fields, Rc::clone(place)));
                }
                Vec::new()
            }
            DeclKind::Datatype {
                subtype,
                name,
                clauses,
            } => {
                self.declare_datatype(*subtype, name, clauses, place, work);
                Vec::new()
            }
            DeclKind::Module { .. } => self.open_module(decl, place, work),
            DeclKind::Instance { .. } => self.open_instance(decl, place, work),
            DeclKind::Timed { durations, decls } => {
                let span = Section::word(decl.span);
                let inner = self.open_section(span, place);
                work.sections
                    .push((span, durations.as_ref(), Rc::clone(place)));
                vec![self.open_body(decls, &Rc::new(inner), work)]
            }
            _ => Vec::new(),
        }
    }

    fn channel(&mut self, name: &ast::Ident, place: &Place) -> ChannelId {
        let id = ChannelId(self.script.channels.len() as u32);
        self.declare(&name.text, Entity::Channel(id), name.span);
        self.script.channels.push(Channel {
            name: place.qualified(&name.text),
            span: name.span,
            fields: None,
        });
        id
    }

    fn declare_datatype<'a>(
        &mut self,
        subtype: bool,
        name: &'a ast::Ident,
        clauses: CtorClauses<'a>,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) {
        let id = TypeId(self.script.types.len() as u32);
        self.declare(&name.text, Entity::Type(id), name.span);
        self.script.types.push(Datatype {
            name: place.qualified(&name.text),
            span: name.span,
            clauses: Vec::new(),
            subtype_of: None,
        });
        if subtype {
            work.subtypes.push((id, clauses, Rc::clone(place)));
            return;
        }
        let mut list = Vec::new();
        for (ctor, fields) in clauses {
            let c = CtorId(self.script.ctors.len() as u32);
            if !self.declare(&ctor.text, Entity::Ctor(c), ctor.span) {
                continue;
            }
            self.script.ctors.push(Ctor {
                name: place.qualified(&ctor.text),
                span: ctor.span,
                owner: id,
                has_fields: fields.is_some(),
            });
            list.push((c, fields.as_ref()));
        }
        work.datatypes.push((id, list, Rc::clone(place)));
    }

    /// Declares the values and functions of a list and of those inside it.
    pub(super) fn declare_body<'a>(&mut self, id: usize, work: &mut Work<'a>) {
        let items = std::mem::take(&mut work.bodies[id].items);
        let place = Rc::clone(&work.bodies[id].place);
        for item in items {
            if self.bounds.over(PHASE, None) {
                return;
            }
            self.enter(&place);
            match item {
                Item::Function(clauses) => {
                    let name = clauses.name;
                    self.global(
                        (&name.text, name.span),
                        Pending::Function(clauses),
                        &place,
                        work,
                    );
                }
                Item::Pattern(pattern, body) => self.declare_pattern(pattern, body, &place, work),
                Item::Other(decl) => {
                    if let DeclKind::Nametype { name, body } = &decl.kind {
                        let name = (&name.text, name.span);
                        self.global(name, Pending::Nametype(body), &place, work);
                    }
                    let inner = work.bodies[id].inner.get(&address(decl)).cloned();
                    deep(|| {
                        for body in inner.unwrap_or_default() {
                            self.declare_body(body, work);
                        }
                    });
                }
            }
        }
        self.enter(&place);
        self.declare_builtins(work.bodies[id].decls);
    }

    /// A global whose meaning follows later.
    pub(super) fn global<'a>(
        &mut self,
        (name, span): (&Rc<str>, Span),
        pending: Pending<'a>,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) -> Option<GlobalId> {
        let id = GlobalId(self.script.globals.len() as u32);
        if !self.declare(name, Entity::Global(id), span) {
            return None;
        }
        if let (Some(_), Some(frame)) = (place.section, place.frames.last()) {
            // It hides the name that exists in Timed sections only.
            if *frame != place.home {
                self.scopes.forget_in(*frame, name);
            }
        }
        Some(self.anonymous(place.qualified(name), span, pending, place, work))
    }

    /// A global that no name in scope leads to.
    pub(super) fn anonymous<'a>(
        &mut self,
        name: Rc<str>,
        span: Span,
        pending: Pending<'a>,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) -> GlobalId {
        let id = GlobalId(self.script.globals.len() as u32);
        let made = matches!(pending, Pending::Made);
        self.script.globals.push(Global {
            name,
            span,
            kind: GlobalKind::Value(broken(span, "not resolved")),
            made,
            params: Rc::clone(&place.params),
        });
        work.pending.push((pending, Rc::clone(place)));
        id
    }

    fn declare_pattern<'a>(
        &mut self,
        pattern: &'a ast::Pattern,
        body: &'a ast::Expr,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) {
        let bare = strip(pattern);
        if let ast::PatternKind::Name(name) = &bare.kind {
            self.global((name, bare.span), Pending::Value(body), place, work);
            return;
        }
        let index = work.patterns.len();
        let mut parts = Vec::new();
        for (name, span) in names_in(pattern) {
            let found = self.scopes.lookup(&name);
            if name.contains("::") || matches!(found, Some(Entity::Ctor(_) | Entity::Channel(_))) {
                continue;
            }
            let part = Pending::Part(index);
            if let Some(id) = self.global((&name, span), part, place, work) {
                parts.push((name, id));
            }
        }
        work.patterns.push(TopPattern {
            pattern,
            body,
            parts,
            place: Rc::clone(place),
        });
    }
}

impl Place {
    /// A name as it is known everywhere.
    pub fn qualified(&self, name: &str) -> Rc<str> {
        format!("{}{name}", self.prefix).into()
    }
}
