//! Other differences between the variants that the files record: device, versions, flags.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::checks::{CheckId, Context, Finding, Severity};
use crate::format::first_few;
use crate::runs::{ACCELERATORS, MachineState, PROCESSORS, Run, Variant, is_key};

/// Words in the names of properties that differ from run to run, or that only name the run or the place.
const OF_THE_RUN: &str = "\
    command commands comment date description directory exit_code file filename host \
    hostname id index iteration iterations label name node notes path pid file_name \
    host_name job_name loops model_filename run_name port rep run saved_as seed tag time \
    timestamp total trial url uuid";

/// Words of this kind as ends of names.
const OF_THE_RUN_ENDINGS: &str = "\
    _id _file _path _time _date _seed _run _count _characters _index \
    iterations_of_one_process";

/// Measured properties, and settings of a part of the work.
const MEASURED: &str =
    "accuracy attack_rate failed_checks test_duration_s total_num_tokens total_s";

/// Decimals from which on a number is a measurement, not a setting.
const MEASURED_DECIMALS: usize = 4;

/// Keys of [`MachineState::build`].
const BUILD: [&str; 2] = ["version", "commit"];

/// Most keys in a message; the evidence has all.
const MOST_NAMED: usize = 4;

/// Most values of one key and side in a message.
const MOST_VALUES: usize = 3;

/// Values of one key in both variants.
struct Differs<'a> {
    key: &'a str,
    baseline: BTreeSet<&'a str>,
    candidate: BTreeSet<&'a str>,
}

pub(super) fn env_mismatch(context: &Context) -> Option<Finding> {
    let (a, b) = (context.baseline, context.candidate);
    let keys: BTreeSet<&str> = a.runs.iter().flat_map(keys).collect();
    let device =
        if keys.iter().any(|key| is_key(ACCELERATORS, key)) { ACCELERATORS } else { PROCESSORS };
    let differing: Vec<Differs> = keys
        .into_iter()
        .map(|key| Differs { key, baseline: values(a, key), candidate: values(b, key) })
        .filter(|differs| is_key(device, differs.key) || !of_the_run(differs.key))
        .filter(|differs| differs.tells(a.runs.len() + b.runs.len()))
        .filter(|differs| is_key(device, differs.key) || !differs.named_by_labels(a, b))
        .collect();
    let (devices, others): (Vec<&Differs>, Vec<&Differs>) =
        differing.iter().partition(|differs| is_key(device, differs.key));
    let (builds, several_builds) = several_builds(context);
    if differing.is_empty() && builds.is_empty() {
        return None;
    }
    let evidence: Vec<Value> = differing
        .iter()
        .chain(&builds)
        .map(|d| json!({"key": d.key, "baseline": d.baseline, "candidate": d.candidate}))
        .collect();
    let listed = |all: &[&Differs]| first_few(all, MOST_NAMED, |differs| differs.words());
    if devices.is_empty() {
        let also = (!others.is_empty()).then(|| {
            format!(
                "The variants also differ in this: {}. If this is not the change under test, it affects the result.",
                listed(&others)
            )
        });
        let message = also.into_iter().chain(several_builds).collect::<Vec<_>>().join(" ");
        let finding = Finding::new(CheckId::EnvMismatch, Severity::Warn, message);
        return Some(finding.with("differs", evidence));
    }
    let also = if others.is_empty() {
        String::new()
    } else {
        format!("; also differs: {}", listed(&others))
    };
    let why = format!("the devices differ: {}{also}", listed(&devices));
    let finding = Finding::incomparable(CheckId::EnvMismatch, why, "different devices");
    Some(finding.with("differs", evidence))
}

fn values<'a>(variant: &'a Variant, key: &str) -> BTreeSet<&'a str> {
    let value = |run: &'a Run| run.metadata.get(key).or_else(|| machine(run)?.settings.get(key));
    variant.runs.iter().filter_map(value).map(|text| text.trim()).collect()
}

fn machine(run: &Run) -> Option<&MachineState> {
    run.info.machine.as_deref()
}

fn keys(run: &Run) -> impl Iterator<Item = &str> {
    run.known().map(|(key, _)| key)
}

/// Versions and commits of the program that vary inside a variant, with a sentence for each variant. Two variants differ in
/// them on purpose.
fn several_builds<'a>(context: &Context<'a>) -> (Vec<Differs<'a>>, Vec<String>) {
    let of = |variant: &'a Variant, key: &str| -> BTreeSet<&'a str> {
        let builds = variant.runs.iter().filter_map(machine);
        builds.filter_map(|machine| machine.build.get(key)).map(String::as_str).collect()
    };
    let (a, b) = (context.baseline, context.candidate);
    let both = BUILD.map(|key| Differs { key, baseline: of(a, key), candidate: of(b, key) });
    let mixed: Vec<Differs> =
        both.into_iter().filter(|d| d.baseline.len().max(d.candidate.len()) > 1).collect();
    let mut said = Vec::new();
    for differs in &mixed {
        for (variant, values) in [(a, &differs.baseline), (b, &differs.candidate)] {
            if values.len() > 1 {
                let (name, key) = (&variant.name, differs.key);
                said.push(format!(
                    "The runs of {name} come from several builds ({key} {}): they are not repeats of one build.",
                    shown(values)
                ));
            }
        }
    }
    (mixed, said)
}

fn of_the_run(key: &str) -> bool {
    let lower = key.to_lowercase();
    // The tokenizer counts the tokens.
    if lower == "tokenizer_id" {
        return false;
    }
    MEASURED.split(' ').any(|name| name == lower)
        || is_key(OF_THE_RUN, key)
        // Index of a data frame.
        || lower == "unnamed: 0"
        || OF_THE_RUN_ENDINGS.split(' ').any(|ending| lower.ends_with(ending))
}

impl Differs<'_> {
    /// Whether the two variants differ, and not in nearly every run or by a measured number.
    fn tells(&self, runs: usize) -> bool {
        if self.baseline.is_empty() || self.candidate.is_empty() {
            return false;
        }
        let all: BTreeSet<&&str> = self.baseline.union(&self.candidate).collect();
        if all.iter().any(|value| measured(value)) {
            return false;
        }
        // A number that varies between runs of one variant is a measurement, unless it is a version.
        let varies = self.baseline.len() > 1 || self.candidate.len() > 1;
        let version = self.key.to_lowercase().contains("version");
        if varies && !version && all.iter().all(|value| value.parse::<f64>().is_ok()) {
            return false;
        }
        // A value that differs in nearly every run belongs to the run.
        let of_each_run =
            (self.baseline.len(), self.candidate.len()) != (1, 1) && all.len() * 2 > runs;
        self.baseline != self.candidate && !of_each_run
    }

    /// Whether the labels give the value (`n_batch=512`, `vllm-0.11.0`), or the value only repeats them: `llama3.1-8B` for
    /// variant `3.1` and `llama3.0-8B` for `3.0`.
    fn named_by_labels(&self, baseline: &Variant, candidate: &Variant) -> bool {
        let rest = |variant: &Variant, values: &BTreeSet<&str>| -> Option<String> {
            let value = values.first().filter(|_| values.len() == 1)?;
            value.contains(&variant.name).then(|| value.replacen(&variant.name, "", 1))
        };
        let repeats = rest(baseline, &self.baseline);
        if repeats.is_some() && repeats == rest(candidate, &self.candidate) {
            return true;
        }
        let says = |variant: &Variant, values: &BTreeSet<&str>| {
            values.len() == 1
                && values.iter().all(|value| {
                    let written = format!("{}={value}", self.key);
                    let long = value.chars().count() >= 3;
                    variant.name.contains(&written) || long && variant.name.contains(value)
                })
        };
        says(baseline, &self.baseline) && says(candidate, &self.candidate)
    }

    fn words(&self) -> String {
        format!("{} {} against {}", self.key, shown(&self.baseline), shown(&self.candidate))
    }
}

fn shown(values: &BTreeSet<&str>) -> String {
    let first: Vec<String> = values.iter().take(MOST_VALUES).map(|value| short(value)).collect();
    match values.len().saturating_sub(MOST_VALUES) {
        0 => first.join(" and "),
        more => format!("{}, and {more} more", first.join(", ")),
    }
}

/// Whether a text is a number with too many decimals for a setting.
fn measured(text: &str) -> bool {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    decimals >= MEASURED_DECIMALS && text.parse::<f64>().is_ok()
}

/// The start of a long value.
fn short(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() { format!("{start}…") } else { start }
}
