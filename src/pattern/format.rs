//! Files of families (`.pat`): the input of the paper's tool, and more.
//!
//! In: text. Out: automata, and what a synthesis is asked for; or diagnostics with places. Beyond the published input,
//! steps, configurations and patterns may be regular expressions (`steps: I* t/n n/t I*;`), steps may have actions,
//! and a file may say which words are initial and which are bad.

use crate::alphabet::{Alphabet, LETTERS_MAX};
use crate::automaton::{Nfa, NfaBuilder};
use crate::blocks::{AutomatonBlock, block};
use crate::expression::{RegularExpression, SymbolKind, expression, letter};
use crate::limits::LimitWatch;
use crate::request::{RequestReader, SynthesisRequest};
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, FileId, Span, Stop};
use crate::tokens::{PatternToken, PatternTokenKind, TokenReader, TokenResult, tokens, unknown};

/// Bytes of a file at most.
pub const PATTERN_BYTES_MAX: u64 = 4 << 20;
/// Diagnostics that are reported of one file.
const ERRORS_MAX: usize = 20;

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct FamilyFile {
    /// The letters, in the order of the text.
    pub alphabet: Alphabet,
    /// The steps of each action.
    pub steps: Vec<(String, Nfa)>,
    /// The configurations; every word if there are none.
    pub configurations: Option<Nfa>,
    /// A relation that may be a symmetry pattern.
    pub pattern: Option<Nfa>,
    /// The words that a run begins with.
    pub initial: Option<Nfa>,
    /// The words that no run may reach.
    pub bad: Option<Nfa>,
    /// What a synthesis is asked for.
    pub synthesis: SynthesisRequest,
}

/// Why a file gives no family.
#[derive(Clone, Debug)]
pub enum FamilyError {
    /// It is wrong.
    Wrong(Vec<Diagnostic>),
    /// A limit came first.
    Stopped(Stop),
}

impl From<Stop> for FamilyError {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// Reads a family.
///
/// # Errors
/// What is wrong with the text, or the limit that is reached.
pub fn read_family(
    file: FileId,
    text: &str,
    watch: &LimitWatch,
) -> Result<FamilyFile, FamilyError> {
    read(file, text, None, watch)
}

/// Reads the `pattern` of a file that may hold nothing else, over the letters of a family.
///
/// # Errors
/// What is wrong with the text, or the limit that is reached.
pub fn read_pattern(
    file: FileId,
    text: &str,
    alphabet: &Alphabet,
    watch: &LimitWatch,
) -> Result<Nfa, FamilyError> {
    let found = read(file, text, Some(alphabet), watch)?;
    found.pattern.ok_or_else(|| {
        let whole = Span {
            file,
            start: 0,
            end: 0,
        };
        let diagnostic = Diagnostic::error("E0903", whole, "this file has no `pattern`");
        let note =
            "write `pattern: REGEX;` or `pattern { init: …; … }`, as `pattern synth -o FILE` does";
        FamilyError::Wrong(vec![diagnostic.note(note)])
    })
}

/// Reads a regular expression over letters, given on the command line.
///
/// # Errors
/// What is wrong with it, or the limit that is reached.
pub fn read_expression(
    file: FileId,
    text: &str,
    alphabet: &Alphabet,
    watch: &LimitWatch,
) -> Result<Nfa, FamilyError> {
    let parsed = tokens(file, text).and_then(|all| {
        let mut reader = TokenReader::new(&all);
        let parsed = expression(&mut reader, alphabet, SymbolKind::Letters)?;
        match reader.is_at_end() {
            true => Ok(parsed),
            false => Err(reader.expected("the end of the expression")),
        }
    });
    let parsed = parsed.map_err(|one| FamilyError::Wrong(vec![*one]))?;
    Ok(parsed.automaton(watch)?)
}

fn read(
    file: FileId,
    text: &str,
    alphabet: Option<&Alphabet>,
    watch: &LimitWatch,
) -> Result<FamilyFile, FamilyError> {
    let wrong = |one: Box<Diagnostic>| FamilyError::Wrong(vec![*one]);
    let all = tokens(file, text).map_err(wrong)?;
    let is_family = alphabet.is_none();
    let alphabet = match alphabet {
        Some(given) => given.clone(),
        None => crate::letters::collected(&all).map_err(wrong)?,
    };
    let mut reader = FamilyReader {
        reader: TokenReader::new(&all),
        alphabet: &alphabet,
        diagnostics: Vec::new(),
        parts: FamilyParts::default(),
    };
    reader.whole();
    let FamilyReader {
        mut diagnostics,
        parts,
        ..
    } = reader;
    if is_family && diagnostics.is_empty() {
        diagnostics.extend(missing(file, &alphabet, &parts));
    }
    if !diagnostics.is_empty() {
        diagnostics.truncate(ERRORS_MAX);
        return Err(FamilyError::Wrong(diagnostics));
    }
    Ok(parts.made(alphabet, watch)?)
}

/// What no family can be without.
fn missing(file: FileId, alphabet: &Alphabet, parts: &FamilyParts) -> Option<Diagnostic> {
    let whole = Span {
        file,
        start: 0,
        end: 0,
    };
    if parts.steps.is_empty() {
        let diagnostic = Diagnostic::error("E0903", whole, "this family has no steps");
        let note = "write `steps: REGEX;` with pairs of letters as `a/b`, or `systemTransitions { init: …; … }`";
        return Some(diagnostic.note(note));
    }
    let diagnostic = match alphabet.size() as usize {
        0 => Diagnostic::error("E0903", whole, "this family has no letters"),
        1..=LETTERS_MAX => return None,
        many => {
            let message = format!("this family has {many} letters");
            let note = format!("a family may have {LETTERS_MAX}");
            Diagnostic::error("E0903", whole, message).note(note)
        }
    };
    Some(diagnostic)
}

/// An automaton as it was written.
#[derive(Clone, Debug)]
enum WrittenAutomaton {
    Expression(RegularExpression),
    Block(NfaBuilder),
}

impl WrittenAutomaton {
    fn made(self, watch: &LimitWatch) -> Result<Nfa, Stop> {
        match self {
            Self::Expression(parsed) => parsed.automaton(watch),
            Self::Block(builder) => builder.finish(watch),
        }
    }
}

/// The statements of a file.
#[derive(Clone, Debug, Default)]
struct FamilyParts {
    steps: IndexMap<String, Vec<WrittenAutomaton>>,
    automata: IndexMap<&'static str, WrittenAutomaton>,
    /// The places of statements that may stand once.
    places: IndexMap<&'static str, Span>,
    synthesis: SynthesisRequest,
}

impl FamilyParts {
    fn made(mut self, alphabet: Alphabet, watch: &LimitWatch) -> Result<FamilyFile, Stop> {
        let mut steps = Vec::new();
        for (name, parts) in self.steps {
            let mut all = NfaBuilder::default();
            for part in parts {
                all.append(&part.made(watch)?);
            }
            steps.push((name, all.finish(watch)?));
        }
        let mut one = |name: &str| -> Result<Option<Nfa>, Stop> {
            let written = self.automata.shift_remove(name);
            written.map(|written| written.made(watch)).transpose()
        };
        Ok(FamilyFile {
            steps,
            configurations: one(CONFIGURATIONS)?,
            pattern: one("pattern")?,
            initial: one("initial")?,
            bad: one("bad")?,
            synthesis: self.synthesis,
            alphabet,
        })
    }
}

/// Both ways to write configurations are one statement.
const CONFIGURATIONS: &str = "configurations";

/// All words that begin a statement.
const KEYWORDS: [&str; 15] = [
    "model",
    "alphabet",
    "steps",
    "systemTransitions",
    CONFIGURATIONS,
    "validConfigurations",
    "pattern",
    "initial",
    "bad",
    "statesGuessing",
    "forcedSymmetryGenerators",
    "forcedSymmetryInstances",
    "outputBoundedLetters",
    "impossible",
    "off",
];

struct FamilyReader<'t> {
    reader: TokenReader<'t>,
    alphabet: &'t Alphabet,
    diagnostics: Vec<Diagnostic>,
    parts: FamilyParts,
}

impl<'t> FamilyReader<'t> {
    /// `model { … }`, or statements alone.
    fn whole(&mut self) {
        let is_wrapped = self.reader.peek().text == "model";
        if is_wrapped {
            self.reader.take();
            if let Err(one) = self.reader.require('{') {
                self.diagnostics.push(*one);
                return;
            }
        }
        while !self.reader.is_at_end() && self.diagnostics.len() < ERRORS_MAX {
            if is_wrapped && self.reader.is_at('}') {
                break;
            }
            if let Err(one) = self.statement() {
                self.diagnostics.push(*one);
                self.recover();
            }
        }
        if is_wrapped && self.diagnostics.is_empty() {
            if let Err(one) = self.reader.require('}') {
                self.diagnostics.push(*one);
            } else if !self.reader.is_at_end() {
                let one = self.reader.expected("nothing behind the model");
                self.diagnostics.push(*one);
            }
        }
    }

    /// Goes behind the statement that is wrong.
    fn recover(&mut self) {
        let mut depth = 0_usize;
        while !self.reader.is_at_end() {
            match self.reader.peek().kind {
                PatternTokenKind::Sign('{') => depth += 1,
                PatternTokenKind::Sign('}') if depth <= 1 => {
                    self.reader.take();
                    return;
                }
                PatternTokenKind::Sign('}') => depth -= 1,
                PatternTokenKind::Sign(';') if depth == 0 => {
                    self.reader.take();
                    return;
                }
                _ => {}
            }
            self.reader.take();
        }
    }

    fn statement(&mut self) -> TokenResult<()> {
        let keyword = self.reader.name("a statement")?;
        match keyword.text {
            "steps" => self.steps()?,
            "systemTransitions" => {
                let action = self.action();
                let kind = SymbolKind::Pairs;
                let builder = self.block(keyword, kind)?;
                let written = WrittenAutomaton::Block(builder);
                self.parts.steps.entry(action).or_default().push(written);
                return Ok(());
            }
            "validConfigurations" => {
                self.once(CONFIGURATIONS, keyword)?;
                let builder = self.block(keyword, SymbolKind::Letters)?;
                self.keep(CONFIGURATIONS, WrittenAutomaton::Block(builder));
                return Ok(());
            }
            "pattern" if self.reader.is_at('{') => {
                self.once("pattern", keyword)?;
                let builder = self.block(keyword, SymbolKind::PaddedPairs)?;
                self.keep("pattern", WrittenAutomaton::Block(builder));
                return Ok(());
            }
            "pattern" => self.language("pattern", keyword, SymbolKind::PaddedPairs)?,
            CONFIGURATIONS => self.language(CONFIGURATIONS, keyword, SymbolKind::Letters)?,
            "initial" => self.language("initial", keyword, SymbolKind::Letters)?,
            "bad" => self.language("bad", keyword, SymbolKind::Letters)?,
            "alphabet" => self.skip_alphabet(keyword)?,
            _ => {
                let mut request = RequestReader {
                    reader: &mut self.reader,
                    alphabet: self.alphabet,
                    request: &mut self.parts.synthesis,
                };
                if !request.statement(keyword)? {
                    return Err(unknown(keyword, &KEYWORDS));
                }
            }
        }
        self.reader.require(';')?;
        Ok(())
    }

    /// The name of an action, which may be missing.
    fn action(&mut self) -> String {
        match self.reader.peek().kind {
            PatternTokenKind::Name => self.reader.take().text.to_owned(),
            _ => String::new(),
        }
    }

    fn steps(&mut self) -> TokenResult<()> {
        let action = self.action();
        self.reader.require(':')?;
        let parsed = expression(&mut self.reader, self.alphabet, SymbolKind::Pairs)?;
        let written = WrittenAutomaton::Expression(parsed);
        self.parts.steps.entry(action).or_default().push(written);
        Ok(())
    }

    fn block(&mut self, keyword: PatternToken<'_>, kind: SymbolKind) -> TokenResult<NfaBuilder> {
        let context = AutomatonBlock {
            alphabet: self.alphabet,
            kind,
            keyword,
        };
        block(&mut self.reader, &context)
    }

    fn language(
        &mut self,
        name: &'static str,
        keyword: PatternToken<'_>,
        kind: SymbolKind,
    ) -> TokenResult<()> {
        self.once(name, keyword)?;
        self.reader.require(':')?;
        let parsed = expression(&mut self.reader, self.alphabet, kind)?;
        self.keep(name, WrittenAutomaton::Expression(parsed));
        Ok(())
    }

    fn keep(&mut self, name: &'static str, written: WrittenAutomaton) {
        self.parts.automata.insert(name, written);
    }

    /// Refuses a second statement of a kind of which there may be one.
    fn once(&mut self, name: &'static str, keyword: PatternToken<'_>) -> TokenResult<()> {
        match self.parts.places.insert(name, keyword.span) {
            None => Ok(()),
            Some(first) => {
                let message = format!("`{}` is said twice", keyword.text);
                let diagnostic = Diagnostic::error("E0903", keyword.span, message);
                Err(Box::new(diagnostic.also(first, "first here")))
            }
        }
    }

    /// The letters were collected before.
    fn skip_alphabet(&mut self, keyword: PatternToken<'_>) -> TokenResult<()> {
        self.once("alphabet", keyword)?;
        self.reader.require(':')?;
        while !self.reader.is_at(';') {
            self.reader.take_sign(',');
            let name = self.reader.name("a letter")?;
            letter(self.alphabet, name, false)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::not_included;
    use crate::source::Budget;

    fn watch() -> LimitWatch {
        LimitWatch::new(&Budget::default())
    }

    fn read_text(text: &str) -> FamilyFile {
        read_family(FileId(0), text, &watch()).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn same(a: &Nfa, b: &Nfa) -> bool {
        let included = |a, b| not_included(a, b, &watch()).unwrap().is_none();
        included(a, b) && included(b, a)
    }

    #[test]
    fn blocks_and_expressions_say_the_same() {
        let short = read_text("steps: I* t/n n/t I*; configurations: t* [t n];");
        let long = read_text(
            "model { // the published input
              systemTransitions {
                init: s; s -> a; a -> a t/t; a -> a n/n; a -> b t/n; b -> c n/t; c -> d (epsilon);
                d -> d t/t; d -> d n/n; accepting: d; }
              /* and its
                 configurations */
              validConfigurations { init: 0; 0 -> 0 t; 0 -> 1 t; 0 -> 1 n; accepting: 1; }
              statesGuessing : 2..12; off: parikh, OutputUniversal;
              impossible pairs: (t,n), (n, t); outputBoundedLetters: t;
              forcedSymmetryGenerators: (4, (1 2 3)), (2, (0 1));
              forcedSymmetryInstances: (t n n, n t n), (tnn, nnt); }",
        );
        assert_eq!(short.alphabet, long.alphabet);
        assert!(same(&short.steps[0].1, &long.steps[0].1));
        let sets = [&short, &long].map(|file| file.configurations.clone().unwrap());
        assert!(same(&sets[0], &sets[1]));
        let asked = &long.synthesis;
        assert_eq!(asked.states, Some((2, 12)));
        assert_eq!(asked.generators, [vec![0, 2, 3, 1], vec![1, 0]]);
        assert_eq!(asked.instances[1], (vec![0, 1, 1], vec![1, 1, 0]));
        assert_eq!(
            (asked.impossible.len(), asked.off.len(), asked.bounded.len()),
            (2, 2, 1)
        );
    }

    #[test]
    fn expressions_mean_what_is_usual() {
        let file = read_text("alphabet: idle, ready, go; steps: [idle/ready ready/idle]+ | ./go?;");
        let alphabet = &file.alphabet;
        let language = |text: &str| read_expression(FileId(0), text, alphabet, &watch()).unwrap();
        for (text, inside, outside) in [
            (
                "idle ready* go?",
                vec!["idle", "idle ready ready go"],
                vec!["", "ready", "idle go go"],
            ),
            (
                "idleready*",
                vec!["idle", "idle ready ready"],
                vec!["idle ready idle"],
            ),
            (
                "(idle? ready)+*",
                vec!["", "ready idle ready"],
                vec!["idle"],
            ),
            (
                "(idle | go ready)* .",
                vec!["ready", "go ready idle go"],
                vec!["", "ready go"],
            ),
            (
                "([idle go] [ready]?)+",
                vec!["idle go ready go"],
                vec!["", "ready"],
            ),
            ("", vec![""], vec!["go"]),
        ] {
            let found = language(text);
            for (words, is_inside) in [(inside, true), (outside, false)] {
                for word in words {
                    let letters = word.split_whitespace();
                    let letters: Vec<u32> = letters.map(|n| alphabet.letter(n).unwrap()).collect();
                    assert_eq!(found.accepts(&letters), is_inside, "{text}: {word}");
                }
            }
        }
        let steps = &file.steps[0].1;
        assert!(steps.accepts(&[alphabet.pair(0, 1), alphabet.pair(1, 0)]));
        assert!(steps.accepts(&[alphabet.pair(1, 2)]) && steps.accepts(&[]));
        assert!(!steps.accepts(&[alphabet.pair(1, 2), alphabet.pair(1, 2)]));
    }
}
