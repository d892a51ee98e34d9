//! Values as text, in the notation of CSPm.

use std::fmt::Write as _;

use super::views::listed_items;
use super::{Data, Intervals, LazySet, Store, Value, ValueError};
use crate::script::core::Script;
use crate::source::Stop;
use crate::source::stack::deep;

/// Longer lists are cut in messages.
const MESSAGE_MAX: usize = 120;

impl Store {
    /// A value in CSPm notation.
    #[must_use]
    pub fn show(&self, v: Value, names: &Script) -> String {
        let mut text = String::new();
        self.write(&mut text, v, names);
        text
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

    fn write(&self, out: &mut String, v: Value, names: &Script) {
        deep(|| self.write_data(out, self.data(v), names));
    }

    fn write_list(&self, out: &mut String, vs: &[Value], comma: &str, names: &Script) {
        for (i, v) in vs.iter().enumerate() {
            if i > 0 {
                out.push_str(comma);
            }
            self.write(out, *v, names);
        }
    }

    fn write_enclosed(&self, out: &mut String, enclosed: (&str, &[Value], &str), names: &Script) {
        out.push_str(enclosed.0);
        let inside = out.len();
        // What the first item looks like is known only when it is written.
        self.write_list(out, enclosed.1, ", ", names);
        // `{-` opens a comment and `<-` is an arrow.
        if out[inside..].starts_with('-') {
            out.insert(inside, ' ');
        }
        out.push_str(enclosed.2);
    }

    fn write_data(&self, out: &mut String, data: &Data, names: &Script) {
        match data {
            Data::Int(i) => drop(write!(out, "{i}")),
            Data::Bool(b) => drop(write!(out, "{b}")),
            Data::Char(c) => drop(write!(out, "'{}'", escape(*c, '\''))),
            // Never missing in the script that the store belongs to. A mismatch is to show, not to
            // end the program.
            Data::Ctor(id) => out.push_str(names.ctors.get(id.0 as usize).map_or("?", |c| &c.name)),
            Data::Channel(id) => {
                out.push_str(names.channels.get(id.0 as usize).map_or("?", |c| &c.name));
            }
            Data::Tuple(vs) => self.write_enclosed(out, ("(", vs, ")"), names),
            // The empty sequence is `<>`, never `""`: its items could have been anything.
            Data::Seq(vs) => match self.text_of(vs) {
                Some(text) => drop(write!(out, "\"{text}\"")),
                None => self.write_enclosed(out, ("<", vs, ">"), names),
            },
            Data::View { .. } => {
                let items = listed_items(self, data).unwrap_or_default();
                self.write_data(out, &Data::Seq(items.into()), names);
            }
            Data::Dot(vs) => self.write_list(out, vs, ".", names),
            Data::Set(vs) => self.write_enclosed(out, ("{", vs, "}"), names),
            Data::Map(pairs) => self.write_map(out, pairs, names),
            Data::Lazy(set) => self.write_lazy(out, set, names),
            Data::Closure { .. } => out.push_str("<function>"),
            Data::Builtin(b) => out.push_str(b.name()),
            Data::Process(_) => out.push_str("<process>"),
            Data::From(n) => drop(write!(out, "<{}{n}..>", space_before(*n))),
            Data::Stream { items, .. } => {
                // There is no notation for a beginning, so this one cannot be read back.
                self.write_enclosed(out, ("<", items, ", …>"), names);
            }
            Data::Applied(..) => out.push_str("<function>"),
            Data::Suspended { .. } => out.push('…'),
            Data::Hole { index, .. } => drop(write!(out, "_{index}")),
        }
    }

    fn write_map(&self, out: &mut String, pairs: &[(Value, Value)], names: &Script) {
        out.push_str("(| ");
        for (i, (k, v)) in pairs.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write(out, *k, names);
            out.push_str(" => ");
            self.write(out, *v, names);
        }
        out.push_str(if pairs.is_empty() { "|)" } else { " |)" });
    }

    fn write_lazy(&self, out: &mut String, set: &LazySet, names: &Script) {
        match set {
            LazySet::Ints(ints) => write_ints(out, ints),
            LazySet::Processes => out.push_str("Proc"),
            LazySet::Maps(k, v) => self.write_enclosed(out, ("Map(", &[*k, *v], ")"), names),
            LazySet::Chars => out.push_str("Char"),
            LazySet::Seqs(s) => self.write_enclosed(out, ("Seq(", &[*s], ")"), names),
            LazySet::Events => out.push_str("Events"),
            LazySet::Productions(vs) => self.write_enclosed(out, ("{|", vs, "|}"), names),
            LazySet::Datatype(id) => {
                out.push_str(names.types.get(id.0 as usize).map_or("?", |t| &t.name));
            }
            LazySet::Product(vs) => self.write_list(out, vs, ".", names),
            LazySet::Tuples(vs) => self.write_enclosed(out, ("(", vs, ")"), names),
            LazySet::Powerset(s) => self.write_enclosed(out, ("Set(", &[*s], ")"), names),
            LazySet::Union(a, b) => self.write_enclosed(out, ("union(", &[*a, *b], ")"), names),
            LazySet::Diff(a, b) => self.write_enclosed(out, ("diff(", &[*a, *b], ")"), names),
            LazySet::Inter(a, b) => self.write_enclosed(out, ("inter(", &[*a, *b], ")"), names),
        }
    }

    /// A non-empty sequence of characters as the inside of a string literal.
    fn text_of(&self, vs: &[Value]) -> Option<String> {
        let mut text = String::new();
        for v in vs {
            let Data::Char(c) = self.data(*v) else {
                return None;
            };
            text.push_str(&escape(*c, '"'));
        }
        (!text.is_empty()).then_some(text)
    }

    /// The code and the sentence for a [`ValueError`].
    #[must_use]
    pub fn explain(&self, error: &ValueError, names: &Script) -> (&'static str, String) {
        match error {
            ValueError::Expected(what, v) => {
                let found = self.show_short(*v, names);
                ("E0401", format!("expected {what}, found `{found}`"))
            }
            ValueError::Infinite(set) => {
                let set = self.show_short(*set, names);
                (
                    "E0402",
                    format!("the set `{set}` is infinite and cannot be listed"),
                )
            }
            ValueError::TooLarge(set) => (
                "E0403",
                format!(
                    "`{}` has more than {} elements",
                    self.show_short(*set, names),
                    self.limits.elements_max()
                ),
            ),
            ValueError::Undecided(a, b) => {
                let (a, b) = (self.show_short(*a, names), self.show_short(*b, names));
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
                    self.limits.bytes_max() >> 20
                ),
            ),
            ValueError::Other(text) => ("E0406", text.clone()),
        }
    }
}

/// The code and the sentence for a stop.
#[must_use]
pub fn stopped(stop: Stop) -> (&'static str, &'static str) {
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
