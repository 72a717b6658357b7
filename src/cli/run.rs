//! One call of a command that reads runs: check the files to write, read the policy, load the runs.

use std::path::{Path, PathBuf};

use beyondnoise::error::Error;
use beyondnoise::history;
use beyondnoise::read::{Loaded, Options};
use beyondnoise::runs::Dataset;

use crate::cli::inputs::InputArgs;
use crate::cli::output::{refuse_hyphen, refuse_overwrite};
use crate::cli::progress;
use crate::cli::settings::Settings;

/// How a command ended; the exit status follows from it.
pub(super) enum Outcome {
    /// Done, and nothing beyond the tolerance.
    Clean,
    /// The gate failed.
    Failing,
    /// The gate had nothing to judge.
    NoVerdict,
}

/// A call of a command: its inputs, its policy file, and the files that it will write.
pub(super) struct Job<'a> {
    input: &'a InputArgs,
    pub(super) settings: Settings,
    outputs: Vec<PathBuf>,
}

impl<'a> Job<'a> {
    /// Checks the outputs and reads the policy file.
    pub(super) fn new(input: &'a InputArgs, outputs: &[PathBuf]) -> Result<Self, Error> {
        check_outputs(input, outputs)?;
        Ok(Self { input, settings: input.config.settings()?, outputs: outputs.to_vec() })
    }

    /// How the inputs are read, by the flags and the policy file.
    pub(super) fn options(&self) -> Options {
        self.input.options(&self.settings.file)
    }

    /// Reads all inputs, with a progress bar unless `quiet`.
    pub(super) fn load(&self, options: &Options, quiet: bool) -> Result<Loaded, Error> {
        let loaded = progress::load(&self.input.inputs, options, quiet)?;
        refuse_overwrite("input", loaded.results.iter().cloned(), &self.outputs)?;
        Ok(loaded)
    }

    /// Reads the runs of the inputs, where no flag of the command changes how.
    pub(super) fn dataset(&self) -> Result<Dataset, Error> {
        Ok(self.load(&self.options(), false)?.dataset)
    }

    /// Reads the history for the runs of `loaded`.
    pub(super) fn history(&self, folder: &str, loaded: &Loaded) -> Result<Dataset, Error> {
        let history = history::load(folder, &loaded.dataset, self.input.lenient)?;
        let files = history.inputs.iter().filter(|input| input.runs > 0);
        let files = files.map(|input| PathBuf::from(&input.path));
        refuse_overwrite("file of the history", files, &self.outputs)?;
        Ok(history)
    }
}

/// Refuses to write the outputs over an input as typed or over the policy file.
pub(super) fn check_outputs(input: &InputArgs, outputs: &[PathBuf]) -> Result<(), Error> {
    refuse_hyphen(outputs)?;
    refuse_overwrite("input", input.inputs.iter().map(path_of), outputs)?;
    refuse_overwrite("policy file", input.config.path(), outputs)
}

/// The path of an input as typed: all of it, or what stands after `NAME=`.
fn path_of(input: &String) -> PathBuf {
    let bare = input.split_once('=').map_or(input.as_str(), |(_, path)| path);
    let typed = [input, bare].into_iter().find(|path| Path::new(path).exists());
    PathBuf::from(typed.filter(|path| *path != "-").unwrap_or("/dev/stdin"))
}
