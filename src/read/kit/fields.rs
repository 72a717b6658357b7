//! Keys of result files and columns of tables: fields of the run, or metrics.
//!
//! One table for JSON keys, CSV columns and the labels of text blocks, so that a run means the same
//! wherever it was read. [`finish`](super::finish) then derives what follows from the facts.

use crate::kit::digits::{Decimal, decimal};
use beyondnoise_model::metrics::words::{Outcome, Says, meaning};
use beyondnoise_model::metrics::{Metric, Statistic};
use beyondnoise_model::runs::{Run, Setting, Value};
use beyondnoise_model::units::Unit;
use beyondnoise_model::units::{Conversion, Scale};

/// Meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunField {
    Completed,
    Failed,
    Requests,
    InputTokens,
    OutputTokens,
    MaxConcurrency,
    RequestRate,
    Model,
    Dataset,
    Client,
    /// A workload by name; one variant may have several.
    Section,
    Started,
    /// A setting of the load that has no field of its own.
    Load,
    /// A number that is neither a field nor a metric.
    Ignored,
}

/// Keys of result files and columns of tables, lower case.
const KEYS: &[(&str, RunField)] = &[
    ("completed", RunField::Completed),
    ("failed", RunField::Failed),
    ("num_prompts", RunField::Requests),
    ("requests", RunField::Requests),
    ("num_requests", RunField::Requests),
    ("total_input_tokens", RunField::InputTokens),
    ("input_tokens", RunField::InputTokens),
    ("total_output_tokens", RunField::OutputTokens),
    ("output_tokens", RunField::OutputTokens),
    ("max_concurrency", RunField::MaxConcurrency),
    ("concurrency", RunField::MaxConcurrency),
    ("conc", RunField::MaxConcurrency),
    ("request_rate", RunField::RequestRate),
    ("qps", RunField::RequestRate),
    ("model", RunField::Model),
    ("model_id", RunField::Model),
    ("model_name", RunField::Model),
    ("server_info.model_path", RunField::Model),
    ("dataset", RunField::Dataset),
    ("dataset_name", RunField::Dataset),
    ("client", RunField::Client),
    ("workload", RunField::Section),
    ("date", RunField::Started),
    ("started", RunField::Started),
    ("timestamp", RunField::Started),
    ("start_time", RunField::Started),
    ("started_at", RunField::Started),
    ("run_start_epoch", RunField::Started),
    ("random_input_len", RunField::Load),
    ("random_output_len", RunField::Load),
    ("random_range_ratio", RunField::Load),
    ("sharegpt_output_len", RunField::Load),
    ("input_len", RunField::Load),
    ("output_len", RunField::Load),
    ("isl", RunField::Load),
    ("osl", RunField::Load),
    ("batch_size", RunField::Load),
    ("burstiness", RunField::Ignored),
    ("best_of", RunField::Ignored),
    ("rtfx", RunField::Ignored),
    ("run_number", RunField::Ignored),
    ("total_output_tokens_retokenized", RunField::Ignored),
    ("total_input_text_tokens", RunField::Ignored),
    ("total_input_vision_tokens", RunField::Ignored),
    ("ramp_up_start_rps", RunField::Ignored),
    ("ramp_up_end_rps", RunField::Ignored),
];

/// Labels of text blocks, lower case, without the colon.
const LABELS: &[(&str, RunField)] = &[
    ("successful requests", RunField::Completed),
    ("failed requests", RunField::Failed),
    ("total requests", RunField::Requests),
    ("maximum request concurrency", RunField::MaxConcurrency),
    ("max request concurrency", RunField::MaxConcurrency),
    ("max reqeuest concurrency", RunField::MaxConcurrency),
    ("request rate configured (rps)", RunField::RequestRate),
    ("traffic request rate", RunField::RequestRate),
    ("total input tokens", RunField::InputTokens),
    ("total generated tokens", RunField::OutputTokens),
    ("backend", RunField::Client),
    ("total generated tokens (retokenized)", RunField::Ignored),
    ("total input text tokens", RunField::Ignored),
    ("total input vision tokens", RunField::Ignored),
    ("slos (ms)", RunField::Ignored),
    ("rtfx (inverse real-time factor)", RunField::Ignored),
];

/// Meaning of a JSON key or a column, `None` where it is no fact.
pub(crate) fn field_of_key(key: &str) -> Option<RunField> {
    look_up(KEYS, key)
}

/// Meaning of a column, which may be named like a key or like a label of a text block.
pub(crate) fn field_of_column(name: &str) -> Option<RunField> {
    // The backend of a block names the client, that of a table may be the server.
    field_of_key(name).or_else(|| field_of_label(name).filter(|field| *field != RunField::Client))
}

/// Rank of a column among the names of one limit of the load, from the plainest; the last for other columns.
pub(crate) fn rank_of_limit(limit: RunField, name: &str) -> usize {
    if !matches!(limit, RunField::MaxConcurrency | RunField::RequestRate) {
        return usize::MAX;
    }
    let name = name.to_lowercase();
    let named = |&(known, field): &(&str, RunField)| field == limit && known == name;
    KEYS.iter().position(named).unwrap_or(usize::MAX)
}

/// Conversion from the unit of a column to the unit of its metric: `ttft_s` is in seconds, `ttft_ms` in milliseconds.
pub(crate) fn conversion_of_column(name: &str) -> Conversion {
    let (metric, unit) = Metric::of_column(name);
    let scales = Scale::of_unit(unit).zip(Scale::of_unit(metric.unit));
    scales.and_then(|(from, to)| from.to(to)).unwrap_or(Conversion::NONE)
}

/// The metric that a column is named after.
pub(crate) fn metric_of_column(name: &str) -> Metric {
    Metric::of_column(name).0
}

/// Whether a name is that of a result, by its words or in the registry.
pub(crate) fn is_metric(name: &str) -> bool {
    // A number is none.
    let number = |byte: u8| byte.is_ascii_digit() || b"., -+".contains(&byte);
    !name.bytes().all(number)
        && (names_result(name) || Metric::known(&Metric::of_column(name).0.name).is_some())
}

/// Whether a name by itself shows the result of a benchmark.
pub(crate) fn names_result(name: &str) -> bool {
    let metric = metric_of_column(name);
    let registered = Metric::known(&metric.name).is_some_and(|metric| metric.better.is_some());
    registered || meaning(name).is_result
}

/// Whether a name is a setting with its value: `qps = 4`, `batch size=8`. Behind another word it is a part of a label: `layered G=8`.
pub(crate) fn is_set(name: &str) -> bool {
    name.split_once('=').is_some_and(|(setting, value)| {
        let named = || {
            field_of_column(setting.trim()).is_some()
                || meaning(setting.trim()).says == Says::Setting
        };
        (!setting.trim().contains(' ') || named()) && number(value.trim()).is_some()
    })
}

/// Whether all parts of a label are settings with their values: `M=16, N=7168`, `M=16 N=7168`.
pub(crate) fn are_set(label: &str) -> bool {
    let mut parts = label.split([',', ' ', ';']).filter(|part| !part.is_empty());
    parts.all(is_set)
}

/// Whether a label is a setting of the load with its value: `batch_size=32`, `batch size 32`.
pub(crate) fn sets_load(label: &str) -> bool {
    let of_load = |name: &str| {
        let name = name.trim().to_lowercase().replace(' ', "_");
        field_of_column(&name).is_some_and(is_setting)
    };
    let whole = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    // `request rate: 1.0`, also in other languages.
    if let Some((name, value)) = label.split_once([':', '：']) {
        return number(value.trim()).is_some()
            && (of_load(name) || meaning(name).says == Says::Setting);
    }
    match label.split_once('=') {
        Some((name, _)) => is_set(label) && of_load(name),
        None => label.rsplit_once(' ').is_some_and(|(name, value)| of_load(name) && whole(value)),
    }
}

/// The unit of a metric, if its name states it.
pub(crate) fn unit_of(metric: &str) -> Unit {
    Metric::named(metric).unit
}

/// Meaning of a label in a text block.
pub(crate) fn field_of_label(label: &str) -> Option<RunField> {
    look_up(LABELS, label).or_else(|| outcome_of_requests(label))
}

/// Requests with a word for their outcome, and nothing else: `Finished requests`, `Requests failed`.
fn outcome_of_requests(label: &str) -> Option<RunField> {
    let lower = label.trim().to_lowercase();
    let mut words = lower.split([' ', '_', '-']).filter(|word| !word.is_empty());
    let (Some(one), Some(other), None) = (words.next(), words.next(), words.next()) else {
        return None;
    };
    let requests = |word: &str| matches!(word, "request" | "requests");
    let outcome = match (requests(one), requests(other)) {
        (true, false) => other,
        (false, true) => one,
        _ => return None,
    };
    match meaning(outcome).says {
        Says::Outcome(Outcome::Successes) => Some(RunField::Completed),
        Says::Outcome(Outcome::Failures) => Some(RunField::Failed),
        _ => None,
    }
}

fn look_up(table: &[(&str, RunField)], name: &str) -> Option<RunField> {
    let name = name.to_lowercase();
    table.iter().find(|(known, _)| *known == name).map(|&(_, field)| field)
}

/// Sets a field from text; false if the text does not fit the field.
pub(crate) fn set(run: &mut Run, field: RunField, name: &str, text: &str) -> bool {
    let text = text.trim();
    let word = || (!text.is_empty()).then(|| text.to_owned());
    // `78 / 80`
    let (part, whole) =
        text.split_once('/').map_or((text, ""), |(part, whole)| (part, whole.trim()));
    match field {
        RunField::Completed | RunField::Failed => {
            let failed = field == RunField::Failed;
            let of = if failed { &mut run.info.failed } else { &mut run.info.completed };
            return set_count(part, of) && set_count(whole, &mut run.workload.requests);
        }
        RunField::Requests => return set_count(text, &mut run.workload.requests),
        RunField::InputTokens => return set_count(text, &mut run.workload.input_tokens),
        RunField::OutputTokens => return set_count(text, &mut run.info.output_tokens),
        RunField::MaxConcurrency => run.workload.max_concurrency = limit(text),
        RunField::RequestRate => run.workload.request_rate = limit(text),
        RunField::Model => run.workload.model = word().or(run.workload.model.take()),
        RunField::Dataset => run.workload.dataset = word(),
        RunField::Client => run.workload.client = word(),
        RunField::Section => run.workload.label = word(),
        RunField::Started => run.info.started = run.info.started.take().or_else(word),
        RunField::Load => {
            if let Some(word) = word() {
                run.workload.other.insert(name.to_owned(), word);
            }
        }
        RunField::Ignored => {}
    }
    true
}

/// Reads a limit such as `16`, `1,024` or `inf`.
fn limit(text: &str) -> Setting {
    match Setting::parse(text) {
        Setting::Text(_) if thousands(text) => {
            number(text).map_or(Setting::Unknown, |number| Setting::number(number.value))
        }
        other => other,
    }
}

/// Reads a count such as `800`, `1,024` or `27.00` into `slot`.
fn set_count(text: &str, slot: &mut Option<u64>) -> bool {
    let Some(Number { value, .. }) = number(text) else { return text.is_empty() };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a whole number in range"
    )]
    if value >= 0.0 && value.fract() == 0.0 && value < 9e15 {
        *slot = Some(value as u64);
        true
    } else {
        false
    }
}

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    /// Half of the last printed digit.
    pub(crate) resolution: f64,
}

impl Number {
    /// A number that was read as binary, with the precision of its shortest decimal form.
    pub(crate) fn binary(value: f64) -> Self {
        number(&value.to_string()).unwrap_or(Self { value, resolution: 0.0 })
    }

    /// A calculated number.
    pub(crate) fn exact(value: f64) -> Self {
        Self { value, resolution: 0.0 }
    }

    /// The number in another unit.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, resolution: self.resolution * factor }
    }
}

/// Reads a printed number: `532.19`, `1,234.5`, `12.3%`, `1e-3`, `inf`, `NaN`.
pub(crate) fn number(text: &str) -> Option<Number> {
    let whole = |read: &Decimal| read.length == text.len();
    if let Some(read) = decimal(text.as_bytes()).filter(whole)
        && let Some((value, decimals)) = read.value().zip(i32::try_from(read.decimals).ok())
    {
        return Some(Number { value, resolution: 0.5 * 10f64.powi(-decimals) });
    }
    let text = text.trim().trim_end_matches('%').trim_end();
    let plain: String =
        if thousands(text) { text.replace(',', "") } else { text.replace('\u{2212}', "-") };
    let value: f64 = plain.parse().ok()?;
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let decimals = i32::try_from(decimals).ok()?;
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let resolution = 0.5 * 10f64.powi(exponent.saturating_sub(decimals));
    Some(Number { value, resolution: if resolution.is_finite() { resolution } else { 0.0 } })
}

/// Whether commas are exactly where thousands are separated.
fn thousands(text: &str) -> bool {
    let whole = text.split('.').next().unwrap_or("").trim_start_matches(['-', '+']);
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or("");
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    text.contains(',')
        && (1..=3).contains(&first.len())
        && digits(first)
        && groups.all(|group| group.len() == 3 && digits(group))
}

/// Notes a value of a metric; of two the first is taken, and a second median is kept beside it, since clients
/// that are asked for it print the median as P50 too.
pub(crate) fn keep(run: &mut Run, name: String, value: Value) {
    let again = run.metrics.contains_key(&name);
    if again && Metric::named(&name).statistic == Statistic::Median {
        if !run.info.printed.contains_key(&name) {
            run.info.printed.insert(name, value);
        }
    } else if !again {
        run.metrics.insert(name, value);
    }
}

/// Whether a value alone is the time that a test was told to run: round seconds, `duration` 60.
pub(crate) fn is_set_time(name: &str, value: f64) -> bool {
    value % 5.0 == 0.0 && metric_of_column(name).name == "duration"
}

/// Whether a field of the run is a setting of its load.
pub(crate) fn is_setting(field: RunField) -> bool {
    use RunField::{Client, Dataset, Load, MaxConcurrency, Model, RequestRate, Requests, Section};
    matches!(
        field,
        Requests | MaxConcurrency | RequestRate | Model | Dataset | Client | Section | Load
    )
}

/// A hash or a name that a program drew.
pub(crate) fn is_hash(text: &str) -> bool {
    let bare: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    bare.len() >= 7 && bare.iter().all(u8::is_ascii_hexdigit) && bare.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers_keep_their_last_digit() {
        let read = |text| number(text).map(|n| (n.value, n.resolution));
        assert_eq!(read("532.19"), Some((532.19, 0.005)));
        assert_eq!(read("1,234.5"), Some((1234.5, 0.05)));
        assert_eq!(read("12.3%"), Some((12.3, 0.05)));
        assert_eq!(read("800"), Some((800.0, 0.5)));
        assert_eq!(read("1.5e-3"), Some((0.0015, 0.5e-4)));
        for not_a_number in ["", "abc", "1,2", "12/13", "not set", "-"] {
            assert_eq!(number(not_a_number), None, "{not_a_number}");
        }
    }
}
