//! The type environment: the types of names that are known by now.

use super::scheme::{Scheme, mono};
use super::ty::Ty;
use crate::script::core::{ChannelId, Expr, ExprKind, GlobalId, Script, VariableId};
use crate::source::Span;
use crate::source::hash::{Map, Set};

/// The types of definitions, channels and variables. (Those of constructors are part of what is known of
/// datatypes: [`super::datatypes`].)
#[derive(Debug)]
pub(super) struct Environment {
    globals: Vec<Scheme>,
    channels: Vec<Ty>,
    locals: Vec<Option<Scheme>>,
    /// The binding places of variables.
    binders: Map<VariableId, Span>,
    /// Parameters of modules that are checked by themselves: all uses of one share its type.
    parameters: Set<GlobalId>,
}

impl Environment {
    /// Definitions and channels with types of which nothing is known, and no variables.
    pub fn new(
        script: &Script,
        globals: Vec<Ty>,
        channels: Vec<Ty>,
        parameters: &Set<GlobalId>,
    ) -> Self {
        Self {
            globals: globals.into_iter().map(mono).collect(),
            channels,
            locals: script.locals.iter().map(|_| None).collect(),
            binders: Map::default(),
            parameters: parameters.clone(),
        }
    }

    pub fn global(&self, g: GlobalId) -> &Scheme {
        &self.globals[g.0 as usize]
    }

    pub fn set_global(&mut self, g: GlobalId, scheme: Scheme) {
        self.globals[g.0 as usize] = scheme;
    }

    pub fn channel(&self, c: ChannelId) -> Ty {
        self.channels[c.0 as usize]
    }

    pub fn set_channel(&mut self, c: ChannelId, t: Ty) {
        self.channels[c.0 as usize] = t;
    }

    pub fn local(&self, l: VariableId) -> Option<&Scheme> {
        self.locals[l.0 as usize].as_ref()
    }

    pub fn set_local(&mut self, l: VariableId, scheme: Scheme) {
        self.locals[l.0 as usize] = Some(scheme);
    }

    /// Takes note of the place that binds a variable.
    pub fn bound_at(&mut self, l: VariableId, span: Span) {
        self.binders.insert(l, span);
    }

    /// The binding place of an expression that is a variable.
    pub fn binder(&self, e: &Expr) -> Option<Span> {
        match &e.kind {
            ExprKind::Local(l) => self.binders.get(l).copied(),
            _ => None,
        }
    }

    pub fn is_parameter(&self, g: GlobalId) -> bool {
        self.parameters.contains(&g)
    }

    /// The types of all parameters.
    pub fn parameters(&self) -> impl Iterator<Item = Ty> + '_ {
        self.parameters.iter().map(|g| self.global(*g).ty)
    }

    /// The types of definitions, channels and variables, at the end.
    pub fn into_parts(self) -> (Vec<Scheme>, Vec<Ty>, Vec<Option<Scheme>>) {
        (self.globals, self.channels, self.locals)
    }
}
