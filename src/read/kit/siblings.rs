//! Files that lie beside a result and belong to it.

use std::path::{Path, PathBuf};

use crate::kit::tree::{Node, objects};
use crate::reader::Content;

/// Path of a file beside this one; none for standard input.
pub(crate) fn beside(content: &Content, name: &str) -> Option<PathBuf> {
    let path = Path::new(content.path);
    let folder = path.parent()?;
    let other = folder.join(name);
    (other != path && content.store.is_file(&other)).then_some(other)
}

/// The file beside this one with another ending.
pub(crate) fn twin(content: &Content, ending: &str) -> Option<PathBuf> {
    let stem = Path::new(content.path).file_stem()?.to_string_lossy().into_owned();
    beside(content, &format!("{stem}.{ending}"))
}

/// All objects of a JSON file beside this one; empty if there is none or it cannot be read.
pub(crate) fn json_beside(content: &Content, name: &str) -> Vec<Node> {
    let Some(path) = beside(content, name) else { return Vec::new() };
    let Ok(bytes) = content.store.read(&path) else { return Vec::new() };
    objects(&path.display().to_string(), &bytes).unwrap_or_default()
}

/// Name of the folder in which the file lies.
pub(crate) fn folder(content: &Content) -> Option<String> {
    let folder = Path::new(content.path).parent()?.file_name()?;
    Some(folder.to_string_lossy().into_owned())
}

/// The first folder above the file that is a time stamp: `20261121_013242`.
pub(crate) fn time_stamp(content: &Content) -> Option<String> {
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|b| b.is_ascii_digit());
    Path::new(content.path).ancestors().skip(1).find_map(|folder| {
        let name = folder.file_name()?.to_str()?;
        let (date, time) = name.split_once(['_', '-'])?;
        (digits(date, 8) && digits(time, 6)).then(|| name.to_owned())
    })
}

/// Whether a folder beside the file holds `run=0.json`.
pub(crate) fn holds_runs_below(content: &Content) -> bool {
    let folder = Path::new(content.path).parent();
    folder.is_some_and(|folder| content.store.is_in_folder_of(folder, "run=0.json"))
}
