//! Scopes and look-up: names of expressions, modules, and paths through modules.

use std::rc::Rc;

use crate::script::core::{Builtin, ChannelId, CtorId, GlobalId, TypeId, VariableId};
use crate::source::Span;
use crate::source::hash::{IndexMap, Set};
use crate::syntax::ast::Ident;

/// The names with a special meaning in Timed sections, which hide outer definitions.
const TIMED_NAMES: [&str; 2] = ["WAIT", "timed_priority"];

/// A module; an index into [`Scopes::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ModuleId(pub u32);
/// The names of a module or of the top level; an index into the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FrameId(pub u32);

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Local(VariableId),
    Global(GlobalId),
    Type(TypeId),
    Ctor(CtorId),
    Channel(ChannelId),
    Builtin(Builtin),
    Module(ModuleId),
    /// Its definition is broken and already reported.
    Skipped,
}

/// A name of one scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub entity: Entity,
    pub span: Span,
    /// Whether it can be used from outside its module.
    pub exported: bool,
}

/// The names of one scope.
pub(super) type ScopeNames = IndexMap<Rc<str>, Binding>;

/// A module as seen by those who name it.
#[derive(Debug)]
pub(super) struct Module {
    /// With the modules around it.
    pub name: Rc<str>,
    pub span: Span,
    /// Its names; empty for a module with parameters, which only its instances have.
    pub frame: FrameId,
    /// Whether it has parameters.
    pub parametrised: bool,
}

/// A scope on the stack.
#[derive(Debug)]
enum ScopeLayer {
    /// Of an expression: it ends with it.
    Own(ScopeNames),
    /// The top level, a module, or a Timed section.
    Shared(FrameId),
}

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A part is not known: in which module, if in one, and which part.
    Unknown(Option<ModuleId>, Rc<str>),
    /// A part is known, but not exported by its module.
    Private(ModuleId, Rc<str>, Span),
    /// The module has parameters, so only its instances have names.
    Parametrised(ModuleId),
    /// The name before `::` is not a module.
    NoModule(Rc<str>, Span),
}

/// Scopes, outermost first. Builtins lie outside all of them, so that scripts can redefine them.
#[derive(Debug)]
pub(super) struct Scopes {
    frames: Vec<ScopeNames>,
    modules: Vec<Module>,
    layers: Vec<ScopeLayer>,
    /// The frame of new declarations.
    home: FrameId,
    /// Whether what is declared there is exported.
    exporting: bool,
    /// In a Timed section: the number of the layer that holds it. The names that exist there only
    /// hide what lies outside that layer.
    timed: Option<usize>,
    /// Names whose declarations could not be read.
    lost: Set<Rc<str>>,
    /// Whether any other name may be missing too.
    incomplete: bool,
    /// The number of names for which similar ones were searched.
    missed: std::cell::Cell<usize>,
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            frames: vec![ScopeNames::default()],
            modules: Vec::new(),
            layers: vec![ScopeLayer::Shared(FrameId(0))],
            home: FrameId(0),
            exporting: true,
            timed: None,
            lost: Set::default(),
            incomplete: false,
            missed: std::cell::Cell::default(),
        }
    }

    /// Takes note of what could not be read.
    pub fn miss(&mut self, lost: Vec<Ident>, incomplete: bool) {
        self.lost = lost.into_iter().map(|name| name.text).collect();
        self.incomplete = incomplete;
    }

    /// Whether unknown names may be missing, since a part of the script could not be read.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Counts a search for similar names, and returns the number of them.
    pub fn one_more_missed(&self) -> usize {
        self.missed.set(self.missed.get() + 1);
        self.missed.get()
    }

    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    /// The id of the next module.
    pub fn next_module(&self) -> ModuleId {
        ModuleId(self.modules.len() as u32)
    }

    pub fn add_module(&mut self, module: Module) {
        self.modules.push(module);
    }

    /// The names of Timed sections are those of the section that a layer holds, or there are none.
    pub fn set_timed(&mut self, layer: Option<usize>) {
        self.timed = layer;
    }

    /// A new frame for a module or a Timed section.
    pub fn frame(&mut self) -> FrameId {
        self.frames.push(ScopeNames::default());
        FrameId(self.frames.len() as u32 - 1)
    }

    /// Makes the given frames all there is in scope; declarations go to `home`.
    pub fn enter(&mut self, frames: &[FrameId], home: FrameId, exporting: bool, timed: bool) {
        self.layers.clear();
        self.layers
            .extend(frames.iter().map(|f| ScopeLayer::Shared(*f)));
        self.home = home;
        self.exporting = exporting;
        self.timed = timed.then_some(0);
    }

    /// The number of layers.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    pub fn push(&mut self) {
        self.layers.push(ScopeLayer::Own(ScopeNames::default()));
    }

    pub fn pop(&mut self) {
        self.layers.pop();
    }

    fn names<'a>(&'a self, layer: &'a ScopeLayer) -> &'a ScopeNames {
        match layer {
            ScopeLayer::Own(frame) => frame,
            ScopeLayer::Shared(id) => &self.frames[id.0 as usize],
        }
    }

    /// The binding of a name in the scope where declarations go.
    pub fn innermost(&self, name: &str) -> Option<Binding> {
        match self.layers.last() {
            Some(ScopeLayer::Own(frame)) => frame.get(name),
            // The top of the layers may be the frame of a Timed section, which holds the names of
            // the section only: what is declared in it belongs to the list around.
            _ => self.frames[self.home.0 as usize].get(name),
        }
        .copied()
    }

    pub fn define(&mut self, name: &Rc<str>, entity: Entity, span: Span) {
        let exported = self.exporting;
        let binding = Binding {
            entity,
            span,
            exported,
        };
        match self.layers.last_mut() {
            Some(ScopeLayer::Own(frame)) => frame.insert(Rc::clone(name), binding),
            _ => self.frames[self.home.0 as usize].insert(Rc::clone(name), binding),
        };
    }

    /// Defines a name in a given frame.
    pub fn define_in(&mut self, frame: FrameId, name: &Rc<str>, entity: Entity, span: Span) {
        let binding = Binding {
            entity,
            span,
            exported: false,
        };
        self.frames[frame.0 as usize].insert(Rc::clone(name), binding);
    }

    /// Takes a name out of a given frame.
    pub fn forget_in(&mut self, frame: FrameId, name: &str) {
        self.frames[frame.0 as usize].shift_remove(name);
    }

    /// The definition of a simple name by the script.
    pub fn bound(&self, name: &str) -> Option<Binding> {
        let layers = self.layers.iter().rev();
        layers
            .map(|l| self.names(l))
            .find_map(|f| f.get(name))
            .copied()
    }

    /// The meaning of a name or path.
    pub fn lookup(&self, name: &str) -> Option<Entity> {
        if name.contains("::") {
            return self.path(name).ok();
        }
        // `WAIT` in a section means waiting, even if something outside has that name; what is
        // defined in the section itself hides it.
        let from = match self.timed {
            Some(layer) if TIMED_NAMES.contains(&name) => layer,
            _ => 0,
        };
        // Innermost first: what is nearer hides what is farther out, a module too, though it is no value.
        let layers = self.layers.get(from..).unwrap_or_default().iter().rev();
        let found = layers.map(|l| self.names(l)).find_map(|f| f.get(name));
        if let Some(binding) = found {
            return Some(binding.entity);
        }
        // It is defined in what could not be read, which was reported. That comes before built-ins:
        // scripts can redefine them.
        if self.lost.contains(name) {
            return Some(Entity::Skipped);
        }
        Builtin::ALL
            .iter()
            .find(|b| b.name() == name && self.has(**b))
            .map(|b| Entity::Builtin(*b))
    }

    fn has(&self, builtin: Builtin) -> bool {
        match availability(builtin) {
            BuiltinAccess::Always => true,
            BuiltinAccess::Timed => self.timed.is_some(),
            BuiltinAccess::Declared(_) => false,
        }
    }

    /// The meaning of a path, or the place where it breaks off. Everything in a broken module is broken.
    ///
    /// Paths are a name space of their own: a variable `M` does not hide a module `M`, and a module within another does not
    /// hide what only the one of its name outside has.
    pub fn path(&self, path: &str) -> Result<Entity, Obstacle> {
        let (head, rest) = path.split_once("::").unwrap_or((path, ""));
        let (mut module, mut other, mut value) = (None, None, None);
        for layer in self.layers.iter().rev() {
            let Some(binding) = self.names(layer).get(head) else {
                continue;
            };
            match (self.member(*binding, head, rest), binding.entity) {
                // A path of one name asks for a module: values are the last resort.
                (Ok(found), entity) if rest.is_empty() && !matches!(entity, Entity::Module(_)) => {
                    value = value.or(Some(found));
                }
                (Ok(found), _) => return Ok(found),
                (Err(obstacle), Entity::Module(_)) => module = module.or(Some(obstacle)),
                (Err(obstacle), _) => other = other.or(Some(obstacle)),
            }
        }
        if let Some(value) = value {
            return Ok(value);
        }
        if module.is_none() && self.lost.contains(head) {
            return Ok(Entity::Skipped);
        }
        let unknown = || Obstacle::Unknown(None, head.into());
        Err(module.or(other).unwrap_or_else(unknown))
    }

    /// Resolves `rest` within the binding of the first part of a path, `head`.
    fn member(&self, mut binding: Binding, head: &str, rest: &str) -> Result<Entity, Obstacle> {
        let mut so_far = head.to_owned();
        for part in rest.split("::").filter(|part| !part.is_empty()) {
            let id = match binding.entity {
                Entity::Skipped => return Ok(Entity::Skipped),
                Entity::Module(id) => id,
                _ => return Err(Obstacle::NoModule(so_far.as_str().into(), binding.span)),
            };
            let module = self.module(id);
            // Its names exist once for each instance, so by itself it has none.
            if module.parametrised {
                return Err(Obstacle::Parametrised(id));
            }
            let Some(next) = self.frames[module.frame.0 as usize].get(part).copied() else {
                return Err(Obstacle::Unknown(Some(id), part.into()));
            };
            if !next.exported {
                return Err(Obstacle::Private(id, part.into(), next.span));
            }
            binding = next;
            so_far = format!("{so_far}::{part}");
        }
        Ok(binding.entity)
    }

    /// The names in scope that scripts define, innermost first, and for each module in scope the
    /// paths to what it exports.
    pub fn visible(&self) -> impl Iterator<Item = (Rc<str>, Binding)> + '_ {
        let frames = self.layers.iter().rev().map(|l| self.names(l));
        frames.flat_map(|f| f.iter().map(|(n, b)| (Rc::clone(n), *b)))
    }

    /// The names of a module.
    pub fn members(&self, module: ModuleId) -> impl Iterator<Item = (&Rc<str>, &Binding)> {
        let frame = self.module(module).frame;
        self.frames[frame.0 as usize].iter()
    }
}

/// When a builtin can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltinAccess {
    Always,
    /// After `transparent` or `external`; which of them is customary.
    Declared(&'static str),
    /// In `Timed` sections only.
    Timed,
}

pub(super) fn availability(builtin: Builtin) -> BuiltinAccess {
    use Builtin as B;
    match builtin {
        B::Wait | B::TSkip | B::TStop | B::TimedPriority => BuiltinAccess::Timed,
        B::Explicate
        | B::LazyEnumerate
        | B::Diamond
        | B::Normal
        | B::LazyNorm
        | B::Sbisim
        | B::Dbisim
        | B::Wbisim
        | B::TauLoopFactor
        | B::ModelCompress => BuiltinAccess::Declared("transparent"),
        B::Chase
        | B::ChaseNoCache
        | B::Deter
        | B::Loop
        | B::FailureWatchdog
        | B::TraceWatchdog
        | B::Prioritise
        | B::PrioritiseNoCache
        | B::PrioritisePo
        | B::MTransClose
        | B::RelationalImage
        | B::RelationalInverseImage
        | B::Transpose => BuiltinAccess::Declared("external"),
        _ => BuiltinAccess::Always,
    }
}
