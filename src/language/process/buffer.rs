//! `BUFFER(n, pairs)`: a queue of at most `n` messages.

use super::rule_context::RuleContext;
use super::term::{Label, Steps, Term, TermData};
use crate::source::diagnostic::Result;
use crate::value::{Data, Value, ValueError, ValueResult};

/// A pair `(in, out)` says that the message that came in by `in` goes out by `out`. A buffer that
/// is full takes nothing in (libcspm's `BufferStandard`; `BUFF^N` of Roscoe, *Understanding
/// Concurrent Systems*, Sec. 5.1).
pub(super) fn buffer(t: Term, rule: Value, held: Value, s: &mut RuleContext<'_>) -> Result<Steps> {
    let (capacity, pairs, content) = match parts(rule, held, s) {
        Ok(parts) => parts,
        Err(error) => return Err(s.complain(&error, t)),
    };
    let mut steps = Vec::new();
    if content.len() < capacity {
        // What comes in is kept as what will go out: the input is of no further use.
        for (input, output) in s.pairs_of(t, pairs)? {
            let mut longer = content.clone();
            longer.push(output);
            steps.push((Label::Event(input), holding(rule, longer, s)));
        }
    }
    // Full or not, the oldest message may always go.
    if let Some((next, rest)) = content.split_first() {
        steps.push((Label::Event(*next), holding(rule, rest.to_vec(), s)));
    }
    Ok(steps)
}

/// Capacity, pairs, and what is held.
fn parts(
    rule: Value,
    held: Value,
    s: &mut RuleContext<'_>,
) -> ValueResult<(usize, Value, Vec<Value>)> {
    let store = s.stores().1;
    let content = store.as_seq(held)?.to_vec();
    if let Data::Tuple(parts) = store.data(rule)
        && let [capacity, pairs] = **parts
        && let Data::Int(n) = store.data(capacity)
    {
        return Ok((usize::try_from(*n).unwrap_or(0), pairs, content));
    }
    Err(ValueError::Expected("a capacity and pairs of events", rule))
}

fn holding(rule: Value, content: Vec<Value>, s: &mut RuleContext<'_>) -> Term {
    let held = s.stores().1.seq(content);
    s.make(TermData::Buffer { rule, held })
}
