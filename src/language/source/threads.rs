//! Work that several threads share: loops over indices, and a pool of scratch buffers that are reused between rounds.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. It is only poisoned where a thread panicked, and then the scope of [`in_parallel`] panics anyway.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on every index below `count`, on up to `threads` threads, each with its own `state`.
pub fn in_parallel<S>(
    threads: usize,
    count: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = state();
        loop {
            // Threads take one index at a time, so that none waits for another with a costly share. The
            // counter orders nothing else, and the scope below joins all threads: `Relaxed` is enough.
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            work(&mut state, index);
        }
    };
    if threads <= 1 {
        run();
        return;
    }
    std::thread::scope(|scope| {
        // From 1: the present thread works, too.
        for _ in 1..threads.min(count) {
            scope.spawn(run);
        }
        run();
    });
}

/// A scratch buffer that goes back to its pool when it is dropped. Reusing one keeps its caches: what it found last is
/// tried first.
pub struct PooledScratch<'a, S: Default> {
    scratch: S,
    pool: &'a Mutex<Vec<S>>,
}

impl<'a, S: Default> PooledScratch<'a, S> {
    /// Takes an idle buffer from the pool, or creates one.
    pub fn take(pool: &'a Mutex<Vec<S>>, new: impl FnOnce() -> S) -> Self {
        let idle = lock(pool).pop();
        Self {
            scratch: idle.unwrap_or_else(new),
            pool,
        }
    }
}

impl<S: Default> Deref for PooledScratch<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.scratch
    }
}

impl<S: Default> DerefMut for PooledScratch<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.scratch
    }
}

impl<S: Default> Drop for PooledScratch<'_, S> {
    fn drop(&mut self) {
        lock(self.pool).push(std::mem::take(&mut self.scratch));
    }
}
