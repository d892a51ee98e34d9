//! Regular expressions over letters, and over pairs of letters.

use crate::alphabet::{Alphabet, Letter, PADDING, Symbol};
use crate::automaton::{Nfa, NfaBuilder};
use crate::limits::LimitWatch;
use crate::source::{Diagnostic, Stop, nearest};
use crate::tokens::{PatternToken, PatternTokenKind, TokenReader, TokenResult};

/// Parentheses within parentheses at most: they are read by recursion.
const NESTING_MAX: usize = 200;

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegularExpression {
    /// One of these symbols.
    OneOf(Vec<Symbol>),
    /// One after the other; the empty word if there are none.
    Sequence(Vec<RegularExpression>),
    /// One of several.
    Choice(Vec<RegularExpression>),
    /// Repeated.
    Repeated {
        /// What is repeated.
        body: Box<RegularExpression>,
        /// Whether it may be left out.
        optional: bool,
        /// Whether it may come more than once.
        again: bool,
    },
}

/// What the symbols of an expression are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `t n*`: letters.
    Letters,
    /// `I* t/n n/t I*`: pairs, with `I` for all pairs of equal letters and `.` for all pairs.
    Pairs,
    /// Pairs in which `#` may stand, too.
    PaddedPairs,
}

/// Reads an expression up to the first token that cannot belong to it.
///
/// # Errors
/// What is wrong with it.
pub fn expression(
    reader: &mut TokenReader<'_>,
    alphabet: &Alphabet,
    kind: SymbolKind,
) -> Result<RegularExpression, Box<Diagnostic>> {
    let mut parser = ExpressionReader {
        reader,
        alphabet,
        kind,
        depth: 0,
    };
    parser.choice()
}

struct ExpressionReader<'r, 't> {
    reader: &'r mut TokenReader<'t>,
    alphabet: &'r Alphabet,
    kind: SymbolKind,
    depth: usize,
}

impl ExpressionReader<'_, '_> {
    fn choice(&mut self) -> TokenResult<RegularExpression> {
        let mut all = vec![self.sequence()?];
        while self.reader.take_sign('|') {
            all.push(self.sequence()?);
        }
        Ok(match all.len() {
            1 => all.swap_remove(0),
            _ => RegularExpression::Choice(all),
        })
    }

    fn sequence(&mut self) -> TokenResult<RegularExpression> {
        let mut parts = Vec::new();
        loop {
            let token = self.reader.peek();
            match token.kind {
                PatternTokenKind::Name | PatternTokenKind::Sign('(' | '[' | '.') => {
                    self.atom(&mut parts)?;
                }
                PatternTokenKind::Sign('*' | '+' | '?') => {
                    let message = format!(
                        "nothing stands before `{}` that it could repeat",
                        token.text
                    );
                    return Err(Box::new(Diagnostic::error("E0904", token.span, message)));
                }
                _ => break,
            }
            let Some((optional, again)) = self.repetition() else {
                continue;
            };
            if let Some(body) = parts.pop() {
                let body = Box::new(body);
                parts.push(RegularExpression::Repeated {
                    body,
                    optional,
                    again,
                });
            }
        }
        Ok(RegularExpression::Sequence(parts))
    }

    /// The signs of repetition that come next, taken together: `a+?` is `a*`.
    fn repetition(&mut self) -> Option<(bool, bool)> {
        let mut found = None;
        loop {
            let (optional, again) = match self.reader.peek().kind {
                PatternTokenKind::Sign('*') => (true, true),
                PatternTokenKind::Sign('+') => (false, true),
                PatternTokenKind::Sign('?') => (true, false),
                _ => return found,
            };
            self.reader.take();
            let (before_optional, before_again) = found.unwrap_or((false, false));
            found = Some((before_optional || optional, before_again || again));
        }
    }

    /// Adds what comes next; of a word of several letters, each by itself.
    fn atom(&mut self, parts: &mut Vec<RegularExpression>) -> TokenResult<()> {
        if self.reader.is_at('(') {
            let open = self.reader.take();
            self.depth += 1;
            if self.depth > NESTING_MAX {
                let message = "parentheses are nested too deeply";
                let diagnostic = Diagnostic::error("E0904", open.span, message);
                let label = format!("more than {NESTING_MAX} within one another");
                return Err(Box::new(diagnostic.label(label)));
            }
            let inner = self.choice()?;
            self.reader.require(')')?;
            self.depth -= 1;
            parts.push(inner);
            return Ok(());
        }
        if self.kind == SymbolKind::Letters {
            let letters = self.letters()?;
            match letters {
                LetterSet::Word(word) => {
                    let each = word.into_iter().map(|letter| vec![letter]);
                    parts.extend(each.map(RegularExpression::OneOf));
                }
                LetterSet::OneOf(letters) => parts.push(RegularExpression::OneOf(letters)),
            }
            return Ok(());
        }
        let symbols = self.pairs()?;
        parts.push(RegularExpression::OneOf(symbols));
        Ok(())
    }

    /// `.`, `[a b]`, or a name that is a letter or a word of letters.
    fn letters(&mut self) -> TokenResult<LetterSet> {
        if self.reader.take_sign('.') {
            return Ok(LetterSet::OneOf(self.alphabet.letters().collect()));
        }
        if self.reader.is_at('[') {
            let open = self.reader.take();
            let mut found = Vec::new();
            while !self.reader.take_sign(']') {
                let token = self.reader.name("a letter or `]`")?;
                found.extend(self.spelled(token)?);
            }
            return match found.is_empty() {
                true => Err(empty_class(open)),
                false => Ok(LetterSet::OneOf(found)),
            };
        }
        let token = self.reader.name("a letter")?;
        self.spelled(token).map(LetterSet::Word)
    }

    /// `I`, `.`, `a/b`, `./b`, `[a b]/c`, or `[a/b b/a]`.
    fn pairs(&mut self) -> TokenResult<Vec<Symbol>> {
        let (token, second) = (self.reader.peek(), self.reader.peek_second());
        let is_alone = second.kind != PatternTokenKind::Sign('/');
        if token.text == "I" && is_alone {
            self.reader.take();
            return Ok(equal_pairs(self.alphabet));
        }
        if self.reader.is_at('.') && is_alone {
            self.reader.take();
            let all = self.alphabet.letters();
            let all = all.flat_map(|a| self.alphabet.letters().map(move |b| (a, b)));
            return Ok(all.map(|(a, b)| self.alphabet.pair(a, b)).collect());
        }
        if self.reader.is_at('[') {
            // A class of pairs, unless what follows shows that it is one of letters.
            let mut ahead = *self.reader;
            ahead.take();
            ahead.take();
            if ahead.is_at('/') {
                let open = self.reader.take();
                let mut found = Vec::new();
                while !self.reader.take_sign(']') {
                    found.extend(self.pair()?);
                }
                return match found.is_empty() {
                    true => Err(empty_class(open)),
                    false => Ok(found),
                };
            }
        }
        self.pair()
    }

    fn pair(&mut self) -> TokenResult<Vec<Symbol>> {
        let inputs = self.one_side()?;
        if !self.reader.is_at('/') {
            let token = self.reader.peek();
            let message = "a letter stands alone among pairs";
            let diagnostic = Diagnostic::error("E0904", token.span, message);
            let note = "write a pair as `a/b`: the letter before and the letter after; `I` is any letter that stays";
            return Err(Box::new(diagnostic.label("expected `/` here").note(note)));
        }
        let slash = self.reader.take();
        let outputs = self.one_side()?;
        let padding = self.alphabet.padding();
        let both = inputs
            .iter()
            .flat_map(|a| outputs.iter().map(move |b| (*a, *b)));
        let both: Vec<(Letter, Letter)> = both.collect();
        if both.contains(&(padding, padding)) {
            let message = "no pair is made of two paddings";
            return Err(Box::new(Diagnostic::error("E0904", slash.span, message)));
        }
        Ok(both
            .into_iter()
            .map(|(a, b)| self.alphabet.pair(a, b))
            .collect())
    }

    fn one_side(&mut self) -> TokenResult<Vec<Letter>> {
        if self.reader.is_at('.') || self.reader.is_at('[') {
            return match self.letters()? {
                LetterSet::OneOf(letters) | LetterSet::Word(letters) => Ok(letters),
            };
        }
        let token = self.reader.name("a letter")?;
        letter(self.alphabet, token, self.kind == SymbolKind::PaddedPairs).map(|one| vec![one])
    }

    /// The letters of a name: it is one letter, or is written as several without blanks, `tnn`.
    fn spelled(&self, token: PatternToken<'_>) -> TokenResult<Vec<Letter>> {
        word(self.alphabet, token)
    }
}

enum LetterSet {
    OneOf(Vec<Letter>),
    Word(Vec<Letter>),
}

fn empty_class(open: PatternToken<'_>) -> Box<Diagnostic> {
    let message = "no letter stands between these brackets";
    Box::new(Diagnostic::error("E0904", open.span, message))
}

/// The pairs of equal letters.
#[must_use]
pub fn equal_pairs(alphabet: &Alphabet) -> Vec<Symbol> {
    alphabet.letters().map(|a| alphabet.pair(a, a)).collect()
}

/// The letter with this name; the padding if that is allowed.
///
/// # Errors
/// There is no such letter.
pub fn letter(
    alphabet: &Alphabet,
    token: PatternToken<'_>,
    with_padding: bool,
) -> Result<Letter, Box<Diagnostic>> {
    if with_padding && token.text == PADDING {
        return Ok(alphabet.padding());
    }
    alphabet
        .letter(token.text)
        .ok_or_else(|| unknown_letter(alphabet, token))
}

/// The letters of a word that is written without blanks, of which each is as long as may be.
///
/// # Errors
/// It is not made of letters.
pub fn word(alphabet: &Alphabet, token: PatternToken<'_>) -> Result<Vec<Letter>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut rest = token.text;
    while !rest.is_empty() {
        let names = alphabet.names().iter().enumerate();
        let fitting = names.filter(|(_, name)| rest.starts_with(name.as_str()));
        let Some((letter, name)) = fitting.max_by_key(|(_, name)| name.len()) else {
            return Err(unknown_letter(alphabet, token));
        };
        found.push(letter as Letter);
        rest = &rest[name.len()..];
    }
    Ok(found)
}

fn unknown_letter(alphabet: &Alphabet, token: PatternToken<'_>) -> Box<Diagnostic> {
    let message = match token.text {
        PADDING => {
            "the padding `#` cannot stand here: steps keep the length of a configuration".to_owned()
        }
        name => format!("`{name}` is no letter"),
    };
    let diagnostic = Diagnostic::error("E0902", token.span, message);
    let near = nearest(token.text, alphabet.names().iter().map(String::as_str));
    let diagnostic = match near.first() {
        Some(name) => diagnostic.did_you_mean(name),
        None => diagnostic,
    };
    let shown: Vec<&str> = alphabet
        .names()
        .iter()
        .take(20)
        .map(String::as_str)
        .collect();
    Box::new(diagnostic.note(format!("the letters are {}", shown.join(", "))))
}

impl RegularExpression {
    /// The automaton of its language.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn automaton(&self, watch: &LimitWatch) -> Result<Nfa, Stop> {
        union(std::slice::from_ref(self), watch)
    }

    /// Adds states from `from` to the one that is returned.
    fn build(&self, builder: &mut NfaBuilder, from: u32, watch: &LimitWatch) -> Result<u32, Stop> {
        watch.step()?;
        match self {
            Self::OneOf(symbols) => {
                let to = builder.state();
                watch.hold(symbols.len() * 16 + 64);
                for symbol in symbols {
                    watch.step()?;
                    builder.edge(from, Some(*symbol), to);
                }
                Ok(to)
            }
            Self::Sequence(parts) => parts
                .iter()
                .try_fold(from, |at, part| part.build(builder, at, watch)),
            Self::Choice(parts) => {
                let to = builder.state();
                for part in parts {
                    let start = builder.state();
                    builder.edge(from, None, start);
                    let end = part.build(builder, start, watch)?;
                    builder.edge(end, None, to);
                }
                Ok(to)
            }
            Self::Repeated {
                body,
                optional,
                again,
            } => {
                // States of its own at both ends: what is around must not get into the loop.
                let start = builder.state();
                builder.edge(from, None, start);
                let end = body.build(builder, start, watch)?;
                let to = builder.state();
                builder.edge(end, None, to);
                if *again {
                    builder.edge(end, None, start);
                }
                if *optional {
                    builder.edge(start, None, to);
                }
                Ok(to)
            }
        }
    }
}

/// The automaton of the words of any of these.
///
/// # Errors
/// The limit that is reached.
pub fn union(all: &[RegularExpression], watch: &LimitWatch) -> Result<Nfa, Stop> {
    let mut builder = NfaBuilder::default();
    for one in all {
        let start = builder.state();
        builder.begin(start);
        let end = one.build(&mut builder, start, watch)?;
        builder.accept(end);
    }
    builder.finish(watch)
}
