//! Which files a folder or a pattern of the shell means.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

use beyondnoise_model::system::file_id;

/// Paths that match a pattern of the shell, sorted; also unreadable ones.
pub(crate) fn matching(pattern: &str) -> Vec<PathBuf> {
    if !pattern.contains(['*', '?', '[']) {
        return Vec::new();
    }
    if pattern.contains("**") {
        return matching_below(pattern);
    }
    let found = glob::glob(pattern).into_iter().flatten();
    found.map(|entry| entry.unwrap_or_else(|error| error.path().to_owned())).collect()
}

/// Paths that match a pattern of any depth: links may lead in circles.
fn matching_below(pattern: &str) -> Vec<PathBuf> {
    let Ok(wanted) = Pattern::new(pattern) else { return Vec::new() };
    let is_plain = |part: &Component| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let start: PathBuf = Path::new(pattern).components().take_while(is_plain).collect();
    let here = start.as_os_str().is_empty();
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    files_below(if here { Path::new(".") } else { &start }, true)
        .into_iter()
        .map(|path| {
            path.strip_prefix(".").map(Path::to_owned).ok().filter(|_| here).unwrap_or(path)
        })
        .filter(|path| wanted.matches_path_with(path, options))
        .collect()
}

/// All files below `folder`, sorted, without hidden ones unless these are `wanted`; also what cannot be looked into.
///
/// A folder behind several links is walked by the first of them, and in its place.
pub(crate) fn files_below(folder: &Path, hidden_wanted: bool) -> Vec<PathBuf> {
    let mut linked = BTreeSet::new();
    let mut is_wanted = |entry: &walkdir::DirEntry| {
        let hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
        if hidden && !hidden_wanted {
            return false;
        }
        let link = entry.depth() > 0 && entry.path_is_symlink() && entry.file_type().is_dir();
        !link || file_id(entry.path()).is_none_or(|id| linked.insert(id))
    };
    let entries = walkdir::WalkDir::new(folder).follow_links(true).sort_by_file_name();
    let mut files = Vec::new();
    for entry in entries.into_iter().filter_entry(|entry| is_wanted(entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
            Ok(_) => {}
            // A link that leads back up was walked already.
            Err(error) if error.loop_ancestor().is_some() => {}
            // A link that leads nowhere, a folder without permission.
            Err(error) => files.push(error.path().unwrap_or(folder).to_owned()),
        }
    }
    files
}
