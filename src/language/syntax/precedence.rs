//! The precedence table: the only place that knows which operator binds how tightly.

use std::sync::LazyLock;

use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::grammar::Rule;

/// The table, loosest first.
///
/// A prefix operator stands on a level of its own, just above the level whose infixes must not be
/// swallowed by its operand: `-x + y` is `(-x) + y`, and the body of `|| x:S @ [A] P` stops at any
/// operator that is not tighter than the bracketed parallels. Where the language says
/// "non-associative" the table says left, and lowering refuses the combination.
pub(crate) static TABLE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    use Rule as R;
    let left = |rule| Op::infix(rule, Assoc::Left);
    let right = |rule| Op::infix(rule, Assoc::Right);
    PrattParser::new()
        // Loosest, so that everything to the right goes into the body: after `else Q [] R` the
        // whole `Q [] R` is the alternative.
        .op(open_prefixes())
        .op(Op::postfix(R::hide)
            | Op::postfix(R::seq_hide)
            | Op::postfix(R::project)
            | Op::postfix(R::seq_project))
        // The hiding above is looser than all operators between processes: `P ||| Q \ A` hides in
        // both.
        .op(left(R::interleave))
        .op(left(R::parallel) | left(R::link_or_alpha))
        .op(Op::prefix(R::rep_alpha) | Op::prefix(R::seq_rep_alpha))
        .op(left(R::int_choice))
        .op(left(R::ext_choice) | left(R::sync_choice))
        .op(left(R::interrupt) | left(R::sync_interrupt))
        .op(left(R::sliding))
        .op(left(R::seq_comp))
        .op(right(R::arrow) | right(R::guard))
        // Between `->` and `.`: fields are bound before the arrow takes them, and their channel may
        // be dotted.
        .op(fields())
        // Looser than all operators on data: `c.x+1` is `c.(x+1)`. The language wants it so.
        .op(right(R::dot))
        .op(left(R::or))
        .op(left(R::and))
        .op(Op::prefix(R::not))
        .op(left(R::eq) | left(R::ne) | left(R::lt) | left(R::gt) | left(R::le) | left(R::ge))
        .op(left(R::plus) | left(R::minus))
        .op(Op::prefix(R::negate))
        .op(left(R::times) | left(R::divide) | left(R::modulo))
        .op(Op::prefix(R::length))
        .op(left(R::concat))
        .op(Op::postfix(R::apply) | Op::postfix(R::rename))
});

/// Prefixes whose operand extends as far to the right as it can.
fn open_prefixes() -> Op<Rule> {
    use Rule as R;
    [
        R::data_if_then,
        R::seq_if_then,
        R::let_within,
        R::lambda,
        R::rep_interleave,
        R::rep_int_choice,
        R::rep_ext_choice,
        R::rep_seq,
        R::rep_parallel,
        R::rep_sync,
        R::rep_link,
        R::seq_rep_interleave,
        R::seq_rep_int_choice,
        R::seq_rep_ext_choice,
        R::seq_rep_seq,
        R::seq_rep_parallel,
        R::seq_rep_sync,
        R::seq_rep_link,
    ]
    .into_iter()
    .fold(Op::prefix(R::if_then), |ops, rule| ops | Op::prefix(rule))
}

/// The fields of a prefix, with their patterns, values and sets inside them.
fn fields() -> Op<Rule> {
    use Rule as R;
    [
        R::nondet,
        R::output,
        R::seq_input,
        R::seq_nondet,
        R::seq_output,
    ]
    .into_iter()
    .fold(Op::postfix(R::input), |ops, rule| ops | Op::postfix(rule))
}
