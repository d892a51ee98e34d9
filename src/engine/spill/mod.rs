//! Files on disk for searches that outgrow memory.
//!
//! In: keys and records as bytes. Out: the same, from files, or an error that names the file. Nothing here knows what a
//! state is.
//!
//! A [`Space`] is the folder of one search; it counts bytes and says when the disk is full. A [`log::Log`] holds records
//! by number, [`runs::Runs`] hold sorted keys, and a [`filter::Filter`] in memory rules out most keys that no run holds.
//!
//! What a file holds counts once it is committed: `commit` syncs the file and returns a *mark*, and the caller writes
//! all marks into one manifest ([`manifest::write`]). Reopening with a mark restores what the mark stands for, whatever
//! happened after it: longer files are cut, files that no mark names are removed. No file that the manifest on disk may
//! name is removed or overwritten; so what is replaced after a commit stays until `sweep`, which the caller calls once a
//! newer manifest stands.
//!
//! Checksums cover what a block holds, where it stands and of which file it is. So what is damaged, moved or of another file
//! is an error ([`SpillError::Damaged`]), and never a wrong answer.

mod checksum;
mod clear;
mod compressed;
mod error;
mod file;
pub mod filter;
mod hooks;
pub mod log;
mod log_block;
pub mod manifest;
mod run;
mod run_reader;
mod run_writer;
pub mod runs;
pub mod space;

pub use checksum::checksum;
pub use clear::holds_search;
pub use error::SpillError;
pub use space::Space;

#[cfg(test)]
mod tests;
