//! Values as text, in the notation of CSPm.

use std::fmt::Write as _;

use super::interner::Interner;
use super::parts::lazy_children;
use super::views::listed_items;
use super::watch::WorkLimits;
use super::{Data, Intervals, LazySet, Value, ValueError};
use crate::script::core::Script;
use crate::source::Stop;
use crate::source::stack::deep;
use crate::source::thousands::thousands;

/// Longer texts are cut in messages.
const MESSAGE_MAX: usize = 120;
/// Parts that are written out of a value that a script prints; of one that has more, [`CUT`] are.
const PRINTED_MAX: u64 = 1 << 20;
/// The same of values in states and events, of which there are many.
const SHOWN_MAX: u64 = 1 << 14;
/// Items that are shown of a value whose text is too large. Parts may be shared, so the text of a small value may
/// exceed any memory.
const CUT: u64 = 1000;
/// Bytes of text after which nothing more is written: names may be long, too.
const BYTES_MAX: usize = 1 << 24;
/// Parts within one another that are written out.
const DEPTH_MAX: usize = 20_000;

impl Interner {
    /// A value in CSPm notation. Of one that is too large, its beginning, with `…` and the number of
    /// values in the place of what is left out.
    #[must_use]
    pub fn show(&self, v: Value, names: &Script) -> String {
        self.show_up_to(SHOWN_MAX, v, names)
    }

    /// The same for a value that is all that is asked for: far more of it is written out.
    #[must_use]
    pub fn show_printed(&self, v: Value, names: &Script) -> String {
        self.show_up_to(PRINTED_MAX, v, names)
    }

    /// A value in CSPm notation if all of it can be written out.
    #[must_use]
    pub fn show_whole(&self, v: Value, names: &Script) -> Option<String> {
        let (text, whole) = self.show_within(v, names, (PRINTED_MAX, BYTES_MAX));
        whole.then_some(text)
    }

    fn show_up_to(&self, most: u64, v: Value, names: &Script) -> String {
        let room = if self.weight(v) <= most { most } else { CUT };
        self.show_within(v, names, (room, BYTES_MAX)).0
    }

    /// A value for a message: cut if it is long.
    #[must_use]
    pub fn show_short(&self, v: Value, names: &Script) -> String {
        self.show_start(v, names, MESSAGE_MAX)
    }

    /// As many characters of a value, and `…` if it has more.
    #[must_use]
    pub fn show_start(&self, v: Value, names: &Script, characters: usize) -> String {
        // Each value has a character or more, so what is left out here is cut below.
        let room = (characters as u64 + 1, 4 * (characters + 1));
        let text = self.show_within(v, names, room).0;
        if text.chars().count() <= characters {
            return text;
        }
        // Characters, not bytes: a cut in the middle of one is no text.
        text.chars().take(characters).chain(['…']).collect()
    }

    /// A text of about so many values and bytes, and whether it is the whole.
    fn show_within(
        &self,
        v: Value,
        names: &Script,
        (values, bytes): (u64, usize),
    ) -> (String, bool) {
        let mut writer = Notation {
            values: self,
            names,
            out: String::new(),
            room: values,
            bytes_max: bytes,
            depth: 0,
            is_cut: false,
        };
        writer.value(v);
        (writer.out, !writer.is_cut)
    }
}

/// A text in the notation of CSPm that grows value by value, as long as there is room.
struct Notation<'a> {
    values: &'a Interner,
    names: &'a Script,
    out: String,
    /// Numbers, names and characters that may still be written.
    room: u64,
    bytes_max: usize,
    /// Values that the next one is inside of.
    depth: usize,
    /// Whether something was left out.
    is_cut: bool,
}

impl Notation<'_> {
    fn value(&mut self, v: Value) {
        if self.is_full() {
            self.leave_out(self.values.weight(v));
            return;
        }
        let values = self.values;
        self.depth += 1;
        deep(|| self.data(values.data(v)));
        self.depth -= 1;
    }

    fn is_full(&self) -> bool {
        self.room == 0 || self.out.len() > self.bytes_max || self.depth > DEPTH_MAX
    }

    /// Says how much is not written.
    fn leave_out(&mut self, weight: u64) {
        self.is_cut = true;
        let _ = match weight {
            1 => write!(self.out, "… 1 value"),
            // Where the numbers end.
            u64::MAX => write!(self.out, "… more than 10^19 values"),
            n => write!(self.out, "… {} values", thousands(n)),
        };
    }

    /// Writes items as long as there is room, and how many values the rest has.
    fn items<T>(
        &mut self,
        items: &[T],
        comma: &str,
        weight: impl Fn(&Interner, &T) -> u64,
        mut write: impl FnMut(&mut Self, &T),
    ) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(comma);
            }
            if self.is_full() {
                let rest = items[i..].iter().map(|item| weight(self.values, item));
                self.leave_out(rest.fold(0, u64::saturating_add));
                return;
            }
            write(self, item);
        }
    }

    fn list(&mut self, vs: &[Value], comma: &str) {
        self.items(
            vs,
            comma,
            |values, v| values.weight(*v),
            |this, v| this.value(*v),
        );
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
        if !has_items(data) {
            self.room -= 1;
        }
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
            Data::Seq(vs) => match self.text_of(vs) {
                Some(text) => {
                    self.room -= vs.len() as u64;
                    let _ = write!(self.out, "\"{text}\"");
                }
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
        let weight = |values: &Interner, (k, v): &(Value, Value)| {
            values.weight(*k).saturating_add(values.weight(*v))
        };
        self.items(pairs, ", ", weight, |this, (k, v)| {
            this.value(*k);
            this.out.push_str(" => ");
            this.value(*v);
        });
        let close = if pairs.is_empty() { "|)" } else { " |)" };
        self.out.push_str(close);
    }

    /// A non-empty sequence of characters as the inside of a string literal, if there is room for all of it.
    fn text_of(&self, vs: &[Value]) -> Option<String> {
        if vs.len() as u64 > self.room {
            return None;
        }
        let mut text = String::new();
        for v in vs {
            let Data::Char(c) = self.values.data(*v) else {
                return None;
            };
            text.push_str(&escape(*c, '"'));
        }
        (!text.is_empty()).then_some(text)
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

/// Whether the text of some data is that of its items; a number or a name otherwise.
fn has_items(data: &Data) -> bool {
    match data {
        Data::Tuple(vs) | Data::Seq(vs) | Data::Dot(vs) | Data::Set(vs) => !vs.is_empty(),
        Data::Map(pairs) => !pairs.is_empty(),
        Data::View { .. } | Data::Stream { .. } => true,
        Data::Lazy(set) => !lazy_children(set).is_empty(),
        _ => false,
    }
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
        Stop::Disk => ("E0710", "no room is left on disk"),
        Stop::Process(_) => ("E0713", "another process of the search is lost"),
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
