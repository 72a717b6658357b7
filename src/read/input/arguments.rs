//! The inputs of the command line, and the runs in them.

use std::path::{Path, PathBuf};

use crate::input::walk::{files_below, matching};
use crate::store::{Store, absent, held_below};
use beyondnoise_model::error::Error;
use beyondnoise_model::journal::Made;
use beyondnoise_model::metrics::did_you_mean;
use beyondnoise_model::runs::{Input, Run};
use beyondnoise_model::sanitize::text_of_path;

/// Identifies the content of a file, unpacked: its length and a hash.
pub(crate) type Fingerprint = (u64, u128);

/// One argument of the user.
pub(crate) struct Spec {
    pub(crate) name: Option<String>,
    pub(crate) path: String,
    pub(crate) files: Vec<PathBuf>,
    /// A folder that was walked.
    pub(crate) folder: bool,
    /// The one file that the user named.
    pub(crate) named: bool,
    /// The path as it stands is that of a file.
    pub(crate) file: bool,
    /// Of a folder of runs that the program made: the run of each file.
    pub(crate) made: Vec<Made>,
}

pub(crate) struct FileRuns {
    pub(crate) input: Input,
    pub(crate) runs: Vec<Run>,
    /// Of its content, where it was held in memory.
    pub(crate) fingerprint: Option<Fingerprint>,
}

impl Spec {
    /// A file that needs no file system.
    pub(crate) fn in_memory(variant: Option<&str>, name: &str) -> Self {
        let (name, path) = (variant.map(str::to_owned), name.to_owned());
        Self {
            name,
            path,
            files: Vec::new(),
            folder: false,
            named: true,
            file: false,
            made: Vec::new(),
        }
    }

    /// An input as it was typed.
    ///
    /// # Errors
    ///
    /// If there is no such path.
    pub(crate) fn parse(text: &str, store: Store) -> Result<Self, Error> {
        let named = text.split_once('=').filter(|(name, path)| {
            !name.is_empty()
                && !path.is_empty()
                && !name.contains(['/', '\\'])
                && !exists(Path::new(text), store)
                && matching(text).is_empty()
        });
        let (name, path) = named.map_or((None, text), |(name, path)| (Some(name.to_owned()), path));
        let (files, folder) = Self::files(path, store)?;
        let named = !folder && files.len() == 1;
        let file = store.is_file(Path::new(path));
        Ok(Self { name, path: path.to_owned(), files, folder, named, file, made: Vec::new() })
    }

    /// The files of a path, and whether it is a folder.
    fn files(path: &str, store: Store) -> Result<(Vec<PathBuf>, bool), Error> {
        let itself = PathBuf::from(path);
        if let Store::Memory(files) = store {
            return match files.contains_key(&itself) {
                true => Ok((vec![itself], false)),
                false if store.is_folder(&itself) => Ok((held_below(files, &itself), true)),
                false => Err(Error::Io { path: path.to_owned(), doing: "read", source: absent() }),
            };
        }
        if path == "-" || itself.is_file() {
            return Ok((vec![itself], false));
        }
        if itself.is_dir() {
            return Ok((files_below(&itself, false), true));
        }
        if let Err(source) = std::fs::metadata(&itself) {
            if !path.contains(['*', '?', '[']) {
                let error = Error::Io { path: path.to_owned(), doing: "read", source };
                return Err(beside(&itself).map_or(error, |remedy| {
                    Error::file(
                        path,
                        "expected a file or a folder, found nothing of that name",
                        &remedy,
                    )
                }));
            }
            let mut files = Vec::new();
            for entry in matching(path) {
                if entry.is_dir() && std::fs::read_dir(&entry).is_ok() {
                    files.extend(files_below(&entry, false));
                } else if entry.is_file() || !is_other(&entry) {
                    files.push(entry);
                }
            }
            if files.is_empty() {
                let problem = "expected files that match the pattern, found none";
                return Err(Error::file(path, problem, "check the pattern, and quote it"));
            }
            return Ok((files, false));
        }
        // A pipe, such as the shell's <(command).
        Ok((vec![itself], false))
    }
}

/// Names in the same folder that are like the one of a path where nothing is.
fn beside(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let there = std::fs::read_dir(here).ok()?.filter_map(Result::ok);
    // A link that leads nowhere has the name itself.
    let there = there.map(|entry| folder.join(entry.file_name())).filter(|other| other.exists());
    let there: Vec<String> = there.map(|other| text_of_path(&other)).collect();
    let typed = text_of_path(path);
    did_you_mean(&typed, there.iter().map(String::as_str))
}

fn exists(path: &Path, store: Store) -> bool {
    match store {
        Store::Disk => path.exists(),
        Store::Memory(_) => store.is_file(path) || store.is_folder(path),
    }
}

/// Whether a path leads to a pipe, a device and the like: only where it is named can it be meant.
fn is_other(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A path as messages name it.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { text_of_path(path) }
}
