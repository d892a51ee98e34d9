//! Recursion that does not depend on the size of the native stack.

/// Runs `f`, on a new stack segment if little of the current one is left. Every recursive function
/// over script text or values goes through here.
pub fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, f)
}
