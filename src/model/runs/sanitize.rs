//! Makes the texts of runs safe to print: they come from files, and from the names of files and folders.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::runs::natural::natural;
use crate::runs::{Input, Metrics, Origin, Run, RunInfo, Setting, Shared, Skipped, Workload};
use crate::sanitize::{clean, cleaned, is_clean, is_printable, printable_path};

/// Sanitizes every text of `runs`; returns the files in which two names became equal.
pub(super) fn clean_runs(runs: &mut [Run]) -> Vec<(Arc<str>, Skipped)> {
    let mut merged = same_labels(runs);
    let (mut workloads, mut cells, mut settings, mut units) = Default::default();
    for run in runs {
        let names = run.metrics.len();
        clean_run(run);
        if run.metrics.len() < names {
            let why = "two of its metrics have names that differ only in invisible characters; one of them is skipped";
            merged.push(skipped(run, why.to_owned()));
        }
        once(&mut run.workload, &mut workloads, clean_workload);
        once(&mut run.cell, &mut cells, clean_texts);
        once(&mut run.metadata, &mut settings, clean_texts);
        once(&mut run.units, &mut units, clean_texts);
    }
    merged
}

/// Labels that differ only in invisible characters, without the first of each.
fn same_labels(runs: &[Run]) -> Vec<(Arc<str>, Skipped)> {
    if runs.iter().all(|run| is_printable(&run.variant)) {
        return Vec::new();
    }
    let mut first: BTreeMap<String, &Run> = BTreeMap::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut merged = Vec::new();
    let mut runs: Vec<&Run> = runs.iter().filter(|run| !run.variant.is_empty()).collect();
    runs.sort_by_cached_key(|run| (natural(&run.source.path), run.source.position));
    for run in runs {
        let label = run.variant.trim();
        if known.insert(label) {
            let name = shown(label);
            let same = *first.entry(name.clone()).or_insert(run);
            if same.variant.trim() != label {
                let why = format!(
                    "its label {name} is that of {}, {} {} but for invisible characters, and counts as the same",
                    printable_path(&same.source.path),
                    same.source.counts,
                    same.source.position
                );
                merged.push(skipped(run, why));
            }
        }
    }
    merged
}

fn skipped(run: &Run, why: String) -> (Arc<str>, Skipped) {
    let place = format!("{} {}", run.source.counts, run.source.position);
    (printable_path(&run.source.path).into(), Skipped { place, why })
}

/// The shared value of the previous run, before and after cleaning.
type Before<T> = Option<(Shared<T>, Shared<T>)>;

/// Cleans a value that neighbours share only once.
fn once<T>(value: &mut Shared<T>, before: &mut Before<T>, clean: fn(&mut Shared<T>)) {
    if let Some((was, is)) = before.as_ref().filter(|(was, _)| was.is_same(value)) {
        if !was.is_same(is) {
            *value = is.clone();
        }
        return;
    }
    let was = value.clone();
    clean(value);
    *before = Some((was, value.clone()));
}

fn clean_workload(workload: &mut Shared<Workload>) {
    let Workload { label, model, dataset, client, max_concurrency, request_rate, .. } = &**workload;
    let texts = [label, model, dataset, client];
    let bare = |limit: &Setting| !matches!(limit, Setting::Text(text) if !is_clean(text));
    let good = |text: &Option<String>| text.as_deref().is_none_or(is_clean);
    let limits = [max_concurrency, request_rate].into_iter().all(bare);
    if texts.into_iter().all(good) && limits && all_clean(&workload.other) {
        return;
    }
    let workload = &mut **workload;
    for limit in [&mut workload.max_concurrency, &mut workload.request_rate] {
        if let Setting::Text(text) = limit {
            *limit = Setting::parse(text);
        }
    }
    let Workload { label, model, dataset, client, other, .. } = workload;
    [label, model, dataset, client].into_iter().flatten().for_each(clean);
    other.values_mut().for_each(clean);
    clean_keys(other);
}

fn clean_texts(texts: &mut Shared<BTreeMap<String, String>>) {
    if !all_clean(texts) {
        texts.values_mut().for_each(clean);
        clean_keys(texts);
    }
}

fn all_clean(texts: &BTreeMap<String, String>) -> bool {
    texts.iter().all(|(key, value)| is_clean(key) && is_clean(value))
}

/// Makes the run's own texts safe to print.
fn clean_run(run: &mut Run) {
    run.name.iter_mut().for_each(clean);
    if !is_clean(&run.variant) {
        run.variant = shown(&run.variant);
    }
    clean_path(&mut run.source.path);
    if let Some(Origin::Copy(source)) = run.origin.as_deref_mut() {
        clean_path(&mut source.path);
    }
    clean_names(&mut run.metrics);
    clean_info(&mut run.info);
    if let Some(requests) = &mut run.requests {
        clean_keys(&mut requests.figures);
    }
}

fn clean_info(info: &mut Shared<RunInfo>) {
    let RunInfo { pair, place, started, failure, printed, claims, levels, spreads, doubt, .. } =
        &**info;
    let texts = [pair, place, started, failure, doubt];
    let good = |text: &Option<String>| text.as_deref().is_none_or(is_clean);
    let nested = levels.iter().all(|(column, value)| is_clean(column) && is_clean(value));
    let names = printed.keys().all(is_clean) && spreads.keys().all(|name| is_clean(name));
    if texts.into_iter().all(good) && claims.is_empty() && nested && names {
        return;
    }
    let RunInfo { pair, place, started, failure, printed, claims, levels, spreads, doubt, .. } =
        &mut **info;
    [pair, place, started, failure, doubt].into_iter().flatten().for_each(clean);
    levels.iter_mut().flat_map(|(column, value)| [column, value]).for_each(clean);
    clean_keys(spreads);
    for claim in claims {
        clean(&mut claim.text);
        clean_path(&mut claim.source.path);
    }
    clean_names(printed);
}

/// Makes every text of `input` safe to print.
pub(super) fn clean_input(input: &mut Input) {
    if !is_printable(&input.path) {
        input.path = printable_path(&input.path);
    }
    for skipped in &mut input.skipped {
        clean(&mut skipped.place);
        clean(&mut skipped.why);
    }
    for column in input.tables.iter_mut().flat_map(|table| &mut table.columns) {
        clean(&mut column.name);
        column.close.iter_mut().for_each(|close| clean(&mut close.flag));
    }
}

fn clean_path(path: &mut Arc<str>) {
    if !is_printable(path) {
        *path = printable_path(path).into();
    }
}

/// The visible part of a name, or `unnamed`.
fn shown(name: &str) -> String {
    Some(cleaned(name)).filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_owned())
}

fn clean_names(metrics: &mut Metrics) {
    if !metrics.keys().all(is_clean) {
        let all = std::mem::take(metrics);
        *metrics = all.into_iter().map(|(name, value)| (shown(&name), value)).collect();
    }
}

/// If two keys differ only in invisible characters, the last one wins.
fn clean_keys<T>(map: &mut BTreeMap<String, T>) {
    if !map.keys().all(|key| is_clean(key)) {
        let all = std::mem::take(map);
        *map = all.into_iter().map(|(key, of)| (cleaned(&key), of)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{Source, Value};

    /// Found by fuzzing: a unit of `go test -bench` of zero bytes.
    #[test]
    fn a_metric_of_which_nothing_can_be_seen_has_a_name() {
        let value = Value { value: 1.0, resolution: 0.5 };
        let metrics = Metrics::from([("\0\0", value), ("x\u{202e}_ms", value), (" y", value)]);
        let mut runs = [Run { metrics, ..Run::default() }];
        clean_runs(&mut runs);
        assert_eq!(runs[0].metrics.keys().collect::<Vec<_>>(), ["unnamed", "x_ms", "y"]);
    }

    #[test]
    fn what_becomes_one_is_said() {
        let place = |path: &str| Source { path: path.into(), position: 3, counts: "line" };
        let mut runs = [("b", "new\u{200b} build"), ("a", "new build"), ("c", " new build")]
            .map(|(path, label)| Run { source: place(path), ..Run::new(label, [("x", 1.0)]) });
        runs[0].metrics.insert("\0x", Value { value: 2.0, resolution: 0.0 });
        let expected = [
            "its label new build is that of a, line 3 but for invisible characters, and counts as the same",
            "two of its metrics have names that differ only in invisible characters; one of them is skipped",
        ];
        for reversed in [false, true] {
            let mut runs = runs.clone();
            if reversed {
                runs.reverse();
            }
            let merged = clean_runs(&mut runs);
            assert!(
                merged.iter().all(|(path, skipped)| **path == *"b" && skipped.place == "line 3")
            );
            let why: Vec<&str> = merged.iter().map(|(_, skipped)| &*skipped.why).collect();
            assert_eq!(why, expected);
        }
    }

    /// Found by fuzzing: a rate of `in` and `f` around a zero byte.
    #[test]
    fn limits_that_are_no_numbers_are_printable() {
        let mut runs = [Run::new("a", [("x", 1.0)])];
        runs[0].workload.max_concurrency = Setting::Text("\u{1b}c16".into());
        runs[0].workload.request_rate = Setting::Text("in\0f".into());
        clean_runs(&mut runs);
        assert_eq!(runs[0].workload.describe(), "max concurrency c16");
        assert_eq!(runs[0].workload.request_rate, Setting::Unlimited);
    }

    /// Found by fuzzing: a label of zero bytes, which a table would not have.
    #[test]
    fn a_label_of_which_nothing_can_be_seen_is_one() {
        let mut runs = ["\0\0", "a\0b ", ""].map(|variant| Run::new(variant, [("x", 1.0)]));
        clean_runs(&mut runs);
        assert_eq!(runs.map(|run| run.variant), ["unnamed", "ab", ""]);
    }
}
