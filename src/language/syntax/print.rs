//! Tree to text: text that reads back as the same tree, with no more parentheses than that needs.

mod assertion;
mod declaration;
mod expression;
mod level;
mod pattern;
mod types;

use super::ast::{Decl, Expr, File, Ident, Pattern};
use level::Fit;

/// An expression on one line (but for the declarations of a `let`).
#[must_use]
pub fn expr(e: &Expr) -> String {
    written(|pen| expression::write_expr(pen, e, Fit::FREE))
}

/// A pattern.
#[must_use]
pub fn pattern(p: &Pattern) -> String {
    written(|pen| pattern::write_pattern(pen, p, 0))
}

/// A declaration without the newline after it.
#[must_use]
pub fn decl(d: &Decl) -> String {
    written(|pen| declaration::write_decl(pen, d))
}

/// A whole file, a line for each declaration.
#[must_use]
pub fn file(f: &File) -> String {
    written(|pen| write_lines(pen, &f.decls))
}

fn written(write: impl FnOnce(&mut Pen)) -> String {
    let mut pen = Pen::default();
    write(&mut pen);
    pen.text
}

// Here, as declarations contain expressions and, by `let`, the other way round.
fn write_lines(pen: &mut Pen, decls: &[Decl]) {
    for d in decls {
        declaration::write_decl(pen, d);
        pen.write("\n");
    }
}

/// The writer for all parts of the tree: the text so far, and the layout that they share.
#[derive(Default)]
struct Pen {
    text: String,
}

impl Pen {
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Brackets, with a blank where the opening one would merge with what follows.
    fn bracket(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Self)) {
        self.write(open);
        let from = self.text.len();
        inside(self);
        self.separate(from);
        self.write(close);
    }

    fn separate(&mut self, from: usize) {
        // Together with an opening bracket these would be read as another token: `{-`, `[|`, `<-`,
        // `[[` and so on.
        if self.text[from..].starts_with(['-', '|', '=', '+', '>', '~', '[', ']']) {
            self.text.insert(from, ' ');
        }
    }

    /// A list with commas.
    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.write(", ");
            }
            each(self, item);
        }
    }

    fn names(&mut self, names: &[Ident]) {
        self.list(names, |pen, name| pen.write(&name.text));
    }

    fn character(&mut self, c: char) {
        self.write("'");
        self.escaped(c, '\'');
        self.write("'");
    }

    fn string(&mut self, text: &str) {
        self.write("\"");
        for c in text.chars() {
            self.escaped(c, '"');
        }
        self.write("\"");
    }

    fn escaped(&mut self, c: char, quote: char) {
        match c {
            '\n' => self.write("\\n"),
            '\r' => self.write("\\r"),
            '\t' => self.write("\\t"),
            c => {
                if c == quote || c == '\\' {
                    self.text.push('\\');
                }
                self.text.push(c);
            }
        }
    }
}
