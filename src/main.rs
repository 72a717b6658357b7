//! The executable: parse, run, exit status.

mod cli;
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "making runs takes time; what is judged is what they measured"
)]
mod experiment;

use std::process::ExitCode;

/// Every thread allocates and frees many vectors of about 80 kB; the allocator of the system returns them each time.
#[cfg(not(all(windows, target_env = "gnu")))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit status: 0 judged, 1 gate failed, 2 bad usage or unreadable input, 3 no verdict to gate on.
fn main() -> ExitCode {
    cli::main()
}
