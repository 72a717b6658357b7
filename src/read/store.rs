//! Where files lie: on the disk, or in memory under the paths that they would have there.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Files that are in memory, by their paths.
pub(crate) type InMemory<'a> = BTreeMap<PathBuf, &'a [u8]>;

/// Where files lie.
#[derive(Clone, Copy)]
pub(crate) enum Store<'a> {
    Disk,
    Memory(&'a InMemory<'a>),
}

impl<'a> Store<'a> {
    pub(crate) fn is_file(self, path: &Path) -> bool {
        match self {
            Self::Disk => path.is_file(),
            Self::Memory(files) => files.contains_key(path),
        }
    }

    pub(crate) fn is_folder(self, path: &Path) -> bool {
        match self {
            Self::Disk => path.is_dir(),
            Self::Memory(files) => files.keys().any(|file| file != path && file.starts_with(path)),
        }
    }

    /// The bytes of a file as they lie there.
    pub(crate) fn read(self, path: &Path) -> io::Result<Cow<'a, [u8]>> {
        match self {
            Self::Disk => std::fs::read(path).map(Cow::Owned),
            Self::Memory(_) => self.held(path).map(Cow::Borrowed).ok_or_else(absent),
        }
    }

    /// The bytes of a file that is in memory.
    pub(crate) fn held(self, path: &Path) -> Option<&'a [u8]> {
        match self {
            Self::Disk => None,
            Self::Memory(files) => files.get(path).copied(),
        }
    }

    /// Whether some folder in `folder` holds a file of this name.
    pub(crate) fn is_in_folder_of(self, folder: &Path, name: &str) -> bool {
        match self {
            Self::Disk => {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                let Ok(entries) = std::fs::read_dir(folder) else { return false };
                entries.flatten().any(|entry| entry.path().join(name).is_file())
            }
            Self::Memory(files) => files.keys().any(|file| {
                file.ends_with(name) && file.parent().and_then(Path::parent) == Some(folder)
            }),
        }
    }
}

/// The files below `folder`, in the order in which a walk through folders meets them, without hidden ones.
pub(crate) fn held_below(files: &InMemory, folder: &Path) -> Vec<PathBuf> {
    let hidden = |part: Component| part.as_os_str().to_string_lossy().starts_with('.');
    let below = |file: &&PathBuf| {
        file.strip_prefix(folder).is_ok_and(|rest| !rest.components().any(hidden))
    };
    files.keys().filter(below).cloned().collect()
}

/// That there is no such file, in the words of the system.
pub(crate) fn absent() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "No such file or directory (os error 2)")
}
