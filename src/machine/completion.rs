//! Work with tables that are only read meanwhile, and filled in between two attempts.

use crate::source::diagnostic::Result;

/// Tries something on tables that are only read meanwhile; fills in what it missed, and tries again. This is
/// how everybody works with tables who does not search.
///
/// # Errors
/// What filling in reports: an evaluation error, or that a limit is reached. It has to look at the limits,
/// since an attempt may miss something again and again.
pub fn until_complete<T, R, M>(
    tables: &mut T,
    mut attempt: impl FnMut(&T) -> std::result::Result<R, M>,
    mut fill_in: impl FnMut(&mut T, M) -> Result<()>,
) -> Result<R> {
    loop {
        match attempt(tables) {
            Ok(done) => return Ok(done),
            Err(miss) => fill_in(tables, miss)?,
        }
    }
}
