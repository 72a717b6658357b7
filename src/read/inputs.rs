//! From what the user typed to labelled runs: files, folders, globs, `NAME=PATH`, `-`.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::error::Error;
use crate::read::{Content, Found, Options, READERS};
use crate::runs::{Dataset, Input, Run, Skipped};

/// What the inputs hold.
#[derive(Debug)]
pub struct Loaded {
    /// All runs, sorted into workloads and variants.
    pub dataset: Dataset,
    /// The first of exactly two inputs given without a name: the baseline, unless its label says the
    /// opposite.
    pub first_of_two: Option<String>,
}

/// One argument of the user.
struct Spec {
    name: Option<String>,
    path: String,
    files: Vec<PathBuf>,
    /// A folder that was walked; names variants by its sub-folders.
    folder: Option<PathBuf>,
    /// The one file that the user named.
    named: bool,
}

/// What one file gave.
struct FileRuns {
    input: Input,
    runs: Vec<Run>,
}

/// Reads all `inputs`: each a file, a folder (walked), a glob, `-` for standard input, or any of these
/// as `NAME=PATH`, which gives all its runs to the variant NAME.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Input`] for the first file that cannot be read, in the order of the
/// inputs; with `options.lenient` such a file is left out and named in [`Dataset::inputs`].
pub fn load(inputs: &[String], options: &Options) -> Result<Loaded, Error> {
    let specs: Vec<Spec> = inputs.iter().map(|text| Spec::parse(text)).collect::<Result<_, _>>()?;
    let jobs: Vec<(usize, &Path, bool)> = specs
        .iter()
        .enumerate()
        .flat_map(|(index, spec)| spec.files.iter().map(move |f| (index, f.as_path(), spec.named)))
        .collect();
    let read: Vec<Result<FileRuns, Error>> =
        jobs.par_iter().map(|(_, path, named)| read_file(path, *named, options)).collect();
    let mut per_spec: Vec<Vec<FileRuns>> = specs.iter().map(|_| Vec::new()).collect();
    for ((index, ..), file) in jobs.iter().zip(read) {
        per_spec[*index].push(file?);
    }
    for (spec, files) in specs.iter().zip(&per_spec) {
        if files.iter().all(|file| file.runs.is_empty()) && !options.lenient {
            return Err(spec.nothing_found(files));
        }
    }
    label(&specs, &mut per_spec);
    let bare_pair = specs.len() == 2 && specs.iter().all(|spec| spec.name.is_none());
    let labels: Vec<BTreeSet<String>> = per_spec
        .iter()
        .map(|files| files.iter().flat_map(|f| &f.runs).map(|run| run.variant.clone()).collect())
        .collect();
    let first_of_two = match &labels[..] {
        [a, b] if bare_pair && a.len() == 1 && b.len() == 1 => a.first().cloned(),
        _ => None,
    };
    let (mut runs, mut files) = (Vec::new(), Vec::new());
    for file in per_spec.into_iter().flatten() {
        runs.extend(file.runs);
        files.push(file.input);
    }
    Ok(Loaded { dataset: Dataset::assemble(runs, files), first_of_two })
}

impl Spec {
    fn parse(text: &str) -> Result<Self, Error> {
        let named = text.split_once('=').filter(|(name, path)| {
            !name.is_empty()
                && !path.is_empty()
                && !name.contains(['/', '\\'])
                && !Path::new(text).exists()
        });
        let (name, path) = named.map_or((None, text), |(name, path)| (Some(name.to_owned()), path));
        let (files, folder) = Self::files(path)?;
        let named = folder.is_none() && files.len() == 1;
        Ok(Self { name, path: path.to_owned(), files, folder, named })
    }

    fn files(path: &str) -> Result<(Vec<PathBuf>, Option<PathBuf>), Error> {
        let itself = PathBuf::from(path);
        if path == "-" || itself.is_file() {
            return Ok((vec![itself], None));
        }
        if itself.is_dir() {
            return Ok((walk(&itself)?, Some(itself)));
        }
        let pattern = path.contains(['*', '?', '[']);
        if let Some(found) = pattern.then(|| glob::glob(path).ok()).flatten() {
            let mut files = Vec::new();
            for entry in found.flatten() {
                if entry.is_dir() { files.extend(walk(&entry)?) } else { files.push(entry) }
            }
            if files.is_empty() {
                let problem = "expected files that match the pattern, found none";
                return Err(Error::file(path, problem, "check the path and the quotes around it"));
            }
            return Ok((files, None));
        }
        match std::fs::metadata(&itself) {
            // A pipe, such as the shell's <(command).
            Ok(_) => Ok((vec![itself], None)),
            Err(source) => Err(Error::Io { path: path.to_owned(), doing: "read", source }),
        }
    }

    fn nothing_found(&self, files: &[FileRuns]) -> Error {
        let formats: Vec<&str> = crate::read::formats().collect();
        let formats = formats.join(", ");
        if self.folder.is_some() && files.is_empty() {
            let problem = "expected result files in the folder, found no file";
            return Error::file(&self.path, problem, "give the folder that holds the results");
        }
        let problem = format!("expected benchmark results ({formats}), found none of these");
        let remedy = if files.len() == 1 {
            "give the client's result file, or the text block that it prints"
        } else {
            "give the folder that holds the results"
        };
        Error::file(&self.path, problem, remedy)
    }

    /// Last component of the path, without an ending; of a pattern the last one without a wildcard.
    fn last_component(&self) -> String {
        let fixed = Path::new(&self.path)
            .components()
            .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']))
            .collect::<PathBuf>();
        let fixed = if fixed.as_os_str().is_empty() { PathBuf::from(&self.path) } else { fixed };
        let canonical = || fixed.canonicalize().ok();
        match fixed.file_name() {
            Some(_) if fixed.is_file() => stem(&fixed),
            Some(name) => name.to_string_lossy().into_owned(),
            None => canonical()
                .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .unwrap_or_else(|| self.path.clone()),
        }
    }
}

/// All files below `folder`, sorted, without hidden ones.
fn walk(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.')
    };
    let mut files = Vec::new();
    let entries = walkdir::WalkDir::new(folder).follow_links(true).sort_by_file_name();
    for entry in entries.into_iter().filter_entry(|entry| !hidden(entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
            Ok(_) => {}
            // A link that leads back up was walked already.
            Err(error) if error.loop_ancestor().is_some() => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).display().to_string();
                let source =
                    error.into_io_error().unwrap_or_else(|| std::io::Error::other("unreadable"));
                return Err(Error::Io { path, doing: "read", source });
            }
        }
    }
    Ok(files)
}

fn read_file(file: &Path, named: bool, options: &Options) -> Result<FileRuns, Error> {
    let shown = if file == Path::new("-") {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    };
    let mut input = Input { path: shown.clone(), format: None, runs: 0, skipped: Vec::new() };
    let leave_out = |error: Error| {
        if !options.lenient {
            return Err(error);
        }
        let why = crate::error::chain(&error);
        Ok(FileRuns {
            input: Input {
                path: shown.clone(),
                format: None,
                runs: 0,
                skipped: vec![Skipped { place: "file".to_owned(), why }],
            },
            runs: Vec::new(),
        })
    };
    let bytes = match bytes_of(file) {
        Ok(bytes) => bytes,
        Err(source) => return leave_out(Error::Io { path: shown.clone(), doing: "read", source }),
    };
    let content = Content { path: &shown, bytes: &bytes };
    let Some(reader) = READERS.iter().find(|reader| (reader.recognise)(&content, named)) else {
        let why = if bytes.is_empty() { "an empty file" } else { "no benchmark result in it" };
        input.skipped.push(Skipped { place: "file".to_owned(), why: why.to_owned() });
        return Ok(FileRuns { input, runs: Vec::new() });
    };
    match (reader.read)(&content, options) {
        Ok(Found { mut runs, skipped }) => {
            for run in &mut runs {
                clean_labels(run);
            }
            input.format = Some(reader.name);
            input.runs = runs.len();
            input.skipped = skipped;
            Ok(FileRuns { input, runs })
        }
        Err(error) => leave_out(error),
    }
}

fn bytes_of(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    } else {
        std::fs::read(file)
    }
}

/// Labels come from files: control characters and marks that change the direction of text are taken out.
fn clean_labels(run: &mut Run) {
    let clean = |text: &mut String| {
        if text.chars().any(unprintable) {
            *text = text.chars().filter(|c| !unprintable(*c)).collect();
        }
    };
    clean(&mut run.variant);
    for text in
        [&mut run.workload.label, &mut run.workload.model, &mut run.workload.dataset, &mut run.name]
    {
        text.as_mut().map(clean);
    }
    if run.metrics.keys().any(|name| name.chars().any(unprintable)) {
        let metrics = std::mem::take(&mut run.metrics);
        run.metrics = metrics
            .into_iter()
            .map(|(mut name, value)| {
                clean(&mut name);
                (name, value)
            })
            .collect();
    }
}

fn unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Gives every run its variant.
fn label(specs: &[Spec], per_spec: &mut [Vec<FileRuns>]) {
    let several = specs.len() > 1;
    let by_folder = several && specs.iter().all(|spec| spec.named) && shared_folders(specs);
    let stems = reduced(specs.iter().filter(|spec| spec.named).map(|spec| Path::new(&spec.path)));
    let mut stems = stems.into_iter();
    for (spec, files) in specs.iter().zip(per_spec) {
        let own_stem = if spec.named { stems.next() } else { None };
        if let Some(name) = &spec.name {
            set(files, |_, _| name.clone());
            continue;
        }
        let own: BTreeSet<&str> =
            files.iter().flat_map(|f| &f.runs).map(|run| run.variant.as_str()).collect();
        let inside = own.iter().filter(|label| !label.is_empty()).count();
        if several && inside < 2 {
            let name = if by_folder {
                parent(Path::new(&spec.path))
            } else if specs.len() > 2 {
                own_stem.unwrap_or_else(|| spec.last_component())
            } else {
                spec.last_component()
            };
            set(files, |_, _| name.clone());
            continue;
        }
        let outer = |file: &str| match &spec.folder {
            Some(folder) => below(folder, Path::new(file)),
            None => None,
        };
        let folders: BTreeSet<Option<String>> =
            files.iter().filter(|f| !f.runs.is_empty()).map(|f| outer(&f.input.path)).collect();
        let paths: Vec<String> = files.iter().map(|f| f.input.path.clone()).collect();
        let stems = reduced(paths.iter().map(Path::new));
        let from_path = |file: &str| {
            let position = paths.iter().position(|path| path == file).unwrap_or(0);
            if folders.len() > 1 { outer(file) } else { None }
                .unwrap_or_else(|| stems[position].clone())
        };
        set(files, |file, run| {
            if inside >= 2 && !run.variant.is_empty() {
                run.variant.clone()
            } else {
                from_path(file)
            }
        });
    }
}

fn set(files: &mut [FileRuns], name: impl Fn(&str, &Run) -> String) {
    for FileRuns { input, runs } in files {
        for run in runs {
            run.variant = name(&input.path, run);
        }
    }
}

/// First folder below `root` on the way to `file`.
fn below(root: &Path, file: &Path) -> Option<String> {
    let mut parts = file.strip_prefix(root).ok()?.components();
    let first = parts.next()?;
    parts.next()?;
    Some(first.as_os_str().to_string_lossy().into_owned())
}

fn parent(file: &Path) -> String {
    file.parent()
        .and_then(Path::file_name)
        .map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// Whether the files of a shell's pattern lie in several folders with several files each.
fn shared_folders(specs: &[Spec]) -> bool {
    let folders: Vec<String> = specs.iter().map(|spec| parent(Path::new(&spec.path))).collect();
    let distinct: BTreeSet<&String> = folders.iter().collect();
    distinct.len() > 1
        && distinct.len() < folders.len()
        && !distinct.iter().any(|name| name.is_empty())
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Names of files without what counts their runs, unless that leaves a single name.
fn reduced<'a>(files: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let full: Vec<String> = files.map(stem).collect();
    let short: Vec<String> = full.iter().map(|name| without_run(name)).collect();
    let distinct: BTreeSet<&String> = short.iter().collect();
    if distinct.len() > 1 && !distinct.iter().any(|name| name.is_empty()) { short } else { full }
}

/// `before` from `before-3`, `before_run2` or `before-20261121-015123`.
fn without_run(stem: &str) -> String {
    let bare = stem.trim_end_matches(|c: char| c.is_ascii_digit() || "-_.T:".contains(c));
    for word in ["run", "rep", "round", "trial", "r"] {
        if let Some(rest) = bare.strip_suffix(word).filter(|rest| rest.ends_with(['-', '_', '.'])) {
            return rest.trim_end_matches(['-', '_', '.']).to_owned();
        }
    }
    bare.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_runs_is_no_part_of_a_variant() {
        for (stem, variant) in [
            ("before-3", "before"),
            ("A_00", "A"),
            ("main_run2", "main"),
            ("before-infqps-Qwen3-8B-20261121-015123", "before-infqps-Qwen3-8B"),
        ] {
            assert_eq!(without_run(stem), variant);
        }
        let names = reduced(["x/a-1.json", "x/a-2.json"].iter().map(Path::new));
        assert_eq!(names, ["a-1", "a-2"]);
    }
}
