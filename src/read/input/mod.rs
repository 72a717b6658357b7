//! From the inputs of the command line to labelled runs: files, folders, globs, `NAME=PATH`, `-`.

pub(crate) mod ambiguous_content;
pub(crate) mod arguments;
pub(crate) mod batch_cell;
pub(crate) mod claims;
pub(crate) mod copies;
pub(crate) mod factors;
pub(crate) mod files;
pub(crate) mod labels;
pub(crate) mod log;
pub(crate) mod made;
pub(crate) mod memory;
pub(crate) mod one_unit;
pub(crate) mod other_content;
#[cfg(feature = "s3")]
pub(crate) mod remote;
pub(crate) mod skipped;
pub(crate) mod timed;
pub(crate) mod variants;
pub(crate) mod walk;

use crate::input::arguments::{FileRuns, Spec, shown};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::input::ambiguous_content::other_results;
use crate::input::arguments::Fingerprint;
use crate::input::copies::fingerprint;
use crate::input::files::{Files, Progress};
use crate::input::labels::label;
use crate::input::one_unit::in_one_unit;
use crate::input::other_content::workbook;
use crate::input::skipped::{instead, what_it_is, why_not_taken, with_reason};
use crate::kit::limits::too_long;
use crate::reader::{Content, Found, Marks, Options, Reader};
use crate::registry::{definitions_of, reader_of};
use crate::store::Store;
use crate::table::csv::is_called_table;
use crate::table::own_reports;
use crate::text::around;
use beyondnoise_model::error::Error;
use beyondnoise_model::journal::Journal;
use beyondnoise_model::runs::{
    ColumnUse, Dataset, Input, LabelHint, Run, Skipped, Table, choose_baseline, label_hint,
};
use beyondnoise_model::sanitize::cleaned;
use beyondnoise_model::system::{FileId, file_id};

/// The content of the inputs.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// All runs, sorted into workloads and variants.
    pub dataset: Dataset,
    /// The first of exactly two inputs given without a name, or the variant that all changes in the inputs are against: the
    /// baseline, unless its label names a candidate.
    pub assumed_base: Option<String>,
    /// The files that hold results, or may: all that were read except those known to hold none.
    pub results: Vec<PathBuf>,
    /// The journals of the inputs that are folders of runs that the program made.
    pub made: Vec<Journal>,
}

/// Reads all `inputs`: each a file, a folder (walked), a glob, `-` for standard input, or any of these
/// as `NAME=PATH`, which gives all its runs to the variant NAME.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Input`] for the first file that cannot be read, in the order of the
/// inputs; with `options.lenient` such a file is left out and named in [`Dataset::inputs`].
pub fn load(inputs: &[String], options: &Options) -> Result<Loaded, Error> {
    load_with(inputs, options, &|_| {})
}

/// [`load`], which reports the progress to `watch`: after every few megabytes and every file, from any thread.
///
/// # Errors
///
/// Those of [`load`].
pub fn load_with(
    inputs: &[String],
    options: &Options,
    watch: &(dyn Fn(Progress) + Sync),
) -> Result<Loaded, Error> {
    let specs = inputs.iter().map(|text| Spec::parse(text, Store::Disk));
    load_in(Store::Disk, specs, options, watch)
}

/// [`load_with`], of files wherever they lie.
pub(crate) fn load_in(
    store: Store,
    inputs: impl Iterator<Item = Result<Spec, Error>>,
    options: &Options,
    watch: &(dyn Fn(Progress) + Sync),
) -> Result<Loaded, Error> {
    let (mut specs, mut made, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    let mut of_journal = Vec::new();
    for spec in inputs {
        let spec = spec?;
        if let Some((variants, journal)) = made::specs(&spec, store)? {
            of_journal.extend(variants.iter().map(|_| Some(made.len())));
            specs.extend(variants);
            failed.extend(made::failed(&journal, &spec.path));
            made.push(journal);
        } else {
            of_journal.push(None);
            specs.push(spec);
        }
    }
    let jobs: Vec<(usize, &Path, bool)> = specs
        .iter()
        .enumerate()
        .flat_map(|(index, spec)| spec.files.iter().map(move |f| (index, f.as_path(), spec.named)))
        .collect();
    let files = Files::new(jobs.iter().map(|(_, path, _)| *path), watch, store);
    let only = jobs.len() == 1;
    let one = |(_, path, named): &(usize, &Path, bool)| {
        (!files::is_large_table(path))
            .then(|| read_file(&files, path, (*named, false, only), options))
    };
    // A file at a time: halves of the list would leave one thread with nothing to do at the end.
    let read: Vec<Option<Result<FileRuns, Error>>> =
        jobs.par_iter().with_max_len(1).map(one).collect();
    // Large tables come one after the other, each read by all threads.
    let alone = |path: &Path, named: bool| read_file(&files, path, (named, true, only), options);
    let read = jobs
        .iter()
        .zip(read)
        .map(|((_, path, named), file)| file.unwrap_or_else(|| alone(path, *named)))
        .collect::<Result<Vec<FileRuns>, Error>>()?;
    let mut per_spec: Vec<Vec<FileRuns>> = specs.iter().map(|_| Vec::new()).collect();
    let (mut paths, mut results) = (BTreeMap::new(), Vec::new());
    for ((index, path, _), mut file) in jobs.iter().zip(read) {
        call_by_one_path(path, &mut file.runs, &mut paths);
        let expected = [EMPTY, NO_RESULT, own_reports::WHY];
        let nothing = |skipped: &Skipped| expected.contains(&&*skipped.why);
        if !file.runs.is_empty() || !file.input.skipped.iter().all(nothing) {
            results.push(path.to_path_buf());
        }
        per_spec[*index].push(file);
    }
    made::note(&specs, &mut per_spec, (&made, &of_journal), store);
    let mut loaded = labelled(&specs, per_spec, options)?;
    loaded.dataset.note_failed(failed);
    Ok(Loaded { results, made, ..loaded })
}

/// Why a file without a result is left out.
const EMPTY: &str = "an empty file";
const NO_RESULT: &str = "no benchmark result in it";

/// Gives the runs of a file that was already read by another path that first path, so that they are known to be
/// equal.
fn call_by_one_path(path: &Path, runs: &mut [Run], paths: &mut BTreeMap<FileId, Arc<str>>) {
    let Some((id, first)) = file_id(path).zip(runs.first()) else { return };
    let known = paths.entry(id).or_insert_with(|| Arc::clone(&first.source.path));
    for run in runs {
        if run.source.path != *known {
            run.source.path = Arc::clone(known);
        }
    }
}

/// Gives the runs of each input their variants and cells.
pub(crate) fn labelled(
    specs: &[Spec],
    mut per_spec: Vec<Vec<FileRuns>>,
    options: &Options,
) -> Result<Loaded, Error> {
    for (spec, files) in specs.iter().zip(&per_spec) {
        if files.iter().all(|file| file.runs.is_empty()) && !options.lenient {
            return Err(spec.nothing_found(files));
        }
    }
    for run in per_spec.iter_mut().flatten().flat_map(|file| &mut file.runs) {
        let definitions = run.workload.client.as_deref().map(definitions_of).unwrap_or_default();
        if run.workload.definitions != definitions {
            run.workload.definitions = definitions;
        }
    }
    in_one_unit(&mut per_spec, options.lenient)?;
    copies::mark(&mut per_spec);
    label(specs, &mut per_spec, options);
    variants::name_variants(specs, &mut per_spec, options)?;
    variants::leave_out_other_names(&mut per_spec, options);
    copies::join(&mut per_spec);
    let bare_pair = specs.len() == 2 && specs.iter().all(|spec| spec.name.is_none());
    let only_label = |files: &[FileRuns]| {
        let mut labels = files.iter().flat_map(|file| &file.runs).map(|run| &run.variant);
        let first = labels.next()?;
        labels.all(|label| label == first).then(|| cleaned(first))
    };
    let first_of_two = match &per_spec[..] {
        [a, b] if bare_pair => only_label(a).filter(|_| only_label(b).is_some()),
        _ => None,
    };
    for (spec, files) in specs.iter().zip(&mut per_spec) {
        let tables = files.iter_mut().flat_map(|file| &mut file.input.tables);
        for column in tables.flat_map(|table| &mut table.columns) {
            // The user names the variant of all runs there.
            if spec.name.is_some() && column.used == ColumnUse::Variant {
                column.used = ColumnUse::LeftOut;
            }
        }
    }
    let (mut runs, mut files) = (Vec::new(), Vec::new());
    for mut file in per_spec.into_iter().flatten() {
        if runs.is_empty() {
            runs = file.runs;
        } else {
            runs.append(&mut file.runs);
        }
        files.push(file.input);
    }
    batch_cell::assign(&mut runs, options)?;
    let named = specs.len() > 1 && specs.iter().all(|spec| spec.name.is_some());
    if options.in_order && options.order_by.is_none() && named {
        in_order_of_inputs(&mut runs);
    }
    timed::count_as_results(&mut runs);
    let said = factors::split(&mut runs, options)?;
    claims::place(&mut runs);
    let reference = first_of_two.is_none().then(|| claims::reference(&runs)).flatten();
    let reference = reference.filter(|name| label_hint(name) != LabelHint::Candidate);
    let mut dataset = Dataset::assemble(runs, files);
    dataset.said = said;
    let unnamed = choose_baseline(&dataset.variant_names(), None, None).is_err();
    if let Some(name) = reference.as_ref().filter(|_| unnamed && options.base.is_none()) {
        dataset.said.push(format!(
            "All changes that the text states are against {name}, the baseline; --base NAME takes another."
        ));
    }
    let assumed_base = first_of_two.or(reference);
    Ok(Loaded { dataset, assumed_base, results: Vec::new(), made: Vec::new() })
}

/// Gives every run the place of its variant in the order of the inputs, which the user named one by one.
fn in_order_of_inputs(runs: &mut [Run]) {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for run in runs {
        let next = places.len().to_string();
        run.info.place = Some(places.entry(cleaned(&run.variant)).or_insert(next).clone());
    }
}

fn read_file(
    files: &Files,
    file: &Path,
    (named, alone, only): (bool, bool, bool),
    options: &Options,
) -> Result<FileRuns, Error> {
    let shown = shown(file);
    let mut content = None;
    let found = files.read(file, |bytes| {
        let bytes = bytes.map_err(|source| {
            let path = shown.clone();
            Error::Io { path, doing: "read", source }
        })?;
        content = Some(fingerprint(bytes));
        let content = Content { path: &shown, bytes, alone, only, store: files.store };
        runs_of(&content, named, options)
    });
    outcome(&shown, (found, content), options)
}

/// The content of a file, with the name of its format if it is known.
pub(crate) type Recognised = (Option<&'static str>, Found);

/// The content of the file `path`; with `lenient` an error becomes a skipped file with its reason.
pub(crate) fn outcome(
    path: &str,
    (found, fingerprint): (Result<Recognised, Error>, Option<Fingerprint>),
    options: &Options,
) -> Result<FileRuns, Error> {
    let (format, Found { mut runs, skipped, mut tables, .. }) = match found {
        Err(error) if options.lenient => {
            let why = beyondnoise_model::error::chain(&error);
            let skipped = vec![Skipped { place: "file".to_owned(), why }];
            (None, Found { skipped, ..Found::default() })
        }
        found => found?,
    };
    let count = runs.iter().filter(|run| run.info.failure.is_none()).count();
    note_reading(&mut tables, &mut runs, options);
    let input = Input { path: path.to_owned(), format, runs: count, skipped, tables };
    Ok(FileRuns { input, runs, fingerprint })
}

/// Notes the columns over which the user pools, and in the runs of a file the doubts about its tables.
fn note_reading(tables: &mut [Table], runs: &mut [Run], options: &Options) {
    for column in tables.iter_mut().flat_map(|table| &mut table.columns) {
        if options.pool.contains(&column.name) {
            (column.used, column.close) = (ColumnUse::Pooled, None);
        }
    }
    let doubts: Vec<String> = tables.iter().filter_map(Table::doubts).collect();
    let doubt = doubts.join(". ");
    let pooled = tables.iter().flat_map(Table::may_be_settings);
    let pooled: Vec<String> = pooled.map(str::to_owned).collect();
    for run in runs.iter_mut().filter(|_| !doubt.is_empty()) {
        run.info.doubt = Some(doubt.clone());
        run.info.may_be_settings.clone_from(&pooled);
    }
}

/// The runs of a file with the name of its format, if it is of one that is known.
pub(crate) fn runs_of(
    content: &Content,
    named: bool,
    options: &Options,
) -> Result<(Option<&'static str>, Found), Error> {
    if let Some(error) = too_long(content.path, content.bytes()) {
        // In a folder it may be anything.
        let stop = named || is_called_table(content.path);
        return if stop { Err(error) } else { Ok((None, with_reason(&error))) };
    }
    if let Some(error) = workbook(content) {
        return if named { Err(error) } else { Ok((None, with_reason(&error))) };
    }
    let reader = reader_of(content, named);
    let mut found = match reader {
        Some(reader) => match (reader.read)(content, options) {
            Err(error) if !named && !options.lenient => instead(error, content, reader)?,
            found => complete(found?, content, reader, options)?,
        },
        None if named => Found::default(),
        None => why_not_taken(content, options),
    };
    if found.runs.is_empty() && found.skipped.is_empty() {
        if let Some(error) = cut_off(content) {
            // A file that is neither cut off nor JSON may be anything in a folder.
            if named || error.to_string().contains("end of the file") || is_blank(content) {
                return Err(error);
            }
            return Ok((None, with_reason(&error)));
        }
        if let Some(error) = what_it_is(content).filter(|_| named) {
            return Err(error);
        }
        let why = if content.bytes.is_empty() { EMPTY } else { NO_RESULT };
        found.skipped.push(Skipped { place: "file".to_owned(), why: why.to_owned() });
        return Ok((None, found));
    }
    Ok((reader.map(|reader| found.format.unwrap_or(reader.name)), found))
}

/// The runs of a reader, unless the file holds other results too.
fn complete(
    mut found: Found,
    content: &Content,
    reader: &Reader,
    options: &Options,
) -> Result<Found, Error> {
    match other_results(content, reader) {
        Some(error) if !options.lenient => return Err(error),
        Some(error) => {
            found.skipped.push(Skipped { place: "file".to_owned(), why: error.to_string() });
        }
        None => {}
    }
    if let Marks::Text(_) = reader.marks {
        around::add_claims(content.path, &content.text(), &mut found.runs);
    }
    Ok(found)
}

fn is_blank(content: &Content) -> bool {
    content.bytes().iter().all(u8::is_ascii_whitespace)
}

/// Why a file with the ending of JSON is not JSON: an empty or a cut-off result must not be lost silently.
fn cut_off(content: &Content) -> Option<Error> {
    let ending = content.path.rsplit('.').next().unwrap_or("");
    if !matches!(ending, "json" | "jsonl" | "ndjson") {
        return None;
    }
    if is_blank(content) {
        let remedy = "copy the file again, or remove it";
        return Some(Error::file(content.path, "expected JSON, found an empty file", remedy));
    }
    crate::kit::json_records::records(content.path, content.bytes()).err()
}
