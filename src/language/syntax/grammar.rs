//! The pest parser, and the names of its rules in messages.

use pest_derive::Parser;

/// The parser that pest derives from the grammar.
#[derive(Parser)]
#[grammar = "../../grammar/cspm.pest"]
pub(crate) struct Cspm;

/// A node of pest's flat parse tree, by pest's name: the pair of where it begins and where it ends.
pub(crate) type Pair<'a> = pest::iterators::Pair<'a, Rule>;

/// The children that carry meaning: words and punctuation are left out.
pub(crate) fn parts(pair: Pair<'_>) -> impl Iterator<Item = Pair<'_>> {
    pair.into_inner().filter(|p| !is_punctuation(p.as_rule()))
}

/// Whether a node is a bare token.
fn is_punctuation(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::EOI
            | R::end_of_text
            | R::decl_end
            | R::newline
            | R::comma
            | R::equals
            | R::bar
            | R::at
            | R::colon
            | R::from
            | R::link_arrow
            | R::maps_to
            | R::dots
            | R::double_bar
            | R::both
            | R::pat_dot_op
            | R::pat_concat_op
            | R::property_colon
            | R::open_seq
            | R::open_map
            | R::open_link
            | R::open_set
            | R::minus_sign
            | R::bang
    ) || is_word(rule)
        || is_closing(rule)
}

fn is_word(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::kw_if
            | R::kw_then
            | R::kw_else
            | R::kw_let
            | R::kw_within
            | R::kw_channel
            | R::kw_datatype
            | R::kw_subtype
            | R::kw_nametype
            | R::kw_external
            | R::kw_transparent
            | R::kw_assert
            | R::kw_not
            | R::kw_module
            | R::kw_exports
            | R::kw_endmodule
            | R::kw_instance
            | R::kw_timed
            | R::kw_include
            | R::kw_print
    )
}

/// Whether a rule is a closing bracket.
pub(crate) fn is_closing(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::close_paren
            | R::close_set
            | R::close_prods
            | R::close_seq
            | R::close_map
            | R::close_links
            | R::close_rename
            | R::close_alpha
            | R::close_par
            | R::close_except
            | R::close_sync
            | R::close_sync_interrupt
            | R::property_close
    )
}

/// Whether a node is an operand of the flat row that makes an expression.
pub(crate) fn is_operand(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::bool
            | R::path
            | R::int
            | R::map
            | R::paren
            | R::str
            | R::char
            | R::prods
            | R::set
            | R::seq
    )
}

/// Rules that exist twice (inside `<…>` and outside) mean the same: the outside one.
pub(crate) fn plain(rule: Rule) -> Rule {
    use Rule as R;
    match rule {
        // Inside `<…>` a `>` closes, so the rules for expressions there are copies without the
        // comparison `>`. After parsing the difference means nothing.
        R::seq_rep_interleave => R::rep_interleave,
        R::seq_rep_int_choice => R::rep_int_choice,
        R::seq_rep_ext_choice => R::rep_ext_choice,
        R::seq_rep_seq => R::rep_seq,
        R::seq_rep_alpha => R::rep_alpha,
        R::seq_rep_parallel => R::rep_parallel,
        R::seq_rep_sync => R::rep_sync,
        R::seq_rep_link => R::rep_link,
        R::seq_if_then | R::data_if_then => R::if_then,
        R::seq_hide => R::hide,
        R::seq_project => R::project,
        R::seq_input => R::input,
        R::seq_nondet => R::nondet,
        R::seq_output => R::output,
        R::seq_generator => R::generator,
        R::seq_condition => R::condition,
        R::seq_range_end => R::range_end,
        R::seq_stmts => R::stmts,
        R::seq_expr | R::data | R::seq_data => R::expr,
        other => other,
    }
}
