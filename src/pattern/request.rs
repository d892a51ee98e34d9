//! What a file asks of a synthesis.

use crate::alphabet::{Alphabet, Letter, Symbol};
use crate::expression::{letter, word};
use crate::source::{Diagnostic, Span};
use crate::tokens::{PatternToken, TokenReader, TokenResult, unknown};

/// States of a transducer that is looked for, at most.
pub const STATES_MAX: usize = 64;
/// Length of words of which a generator is told, at most.
const GENERATOR_LENGTH_MAX: usize = 16;
/// Words that a generator is about, at most.
const WORDS_MAX: usize = 20_000;

/// What a synthesis is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SynthesisRequest {
    /// The least and the largest number of states.
    pub states: Option<(usize, usize)>,
    /// Letters that occur boundedly often in outputs.
    pub bounded: Vec<Letter>,
    /// Pairs that occur on no transition.
    pub impossible: Vec<Symbol>,
    /// Words with what they have to be mapped to.
    pub instances: Vec<(Vec<Letter>, Vec<Letter>)>,
    /// Permutations of positions, which count from 0, by where each letter goes: what all configurations of this
    /// length have to be mapped by.
    pub generators: Vec<Vec<usize>>,
    /// The conditions that are switched off.
    pub off: Vec<SwitchedOff>,
}

/// A condition of the synthesis that a file may switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchedOff {
    /// (C11): outputs are permutations of inputs.
    Parikh,
    /// (C10): between two states no output has two inputs.
    Permutative,
    /// No two configurations have one image.
    Injective,
    /// Every configuration is an image.
    Onto,
}

impl SwitchedOff {
    const NAMES: [(&str, Self); 4] = [
        ("parikh", Self::Parikh),
        ("permutative", Self::Permutative),
        ("injectiveoutput", Self::Injective),
        ("outputUniversal", Self::Onto),
    ];
}

/// Reads the statements of a request.
pub(crate) struct RequestReader<'r, 't> {
    pub(crate) reader: &'r mut TokenReader<'t>,
    pub(crate) alphabet: &'r Alphabet,
    pub(crate) request: &'r mut SynthesisRequest,
}

impl RequestReader<'_, '_> {
    /// Reads what follows a keyword, without the `;`. Returns whether the keyword is known.
    pub(crate) fn statement(&mut self, keyword: PatternToken<'_>) -> TokenResult<bool> {
        match keyword.text {
            "statesGuessing" => self.states()?,
            "forcedSymmetryGenerators" => self.listed(Self::generator)?,
            "forcedSymmetryInstances" => self.listed(Self::instance)?,
            "outputBoundedLetters" => self.listed(Self::bounded)?,
            "impossible" => {
                let pairs = self.reader.name("`pairs`")?;
                if pairs.text != "pairs" {
                    return Err(unknown(pairs, &["pairs"]));
                }
                self.listed(Self::impossible_pair)?;
            }
            "off" => self.listed(Self::switched_off)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn bounded(&mut self) -> TokenResult<()> {
        let name = self.reader.name("a letter")?;
        self.request
            .bounded
            .push(letter(self.alphabet, name, false)?);
        Ok(())
    }

    /// `: item, item, …`
    fn listed(&mut self, item: fn(&mut Self) -> TokenResult<()>) -> TokenResult<()> {
        self.reader.require(':')?;
        loop {
            item(self)?;
            if !self.reader.take_sign(',') {
                return Ok(());
            }
        }
    }

    fn number(&mut self, what: &str, most: usize) -> TokenResult<(usize, Span)> {
        let token = self.reader.name(what)?;
        match token.text.parse::<usize>() {
            Ok(number) if number <= most => Ok((number, token.span)),
            Ok(_) => {
                let message = format!("{what} is too large");
                let diagnostic = Diagnostic::error("E0903", token.span, message);
                Err(Box::new(diagnostic.label(format!("at most {most}"))))
            }
            Err(_) => {
                let message = format!("expected {what}, found `{}`", token.text);
                Err(Box::new(Diagnostic::error("E0901", token.span, message)))
            }
        }
    }

    fn states(&mut self) -> TokenResult<()> {
        self.reader.require(':')?;
        let (least, place) = self.number("a number of states", STATES_MAX)?;
        self.reader.require('.')?;
        self.reader.require('.')?;
        let (most, _) = self.number("a number of states", STATES_MAX)?;
        if least == 0 || least > most {
            let message = "no number of states is in this range";
            return Err(Box::new(Diagnostic::error("E0903", place, message)));
        }
        self.request.states = Some((least, most));
        Ok(())
    }

    /// `(4, (1 2 3))`: the length, and cycles of positions from 0.
    fn generator(&mut self) -> TokenResult<()> {
        self.reader.require('(')?;
        let (length, place) = self.number("a length", GENERATOR_LENGTH_MAX)?;
        if (self.alphabet.size() as usize)
            .checked_pow(length as u32)
            .is_none_or(|n| n > WORDS_MAX)
        {
            let message = "there are too many words of this length";
            let diagnostic = Diagnostic::error("E0903", place, message);
            return Err(Box::new(diagnostic.label(format!("at most {WORDS_MAX}"))));
        }
        self.reader.require(',')?;
        let mut to: Vec<usize> = (0..length).collect();
        let mut moved = vec![false; length];
        while self.reader.is_at('(') {
            self.reader.take();
            let mut cycle = Vec::new();
            while !self.reader.take_sign(')') {
                let most = length.saturating_sub(1);
                let (position, place) = self.number("a position", most)?;
                if length == 0 || std::mem::replace(&mut moved[position], true) {
                    let message = format!("position {position} occurs twice");
                    return Err(Box::new(Diagnostic::error("E0903", place, message)));
                }
                cycle.push(position);
            }
            for (at, position) in cycle.iter().enumerate() {
                to[*position] = cycle[(at + 1) % cycle.len()];
            }
        }
        self.reader.require(')')?;
        self.request.generators.push(to);
        Ok(())
    }

    /// `(0 0 2 2, 1 1 2 2)`
    fn instance(&mut self) -> TokenResult<()> {
        let open = self.reader.require('(')?;
        let mut words = [Vec::new(), Vec::new()];
        for (at, letters) in words.iter_mut().enumerate() {
            let end = if at == 0 { ',' } else { ')' };
            while !self.reader.take_sign(end) {
                let name = self.reader.name(&format!("a letter or `{end}`"))?;
                letters.extend(word(self.alphabet, name)?);
            }
        }
        let [input, output] = words;
        if input.len() != output.len() {
            let message = "these words have different lengths";
            let diagnostic = Diagnostic::error("E0903", open.span, message);
            let note = "transducers that are looked for keep lengths (C9)";
            return Err(Box::new(diagnostic.note(note)));
        }
        self.request.instances.push((input, output));
        Ok(())
    }

    fn impossible_pair(&mut self) -> TokenResult<()> {
        self.reader.require('(')?;
        let input = self.reader.name("a letter")?;
        let input = letter(self.alphabet, input, false)?;
        self.reader.require(',')?;
        let output = self.reader.name("a letter")?;
        let output = letter(self.alphabet, output, false)?;
        self.reader.require(')')?;
        let pair = self.alphabet.pair(input, output);
        self.request.impossible.push(pair);
        Ok(())
    }

    fn switched_off(&mut self) -> TokenResult<()> {
        let name = self.reader.name("a condition")?;
        let mut known = SwitchedOff::NAMES.iter();
        let known = known.find(|known| known.0.eq_ignore_ascii_case(name.text));
        match known {
            Some((_, condition)) => {
                self.request.off.push(*condition);
                Ok(())
            }
            None => Err(unknown(name, &SwitchedOff::NAMES.map(|known| known.0))),
        }
    }
}
