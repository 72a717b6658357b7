//! The policy in force: `beyondnoise.toml`, found upward from the working folder, under the flags.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use beyondnoise::error::Error;
use beyondnoise::policy::{FILE_NAME, Policy, PolicyFile};
use beyondnoise::runs::Dataset;

/// Where the policy comes from; the same for every command
#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Policy file; without it the nearest beyondnoise.toml from here upward
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Use no policy file
    #[arg(long, conflicts_with = "config")]
    pub(super) no_config: bool,
}

/// Bytes of a policy file.
const MOST: u64 = 1 << 20;

/// A policy file with its place; empty where there is none.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) file: PolicyFile,
    /// Where it stands.
    pub(super) path: Option<PathBuf>,
    /// Its text.
    pub(super) text: String,
}

impl ConfigArgs {
    /// The file that was named, or the nearest one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        match &self.config {
            Some(path) => Some(path.clone()),
            None if self.no_config => None,
            None => nearest(),
        }
    }

    /// Reads the file that was named, or the nearest one.
    pub(super) fn settings(&self) -> Result<Settings, Error> {
        let Some(path) = self.path() else { return Ok(Settings::default()) };
        let shown = path.display().to_string();
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
        read.map_err(|source| Error::Io { path: shown.clone(), doing: "read", source })?;
        if bytes.len() as u64 > MOST {
            let problem = "expected a policy file of at most 1 MiB, found more";
            return Err(Error::file(&shown, problem, "give another file to --config"));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            let problem = "expected UTF-8 text, found other bytes";
            Error::file(&shown, problem, "save it as UTF-8")
        })?;
        let file = PolicyFile::parse(&text, &shown)?;
        Ok(Settings { file, path: Some(path), text })
    }
}

/// The nearest policy file from the working folder upward.
fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())
}

impl Settings {
    /// The policy of the file and the defaults.
    pub(super) fn policy(&self) -> Result<Policy, Error> {
        self.file.policy().map_err(|unfit| Error::usage(unfit.problem, "mend the policy file"))
    }

    /// The baseline that the file names, where the inputs have a variant of that name.
    pub(super) fn baseline_in(&self, dataset: &Dataset) -> Option<String> {
        let known = dataset.variant_names();
        self.file.baseline.clone().filter(|name| known.contains(&name.as_str()))
    }

    /// The folder of earlier runs that the file names, seen from the file's own folder.
    pub(super) fn history(&self) -> Option<String> {
        let history = self.file.history.as_deref()?;
        let folder = self.path.as_deref().and_then(Path::parent);
        let remote = history.contains("://");
        match folder.filter(|_| !remote) {
            Some(folder) => Some(folder.join(history).display().to_string()),
            None => Some(history.to_owned()),
        }
    }
}
