//! Names of variants where the input gives none: from the arguments, folders and file names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::Arc;

use crate::input::arguments::{FileRuns, Spec};
use crate::kit::commands;
use crate::reader::{COMMAND, FOLDER, Options, Purpose, SAVED_AS};
use crate::table::pasted::LINES;
use crate::table::role::Role;
use beyondnoise_model::runs::{ColumnUse, LabelHint, Run, label_hint};

/// Gives every run its variant.
///
/// A name that the user gave comes first, then labels inside a file that has several, then the folders
/// in which the files of an input lie, then other labels, then file names.
///
/// Folders by which runs of one variant differ are a setting, [`FOLDER`].
pub(crate) fn label(specs: &[Spec], per_spec: &mut [Vec<FileRuns>], options: &Options) {
    let bare: Vec<&Spec> = specs.iter().filter(|spec| spec.name.is_none()).collect();
    let bare_names = names_of_inputs(&bare);
    let says = |name: &str| label_hint(name) != LabelHint::Neither;
    let inputs_are_sides = specs.len() > 1 && bare_names.iter().any(|name| says(name));
    let mut bare_names = bare_names.into_iter();
    for (spec, files) in specs.iter().zip(&mut *per_spec) {
        for file in files.iter_mut().filter(|_| spec.name.is_none()) {
            split_labels(file);
        }
        if let Some(name) = &spec.name {
            labels_are_settings(files, options);
            set(files, |_, _| Some(name.clone()));
            continue;
        }
        let own_name = bare_names.next().unwrap_or_default();
        if !options.variant_column.is_empty() {
            set(files, |_, run| run.variant.is_empty().then(|| own_name.clone()));
            continue;
        }
        let labels = |files: &[FileRuns]| -> usize {
            // Runs of one label mostly follow each other.
            let of_runs = files.iter().flat_map(|file| file.runs.chunk_by(same_label));
            of_runs.map(|runs| runs[0].variant.as_str()).collect::<BTreeSet<_>>().len()
        };
        let commands = all_have(files, COMMAND);
        let several_in_a_file =
            !commands && files.iter().any(|file| labels(std::slice::from_ref(file)) > 1);
        if specs.len() > 1 && (commands || labels(files) < 2) {
            set(files, |_, _| Some(own_name.clone()));
            continue;
        }
        // `main.md` and `pr.md`, each with rows of several engines.
        let mut own = files.iter().flat_map(|file| &file.runs).map(|run| run.variant.as_str());
        if inputs_are_sides && !own.any(says) {
            labels_are_settings(files, options);
            set(files, |_, _| Some(own_name.clone()));
            continue;
        }
        let paths: Vec<String> = files
            .iter()
            .filter(|file| !file.runs.is_empty())
            .map(|file| file.input.path.clone())
            .collect();
        let level = folder_level(&paths);
        let folders = level.map(|at| names_at(&paths, at));
        let in_one_folder = folders.is_none();
        let names = folders.unwrap_or_else(|| without_counters(&stems(&paths)));
        // A command names a variant where no path does.
        let told = || names.iter().any(|name| label_hint(name) != LabelHint::Neither);
        let inside = match labels(files) {
            _ if all_have(files, SAVED_AS) => true,
            1 => paths.len() == 1,
            _ if commands => paths.len() == 1 || in_one_folder && !told(),
            _ => several_in_a_file || in_one_folder,
        };
        let by_path: BTreeMap<String, String> = paths.into_iter().zip(names).collect();
        if !inside {
            labels_are_settings(files, options);
        }
        set(files, |path, run| {
            let own = inside && !run.variant.is_empty();
            (!own).then(|| by_path.get(path).cloned().unwrap_or_default())
        });
    }
    note_folders(specs, per_spec);
}

/// Splits labels of a text that name a variant inside of its work: `[NO_CACHE] 1 thread`, `[CACHE] 1 thread`, ...
fn split_labels(FileRuns { input, runs, .. }: &mut FileRuns) {
    let columns = input.tables.iter().flat_map(|table| &table.columns);
    let mut named = columns.filter(|column| column.used == ColumnUse::Variant);
    let open = |run: &Run| {
        let command = run.metadata.contains_key(COMMAND);
        run.workload.label.is_none() && !command && !run.variant.is_empty()
    };
    if named.next().is_some() {
        return;
    }
    if runs.iter().all(open) {
        commands::split(runs);
    } else {
        commands::split_names(runs, input.format == Some(LINES.name));
    }
}

fn same_label(a: &Run, b: &Run) -> bool {
    a.variant == b.variant
}

/// Whether every run has something under a key of its metadata.
fn all_have(files: &[FileRuns], key: &str) -> bool {
    files.iter().flat_map(|file| &file.runs).all(|run| run.metadata.contains_key(key))
}

/// Whether each variant has one command of its own, and these differ in words alone: the command is that of the variant.
fn are_of_variants(runs: &[Run]) -> bool {
    let pairs: BTreeSet<(&str, &str)> = runs
        .iter()
        .filter_map(|run| Some((&*run.variant, &**run.metadata.get(COMMAND)?)))
        .collect();
    let sides: BTreeSet<&str> = pairs.iter().map(|(variant, _)| *variant).collect();
    let commands: BTreeSet<&str> = pairs.iter().map(|(_, command)| *command).collect();
    if sides.len() < pairs.len() || commands.len() < pairs.len() {
        return false;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for command in &commands {
        for word in command.split([' ', '=']).collect::<BTreeSet<&str>>() {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut own = counts.iter().filter(|(_, count)| **count < commands.len());
    own.all(|(word, _)| word.contains(char::is_alphabetic))
}

/// Names the variants that get another name; several commands of a file that then name none are workloads.
fn set(files: &mut [FileRuns], name: impl Fn(&str, &Run) -> Option<String>) {
    for FileRuns { input, runs, .. } in files {
        let commands: BTreeSet<String> =
            runs.iter().filter_map(|run| run.metadata.get(COMMAND).cloned()).collect();
        for run in &mut *runs {
            if let Some(name) = name(&input.path, run) {
                run.variant = name;
            }
        }
        if commands.len() < 2 || are_of_variants(runs) {
            continue;
        }
        for run in runs {
            let command = run.metadata.get(COMMAND);
            if let Some(command) = command.filter(|command| **command != run.variant) {
                run.workload.label = Some(command.clone());
            }
        }
    }
}

/// Keeps the labels inside files as a setting if the input or its folders name the variant: rows under different labels
/// are no repeats. One file has several labels, or a column of each file has its own; labels that only count runs are
/// left out.
fn labels_are_settings(files: &mut [FileRuns], options: &Options) {
    // For its noise the user says that they are repeats of one build: main=PATH.
    if options.purpose != Purpose::Comparison {
        return;
    }
    let in_column = |file: &FileRuns| {
        let columns = file.input.tables.iter().flat_map(|table| &table.columns);
        columns.into_iter().any(|column| column.used == ColumnUse::Variant)
    };
    let stem = |run: &Run| match counted(&run.variant) {
        Some((stem, Some(_))) => stem.to_owned(),
        _ => run.variant.clone(),
    };
    let stems = |files: &[&FileRuns]| -> usize {
        // Runs of one label mostly follow each other.
        let runs = files.iter().flat_map(|file| file.runs.chunk_by(same_label));
        runs.map(|runs| stem(&runs[0])).collect::<BTreeSet<String>>().len()
    };
    let tables: Vec<&FileRuns> = files.iter().filter(|file| in_column(file)).collect();
    let apart = stems(&tables) > 1;
    for file in files {
        let commands = file.runs.iter().any(|run| run.metadata.contains_key(COMMAND));
        if commands || !(apart && in_column(file) || stems(&[file]) > 1) {
            continue;
        }
        let columns = file.input.tables.iter_mut().flat_map(|table| &mut table.columns);
        let mut key = LABEL.to_owned();
        for column in columns.filter(|column| column.used == ColumnUse::Variant) {
            key.clone_from(&column.name);
            (column.used, column.role, column.why) =
                (ColumnUse::Setting, Role::Factor.word(), "the input names the variant");
        }
        for run in file.runs.iter_mut().filter(|run| !run.variant.is_empty()) {
            run.metadata.insert(key.clone(), run.variant.clone());
        }
    }
}

/// The setting of labels that no column has.
const LABEL: &str = "label";

/// One name per input without a name of its own.
fn names_of_inputs(specs: &[&Spec]) -> Vec<String> {
    let paths: Vec<String> = specs.iter().map(|spec| fixed_part(spec)).collect();
    let last: Vec<String> = specs.iter().zip(&paths).map(|(s, path)| last_part(s, path)).collect();
    let distinct: BTreeSet<&String> = last.iter().collect();
    let files = specs.len() > 2 && specs.iter().all(|spec| spec.named);
    let parents: BTreeSet<Option<&Path>> = paths.iter().map(|p| Path::new(p).parent()).collect();
    // A pattern that the shell resolved: several folders, several files each.
    let shared = files && parents.len() > 1 && parents.len() < specs.len();
    if shared || distinct.len() < last.len() {
        folder_names(&paths).unwrap_or(paths)
    } else if files {
        without_counters(&last)
    } else {
        last
    }
}

/// The path up to its first component with a wildcard.
fn fixed_part(spec: &Spec) -> String {
    let path = &spec.path;
    let wild = |part: &Component| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    if spec.folder || spec.file {
        return path.clone();
    }
    let fixed: std::path::PathBuf =
        Path::new(path).components().take_while(|part| !wild(part)).collect();
    if fixed.as_os_str().is_empty() { path.clone() } else { fixed.display().to_string() }
}

/// Last component of a path, of a file without its ending.
fn last_part(spec: &Spec, path: &str) -> String {
    let path = Path::new(path);
    if spec.named && spec.file {
        return stem(path);
    }
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    name(path)
        .or_else(|| name(&path.canonicalize().ok()?))
        .unwrap_or_else(|| path.display().to_string())
}

/// For each file the folder by which it differs from the others; `None` if all are in one folder.
fn folder_names(paths: &[String]) -> Option<Vec<String>> {
    folder_level(paths).map(|at| names_at(paths, at))
}

/// The level of folders by which files differ: the first on the way that differs, or the first with a name of a
/// baseline or a candidate.
fn folder_level(paths: &[String]) -> Option<usize> {
    let folders: Vec<Vec<String>> = paths.iter().map(|path| folders_of(path)).collect();
    let depth = folders.iter().map(Vec::len).max()?;
    let differing: Vec<usize> = (0..depth)
        .filter(|&at| {
            let names: BTreeSet<_> = folders.iter().map(|parts| parts.get(at)).collect();
            names.len() > 1 && !names.iter().flatten().all(|name| is_repeat(name))
        })
        .collect();
    let says = |at: &usize| {
        let names = folders.iter().filter_map(|parts| parts.get(*at));
        names.into_iter().any(|name| label_hint(name) != LabelHint::Neither)
    };
    differing.iter().copied().find(|at| says(at)).or(differing.first().copied())
}

/// The folder of each file at this level; the name of the file where it lies above.
fn names_at(paths: &[String], at: usize) -> Vec<String> {
    let name =
        |path: &String| folders_of(path).get(at).cloned().unwrap_or_else(|| stem(Path::new(path)));
    paths.iter().map(name).collect()
}

/// Notes the folders by which the files of a variant differ and that neither count repeats nor are the name of the
/// benchmark, such as `h100` and `h200` above `main` and `pr`: those below the user's input, or of its path if that is a
/// file.
fn note_folders(specs: &[Spec], per_spec: &mut [Vec<FileRuns>]) {
    let mut paths: BTreeMap<Arc<str>, BTreeMap<usize, String>> = BTreeMap::new();
    let mut names: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    for (spec, files) in specs.iter().zip(&*per_spec).filter(|(spec, _)| spec.made.is_empty()) {
        let below = if spec.named { 0 } else { folders_of(&fixed_part(spec)).len() };
        for run in files.iter().flat_map(|file| file.runs.iter().take(1)) {
            let path = &run.source.path;
            // Inputs begin at different levels.
            let parts = folders_of(path).into_iter().enumerate().skip(below);
            let parts: BTreeMap<usize, String> = parts.collect();
            for (level, part) in &parts {
                names.entry((*level, run.variant.clone())).or_default().insert(part.clone());
            }
            paths.insert(Arc::clone(path), parts);
        }
    }
    names.retain(|_, names| {
        let repeats = names.iter().all(|name| is_repeat(name)) || count_runs(names);
        names.len() > 1 && !repeats
    });
    if names.is_empty() {
        return;
    }
    // The folders at a level by the benchmark that lies in them.
    let mut of_label: BTreeMap<usize, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    let labelled = per_spec.iter().flatten().flat_map(|file| &file.runs);
    for run in labelled {
        let label = run.workload.label.as_deref().unwrap_or_default();
        for (level, part) in paths.get(&run.source.path).into_iter().flatten() {
            of_label.entry(*level).or_default().entry(label).or_default().insert(part);
        }
    }
    let names_benchmark = |level: &usize| {
        let labels = of_label.get(level);
        labels.is_some_and(|all| all.len() > 1 && all.values().all(|names| names.len() == 1))
    };
    let levels = names.keys().map(|(level, _)| *level);
    let settings: BTreeSet<usize> = levels.filter(|level| !names_benchmark(level)).collect();
    for run in per_spec.iter_mut().flatten().flat_map(|file| &mut file.runs) {
        let parts = paths.get(&run.place().path).filter(|_| !settings.is_empty());
        let names: Vec<&str> = settings
            .iter()
            .filter_map(|level| parts.and_then(|parts| parts.get(level)))
            .map(String::as_str)
            .collect();
        if !names.is_empty() {
            run.metadata.insert(FOLDER.to_owned(), names.join("/"));
        }
    }
}

/// Whether bare numbers count runs: from 0 or 1 without a gap, three or more.
fn count_runs(names: &BTreeSet<String>) -> bool {
    let counters: Vec<Option<u64>> = names.iter().map(|name| name.parse().ok()).collect();
    names.len() > 2 && counters.iter().all(Option::is_some) && gapless(&counters)
}

/// Whether a folder is one of several runs or loads of one variant: `run_0002`, `trial=3`, `20261121_013242`,
/// `parallel_4_number_40`.
fn is_repeat(name: &str) -> bool {
    const WORDS: [&str; 8] = ["run", "rep", "repeat", "round", "trial", "iter", "iteration", "r"];
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let split = |sep: [char; 2]| name.split_once(sep);
    let stamp = split(['_', '-']).is_some_and(|(date, time)| {
        date.len() == 8 && time.len() == 6 && digits(date) && digits(time)
    });
    let load = ["parallel_", "rate_"].iter().any(|word| {
        let numbers = name.strip_prefix(word).and_then(|rest| rest.split_once("_number_"));
        numbers.is_some_and(|(level, number)| level.parse::<f64>().is_ok() && digits(number))
    });
    let lower = name.to_lowercase();
    let word = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let counted =
        word.len() < lower.len() && WORDS.contains(&word.trim_end_matches(['_', '-', '=']));
    stamp || load || counted
}

fn folders_of(path: &str) -> Vec<String> {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let normal = |part: Component| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    };
    folder.components().filter_map(normal).collect()
}

/// The name of a file without its ending. An ending that starts with a digit is part of the name: `v0.9.1`,
/// `qwen2.5-7b`.
pub(crate) fn stem(file: &Path) -> String {
    let digit = |ending: &OsStr| ending.as_encoded_bytes().first().is_some_and(u8::is_ascii_digit);
    let name =
        if file.extension().is_some_and(digit) { file.file_name() } else { file.file_stem() };
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stems(paths: &[String]) -> Vec<String> {
    paths.iter().map(|path| stem(Path::new(path))).collect()
}

/// File names without times and counters that number their runs. `fp8` and `fp16`, or `pr-12` and `main`, are
/// unchanged: a counter runs from 0 or 1 without a gap, over all files or over the files of each variant.
fn without_counters(names: &[String]) -> Vec<String> {
    let parts = names.iter().map(|name| numbered(name).or_else(|| counted(name)));
    let parts: Option<Vec<(&str, Option<u64>)>> = parts.collect();
    let Some(parts) = parts else { return names.to_vec() };
    let mut groups: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    for (bare, counter) in &parts {
        groups.entry(bare).or_default().push(*counter);
    }
    let all: Vec<Option<u64>> = parts.iter().map(|(_, counter)| *counter).collect();
    let counts = gapless(&all) || groups.values().all(|counters| gapless(counters));
    if counts && (2..names.len()).contains(&groups.len()) {
        parts.into_iter().map(|(bare, _)| bare.to_owned()).collect()
    } else {
        names.to_vec()
    }
}

/// Whether counters start at 0 or 1 and leave nothing out; times always do.
fn gapless(counters: &[Option<u64>]) -> bool {
    let mut known: Vec<u64> = counters.iter().copied().flatten().collect();
    known.sort_unstable();
    known.is_empty()
        || (known.len() == counters.len()
            && known[0] <= 1
            && known.windows(2).all(|pair| pair[1] == pair[0] + 1))
}

/// `main` and 3 from `0003_main`, as pytest-benchmark numbers its files; a time after the name is left out.
fn numbered(name: &str) -> Option<(&str, Option<u64>)> {
    let (number, rest) = name.split_once('_')?;
    let digits = number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    let bare = counted(rest).filter(|(_, number)| number.is_none()).map_or(rest, |(bare, _)| bare);
    (digits && number.starts_with('0') && !bare.is_empty()).then(|| (bare, number.parse().ok()))
}

/// `before` and 3 from `before-3` or `before_run3`, and no number from `before-20261121-015123`.
fn counted(name: &str) -> Option<(&str, Option<u64>)> {
    const SEPARATORS: [char; 3] = ['-', '_', ' '];
    let digits =
        |text: &str| text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let length = digits(name);
    let (bare, number) = name.split_at(name.len() - length);
    if length == 0 {
        return None;
    }
    if length >= 6 {
        let time = bare.trim_end_matches(['-', '_', 'T', '.', ' ']);
        let date = if digits(time) == 8 { &time[..time.len() - 8] } else { time };
        let left = date.trim_end_matches(SEPARATORS).trim_end_matches('.');
        return (length >= 8 || digits(time) == 8)
            .then_some((left, None))
            .filter(|_| !left.is_empty());
    }
    let words = ["run", "rep", "round", "trial", "r"];
    // A point behind a digit is one of a version.
    let point = || bare.strip_suffix('.').filter(|left| digits(left) == 0);
    let separated = bare.strip_suffix(SEPARATORS).or_else(point);
    let before = separated.unwrap_or(bare);
    let word = words.iter().find_map(|word| before.strip_suffix(word)?.strip_suffix(SEPARATORS));
    let left = word.or(separated).filter(|left| !left.is_empty())?;
    Some((left, number.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn what_counts_runs_is_no_part_of_a_variant() {
        for (names, variants) in [
            (&["before-1", "before-2", "after-1"][..], &["before", "before", "after"][..]),
            (&["A_00", "A_01", "B_00"], &["A", "A", "B"]),
            (&["before.1", "before.2", "after.1"], &["before", "before", "after"]),
            (&["a.20261121", "a.20261122", "b.20261121"], &["a", "a", "b"]),
            (&["main_run1", "main_run2", "pr_run1"], &["main", "main", "pr"]),
            (&["0001_main", "0002_pr", "0003_main"], &["main", "pr", "main"]),
            (&["01_a_20261121", "02_a_20261122", "03_b_20261122"], &["a", "a", "b"]),
            // Numbered through as run alternately.
            (&["a-01", "b-02", "b-03", "a-04"], &["a", "b", "b", "a"]),
            (
                &[
                    "a-inf-Qwen3-8B-20261121-015123",
                    "a-inf-Qwen3-8B-20261121-015200",
                    "b-20261121-020000",
                ],
                &["a-inf-Qwen3-8B", "a-inf-Qwen3-8B", "b"],
            ),
        ] {
            assert_eq!(without_counters(&owned(names)), variants);
        }
    }

    #[test]
    fn numbers_that_do_not_count_stay() {
        for names in [
            &["fp8", "fp16", "base"][..],
            &["v1", "v2", "main"],
            &["pr-12", "pr-34", "main-1"],
            &["llama-2", "llama-3", "qwen-3"],
            &["a-1", "a-2"],
            &["v0.9.1", "v0.9.2", "v0.10.0"],
            &["base", "opt-1", "opt-2"],
            &["pr.12", "pr.34", "main.1"],
            &["v1.0", "v1.1", "v2.0"],
            &["08_main", "16_main", "08_pr"],
            &["01_a_20261121_uncommited-changes", "02_a_20261122_uncommited-changes"],
        ] {
            assert_eq!(without_counters(&owned(names)), names);
        }
    }

    #[test]
    fn a_version_is_no_ending() {
        for (file, name) in [
            ("x/v0.9.1", "v0.9.1"),
            ("v0.9.1.txt", "v0.9.1"),
            ("qwen2.5-7b", "qwen2.5-7b"),
            ("before.log", "before"),
            ("main", "main"),
        ] {
            assert_eq!(stem(Path::new(file)), name, "{file}");
        }
    }

    #[test]
    fn folders_name_variants_where_they_differ() {
        let names = |paths: &[&str]| folder_names(&owned(paths));
        assert_eq!(names(&["x/a/1.json", "x/b/1.json"]), Some(owned(&["a", "b"])));
        assert_eq!(names(&["x/1.json", "x/2.json"]), None);
        let models = ["m/before/1.json", "m/after/1.json", "n/before/1.json", "n/after/1.json"];
        assert_eq!(names(&models), Some(owned(&["before", "after", "before", "after"])));
        assert_eq!(names(&["x/a/1.json", "x/base.json"]), Some(owned(&["a", "base"])));
        // Repeats and loads are no variants.
        assert_eq!(names(&["x/run_0001/e.json", "x/run_0002/e.json"]), None);
        assert_eq!(names(&["x/20261121_013242/s.json", "x/20261121_013300/s.json"]), None);
        assert_eq!(names(&["parallel_2_number_20/s.json", "parallel_4_number_40/s.json"]), None);
        let both = ["a/run_1/e.json", "a/run_2/e.json", "b/run_1/e.json"];
        assert_eq!(names(&both), Some(owned(&["a", "a", "b"])));
    }
}
