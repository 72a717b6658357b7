//! Differences between operating systems: who a file is, its permissions, and files that are open under a name.

use std::fs;
use std::path::Path;

/// Identity of a file, whatever path leads to it.
#[cfg(unix)]
pub type FileId = (u64, u64);
/// Identity of a file, whatever path leads to it.
#[cfg(not(unix))]
pub type FileId = std::path::PathBuf;

/// The identity of the file or folder that a path leads to; `None` for a pipe and the like.
pub fn file_id(path: &Path) -> Option<FileId> {
    let found = fs::metadata(path).ok().filter(|found| found.is_file() || found.is_dir())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        path.canonicalize().ok()
    }
}

/// Gives a temporary file the permissions of any new file; the system then applies the user's umask.
pub fn permit_as_new(file: &mut tempfile::Builder) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Whether the system lists the open files of processes in this folder.
pub fn holds_open_files(folder: &Path) -> bool {
    cfg!(unix) && (folder.starts_with("/proc") || folder == Path::new("/dev/fd"))
}

/// The number under which this process has a file open, if that is what the path says.
pub fn own_stream(path: &Path) -> Option<u32> {
    let folder = path.parent()?.canonicalize().ok()?;
    let ours = Path::new("/proc/self/fd").canonicalize();
    let own = folder == Path::new("/dev/fd") || ours.is_ok_and(|ours| ours == folder);
    path.file_name()?.to_str()?.parse().ok().filter(|_| own)
}
