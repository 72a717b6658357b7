//! Files and frames that are in memory: the same readers without a file system.

use std::path::PathBuf;

use crate::input::arguments::Spec;
use crate::input::copies::fingerprint;
use crate::input::files::plain;
use crate::input::{Loaded, labelled, load_in, outcome, runs_of};
use crate::reader::{Content, Options};
use crate::store::{InMemory, Store};
use beyondnoise_model::error::Error;

/// A file in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// Variant to which all its runs are given; as with a file on disk if `None`.
    pub variant: Option<&'a str>,
    /// Its name, whose ending may show the format; it appears in messages and is not opened.
    pub name: &'a str,
    /// Its content, which may be packed.
    pub bytes: &'a [u8],
}

/// A table of columns in memory.
#[cfg(feature = "tables")]
#[derive(Clone, Debug)]
pub struct Frame {
    /// Variant to which all its runs are given; as with a file on disk if `None`.
    pub variant: Option<String>,
    /// Its name in messages.
    pub name: String,
    /// Its columns of single values.
    pub table: polars::prelude::DataFrame,
    /// The names of its other columns, which are reported as skipped.
    pub nested: Vec<String>,
}

/// Format of a frame, as reports name it.
#[cfg(feature = "tables")]
const FRAME: &str = "frame";

/// [`crate::load`] for frames: each gives the runs of a Parquet file with the same columns.
///
/// # Errors
///
/// [`Error::Input`] for the first frame that cannot be understood; with `options.lenient` such a frame is left out and
/// named.
#[cfg(feature = "tables")]
pub fn load_frames(frames: &[Frame], options: &Options) -> Result<Loaded, Error> {
    let specs = frames.iter().map(|frame| Spec::in_memory(frame.variant.as_deref(), &frame.name));
    let specs: Vec<Spec> = specs.collect();
    let one = |Frame { name, table, nested, .. }: &Frame| {
        let found = crate::table::parquet::read_frame(name, (table, nested), options);
        Ok(vec![outcome(
            name,
            (found.map(|found| (Some(found.format.unwrap_or(FRAME)), found)), None),
            options,
        )?])
    };
    labelled(&specs, frames.iter().map(one).collect::<Result<_, Error>>()?, options)
}

/// [`crate::load`] for files that are in memory, each like one that the user named.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Input`] for the first file that cannot be read; with `options.lenient` such a
/// file is left out and named.
///
/// # Examples
///
/// ```
/// use beyondnoise_read::{File, Options, load_bytes};
///
/// let bytes = b"variant,mean_ttft_ms\nbefore,10.5\nafter,11.5\n";
/// let files = [File { variant: None, name: "runs.csv", bytes }];
/// let loaded = load_bytes(&files, &Options::default())?;
/// assert_eq!(loaded.dataset.variant_names(), ["before", "after"]);
/// # Ok::<(), beyondnoise_model::error::Error>(())
/// ```
pub fn load_bytes(files: &[File], options: &Options) -> Result<Loaded, Error> {
    let specs: Vec<Spec> =
        files.iter().map(|file| Spec::in_memory(file.variant, file.name)).collect();
    let one = |File { name, bytes, .. }: &File| {
        let mut print = None;
        let read = plain(bytes)
            .map_err(|source| Error::Io { path: (*name).to_owned(), doing: "read", source })
            .and_then(|plain| {
                let content = Content::new(name, plain.as_deref().unwrap_or(bytes));
                let content = Content { alone: true, only: files.len() == 1, ..content };
                print = Some(fingerprint(content.bytes));
                runs_of(&content, true, options)
            });
        Ok(vec![outcome(name, (read, print), options)?])
    };
    labelled(&specs, files.iter().map(one).collect::<Result<_, Error>>()?, options)
}

/// [`crate::load`] where the files are those of `files`, by their names, which may be paths: the `inputs` are
/// such names, folders above them, or `NAME=` before one. A file that is an input may have its variant. Other variants follow from folders and file names as on a disk.
///
/// # Errors
///
/// Those of [`crate::load`].
///
/// # Examples
///
/// ```
/// use beyondnoise_read::{File, Options, load_from};
///
/// let file = |name, bytes: &'static [u8]| File { variant: None, name, bytes };
/// let files = [
///     file("runs/main/1.csv", b"run,mean_ttft_ms\n1,10.5\n"),
///     file("runs/pr/1.csv", b"run,mean_ttft_ms\n1,11.5\n"),
/// ];
/// let loaded = load_from(&files, &["runs".to_owned()], &Options::default())?;
/// assert_eq!(loaded.dataset.variant_names(), ["main", "pr"]);
/// # Ok::<(), beyondnoise_model::error::Error>(())
/// ```
pub fn load_from(files: &[File], inputs: &[String], options: &Options) -> Result<Loaded, Error> {
    let held: InMemory = files.iter().map(|file| (PathBuf::from(file.name), file.bytes)).collect();
    let store = Store::Memory(&held);
    let variant = |text: &str| files.iter().find(|file| file.name == text)?.variant;
    let specs = inputs.iter().map(|text| {
        let spec = Spec::parse(text, store)?;
        Ok(Spec { name: variant(text).map(str::to_owned).or(spec.name), ..spec })
    });
    load_in(store, specs, options, &|_| {})
}
