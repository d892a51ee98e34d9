//! Letters, and pairs of letters as symbols of automata that accept relations.

/// The number of a letter in its [`Alphabet`]. The number of letters itself is the padding `#`, which fills up the
/// shorter one of two words.
pub type Letter = u32;

/// What labels a transition of an automaton: a letter, or a pair of letters as [`Alphabet::pair`] numbers them.
pub type Symbol = u32;

/// Two words, such as those of a step.
pub type WordPair = (Vec<Letter>, Vec<Letter>);

/// Letters of a family at most: pairs are enumerated.
pub const LETTERS_MAX: usize = 64;

/// The name of the padding.
pub const PADDING: &str = "#";

/// The letters of a family; a configuration of the size n is a word of n of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alphabet {
    names: Vec<String>,
}

impl Alphabet {
    /// The letters with these names, in this order.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// The number of letters, which is also the number of the padding.
    #[must_use]
    pub fn size(&self) -> Letter {
        self.names.len() as Letter
    }

    /// The padding as a letter.
    #[must_use]
    pub fn padding(&self) -> Letter {
        self.size()
    }

    /// All letters, without the padding.
    pub fn letters(&self) -> impl Iterator<Item = Letter> + use<> {
        0..self.size()
    }

    /// The names of the letters.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The letter with this name.
    #[must_use]
    pub fn letter(&self, name: &str) -> Option<Letter> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(at as Letter)
    }

    /// The name of a letter, or `#`.
    #[must_use]
    pub fn name(&self, letter: Letter) -> &str {
        self.names
            .get(letter as usize)
            .map_or(PADDING, String::as_str)
    }

    /// The symbol of a pair; both may be the padding.
    #[must_use]
    pub fn pair(&self, input: Letter, output: Letter) -> Symbol {
        input * (self.size() + 1) + output
    }

    /// The letters of a pair.
    #[must_use]
    pub fn parts(&self, pair: Symbol) -> (Letter, Letter) {
        (pair / (self.size() + 1), pair % (self.size() + 1))
    }

    /// One more than the largest symbol of a pair.
    #[must_use]
    pub fn pairs(&self) -> usize {
        let with_padding = self.names.len() + 1;
        with_padding * with_padding
    }

    /// The pair of paddings, which no relation contains: automata that run on several words at once go on with it.
    #[must_use]
    pub fn both_ended(&self) -> Symbol {
        self.pair(self.padding(), self.padding())
    }

    /// `a/b`
    #[must_use]
    pub fn pair_name(&self, pair: Symbol) -> String {
        let (input, output) = self.parts(pair);
        format!("{}/{}", self.name(input), self.name(output))
    }

    /// A word without padding: `t n n`, or `ε` if it is empty.
    #[must_use]
    pub fn word(&self, word: &[Letter]) -> String {
        let names: Vec<&str> = word.iter().map(|letter| self.name(*letter)).collect();
        match names.is_empty() {
            true => "ε".to_owned(),
            false => names.join(" "),
        }
    }

    /// A word without the padding at its end.
    #[must_use]
    pub fn unpadded(&self, word: impl IntoIterator<Item = Letter>) -> Vec<Letter> {
        let letters = word.into_iter();
        letters.filter(|letter| *letter != self.padding()).collect()
    }

    /// The pairs of two words, the shorter one filled up with padding.
    #[must_use]
    pub fn joined(&self, input: &[Letter], output: &[Letter]) -> Vec<Symbol> {
        let at = |word: &[Letter], n: usize| word.get(n).copied().unwrap_or(self.padding());
        let length = input.len().max(output.len());
        (0..length)
            .map(|n| self.pair(at(input, n), at(output, n)))
            .collect()
    }
}
