//! Progress bars on standard error, where a person watches.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use beyondnoise::error::Error;
use beyondnoise::read::{Loaded, Options, Progress, load_with};
#[cfg(unix)]
use beyondnoise_model::sanitize::printable;

#[cfg(unix)]
use crate::cli::terminal::print_error;
#[cfg(unix)]
use crate::experiment::Said;

/// A bar appears only if reading takes longer.
const DELAY: Duration = Duration::from_secs(1);

/// Reads the inputs; a bar shows how far it is, unless `quiet`.
pub(super) fn load(inputs: &[String], options: &Options, quiet: bool) -> Result<Loaded, Error> {
    let watched = !quiet && std::io::stderr().is_terminal();
    let bar = bar("reading {bytes} of {total_bytes} {wide_bar} {msg}");
    let loaded = load_with(inputs, options, &|progress| {
        if watched {
            show(&bar, progress);
        }
    });
    bar.finish_and_clear();
    loaded
}

pub(super) fn count(all: u64) -> ProgressBar {
    let bar = bar("{bar:40} {percent:>3} %, {eta} left");
    bar.set_length(all);
    if std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
    bar
}

/// Does long work; in a terminal, a line shows its name and the time since its start.
pub(super) fn working<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let bar = bar("{spinner} {msg}, {elapsed}");
    if std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    let done = work();
    bar.finish_and_clear();
    done
}

fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("a template of this file");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style)
}

fn show(bar: &ProgressBar, Progress { files, files_done, bytes, bytes_read }: Progress) {
    // The size of standard input is not known before it is read.
    bar.set_length(bytes.max(bytes_read));
    bar.set_position(bytes_read);
    bar.set_message(format!("{files_done} of {files} files"));
    if bar.is_hidden() && bar.elapsed() >= DELAY {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
}

/// Messages while runs are made: lines on standard error and, in a terminal, the current activity below them.
#[cfg(unix)]
pub(super) struct Voice {
    bar: ProgressBar,
    quiet: bool,
}

#[cfg(unix)]
impl Voice {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = bar("{spinner} {msg}, {elapsed}");
        if std::io::stderr().is_terminal() && !quiet {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(DELAY);
        }
        Self { bar, quiet }
    }

    pub(super) fn say(&self, said: Said) {
        match said {
            Said::Line(line) if !self.quiet => {
                self.bar.suspend(|| print_error(&printable_lines(line)));
            }
            Said::Line(_) => {}
            Said::Going(what) => {
                self.bar.reset_elapsed();
                self.bar.set_message(printable(what).into_owned());
            }
        }
    }
}

#[cfg(unix)]
impl Drop for Voice {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Lines without control characters.
#[cfg(unix)]
fn printable_lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}
