//! Calls of polars on files that may be damaged.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use polars::prelude::PolarsResult;

use crate::error::Error;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls polars, which panics on some damaged files; the panic is not printed.
pub(super) fn guarded<T>(path: &str, read: impl FnOnce() -> PolarsResult<T>) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                before(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    match read {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(error)) => Err(damaged(path, &error.to_string())),
        Err(_) => Err(damaged(path, "damaged data")),
    }
}

pub(super) fn too_much(most: u64) -> String {
    format!("more than {} MiB packed in it", most >> 20)
}

pub(super) fn damaged(path: &str, found: &str) -> Error {
    let problem = format!("expected a Parquet table, found something else: {found}");
    Error::file(path, problem, "write the file again")
}
