//! Declarations.

use super::assertion::write_assertion;
use super::expression::{write_expr, write_list};
use super::level::{DATA, Fit};
use super::pattern::{write_pattern, write_patterns};
use super::types::write_scheme;
use super::{Pen, write_lines};
use crate::source::stack::deep;
use crate::syntax::ast::{Decl, DeclKind, Expr, Ident};

pub(super) fn write_decl(pen: &mut Pen, d: &Decl) {
    deep(|| decl_kind(pen, &d.kind));
}

// Longer than other functions: one short branch for each kind of declaration, in the order of
// the tree. Whatever takes more than a few lines has a function of its own below.
fn decl_kind(pen: &mut Pen, kind: &DeclKind) {
    match kind {
        DeclKind::Pattern { pattern, body } => {
            write_pattern(pen, pattern, 0);
            defined_as(pen, body);
        }
        DeclKind::Clause { name, groups, body } => {
            pen.write(&name.text);
            for group in groups {
                pen.bracket("(", ")", |pen| write_patterns(pen, group));
            }
            defined_as(pen, body);
        }
        DeclKind::Annotation { names, scheme } => {
            pen.names(names);
            pen.write(" :: ");
            write_scheme(pen, scheme);
        }
        DeclKind::Channel { names, fields } => {
            pen.write("channel ");
            pen.names(names);
            if let Some(fields) = fields {
                pen.write(" : ");
                write_expr(pen, fields, Fit::FREE.left(DATA));
            }
        }
        DeclKind::Datatype {
            subtype,
            name,
            clauses,
        } => datatype(pen, *subtype, name, clauses),
        DeclKind::Nametype { name, body } => {
            pen.write("nametype ");
            pen.write(&name.text);
            defined_as(pen, body);
        }
        DeclKind::External(names) => {
            pen.write("external ");
            pen.names(names);
        }
        DeclKind::Transparent(names) => {
            pen.write("transparent ");
            pen.names(names);
        }
        DeclKind::Assert(assertion) => write_assertion(pen, assertion),
        DeclKind::Print(e) => {
            pen.write("print ");
            write_expr(pen, e, Fit::FREE);
        }
        DeclKind::Module {
            name,
            params,
            private,
            exports,
        } => module(pen, name, params, private, exports),
        DeclKind::Instance { name, module, args } => {
            pen.write("instance ");
            pen.write(&name.text);
            pen.write(" = ");
            pen.write(&module.text);
            if !args.is_empty() {
                pen.bracket("(", ")", |pen| write_list(pen, args, Fit::FREE));
            }
        }
        DeclKind::Timed { durations, decls } => {
            pen.write("Timed");
            if let Some(e) = durations {
                pen.bracket("(", ")", |pen| write_expr(pen, e, Fit::FREE));
            }
            pen.write(" {\n");
            write_lines(pen, decls);
            pen.write("}");
        }
    }
}

fn defined_as(pen: &mut Pen, body: &Expr) {
    pen.write(" = ");
    write_expr(pen, body, Fit::FREE);
}

fn datatype(pen: &mut Pen, subtype: bool, name: &Ident, clauses: &[(Ident, Option<Expr>)]) {
    pen.write(if subtype { "subtype " } else { "datatype " });
    pen.write(&name.text);
    for (i, (constructor, fields)) in clauses.iter().enumerate() {
        pen.write(if i == 0 { " = " } else { " | " });
        pen.write(&constructor.text);
        if let Some(fields) = fields {
            pen.write(".");
            write_expr(pen, fields, Fit::FREE.left(DATA));
        }
    }
}

fn module(pen: &mut Pen, name: &Ident, params: &[Ident], private: &[Decl], exports: &[Decl]) {
    pen.write("module ");
    pen.write(&name.text);
    if !params.is_empty() {
        pen.bracket("(", ")", |pen| pen.names(params));
    }
    pen.write("\n");
    write_lines(pen, private);
    pen.write("exports\n");
    write_lines(pen, exports);
    pen.write("endmodule");
}
