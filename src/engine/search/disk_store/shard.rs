//! One shard of a store on disk.

use std::sync::Arc;

use super::marks::ShardMark;
use crate::machine::pack::state_hash;
use crate::search::index_table::table_order;
use crate::search::store::records::Records;
use crate::search::store::{RecordLayout, StoredId};
use crate::search::storing::Receiving;
use crate::spill::filter::Filter;
use crate::spill::log::{Log, LogReader};
use crate::spill::runs::Runs;
use crate::spill::{Space, SpillError};

/// Bytes of a parent in a record.
const PARENT: usize = 4;

/// The place of a key in runs: that of its hash in tables, so that what they hold is sorted nearly.
pub(super) fn run_order(key: &[u8]) -> u64 {
    table_order(state_hash(key))
}

/// What is known of a key in the table of a shard; one byte after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum KeyStatus {
    /// It is stored, but in no run yet.
    Fresh,
    /// It was met since the last settling, and may be in a run.
    Doubtful,
    /// It is in a run.
    InRuns,
}

/// The states of one shard: all of them in a log by index, their keys in sorted runs, and those met lately in a table.
pub(super) struct DiskShard {
    layout: RecordLayout,
    /// Records of all settled states: key, pair, parent.
    log: Log,
    /// The layouts of its records, each from some index on.
    layouts: Vec<(usize, RecordLayout)>,
    /// Keys met lately, each with its [`KeyStatus`]. A stored key is here or in a run.
    table: Records,
    /// Over all keys in runs; made with the first of them.
    filter: Option<Filter>,
    /// Bytes of the filter.
    filter_bytes: usize,
    /// Records of the states met since the last settling, in order; some of them are stored already.
    pending: Vec<u8>,
    /// The numbers of those that may be, in order.
    doubtful: Vec<u32>,
    /// The first states of the log: their keys are in runs.
    in_runs: usize,
    reader: LogReader,
    /// The index that the reader reads next.
    reads: usize,
}

impl DiskShard {
    /// An empty shard whose files have this number.
    pub(super) fn create(
        space: &Arc<Space>,
        number: usize,
        layout: RecordLayout,
        filter: usize,
    ) -> Result<Self, SpillError> {
        let mut log = Log::create(space, &log_name(number))?;
        log.begin_stretch(record_bytes(layout))?;
        Ok(Self::with(log, vec![(0, layout)], filter))
    }

    fn with(log: Log, layouts: Vec<(usize, RecordLayout)>, filter: usize) -> Self {
        let layout = layouts
            .last()
            .map_or_else(RecordLayout::default, |last| last.1);
        let reader = log.reader(0);
        Self {
            layout,
            log,
            layouts,
            table: Records::new(layout.key, 1),
            filter: None,
            filter_bytes: filter,
            pending: Vec::new(),
            doubtful: Vec::new(),
            in_runs: 0,
            reader,
            reads: 0,
        }
    }

    /// The shard of a commit; `filter` is the bytes of its filter.
    pub(super) fn reopen(
        space: &Arc<Space>,
        number: usize,
        mark: &ShardMark,
        (runs, filter): (&Runs, usize),
    ) -> Result<Self, SpillError> {
        let log = Log::reopen(space, &log_name(number), &mark.log)?;
        let mut shard = Self::with(log, mark.layouts.clone(), filter);
        runs.each(number, &mut |key| shard.add_to_filter(key))?;
        shard.in_runs = mark.in_runs;
        shard.fill_table()?;
        Ok(shard)
    }

    /// Fills the table with the keys that are in no run.
    pub(super) fn fill_table(&mut self) -> Result<(), SpillError> {
        let mut table = Records::new(self.layout.key, 1);
        self.each_record(self.in_runs, &mut |_, record| {
            let fresh = |bytes: &mut Vec<u8>| bytes.push(KeyStatus::Fresh as u8);
            let key = record.key();
            table.insert(state_hash(key), key, fresh);
            true
        })?;
        self.table = table;
        Ok(())
    }

    /// Makes the files hold all states. Nothing may be waiting.
    pub(super) fn commit(&mut self) -> Result<ShardMark, SpillError> {
        debug_assert!(self.pending.is_empty());
        Ok(ShardMark {
            log: self.log.commit()?,
            layouts: self.layouts.clone(),
            in_runs: self.in_runs,
        })
    }

    /// The present layout of its records.
    pub(super) fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// Writes a state that is stored nowhere yet into the log, not into the table.
    pub(super) fn write(
        &mut self,
        key: &[u8],
        pair: &[u8],
        parent: StoredId,
    ) -> Result<(), SpillError> {
        self.pending.clear();
        write_record(&mut self.pending, self.layout, (key, pair), parent);
        self.log.push(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// Number of settled states.
    pub(super) fn len(&self) -> usize {
        self.log.len()
    }

    /// Number of states met since the last settling, and of those among them that may be stored already.
    pub(super) fn waiting(&self) -> (usize, usize) {
        let pending = self.pending.len() / record_bytes(self.layout);
        (pending, self.doubtful.len())
    }

    /// Bytes of what waits for the next settling.
    pub(super) fn pending_bytes(&self) -> usize {
        self.pending.len() + self.doubtful.len() * size_of::<u32>()
    }

    /// Bytes of the keys in its table.
    pub(super) fn table_bytes(&self) -> usize {
        self.table.filled_bytes()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let pending = self.pending.capacity() + self.doubtful.capacity() * size_of::<u32>();
        self.table.heap_bytes()
            + self.filter.as_ref().map_or(0, Filter::heap_bytes)
            + pending
            + self.log.heap_bytes()
            + self.reader.heap_bytes()
    }

    /// Looks the doubtful keys up in the runs, and stores the states that are new. Returns the numbers of the others
    /// among those met since the last time, in order.
    pub(super) fn settle(&mut self, number: usize, runs: &Runs) -> Result<Vec<u32>, SpillError> {
        let (width, key) = (record_bytes(self.layout), self.layout.key);
        let key_of = |n: u32| n as usize * width..n as usize * width + key;
        let mut dropped = Vec::new();
        if !self.doubtful.is_empty() {
            let mut sorted = self.doubtful.clone();
            let pending = &self.pending;
            sorted.sort_unstable_by_key(|n| {
                let key = &pending[key_of(*n)];
                (run_order(key), key)
            });
            let mut keys = Vec::with_capacity(sorted.len() * key);
            for n in &sorted {
                keys.extend_from_slice(&pending[key_of(*n)]);
            }
            runs.find(number, key, &keys, &mut |place| dropped.push(sorted[place]))?;
            dropped.sort_unstable();
            for n in &self.doubtful {
                let key = &self.pending[key_of(*n)];
                let status = match dropped.binary_search(n) {
                    Ok(_) => KeyStatus::InRuns,
                    Err(_) => KeyStatus::Fresh,
                };
                let index = self.table.find(state_hash(key), key);
                debug_assert!(index.is_some(), "what waits is in the table");
                if let Some(index) = index {
                    self.table.value_mut(index)[0] = status as u8;
                }
            }
            self.doubtful.clear();
        }
        let mut known = dropped.iter().peekable();
        for (n, record) in (0..).zip(self.pending.chunks_exact(width)) {
            if known.next_if(|known| **known == n).is_none() {
                self.log.push(record)?;
            }
        }
        self.pending.clear();
        Ok(dropped)
    }

    /// The keys that are stored but in no run, sorted as runs are and joined. Nothing may be waiting.
    pub(super) fn fresh_keys(&self) -> Vec<u8> {
        debug_assert!(self.pending.is_empty());
        let is_fresh = |index: usize| self.table.value(index)[0] == KeyStatus::Fresh as u8;
        let fresh = (0..self.table.len()).filter(|index| is_fresh(*index));
        let bytes = fresh.count() * self.layout.key;
        let mut keys = Vec::with_capacity(bytes);
        self.table.each_in_order(|index| {
            if is_fresh(index) {
                keys.extend_from_slice(self.table.key(index));
            }
        });
        debug_assert_eq!(keys.len(), bytes, "each key comes once");
        keys
    }

    fn add_to_filter(&mut self, key: &[u8]) {
        let make = || Filter::new(self.filter_bytes);
        self.filter.get_or_insert_with(make).add(state_hash(key));
    }

    /// Gives back half of the filter.
    pub(super) fn halve_filter(&mut self) {
        self.filter_bytes /= 2;
        if let Some(filter) = &mut self.filter {
            filter.halve();
        }
    }

    /// Empties the table, whose fresh keys were written to a run.
    pub(super) fn empty(&mut self) {
        for index in 0..self.table.len() {
            if self.table.value(index)[0] == KeyStatus::Fresh as u8 {
                let hash = state_hash(self.table.key(index));
                let make = || Filter::new(self.filter_bytes);
                self.filter.get_or_insert_with(make).add(hash);
            }
        }
        self.table.clear();
        self.in_runs = self.log.len();
    }

    /// Gives back the memory of a table that is empty, and of what waited.
    pub(super) fn give_back(&mut self) {
        debug_assert!(self.pending.is_empty() && self.table.len() == 0);
        self.table = Records::new(self.layout.key, 1);
        self.pending = Vec::new();
        self.doubtful = Vec::new();
    }

    /// Makes room for longer states. Nothing may be waiting.
    pub(super) fn set_layout(&mut self, layout: RecordLayout) -> Result<(), SpillError> {
        debug_assert!(self.pending.is_empty());
        self.log.begin_stretch(record_bytes(layout))?;
        self.layouts.push((self.log.len(), layout));
        let status = |value: &[u8], bytes: &mut Vec<u8>| bytes.extend_from_slice(value);
        self.table.lengthen(layout.key, 1, status);
        self.layout = layout;
        Ok(())
    }

    /// Appends the bytes of a settled state to a list, padded. States of rising indices are read one after the other.
    pub(super) fn read_next(&mut self, index: usize, into: &mut Vec<u8>) -> Result<(), SpillError> {
        if self.reads != index {
            self.reader = self.log.reader(index);
        }
        self.reads = index + 1;
        let layout = layout_of(&self.layouts, index);
        let Some(bytes) = self.reader.next(&self.log)? else {
            debug_assert!(false, "a state that was not settled");
            return Ok(());
        };
        DiskRecord { bytes, layout }.append_state(self.layout, into);
        Ok(())
    }

    /// Leaves the bytes of a settled state in a list, padded. Returns its parent.
    pub(super) fn read(&self, index: usize, into: &mut Vec<u8>) -> Result<StoredId, SpillError> {
        self.read_with(index, into, |record, now, into| {
            record.append_state(now, into);
        })
    }

    /// Leaves key and pair of a settled state in a list, both padded. Returns its parent.
    pub(super) fn read_record(
        &self,
        index: usize,
        into: &mut Vec<u8>,
    ) -> Result<StoredId, SpillError> {
        self.read_with(index, into, |record, now, into| {
            record.append_both(now, into);
        })
    }

    fn read_with(
        &self,
        index: usize,
        into: &mut Vec<u8>,
        append: impl Fn(DiskRecord<'_>, RecordLayout, &mut Vec<u8>),
    ) -> Result<StoredId, SpillError> {
        let mut bytes = Vec::new();
        self.log.read(index, &mut bytes)?;
        let layout = layout_of(&self.layouts, index);
        let record = DiskRecord {
            bytes: &bytes,
            layout,
        };
        into.clear();
        append(record, self.layout, into);
        Ok(record.parent())
    }

    /// Calls `each` with the records of the settled states from this index on, until it returns false.
    pub(super) fn each_record(
        &self,
        from: usize,
        each: &mut impl FnMut(usize, DiskRecord<'_>) -> bool,
    ) -> Result<(), SpillError> {
        let mut reader = self.log.reader(from);
        for index in from..self.log.len() {
            let layout = layout_of(&self.layouts, index);
            let Some(bytes) = reader.next(&self.log)? else {
                break;
            };
            if !each(index, DiskRecord { bytes, layout }) {
                break;
            }
        }
        Ok(())
    }

    /// Gives back the memory of table and filter. Nothing can be stored after that.
    pub(super) fn forget_table(&mut self) {
        self.table = Records::default();
        self.filter = None;
        self.pending = Vec::new();
        self.doubtful = Vec::new();
    }
}

impl Receiving for DiskShard {
    #[inline]
    fn fetch_slot(&self, hash: u64) {
        self.table.fetch_slot(hash);
    }

    #[inline]
    fn fetch_record(&self, hash: u64) {
        if !self.table.fetch_record(hash)
            && let Some(filter) = &self.filter
        {
            filter.fetch(hash);
        }
    }

    fn met(&self) -> usize {
        self.len() + self.waiting().0
    }

    /// As [`Receiving::receive`]; the index is that of the state if no other one that waits turns out to be stored.
    #[inline]
    fn receive(&mut self, hash: u64, key: &[u8], pair: &[u8], parent: StoredId) -> Option<usize> {
        let Self { table, filter, .. } = self;
        let mut status = KeyStatus::Fresh;
        let is_new = table.insert(hash, key, |bytes| {
            if filter.as_ref().is_some_and(|filter| filter.may_hold(hash)) {
                status = KeyStatus::Doubtful;
            }
            bytes.push(status as u8);
        });
        if !is_new {
            return None;
        }
        let width = record_bytes(self.layout);
        let number = self.pending.len() / width;
        if self.pending.len() + width > self.pending.capacity() {
            // Not doubled: the largest part of what waits is here.
            self.pending
                .reserve_exact(width.max(self.pending.len() / 4));
        }
        write_record(&mut self.pending, self.layout, (key, pair), parent);
        if status == KeyStatus::Doubtful {
            self.doubtful.push(number as u32);
        }
        Some(self.log.len() + number)
    }
}

fn log_name(shard: usize) -> String {
    format!("log-{shard:02}")
}

/// Bytes of a record of this layout.
fn record_bytes(layout: RecordLayout) -> usize {
    layout.key + layout.pair + PARENT
}

fn layout_of(layouts: &[(usize, RecordLayout)], index: usize) -> RecordLayout {
    let after = layouts.partition_point(|(from, _)| *from <= index);
    after
        .checked_sub(1)
        .map_or_else(RecordLayout::default, |at| layouts[at].1)
}

/// Appends a record, its parts padded with zeros.
fn write_record(
    out: &mut Vec<u8>,
    layout: RecordLayout,
    (key, pair): (&[u8], &[u8]),
    parent: StoredId,
) {
    append_padded(key, layout.key, out);
    append_padded(pair, layout.pair, out);
    out.extend_from_slice(&parent.0.to_le_bytes());
}

/// A record of a log: key, pair, parent.
#[derive(Clone, Copy)]
pub(super) struct DiskRecord<'r> {
    bytes: &'r [u8],
    layout: RecordLayout,
}

impl<'r> DiskRecord<'r> {
    /// The key, padded as it was when it was stored.
    pub(super) fn key(self) -> &'r [u8] {
        &self.bytes[..self.layout.key]
    }

    fn pair(self) -> &'r [u8] {
        &self.bytes[self.layout.key..self.layout.key + self.layout.pair]
    }

    /// The state from which it was first reached.
    pub(super) fn parent(self) -> StoredId {
        let end = self.bytes.last_chunk().copied().unwrap_or_default();
        StoredId(u32::from_le_bytes(end))
    }

    /// Appends the state, padded as in the present layout.
    pub(super) fn append_state(self, now: RecordLayout, into: &mut Vec<u8>) {
        match now.pair {
            0 => append_padded(self.key(), now.key, into),
            pair => append_padded(self.pair(), pair, into),
        }
    }

    /// Appends key and pair, padded as in the present layout.
    fn append_both(self, now: RecordLayout, into: &mut Vec<u8>) {
        append_padded(self.key(), now.key, into);
        append_padded(self.pair(), now.pair, into);
    }
}

fn append_padded(bytes: &[u8], length: usize, into: &mut Vec<u8>) {
    let end = into.len() + length;
    into.extend_from_slice(bytes);
    into.resize(end, 0);
}
