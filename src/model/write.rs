//! Atomic writes: an old file is replaced by a whole new one, or not at all; a line is added whole, or does not count.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::error::Error;
use crate::system::{holds_open_files, own_stream, permit_as_new};

/// Writes `bytes` to a temporary file in the same folder, which then replaces `file`.
///
/// A pipe or a device is written to directly. An open file, such as `/dev/stdout` or `/proc/self/fd/3`, is appended
/// to.
///
/// # Errors
///
/// [`Error::Io`] if it cannot be written; an old file is then unchanged.
pub fn replace(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_all(&[(file, bytes)])
}

/// [`replace`] for files that belong together: none is replaced before all are written.
///
/// # Errors
///
/// [`Error::Io`] for the first that cannot be written; unless only a final rename failed, all old files are
/// unchanged.
pub fn replace_all<P: AsRef<Path>>(files: &[(P, &[u8])]) -> Result<(), Error> {
    let failed = |file: &Path| {
        let path = file.display().to_string();
        |source| Error::Io { path, doing: "write", source }
    };
    let mut staged = Vec::new();
    for (file, bytes) in files {
        let file = file.as_ref();
        staged.push((file, Staged::write(file, bytes).map_err(failed(file))?));
    }
    staged.into_iter().try_for_each(|(file, staged)| staged.take_place().map_err(failed(file)))
}

/// How often a file that another program has open is tried again, and after which time.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// A file to which whole lines are added; nobody else can open it so meanwhile.
#[derive(Debug)]
pub struct Lines {
    file: File,
    path: PathBuf,
}

impl Lines {
    /// Opens the file, or makes it; `None` if another program has it open for longer than a second: a process that was
    /// started just before its program was killed has the file open for a moment.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be opened or locked.
    pub fn open(path: &Path) -> Result<Option<Self>, Error> {
        let failed = |doing| {
            let path = path.display().to_string();
            move |source| Error::Io { path, doing, source }
        };
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(failed("open"))?;
        for _ in 0..=LOCK_TRIES {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => sleep(LOCK_PAUSE),
                Err(TryLockError::Error(source)) => return Err(failed("lock")(source)),
                Ok(()) => return Ok(Some(Self { file, path: path.to_owned() })),
            }
        }
        Ok(None)
    }

    /// Truncates the file to `bytes`, the length of its complete lines.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be written.
    pub fn end_after(&self, bytes: u64) -> Result<(), Error> {
        self.file.set_len(bytes).map_err(self.failed())
    }

    /// Appends a line, which ends in a line feed, and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be written; what was written of it has no end and does not count.
    pub fn add(&mut self, line: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all(line).and_then(|()| self.file.sync_data());
        written.map_err(self.failed())
    }

    fn failed(&self) -> impl FnOnce(io::Error) -> Error + use<> {
        let path = self.path.display().to_string();
        |source| Error::Io { path, doing: "write", source }
    }
}

/// A file that is written and has not taken its place; it is removed if it never does.
struct Staged {
    /// The new file, unless it was written to its place.
    beside: Option<NamedTempFile>,
    place: PathBuf,
}

impl Staged {
    fn write(file: &Path, bytes: &[u8]) -> io::Result<Self> {
        let place = match end_of_links(file)? {
            End::Open(open) => {
                append(&open, bytes)?;
                return Ok(Self { beside: None, place: open });
            }
            End::Place(place) => place,
        };
        let old = fs::metadata(&place).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            fs::write(&place, bytes)?;
            return Ok(Self { beside: None, place });
        }
        let mut new = create(&place)?;
        if let Some(old) = old {
            // Best effort: a file that others may read stays one where the file system has permissions.
            let _ = new.as_file().set_permissions(old.permissions());
        }
        new.write_all(bytes)?;
        new.as_file().sync_all()?;
        Ok(Self { beside: Some(new), place })
    }

    fn take_place(self) -> io::Result<()> {
        self.beside
            .map_or(Ok(()), |beside| beside.persist(self.place).map(drop).map_err(|e| e.error))
    }
}

/// The end of a path, after its links.
enum End {
    /// A file that exists or not: links stay, and their target is replaced.
    Place(PathBuf),
    /// A file that a process has open and may go on writing to.
    Open(PathBuf),
}

/// Follows links one by one: the link of an open file has to be recognised before it is followed.
fn end_of_links(file: &Path) -> io::Result<End> {
    let mut path = file.to_owned();
    for _ in 0..MAX_LINKS {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        if folder.as_ref().is_ok_and(|folder| holds_open_files(folder)) {
            return Ok(End::Open(path));
        }
        let Ok(next) = fs::read_link(&path) else {
            return Ok(End::Place(path.canonicalize().unwrap_or(path)));
        };
        path = folder?.join(next);
    }
    Err(io::Error::other("expected a file, found links that lead to each other"))
}

/// Limit of links, above that of any system.
const MAX_LINKS: usize = 64;

/// Appends to an open file; to our own standard streams through their handles, to keep the order of writes.
fn append(open: &Path, bytes: &[u8]) -> io::Result<()> {
    match own_stream(open) {
        Some(1) => {
            let mut out = io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        }
        Some(2) => io::stderr().lock().write_all(bytes),
        _ => OpenOptions::new().append(true).open(open)?.write_all(bytes),
    }
}

/// Creates a temporary file beside `place`, under a new hidden name.
fn create(place: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new();
    file.prefix(".beyondnoise-").suffix(".partial");
    permit_as_new(&mut file);
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    file.tempfile_in(folder.unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = fs::read_dir(folder).unwrap().map(name);
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn of_files_that_belong_together_all_are_replaced_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "old").unwrap();
        let missing = path("no/such/folder/b");
        let (a, b) = (path("a"), path("b"));
        assert!(replace_all(&[(&a, b"new"), (&missing, b"new")]).is_err());
        assert_eq!(
            (fs::read(&a).unwrap(), names(folder.path())),
            (b"old".to_vec(), vec!["a".into()])
        );
        replace_all(&[(&a, b"new"), (&b, b"new")]).unwrap();
        assert_eq!(
            (fs::read(&a).unwrap(), fs::read(&b).unwrap()),
            (b"new".to_vec(), b"new".to_vec())
        );
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn a_name_as_long_as_the_system_allows_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x".repeat(255));
        replace(&file, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_makes_what_it_leads_to() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("inner")).unwrap();
        symlink("inner/file", path("link")).unwrap();
        symlink("link", path("second")).unwrap();
        replace(&path("second"), b"new").unwrap();
        assert_eq!(fs::read(path("inner/file")).unwrap(), b"new");
        assert!(path("link").is_symlink() && path("second").is_symlink());
        symlink("no/such/folder", path("lost")).unwrap();
        symlink("circle", path("circle")).unwrap();
        for name in ["lost", "circle"] {
            assert!(replace(&path(name), b"new").is_err(), "{name}");
            assert!(path(name).is_symlink(), "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_file_is_written_to_at_its_end() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old, ").unwrap();
        let open = File::open(&file).unwrap();
        let name = format!("/proc/self/fd/{}", open.as_raw_fd());
        replace(Path::new(&name), b"new").unwrap();
        std::os::unix::fs::symlink(&name, &link).unwrap();
        replace(&link, b", more").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"old, new, more");
        assert_eq!(names(folder.path()), ["file", "link"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
