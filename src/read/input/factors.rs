//! The cells of a job: tags, columns and folders in which runs of one variant differ.
//!
//! Runs are repeats only if they agree in every setting. A key beside the workload that varies inside a variant
//! becomes a setting of the workload, unless earlier settings already determine it; one that is the same in all runs
//! of each variant describes the variant. Keys whose values occur in several variants come first.

use crate::input::variants::SPECIAL;
use std::collections::{BTreeMap, BTreeSet};

use crate::input::batch_cell::nobody_has;
use crate::input::variants::{take, value};
use crate::kit::{fields, short};
use crate::reader::{FOLDER, Options};
use crate::table::design::{Design, Judged, crossing};
use crate::table::role::Role;
use crate::table::role_words::{is_case, is_identity, is_level, is_remark};
use crate::table::row_settings::EMPTY;
use crate::table::values::{Numbers, is_round, number_role, text_role};
use beyondnoise_model::error::Error;
use beyondnoise_model::format::argument;
use beyondnoise_model::metrics::words::{Meaning, Quantity, Says, meaning};
use beyondnoise_model::runs::Run;
use beyondnoise_model::sanitize::cleaned;
use beyondnoise_model::units::Unit;

/// Keys of client files that are measured, or count a part of the run.
const MEASURED: &[&str] = &["attack_rate", "failed_checks", "total_num_tokens", "total_s"];

/// Output tokens of a request, as far as they were set.
const OUTPUT_LENGTH: &str = "output tokens per request";

/// Ratio of output lengths from which on they were requested so, and the fewest requests to show it.
const OTHER_LENGTH: f64 = 1.25;
const MIN_REQUESTS: u64 = 10;

/// Longest word that names a cell, in bytes, and the most columns of them.
const MAX_NAME: usize = 40;
const MAX_NAMES: usize = 2;

/// Values of a setting that are named in a sentence.
const MAX_VALUES: usize = 4;

/// Turns keys that vary inside a variant into settings, with a note, except those that the user pools or compares
/// across. A run that failed has a say in none of that: the input may hold only some of its settings.
///
/// # Errors
///
/// [`Error::Usage`] for a name that no run has, and for a setting that differs on purpose inside a variant.
pub(crate) fn split(runs: &mut Vec<Run>, options: &Options) -> Result<Vec<String>, Error> {
    let mut failed: Vec<Run> = runs.extract_if(.., |run| run.info.failure.is_some()).collect();
    let (said, chosen) = settings_of(runs, options)?;
    become_settings(&mut failed, &chosen);
    runs.append(&mut failed);
    Ok(said)
}

/// Makes settings of what varies in `runs`; returns what is said of them, and the keys.
fn settings_of(runs: &mut [Run], options: &Options) -> Result<(Vec<String>, Vec<String>), Error> {
    let mut said = Vec::new();
    for name in &options.pool {
        let values = taken(runs, name, "--pool")?;
        // It still describes the run.
        for (run, value) in runs.iter_mut().zip(&values) {
            if let Some(value) = value {
                run.metadata.insert(name.clone(), value.clone());
            }
        }
        let all: BTreeSet<&str> = values.iter().flatten().map(String::as_str).collect();
        said.push(format!("Runs are pooled over {name} ({}), as --pool asks.", listed(&all)));
    }
    let mut across = Vec::new();
    for name in &options.across_setting {
        across.push((name, taken(runs, name, "--across-setting")?));
    }
    said.extend(note_all(runs, options)?);
    let mut groups = groups_of(runs);
    let mut chosen: Vec<String> = Vec::new();
    let pooled = |key: &str| options.pool.iter().any(|name| name.eq_ignore_ascii_case(key));
    let open: Vec<(String, bool)> =
        candidates(runs).into_iter().filter(|(key, _)| !pooled(key)).collect();
    for (key, identity) in &open {
        let value = |run: &Run| run.metadata.get(key).cloned();
        if differs(runs, &groups, value) && !(*identity && all_differ(runs, &groups, value)) {
            refine(&mut groups, runs, value);
            chosen.push(key.clone());
        }
    }
    let names = names_of_cells(runs, &open, &chosen);
    chosen.extend(names);
    for (name, values) in across {
        said.extend(intentional(runs, &groups, name, &values)?);
    }
    said.extend(judged_separately(runs, &chosen));
    // Names and values are those of files.
    for text in &mut said {
        *text = cleaned(text);
    }
    become_settings(runs, &chosen);
    Ok((said, chosen))
}

/// Words that name the cells, each with one of its own, beside the settings that tell these apart already: `2k` beside a load
/// of 16. They are read by people.
fn names_of_cells(runs: &[Run], open: &[(String, bool)], chosen: &[String]) -> Vec<String> {
    let free = |key: &&String| !chosen.contains(key);
    let mut keys = open.iter().filter(|(_, identity)| !identity).map(|(key, _)| key).filter(free);
    let tables = runs.iter().all(|run| run.info.of_table);
    let Some(first) = keys.next().filter(|_| tables) else { return Vec::new() };
    let cell = |run: &Run| {
        let fields = run.workload.fields().into_iter().filter(|(name, _)| name != "input_tokens");
        let set =
            chosen.iter().filter_map(|key| Some((key.clone(), run.metadata.get(key)?.clone())));
        fields.chain(set).collect::<BTreeMap<String, String>>()
    };
    let cells: Vec<BTreeMap<String, String>> = runs.iter().map(cell).collect();
    let names = |key: &&String| {
        let (mut of, mut back) = (BTreeMap::new(), BTreeMap::new());
        let named = runs.iter().zip(&cells).all(|(run, cell)| {
            let Some(name) = run.metadata.get(*key) else { return false };
            let word = name.contains(|c: char| c.is_alphabetic()) && name.len() <= MAX_NAME;
            word && *of.entry(name).or_insert(cell) == cell
                && *back.entry(cell).or_insert(name) == name
        });
        named && of.len() > 1
    };
    [first].into_iter().chain(keys).filter(names).take(MAX_NAMES).cloned().collect()
}

/// Says which values of a setting the variants have, which is one in each variant and group.
fn intentional(
    runs: &[Run],
    groups: &[usize],
    name: &str,
    values: &[Option<String>],
) -> Result<Option<String>, Error> {
    let mut by_variant: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut first: BTreeMap<usize, &str> = BTreeMap::new();
    for ((run, value), group) in runs.iter().zip(values).zip(groups) {
        let Some(value) = value else { continue };
        by_variant.entry(&run.variant).or_default().insert(value);
        let known = *first.entry(*group).or_insert(value);
        if known != value {
            let variant = &run.variant;
            let problem = format!(
                "expected one {name} for each variant and setting with --across-setting, found {known} and {value} in \"{variant}\""
            );
            let remedy = "name the variants with --variant-column, or drop --across-setting";
            return Err(Error::usage(problem, remedy));
        }
    }
    let each = by_variant.iter().map(|(variant, all)| format!("{variant}: {}", listed(all)));
    let each: Vec<String> = each.take(MAX_VALUES).collect();
    let all: BTreeSet<&str> = by_variant.values().flatten().copied().collect();
    let differ = || format!("Variants differ in {name} intentionally ({}).", each.join("; "));
    Ok((all.len() > 1).then(differ))
}

/// Says in which settings runs of a variant differ.
fn judged_separately(runs: &[Run], chosen: &[String]) -> Vec<String> {
    let mut said = Vec::new();
    let differ: Vec<String> = chosen
        .iter()
        .map(|key| {
            let values = runs.iter().filter_map(|run| run.metadata.get(key));
            format!("{key} ({})", listed(&values.map(String::as_str).collect()))
        })
        .collect();
    if let [first, ..] = chosen {
        let each = if chosen.len() == 1 { "value" } else { "combination" };
        // Values of one variant are no settings of another: they are levels of repeats, if anything.
        let pool = if in_one_variant_each(runs, first) {
            String::new()
        } else {
            format!("; --pool {} counts them as repeats", argument(first))
        };
        said.push(format!(
            "Runs differ in {}: each {each} is judged separately{pool}.",
            differ.join(", ")
        ));
    }
    let levels: Vec<&str> = chosen.iter().map(String::as_str).filter(|key| is_level(key)).collect();
    // A value with one run of each variant has no level inside it.
    if !levels.is_empty() && is_repeated(runs, chosen) {
        let (names, levels) = (levels.join(" and "), levels.join(","));
        said.push(format!(
            "If {names} are nested levels of repeats (outer to inner), add --run-column {levels}."
        ));
    }
    said
}

/// Whether no value of a key is in two variants, though there are several.
fn in_one_variant_each(runs: &[Run], key: &str) -> bool {
    let mut of: BTreeMap<&String, &String> = BTreeMap::new();
    for run in runs {
        let Some(value) = run.metadata.get(key) else { continue };
        if *of.entry(value).or_insert(&run.variant) != &run.variant {
            return false;
        }
    }
    runs.iter().any(|run| run.variant != runs[0].variant)
}

/// Whether a variant has several runs that agree in these keys and the workload.
fn is_repeated(runs: &[Run], keys: &[String]) -> bool {
    let groups = groups_of(runs);
    let mut seen = BTreeSet::new();
    runs.iter().zip(groups).any(|(run, group)| {
        let values: Vec<Option<&String>> = keys.iter().map(|key| run.metadata.get(key)).collect();
        !seen.insert((group, values))
    })
}

/// Makes these keys settings of the workload; runs in a row that share theirs go on to share them.
fn become_settings(runs: &mut [Run], chosen: &[String]) {
    let mut before: Option<(Run, Run)> = None;
    for run in runs.iter_mut().filter(|_| !chosen.is_empty()) {
        let same = |was: &Run, run: &Run| {
            was.metadata.is_same(&run.metadata) && was.workload.is_same(&run.workload)
        };
        if let Some((_, is)) = before.as_ref().filter(|(was, _)| same(was, run)) {
            (run.metadata, run.workload) = (is.metadata.clone(), is.workload.clone());
            continue;
        }
        let kept = |run: &Run| Run {
            metadata: run.metadata.clone(),
            workload: run.workload.clone(),
            ..Run::default()
        };
        let was = kept(run);
        for key in chosen {
            if let Some(value) = run.metadata.remove(key) {
                run.workload.note(key, value);
            }
        }
        before = Some((was, kept(run)));
    }
}

/// The first of some values.
fn listed(values: &BTreeSet<&str>) -> String {
    let first: Vec<String> =
        values.iter().take(MAX_VALUES).map(|value| cleaned(&short(value))).collect();
    let more = values.len().saturating_sub(MAX_VALUES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}

/// Notes a setting of a run that no key states; returns what is in doubt.
fn note_all(runs: &mut [Run], options: &Options) -> Result<Vec<String>, Error> {
    note_output_lengths(runs);
    let doubts = note_numbers(runs, options);
    note_absent(runs);
    levels_or_none(runs)?;
    Ok(doubts)
}

/// Notes the length of the outputs where runs of one variant differ so much in it that it was set: clients do not always
/// write it down.
fn note_output_lengths(runs: &mut [Run]) {
    let length = |run: &Run| {
        let done = run.info.completed.filter(|done| *done >= MIN_REQUESTS)?;
        Some(run.info.output_tokens? as f64 / done as f64)
    };
    let mut all: Vec<f64> = runs.iter().filter_map(length).collect();
    all.sort_by(f64::total_cmp);
    let ends: Vec<f64> =
        all.windows(2).filter(|two| two[1] > OTHER_LENGTH * two[0]).map(|two| two[0]).collect();
    for run in runs.iter_mut().filter(|_| !ends.is_empty()) {
        let Some(length) = length(run) else { continue };
        let class = ends.partition_point(|end| *end < length);
        let low = if class == 0 { all.first() } else { all.iter().find(|x| **x > ends[class - 1]) };
        let low = low.copied().unwrap_or(length).round();
        run.metadata.insert(OUTPUT_LENGTH.to_owned(), format!("from {low}"));
    }
}

/// Makes a number with an unknown name a setting, if each table has one value of it and there are few values: a file
/// per setting. The same for numbers that recur in all variants by design, each table with one variant.
fn note_numbers(runs: &mut [Run], options: &Options) -> Vec<String> {
    let mut paths = runs.iter().filter(|run| run.info.of_table).map(|run| &run.source.path);
    let first = paths.next();
    if paths.all(|path| Some(path) == first) {
        return Vec::new();
    }
    let mut values: BTreeMap<String, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.info.of_table) {
        for (name, value) in &run.metrics {
            let of_file = values.entry(name.to_owned()).or_default();
            of_file.entry(&run.source.path).or_default().push(value.value);
        }
    }
    let set: Vec<String> = values
        .into_iter()
        .filter(|(name, files)| {
            let constant = |values: &Vec<f64>| {
                values.iter().all(|value| value.to_bits() == values[0].to_bits())
            };
            let named = options.metrics.iter().any(|metric| metric.eq_ignore_ascii_case(name));
            let Meaning { says, quantity, .. } = meaning(name);
            let strong =
                matches!(quantity, Quantity::Throughput | Quantity::Latency | Quantity::Time);
            let open = (says == Says::Nothing || says == Says::Measured && !strong) && !named;
            let all = || files.values().flatten().copied();
            open && files.len() > 1
                && files.values().all(constant)
                && Numbers::summarise(all()).are_set()
        })
        .map(|(name, _)| name)
        .collect();
    let (recurring, doubtful) = recurring(runs, options);
    let set = [set, recurring].concat();
    let mut said = settings_in_doubt(runs, options);
    for run in runs.iter_mut().filter(|run| run.info.of_table && !set.is_empty()) {
        for name in &set {
            if run.metrics.len() > 1
                && let Some(value) = run.metrics.remove(name)
            {
                run.metadata.insert(name.clone(), value.value.to_string());
            }
        }
    }
    let may_be_set: Vec<String> = doubtful
        .iter()
        .map(|name| {
            let flag = argument(name);
            format!(
                "{name} was read as measured; it may be a setting: batch --by {flag} reads it so."
            )
        })
        .collect();
    let all = [&may_be_set[..], &said[..]].concat();
    let doubt = all.join(" ").trim_end_matches('.').to_owned();
    for run in runs.iter_mut().filter(|run| run.info.of_table && !doubt.is_empty()) {
        run.info.doubt.get_or_insert_with(|| doubt.clone());
        run.info.may_be_settings.extend_from_slice(&doubtful);
    }
    said.splice(0..0, may_be_set);
    said
}

/// The settings, over all tables with one variant each, that may be measured: their numbers look measured, or the
/// variants have different values in the cells of the other settings.
fn settings_in_doubt(runs: &[Run], options: &Options) -> Vec<String> {
    if !each_table_has_one_variant(runs) {
        return Vec::new();
    }
    let tables: Vec<&Run> = runs.iter().filter(|run| run.info.of_table).collect();
    let keys: BTreeSet<&String> = tables.iter().flat_map(|run| run.metadata.keys()).collect();
    let named = |key: &str| {
        let lists = options.by.iter().chain(&options.pool).chain(&options.along);
        lists.chain(&options.metrics).any(|name| name.eq_ignore_ascii_case(key))
    };
    let mut variants: BTreeMap<&str, usize> = BTreeMap::new();
    let of: Vec<usize> = tables
        .iter()
        .map(|run| {
            let next = variants.len();
            *variants.entry(&run.variant).or_insert(next)
        })
        .collect();
    let judged = |key: &&String| {
        let with = tables.iter().zip(&of).filter_map(|(run, of)| {
            let number = fields::number(run.metadata.get(*key)?)?;
            Some(((number.value, 2.0 * number.resolution), *of))
        });
        let (numbers, of): (Vec<_>, Vec<usize>) = with.unzip();
        // A few may lack it.
        let mostly = 2 * numbers.len() > tables.len();
        judged_numbers(key, numbers.into_iter(), &of).filter(|_| mostly)
    };
    let open =
        keys.iter().copied().filter(|key| !named(key) && !is_identity(key) && !is_remark(key));
    let mut open: Vec<(&String, Judged)> =
        open.filter_map(|key| Some((key, judged(&key)?))).collect();
    open.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    // The likeliest settings first, so that those in doubt do not cut the cells of the others.
    let mut set: Vec<&String> =
        keys.into_iter().filter(|key| !open.iter().any(|(one, _)| one == key)).collect();
    let mut doubted = Vec::new();
    for (key, alone) in open {
        let mut cells: BTreeMap<Vec<Option<&String>>, usize> = BTreeMap::new();
        let mut rows = Vec::new();
        for (run, of) in tables.iter().zip(&of) {
            let cell = set.iter().map(|other| run.metadata.get(*other)).collect();
            let next = cells.len();
            let text = run.metadata.get(key).map_or(EMPTY, String::as_str);
            rows.push((text, *of, *cells.entry(cell).or_insert(next)));
        }
        let found = alone.with(crossing(&rows));
        let splits = || rows.iter().map(|(text, _, cell)| (text, cell)).collect::<BTreeSet<_>>();
        if found.score > 0.0 && !found.doubtful() {
            set.push(key);
        } else if splits().len() > cells.len() {
            doubted.push(key);
        }
    }
    let said = |key: &String| {
        let flag = argument(key);
        format!("{key} was read as a setting; it may be measured: --metric {flag} reads it so.")
    };
    doubted.into_iter().map(said).collect()
}

/// Whether no file with a table has runs of two variants, though there are two.
fn each_table_has_one_variant(runs: &[Run]) -> bool {
    let mut of_file: BTreeMap<&str, &str> = BTreeMap::new();
    let mut tables = runs.iter().filter(|run| run.info.of_table);
    let alone =
        tables.all(|run| *of_file.entry(&run.source.path).or_insert(&run.variant) == run.variant);
    alone && of_file.values().collect::<BTreeSet<_>>().len() > 1
}

/// The evidence on numbers, each with its step, of runs of some variants.
fn judged_numbers(
    name: &str,
    numbers: impl Iterator<Item = (f64, f64)>,
    variants: &[usize],
) -> Option<Judged> {
    let (mut values, mut resolution) = (Vec::new(), f64::INFINITY);
    for (value, step) in numbers {
        values.push(value);
        if value != 0.0 {
            resolution = resolution.min(step);
        }
    }
    let design = Design { values: &values, variants, resolution };
    design.judged(name).filter(|_| resolution.is_finite())
}

/// Names of the numbers that the design of all tables together set, each table with one variant, and of the numbers
/// that it may have set.
fn recurring(runs: &[Run], options: &Options) -> (Vec<String>, Vec<String>) {
    /// The values of a name with their resolutions, and the variant of each.
    type Values = (Vec<(f64, f64)>, Vec<usize>);
    if !each_table_has_one_variant(runs) {
        return Default::default();
    }
    let mut variants: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbers: BTreeMap<&str, Values> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.info.of_table) {
        let next = variants.len();
        let variant = *variants.entry(&run.variant).or_insert(next);
        for (name, value) in &run.metrics {
            let (values, of) = numbers.entry(name).or_default();
            values.push((value.value, 2.0 * fields::Number::binary(value.value).resolution));
            of.push(variant);
        }
    }
    let named = |name: &str| options.metrics.iter().any(|metric| metric.eq_ignore_ascii_case(name));
    let scores = numbers.into_iter().filter(|(name, _)| !named(name));
    let scores = scores.filter_map(|(name, (values, variants))| {
        // Round numbers that partly come back in another file look set, whatever their name says.
        let mut of: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
        for ((value, _), variant) in values.iter().zip(&variants) {
            of.entry((value + 0.0).to_bits()).or_default().insert(*variant);
        }
        let shared = of.len() > 1 && of.values().any(|found| found.len() > 1);
        let round = shared && values.iter().all(|(value, _)| is_round(*value));
        let found = judged_numbers(name, values.into_iter(), &variants)?;
        Some((name.to_owned(), found, round))
    });
    let (set, others): (Vec<_>, Vec<_>) = scores.partition(|(_, found, _)| found.score > 0.0);
    let name = |(name, ..): (String, Judged, bool)| name;
    let doubtful = others.into_iter().filter(|(_, found, round)| *round || found.doubtful());
    let doubtful = doubtful.map(name);
    (set.into_iter().map(name).collect(), doubtful.collect())
}

/// Notes that rows of a table have no value of a setting that others of their variant have: they are not the same.
fn note_absent(runs: &mut [Run]) {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.info.of_table && run.stated_origin().is_none()) {
        let keys = run.metadata.keys().map(String::as_str);
        known.entry(&run.variant).or_default().extend(keys.filter(|key| !SPECIAL.contains(key)));
    }
    let known: BTreeMap<String, Vec<String>> = known
        .into_iter()
        .map(|(variant, keys)| (variant.to_owned(), keys.into_iter().map(str::to_owned).collect()))
        .collect();
    for run in runs.iter_mut().filter(|run| run.info.of_table && run.stated_origin().is_none()) {
        for key in known.get(&run.variant).into_iter().flatten() {
            if !run.metadata.contains_key(key) {
                run.metadata.insert(key.clone(), EMPTY.to_owned());
            }
        }
    }
}

/// Checks that all runs have levels of repeats, or none.
fn levels_or_none(runs: &[Run]) -> Result<(), Error> {
    let without = runs.iter().find(|run| run.info.levels.is_empty());
    let with = runs.iter().find(|run| !run.info.levels.is_empty());
    let Some((without, with)) = without.zip(with) else { return Ok(()) };
    let levels: Vec<&str> = with.info.levels.iter().map(|(column, _)| column.as_str()).collect();
    Err(Error::usage(
        format!("expected {} in every run, found none in {}", levels.join(" and "), without.source),
        "give only tables that have them, or drop --run-column",
    ))
}

/// Takes a setting from all runs, with what each had.
fn taken(runs: &mut [Run], name: &str, flag: &str) -> Result<Vec<Option<String>>, Error> {
    if !runs.is_empty() && runs.iter().all(|run| value(run, name).is_none()) {
        return Err(nobody_has(name, flag, runs));
    }
    Ok(runs.iter_mut().map(|run| take(run, name)).collect())
}

/// The runs of one variant, cell and workload have one number.
fn groups_of(runs: &[Run]) -> Vec<usize> {
    let mut known: BTreeMap<(&str, BTreeMap<String, String>), usize> = BTreeMap::new();
    let mut groups: Vec<usize> = Vec::with_capacity(runs.len());
    for (at, run) in runs.iter().enumerate() {
        let same = |before: &usize| {
            let before: &Run = &runs[*before];
            before.workload.is_same(&run.workload)
                && before.cell.is_same(&run.cell)
                && before.variant == run.variant
        };
        if let Some(before) = at.checked_sub(1).filter(same) {
            groups.push(groups[before]);
            continue;
        }
        let mut fields = run.workload.fields();
        // They may differ a little in one workload.
        fields.remove("input_tokens");
        fields.extend(run.cell.iter().map(|(name, value)| (name.clone(), value.clone())));
        let next = known.len();
        groups.push(*known.entry((&run.variant, fields)).or_insert(next));
    }
    groups
}

/// Whether runs of one group differ in a value that they have.
fn differs(runs: &[Run], groups: &[usize], value: impl Fn(&Run) -> Option<String>) -> bool {
    let mut first: BTreeMap<usize, String> = BTreeMap::new();
    runs.iter().zip(groups).any(|(run, group)| {
        value(run)
            .is_some_and(|value| *first.entry(*group).or_insert_with(|| value.clone()) != value)
    })
}

/// Whether no two runs of one group share a value.
fn all_differ(runs: &[Run], groups: &[usize], value: impl Fn(&Run) -> Option<String>) -> bool {
    let mut seen = BTreeSet::new();
    runs.iter()
        .zip(groups)
        .all(|(run, group)| value(run).is_none_or(|value| seen.insert((group, value))))
}

/// Splits the groups by a value.
fn refine(groups: &mut [usize], runs: &[Run], value: impl Fn(&Run) -> Option<String>) {
    let mut known: BTreeMap<(usize, Option<String>), usize> = BTreeMap::new();
    for (group, run) in groups.iter_mut().zip(runs) {
        let next = known.len();
        *group = *known.entry((*group, value(run))).or_insert(next);
    }
}

/// Keys beside the workload that may be settings, those whose values occur in several variants first. The flag marks
/// keys that are different in every run of a variant and so only identify runs.
fn candidates(runs: &[Run]) -> Vec<(String, bool)> {
    #[derive(Default)]
    struct Key {
        of_table: bool,
        /// Of a table that `convert` did not write.
        own: bool,
        values: Vec<String>,
        variants: BTreeMap<String, BTreeSet<String>>,
    }
    let mut keys: BTreeMap<&str, Key> = BTreeMap::new();
    let mut last: Option<&Run> = None;
    for run in runs {
        if last
            .is_some_and(|last| last.metadata.is_same(&run.metadata) && last.variant == run.variant)
        {
            continue;
        }
        for (key, value) in run.metadata.iter() {
            let known = keys.entry(key).or_default();
            known.of_table |= run.info.of_table;
            known.own |= run.stated_origin().is_none();
            known.values.push(value.clone());
            known.variants.entry(value.clone()).or_default().insert(run.variant.clone());
        }
        last = Some(run);
    }
    let mut found: Vec<(bool, u8, String, bool)> = Vec::new();
    for (name, Key { of_table, own, values, variants }) in keys {
        // A history has one build after the other.
        let of_history = name == "build" && !own;
        let open = variants.len() > 1 && !SPECIAL.contains(&name) && !of_history;
        let known = of_table || name == OUTPUT_LENGTH || name == FOLDER;
        if !open || !known && !is_setting(name, &values) {
            continue;
        }
        let shared = variants.values().any(|variants| variants.len() > 1);
        let several = variants.values().flatten().collect::<BTreeSet<_>>().len() > 1;
        // Of settings that say the same the load is named, the rate and not the number of requests, or the work; fractions and
        // shares last, `1319 / 1319`.
        let number = |value: &String| match fields::number(value) {
            Some(number) => number.resolution < 0.5,
            None => !value.contains(char::is_alphabetic),
        };
        let rank = match () {
            () if meaning(name).unit == Some(Unit::RequestPerSecond) => 0,
            () if is_case(name) => 1,
            () if own && values.iter().all(number) => 3,
            () => 2,
        };
        found.push((!shared, rank, name.to_owned(), !known && !shared && several));
    }
    found.sort();
    found.into_iter().map(|(.., name, identity)| (name, identity)).collect()
}

/// Whether a key of a client's file is a setting, by its name and its values.
fn is_setting(name: &str, values: &[String]) -> bool {
    let last = name.rsplit(['.', '/']).next().unwrap_or(name);
    if is_identity(last)
        || is_remark(last)
        || MEASURED.contains(&last)
        || last.ends_with("_id") && last != "tokenizer_id"
    {
        return false;
    }
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    if let Some(numbers) = numbers {
        return number_role(last, &Numbers::summarise(numbers.into_iter())).0 == Role::Factor;
    }
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    text_role(&texts, values.len()).0 == Role::Factor
}
