//! Patterns and types.

use super::Printer;
use crate::source::stack::deep;
use crate::syntax::ast::{Pattern, PatternKind, TypeExpr, TypeKind, TypeScheme};

/// Levels of pattern operators.
const BOTH: u8 = 1;
pub(super) const DOT: u8 = 2;
const CONCAT: u8 = 3;
const ATOM: u8 = 4;

impl Printer {
    pub(super) fn patterns(&mut self, list: &[Pattern]) {
        for (i, p) in list.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.pattern(p, 0);
        }
    }

    pub(super) fn pattern(&mut self, p: &Pattern, least: u8) {
        deep(|| {
            if pattern_level(&p.kind) < least {
                self.bracket("(", ")", |q| q.bare_pattern(p));
            } else {
                self.bare_pattern(p);
            }
        });
    }

    fn bare_pattern(&mut self, p: &Pattern) {
        match &p.kind {
            PatternKind::Name(name) => self.out.push_str(name),
            PatternKind::Wild => self.out.push('_'),
            PatternKind::Int(n) => self.out.push_str(&n.to_string()),
            PatternKind::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            PatternKind::Char(c) => self.character(*c),
            PatternKind::Str(s) => self.string(s),
            PatternKind::Tuple(list) => self.bracket("(", ")", |q| q.patterns(list)),
            PatternKind::Seq(list) => self.bracket("<", ">", |q| q.patterns(list)),
            PatternKind::Set(list) => self.bracket("{", "}", |q| q.patterns(list)),
            PatternKind::Paren(inner) => self.bracket("(", ")", |q| q.pattern(inner, 0)),
            // `^` groups to the left and `.` to the right: the side that may repeat the operator
            // has its level, the other side one more.
            PatternKind::Concat(a, b) => self.pair(a, CONCAT, " ^ ", b, ATOM),
            PatternKind::Dot(a, b) => self.pair(a, CONCAT, ".", b, DOT),
            PatternKind::Both(a, b) => self.pair(a, DOT, " @@ ", b, DOT),
        }
    }

    fn pair(&mut self, a: &Pattern, least_a: u8, text: &str, b: &Pattern, least_b: u8) {
        self.pattern(a, least_a);
        self.out.push_str(text);
        self.pattern(b, least_b);
    }

    pub(super) fn scheme(&mut self, scheme: &TypeScheme) {
        if !scheme.constraints.is_empty() {
            // The closing text carries the arrow between the constraints and the type.
            self.bracket("(", ") => ", |p| {
                for (i, (class, variable)) in scheme.constraints.iter().enumerate() {
                    if i > 0 {
                        p.out.push_str(", ");
                    }
                    p.out.push_str(&class.text);
                    p.out.push(' ');
                    p.out.push_str(&variable.text);
                }
            });
        }
        self.type_expr(&scheme.body, 0);
    }

    /// Levels: 0 function, 1 dotable, 2 dot, 3 all others.
    fn type_expr(&mut self, t: &TypeExpr, least: u8) {
        deep(|| {
            let own = match &t.kind {
                TypeKind::Function(..) => 0,
                TypeKind::Dotable(..) | TypeKind::Extendable(..) => 1,
                TypeKind::Dot(..) => 2,
                _ => 3,
            };
            if own < least {
                self.bracket("(", ")", |p| p.bare_type(t));
            } else {
                self.bare_type(t);
            }
        });
    }

    fn bare_type(&mut self, t: &TypeExpr) {
        match &t.kind {
            TypeKind::Name(name) => self.out.push_str(name),
            TypeKind::Set(inner) => self.bracket("{", "}", |p| p.type_expr(inner, 0)),
            TypeKind::Seq(inner) => self.bracket("<", ">", |p| p.type_expr(inner, 0)),
            TypeKind::Tuple(list) => self.types(list),
            TypeKind::Map(k, v) => {
                self.out.push_str("(| ");
                // A `=>` in the key would be taken for that of the map.
                self.type_expr(k, 2);
                self.out.push_str(" => ");
                self.type_expr(v, 0);
                self.out.push_str(" |)");
            }
            TypeKind::Dot(a, b) => self.type_pair(a, 3, ".", b, 2),
            TypeKind::Dotable(a, b) => self.type_pair(a, 2, " => ", b, 1),
            TypeKind::Extendable(a, b) => self.type_pair(a, 2, " =>* ", b, 1),
            TypeKind::Function(args, result) => {
                self.types(args);
                self.out.push_str(" -> ");
                self.type_expr(result, 0);
            }
        }
    }

    fn type_pair(&mut self, a: &TypeExpr, least_a: u8, text: &str, b: &TypeExpr, least_b: u8) {
        self.type_expr(a, least_a);
        self.out.push_str(text);
        self.type_expr(b, least_b);
    }

    fn types(&mut self, list: &[TypeExpr]) {
        self.bracket("(", ")", |p| {
            for (i, t) in list.iter().enumerate() {
                if i > 0 {
                    p.out.push_str(", ");
                }
                p.type_expr(t, 0);
            }
        });
    }
}

fn pattern_level(kind: &PatternKind) -> u8 {
    match kind {
        PatternKind::Both(..) => BOTH,
        PatternKind::Dot(..) => DOT,
        PatternKind::Concat(..) => CONCAT,
        _ => ATOM,
    }
}
