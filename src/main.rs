//! The executable: parse, run, exit status.

mod cli;

use std::process::ExitCode;

/// Exit status: 0 judged, 1 gate failed, 2 bad usage or unreadable input, 3 no verdict to gate on.
fn main() -> ExitCode {
    cli::main()
}
