//! Runs as cells by nights: the night of each run, the order of the nights, the values of each night.

use std::collections::{BTreeMap, BTreeSet};

use crate::metrics::Metric;
use crate::report::history::{Night, Order};
use crate::runs::{Dataset, Group, ITERATIONS, ITERATIONS_AS_RUNS, Run, Setting, Source, Workload};
use crate::runs::{close_tokens, date_of, natural};

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Share of the nights, or of the names, that counts as most.
const MOSTLY: f64 = 0.8;

/// Share that allows only few exceptions.
const ALMOST_ALL: f64 = 0.95;

/// Most nights of a brief value: a build or an image with its own value every night.
const BRIEF: usize = 2;

/// Most stretches of nights for each value of a build's property: some builds come back.
const RETURNS: f64 = 1.5;

/// Keys of metadata that describe how a run was read.
const ABOUT_READING: [&str; 2] = [ITERATIONS, ITERATIONS_AS_RUNS];

/// Most properties kept for a night.
const MAX_PROPERTIES: usize = 8;

/// All nights, and the cells that were measured on them.
pub(super) struct Calendar<'a> {
    pub(super) nights: Vec<Night>,
    pub(super) order: Order,
    pub(super) cells: Vec<Cell<'a>>,
    /// Settings and properties of the night.
    pub(super) about: BTreeSet<String>,
}

/// A workload that was measured on many nights.
pub(super) struct Cell<'a> {
    /// The settings that distinguish it from the other cells; for a single cell its whole workload.
    pub(super) name: String,
    /// The settings, by the name of the column.
    pub(super) fields: BTreeMap<String, String>,
    pub(super) workload: Workload,
    /// Its runs, each with its night.
    pub(super) runs: Vec<(usize, &'a Run)>,
}

/// A run before its night is known.
struct Item<'a> {
    run: &'a Run,
    /// Its file; for a copy, the file of the copy.
    path: &'a str,
    variant: &'a str,
    group: usize,
    /// Place in the input.
    place: (usize, usize),
}

impl Item<'_> {
    /// The date of its start as written.
    fn date(&self) -> Option<String> {
        date_of(self.run.info.started.as_deref()?)
    }
}

impl<'a> Calendar<'a> {
    /// Sorts the runs into nights and cells.
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        let items = items(dataset);
        let keys = keys(&items);
        let mut names: Vec<&String> = Vec::new();
        let mut place: BTreeMap<&String, usize> = BTreeMap::new();
        for key in &keys {
            place.entry(key).or_insert_with(|| {
                names.push(key);
                names.len() - 1
            });
        }
        let of: Vec<usize> = keys.iter().map(|key| place[key]).collect();
        let (ranks, order) = ranks(&items, &of, &names);
        let of: Vec<usize> = of.into_iter().map(|night| ranks[night]).collect();
        let mut ordered: Vec<&String> = names.clone();
        for (at, name) in names.iter().enumerate() {
            ordered[ranks[at]] = name;
        }
        let about = properties(dataset, &items, &of);
        let nights = nights(&items, &of, &ordered, &about);
        let cells = cells(dataset, &items, &of, &about);
        Self { nights, order, cells, about }
    }
}

/// All runs in the order of the input.
fn items(dataset: &Dataset) -> Vec<Item<'_>> {
    let mut paths: Vec<&str> = dataset.inputs.iter().map(|input| &*input.path).collect();
    paths.extend(dataset.runs().map(|(.., run)| &*run.source.path));
    // A folder is read in order of letters; inputs in another order were given that way.
    if paths[..dataset.inputs.len()].is_sorted() {
        paths.sort_by_cached_key(|path| natural(path));
    }
    let mut rank: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        let next = rank.len();
        rank.entry(path).or_insert(next);
    }
    let of = |path: &str| rank.get(path).copied().unwrap_or(usize::MAX);
    let mut items = Vec::new();
    for (group, one) in dataset.groups.iter().enumerate() {
        let mut by_source: BTreeMap<&Source, &Run> = BTreeMap::new();
        for variant in &one.variants {
            for run in &variant.runs {
                by_source.insert(&run.source, run);
                let path = &*run.source.path;
                let place = (of(path), run.source.position);
                items.push(Item { run, path, variant: &variant.name, group, place });
            }
        }
        // Equal values with few digits in another file are the result of another night.
        for copy in one.duplicates.iter().filter(|copy| copy.kept.path != copy.dropped.path) {
            let Some(run) = by_source.get(&copy.kept) else { continue };
            let path = &*copy.dropped.path;
            let place = (of(path), copy.dropped.position);
            items.push(Item { run, path, variant: &copy.dropped_variant, group, place });
        }
    }
    items.sort_by_key(|item| item.place);
    items
}

fn count<T: Ord>(values: impl Iterator<Item = T>) -> usize {
    values.collect::<BTreeSet<T>>().len()
}

/// Whether at least this share is true.
fn mostly(share: f64, mut all: impl Iterator<Item = bool>) -> bool {
    let (mut held, mut count) = (0_usize, 0_usize);
    all.by_ref().for_each(|one| {
        held += usize::from(one);
        count += 1;
    });
    count > 0 && held as f64 >= share * count as f64
}

/// The name of every run's night.
fn keys(items: &[Item]) -> Vec<String> {
    let timed = items.iter().all(|item| item.run.seconds().is_some());
    let several = count(items.iter().map(|item| item.variant)) > 1;
    let day = |item: &Item| {
        let seconds = item.run.seconds().unwrap_or(0.0);
        item.date().unwrap_or_else(|| format!("{}", (seconds / DAY).floor()))
    };
    if named_by_jobs(items, timed) {
        return items.iter().map(|item| item.run.name.clone().unwrap_or_default()).collect();
    }
    if several && !(timed && is_file_a_run(items, day)) {
        let long = if timed { lasting(items) } else { BTreeSet::new() };
        return items
            .iter()
            .map(|item| {
                let day = if long.contains(item.variant) { day(item) } else { String::new() };
                format!("{}\u{0}{day}", item.variant)
            })
            .collect();
    }
    if timed {
        return items.iter().map(day).collect();
    }
    if let Some(files) = named_by_files(items) {
        return files;
    }
    // Without any name of a night, the first row of every cell belongs to the first night.
    let mut next: BTreeMap<usize, usize> = BTreeMap::new();
    let number = |item: &Item| {
        let number = next.entry(item.group).or_insert(0);
        *number += 1;
        format!("{number}")
    };
    items.iter().map(number).collect()
}

/// The part of the path that differs between files, if at least half of the cells have several files.
fn named_by_files(items: &[Item]) -> Option<Vec<String>> {
    let mut files: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for item in items {
        files.entry(item.group).or_default().insert(item.path);
    }
    if !mostly(0.5, files.values().map(|files| files.len() > 1)) {
        return None;
    }
    let parts = |item: &Item| -> Vec<String> {
        let path = item.path;
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rfind('.').filter(|at| *at > 0).map_or(0, |at| name.len() - at);
        path[..path.len() - ending].split(['/', '\\']).map(str::to_owned).collect()
    };
    let all: Vec<Vec<String>> = items.iter().map(parts).collect();
    let first = &all[0];
    let shared = |of: &dyn Fn(&[String], usize) -> Option<String>| {
        let same = |at: &usize| all.iter().all(|own| of(own, *at) == of(first, *at));
        (0..first.len().saturating_sub(1)).take_while(same).count()
    };
    let before = shared(&|parts, at| parts.get(at).cloned());
    let after = shared(&|parts, at| parts.iter().rev().nth(at).cloned());
    let named = all.iter().map(|parts| {
        let end = parts.len().saturating_sub(after).max(before + 1).min(parts.len());
        parts[before.min(end)..end].join("/")
    });
    Some(named.collect())
}

/// Whether runs are named after jobs that measured several cells at a time: `run_id` of a CI.
fn named_by_jobs(items: &[Item], timed: bool) -> bool {
    let mut jobs: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items {
        let Some(name) = item.run.name.as_deref() else { return false };
        jobs.entry(name).or_default().push(item);
    }
    let several = |all: &Vec<&Item>| count(all.iter().map(|item| item.group)) > 1;
    // The number of a repeat is common to all builds and days.
    let one_build = |all: &Vec<&Item>| count(all.iter().map(|item| item.variant)) == 1;
    let one_day = |all: &Vec<&Item>| !timed || span(all.iter().copied()) < DAY;
    let single = count(items.iter().map(|item| item.variant)) == 1;
    jobs.len() > 1
        && mostly(0.5, jobs.values().map(several))
        && mostly(MOSTLY, jobs.values().map(|all| one_build(all) && one_day(all)))
        && !(single && !timed && jobs.len() < crate::stats::history::History::FEWEST_NIGHTS)
}

/// Seconds between the first and the last start.
fn span<'a>(items: impl Iterator<Item = &'a Item<'a>>) -> f64 {
    let seconds = items.filter_map(|item| item.run.seconds());
    let (low, high) = seconds
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    if high >= low { high - low } else { 0.0 }
}

/// Variants measured for longer than a day: builds of several nights.
fn lasting<'a>(items: &[Item<'a>]) -> BTreeSet<&'a str> {
    let mut all: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items {
        all.entry(item.variant).or_default().push(item);
    }
    all.retain(|_, items| span(items.iter().copied()) > DAY);
    all.into_keys().collect()
}

/// Whether variants are only file names with one run each, and some share a day; then the day is the night.
fn is_file_a_run(items: &[Item], day: impl Fn(&Item) -> String) -> bool {
    let named = |item: &&Item| item.run.info.of_table || item.run.metadata.contains_key("saved_as");
    let pairs = count(items.iter().map(|item| (item.variant, item.path)));
    let files = count(items.iter().map(|item| item.path));
    let variants = count(items.iter().map(|item| item.variant));
    !items.iter().any(|item| named(&item))
        && pairs == files
        && pairs == variants
        && count(items.iter().map(day)) < variants
}

/// Position of every night in the order, and the evidence for the order.
fn ranks(items: &[Item], of: &[usize], names: &[&String]) -> (Vec<usize>, Order) {
    let ranked = |mut order: Vec<usize>, compare: &dyn Fn(&usize, &usize) -> std::cmp::Ordering| {
        order.sort_by(compare);
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, night)| ranks[*night] = rank);
        ranks
    };
    let all: Vec<usize> = (0..names.len()).collect();
    if items.iter().all(|item| item.run.seconds().is_some()) {
        let mut first = vec![f64::INFINITY; names.len()];
        for (item, night) in items.iter().zip(of) {
            first[*night] = first[*night].min(item.run.seconds().unwrap_or_default());
        }
        let by_time = |a: &usize, b: &usize| first[*a].total_cmp(&first[*b]).then(a.cmp(b));
        return (ranked(all, &by_time), Order::Started);
    }
    let keys: Vec<_> = names.iter().map(|name| natural(name)).collect();
    let by_name = ranked(all, &|a, b| keys[*a].cmp(&keys[*b]).then(a.cmp(b)));
    // The names give the order if no cell contradicts it; commits are not ordered by name.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    let in_order = items.iter().zip(of).all(|(item, night)| {
        let rank = by_name[*night];
        last.insert(item.group, rank).is_none_or(|before| before <= rank)
    });
    if in_order {
        return (by_name, Order::Names);
    }
    ((0..names.len()).collect(), Order::Given)
}

/// Settings and properties that belong to the night, not the cell: the build, the image, the driver.
///
/// Almost every night has one value of such a key, and its values follow each other. Or most nights have one, and half of the
/// values belong to at most two nights. A setting has all its values on every night.
fn properties(dataset: &Dataset, items: &[Item], of: &[usize]) -> BTreeSet<String> {
    let mut keys: BTreeSet<&String> = BTreeSet::new();
    keys.extend(dataset.groups.iter().flat_map(|group| group.workload.other.keys()));
    let runs = items.iter().map(|item| item.run);
    keys.extend(runs.flat_map(|run| run.metadata.keys()));
    let value = |item: &Item, key: &str| -> Option<String> {
        let setting = dataset.groups[item.group].workload.other.get(key);
        setting.or_else(|| item.run.metadata.get(key)).cloned()
    };
    let belongs = |key: &&&String| {
        let mut by_night: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut by_value: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (item, night) in items.iter().zip(of) {
            let Some(value) = value(item, key) else { continue };
            by_night.entry(*night).or_default().insert(value.clone());
            by_value.entry(value).or_default().insert(*night);
        }
        if by_value.len() < 2 {
            return false;
        }
        let mut lives: Vec<usize> = by_value.values().map(BTreeSet::len).collect();
        lives.sort_unstable();
        let one = |share| mostly(share, by_night.values().map(|values| values.len() == 1));
        let brief = lives.len() > 2 && lives[lives.len() / 2] <= BRIEF && one(MOSTLY);
        let single = one(ALMOST_ALL);
        let first: Vec<&String> = by_night.values().filter_map(BTreeSet::first).collect();
        let blocks = 1 + first.windows(2).filter(|two| two[0] != two[1]).count();
        let cells_a_night = items.len() > by_night.len();
        let in_turn = blocks as f64 <= RETURNS * by_value.len() as f64;
        // With a single cell, a setting measured value by value looks the same.
        brief || single && in_turn && (cells_a_night || dataset.groups.len() == 1)
    };
    let known = |key: &&&String| !ABOUT_READING.contains(&key.as_str());
    keys.iter().filter(known).filter(belongs).map(|key| (*key).clone()).collect()
}

/// The nights with their names.
fn nights(items: &[Item], of: &[usize], names: &[&String], about: &BTreeSet<String>) -> Vec<Night> {
    let mut nights: Vec<Night> = names.iter().map(|_| Night::default()).collect();
    let mut builds: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); names.len()];
    let mut values: Vec<BTreeMap<&str, BTreeSet<&str>>> = vec![BTreeMap::new(); names.len()];
    let several = count(items.iter().map(|item| item.variant)) > 1;
    for (item, night) in items.iter().zip(of) {
        builds[*night].insert(item.variant);
        let started = item.run.info.started.as_ref();
        let earlier = |known: &String| started.is_none_or(|new| known <= new);
        if !nights[*night].started.as_ref().is_some_and(earlier) {
            nights[*night].started = started.cloned();
        }
        let other = item.run.workload.other.iter().chain(item.run.metadata.iter());
        for (key, value) in other.filter(|(key, _)| about.contains(*key)) {
            values[*night].entry(key).or_default().insert(value);
        }
    }
    let dates: Vec<Option<String>> =
        nights.iter().map(|night| date_of(night.started.as_deref()?)).collect();
    let unique = |date: &Option<String>| {
        date.is_some() && dates.iter().filter(|other| *other == date).count() == 1
    };
    let dated = !dates.is_empty() && dates.iter().all(unique);
    for (at, night) in nights.iter_mut().enumerate() {
        let named: Vec<&str> = names[at].split('\u{0}').filter(|part| !part.is_empty()).collect();
        let own = named.join(" ");
        night.name = match &dates[at] {
            Some(date) if dated => date.clone(),
            Some(date) if !own.contains(date.as_str()) => format!("{date} {}", short(&own)),
            _ => short(&own),
        };
        let builds: Vec<String> = builds[at].iter().map(|build| (*build).to_owned()).collect();
        let build = builds.join(", ");
        night.build = (several && short(&build) != night.name).then_some(build);
        let joined = values[at].iter().take(MAX_PROPERTIES).map(|(key, values)| {
            ((*key).to_owned(), values.iter().copied().collect::<Vec<&str>>().join(", "))
        });
        night.properties = joined.collect();
    }
    nights
}

/// A name without most of the digits of a hash.
fn short(name: &str) -> String {
    let hash = name.len() >= 20 && name.bytes().all(|b| b.is_ascii_hexdigit());
    if hash && name.bytes().any(|b| !b.is_ascii_digit()) {
        name[..8].to_owned()
    } else {
        name.to_owned()
    }
}

/// The cells: groups that differ only in properties of the night.
fn cells<'a>(
    dataset: &Dataset,
    items: &[Item<'a>],
    of: &[usize],
    about: &BTreeSet<String>,
) -> Vec<Cell<'a>> {
    let mut cells: Vec<(Option<u64>, Cell)> = Vec::new();
    let mut cell_of: Vec<usize> = Vec::new();
    for group in &dataset.groups {
        let (fields, workload) = settings_of(group, about);
        let tokens = workload.input_tokens;
        let same = |(known, cell): &(Option<u64>, Cell)| {
            let close = known.zip(tokens).is_none_or(|(a, b)| close_tokens(a, b));
            close && cell.fields == fields
        };
        cell_of.push(cells.iter().position(same).unwrap_or(cells.len()));
        if cell_of[cell_of.len() - 1] == cells.len() {
            cells.push((tokens, Cell { name: String::new(), fields, workload, runs: Vec::new() }));
        }
    }
    let mut cells: Vec<Cell> = cells.into_iter().map(|(_, cell)| cell).collect();
    for (item, night) in items.iter().zip(of) {
        cells[cell_of[item.group]].runs.push((*night, item.run));
    }
    for cell in &mut cells {
        cell.runs.sort_by_key(|(night, _)| *night);
    }
    let mut values: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    for cell in &cells {
        for key in cell.fields.keys() {
            values.entry(key.clone()).or_default();
        }
    }
    for (key, values) in &mut values {
        values.extend(cells.iter().map(|cell| cell.fields.get(key).cloned()));
    }
    let differs = |key: &str| values.get(key).is_some_and(|values| values.len() > 1);
    let alone = cells.len() == 1;
    for cell in &mut cells {
        cell.name = if alone { cell.workload.describe() } else { named(&cell.workload, &differs) };
    }
    cells
}

/// The settings of a group without the settings of the night: by name without the prompt tokens, and as a workload.
fn settings_of(group: &Group, about: &BTreeSet<String>) -> (BTreeMap<String, String>, Workload) {
    let mut workload = group.workload.clone();
    workload.other.retain(|key, _| !about.contains(key));
    for (key, value) in &group.cell {
        workload.other.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let mut fields = workload.fields();
    fields.remove("input_tokens");
    (fields, workload)
}

/// The settings in which a cell differs from others, in words.
fn named(workload: &Workload, differs: &dyn Fn(&str) -> bool) -> String {
    let mut own = workload.clone();
    for (key, text) in [
        ("workload", &mut own.label),
        ("model", &mut own.model),
        ("dataset", &mut own.dataset),
        ("client", &mut own.client),
    ] {
        if !differs(key) {
            *text = None;
        }
    }
    if !differs("requests") {
        own.requests = None;
    }
    for (key, setting) in
        [("max_concurrency", &mut own.max_concurrency), ("request_rate", &mut own.request_rate)]
    {
        if !differs(key) {
            *setting = Setting::Unknown;
        }
    }
    own.other.retain(|key, _| differs(key));
    let bare = Workload { input_tokens: None, ..own.clone() };
    // Cells may differ in their prompts only.
    if bare.fields().is_empty() { own.describe() } else { bare.describe() }
}

/// The nights of a cell that have a metric: the median of each night's runs, their number, and all logs about their
/// mean.
pub(super) struct Measured {
    pub(super) nights: Vec<usize>,
    pub(super) values: Vec<f64>,
    pub(super) runs: Vec<usize>,
    /// CV of the runs of one night, if nights have several runs.
    pub(super) within: Option<f64>,
}

/// Names of the settings in which cells differ.
pub(super) fn differing(cells: &[Cell]) -> Vec<String> {
    let mut values: BTreeMap<&str, BTreeSet<Option<&String>>> = BTreeMap::new();
    for key in cells.iter().flat_map(|cell| cell.fields.keys()) {
        let all = cells.iter().map(|cell| cell.fields.get(key));
        values.entry(key).or_insert_with(|| all.collect());
    }
    values
        .into_iter()
        .filter(|(_, values)| values.len() > 1)
        .map(|(key, _)| key.to_owned())
        .collect()
}

impl Cell<'_> {
    /// The values of a metric, night by night.
    pub(super) fn measured(&self, metric: &Metric) -> Measured {
        let mut by_night: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (night, run) in &self.runs {
            if let Some(value) = run.metrics.get(&metric.name) {
                by_night.entry(*night).or_default().push(value.value);
            }
        }
        let (mut squares, mut df) = (0.0, 0_usize);
        let mut found = Measured { nights: vec![], values: vec![], runs: vec![], within: None };
        for (night, mut values) in by_night {
            values.sort_by(f64::total_cmp);
            if values.len() > 1 && values[0] > 0.0 {
                let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
                let mean = logs.iter().sum::<f64>() / logs.len() as f64;
                squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
                df += logs.len() - 1;
            }
            let middle = values.len() / 2;
            let median = if values.len() % 2 == 1 {
                values[middle]
            } else {
                0.5 * values[middle - 1] + 0.5 * values[middle]
            };
            found.nights.push(night);
            found.values.push(median);
            found.runs.push(values.len());
        }
        found.within = (df > 0).then(|| (squares / df as f64).sqrt());
        found
    }
}
