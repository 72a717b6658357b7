//! Files that are in memory: the same readers without a file system.

use crate::error::Error;
use crate::read::input::arguments::Spec;
use crate::read::input::copies::fingerprint;
use crate::read::input::files::plain;
use crate::read::input::{Loaded, labelled, outcome, runs_of};
use crate::read::reader::{Content, Options};

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

/// [`crate::read::load`] for files that are in memory, each like one that the user named.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Input`] for the first file that cannot be read; with `options.lenient` such a
/// file is left out and named.
///
/// # Examples
///
/// ```
/// use beyondnoise::read::{File, Options, load_bytes};
///
/// let bytes = b"variant,mean_ttft_ms\nbefore,10.5\nafter,11.5\n";
/// let files = [File { variant: None, name: "runs.csv", bytes }];
/// let loaded = load_bytes(&files, &Options::default())?;
/// assert_eq!(loaded.dataset.variant_names(), ["before", "after"]);
/// # Ok::<(), beyondnoise::error::Error>(())
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
                let content = Content { alone: true, ..content };
                print = Some(fingerprint(content.bytes));
                runs_of(&content, true, options)
            });
        Ok(vec![outcome(name, (read, print), options)?])
    };
    labelled(&specs, files.iter().map(one).collect::<Result<_, Error>>()?, options)
}
