//! History: earlier runs in a folder of Parquet files, from which later comparisons estimate their noise.
//!
//! Every call of `add` writes one file, named after its content. So two processes may add at once, and adding the same runs
//! again changes nothing. The files are tidy tables like those of `convert`, with a row for each run and metric and the
//! workload in columns. There is no index and no server.

use std::collections::{BTreeMap, BTreeSet};
#[cfg(feature = "tables")]
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::read;
#[cfg(feature = "tables")]
use crate::runs::Variant;
use crate::runs::{Dataset, Group, Run, Source, agree, copies, same_run};
#[cfg(feature = "tables")]
use crate::write::replace;

/// Ending of the files of a history.
const ENDING: &str = ".parquet";

/// Key of the build in the metadata of a run.
const BUILD: &str = "build";

/// The result of adding runs to a history.
#[cfg(feature = "tables")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Path of the file.
    pub path: PathBuf,
    /// Number of runs in it.
    pub runs: usize,
    /// Number of variants with two or more runs: only these show noise by themselves.
    pub repeated: usize,
    /// Number of runs that the history had already; they are not added again.
    pub again: usize,
    /// Whether the history had all of them; `path` is then the file of the first.
    pub known: bool,
    /// Files of the history that could not be read, and why.
    pub unread: Vec<String>,
}

/// Adds the runs of `dataset` to the history in `folder`, which is created if necessary.
///
/// Runs of one variant from different calls are different builds, unless `build` or a column `build` names the build. Then runs
/// of the same variant and build are repeats, and differences between days count as noise. With `build`, single runs whose
/// labels name no variant are repeats of it. Runs in the history are not added again, whatever the name of their file. Copies
/// are recognised by their rows, or by their values if these have 15 or more digits in all.
///
/// # Errors
///
/// [`Error::Io`] if the folder or the file cannot be written, [`Error::Usage`] without runs, or for runs of another build than
/// `build`.
#[cfg(feature = "tables")]
pub fn add(dataset: &Dataset, folder: &Path, build: Option<&str>) -> Result<Added, Error> {
    let runs = dataset.runs().count();
    if runs == 0 {
        let problem = "expected at least one run to add to the history, found none";
        return Err(Error::usage(problem, "give the client's result files"));
    }
    let mut dataset = dataset.clone();
    move_builds_to_metadata(&mut dataset);
    if let Some(build) = build {
        join_unnamed_runs(&mut dataset, build);
    }
    let options = read::Options { lenient: true, ..read::Options::default() };
    let there = if holds_runs(folder) {
        read::load(&[folder.display().to_string()], &options)?.dataset
    } else {
        Dataset::default()
    };
    let unread: Vec<String> =
        there.inputs.iter().flat_map(|input| &input.skipped).map(|left| left.why.clone()).collect();
    let (again, found) = remove_known_runs(&mut dataset, &there);
    if let Some(first) = found.filter(|_| again == runs) {
        let path = PathBuf::from(&*first.source.path);
        return Ok(Added { path, runs, repeated: 0, again, known: true, unread });
    }
    set_build(&mut dataset, build)?;
    let runs = runs - again;
    let path = folder.join(name_of(&dataset)?);
    // A damaged file is written again.
    let own = |run: &&Run| Path::new(&*run.source.path) == path;
    let known = path.is_file() && there.runs().map(|(.., run)| run).filter(own).count() == runs;
    if !known {
        std::fs::create_dir_all(folder).map_err(|source| {
            let path = folder.display().to_string();
            Error::Io { path, doing: "write", source }
        })?;
        replace(&path, &read::tidy(&dataset, read::Tidy::Parquet)?)?;
    }
    let variants = dataset.groups.iter().flat_map(|group| &group.variants);
    let repeated = variants.filter(|variant| variant.runs.len() > 1).count();
    Ok(Added { path, runs, repeated, again, known, unread })
}

/// Makes the build of each run metadata: as a setting it would separate every build from the next.
#[cfg(feature = "tables")]
fn move_builds_to_metadata(dataset: &mut Dataset) {
    for group in &mut dataset.groups {
        group.workload.other.remove(BUILD);
        for run in group.variants.iter_mut().flat_map(|variant| &mut variant.runs) {
            if let Some(build) = run.workload.other.remove(BUILD) {
                run.metadata.insert(BUILD.to_owned(), build);
            }
        }
    }
}

/// Removes runs that are already in the history; returns their number and the first of them.
#[cfg(feature = "tables")]
fn remove_known_runs<'a>(dataset: &mut Dataset, there: &'a Dataset) -> (usize, Option<&'a Run>) {
    let old: Vec<Vec<&Run>> = files_of(&there.groups).into_iter().flatten().collect();
    let copied = copies(&series_of(&dataset.groups), &old, false);
    let (mut again, mut found) = (0, None);
    let variants = dataset.groups.iter_mut().flat_map(|group| &mut group.variants);
    for (variant, copied) in variants.zip(copied) {
        variant.runs.retain(|run| {
            let same = |old: &&Run| if copied { agree(old, run) } else { same_run(old, run) };
            let earlier = there.runs().map(|(.., old)| old).find(same);
            again += usize::from(earlier.is_some());
            found = found.take().or(earlier);
            earlier.is_none()
        });
    }
    (again, found)
}

/// Gives all runs the build, if there is one; refuses runs of another build.
#[cfg(feature = "tables")]
fn set_build(dataset: &mut Dataset, build: Option<&str>) -> Result<(), Error> {
    let Some(build) = build else { return Ok(()) };
    for run in all_runs(dataset) {
        if let Some(own) = run.metadata.get(BUILD).filter(|own| *own != build) {
            let problem =
                format!("expected runs of the build {build}, found {} of {own}", run.source);
            return Err(Error::usage(problem, "drop --build, or name the build of the file"));
        }
        run.metadata.insert(BUILD.to_owned(), build.to_owned());
    }
    Ok(())
}

/// Makes single runs whose labels name no variant, such as files in a folder, repeats of a variant named like the build.
#[cfg(feature = "tables")]
fn join_unnamed_runs(dataset: &mut Dataset, build: &str) {
    for group in dataset.groups.iter_mut().filter(|group| group.is_one_build()) {
        let mut joined = Variant { name: build.to_owned(), ..Variant::default() };
        for variant in group.variants.drain(..) {
            joined.runs.extend(variant.runs);
            joined.failed.extend(variant.failed);
        }
        let all = joined.runs.iter_mut().chain(&mut joined.failed);
        all.for_each(|run| build.clone_into(&mut run.variant));
        group.variants.push(joined);
    }
}

/// Name of the file for the runs: a hash of their rows as text, without their source. It is the same for every writer of
/// Parquet, and for copies.
#[cfg(feature = "tables")]
fn name_of(dataset: &Dataset) -> Result<String, Error> {
    let mut nowhere = dataset.clone();
    all_runs(&mut nowhere).for_each(|run| run.source = Source::default());
    let content = read::tidy(&nowhere, read::Tidy::Csv)?;
    Ok(format!("{:032x}{ENDING}", xxhash_rust::xxh3::xxh3_128(&content)))
}

#[cfg(feature = "tables")]
fn all_runs(dataset: &mut Dataset) -> impl Iterator<Item = &mut Run> {
    let variants = dataset.groups.iter_mut().flat_map(|group| &mut group.variants);
    variants.flat_map(|variant| &mut variant.runs)
}

/// Whether a folder has files of a history.
#[cfg(feature = "tables")]
fn holds_runs(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.path().to_string_lossy().ends_with(ENDING))
}

/// Reads the history in `folder`, without the runs that `job` also has. `folder` may also be an address such as
/// `s3://bucket/folder`.
///
/// A variant of the result has the runs of one build: the runs of a variant in one file, or of one variant and build in all
/// files. A folder of other result files is read as every command reads it. With `lenient`, files that cannot be read are
/// skipped and listed in [`Dataset::inputs`].
///
/// # Errors
///
/// As [`read::load`], and [`Error::Usage`] for an S3 address if the program was built without the feature `s3`.
pub fn load(folder: &str, job: &Dataset, lenient: bool) -> Result<Dataset, Error> {
    let options = read::Options { lenient, ..read::Options::default() };
    let loaded = everything(folder, &options)?;
    let inputs = loaded.inputs;
    let own = runs_of_job(&loaded.groups, job);
    let mut runs = Vec::new();
    for group in loaded.groups {
        for variant in group.variants {
            for mut run in variant.runs {
                if own.contains(&run.source) {
                    continue;
                }
                if run.source.path.ends_with(ENDING) {
                    let build = run.metadata.get(BUILD).map_or(&*run.source.path, |b| b);
                    run.variant = format!("{} ({build})", variant.name);
                }
                runs.push(run);
            }
        }
    }
    Ok(Dataset::assemble(runs, inputs))
}

/// The runs of a history that are also in `job`, or copies of them.
fn runs_of_job(history: &[Group], job: &Dataset) -> BTreeSet<Source> {
    let ours: Vec<&Run> = job.runs().map(|(.., run)| run).collect();
    let series: Vec<Vec<&Run>> = series_of(&job.groups);
    let mut own = BTreeSet::new();
    for file in files_of(history) {
        // One call adds one file: if all its runs agree, few digits prove copies.
        for (runs, copied) in file.iter().zip(copies(&file, &series, true)) {
            let same = |run: &&&Run| {
                copied || ours.iter().any(|own| same_run(own, run) || is_stated(run, own))
            };
            own.extend(runs.iter().filter(same).map(|run| run.source.clone()));
        }
    }
    own
}

/// Whether a run of a history states the other run as its origin, and both agree.
fn is_stated(run: &Run, other: &Run) -> bool {
    // The folder may have moved.
    let tail = |place: &str| place.rsplit(['/', '\\']).next().map(str::to_owned);
    let places = [Some(other.source.to_string()), other.stated_origin().map(str::to_owned)];
    run.stated_origin().is_some_and(|stated| {
        places.iter().flatten().any(|place| tail(place) == tail(stated)) && agree(run, other)
    })
}

/// The runs of each variant of each workload.
fn series_of(groups: &[Group]) -> Vec<Vec<&Run>> {
    let variants = groups.iter().flat_map(|group| &group.variants);
    variants.map(|variant| variant.runs.iter().collect()).collect()
}

/// The runs of each variant of each workload, by file.
fn files_of(groups: &[Group]) -> Vec<Vec<Vec<&Run>>> {
    let mut files: BTreeMap<&str, Vec<Vec<&Run>>> = BTreeMap::new();
    for runs in series_of(groups) {
        let mut of_file: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
        for run in runs {
            of_file.entry(&run.source.path).or_default().push(run);
        }
        for (path, runs) in of_file {
            files.entry(path).or_default().push(runs);
        }
    }
    files.into_values().collect()
}

fn everything(folder: &str, options: &read::Options) -> Result<Dataset, Error> {
    #[cfg(feature = "s3")]
    if read::is_remote(folder) {
        return read::load_remote(folder, options);
    }
    #[cfg(not(feature = "s3"))]
    if folder.starts_with("s3://") {
        let problem = format!("cannot read {folder}: this beyondnoise was built without S3");
        return Err(Error::usage(
            problem,
            "build it with --features s3, or copy the files to a folder",
        ));
    }
    Ok(read::load(&[folder.to_owned()], options)?.dataset)
}
