//! Tables made from known designs, with names drawn against the role of their columns: each column gets its role by the
//! design, or the doubt is said, and rows of different settings are never pooled in silence.

#![expect(clippy::print_stderr, reason = "says what was measured")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use beyondnoise::error::chain;
use beyondnoise::metrics::Metric;
use beyondnoise::read::{File, Options, load_bytes};
use beyondnoise::runs::Dataset;

/// Numbers that look random, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() >> 33).expect("31 bits") % n
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// About normal, with mean 0 and standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.below(100_000) as f64 / 100_000.0).sum::<f64>() - 6.0
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            let other = self.below(at + 1);
            all.swap(at, other);
        }
    }
}

/// Names of settings that sound like results, and the other way round; names that say nothing.
const LIKE_METRICS: &[&str] = &[
    "rps",
    "req/s",
    "duration_s",
    "output_tokens",
    "mean_input_len",
    "delay_ms",
    "window_ms",
    "think_time_ms",
    "rtt_ms",
    "temp",
    "gpu_mem_util",
    "cache_hit_rate",
    "power_w",
    "bandwidth_gbps",
    "max_latency_ms",
    "latency_ms",
    "throughput",
    "memory_gb",
    "load_time",
    "score",
    "accuracy",
    "energy_j",
    "ttft_ms",
    "speed",
    "cost",
];
const LIKE_SETTINGS: &[&str] = &[
    "max_active",
    "max_memory",
    "max_queue",
    "queue_depth",
    "batch",
    "block_size",
    "threads",
    "workers",
    "num_blocks",
    "users",
    "connections",
    "cache_size",
    "level",
    "input_len",
    "width",
    "concurrency",
    "batch_size",
    "rank",
    "layers",
    "prefix",
    "window",
    "clients",
    "n_prompt",
    "context",
    "heads",
    "interval_s",
];
const SILENT: &[&str] =
    &["zeta", "alpha", "m", "blubs", "foo", "wobble", "k", "gizmo", "delta_x", "value_b"];
const WORDS: &[&[&str]] =
    &[&["H100", "H200"], &["short", "long", "mixed"], &["read", "write"], &["on", "off"]];
const TEXT: &[&str] = &["op", "device", "dataset", "mode", "scheme"];
const VALUES: &[&[&str]] = &[
    &["1", "2", "4"],
    &["4", "8"],
    &["128", "512", "2048"],
    &["0.1", "0.5", "0.9"],
    &["3", "7", "19"],
    &["10", "20", "50", "100"],
    &["137", "273", "410"],
    &["0", "50", "200"],
    &["40", "80"],
    &["1000", "4000", "16000"],
    &["0.25", "0.33"],
    &["1.5", "2.75", "4.125"],
    &["100", "101", "102"],
];

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
enum Kind {
    Setting,
    Fine,
    Medium,
    Coarse,
    Counter,
    Small,
}

/// A column, with the name that hides its role or not.
struct Made {
    name: String,
    kind: Kind,
    named: &'static str,
}

/// A variant and the values of its settings.
type Cell = (String, Vec<String>);

struct Job {
    files: Vec<(String, String)>,
    columns: Vec<Made>,
    /// Columns whose cells are all equal.
    constant: Vec<bool>,
    /// Cell of each row, by file and position of the row; none for a row that is no run.
    rows: BTreeMap<(usize, usize), Option<Cell>>,
    about: Vec<&'static str>,
}

fn named(dice: &mut Dice, taken: &mut BTreeSet<String>, setting: bool) -> (String, &'static str) {
    loop {
        let (list, how) = match dice.below(10) {
            0..5 => (if setting { LIKE_METRICS } else { LIKE_SETTINGS }, "against"),
            5..7 => (SILENT, "silent"),
            _ => (if setting { LIKE_SETTINGS } else { LIKE_METRICS }, "true"),
        };
        let name = dice.one(list);
        // A rate has two names, and the tokens of a run are counted.
        let twice =
            name == "rps" && taken.contains("req/s") || name == "req/s" && taken.contains("rps");
        if twice || !setting && name == "output_tokens" {
            continue;
        }
        if taken.insert(name.to_owned()) {
            return (name.to_owned(), how);
        }
    }
}

fn value(dice: &mut Dice, kind: Kind, level: f64) -> String {
    match kind {
        Kind::Setting => String::new(),
        Kind::Fine => format!("{:.4}", level * (1.0 + 0.02 * dice.normal())),
        Kind::Medium => format!("{:.1}", level * (1.0 + 0.02 * dice.normal())),
        Kind::Coarse => format!("{:.2}", 0.80 + 0.01 * dice.normal()),
        Kind::Counter => format!("{:.0}", 40.0 * level * (1.0 + 0.02 * dice.normal())),
        Kind::Small => format!("{}", 3 + dice.below(4)),
    }
}

#[expect(clippy::too_many_lines, reason = "one table from its design to its text")]
fn made(seed: u64) -> Job {
    let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut about = Vec::new();
    let mut taken = BTreeSet::new();
    let form = dice.one(&["csv", "jsonl", "md", "long"]);
    about.push(form);
    let apart = form != "long" && dice.chance(30);
    if apart {
        about.push("a file a variant");
    }
    let variants: Vec<&str> = ["main", "pr", "other"][..2 + usize::from(dice.chance(25))].to_vec();
    // The design.
    let count = 1 + dice.below(3) + usize::from(dice.chance(30));
    let mut columns: Vec<Made> = Vec::new();
    let mut values: Vec<Vec<String>> = Vec::new();
    let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
    let mut texts = BTreeSet::new();
    for _ in 0..count {
        if dice.chance(20) {
            let name = dice.one(TEXT);
            if texts.insert(name) && taken.insert(name.to_owned()) {
                columns.push(Made { name: name.to_owned(), kind: Kind::Setting, named: "text" });
                values.push(owned(dice.one(WORDS)));
            }
            continue;
        }
        let (name, named) = named(&mut dice, &mut taken, true);
        columns.push(Made { name, kind: Kind::Setting, named });
        values.push(owned(dice.one(VALUES)));
    }
    let settings = columns.len();
    let mut cells: Vec<Vec<String>> = vec![Vec::new()];
    let nested = settings > 1 && dice.chance(15);
    for (at, list) in values.iter().enumerate() {
        cells = cells
            .iter()
            .flat_map(|cell| {
                let first = cell.first().map_or(0, |first| {
                    values[0].iter().position(|value| value == first).unwrap_or(0)
                });
                // Sizes that differ by kind.
                let size = |value: &String| {
                    let number: Option<f64> = value.parse().ok();
                    match number {
                        Some(number) if nested && at == 1 => {
                            (number * 10f64.powi(i32::try_from(first).expect("few"))).to_string()
                        }
                        _ => value.clone(),
                    }
                };
                list.iter()
                    .map(|value| [cell.clone(), vec![size(value)]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    if nested {
        about.push("nested");
    }
    while cells.len() > 8 {
        let at = dice.below(settings);
        let gone = cells[dice.below(cells.len())][at].clone();
        if cells.iter().map(|cell| &cell[at]).collect::<BTreeSet<_>>().len() > 2 {
            cells.retain(|cell| cell[at] != gone);
        } else {
            break;
        }
    }
    let repeats = 1 + dice.below(8);
    let unbalanced = dice.chance(25);
    if unbalanced {
        about.push("unbalanced");
    }
    let measured = if form == "long" { 2 + dice.below(3) } else { 2 + dice.below(7) };
    for at in 0..measured {
        let (name, named) = named(&mut dice, &mut taken, false);
        let kind = match dice.below(if at == 0 { 2 } else { 10 }) {
            0..3 => Kind::Fine,
            3..6 => Kind::Medium,
            6 => Kind::Coarse,
            7..9 => Kind::Counter,
            _ => Kind::Small,
        };
        columns.push(Made { name, kind, named });
    }
    let run = dice.chance(50).then(|| dice.one(&["run", "rep", "trial", "iteration"]));
    let seeds = dice.chance(15);
    let ids = dice.chance(20).then(|| dice.one(&["uuid", "timestamp", "started_at", "log_file"]));
    let status = dice.chance(20);
    let index = form == "csv" && dice.chance(20);
    let gaps = if dice.chance(20) { 5 } else { 0 };
    let summary = (form != "long" && dice.chance(30))
        .then(|| dice.one(&["mean", "avg", "average", "total", "sum"]));
    let constant = dice.chance(20);
    for (is, what) in [
        (run.is_some(), "run"),
        (seeds, "seed"),
        (status, "status"),
        (index, "index"),
        (gaps > 0, "gaps"),
        (ids.is_some(), "ids"),
    ] {
        if is {
            about.push(what);
        }
    }
    // The rows, as text by column.
    let order = dice.below(3);
    let mut plan: Vec<(usize, usize, usize)> = Vec::new();
    for variant in 0..variants.len() {
        for cell in 0..cells.len() {
            for repeat in 0..repeats {
                plan.push((variant, cell, repeat));
            }
        }
    }
    match order {
        0 => {}
        1 => plan.sort_by_key(|&(variant, cell, repeat)| (variant, repeat, cell)),
        _ => {
            dice.shuffle(&mut plan);
            about.push("shuffled");
        }
    }
    if unbalanced {
        plan.retain(|_| !dice.chance(15));
    }
    let levels: Vec<Vec<f64>> = (0..cells.len())
        .map(|_| (0..measured).map(|_| 100.0 * (1.0 + dice.below(400) as f64 / 100.0)).collect())
        .collect();
    let mut headers: Vec<String> = Vec::new();
    headers.extend(index.then(String::new));
    headers.extend((!apart).then(|| "build".to_owned()));
    headers.extend(columns[..settings].iter().map(|column| column.name.clone()));
    headers.extend(run.map(str::to_owned));
    headers.extend(seeds.then(|| "seed".to_owned()));
    headers.extend(ids.map(str::to_owned));
    headers.extend(constant.then(|| "revision".to_owned()));
    headers.extend(columns[settings..].iter().map(|column| column.name.clone()));
    headers.extend(status.then(|| "status".to_owned()));
    let head = headers.len() - measured - usize::from(status);
    let mut tables: Vec<Vec<(Vec<String>, Option<Cell>)>> =
        vec![Vec::new(); if apart { variants.len() } else { 1 }];
    for (number, &(variant, cell, repeat)) in plan.iter().enumerate() {
        let mut row = Vec::new();
        let table = if apart { variant } else { 0 };
        row.extend(index.then(|| tables[table].len().to_string()));
        row.extend((!apart).then(|| variants[variant].to_owned()));
        row.extend(cells[cell].clone());
        row.extend(run.map(|_| (repeat + 1).to_string()));
        row.extend(seeds.then(|| [42, 7, 2024, 13, 99, 1, 5, 77][repeat].to_string()));
        row.extend(ids.map(|name| match name {
            "uuid" => format!("{:08x}-{:04x}", dice.next() >> 32, dice.next() >> 48),
            "log_file" => format!("logs/{}/{number}.log", variants[variant]),
            _ => {
                let at = 10 * 60 + number * 7 + dice.below(3);
                format!("2026-03-{:02}T{:02}:{:02}:17Z", 1 + at / 1440, at / 60 % 24, at % 60)
            }
        }));
        row.extend(constant.then(|| "17".to_owned()));
        for at in 0..measured {
            let level = levels[cell][at] * (1.0 + 0.03 * variant as f64);
            let text = value(&mut dice, columns[settings + at].kind, level);
            row.push(if at > 0 && dice.chance(gaps) { String::new() } else { text });
        }
        let failed = status && number > 2 && dice.chance(8);
        row.extend(status.then(|| if failed { "failed" } else { "ok" }.to_owned()));
        let of = (variants[variant].to_owned(), cells[cell].clone());
        tables[table].push((row, (!failed).then_some(of)));
    }
    // After the rows of each cell their averages or totals.
    let whole = gaps == 0 && !status && order == 0 && repeats > 1;
    if let Some(word) = summary.filter(|_| run.is_some() && whole) {
        about.push(if matches!(word, "total" | "sum") { "totals" } else { "averages" });
        let at = usize::from(index) + usize::from(!apart) + settings;
        for table in &mut tables {
            let mut all = Vec::new();
            for rows in table.chunk_by(|(_, one), (_, other)| one == other) {
                all.extend_from_slice(rows);
                let mut row = rows[0].0.clone();
                word.clone_into(&mut row[at]);
                for (column, cell) in row.iter_mut().enumerate().skip(head) {
                    let values = rows.iter().filter_map(|(row, _)| row[column].parse::<f64>().ok());
                    let sum: f64 = values.sum();
                    let over = if matches!(word, "total" | "sum") { 1 } else { rows.len() };
                    *cell = format!("{:.2}", sum / over as f64);
                }
                all.push((row, None));
            }
            *table = all;
        }
    }
    let constant = (0..columns.len())
        .map(|at| {
            let place = headers.iter().position(|header| *header == columns[at].name);
            let cells = tables.iter().flatten().filter(|(_, cell)| cell.is_some());
            let cells: BTreeSet<&str> =
                cells.map(|(row, _)| &*row[place.expect("its header")]).collect();
            cells.len() < 2
        })
        .collect();
    let mut files = Vec::new();
    let mut rows = BTreeMap::new();
    for (at, table) in tables.iter().enumerate() {
        let name = if apart { variants[at] } else { "results" };
        let mut text = String::new();
        match form {
            "csv" => {
                writeln!(text, "{}", headers.join(",")).expect("written");
                for (number, (row, cell)) in table.iter().enumerate() {
                    rows.insert((at, number + 2), cell.clone());
                    writeln!(text, "{}", row.join(",")).expect("written");
                }
            }
            "jsonl" => {
                for (number, (row, cell)) in table.iter().enumerate() {
                    rows.insert((at, number + 1), cell.clone());
                    let mut object = serde_json::Map::new();
                    for (header, cell) in headers.iter().zip(row) {
                        let value = cell.parse::<f64>().map_or_else(
                            |_| serde_json::json!(cell),
                            |number| serde_json::json!(number),
                        );
                        if !cell.is_empty() {
                            object.insert(header.clone(), value);
                        }
                    }
                    writeln!(text, "{}", serde_json::Value::from(object)).expect("written");
                }
            }
            "md" => {
                writeln!(text, "| {} |", headers.join(" | ")).expect("written");
                writeln!(text, "|{}", "---|".repeat(headers.len())).expect("written");
                for (number, (row, cell)) in table.iter().enumerate() {
                    rows.insert((at, number + 3), cell.clone());
                    writeln!(text, "| {} |", row.join(" | ")).expect("written");
                }
            }
            _ => {
                let end = headers.len() - usize::from(status);
                let mut long: Vec<String> = headers[..head].to_vec();
                long.extend(status.then(|| "status".to_owned()));
                writeln!(text, "{},metric,value", long.join(",")).expect("written");
                let mut line = 1;
                for (row, cell) in table {
                    for value in head..end {
                        line += 1;
                        if value == head {
                            rows.insert((at, line), cell.clone());
                        }
                        if row[value].is_empty() {
                            line -= 1;
                            continue;
                        }
                        let mut cells = row[..head].to_vec();
                        cells.extend(status.then(|| row[end].clone()));
                        writeln!(text, "{},{},{}", cells.join(","), headers[value], row[value])
                            .expect("written");
                    }
                }
            }
        }
        let ending = if form == "long" { "csv" } else { form };
        files.push((format!("{name}.{ending}"), text));
    }
    Job { files, columns, constant, rows, about }
}

#[derive(PartialEq, Debug, Clone, Copy, PartialOrd, Ord, Eq)]
enum Read {
    Right,
    Asked,
    Wrong,
}

/// Whether the doubt about a column was said.
fn doubted(dataset: &Dataset, name: &str) -> bool {
    let said = format!("{name} was read as");
    if dataset.said.iter().any(|line| line.starts_with(&said) && line.contains("it may be")) {
        return true;
    }
    let tables = dataset.inputs.iter().flat_map(|input| &input.tables);
    let mut columns = tables.flat_map(|table| &table.columns);
    columns
        .any(|column| column.name == name && column.close.as_ref().is_some_and(|one| one.doubtful))
}

/// How each column was read; whether rows of several cells were pooled in silence; whether the runs are those made.
fn judged(job: &Job) -> (Vec<Read>, bool, bool, String) {
    let files: Vec<File> = job
        .files
        .iter()
        .map(|(name, text)| File { variant: None, name, bytes: text.as_bytes() })
        .collect();
    let dataset = match load_bytes(&files, &Options::default()) {
        Ok(loaded) => loaded.dataset,
        Err(error) => {
            let text = chain(&error);
            let read = if text.contains("--") { Read::Asked } else { Read::Wrong };
            return (vec![read; job.columns.len()], false, false, text);
        }
    };
    let file = |path: &str| job.files.iter().position(|(name, _)| name == path).expect("a file");
    let settings = job.columns.iter().filter(|column| column.kind == Kind::Setting).count();
    let mut mixed = vec![false; settings];
    let mut counts = Vec::new();
    let mut extra = 0;
    let mut metrics = BTreeSet::new();
    for group in &dataset.groups {
        for variant in &group.variants {
            counts.push(variant.runs.len());
            let mut seen: Vec<BTreeSet<String>> = vec![BTreeSet::new(); settings];
            for run in &variant.runs {
                metrics.extend(run.metrics.keys().map(str::to_owned));
                let place = (file(&run.source.path), run.source.position);
                match job.rows.get(&place) {
                    Some(Some((_, cell))) => {
                        cell.iter().zip(&mut seen).for_each(|(value, seen)| {
                            seen.insert(value.clone());
                        });
                    }
                    _ => extra += 1,
                }
            }
            seen.iter().zip(&mut mixed).for_each(|(seen, mixed)| *mixed |= seen.len() > 1);
        }
    }
    let mut expected: BTreeMap<_, usize> = BTreeMap::new();
    for of in job.rows.values().flatten() {
        *expected.entry(of).or_default() += 1;
    }
    let mut expected: Vec<usize> = expected.into_values().collect();
    expected.sort_unstable();
    counts.sort_unstable();
    let metric =
        |name: &str| metrics.contains(&Metric::of_column(name).0.name) || metrics.contains(name);
    let reads: Vec<Read> = job
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let right = match column.kind {
                Kind::Setting => !mixed[at] && !metric(&column.name),
                _ => metric(&column.name) || job.constant[at],
            };
            match right {
                true => Read::Right,
                false if doubted(&dataset, &column.name) => Read::Asked,
                false => Read::Wrong,
            }
        })
        .collect();
    let silent = (0..settings).any(|at| mixed[at] && reads[at] == Read::Wrong) || extra > 0;
    let text = format!(
        "{} groups, {counts:?} for {expected:?}, {extra} extra, metrics {metrics:?}",
        dataset.groups.len()
    );
    (reads, silent, counts == expected && extra == 0, text)
}

#[test]
fn columns_are_read_by_the_design() {
    let of = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, total): (u64, u64) = (of("FIRST").unwrap_or(0), of("DESIGNS").unwrap_or(100));
    let show = of("SHOW").unwrap_or(0);
    let mut by_kind: BTreeMap<(Kind, &str), [usize; 3]> = BTreeMap::new();
    let mut by_form: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let (mut tables, mut exact, mut pooled, mut shown) = ([0; 3], 0, 0, 0);
    for seed in first..first + total {
        let job = made(seed);
        let (reads, silent, same, text) = judged(&job);
        for (column, read) in job.columns.iter().zip(&reads) {
            by_kind.entry((column.kind, column.named)).or_default()[*read as usize] += 1;
        }
        let worst = *reads.iter().max().expect("a column");
        tables[worst as usize] += 1;
        for what in &job.about {
            by_form.entry(what).or_default()[worst as usize] += 1;
        }
        exact += usize::from(same);
        pooled += usize::from(silent);
        if (worst == Read::Wrong || silent) && shown < show {
            shown += 1;
            let wrong: Vec<String> = job
                .columns
                .iter()
                .zip(&reads)
                .filter(|(_, read)| **read != Read::Right)
                .map(|(column, read)| {
                    format!("{} ({:?}, {}): {read:?}", column.name, column.kind, column.named)
                })
                .collect();
            eprintln!(
                "--- {seed} {:?} silent {silent}: {}\n{}",
                job.about,
                wrong.join("; "),
                text.chars().take(400).collect::<String>()
            );
            if let Ok(folder) = std::env::var("KEEP") {
                for (name, text) in &job.files {
                    std::fs::write(format!("{folder}/{seed}_{name}"), text).expect("written");
                }
            }
            let (name, text) = &job.files[0];
            eprintln!("{name}\n{}", text.lines().take(14).collect::<Vec<_>>().join("\n"));
        }
    }
    let mut all = [0; 3];
    for (kind, counts) in &by_kind {
        eprintln!("{kind:?}: {counts:?}");
        counts.iter().zip(&mut all).for_each(|(count, all)| *all += count);
    }
    for (form, counts) in &by_form {
        eprintln!("{form}: {counts:?} tables");
    }
    let columns: usize = all.iter().sum();
    let share = (all[0] + all[1]) as f64 / columns as f64;
    eprintln!(
        "columns right, asked, wrong {all:?}: {share:.4}; tables {tables:?}; {exact} exact, {pooled} pooled in silence of {total}"
    );
    assert!(share >= 0.97 && pooled == 0, "{share} {pooled}");
}
