//! Variants named by columns, tags or settings, whatever the format: `--variant-column`, or the only one with a value
//! that names a baseline.

use crate::reader::{COMMAND, SAVED_AS};
use beyondnoise_model::runs::ITERATIONS;
use std::collections::{BTreeMap, BTreeSet};

use crate::input::batch_cell::{look, nobody_has};
use beyondnoise_model::error::Error;

use crate::input::arguments::{FileRuns, Spec};
use crate::kit::fields::{RunField, field_of_column, is_set};
use crate::reader::{Options, Purpose};
use crate::table::role_words::is_case;
use beyondnoise_model::runs::{ColumnUse, LabelHint, Run, Setting, label_hint, negates};

/// Names the variants after the columns, tags or settings that the user names, or else after the key that has a value
/// naming the baseline.
///
/// # Errors
///
/// [`Error::Usage`] for a name that no run has.
pub(crate) fn name_variants(
    specs: &[Spec],
    per_spec: &mut [Vec<FileRuns>],
    options: &Options,
) -> Result<(), Error> {
    let names = &options.variant_column;
    let unnamed = specs.iter().zip(per_spec.iter_mut()).filter(|(spec, _)| spec.name.is_none());
    let files: Vec<&mut FileRuns> = unnamed.flat_map(|(_, files)| files).collect();
    let columns = || {
        let tables = files.iter().flat_map(|file| &file.input.tables);
        tables.flat_map(|table| &table.columns)
    };
    let named = columns().any(|column| column.used == ColumnUse::Variant);
    let changes = columns().any(|column| column.used == ColumnUse::Claim);
    let mut runs: Vec<&mut Run> = files.into_iter().flat_map(|file| &mut file.runs).collect();
    if runs.is_empty() {
        return Ok(());
    }
    if names.is_empty() {
        let alone = specs.len() == 1 && runs.iter().all(|run| run.variant == runs[0].variant);
        let base = options.base.as_deref();
        let words = || {
            let guessed = !named && options.purpose == Purpose::Comparison;
            if guessed { only_words(&runs, options) } else { None }
        };
        // Changes of the rows that a baseline names are of what the table does not hold.
        let changed = |key: &String| {
            let own = |run: &&&mut Run| {
                value(run, key).is_some_and(|name| label_hint(&name) == LabelHint::Baseline)
            };
            let mut claims = runs.iter().filter(own).flat_map(|run| &run.info.claims);
            claims.any(|claim| claim.size > claim.resolution)
        };
        let baseline = || with_a_baseline(&runs, base).filter(|key| !changes || !changed(key));
        let found = || baseline().or_else(words);
        let found = if alone { found() } else { None };
        if let Some(key) = found {
            for run in &mut runs {
                name_by(run, std::slice::from_ref(&key));
            }
            let tables = per_spec.iter_mut().flatten().flat_map(|file| &mut file.input.tables);
            let columns = tables.flat_map(|table| &mut table.columns);
            for column in columns.filter(|column| column.name == key) {
                column.used = ColumnUse::Variant;
                (column.role, column.why, column.close) =
                    ("variant", "nothing else names it", None);
            }
        }
        return Ok(());
    }
    let mut any = false;
    let mut missing = None;
    for run in &mut runs {
        if name_by(run, names) {
            any = true;
        } else if !(names.len() == 1 && run.info.of_table) {
            missing = missing.or_else(|| Some(run.source.to_string()));
        } else {
            // The table named it by this column.
            any = true;
        }
    }
    match missing {
        None => Ok(()),
        Some(place) if any => {
            let listed = names.join(", ");
            let problem = format!("expected {listed} in every run, found a run without: {place}");
            Err(Error::usage(problem, "give the files that have it, or name them NAME=PATH"))
        }
        Some(_) => {
            let runs: Vec<Run> = runs.iter().map(|run| (**run).clone()).collect();
            let absent =
                names.iter().find(|name| runs.iter().all(|run| value(run, name).is_none()));
            Err(nobody_has(absent.unwrap_or(&names[0]), "--variant-column", &runs))
        }
    }
}

/// Gives a run the variant of these keys, and removes them from its settings; false if it lacks one.
fn name_by(run: &mut Run, names: &[String]) -> bool {
    let values: Option<Vec<String>> = names.iter().map(|name| value(run, name)).collect();
    let Some(values) = values else { return false };
    run.variant = values.join(", ");
    for name in names {
        take(run, name);
    }
    true
}

/// Leaves out texts of tables that go one to one with the variants and have a word of the own variant's name, a version or a
/// commit: as settings they would leave nothing to compare. `Engine v0.9.1` beside `engine:v0.9.1`.
pub(crate) fn leave_out_other_names(per_spec: &mut [Vec<FileRuns>], options: &Options) {
    let mut runs: Vec<&mut Run> =
        per_spec.iter_mut().flatten().flat_map(|file| &mut file.runs).collect();
    let Some(first) = runs.first().filter(|_| runs.iter().all(|run| run.info.of_table)) else {
        return;
    };
    let keys = first.metadata.keys().cloned().chain(first.workload.fields().into_keys());
    let labels: BTreeSet<String> = runs.iter().map(|run| run.variant.clone()).collect();
    let names_own = |(label, text): (&String, &String)| {
        let mut words = text.split([' ', ',', '(', ')']);
        words.any(|word| {
            let numbered = word.len() > 2 && word.contains(|c: char| c.is_ascii_digit());
            let of_other = |other: &String| other != label && other.contains(word);
            numbered && label.contains(word) && !labels.iter().any(of_other)
        })
    };
    let again = |key: &String| {
        let mut of: BTreeMap<String, String> = BTreeMap::new();
        let one_each = runs.iter().all(|run| {
            let Some(text) = value(run, key) else { return false };
            *of.entry(run.variant.clone()).or_insert_with(|| text.clone()) == text
        });
        one_each && of.len() > 1 && of.iter().all(names_own)
    };
    let again: Vec<String> = keys.filter(|key| !is_used(key, options) && again(key)).collect();
    for run in &mut runs {
        for key in &again {
            take(run, key);
        }
    }
}

/// Whether the user names a key for another use.
fn is_used(key: &str, options: &Options) -> bool {
    let Options { by, pool, across_setting, along, run_column, .. } = options;
    let mut names = by.iter().chain(pool).chain(across_setting).chain(along).chain(run_column);
    names.any(|name| name.to_lowercase() == key.to_lowercase())
}

/// The only key with one value that names a baseline, or that the user calls so.
fn with_a_baseline(runs: &[&mut Run], base: Option<&str>) -> Option<String> {
    let rows = settings_of(runs);
    let values = values_by_key(&rows);
    let says = |value: &String| match base {
        Some(base) => value.to_lowercase() == base.to_lowercase(),
        None => label_hint(value) == LabelHint::Baseline,
    };
    let one = |most: usize, such: &dyn Fn(&String) -> bool| {
        let names = |values: &BTreeSet<String>| {
            (2..=most).contains(&values.len())
                && values.iter().filter(|value| such(value)).count() == 1
        };
        let found = values.iter().filter(|(_, values)| names(values)).map(|(key, _)| key);
        let mut found = found.filter(|key| are_crossed(&rows, key));
        found.next().filter(|_| found.next().is_none()).cloned()
    };
    // `off` beside `on`, `stock` beside `patched`, where no value says more.
    let without = |value: &String| negates(value);
    one(usize::MAX, &says).or_else(|| base.map_or_else(|| one(2, &without), |_| None))
}

/// The settings of each run.
fn settings_of(runs: &[&mut Run]) -> Vec<BTreeMap<String, String>> {
    let of_run = |run: &&mut Run| {
        let known = run.metadata.iter().map(|(key, value)| (key.clone(), value.clone()));
        let all = known.chain(run.workload.fields());
        all.filter(|(key, _)| !SPECIAL.contains(&key.as_str())).collect()
    };
    runs.iter().map(of_run).collect()
}

fn values_by_key(rows: &[BTreeMap<String, String>]) -> BTreeMap<String, BTreeSet<String>> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in rows.iter().flatten() {
        values.entry(key.clone()).or_default().insert(value.clone());
    }
    values
}

/// Whether two values of a key meet in one cell of the other settings, so that they can be compared. Settings that go with
/// the key describe its values.
fn are_crossed(rows: &[BTreeMap<String, String>], key: &str) -> bool {
    let goes_with = |other: &str| {
        let mut of: BTreeMap<Option<&String>, &String> = BTreeMap::new();
        rows.iter().filter_map(|row| Some((row.get(key), row.get(other)?))).all(|(own, value)| {
            let first = of.entry(own).or_insert(value);
            *first == value
        })
    };
    let all = values_by_key(rows);
    // A key with another value in every row names the run.
    let mut cell: Vec<&String> = all
        .iter()
        .filter(|(other, values)| *other != key && values.len() < rows.len() && !goes_with(other))
        .map(|(other, _)| other)
        .collect();
    // Numbers that the other settings and the key fix together come of them.
    let parts = |keys: &[&String], number: &String| {
        let place = |row| keys.iter().map(|other| BTreeMap::get(row, *other)).collect::<Vec<_>>();
        let stated = rows.iter().filter(|row| row.get(number).is_some_and(|cell| is_number(cell)));
        stated.map(place).collect::<BTreeSet<_>>().len()
    };
    let own = key.to_owned();
    let mut numbers: Vec<&String> = cell
        .iter()
        .copied()
        // A run that failed lacks them.
        .filter(|other| all[*other].iter().filter(|value| !is_number(value)).count() < 2)
        .collect();
    numbers.sort_by_key(|other| std::cmp::Reverse(all[*other].len()));
    for number in numbers {
        let rest: Vec<&String> =
            cell.iter().copied().filter(|other| *other != number).chain([&own]).collect();
        if parts(&rest, number) == parts(&[&rest[..], &[number]].concat(), number) {
            cell.retain(|other| *other != number);
        }
    }
    let mut cells: BTreeMap<Vec<Option<&String>>, BTreeSet<&String>> = BTreeMap::new();
    for row in rows {
        let place = cell.iter().map(|other| row.get(*other)).collect();
        cells.entry(place).or_default().extend(row.get(key));
    }
    cells.values().any(|found| found.len() > 1)
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok()
}

/// Most variants that a column names where neither its name nor a value says that it does.
const MAX_UNNAMED: usize = 8;

/// The only key of words in tables, if each of its values has several runs, or one run and nothing else tells the runs
/// apart. It names the variants if nothing else does.
fn only_words(runs: &[&mut Run], options: &Options) -> Option<String> {
    if !runs.iter().all(|run| run.info.of_table) {
        return None;
    }
    let rows = settings_of(runs);
    let several = |key: &str, value: &String| {
        rows.iter().filter(|row| row.get(key) == Some(value)).count() > 1
    };
    let values = values_by_key(&rows);
    // Each once, where nothing but amounts in words tells the rows apart: `nano` and `1.01M`.
    let amount = |value: &String| {
        value.contains(char::is_alphabetic) && value.starts_with(|c: char| c.is_ascii_digit())
    };
    let telling = values.values().filter(|values| values.len() > 1);
    let alone = telling.filter(|values| !values.iter().all(amount)).count() == 1;
    // `batch 1` and `batch 8` are sizes.
    let bare = |value: &String| value.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let each_once = |values: &BTreeSet<String>| {
        let stems: BTreeSet<String> = values.iter().map(bare).collect();
        alone && values.len() == rows.len() && stems.len() > 1
    };
    // Numbers beside a word, `default`, where nothing else tells the runs apart.
    let worded =
        |value: &String| value.contains(char::is_alphabetic) || value.matches('.').count() > 1;
    let bare_word = |value: &String| !value.contains(|c: char| c.is_ascii_digit());
    let is_load = |key: &str| field_of_column(key).is_some();
    let words = |values: &BTreeSet<String>| values.iter().all(worded);
    let names = |(key, values): &(&String, &BTreeSet<String>)| {
        !is_case(key)
            && !are_of_one_setting(values)
            && (2..=MAX_UNNAMED).contains(&values.len())
            && rows.iter().all(|row| row.contains_key(*key))
            && (words(values) && each_once(values)
                || (words(values) || alone && !is_load(key) && values.iter().any(bare_word))
                    && values.iter().all(|value| several(key, value)))
    };
    // A name and no amount: `nano` before `1.01M`.
    let amounts = |key: &&String| {
        values[*key].iter().filter(|value| value.starts_with(|c: char| c.is_ascii_digit())).count()
    };
    let mut found: Vec<&String> = values.iter().filter(names).map(|(key, _)| key).collect();
    found.sort_by_key(amounts);
    let mut found = found.into_iter();
    let key = found.next().filter(|key| !is_used(key, options) && are_crossed(&rows, key))?;
    // Several columns may name the same.
    let same = |other: &String| {
        let pairs: BTreeSet<_> = rows.iter().map(|row| (row.get(key), row.get(other))).collect();
        pairs.len() == values[key].len() && values[other].len() == values[key].len()
    };
    found.all(same).then(|| key.clone())
}

/// Whether values are all those of one setting: `bs=1`, `bs=8`.
fn are_of_one_setting(values: &BTreeSet<String>) -> bool {
    let name = |value: &String| value.split_once('=').map(|(name, _)| name.trim().to_lowercase());
    let names: BTreeSet<Option<String>> = values.iter().map(name).collect();
    names.len() == 1 && values.iter().all(|value| is_set(value))
}

/// The value of a run under a name, in any letter case.
pub(crate) fn value(run: &Run, name: &str) -> Option<String> {
    look(run, name, field_of_column(name)).or_else(|| {
        let alike = |key: &&String| key.to_lowercase() == name.to_lowercase();
        let key = run.metadata.keys().chain(run.workload.other.keys()).find(alike)?;
        look(run, key, None)
    })
}

/// [`value`], which is taken away.
pub(crate) fn take(run: &mut Run, name: &str) -> Option<String> {
    let found = value(run, name)?;
    let lower = name.to_lowercase();
    let workload = &mut *run.workload;
    workload.other.retain(|key, _| key.to_lowercase() != lower);
    match field_of_column(name) {
        Some(RunField::Model) => workload.model = None,
        Some(RunField::Dataset) => workload.dataset = None,
        Some(RunField::Client) => workload.client = None,
        Some(RunField::Section) => workload.label = None,
        Some(RunField::MaxConcurrency) => workload.max_concurrency = Setting::Unknown,
        Some(RunField::RequestRate) => workload.request_rate = Setting::Unknown,
        Some(RunField::Requests) => workload.requests = None,
        Some(RunField::InputTokens) => workload.input_tokens = None,
        _ => {}
    }
    run.metadata.retain(|key, _| key.to_lowercase() != lower);
    Some(found)
}

/// Keys of metadata that are no setting.
pub(crate) const SPECIAL: [&str; 3] = [COMMAND, SAVED_AS, ITERATIONS];
