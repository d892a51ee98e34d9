//! Panics of the engine and of checks become failures that can be shown.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::model::ErrorText;

/// Runs something; a panic becomes a failure that can be shown.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, ErrorText> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let what = panic_text(panic.as_ref());
        let detail =
            format!("Internal error: {what}\n\nThis is a fault of the program, not of the script.");
        ErrorText::new(format!("internal error: {what}"), detail)
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        // `panic!` with arguments carries a `String`, without arguments a `&str`.
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
