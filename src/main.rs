//! The executable: parse, run, exit status.

mod cli;

use std::process::ExitCode;

/// Many vectors of some 80 kB come and go on every thread; the system's allocator gives them back each time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit status: 0 judged, 1 gate failed, 2 bad usage or unreadable input, 3 no verdict to gate on.
fn main() -> ExitCode {
    cli::main()
}
