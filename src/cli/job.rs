//! One call of a command that reads runs: check the files to write, read the policy, load the runs.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use beyondnoise::error::Error;
use beyondnoise::history;
use beyondnoise::job::{self, Source};
use beyondnoise::policy::Settings;
use beyondnoise::read::{File, Loaded, Options, load_bytes};
use beyondnoise::runs::Dataset;

use crate::cli::inputs::InputArgs;
use crate::cli::output::{refuse_hyphen, refuse_overwrite};
use crate::cli::progress;
use crate::cli::settings::Given;

/// How a command ended; the exit status follows from it.
pub(super) enum Outcome {
    /// Done, and nothing beyond the tolerance.
    Clean,
    /// The gate failed.
    Failing,
    /// The gate had nothing to judge.
    NoVerdict,
}

/// A call of a command: its inputs, its settings, and the files that it will write.
pub(super) struct Job<'a> {
    input: &'a InputArgs,
    outputs: Vec<PathBuf>,
    call: job::Job,
    quiet: bool,
    table: Option<&'a Table>,
}

/// A table in memory, in place of the input of its name.
pub(super) struct Table {
    /// Its name in messages.
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
}

/// A verdict on a table that is still to come.
pub(super) struct Judging {
    /// The files that it will write.
    pub(super) files: Vec<PathBuf>,
    /// The verdict on the bytes of the table.
    pub(super) judge: Box<dyn FnOnce(Vec<u8>) -> Result<Outcome, Error>>,
}

impl Deref for Job<'_> {
    type Target = job::Job;

    fn deref(&self) -> &job::Job {
        &self.call
    }
}

impl<'a> Job<'a> {
    /// Checks the outputs, and reads the policy file over the usual settings and under the flags.
    pub(super) fn new(
        input: &'a InputArgs,
        outputs: &[PathBuf],
        flags: &Given,
        usual: Settings,
    ) -> Result<Self, Error> {
        check_outputs(input, outputs)?;
        let flags = input.columns.given().and(flags);
        let file = input.config.read_over(usual)?.resolved();
        let call = job::Job::new(input.reading(), file, |settings| Ok(flags.over(settings)))?;
        Ok(Self { input, outputs: outputs.to_vec(), call, quiet: false, table: None })
    }

    /// A call of a command without its own settings.
    pub(super) fn plain(input: &'a InputArgs, outputs: &[PathBuf]) -> Result<Self, Error> {
        Self::new(input, outputs, &Given::default(), Settings::default())
    }

    /// Without a progress bar if `quiet`.
    pub(super) fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// With a table for the input of its name.
    pub(super) fn with(self, table: Option<&'a Table>) -> Self {
        Self { table, ..self }
    }

    /// Reads the runs of the inputs, where no flag of the command changes how, and builds are not compared.
    pub(super) fn dataset(&self) -> Result<Dataset, Error> {
        Ok(self.load(&self.options_of_repeats())?.dataset)
    }
}

impl Source for Job<'_> {
    fn inputs(&self) -> &[String] {
        &self.input.inputs
    }

    fn load(&self, options: &Options) -> Result<Loaded, Error> {
        if let Some(Table { name, bytes }) = self.table {
            return load_bytes(&[File { variant: None, name, bytes }], options);
        }
        let loaded = progress::load(&self.input.inputs, options, self.quiet)?;
        refuse_overwrite("input", loaded.results.iter().cloned(), &self.outputs)?;
        Ok(loaded)
    }

    fn history(&self, folder: &str, loaded: &Loaded) -> Result<Dataset, Error> {
        let history = history::load(folder, &loaded.dataset, self.input.lenient)?;
        let files = history.inputs.iter().filter(|input| input.runs > 0);
        let files = files.map(|input| PathBuf::from(&input.path));
        refuse_overwrite("file of the history", files, &self.outputs)?;
        Ok(history)
    }
}

/// Refuses to write the outputs over an input as given or over the policy file.
pub(super) fn check_outputs(input: &InputArgs, outputs: &[PathBuf]) -> Result<(), Error> {
    refuse_hyphen(outputs)?;
    refuse_overwrite("input", input.inputs.iter().map(|input| path_of(input)), outputs)?;
    refuse_overwrite("policy file", input.config.path(), outputs)
}

/// The path of an input: the whole text, or the part after `NAME=`.
fn path_of(input: &str) -> PathBuf {
    let bare = input.split_once('=').map_or(input, |(_, path)| path);
    let typed = [input, bare].into_iter().find(|path| Path::new(path).exists());
    PathBuf::from(typed.filter(|path| *path != "-").unwrap_or("/dev/stdin"))
}
