//! Hashes of files and folders, to detect changes since a measurement.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;

/// Placeholder for the name of a build in a path.
const VARIANT: &str = "{variant}";

/// The recorded state of a file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracked {
    /// From the folder of the ledger, with `/`.
    pub path: String,
    /// Hash of its content and of all names in it, in hexadecimal digits.
    pub hash: String,
}

/// The present state of the tracked paths of build `name`; for `None`, of the paths that all builds share.
///
/// # Errors
///
/// If a path does not exist or cannot be read.
pub fn tracked(paths: &[String], name: Option<&str>) -> Result<Vec<Tracked>, Error> {
    let wanted = paths.iter().filter(|path| path.contains(VARIANT) == name.is_some());
    let wanted = wanted.map(|path| path.replace(VARIANT, name.unwrap_or_default()));
    let of = |path: String| {
        if let Some(hash) = hash(Path::new(&path))? {
            return Ok(Tracked { path, hash });
        }
        let of = name.map_or(String::new(), |name| format!(" of {name}"));
        let problem = format!("expected a tracked file or folder{of}, found none");
        Err(Error::file(&path, problem, "build it, or correct the path that --track names"))
    };
    wanted.map(of).collect()
}

/// The first path that changed, and how: `bench.py changed`.
///
/// # Errors
///
/// If a path cannot be read.
pub fn changed(files: &[Tracked]) -> Result<Option<String>, Error> {
    for Tracked { path, hash: before } in files {
        match hash(Path::new(path))? {
            None => return Ok(Some(format!("{path} is missing"))),
            Some(now) if now != *before => return Ok(Some(format!("{path} changed"))),
            Some(_) => {}
        }
    }
    Ok(None)
}

/// The hash of a file, or of a folder with all its content; `None` if it does not exist.
fn hash(path: &Path) -> Result<Option<String>, Error> {
    let mut hasher = Xxh3::new();
    match add(path, &mut hasher) {
        Ok(()) => Ok(Some(format!("{:032x}", hasher.digest128()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { path: path.display().to_string(), doing: "read", source }),
    }
}

/// A link inside a folder is hashed by its target's name: it may lead back to its folder. A pipe or a device has no end.
fn add(path: &Path, hasher: &mut Xxh3) -> io::Result<()> {
    let kind = fs::metadata(path)?;
    if !kind.is_dir() {
        if !kind.is_file() {
            return Err(io::Error::other("it is no file and no folder"));
        }
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 16];
        let mut length = 0_u64;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
            length += read as u64;
        }
        hasher.update(&length.to_le_bytes());
        return Ok(());
    }
    let entries = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap_or_default().as_encoded_bytes();
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name);
        if entry.is_symlink() {
            hasher.update(fs::read_link(&entry)?.as_os_str().as_encoded_bytes());
        } else {
            add(&entry, hasher)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_a_folder_is_seen_and_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::create_dir_all(path("builds/p1/lib")).expect("a folder");
        fs::write(path("builds/p1/lib/a"), "1").expect("a file");
        fs::write(path("bench.py"), "x").expect("a file");
        let paths = [path("builds/{variant}"), path("bench.py")];
        let (own, shared) = (tracked(&paths, Some("p1")), tracked(&paths, None));
        let (own, shared) = (own.expect("hashes"), shared.expect("hashes"));
        assert_eq!(
            (own[0].path.clone(), shared[0].path.clone()),
            (path("builds/p1"), path("bench.py"))
        );
        assert_eq!(changed(&own).expect("hashes"), None);
        // The same bytes under another name, and in another file.
        fs::rename(path("builds/p1/lib/a"), path("builds/p1/lib/b")).expect("a name");
        assert_eq!(changed(&own).expect("hashes"), Some(format!("{} changed", path("builds/p1"))));
        fs::remove_file(path("bench.py")).expect("a file");
        assert_eq!(
            changed(&shared).expect("hashes"),
            Some(format!("{} is missing", path("bench.py")))
        );
        let missing = tracked(&paths, Some("p2")).expect_err("no build").to_string();
        assert!(
            missing.contains("expected a tracked file or folder of p2, found none"),
            "{missing}"
        );
    }
}
