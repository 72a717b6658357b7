//! Tables that are made of known settings, variants and repeats, under any names and in any order: the reading never
//! finds more repeats than there are.

#![expect(clippy::print_stderr, reason = "says what was measured")]

use std::collections::BTreeMap;
use std::fmt::Write;

use beyondnoise::error::chain;
use beyondnoise::read::{File, Options, load_bytes};
use proptest::prelude::*;

/// Numbers that look random, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next()).expect("31 bits") % n
    }

    fn one<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// About 1, with a standard deviation of 2 %.
    fn noise(&mut self) -> f64 {
        let sum: usize = (0..12).map(|_| self.below(1000)).sum();
        1.0 + 0.02 * (sum as f64 / 1000.0 - 6.0)
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            let other = self.below(at + 1);
            all.swap(at, other);
        }
    }
}

const VARIANT: &[&str] = &["variant", "build", "version", "engine", "policy", "quantization_type"];
const TEXT: &[&str] =
    &["gpu", "device", "dataset", "mode", "task_name", "prompt_set", "Library", "schema"];
const FLAG: &[&str] = &["cache_on", "chunked_prefill", "compiled", "warm"];
const COUNT: &[&str] = &["wobbles", "hops"];
const NUMBER: &[&str] = &[
    "batch_size",
    "tp",
    "threads",
    "max_concurrency",
    "alpha",
    "k",
    "input_len",
    "zeta",
    "rows",
    "replicas",
    "seq",
    "m",
    "ctx",
];
const METRIC: &[&str] =
    &["mean_ttft_ms", "output_throughput", "duration_s", "energy_j", "step_ms", "Inference Time"];
const OWN_METRIC: &[&str] = &["blubs", "peak_vram_gb", "loss_x", "joy"];
const RUN: &[&str] = &["run", "rep", "trial", "iteration", "repeat", "run_id"];
const WORDS: &[&[&str]] = &[
    &["H100", "H200", "MI300X"],
    &["short", "long"],
    &["mongo", "postgres", "couch"],
    &["chat", "code", "math", "summary"],
    &["", "O3"],
    &["7B", "13B", "1.5B"],
    &["a/b.json", "c/d.json"],
];
const NUMBERS: &[&[&str]] = &[
    &["1", "2", "4"],
    &["8", "64"],
    &["128", "512", "2048"],
    &["0.1", "0.5", "0.9"],
    &["3", "7"],
    &["10", "20", "50", "100"],
    &["137", "273", "410"],
    &["0.25", "0.33"],
    &["0", "1", "2"],
    &["1.5", "2.75", "4.125"],
];

/// A table, and what it was made of.
struct Made {
    name: &'static str,
    text: String,
    options: Options,
    repeats: usize,
    /// Runs of each variant in each setting.
    counts: Vec<usize>,
    /// What else stands in it.
    kinds: Vec<&'static str>,
}

#[expect(clippy::too_many_lines, reason = "one table from its header to its rows")]
fn made(seed: u64) -> Made {
    let mut dice = Dice(seed ^ 0x9e37_79b9_7f4a_7c15);
    for _ in 0..5 {
        dice.next();
    }
    let mut kinds = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let add = |columns: &mut Vec<String>, name: &str| {
        let free = !columns.iter().any(|known| known.eq_ignore_ascii_case(name));
        if free {
            columns.push(name.to_owned());
        }
        free
    };
    let variant = dice.one(VARIANT);
    add(&mut columns, variant);
    let variants: Vec<&str> = ["old", "new", "other"][..2 + dice.below(2)].to_vec();
    // Settings and their values.
    let mut factors: Vec<&[&str]> = Vec::new();
    for _ in 0..=dice.below(3) {
        let (name, values, kind) = match dice.below(3) {
            0 => (dice.one(TEXT), dice.one(WORDS), "text"),
            1 => (dice.one(FLAG), &["true", "false"][..], "flag"),
            _ => (dice.one(NUMBER), dice.one(NUMBERS), "number"),
        };
        // Under such a name they would number the rows.
        let values = if name == "seq" { &["128", "512", "2048"] } else { values };
        if add(&mut columns, name) {
            factors.push(values);
            kinds.push(kind);
        }
    }
    let repeats = 1 + dice.below(6);
    let settings = columns.len();
    let run_of_all = dice.chance(30);
    let run = dice.chance(60).then(|| dice.one(RUN)).filter(|name| add(&mut columns, name));
    let stamp = dice.chance(30) && add(&mut columns, "timestamp");
    let number = dice.chance(20) && add(&mut columns, "seed");
    let remark = dice.chance(20) && add(&mut columns, "notes");
    let constant = dice.chance(30) && add(&mut columns, "kernel_version");
    let of_factor = dice.chance(30) && add(&mut columns, "label_of_setting");
    let of_number = dice.chance(20) && add(&mut columns, "size_total");
    let mut measured = vec![dice.one(METRIC)];
    if dice.chance(50) {
        measured.push(dice.one(METRIC));
    }
    if dice.chance(40) {
        measured.push(dice.one(OWN_METRIC));
        kinds.push("own metric");
    }
    measured.retain(|name| add(&mut columns, name));
    let hash = dice.chance(15) && add(&mut columns, "tag_of_run");
    let joules = dice.chance(15) && add(&mut columns, "consumed");
    let counted = dice.chance(10).then(|| dice.one(COUNT)).filter(|name| add(&mut columns, name));
    let missing = if dice.chance(25) { 15 } else { 0 };
    for (is, kind) in [
        (run.is_some(), "run"),
        (stamp, "timestamp"),
        (number, "seed"),
        (remark, "notes"),
        (hash, "hash"),
        (joules, "cells with a unit"),
        (counted.is_some(), "small counts"),
        (missing > 0, "missing rows"),
        (constant, "constant"),
        (of_factor, "text of a setting"),
        (of_number, "number of a setting"),
    ] {
        if is {
            kinds.push(kind);
        }
    }
    // The rows.
    let cells: usize = factors.iter().map(|values| values.len()).product();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (at, name) in variants.iter().enumerate() {
        for cell in 0..cells {
            let mut rest = cell;
            let values: Vec<&str> = factors
                .iter()
                .map(|values| {
                    let value = values[rest % values.len()];
                    rest /= values.len();
                    value
                })
                .collect();
            for repeat in 0..repeats {
                let mut row = vec![(*name).to_owned()];
                row.extend(values.iter().map(|value| (*value).to_owned()));
                let seconds = rows.len() * 61;
                let texts = [
                    run.map(|_| {
                        let number = if run_of_all { rows.len() } else { repeat + 1 };
                        number.to_string()
                    }),
                    stamp.then(|| {
                        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                        format!(
                            "2026-05-{:02}T{:02}:{minutes:02}:{:02}",
                            1 + hours / 24,
                            hours % 24,
                            seconds % 60
                        )
                    }),
                    number.then(|| [42, 7, 2024, 13, 99, 1][repeat].to_string()),
                    remark.then(|| {
                        if dice.chance(20) { format!("odd {seconds}") } else { String::new() }
                    }),
                    constant.then(|| "6.1.0-rc2".to_owned()),
                    of_factor.then(|| format!("with {}", values.first().unwrap_or(&"it"))),
                    of_number.then(|| (1024 << (cell % 4)).to_string()),
                ];
                row.extend(texts.into_iter().flatten());
                let base = 100.0 * (1.0 + at as f64 / 10.0) * (1.0 + cell as f64 / 3.0);
                for _ in &measured {
                    row.push(format!("{:.3}", base * dice.noise()));
                }
                let texts = [
                    hash.then(|| format!("{:07x}a1", dice.next() % (1 << 28))),
                    joules.then(|| format!("{:.2}mJ", base * dice.noise())),
                    counted.map(|_| dice.below(5).to_string()),
                ];
                row.extend(texts.into_iter().flatten());
                rows.push(row);
            }
        }
    }
    rows.retain(|_| !dice.chance(missing));
    let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
    for row in &rows {
        *counts.entry(&row[..settings]).or_default() += 1;
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable();
    if dice.chance(50) {
        dice.shuffle(&mut rows);
        kinds.push("shuffled");
    }
    let mut order: Vec<usize> = (0..columns.len()).collect();
    if dice.chance(50) {
        dice.shuffle(&mut order);
    }
    let line = |row: &[String], between: &str| {
        order.iter().map(|&at| row[at].as_str()).collect::<Vec<_>>().join(between)
    };
    let mut text = String::new();
    let name = match dice.below(3) {
        0 => {
            writeln!(text, "{}", line(&columns, ",")).expect("written");
            for row in &rows {
                writeln!(text, "{}", line(row, ",")).expect("written");
            }
            "runs.csv"
        }
        1 => {
            for row in &rows {
                let mut object = serde_json::Map::new();
                for &at in &order {
                    let cell = &row[at];
                    let value = match (cell.parse::<f64>(), cell.as_str()) {
                        (Ok(number), _) => serde_json::json!(number),
                        (_, "true") => serde_json::json!(true),
                        (_, "false") => serde_json::json!(false),
                        _ => serde_json::json!(cell),
                    };
                    object.insert(columns[at].clone(), value);
                }
                writeln!(text, "{}", serde_json::Value::from(object)).expect("written");
            }
            "runs.jsonl"
        }
        _ => {
            writeln!(text, "| {} |", line(&columns, " | ")).expect("written");
            writeln!(text, "|{}", "---|".repeat(columns.len())).expect("written");
            for row in &rows {
                writeln!(text, "| {} |", line(row, " | ")).expect("written");
            }
            "runs.md"
        }
    };
    let found = ["variant", "build", "version"].contains(&variant) && dice.chance(50);
    let named = if found { Vec::new() } else { vec![variant.to_owned()] };
    let options = Options { variant_column: named, ..Options::default() };
    Made { name, text, options, repeats, counts, kinds }
}

#[derive(PartialEq, Debug)]
enum Read {
    Exactly,
    Careful(String),
    Wrong(String),
}

fn judged(made: &Made) -> Read {
    let files = [File { variant: None, name: made.name, bytes: made.text.as_bytes() }];
    let dataset = match load_bytes(&files, &made.options) {
        Ok(loaded) => loaded.dataset,
        Err(error) => return Read::Careful(chain(&error)),
    };
    let mut counts: Vec<usize> = dataset
        .groups
        .iter()
        .flat_map(|group| group.variants.iter().map(|variant| variant.runs.len()))
        .collect();
    counts.sort_unstable();
    let found = format!("{} groups, {counts:?}", dataset.groups.len());
    if counts.iter().any(|count| *count > made.repeats) {
        Read::Wrong(found)
    } else if counts == made.counts {
        Read::Exactly
    } else {
        Read::Careful(found)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_reading_finds_more_repeats_than_there_are(seed in any::<u64>()) {
        let made = made(seed);
        let read = judged(&made);
        prop_assert!(!matches!(read, Read::Wrong(_)), "{read:?} of {} repeats\n{}", made.repeats, made.text);
    }
}

/// Of 300 tables, the same ones always, 85 % or more are read exactly as they were made.
#[test]
fn most_tables_are_read_exactly() {
    let (mut exactly, mut careful, mut wrong) = (0, Vec::new(), Vec::new());
    for seed in 0..300 {
        let made = made(seed);
        match judged(&made) {
            Read::Exactly => exactly += 1,
            Read::Careful(why) => {
                careful.push(format!("{seed} {} {:?}: {why}", made.name, made.kinds));
            }
            Read::Wrong(why) => wrong.push(format!("{seed} {}: {why}\n{}", made.name, made.text)),
        }
    }
    eprintln!("{exactly} of 300 exactly, {} more carefully, {} wrong", careful.len(), wrong.len());
    for line in careful.iter().take(if std::env::var_os("SHOW").is_some() { 80 } else { 0 }) {
        eprintln!("{}", line.chars().take(2600).collect::<String>());
    }
    assert!(wrong.is_empty(), "{} wrong, such as {}", wrong.len(), wrong[0]);
    assert!(exactly >= 255, "{exactly}");
}
