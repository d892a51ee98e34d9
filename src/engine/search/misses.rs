//! States that needed the evaluator, noted in the order in which they were expanded: expanding them again fills the
//! tables as they were.

use std::sync::Arc;

use crate::reductions::sleep::Movers;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::spill::log::{Log, LogMark};
use crate::spill::{Space, SpillError};

/// Bytes of a record. A state takes several, the last of them padded with zeros.
const RECORD: usize = 16;
/// Bytes before the state: its length, the length of its sleep set, and whether it has one.
const HEAD: usize = 7;

const NAME: &str = "misses";

/// The mark of a commit.
pub(super) type MissesMark = LogMark;

/// The noted states.
pub(super) struct Misses {
    log: Log,
    entry: Vec<u8>,
}

impl Misses {
    /// None yet.
    pub(super) fn create(space: &Arc<Space>) -> std::result::Result<Self, SpillError> {
        let mut log = Log::create(space, NAME)?;
        log.begin_stretch(RECORD)?;
        Ok(Self {
            log,
            entry: Vec::new(),
        })
    }

    pub(super) fn reopen(
        space: &Arc<Space>,
        mark: &MissesMark,
    ) -> std::result::Result<Self, SpillError> {
        Ok(Self {
            log: Log::reopen(space, NAME, mark)?,
            entry: Vec::new(),
        })
    }

    pub(super) fn commit(&mut self) -> std::result::Result<MissesMark, SpillError> {
        self.log.commit()
    }

    /// Notes a state with its sleep set, if there are any.
    pub(super) fn note(
        &mut self,
        state: &[u8],
        sleep: Option<&[Movers]>,
    ) -> std::result::Result<(), SpillError> {
        let entry = &mut self.entry;
        entry.clear();
        entry.extend_from_slice(&(state.len() as u32).to_le_bytes());
        let movers = sleep.unwrap_or(&[]);
        entry.extend_from_slice(&(movers.len() as u16).to_le_bytes());
        entry.push(u8::from(sleep.is_some()));
        debug_assert_eq!(entry.len(), HEAD);
        entry.extend_from_slice(state);
        for one in movers {
            entry.extend_from_slice(&one.to_bytes());
        }
        entry.resize(entry.len().next_multiple_of(RECORD), 0);
        entry
            .chunks_exact(RECORD)
            .try_for_each(|record| self.log.push(record))
    }

    /// Calls a function for each noted state, in order.
    pub(super) fn replay(
        &mut self,
        mut each: impl FnMut(&[u8], Option<&[Movers]>) -> Result<()>,
    ) -> Result<()> {
        let failed = |error: SpillError| Diagnostic::nowhere("E0711", error.to_string());
        let (mut reader, mut entry) = (self.log.reader(0), Vec::new());
        let mut sleep = Vec::new();
        while let Some(record) = reader.next(&self.log).map_err(failed)? {
            entry.extend_from_slice(record);
            let Some((head, rest)) = entry.split_first_chunk::<HEAD>() else {
                continue;
            };
            let [a, b, c, d, e, f, has_sleep] = *head;
            let state = u32::from_le_bytes([a, b, c, d]) as usize;
            let movers = usize::from(u16::from_le_bytes([e, f]));
            let Some((state, after)) = rest.split_at_checked(state) else {
                continue;
            };
            if after.len() < movers * 2 {
                continue;
            }
            sleep.clear();
            let pairs = after.as_chunks::<2>().0.iter().take(movers);
            sleep.extend(pairs.map(|bytes| Movers::from_bytes(*bytes)));
            each(state, (has_sleep == 1).then_some(&sleep[..]))?;
            entry.clear();
        }
        Ok(())
    }
}
