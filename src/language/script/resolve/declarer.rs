//! Lists of declarations, each in its place: the top level, the two parts of a module, a Timed
//! section. First channels, datatypes and modules are declared, then everything else; instances of
//! modules with parameters are expanded here.

use std::rc::Rc;
use std::sync::Arc;

use super::join::{DeclItem, join};
use super::later::{CtorClauses, DeclList, Later, RightSide, TopPattern};
use super::module::{self, Modules};
use super::names::{NameTable, broken};
use super::pattern::{names_in, strip};
use super::place::{DeclPlace, address};
use super::rehearsed::Rehearsed;
use super::scope::{Entity, FrameId};
use super::sections::{Sections, WrittenSection};
use super::timing::Section;
use crate::script::annotation::Annotation;
use crate::script::core::{
    Channel, ChannelId, Ctor, CtorId, Datatype, Global, GlobalId, GlobalKind, Script, TypeId,
};
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::source::{SourceMap, Span};
use crate::syntax::ast::{self, DeclKind};

/// Declares all names: a list at a time, first what patterns may mention, then the rest.
pub(super) struct Declarer<'a> {
    /// Everything that is declared, with nothing behind it yet.
    pub script: Script,
    pub names: NameTable,
    pub later: Later<'a>,
    pub modules: Modules<'a>,
    pub sections: Sections<'a>,
    /// Annotations that the translation generates.
    pub annotations: Vec<Annotation>,
}

impl<'a> Declarer<'a> {
    pub fn new(sources: Arc<SourceMap>, names: NameTable) -> Self {
        Self {
            script: Script {
                sources,
                globals: Vec::new(),
                types: Vec::new(),
                ctors: Vec::new(),
                channels: Vec::new(),
                locals: Vec::new(),
                assertions: Vec::new(),
                prints: Vec::new(),
            },
            names,
            later: Later::default(),
            modules: Modules::default(),
            sections: Sections::default(),
            annotations: Vec::new(),
        }
    }

    /// Declares every name. The answer is the list of the top level, and where that begins which is
    /// there to be checked only.
    pub fn top_level(&mut self, decls: &'a [ast::Decl]) -> (usize, Rehearsed) {
        module::number(decls, &mut self.modules.order);
        let place = Rc::new(DeclPlace {
            frames: vec![FrameId(0)],
            home: FrameId(0),
            exporting: true,
            prefix: "".into(),
            section: None,
            inside: Vec::new(),
            params: Rc::new([]),
            expanded: false,
        });
        let root = self.open_body(decls, &place);
        self.declare_body(root);
        self.declare_sections();
        // What is only checked comes last, so that nothing of the script has a number after it.
        let rehearsed = Rehearsed::from_here(&self.script);
        while let Some(id) = self.modules.unchecked.pop() {
            for body in self.open_template(id) {
                self.declare_body(body);
            }
        }
        self.declare_sections();
        (root, rehearsed)
    }

    /// Declares channels, datatypes and modules of a list and of those inside it.
    pub fn open_body(&mut self, decls: &'a [ast::Decl], place: &Rc<DeclPlace>) -> usize {
        place.enter(&mut self.names.scopes);
        // Clauses are joined before anything is declared, so that a function has one definition.
        let items = join(decls, &mut self.names.errors);
        let id = self.later.bodies.len();
        self.later.bodies.push(DeclList {
            decls,
            place: Rc::clone(place),
            items,
            inner: Map::default(),
        });
        deep(|| {
            for decl in decls {
                if self.names.errors.is_over(Some(decl.span)) {
                    return;
                }
                let inner = self.open_decl(decl, place);
                if !inner.is_empty() {
                    self.later.bodies[id].inner.insert(address(decl), inner);
                }
            }
        });
        id
    }

    fn open_decl(&mut self, decl: &'a ast::Decl, place: &Rc<DeclPlace>) -> Vec<usize> {
        place.enter(&mut self.names.scopes);
        match &decl.kind {
            DeclKind::Channel { names, fields } => {
                let ids = names.iter().map(|n| self.channel(n, place)).collect();
                if let Some(fields) = fields {
                    self.later.channels.push((ids, fields, Rc::clone(place)));
                }
                Vec::new()
            }
            DeclKind::Datatype {
                subtype,
                name,
                clauses,
            } => {
                self.declare_datatype(*subtype, name, clauses, place);
                Vec::new()
            }
            DeclKind::Module { .. } => self.open_module(decl, place),
            DeclKind::Instance { .. } => self.open_instance(decl, place),
            DeclKind::Timed { durations, decls } => {
                let span = Section::word(decl.span);
                let inner = self.open_section(WrittenSection {
                    span,
                    durations: durations.as_ref(),
                    place: Rc::clone(place),
                });
                vec![self.open_body(decls, &Rc::new(inner))]
            }
            _ => Vec::new(),
        }
    }

    fn channel(&mut self, name: &ast::Ident, place: &DeclPlace) -> ChannelId {
        let id = ChannelId(self.script.channels.len() as u32);
        self.names
            .declare(&name.text, Entity::Channel(id), name.span);
        self.script.channels.push(Channel {
            name: place.qualified(&name.text),
            span: name.span,
            fields: None,
        });
        id
    }

    fn declare_datatype(
        &mut self,
        subtype: bool,
        name: &'a ast::Ident,
        clauses: CtorClauses<'a>,
        place: &Rc<DeclPlace>,
    ) {
        let id = TypeId(self.script.types.len() as u32);
        self.names.declare(&name.text, Entity::Type(id), name.span);
        self.script.types.push(Datatype {
            name: place.qualified(&name.text),
            span: name.span,
            clauses: Vec::new(),
            subtype_of: None,
        });
        if subtype {
            self.later.subtypes.push((id, clauses, Rc::clone(place)));
            return;
        }
        let mut list = Vec::new();
        for (ctor, fields) in clauses {
            let c = CtorId(self.script.ctors.len() as u32);
            if !self.names.declare(&ctor.text, Entity::Ctor(c), ctor.span) {
                continue;
            }
            self.script.ctors.push(Ctor {
                name: place.qualified(&ctor.text),
                span: ctor.span,
                owner: id,
                has_fields: fields.is_some(),
            });
            // A constructor that is declared twice has one number, and the fields of the first
            // declaration.
            list.push((c, fields.as_ref()));
        }
        self.later.datatypes.push((id, list, Rc::clone(place)));
    }

    /// Declares the values and functions of a list and of those inside it.
    pub fn declare_body(&mut self, id: usize) {
        let items = std::mem::take(&mut self.later.bodies[id].items);
        let place = Rc::clone(&self.later.bodies[id].place);
        for item in items {
            if self.names.errors.is_over(None) {
                return;
            }
            place.enter(&mut self.names.scopes);
            match item {
                DeclItem::Function(clauses) => {
                    let name = clauses.name;
                    self.global(&name.text, name.span, RightSide::Function(clauses), &place);
                }
                DeclItem::Pattern(pattern, body) => self.declare_pattern(pattern, body, &place),
                // Lists inside this one (modules, Timed sections) are declared where they stand, so
                // numbers are in the order of the text.
                DeclItem::Other(decl) => {
                    if let DeclKind::Nametype { name, body } = &decl.kind {
                        self.global(&name.text, name.span, RightSide::Nametype(body), &place);
                    }
                    let inner = self.later.bodies[id].inner.get(&address(decl)).cloned();
                    deep(|| {
                        for body in inner.unwrap_or_default() {
                            self.declare_body(body);
                        }
                    });
                }
            }
        }
        place.enter(&mut self.names.scopes);
        self.names.declare_builtins(self.later.bodies[id].decls);
    }

    /// A global whose meaning follows later.
    pub fn global(
        &mut self,
        name: &Rc<str>,
        span: Span,
        pending: RightSide<'a>,
        place: &Rc<DeclPlace>,
    ) -> Option<GlobalId> {
        // Its number is known before it is declared: the name stands for it.
        let id = GlobalId(self.script.globals.len() as u32);
        if !self.names.declare(name, Entity::Global(id), span) {
            return None;
        }
        if let (Some(_), Some(frame)) = (place.section, place.frames.last()) {
            // It hides the name that exists in Timed sections only.
            if *frame != place.home {
                self.names.scopes.forget_in(*frame, name);
            }
        }
        Some(self.anonymous(place.qualified(name), span, pending, place))
    }

    /// A global that no name in scope leads to.
    pub fn anonymous(
        &mut self,
        name: Rc<str>,
        span: Span,
        pending: RightSide<'a>,
        place: &Rc<DeclPlace>,
    ) -> GlobalId {
        let id = GlobalId(self.script.globals.len() as u32);
        let made = matches!(pending, RightSide::Made);
        self.script.globals.push(Global {
            name,
            span,
            // Replaced when every name is known; `later` has one entry for each.
            kind: GlobalKind::Value(broken(span, "not resolved")),
            made,
            params: Rc::clone(&place.params),
        });
        self.later.pending.push((pending, Rc::clone(place)));
        id
    }

    fn declare_pattern(
        &mut self,
        pattern: &'a ast::Pattern,
        body: &'a ast::Expr,
        place: &Rc<DeclPlace>,
    ) {
        let bare = strip(pattern);
        if let ast::PatternKind::Name(name) = &bare.kind {
            self.global(name, bare.span, RightSide::Value(body), place);
            return;
        }
        let index = self.later.patterns.len();
        let mut parts = Vec::new();
        for (name, span) in names_in(pattern) {
            let found = self.names.scopes.lookup(&name);
            // Constants in the pattern define nothing.
            if name.contains("::") || matches!(found, Some(Entity::Ctor(_) | Entity::Channel(_))) {
                continue;
            }
            let part = RightSide::Part(index);
            if let Some(id) = self.global(&name, span, part, place) {
                parts.push((name, id));
            }
        }
        self.later.patterns.push(TopPattern {
            pattern,
            body,
            parts,
            place: Rc::clone(place),
        });
    }
}
