//! Values as text, in the notation of CSPm.

use std::fmt::Write as _;

use super::interner::Interner;
use super::views::listed_items;
use super::watch::WorkLimits;
use super::{Data, Intervals, LazySet, Value, ValueError};
use crate::script::core::Script;
use crate::source::Stop;
use crate::source::stack::deep;

/// Longer lists are cut in messages.
const MESSAGE_MAX: usize = 120;

impl Interner {
    /// A value in CSPm notation.
    #[must_use]
    pub fn show(&self, v: Value, names: &Script) -> String {
        let mut writer = Notation {
            values: self,
            names,
            out: String::new(),
        };
        writer.value(v);
        writer.out
    }

    /// A value for a message: cut if it is long.
    #[must_use]
    pub fn show_short(&self, v: Value, names: &Script) -> String {
        let text = self.show(v, names);
        if text.chars().count() <= MESSAGE_MAX {
            return text;
        }
        // Characters, not bytes: a cut in the middle of one is no text.
        let start: String = text.chars().take(MESSAGE_MAX).collect();
        format!("{start}…")
    }
}

/// A text in the notation of CSPm that grows value by value.
struct Notation<'a> {
    values: &'a Interner,
    names: &'a Script,
    out: String,
}

impl Notation<'_> {
    fn value(&mut self, v: Value) {
        let values = self.values;
        deep(|| self.data(values.data(v)));
    }

    fn list(&mut self, vs: &[Value], comma: &str) {
        for (i, v) in vs.iter().enumerate() {
            if i > 0 {
                self.out.push_str(comma);
            }
            self.value(*v);
        }
    }

    fn enclosed(&mut self, open: &str, vs: &[Value], close: &str) {
        self.out.push_str(open);
        let inside = self.out.len();
        // What the first item looks like is known only when it is written.
        self.list(vs, ", ");
        // `{-` opens a comment and `<-` is an arrow.
        if self.out[inside..].starts_with('-') {
            self.out.insert(inside, ' ');
        }
        self.out.push_str(close);
    }

    fn data(&mut self, data: &Data) {
        match data {
            Data::Int(i) => drop(write!(self.out, "{i}")),
            Data::Bool(b) => drop(write!(self.out, "{b}")),
            Data::Char(c) => drop(write!(self.out, "'{}'", escape(*c, '\''))),
            // Never missing in the script that the store belongs to. A mismatch is to show, not to
            // end the program.
            Data::Ctor(id) => {
                let ctor = self.names.ctors.get(id.0 as usize);
                self.out.push_str(ctor.map_or("?", |c| &c.name));
            }
            Data::Channel(id) => {
                let channel = self.names.channels.get(id.0 as usize);
                self.out.push_str(channel.map_or("?", |c| &c.name));
            }
            Data::Tuple(vs) => self.enclosed("(", vs, ")"),
            // The empty sequence is `<>`, never `""`: its items could have been anything.
            Data::Seq(vs) => match text_of(self.values, vs) {
                Some(text) => drop(write!(self.out, "\"{text}\"")),
                None => self.enclosed("<", vs, ">"),
            },
            Data::View { .. } => {
                let items = listed_items(self.values, data).unwrap_or_default();
                self.data(&Data::Seq(items.into()));
            }
            Data::Dot(vs) => self.list(vs, "."),
            Data::Set(vs) => self.enclosed("{", vs, "}"),
            Data::Map(pairs) => self.map(pairs),
            Data::Lazy(set) => self.lazy_set(set),
            Data::Closure { .. } => self.out.push_str("<function>"),
            Data::Builtin(b) => self.out.push_str(b.name()),
            Data::Process(_) => self.out.push_str("<process>"),
            Data::From(n) => drop(write!(self.out, "<{}{n}..>", space_before(*n))),
            Data::Stream { items, .. } => {
                // There is no notation for a beginning, so this one cannot be read back.
                self.enclosed("<", items, ", …>");
            }
            Data::Applied(..) => self.out.push_str("<function>"),
            Data::Suspended { .. } => self.out.push('…'),
            Data::Hole { index, .. } => drop(write!(self.out, "_{index}")),
        }
    }

    fn map(&mut self, pairs: &[(Value, Value)]) {
        self.out.push_str("(| ");
        for (i, (k, v)) in pairs.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.value(*k);
            self.out.push_str(" => ");
            self.value(*v);
        }
        let close = if pairs.is_empty() { "|)" } else { " |)" };
        self.out.push_str(close);
    }

    fn lazy_set(&mut self, set: &LazySet) {
        match set {
            LazySet::Ints(ints) => write_ints(&mut self.out, ints),
            LazySet::Processes => self.out.push_str("Proc"),
            LazySet::Maps(k, v) => self.enclosed("Map(", &[*k, *v], ")"),
            LazySet::Chars => self.out.push_str("Char"),
            LazySet::Seqs(s) => self.enclosed("Seq(", &[*s], ")"),
            LazySet::Events => self.out.push_str("Events"),
            LazySet::Productions(vs) => self.enclosed("{|", vs, "|}"),
            LazySet::Datatype(id) => {
                let datatype = self.names.types.get(id.0 as usize);
                self.out.push_str(datatype.map_or("?", |t| &t.name));
            }
            LazySet::Product(vs) => self.list(vs, "."),
            LazySet::Tuples(vs) => self.enclosed("(", vs, ")"),
            LazySet::Powerset(s) => self.enclosed("Set(", &[*s], ")"),
            LazySet::Union(a, b) => self.enclosed("union(", &[*a, *b], ")"),
            LazySet::Diff(a, b) => self.enclosed("diff(", &[*a, *b], ")"),
            LazySet::Inter(a, b) => self.enclosed("inter(", &[*a, *b], ")"),
        }
    }
}

/// A non-empty sequence of characters as the inside of a string literal.
fn text_of(values: &Interner, vs: &[Value]) -> Option<String> {
    let mut text = String::new();
    for v in vs {
        let Data::Char(c) = values.data(*v) else {
            return None;
        };
        text.push_str(&escape(*c, '"'));
    }
    (!text.is_empty()).then_some(text)
}

/// The code and the sentence for a [`ValueError`].
pub(super) fn explain(
    values: &Interner,
    limits: &WorkLimits,
    error: &ValueError,
    names: &Script,
) -> (&'static str, String) {
    match error {
        ValueError::Expected(what, v) => {
            let found = values.show_short(*v, names);
            ("E0401", format!("expected {what}, found `{found}`"))
        }
        ValueError::Infinite(set) => {
            let set = values.show_short(*set, names);
            (
                "E0402",
                format!("the set `{set}` is infinite and cannot be listed"),
            )
        }
        ValueError::TooLarge(set) => (
            "E0403",
            format!(
                "`{}` has more than {} elements",
                values.show_short(*set, names),
                limits.elements_max()
            ),
        ),
        ValueError::Undecided(a, b) => {
            let (a, b) = (values.show_short(*a, names), values.show_short(*b, names));
            let text = format!("cannot decide whether the set `{a}` is part of `{b}`");
            ("E0423", text)
        }
        ValueError::Overflow(operator) => (
            "E0404",
            format!("the result of `{operator}` does not fit in 64 bits"),
        ),
        ValueError::DivisionByZero => ("E0405", "division by zero".to_owned()),
        ValueError::Stopped(stop) => {
            let (code, text) = stopped(*stop);
            (code, text.to_owned())
        }
        ValueError::Full => (
            "E0703",
            format!(
                "the values of this script take more than {} MiB of memory",
                limits.bytes_max() >> 20
            ),
        ),
        ValueError::Other(text) => ("E0406", text.clone()),
    }
}

/// The code and the sentence for a stop.
fn stopped(stop: Stop) -> (&'static str, &'static str) {
    match stop {
        Stop::Cancelled => ("E0701", "cancelled"),
        Stop::Time => ("E0702", "the time allowed is over"),
        Stop::States | Stop::Memory => ("E0707", "the memory limit is reached"),
    }
}

/// Integers as an expression.
fn write_ints(out: &mut String, ints: &Intervals) {
    let pieces = ints.bounds().map(|bounds| match bounds {
        (None, None) => "Int".to_owned(),
        (Some(from), None) => format!("{{{}{from}..}}", space_before(from)),
        (Some(from), Some(to)) => format!("{{{}{from}..{to}}}", space_before(from)),
        (None, Some(to)) => {
            // CSPm has no range without a lower bound.
            let next = to.saturating_add(1);
            format!("diff(Int, {{{}{next}..}})", space_before(next))
        }
    });
    let whole = pieces.reduce(|all, piece| format!("union({all}, {piece})"));
    out.push_str(whole.as_deref().unwrap_or("{}"));
}

/// `{-` opens a comment and `<-` is an arrow.
fn space_before(n: i64) -> &'static str {
    if n < 0 { " " } else { "" }
}

fn escape(c: char, quote: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c == quote => format!("\\{c}"),
        c => c.to_string(),
    }
}
