//! Words and lines that mean something before a text is parsed, and the codes of this folder.

/// All codes of this folder. They are stable: a code is never given to another kind of error.
pub(crate) mod code {
    /// Something else was expected.
    pub(crate) const SYNTAX: &str = "E0101";
    /// A block comment without end.
    pub(crate) const OPEN_COMMENT: &str = "E0102";
    /// A bracket without end.
    pub(crate) const OPEN_BRACKET: &str = "E0103";
    /// A string without end.
    pub(crate) const OPEN_STRING: &str = "E0104";
    /// Operators that do not chain.
    pub(crate) const CHAIN: &str = "E0105";
    /// A number that does not fit.
    pub(crate) const NUMBER: &str = "E0106";
    /// A communication field without an arrow.
    pub(crate) const FIELD: &str = "E0107";
    /// A declaration where it is not allowed.
    pub(crate) const MISPLACED: &str = "E0108";
    /// A pattern that cannot be.
    pub(crate) const PATTERN: &str = "E0109";
    /// A wrong part of an assertion.
    pub(crate) const ASSERTION: &str = "E0110";
    /// Too much nesting.
    pub(crate) const TOO_DEEP: &str = "E0111";
    /// `f::T`.
    pub(crate) const GLUED: &str = "E0112";
    /// A type that cannot be.
    pub(crate) const TYPE: &str = "E0113";

    /// `=` where something is compared.
    pub(crate) const COMPARE: &str = "E0120";
    /// `||` without alphabets.
    pub(crate) const ALPHABETS: &str = "E0121";
    /// A comparison that closes a sequence.
    pub(crate) const CLOSES: &str = "E0122";
    /// `(|` without a blank.
    pub(crate) const MAP: &str = "E0123";
    /// A comment of another language, or one by accident.
    pub(crate) const COMMENT: &str = "E0124";
    /// A reserved word as a name.
    pub(crate) const RESERVED: &str = "E0125";
    /// A symbol of another language or of a paper.
    pub(crate) const FOREIGN: &str = "E0126";
    /// `;` at the end of a declaration.
    pub(crate) const SEPARATOR: &str = "E0127";
    /// A definition without its `=`.
    pub(crate) const DEFINES: &str = "E0128";
    /// Constructors or fields in a wrong form.
    pub(crate) const CONSTRUCTORS: &str = "E0129";
    /// An arrow that points the wrong way.
    pub(crate) const ARROW: &str = "E0130";
    /// A name that is none.
    pub(crate) const NAME: &str = "E0131";
    /// A pattern in the place of a value, or a value in the place of a pattern.
    pub(crate) const MISUSED: &str = "E0132";

    /// A file that is not there or may not be read.
    pub(crate) const UNREADABLE: &str = "E0801";
    /// A directory in place of a file.
    pub(crate) const DIRECTORY: &str = "E0802";
    /// A NUL byte.
    pub(crate) const NUL: &str = "E0803";
    /// Rich text.
    pub(crate) const RTF: &str = "E0804";
    /// Too many bytes.
    pub(crate) const TOO_LARGE: &str = "E0805";
    /// An include that leads back to itself.
    pub(crate) const CYCLE: &str = "E0806";
    /// Too many includes.
    pub(crate) const INCLUDES: &str = "E0807";
    /// Not UTF-8 (a warning).
    pub(crate) const NOT_UTF8: &str = "E0808";
}

/// Words that no name may be.
pub const KEYWORDS: [&str; 24] = [
    "and",
    "assert",
    "channel",
    "datatype",
    "else",
    "endmodule",
    "exports",
    "external",
    "false",
    "if",
    "include",
    "instance",
    "let",
    "module",
    "nametype",
    "not",
    "or",
    "print",
    "subtype",
    "then",
    "Timed",
    "transparent",
    "true",
    "within",
];

/// Whether a word cannot be a name.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether the first line of `rest` begins a declaration in its first column.
pub(crate) fn looks_like_declaration(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    let word_len = line
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\''))
        .count();
    let (word, after) = line.split_at(word_len);
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let declares = matches!(
        word,
        "channel"
            | "datatype"
            | "subtype"
            | "nametype"
            | "assert"
            | "external"
            | "transparent"
            | "module"
            | "instance"
            | "Timed"
            | "include"
            | "print"
    );
    let after = after.trim_start();
    declares
        || !is_keyword(word)
            // `::` begins an annotation. `:=` and `==` are slips for `=`, which mean a definition
            // as well.
            && (after.starts_with("::")
                || after.starts_with(":=")
                || after.starts_with("==")
                // `f = …`, or `f(x) = …` with the `=` anywhere on the line.
                || defines(after) == Some(0)
                || after.starts_with('(') && defines(after).is_some())
}

/// The offset of the first `=` that is not part of another operator.
pub(crate) fn defines(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    (0..bytes.len()).find(|i| {
        // The letters are the ends of `[T=`, `[F=` and `[FD=`.
        let before = i.checked_sub(1).map(|b| bytes[b]);
        let after = bytes.get(i + 1).copied();
        bytes[*i] == b'='
            && !matches!(before, Some(b'=' | b'<' | b'>' | b'!' | b'T' | b'F' | b'D'))
            && !matches!(after, Some(b'=' | b'>'))
    })
}
