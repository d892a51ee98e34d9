//! Messages of type errors.

use std::rc::Rc;

use super::constraint::{COMPLETE, EQ, NAMES, ORD, SET};
use super::reports::{Named, Reports, Subject};
use super::show::TypePrinter;
use super::ty::{Ty, TyKind};
use super::unifier::{FoundType, Mismatch, Unifier};
use crate::script::core::{Expr, ExprKind, Script};
use crate::source::{Diagnostic, Span};

/// A place to point at besides the error itself.
pub(super) type SecondPlace = Option<(Span, &'static str)>;
/// Why a field has to have its type.
pub(super) const FIELDS: &str = "the fields are those declared for this";

/// Puts into words why something does not fit. It reports nothing, and binds no variable that is not
/// part of a type being shown.
pub(super) struct TypeWords<'w> {
    script: &'w Script,
    /// Types are put together to be shown.
    unifier: &'w mut Unifier,
    reports: &'w Reports<'w>,
    datatypes: &'w [Rc<str>],
}

impl<'w> TypeWords<'w> {
    pub fn new(
        script: &'w Script,
        unifier: &'w mut Unifier,
        reports: &'w Reports<'w>,
        datatypes: &'w [Rc<str>],
    ) -> Self {
        Self {
            script,
            unifier,
            reports,
            datatypes,
        }
    }

    pub fn show(&mut self, ts: &[Ty]) -> Vec<String> {
        let ts: Vec<Ty> = ts.iter().map(|t| self.tidy(*t)).collect();
        // One printer for all of them: a variable that two types share gets one name.
        let mut printer = TypePrinter::new(&self.unifier.store, self.datatypes);
        ts.iter().map(|t| printer.show(*t)).collect()
    }

    /// A type with its products put together, if they fit.
    fn tidy(&mut self, t: Ty) -> Ty {
        let parts = self.unifier.store.parts(t);
        let known = if parts.len() > 1 {
            self.unifier.join(parts).ok()
        } else {
            None
        };
        known.unwrap_or(t)
    }

    pub fn mismatch(
        &mut self,
        span: Span,
        actual: Ty,
        expected: Ty,
        mismatch: &Mismatch,
        why: SecondPlace,
    ) -> Diagnostic {
        let mut diagnostic = match mismatch {
            Mismatch::Lacks(t, lacking) => {
                let shown = self.show(&[actual]);
                let label = format!("this has type {}", shown[0]);
                let diagnostic = self.lacks(span, *t, *lacking).label(label);
                self.with_subject(diagnostic)
            }
            Mismatch::Infinite(inner) => {
                let shown = self.show(&[expected, actual, *inner]);
                let message = "this type would contain itself";
                let diagnostic = Diagnostic::error("E0302", span, message)
                    .label("this would need an infinite type");
                // The two types are the same text if only a variable deep inside differs.
                if shown[0] == shown[1] {
                    diagnostic.note(format!("it would be part of {}", shown[2]))
                } else {
                    let both = format!("it should be both {} and {}", shown[0], shown[1]);
                    diagnostic.note(both)
                }
            }
            Mismatch::TooLarge => Diagnostic::error("E0313", span, "the type of this is too large")
                .note("an annotation or a datatype for its parts would make it smaller"),
            Mismatch::Differ(wanted, found) => {
                self.differ(span, actual, expected, *wanted, *found, why.is_some())
            }
        };
        if let Some((place, text)) = why
            && place != span
        {
            diagnostic = diagnostic.also(place, text);
        }
        diagnostic
            .notes
            .extend(self.operator_hint(span, actual, expected, why));
        let constant = self.constant_hint(&diagnostic);
        diagnostic.notes.extend(constant);
        diagnostic
    }

    /// A hint for `h(c, x)` beside `channel c`, where a variable may be meant.
    fn constant_hint(&self, diagnostic: &Diagnostic) -> Option<String> {
        let places = diagnostic.labels.iter().map(|l| l.span);
        let mut places = diagnostic.span.into_iter().chain(places);
        // What the expression starts with is the best guess; otherwise any place of the message
        // that is such a pattern.
        let subject = match self.reports.subject().map(|s| s.named) {
            Some(Named::Channel(c)) if self.reports.has_matched(c) => Some(c),
            _ => None,
        };
        let channel = subject.or_else(|| places.find_map(|s| self.reports.constant(s)))?;
        let name = &self.script.channels[channel.0 as usize].name;
        Some(format!(
            "`{name}` in a pattern is the channel, no new variable: a variable needs another name"
        ))
    }

    fn differ(
        &mut self,
        span: Span,
        actual: Ty,
        expected: Ty,
        wanted: FoundType,
        found: FoundType,
        explained: bool,
    ) -> Diagnostic {
        let shown = self.show(&[expected, actual, wanted.ty, found.ty]);
        let [expects, finds, inner_expects, inner_finds] = &shown[..] else {
            return Diagnostic::error("E0301", span, "the types differ");
        };
        let mut diagnostic = match self.rigid(wanted, found) {
            Some(message) => Diagnostic::error("E0310", span, message),
            None => {
                let message = format!("expected {expects}, found {finds}");
                Diagnostic::error("E0301", span, message)
            }
        }
        .label(format!("this has type {finds}"));
        // Where each of the two types was found out, unless the message points there already or
        // says why the type is expected.
        for (side, text, only) in [
            (
                wanted,
                format!("{inner_expects} because of this"),
                !explained,
            ),
            (found, format!("found to be {inner_finds} here"), true),
        ] {
            if let Some(place) = side.origin
                && place != span
                && only
                && diagnostic.labels.iter().all(|l| l.span != place)
            {
                diagnostic = diagnostic.also(place, text);
            }
        }
        if found.origin.is_none_or(|place| place == span) {
            diagnostic = self.with_subject(diagnostic);
        }
        diagnostic.notes.extend(self.hint(expected, actual));
        // The inner difference is worth a note only if it says more than the message.
        let same = (expects, finds) == (inner_expects, inner_finds)
            || (expects, finds) == (inner_finds, inner_expects);
        if !same && inner_expects != inner_finds {
            diagnostic = diagnostic.note(format!("{inner_finds} does not fit {inner_expects}"));
        }
        diagnostic
    }

    /// Points at the declaration that the type in question comes from.
    fn with_subject(&mut self, diagnostic: Diagnostic) -> Diagnostic {
        let script = self.script;
        let Some(Subject { named, ty: t }) = self.reports.subject() else {
            return diagnostic;
        };
        let (name, place) = match named {
            Named::Global(g) => {
                let global = &script.globals[g.0 as usize];
                (&global.name, global.span)
            }
            Named::Ctor(c) => {
                let ctor = &script.ctors[c.0 as usize];
                (&ctor.name, ctor.span)
            }
            Named::Channel(c) => {
                let channel = &script.channels[c.0 as usize];
                (&channel.name, channel.span)
            }
        };
        // Of a declaration with errors, the type is not known.
        if t == Ty::ANY || diagnostic.labels.iter().any(|l| l.span == place) {
            return diagnostic;
        }
        let shown = self.show(&[t]);
        diagnostic.also(place, format!("`{name}` is declared here: {}", shown[0]))
    }

    /// The message if a rigid variable of an annotation is used as a particular type.
    fn rigid(&mut self, wanted: FoundType, found: FoundType) -> Option<String> {
        // At most one of the two is a type that can be shown as something else than a variable of
        // the annotation.
        let name = |words: &mut Self, t: Ty| match words.unifier.store.look(t) {
            TyKind::Var(v) => words.unifier.store.vars().rigid(v).cloned(),
            _ => None,
        };
        let (name, other) = match (name(self, wanted.ty), name(self, found.ty)) {
            (Some(a), Some(b)) => {
                return Some(format!(
                    "`{a}` and `{b}` of the annotation need not be the same"
                ));
            }
            (Some(name), None) => (name, found.ty),
            (None, Some(name)) => (name, wanted.ty),
            (None, None) => return None,
        };
        let shown = self.show(&[other]);
        let what = "of the annotation stands for every type, not only";
        Some(format!("`{name}` {what} {}", shown[0]))
    }

    /// A hint for the confusion of two types.
    fn hint(&mut self, expected: Ty, actual: Ty) -> Option<String> {
        let expected = self.unifier.store.look(expected);
        let found = self.unifier.store.look(actual);
        let mut event = |t: Ty| self.unifier.store.split(t).1 == Ty::EVENT;
        // Each of these is a mistake that people make often, and that the two types alone give
        // away.
        let hint = match (expected, found) {
            (TyKind::Proc, _) if event(actual) => "an event becomes a process with `->`: `e -> P`",
            (TyKind::Int, TyKind::Proc) => "`P \\ A` hides the events in A",
            (TyKind::Set(e), TyKind::Set(f)) if event(e) && event(f) => {
                "`{| c |}` is the set of all events of the channel c"
            }
            (TyKind::Set(e), _) if event(e) && event(actual) => {
                "`{| c |}` is the set of all events of the channel c"
            }
            (TyKind::Seq(_), TyKind::Set(_)) => "`<…>` is a sequence, `{…}` is a set",
            (TyKind::Set(_), TyKind::Seq(_)) => "`set(s)` is the set of the elements of a sequence",
            (TyKind::Set(e), TyKind::Data(d)) if matches!(self.unifier.store.look(e), TyKind::Data(o) if o == d) => {
                "this is one value; `{v}` is the set with it alone"
            }
            (TyKind::Set(e), TyKind::Data(d))
                if matches!(self.unifier.store.look(e), TyKind::Var(_)) =>
            {
                let name = &self.script.types[d.0 as usize].name;
                return Some(format!(
                    "this is one value of `{name}`, which is the set of all; `{{x}}` is the set with x alone"
                ));
            }
            (TyKind::Set(_), TyKind::Dotable(..)) => {
                "`{| C |}` is the set of all values that begin with the constructor or channel C"
            }
            (TyKind::Dots(_), TyKind::Event | TyKind::Data(_) | TyKind::Dotable(..))
            | (TyKind::Event | TyKind::Data(_) | TyKind::Dotable(..), TyKind::Dots(_)) => {
                "what is put together is not taken apart at its dots: name its channel or constructor"
            }
            (_, TyKind::Fun(..)) => "this is a function; its arguments may be missing",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// A hint for a wrong type beside an operator.
    fn operator_hint(
        &mut self,
        span: Span,
        actual: Ty,
        expected: Ty,
        why: SecondPlace,
    ) -> Option<String> {
        let (expected, found) = (
            self.unifier.store.look(expected),
            self.unifier.store.look(actual),
        );
        // What was written decides here, as brackets and operators are no longer there in the core
        // language.
        let text = self.script.sources.text(span);
        let compares = ["==", "!=", "<", ">"].iter().any(|op| text.contains(op));
        let hint = match (why, expected, found) {
            (Some((_, FIELDS)), _, TyKind::Bool) if compares && !text.starts_with('(') => {
                "`.` binds more loosely than a comparison: write `(c.x) == y`"
            }
            (None, TyKind::Event, TyKind::Proc) => {
                "`->` stands between an event and a process; `P ; Q` runs Q after the end of P"
            }
            (None, TyKind::Event, TyKind::Bool) => "`b & P` is the process P if b holds",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    fn lacks(&mut self, span: Span, t: Ty, lacking: u8) -> Diagnostic {
        let shown = self.show(&[t]);
        let shown = &shown[0];
        let error = |message: String| Diagnostic::error("E0303", span, message);
        if let TyKind::Var(v) = self.unifier.store.look(t)
            && let Some(name) = self.unifier.store.vars().rigid(v).cloned()
        {
            let names = NAMES;
            let named = names.iter().find(|(bit, _)| lacking & bit != 0);
            let class = named.map_or("", |(_, name)| *name);
            let message = format!("the annotation does not say that `{name}` is {class}");
            return Diagnostic::error("E0310", span, message)
                .note(format!("`{class} {name} => …` would say so"));
        }
        if lacking & EQ != 0 {
            let holder = match self.unifier.store.look(t) {
                TyKind::Data(d) => {
                    let Unifier {
                        store, datatypes, ..
                    } = &*self.unifier;
                    datatypes.holder(d, self.script, store)
                }
                _ => None,
            };
            let diagnostic = error(format!(
                "values of type {shown} cannot be compared with `==`"
            ))
            .note("processes and functions cannot be compared, nor what holds them");
            match holder {
                Some(place) => diagnostic.also(place, "this constructor holds what cannot be"),
                None => diagnostic,
            }
        } else if lacking & ORD != 0 {
            error(format!("values of type {shown} cannot be ordered with `<`"))
                .note("numbers, characters, sequences, sets, tuples and maps can")
        } else if lacking & SET != 0 {
            error(format!("values of type {shown} cannot be put into a set"))
        } else if lacking & COMPLETE != 0 {
            error(format!("{shown} is not complete: it still wants fields"))
                .note("fields of channels and datatypes, and what `?x` reads, are complete values")
        } else {
            error(format!(
                "{shown} is neither an event nor a value of a datatype"
            ))
            .note("`{|…|}` and `extensions` complete channels and constructors only")
        }
    }

    /// A short piece of source text for a message.
    pub fn quoted(&self, span: Span) -> String {
        let text = self.script.sources.text(span);
        if text.len() <= 30 && !text.contains('\n') && !text.is_empty() {
            format!("`{text}`")
        } else {
            "this".to_owned()
        }
    }

    /// Something is applied that is no function.
    pub fn no_function(&mut self, f: &Expr, t: Ty) -> Diagnostic {
        let shown = self.show(&[t]);
        let message = format!("{} is not a function", self.quoted(f.span));
        let mut diagnostic = Diagnostic::error("E0304", f.span, message)
            .label(format!("this has type {}", shown[0]));
        if let ExprKind::Global(g) = &f.kind {
            let place = self.script.globals[g.0 as usize].span;
            diagnostic = diagnostic.also(place, "defined here");
        }
        diagnostic
    }

    /// A function is given too few arguments, or too many. `binder` is where it is bound, if it is a
    /// variable.
    pub fn wrong_count(
        &mut self,
        f: &Expr,
        binder: Option<Span>,
        params: &[Ty],
        given: usize,
        span: Span,
    ) -> Diagnostic {
        let wanted = params.len();
        let plural = if wanted == 1 { "" } else { "s" };
        let name = self.quoted(f.span);
        let are = if given == 1 { "is" } else { "are" };
        let message = format!("{name} takes {wanted} argument{plural}, but {given} {are} given");
        let diagnostic = Diagnostic::error("E0305", span, message);
        let shown = self.show(params).join(", ");
        match &f.kind {
            ExprKind::Global(g) => {
                let place = self.script.globals[g.0 as usize].span;
                diagnostic.also(place, format!("defined here, for ({shown})"))
            }
            ExprKind::Local(_) => match binder {
                Some(place) => diagnostic.also(place, format!("defined here, for ({shown})")),
                None => diagnostic,
            },
            _ => diagnostic.note(format!("its arguments are ({shown})")),
        }
    }
}
