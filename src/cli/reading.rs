//! Reading the inputs, with a bar for the person who waits.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use beyondnoise::error::Error;
use beyondnoise::history;
use beyondnoise::read::{Loaded, Options, Progress, load_with};
use beyondnoise::runs::Dataset;

use crate::cli::args::InputArgs;
use crate::cli::output;

/// Reading that takes less is over before a bar could be read.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads all inputs, none of which may be one of the files that are to be written; a bar on standard error shows
/// how far it is, unless `quiet` or nobody watches it.
pub(super) fn load(
    input: &InputArgs,
    options: &Options,
    outputs: &[&Path],
    quiet: bool,
) -> Result<Loaded, Error> {
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
    let loaded = loaded?;
    output::apart("input", loaded.results.iter().cloned(), outputs)?;
    Ok(loaded)
}

/// Reads the history for the runs of `loaded`; it too is no file to write to.
pub(super) fn history(
    folder: &str,
    loaded: &Loaded,
    outputs: &[&Path],
    lenient: bool,
) -> Result<Dataset, Error> {
    let history = history::load(folder, &loaded.dataset, lenient)?;
    let files = history.inputs.iter().filter(|input| input.runs > 0);
    output::apart("file of the history", files.map(|input| PathBuf::from(&input.path)), outputs)?;
    Ok(history)
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
