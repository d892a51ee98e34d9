//! Patterns.

use super::Pen;
use crate::source::stack::deep;
use crate::syntax::ast::{Pattern, PatternKind};

/// Levels of pattern operators.
const BOTH: u8 = 1;
pub(super) const DOT: u8 = 2;
const CONCAT: u8 = 3;
const ATOM: u8 = 4;

pub(super) fn write_patterns(pen: &mut Pen, list: &[Pattern]) {
    pen.list(list, |pen, p| write_pattern(pen, p, 0));
}

pub(super) fn write_pattern(pen: &mut Pen, p: &Pattern, least: u8) {
    deep(|| {
        if pattern_level(&p.kind) < least {
            pen.bracket("(", ")", |pen| bare_pattern(pen, p));
        } else {
            bare_pattern(pen, p);
        }
    });
}

fn bare_pattern(pen: &mut Pen, p: &Pattern) {
    match &p.kind {
        PatternKind::Name(name) => pen.write(name),
        PatternKind::Wild => pen.write("_"),
        PatternKind::Int(n) => pen.write(&n.to_string()),
        PatternKind::Bool(b) => pen.write(&b.to_string()),
        PatternKind::Char(c) => pen.character(*c),
        PatternKind::Str(s) => pen.string(s),
        PatternKind::Tuple(list) => pen.bracket("(", ")", |pen| write_patterns(pen, list)),
        PatternKind::Seq(list) => pen.bracket("<", ">", |pen| write_patterns(pen, list)),
        PatternKind::Set(list) => pen.bracket("{", "}", |pen| write_patterns(pen, list)),
        PatternKind::Paren(inner) => pen.bracket("(", ")", |pen| write_pattern(pen, inner, 0)),
        // `^` groups to the left and `.` to the right: the side that may repeat the operator
        // has its level, the other side one more.
        PatternKind::Concat(a, b) => pair(pen, a, CONCAT, " ^ ", b, ATOM),
        PatternKind::Dot(a, b) => pair(pen, a, CONCAT, ".", b, DOT),
        PatternKind::Both(a, b) => pair(pen, a, DOT, " @@ ", b, DOT),
    }
}

fn pair(pen: &mut Pen, a: &Pattern, least_a: u8, text: &str, b: &Pattern, least_b: u8) {
    write_pattern(pen, a, least_a);
    pen.write(text);
    write_pattern(pen, b, least_b);
}

fn pattern_level(kind: &PatternKind) -> u8 {
    match kind {
        PatternKind::Both(..) => BOTH,
        PatternKind::Dot(..) => DOT,
        PatternKind::Concat(..) => CONCAT,
        _ => ATOM,
    }
}
