//! The state of inference, messages, instantiation and generalisation.

use std::rc::Rc;

use super::show::Printer;
use super::ty::{Mismatch, Store, Ty, VarId, children, constraint};
use super::{Involved, Scheme, Sensitive, Types, Use};
use crate::script::core::{CtorId, GlobalId, LocalId, Script, TypeId};
use crate::script::resolve::{Annotation, Target};
use crate::source::hash::{IndexMap, Map, Set};
use crate::source::{Diagnostic, Span};

/// Everything that inference knows.
pub(super) struct Infer<'a> {
    pub script: &'a Script,
    pub annotations: &'a [Annotation],
    pub diagnostics: &'a mut Vec<Diagnostic>,
    pub store: Store,
    pub globals: Vec<Scheme>,
    pub ctors: Vec<Ty>,
    pub channels: Vec<Ty>,
    pub locals: Vec<Option<Scheme>>,
    pub uses: Vec<Use>,
    /// Parameters of modules that are checked by themselves: all uses of one share its type.
    pub opaque: Set<GlobalId>,
    datatypes: Vec<Rc<str>>,
}

/// A place to point at besides the error itself.
pub(super) type Because<'s> = Option<(Span, &'s str)>;

/// A type without variables of its own.
pub(super) fn mono(ty: Ty) -> Scheme {
    Scheme {
        vars: Vec::new(),
        ty,
        sensitive: Rc::new([]),
    }
}

impl<'a> Infer<'a> {
    pub fn new(
        script: &'a Script,
        annotations: &'a [Annotation],
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let mut store = Store::default();
        let globals = script.globals.iter().map(|_| mono(store.fresh())).collect();
        let ctors = script.ctors.iter().map(|_| store.fresh()).collect();
        let channels = script.channels.iter().map(|_| store.fresh()).collect();
        Self {
            script,
            annotations,
            diagnostics,
            store,
            globals,
            ctors,
            channels,
            locals: script.locals.iter().map(|_| None).collect(),
            uses: Vec::new(),
            opaque: Set::default(),
            datatypes: script.types.iter().map(|t| Rc::clone(&t.name)).collect(),
        }
    }

    /// The datatype that owns the values of a (sub)type.
    pub fn owner(&self, t: TypeId) -> TypeId {
        self.script.types[t.0 as usize].subtype_of.unwrap_or(t)
    }

    pub fn show(&self, ts: &[&Ty]) -> Vec<String> {
        let mut printer = Printer::new(&self.store, &self.datatypes);
        ts.iter().map(|t| printer.show(t)).collect()
    }

    /// Demands that what stands at `span` has the expected type; reports it if not.
    pub fn expect(&mut self, span: Span, actual: &Ty, expected: &Ty, why: Because) -> bool {
        match self.store.unify(expected, actual) {
            Ok(()) => true,
            Err(mismatch) => {
                self.mismatch(span, actual, expected, &mismatch, why);
                false
            }
        }
    }

    pub fn mismatch(
        &mut self,
        span: Span,
        actual: &Ty,
        expected: &Ty,
        mismatch: &Mismatch,
        why: Because,
    ) {
        let diagnostic = match mismatch {
            Mismatch::Lacks(t, lacking) => self.lacks(span, t, *lacking),
            Mismatch::Infinite => {
                let shown = self.show(&[expected, actual]);
                let message = format!("`{}` would contain itself", shown[0]);
                Diagnostic::error("E0302", span, message)
                    .label("this would need an infinite type")
                    .note(format!("it should be both {} and {}", shown[0], shown[1]))
            }
            Mismatch::Differ(inner_expected, inner_actual) => {
                let shown = self.show(&[expected, actual, inner_expected, inner_actual]);
                let message = format!("expected {}, found {}", shown[0], shown[1]);
                let mut diagnostic = Diagnostic::error("E0301", span, message)
                    .label(format!("this has type {}", shown[1]));
                diagnostic.notes.extend(self.hint(expected, actual));
                if (&shown[0], &shown[1]) == (&shown[2], &shown[3]) || shown[2] == shown[3] {
                    diagnostic
                } else {
                    let note = format!("{} does not fit {}", shown[3], shown[2]);
                    diagnostic.note(note)
                }
            }
        };
        self.push(match why {
            Some((place, text)) if place != span => diagnostic.also(place, text),
            _ => diagnostic,
        });
    }

    /// What people mean when they write the one type for the other.
    fn hint(&self, expected: &Ty, actual: &Ty) -> Option<String> {
        let event = |t: &Ty| match self.store.shallow(t) {
            Ty::Event => true,
            Ty::Dotable(_, r) => self.store.shallow(&r) == Ty::Event,
            _ => false,
        };
        let events = |t: &Ty| match self.store.shallow(t) {
            Ty::Set(e) => event(&e),
            _ => false,
        };
        let hint = match self.store.shallow(expected) {
            Ty::Proc if event(actual) => "an event becomes a process with `->`: `e -> P`",
            Ty::Set(e) if event(&e) && (event(actual) || events(actual)) => {
                "`{| c |}` is the set of all events of the channel c"
            }
            Ty::Seq(_) if matches!(self.store.shallow(actual), Ty::Set(_)) => {
                "`<…>` is a sequence, `{…}` is a set"
            }
            Ty::Set(_) if matches!(self.store.shallow(actual), Ty::Seq(_)) => {
                "`set(s)` is the set of the elements of a sequence"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    fn lacks(&self, span: Span, t: &Ty, lacking: u8) -> Diagnostic {
        let shown = self.show(&[t]);
        let what = if lacking & constraint::EQ != 0 {
            "compared with `==`"
        } else if lacking & constraint::ORD != 0 {
            "ordered with `<`"
        } else {
            "put into a set"
        };
        let message = format!("values of type {} cannot be {what}", shown[0]);
        Diagnostic::error("E0303", span, message)
    }

    /// One message a place is enough; the first one is the cause more often than not.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let seen = self
            .diagnostics
            .iter()
            .any(|d| d.span == diagnostic.span && d.code == diagnostic.code);
        if !seen {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Demands a constraint.
    pub fn require(&mut self, span: Span, t: &Ty, wanted: u8) {
        if let Err(Mismatch::Lacks(t, lacking)) = self.store.require(t, wanted) {
            let diagnostic = self.lacks(span, &t, lacking);
            self.push(diagnostic);
        }
    }

    /// A fresh copy of a scheme, for one use at `span`.
    pub fn instantiate(&mut self, scheme: &Scheme, span: Span) -> Ty {
        if scheme.vars.is_empty() && scheme.sensitive.is_empty() {
            return scheme.ty.clone();
        }
        let mut with: Map<VarId, Ty> = Map::default();
        for v in &scheme.vars {
            let (have, vague) = (self.store.constraints(*v), self.store.is_vague(*v));
            with.insert(*v, self.store.fresh_with(have, vague));
        }
        for used in scheme.sensitive.iter() {
            self.uses.push(Use {
                at: span,
                origin: used.origin,
                builtin: used.builtin,
                ty: self.store.substitute(&used.ty, &with),
            });
        }
        self.store.substitute(&scheme.ty, &with)
    }

    /// Generalises types inferred one level deeper than the current one. `since` is where the uses
    /// of their group begin.
    pub fn generalise(&mut self, tys: &[Ty], since: usize) -> Vec<Scheme> {
        let level = self.store.level;
        let mut vars: Vec<VarId> = Vec::new();
        let used: Vec<Ty> = self.uses[since..].iter().map(|u| u.ty.clone()).collect();
        for t in tys.iter().chain(&used) {
            for v in self.store.free(t) {
                if self.store.level_of(v) > level && !vars.contains(&v) {
                    vars.push(v);
                }
            }
        }
        let sensitive: Rc<[Use]> = self.uses[since..]
            .iter()
            .filter(|u| self.store.free(&u.ty).iter().any(|v| vars.contains(v)))
            .cloned()
            .collect();
        tys.iter()
            .map(|t| Scheme {
                vars: vars.clone(),
                ty: t.clone(),
                sensitive: Rc::clone(&sensitive),
            })
            .collect()
    }

    pub fn bind_local(&mut self, local: LocalId, ty: Ty) {
        self.locals[local.0 as usize] = Some(mono(ty));
    }

    /// The annotation of a definition, if it has one.
    pub fn annotation(&self, target: Target) -> Option<&'a Annotation> {
        self.annotations.iter().find(|a| a.target == target)
    }

    /// Ends inference.
    pub fn finish(self) -> Types {
        let mut sensitive: IndexMap<Span, Vec<Sensitive>> = IndexMap::default();
        let uses = &self.uses;
        for used in uses {
            let involved = self.involved(&used.ty);
            let list = sensitive.entry(used.at).or_default();
            list.push(Sensitive {
                builtin: used.builtin,
                origin: used.origin,
                involved,
            });
        }
        Types {
            globals: self.globals,
            store: self.store,
            datatypes: self.datatypes,
            sensitive,
        }
    }

    /// The datatypes whose values can occur in values of a type. Processes and functions can hold
    /// values of every type. A variable that met nothing undecided holds none: where it is
    /// instantiated, the use there is looked at.
    fn involved(&self, t: &Ty) -> Involved {
        let mut seen: Vec<TypeId> = Vec::new();
        let mut events = false;
        let mut todo = vec![self.store.shallow(t)];
        while let Some(t) = todo.pop() {
            match &t {
                Ty::Any | Ty::Proc | Ty::Fun(..) => return Involved::Unknown,
                Ty::Var(v) if self.store.is_vague(*v) => return Involved::Unknown,
                Ty::Event => events = true,
                Ty::Data(d) if !seen.contains(d) => {
                    seen.push(*d);
                    let fields = self.ctor_types(*d);
                    todo.extend(fields.iter().map(|f| self.store.shallow(f)));
                }
                _ => todo.extend(children(&t).iter().map(|c| self.store.shallow(c))),
            }
        }
        seen.sort_unstable();
        Involved::Types {
            datatypes: seen,
            events,
        }
    }

    fn ctor_types(&self, d: TypeId) -> Vec<Ty> {
        let of = |c: &CtorId| self.ctors[c.0 as usize].clone();
        let datatype = &self.script.types[d.0 as usize];
        datatype.clauses.iter().map(|(c, _)| of(c)).collect()
    }
}
