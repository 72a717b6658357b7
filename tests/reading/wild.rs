//! Result files of other people, where they are at hand beside the project: a list says what a right reading is.

#![expect(clippy::print_stderr, reason = "says what was counted")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use beyondnoise::error::chain;
use beyondnoise::read::{Options, load};
use beyondnoise::runs::{Dataset, Variant};
use serde_json::Value;

/// What no message about such a file may say.
const FALSE: &[&str] = &["every request failed", "run the benchmark again"];

/// Factors between the units of one metric: of times, of percent and shares, of bytes.
const UNITS: &[f64] = &[1.0, 1e3, 1e-3, 1e6, 1e-6, 60.0, 1.0 / 60.0, 100.0, 0.01];

/// A file, and what a right reading of it is.
struct Expected {
    path: PathBuf,
    name: String,
    list: Value,
}

fn expected() -> Option<Vec<Expected>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/wild");
    let text = std::fs::read_to_string(folder.join("annotations.jsonl")).ok()?;
    let one = |line: &str| {
        let list: Value = serde_json::from_str(line).expect("an object a line");
        let file = list["file"].as_str().expect("a file");
        let name = Path::new(file).file_name().expect("a name").to_string_lossy().into_owned();
        Expected { path: folder.join(&name), name, list }
    };
    Some(text.lines().filter(|line| !line.trim().is_empty()).map(one).collect())
}

impl Expected {
    fn says(&self, key: &str) -> bool {
        self.list[key].as_bool().unwrap_or(false)
    }

    fn load(&self, options: &Options) -> Result<Dataset, String> {
        let path = self.path.display().to_string();
        load(&[path], options).map(|loaded| loaded.dataset).map_err(|error| chain(&error))
    }

    /// The options of the command that a user would type, where it is about this file alone.
    fn natural(&self) -> Option<Options> {
        let command = self.list["natural_command"].as_str()?;
        let words = words(command);
        if words.iter().filter(|word| word.contains('=') && !word.starts_with('-')).count() > 1 {
            return None;
        }
        let mut options = Options::default();
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        for two in words.windows(2) {
            match two[0].as_str() {
                "--variant-column" => options.variant_column = list(&two[1]),
                "--by" => options.by = list(&two[1]),
                "--metric" => {
                    let name = two[1].rsplit_once(':').map_or(&*two[1], |(name, _)| name);
                    options.metrics.push(name.to_owned());
                }
                _ => {}
            }
        }
        (options != Options::default()).then_some(options)
    }

    /// What is wrong with a reading; nothing where it is right.
    fn wrong(&self) -> Vec<String> {
        let plain = self.load(&Options::default());
        let dataset = match plain {
            Err(message) => {
                let mut wrong = Vec::new();
                if !self.says("must_refuse") && !self.says("refusal_acceptable") {
                    wrong.push(format!("refused: {message}"));
                }
                if FALSE.iter().any(|words| message.contains(words)) {
                    wrong.push(format!("a false message: {message}"));
                }
                return wrong;
            }
            Ok(dataset) => dataset,
        };
        let mut wrong = Vec::new();
        if self.says("must_refuse") && variants(&dataset).any(|variant| !variant.runs.is_empty()) {
            wrong.push("read, though it holds no runs".to_owned());
        }
        let most = self.list["max_repeats"].as_u64().unwrap_or(0);
        let natural = self.natural().and_then(|options| self.load(&options).ok());
        for read in [Some(&dataset), natural.as_ref()].into_iter().flatten() {
            for variant in variants(read) {
                if variant.runs.len() as u64 > most {
                    let (name, runs) = (&variant.name, variant.runs.len());
                    wrong.push(format!("{runs} repeats of {name}, at most {most} are there"));
                }
            }
        }
        let checked = &self.list["checked_value"];
        if let Some(value) = checked["value"].as_f64() {
            let found =
                |data: &Dataset| values(data).chain(changes(data)).any(|found| same(found, value));
            if !found(&dataset) && !natural.as_ref().is_some_and(found) {
                wrong.push(format!("{} of {} is not there", checked["metric"], checked["cell"]));
            }
        }
        wrong.truncate(3);
        wrong
    }
}

/// The words of a command, where quotes hold some together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    words
}

fn variants(dataset: &Dataset) -> impl Iterator<Item = &Variant> {
    dataset.groups.iter().flat_map(|group| &group.variants)
}

/// All values, and their means over the runs of one variant of one group.
fn values(dataset: &Dataset) -> impl Iterator<Item = f64> {
    variants(dataset).flat_map(|variant| {
        let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for run in &variant.runs {
            for (name, value) in &run.metrics {
                all.entry(name).or_default().push(value.value);
            }
        }
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let means: Vec<f64> = all.values().map(mean).collect();
        all.into_values().flatten().chain(means).collect::<Vec<_>>()
    })
}

/// Changes between the first runs of two variants of one group, in percent.
fn changes(dataset: &Dataset) -> impl Iterator<Item = f64> {
    dataset.groups.iter().filter(|group| group.variants.len() == 2).flat_map(|group| {
        let [first, second] = [0, 1].map(|at| &group.variants[at].runs[0].metrics);
        first.iter().filter_map(|(name, value)| {
            let change = second.get(name)?.value / value.value - 1.0;
            Some(100.0 * change)
        })
    })
}

fn same(found: f64, value: f64) -> bool {
    UNITS.iter().any(|unit| (found - value * unit).abs() <= 1e-9 * found.abs() + 1e-12)
}

#[test]
fn files_of_other_people_are_read_right_or_refused_with_a_reason() {
    let Some(all) = expected() else {
        eprintln!("no such files beside the project: nothing checked");
        return;
    };
    let (mut right, mut refused, mut failed) = (0, 0, Vec::new());
    let mut held = 0;
    for file in &all {
        let holds = !file.says("must_refuse");
        let wrong = file.wrong();
        held += usize::from(holds && wrong.is_empty());
        if !wrong.is_empty() {
            failed.push(format!("{}: {}", file.name, wrong.join("; ")));
        } else if file.load(&Options::default()).is_err() {
            refused += 1;
        } else {
            right += 1;
        }
    }
    let wrong = failed.len();
    eprintln!("{right} read right, {refused} refused rightly, {wrong} wrong");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(10 * held >= 9 * all.iter().filter(|file| !file.says("must_refuse")).count());
}
