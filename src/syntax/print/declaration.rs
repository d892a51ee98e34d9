//! Declarations and assertions.

use super::{Position, Printer, level};
use crate::source::stack::deep;
use crate::syntax::ast::{
    Assertion, AssertionKind, AssertionOption, Decl, DeclKind, Expr, Ident, Model, Property,
    SymmetrySpec,
};

impl Printer {
    pub(super) fn decl(&mut self, d: &Decl) {
        deep(|| self.decl_kind(&d.kind));
    }

    // Longer than other functions: one short branch for each kind of declaration, in the order of
    // the tree. Whatever takes more than a few lines has a function of its own below.
    fn decl_kind(&mut self, kind: &DeclKind) {
        match kind {
            DeclKind::Pattern { pattern, body } => {
                self.pattern(pattern, 0);
                self.defined_as(body);
            }
            DeclKind::Clause { name, groups, body } => {
                self.out.push_str(&name.text);
                for group in groups {
                    self.bracket("(", ")", |p| p.patterns(group));
                }
                self.defined_as(body);
            }
            DeclKind::Annotation { names, scheme } => {
                self.names("", names);
                self.out.push_str(" :: ");
                self.scheme(scheme);
            }
            DeclKind::Channel { names, fields } => {
                self.names("channel ", names);
                if let Some(fields) = fields {
                    self.out.push_str(" : ");
                    self.expr(fields, Position::FREE.left(level::DATA));
                }
            }
            DeclKind::Datatype {
                subtype,
                name,
                clauses,
            } => self.datatype(*subtype, name, clauses),
            DeclKind::Nametype { name, body } => {
                self.out.push_str("nametype ");
                self.out.push_str(&name.text);
                self.defined_as(body);
            }
            DeclKind::External(names) => self.names("external ", names),
            DeclKind::Transparent(names) => self.names("transparent ", names),
            DeclKind::Assert(assertion) => self.assertion(assertion),
            DeclKind::Print(e) => {
                self.out.push_str("print ");
                self.expr(e, Position::FREE);
            }
            DeclKind::Module {
                name,
                params,
                private,
                exports,
            } => self.module(name, params, private, exports),
            DeclKind::Instance { name, module, args } => {
                self.out.push_str("instance ");
                self.out.push_str(&name.text);
                self.out.push_str(" = ");
                self.out.push_str(&module.text);
                if !args.is_empty() {
                    self.bracket("(", ")", |p| p.list(args, Position::FREE));
                }
            }
            DeclKind::Timed { durations, decls } => {
                self.out.push_str("Timed");
                if let Some(e) = durations {
                    self.bracket("(", ")", |p| p.expr(e, Position::FREE));
                }
                self.out.push_str(" {\n");
                self.decls(decls);
                self.out.push('}');
            }
        }
    }

    fn defined_as(&mut self, body: &Expr) {
        self.out.push_str(" = ");
        self.expr(body, Position::FREE);
    }

    fn decls(&mut self, decls: &[Decl]) {
        for d in decls {
            self.decl(d);
            self.out.push('\n');
        }
    }

    fn names(&mut self, before: &str, names: &[Ident]) {
        self.out.push_str(before);
        for (i, name) in names.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&name.text);
        }
    }

    fn datatype(&mut self, subtype: bool, name: &Ident, clauses: &[(Ident, Option<Expr>)]) {
        self.out
            .push_str(if subtype { "subtype " } else { "datatype " });
        self.out.push_str(&name.text);
        for (i, (constructor, fields)) in clauses.iter().enumerate() {
            self.out.push_str(if i == 0 { " = " } else { " | " });
            self.out.push_str(&constructor.text);
            if let Some(fields) = fields {
                self.out.push('.');
                self.expr(fields, Position::FREE.left(level::DATA));
            }
        }
    }

    fn module(&mut self, name: &Ident, params: &[Ident], private: &[Decl], exports: &[Decl]) {
        self.out.push_str("module ");
        self.out.push_str(&name.text);
        if !params.is_empty() {
            self.bracket("(", ")", |p| p.names("", params));
        }
        self.out.push('\n');
        self.decls(private);
        self.out.push_str("exports\n");
        self.decls(exports);
        self.out.push_str("endmodule");
    }

    fn assertion(&mut self, assertion: &Assertion) {
        self.out.push_str("assert ");
        if assertion.negated {
            self.out.push_str("not ");
        }
        self.assertion_kind(&assertion.kind);
        for option in &assertion.options {
            self.option(option);
        }
    }

    fn assertion_kind(&mut self, kind: &AssertionKind) {
        match kind {
            AssertionKind::Refinement { spec, model, imp } => {
                self.subject(spec);
                self.out.push_str(" [");
                self.out.push_str(model_name(*model));
                self.out.push_str("= ");
                self.expr(imp, Position::FREE);
            }
            AssertionKind::Property {
                process,
                property,
                model,
            } => {
                self.subject(process);
                self.property(property_name(*property), *model);
            }
            AssertionKind::HasTrace {
                process,
                model,
                trace,
            } => {
                self.subject(process);
                self.property("has trace", *model);
                self.out.push_str(": ");
                self.expr(trace, Position::FREE);
            }
            AssertionKind::Symmetric { process, types } => {
                self.subject(process);
                self.property("symmetric", None);
                self.out.push_str(": ");
                self.specs(types);
            }
        }
    }

    /// What is asserted about. A leading `not` would be taken for the one of the assertion.
    fn subject(&mut self, process: &Expr) {
        let from = self.out.len();
        self.expr(process, Position::FREE);
        // Looked for in the text: the `not` may be the leftmost part of a larger expression.
        if self.out[from..].starts_with("not ") {
            self.out.insert(from, '(');
            self.out.push(')');
        }
    }

    fn property(&mut self, name: &str, model: Option<Model>) {
        self.out.push_str(" :[");
        self.out.push_str(name);
        if let Some(model) = model {
            self.out.push_str(" [");
            self.out.push_str(model_name(model));
            self.out.push(']');
        }
        self.out.push(']');
    }

    fn option(&mut self, option: &AssertionOption) {
        match option {
            AssertionOption::TauPriority(set, _) => {
                self.out.push_str(" :[tau priority]: ");
                self.expr(set, Position::FREE);
            }
            AssertionOption::PartialOrder(mode, _) => {
                self.out.push_str(" :[partial order reduce");
                if let Some(mode) = mode {
                    self.bracket(" [", "]", |p| p.out.push_str(mode));
                }
                self.out.push(']');
            }
            AssertionOption::Symmetry(specs, _) => {
                self.out.push_str(" :[symmetry reduce]");
                if !specs.is_empty() {
                    self.out.push_str(": ");
                    self.specs(specs);
                }
            }
        }
    }

    fn specs(&mut self, specs: &[SymmetrySpec]) {
        for (i, spec) in specs.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            if spec.fixed.is_empty() {
                self.out.push_str(&spec.name.text);
            } else {
                self.out.push_str("diff(");
                self.out.push_str(&spec.name.text);
                self.names(", {|", &spec.fixed);
                self.out.push_str("|})");
            }
        }
    }
}

fn model_name(model: Model) -> &'static str {
    match model {
        Model::Traces => "T",
        Model::Failures => "F",
        Model::FailuresDivergences => "FD",
        Model::Other(name) => name,
    }
}

fn property_name(property: Property) -> &'static str {
    match property {
        Property::DeadlockFree => "deadlock free",
        Property::DivergenceFree => "divergence free",
        Property::Deterministic => "deterministic",
    }
}
