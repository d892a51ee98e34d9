//! The processes that share a search with this one: those that it has started end with it, and one that is lost is noted.

use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::source::Cancel;
use orbitscope_engine::mesh::{LinkEnd, OnEnd};

/// Time for the others to come.
pub const MEETING: Duration = Duration::from_secs(30);
/// Time that a worker has to remove its files.
const FINISHING: Duration = Duration::from_secs(5);
/// Time between two looks at another process.
const MOMENT: Duration = Duration::from_millis(20);
/// Time that a process has to end once another one is lost.
pub const ENDING: Duration = Duration::from_millis(1_500);

/// The processes that share a search with this one.
#[derive(Default)]
pub struct SharingProcesses {
    /// Those that this one has started.
    children: OtherProcesses,
    /// The addresses of those on other machines.
    names: Vec<String>,
}

impl From<OtherProcesses> for SharingProcesses {
    fn from(children: OtherProcesses) -> Self {
        Self {
            children,
            names: Vec::new(),
        }
    }
}

impl SharingProcesses {
    /// Adds a process that this one has started.
    pub fn end_with_this(&mut self, child: Child) {
        self.children.0.push(child);
    }

    /// Ends those that this one has started.
    pub fn end(&mut self) {
        self.children = OtherProcesses::default();
    }

    /// Waits for workers that this one has started to remove their files, though not for ever.
    pub fn finish(&mut self) {
        let begun = Instant::now();
        let is_over = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        while !self.names.is_empty()
            && begun.elapsed() < FINISHING
            && !self.children.0.iter_mut().all(is_over)
        {
            thread::sleep(MOMENT);
        }
    }

    /// Adds the address of the next process.
    pub fn add_name(&mut self, name: String) {
        self.names.push(name);
    }

    /// The addresses of the processes from 1 on, if they have any.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The address of a process, if it has one.
    pub fn name(&self, process: u16) -> Option<&str> {
        let before = usize::from(process).checked_sub(1)?;
        self.names.get(before).map(String::as_str)
    }
}

/// The other processes, which end with this one.
#[derive(Default)]
pub struct OtherProcesses(pub Vec<Child>);

impl Drop for OtherProcesses {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
        }
        for child in &mut self.0 {
            let _ = child.wait();
        }
    }
}

/// The number of a process that was lost.
#[derive(Clone)]
pub struct LostProcess(Arc<AtomicU16>);

impl LostProcess {
    const NONE: u16 = u16::MAX;

    /// Notes a process that was lost, if it is the first.
    pub fn note(&self, process: usize) {
        let (now, relaxed) = (process as u16, Ordering::Relaxed);
        let _ = self.0.compare_exchange(Self::NONE, now, relaxed, relaxed);
    }

    /// The process that was lost, or is found to be within a moment.
    pub fn lately(&self) -> Option<u16> {
        const MOMENTS: u32 = 50;
        for _ in 0..MOMENTS {
            if let Some(process) = self.process() {
                return Some(process);
            }
            thread::sleep(MOMENT);
        }
        None
    }

    /// The process that was lost, if it is known yet.
    pub fn process(&self) -> Option<u16> {
        Some(self.0.load(Ordering::Relaxed)).filter(|process| *process != Self::NONE)
    }
}

impl Default for LostProcess {
    fn default() -> Self {
        Self(Arc::new(AtomicU16::new(Self::NONE)))
    }
}

/// Ends the check where a process is lost, and notes which.
pub fn noting(cancel: &Cancel, lost: &LostProcess) -> OnEnd {
    let (cancel, lost) = (cancel.clone(), lost.clone());
    Arc::new(move |process, how| {
        if how == LinkEnd::Lost {
            lost.note(process);
            cancel.cancel();
        }
    })
}
