//! Written types.

use super::Pen;
use crate::source::stack::deep;
use crate::syntax::ast::{TypeExpr, TypeKind, TypeScheme};

pub(super) fn write_scheme(pen: &mut Pen, scheme: &TypeScheme) {
    if !scheme.constraints.is_empty() {
        // The closing text carries the arrow between the constraints and the type.
        pen.bracket("(", ") => ", |pen| {
            pen.list(&scheme.constraints, |pen, (class, variable)| {
                pen.write(&class.text);
                pen.write(" ");
                pen.write(&variable.text);
            });
        });
    }
    write_type(pen, &scheme.body, 0);
}

/// Levels: 0 function, 1 dotable, 2 dot, 3 all others.
fn write_type(pen: &mut Pen, t: &TypeExpr, least: u8) {
    deep(|| {
        let own = match &t.kind {
            TypeKind::Function(..) => 0,
            TypeKind::Dotable(..) | TypeKind::Extendable(..) => 1,
            TypeKind::Dot(..) => 2,
            _ => 3,
        };
        if own < least {
            pen.bracket("(", ")", |pen| bare_type(pen, t));
        } else {
            bare_type(pen, t);
        }
    });
}

fn bare_type(pen: &mut Pen, t: &TypeExpr) {
    match &t.kind {
        TypeKind::Name(name) => pen.write(name),
        TypeKind::Set(inner) => pen.bracket("{", "}", |pen| write_type(pen, inner, 0)),
        TypeKind::Seq(inner) => pen.bracket("<", ">", |pen| write_type(pen, inner, 0)),
        TypeKind::Tuple(list) => types(pen, list),
        TypeKind::Map(k, v) => {
            pen.write("(| ");
            // A `=>` in the key would be taken for that of the map.
            write_type(pen, k, 2);
            pen.write(" => ");
            write_type(pen, v, 0);
            pen.write(" |)");
        }
        TypeKind::Dot(a, b) => type_pair(pen, a, 3, ".", b, 2),
        TypeKind::Dotable(a, b) => type_pair(pen, a, 2, " => ", b, 1),
        TypeKind::Extendable(a, b) => type_pair(pen, a, 2, " =>* ", b, 1),
        TypeKind::Function(args, result) => {
            types(pen, args);
            pen.write(" -> ");
            write_type(pen, result, 0);
        }
    }
}

fn type_pair(pen: &mut Pen, a: &TypeExpr, least_a: u8, text: &str, b: &TypeExpr, least_b: u8) {
    write_type(pen, a, least_a);
    pen.write(text);
    write_type(pen, b, least_b);
}

fn types(pen: &mut Pen, list: &[TypeExpr]) {
    pen.bracket("(", ")", |pen| {
        pen.list(list, |pen, t| write_type(pen, t, 0));
    });
}
