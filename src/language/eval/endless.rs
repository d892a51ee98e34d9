//! A report on a recursion that a limit ended: its depth, the pending calls, and the argument that grew.
//!
//! Nothing is recorded while calls are made. An error that ends an evaluation passes through every pending call,
//! which adds its arguments then.

use super::code::UnitId;
use super::frame::{Call, SlotValue};
use super::growth::{Measure, MetValues, measured};
use super::program::Program;
use crate::source::Diagnostic;
use crate::source::thousands::thousands;
use crate::value::ValueStore;

/// Calls of one function that have to wait before anything is said of them.
const DEEP: u64 = 64;
/// Functions that are named.
const NAMED: usize = 3;
/// Tail calls in a row before anything is said of them.
const LONG: u64 = 10_000;

/// The calls that an error has come out of.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingCalls {
    /// Calls within calls where the error came about.
    depth: usize,
    /// Innermost first.
    met: MetValues<UnitId>,
    /// The longest row of tail calls.
    row: Option<TailRow>,
}

/// Calls in a row, each of which is the last thing that the one before does.
#[derive(Clone, Debug)]
struct TailRow {
    unit: UnitId,
    rounds: u64,
    /// Samples of the arguments.
    samples: Vec<RowSample>,
}

/// Arguments of a call in a row, and how many were before it.
type RowSample = (u64, Vec<Option<(Measure, i64)>>);

fn all_measured<'a>(
    store: &'a ValueStore,
    arguments: &'a [SlotValue],
) -> impl Iterator<Item = Option<(Measure, i64)>> + 'a {
    arguments
        .iter()
        .map(|slot| slot.known().and_then(|v| measured(store, v)))
}

impl WaitingCalls {
    /// Forgets everything: another evaluation begins, or what failed was an experiment.
    pub(super) fn clear(&mut self) {
        self.depth = 0;
        self.met.clear();
        self.row = None;
    }

    /// Notes a call that an error comes out of, so many calls deep.
    pub(super) fn note(
        &mut self,
        store: &ValueStore,
        unit: UnitId,
        arguments: &[SlotValue],
        depth: usize,
    ) {
        self.depth = self.depth.max(depth);
        self.met.note(unit, all_measured(store, arguments));
    }

    /// Notes a row of tail calls that an error comes out of, with some calls of it.
    pub(super) fn note_row<'a>(
        &mut self,
        store: &ValueStore,
        rounds: u64,
        marks: impl Iterator<Item = (u64, &'a Call)>,
    ) {
        let is_longest = self.row.as_ref().is_none_or(|row| row.rounds < rounds);
        if rounds < LONG || !is_longest {
            return;
        }
        let marks: Vec<(u64, &Call)> = marks.collect();
        let Some(unit) = marks.last().map(|(_, call)| call.unit) else {
            return;
        };
        let same = marks.into_iter().filter(|(_, call)| call.unit == unit);
        let samples = same.map(|(at, call)| (at, all_measured(store, &call.args).collect()));
        let samples = samples.collect();
        self.row = Some(TailRow {
            unit,
            rounds,
            samples,
        });
    }

    /// Says in notes of the error what was noted.
    pub(super) fn explain(&mut self, program: &Program, error: &mut Diagnostic) {
        self.met.reverse();
        let counts = self.met.counts();
        let waiting = counts
            .iter()
            .filter(|(_, count)| *count >= DEEP)
            .take(NAMED);
        for (unit, count) in waiting {
            let name = &program.unit(*unit).name;
            let parameter = |at: usize| program.parameter(*unit, at);
            let growing = self.met.growing(*unit, name, parameter);
            let growing: String = growing.iter().map(|g| format!("; {}", g.words())).collect();
            let (count, depth) = (thousands(count), thousands(self.depth));
            error.notes.push(format!(
                "{count} calls of `{name}` wait for those that they make, {depth} calls deep{growing}"
            ));
        }
        if let Some(row) = &self.row {
            error.notes.push(row.words(program));
        }
        self.clear();
    }
}

impl TailRow {
    fn words(&self, program: &Program) -> String {
        let name = &program.unit(self.unit).name;
        let rounds = thousands(self.rounds);
        let mut text = format!(
            "{rounds} calls in a row, each the last thing that the one before does, have not ended in `{name}`"
        );
        let first = self
            .samples
            .first()
            .map_or(&[][..], |(_, arguments)| arguments);
        for at in 0..first.len() {
            let of = |(round, all): &RowSample| Some((*round, (*all.get(at)?)?));
            let all: Option<Vec<(u64, (Measure, i64))>> = self.samples.iter().map(of).collect();
            let Some([(early, (measure, before)), (late, (same, now))]) = all.as_deref() else {
                continue;
            };
            if measure != same || before == now {
                continue;
            }
            let parameter = program.parameter(self.unit, at);
            let what = measure.of(&parameter);
            let (before, now) = (thousands(before), thousands(now));
            let (early, late) = (thousands(early), thousands(late));
            text += &format!("; {what} was {before} after {early} of them and {now} after {late}");
        }
        text
    }
}
