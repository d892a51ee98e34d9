//! Kinds of diagnostics, by their codes.

use super::Stop;

/// The kind of a diagnostic, to which the program reacts: codes are for people. Each code has one kind ([`kind`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Something is wrong with the script, or may be.
    Fault,
    /// A name is not defined.
    Undefined,
    /// A name is defined already.
    Taken,
    /// Clauses of a function do not stand or fit together.
    Clauses,
    /// A name is that of something built in.
    HidesBuiltin,
    /// A name of a `let` is not used.
    UnusedLocal,
    /// A channel is not used.
    UnusedChannel,
    /// A clause never matches.
    HiddenClause,
    /// An annotation promises more than what it stands at.
    Annotation,
    /// Something wrong that was reported elsewhere is needed.
    Consequence,
    /// A recursion does not come to an event, or to a value.
    Endless,
    /// Calls within calls are too many: perhaps a recursion does not end.
    TooDeep,
    /// An attempt is given up; the caller goes on in another way.
    GivenUp,
    /// Permutations of values, or of components, do not carry over: without them it may go on.
    Asymmetric,
    /// A reduction takes more work than none: without it the check may go on.
    Costly,
    /// The program does not support it.
    Unsupported,
    /// A file, number or argument that was given does not fit.
    Usage,
    /// A saved run does not fit the present script.
    Differs,
    /// A limit or a request came first.
    Stopped(Stop),
    /// A fault of this program.
    Bug,
}

/// The kind of a code: the only place where codes are distinguished. A code that is not listed is a fault of the
/// script.
#[must_use]
pub fn kind(code: &str) -> Kind {
    match code {
        "E0201" => Kind::Undefined,
        "E0202" => Kind::Taken,
        "E0203" | "E0204" => Kind::Clauses,
        "W0101" => Kind::UnusedLocal,
        "W0102" => Kind::HidesBuiltin,
        "W0104" => Kind::UnusedChannel,
        "W0105" => Kind::HiddenClause,
        "E0230" => Kind::Consequence,
        "E0310" => Kind::Annotation,
        "E0411" => Kind::Endless,
        "E0421" => Kind::TooDeep,
        "E0498" => Kind::GivenUp,
        "E0501" | "E0510" | "E0511" | "E0512" | "E0513" => Kind::Asymmetric,
        "E0514" => Kind::Costly,
        "E0601" | "E0604" | "E0605" | "E0606" => Kind::Unsupported,
        "E0701" => Kind::Stopped(Stop::Cancelled),
        "E0702" => Kind::Stopped(Stop::Time),
        "E0703" | "E0707" => Kind::Stopped(Stop::Memory),
        "E0710" => Kind::Stopped(Stop::Disk),
        "E0713" => Kind::Stopped(Stop::Process(0)),
        "E0704" | "E0705" | "E0706" | "E0708" => Kind::Stopped(Stop::States),
        "E0801" | "E0802" | "E0803" | "E0804" | "E0805" | "E0806" | "E0807" | "E0808" | "E0810"
        | "E0811" | "E0709" | "E0711" | "E0712" => Kind::Usage,
        "E0812" => Kind::Differs,
        "E0499" | "E0799" => Kind::Bug,
        // Most codes, and every new one unless it is put above: tests hold this against the pages
        // of the codes.
        _ => Kind::Fault,
    }
}
