//! Files and rows that hold what another input of the same call holds: their runs are counted once.
//!
//! Few digits may agree by chance, so files are compared by more than values: the same bytes (packed or not), the
//! same rows, and rows that name another input as their source.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_128;

use crate::input::arguments::{FileRuns, Fingerprint};
use beyondnoise_model::runs::{Origin, Run, Skipped, agree, is_enough_of};

/// The fingerprint of bytes.
pub(crate) fn fingerprint(bytes: &[u8]) -> Fingerprint {
    (bytes.len() as u64, xxh3_128(bytes))
}

/// Marks the runs of `files` that are copies of runs of others, with a note for the file.
pub(crate) fn mark(files: &mut [Vec<FileRuns>]) {
    let mut files: Vec<&mut FileRuns> = files.iter_mut().flatten().collect();
    if files.len() > 1 {
        whole_files(&mut files);
        rows_of_others(&mut files);
    }
}

/// Files with the content or the rows of an earlier one.
fn whole_files(files: &mut [&mut FileRuns]) {
    let mut contents: BTreeMap<Fingerprint, usize> = BTreeMap::new();
    let mut tables: BTreeMap<(usize, Vec<u64>), Vec<usize>> = BTreeMap::new();
    for at in 0..files.len() {
        let (earlier, later) = files.split_at_mut(at);
        let file = &mut *later[0];
        let Some(first) = file.runs.first() else { continue };
        let known = file.fingerprint.and_then(|content| contents.get(&content).copied());
        let known = known.filter(|known| earlier[*known].runs.len() == file.runs.len());
        let start = first.metrics.values().map(|value| value.value.to_bits()).collect();
        let same_start = tables.entry((file.runs.len(), start)).or_default();
        let alike = |known: &usize| same_rows(&earlier[*known].runs, &file.runs);
        let Some((known, what)) = known
            .map(|known| (known, "content"))
            .or_else(|| Some((same_start.iter().copied().find(alike)?, "rows")))
        else {
            contents.extend(file.fingerprint.map(|content| (content, at)));
            same_start.push(at);
            continue;
        };
        let original = &earlier[known];
        // A file that is given twice is known by its path.
        if original.runs[0].source.path == first.source.path {
            continue;
        }
        for (run, of) in file.runs.iter_mut().zip(&original.runs) {
            run.origin = Some(Box::new(Origin::Copy(of.place().clone())));
        }
        let why = format!("the same {what} as {}: its runs are counted once", original.input.path);
        file.input.skipped.push(Skipped { place: "file".to_owned(), why });
    }
}

/// Merges the metrics of tables with the same runs: people export one file per metric.
///
/// They are the same runs where every run has a name, both tables have the same ones of each variant, and no metric
/// is in both.
pub(crate) fn join(files: &mut [Vec<FileRuns>]) {
    let mut files: Vec<&mut FileRuns> = files.iter_mut().flatten().collect();
    if files.len() < 2 {
        return;
    }
    // Places of the runs of each file that stays, by the variants and names that it has.
    let mut known: BTreeMap<Names, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
    for at in 0..files.len() {
        let (earlier, later) = files.split_at_mut(at);
        let file = &mut *later[0];
        let Some((names, places)) = names_of(&file.runs) else { continue };
        let same = known.entry(names).or_default();
        let joins = |(first, others): &&(usize, Vec<usize>)| {
            let pairs = places.iter().zip(others);
            pairs.into_iter().all(|(&run, &other)| {
                let (run, other) = (&file.runs[run], &earlier[*first].runs[other]);
                let other_metric = |name: &str| !other.metrics.contains_key(name);
                other.workload == run.workload && run.metrics.keys().all(other_metric)
            })
        };
        let Some((first, others)) = same.iter().find(joins) else {
            same.push((at, places));
            continue;
        };
        let first = &mut *earlier[*first];
        for (place, other) in places.iter().zip(others) {
            let run = std::mem::take(&mut file.runs[*place]);
            if run.info.failure.is_some() {
                first.runs[*other].info.failure.clone_from(&run.info.failure);
            }
            first.runs[*other].metrics.extend(run.metrics);
            if !run.units.is_empty() {
                first.runs[*other].units.extend((*run.units).clone());
            }
        }
        file.runs.clear();
        let why = format!("more metrics of the runs of {}: merged", first.input.path);
        file.input.skipped.push(Skipped { place: "file".to_owned(), why });
    }
}

/// Variants and names of runs.
type Names = Vec<(String, String)>;

/// The variant and name of every run of a table, in order, with its place; `None` if a run has no name or shares one.
fn names_of(runs: &[Run]) -> Option<(Names, Vec<usize>)> {
    let name = |(at, run): (usize, &Run)| {
        let name = run.name.clone().filter(|name| run.info.of_table && !name.is_empty())?;
        Some(((run.variant.clone(), name), at))
    };
    let mut named: Vec<((String, String), usize)> =
        runs.iter().enumerate().map(name).collect::<Option<_>>()?;
    named.sort_unstable();
    let once = named.windows(2).all(|two| two[0].0 != two[1].0);
    (once && !named.is_empty()).then(|| named.into_iter().unzip())
}

/// Whether two tables have the same runs in one order, and chance cannot have made them so.
fn same_rows(runs: &[Run], others: &[Run]) -> bool {
    runs.iter().chain(others).all(|run| run.info.of_table)
        && runs.iter().zip(others).all(|(a, b)| {
            let values =
                |run: &Run| run.metrics.values().map(|value| value.value).collect::<Vec<_>>();
            let settings = a.workload == b.workload && a.metadata == b.metadata;
            a.metrics.keys().eq(b.metrics.keys())
                && values(a) == values(b)
                && settings
                && agree(a, b)
        })
        && is_enough_of(runs.iter())
}

/// The name of a file and the place in it, without its folders.
fn tail(place: &str) -> &str {
    place.rsplit(['/', '\\']).next().unwrap_or(place)
}

/// Rows that name another input as their source.
fn rows_of_others(files: &mut [&mut FileRuns]) {
    let stated = files.iter().flat_map(|file| &file.runs).filter_map(Run::stated_origin);
    let wanted: BTreeSet<String> = stated.map(|place| tail(place).to_owned()).collect();
    if wanted.is_empty() {
        return;
    }
    let mut known: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        for (index, run) in file.runs.iter().enumerate() {
            let place = run.source.to_string();
            if wanted.contains(tail(&place)) {
                known.entry(tail(&place).to_owned()).or_default().push((at, index));
            }
        }
    }
    for at in 0..files.len() {
        let mut copied: Vec<(usize, usize, usize)> = Vec::new();
        for (index, run) in files[at].runs.iter().enumerate() {
            let Some(place) = run.stated_origin() else { continue };
            let same = |&&(other, position): &&(usize, usize)| {
                let of = &files[other].runs[position];
                other != at && (of.source.to_string() == place || agree(run, of))
            };
            let found = known.get(tail(place)).and_then(|known| known.iter().find(same));
            copied.extend(found.map(|&(other, position)| (index, other, position)));
        }
        let Some(&(_, first, _)) = copied.first() else { continue };
        let path = files[first].input.path.clone();
        let several = copied.iter().any(|(_, other, _)| *other != first);
        let more = if several { " and other inputs" } else { "" };
        let why = format!(
            "{} of its runs are copies of runs in {path}{more}: counted once",
            copied.len()
        );
        for (index, other, position) in copied {
            let place = files[other].runs[position].place().clone();
            files[at].runs[index].origin = Some(Box::new(Origin::Copy(place)));
        }
        files[at].input.skipped.push(Skipped { place: "column source".to_owned(), why });
    }
}
