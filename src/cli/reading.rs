//! Reading the inputs, with a bar for the person who waits.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use beyondnoise::error::Error;
use beyondnoise::read::{Loaded, Options, Progress, load_with};

use crate::cli::args::InputArgs;

/// Reading that takes less is over before a bar could be read.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads all inputs; a bar on standard error shows how far it is, unless `quiet` or nobody watches it.
pub(super) fn load(input: &InputArgs, options: &Options, quiet: bool) -> Result<Loaded, Error> {
    let watched = !quiet && std::io::stderr().is_terminal();
    let style = ProgressStyle::with_template("reading {bytes} of {total_bytes} {wide_bar} {msg}")
        .expect("a template of this file");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style);
    let loaded = load_with(&input.inputs, options, &|progress| {
        if watched {
            show(&bar, progress);
        }
    });
    bar.finish_and_clear();
    loaded
}

fn show(bar: &ProgressBar, Progress { files, files_done, bytes, bytes_read }: Progress) {
    // Standard input has no size before it is read.
    bar.set_length(bytes.max(bytes_read));
    bar.set_position(bytes_read);
    bar.set_message(format!("{files_done} of {files} files"));
    if bar.is_hidden() && bar.elapsed() >= PATIENCE {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
}
