//! "Serving Benchmark Result" blocks as clients print them, and as people paste them.
//!
//! A block is a title between rulers of `=`, lines of `label: value`, and a closing ruler. Lines may
//! carry a prefix (`# `, `> `, `[1,0]<stdout>:`, a log header), colour, carriage returns, full-width
//! colons. The labels are those of vLLM, SGLang, TensorRT-LLM and their forks.

use crate::metrics::Metric;
use crate::read::kit::fields::{self, Number, RunField};
use crate::read::kit::printed::Kind;
use crate::read::kit::units::{Conversion, Scale};
use crate::read::text::notes::between::is_setting;
use crate::runs::{Run, Setting, Value, Workload};

/// Fewest `=` of a closing ruler; clients print 50, 60 or 110.
const RULER: usize = 20;

/// Longest label with the header of a log, in bytes.
const LABEL: usize = 160;

/// A known label with something else than a value.
pub(crate) struct Bad {
    pub(crate) label: String,
    pub(crate) found: String,
}

/// Collected from a block beside the run.
#[derive(Default)]
pub(crate) struct Seen {
    rate: bool,
    cap: bool,
    /// A line that only clients print which also print rate and cap wherever they are set.
    prints_limits: bool,
    /// Labels that only one client prints.
    client: Option<&'static str>,
    labels: Vec<String>,
    /// Skipped lines.
    pub(crate) notes: Vec<String>,
}

/// Whether a line closes a block. A banner inside a block has rulers on both sides.
pub(crate) fn is_ruler(line: &str) -> bool {
    let bare = line.trim_end_matches(['|', ' ', '`']);
    let before = bare.trim_end_matches('=');
    bare.len() - before.len() >= RULER && !before.contains("==")
}

/// Reads one line of a block, which carries the prefix of its title, into `run`.
pub(crate) fn line(prefix: &str, line: &str, run: &mut Run, seen: &mut Seen) -> Result<(), Bad> {
    let line = line.replace('：', ":");
    let line = line.trim_end_matches(['|', ' ']);
    let rest = line.strip_prefix(prefix).unwrap_or_else(|| {
        // A header of the same width, such as a time.
        let width = line.char_indices().nth(prefix.chars().count());
        let unprefixed = width.map_or("", |(at, _)| &line[at..]);
        if split(unprefixed).is_some_and(|(label, _)| known(label)) { unprefixed } else { line }
    });
    split(rest).map_or(Ok(()), |(label, value)| note(label, value, run, seen))
}

/// The label of a line with a figure, as in blocks: `Mean TTFT (ms):   532.19`.
pub(crate) fn figure(line: &str) -> Option<&str> {
    let (label, value) = line.trim_end_matches(['|', ' ']).rsplit_once([':', '：'])?;
    let label = label.trim();
    let value = value.trim();
    // Percentages occur in logs; a block has their sign in the label.
    if label.len() > LABEL || value.ends_with('%') || fields::number(value).is_none() {
        return None;
    }
    if known(label) { Some(label) } else { after_log_header(label) }
}

/// Label and value of a line `label: value`: at the first colon behind a known label, since the
/// header of a log holds colons too, or else at the first colon.
fn split(line: &str) -> Option<(&str, &str)> {
    let parts = |at: usize| (line[..at].trim(), line[at + 1..].trim());
    let known_label = line.match_indices(':').find_map(|(at, _)| {
        let (label, value) = parts(at);
        let label = if known(label) { Some(label) } else { after_log_header(label) };
        label.map(|label| (label, value))
    });
    known_label.or_else(|| line.find(':').map(parts))
}

/// The known label behind the header of a log line: `[serve.py:1] Mean TTFT (ms)`.
fn after_log_header(text: &str) -> Option<&str> {
    let marks = text.match_indices(['>', ']', '|', '#', ':']).map(|(at, mark)| at + mark.len());
    let brackets = text.match_indices(')').filter(|_| text.starts_with('(')).map(|(at, _)| at + 1);
    let levels = ["DEBUG ", "INFO ", "WARNING "]
        .into_iter()
        .filter_map(|level| text.find(level).map(|at| at + level.len()));
    marks.chain(brackets).chain(levels).map(|at| text[at..].trim()).find(|tail| known(tail))
}

fn known(label: &str) -> bool {
    fields::field_of_label(label).is_some() || Metric::from_text(label).is_some()
}

/// Whether the label is one that an unknown client could print: words with an optional unit.
fn plausible(label: &str) -> bool {
    let letters = label.chars().next().is_some_and(char::is_alphabetic);
    letters && label.len() <= 60 && !label.starts_with("Position") && !label.contains(['[', '"'])
}

fn note(label: &str, value: &str, run: &mut Run, seen: &mut Seen) -> Result<(), Bad> {
    let folded = label.to_lowercase();
    if seen.labels.contains(&folded) {
        return Ok(());
    }
    let bad = || Err(Bad { label: label.to_owned(), found: value.to_owned() });
    match label {
        "Backend" | "Traffic request rate" | "Total Requests" => seen.client = Some("sglang"),
        "Total requests" | "User throughput (tok/s)" => seen.client = Some("tensorrt-llm"),
        "Failed requests" | "Peak concurrent requests" => seen.prints_limits = true,
        _ => {}
    }
    if let Some(field) = fields::field_of_label(label) {
        match field {
            RunField::MaxConcurrency => seen.cap = true,
            RunField::RequestRate => seen.rate = true,
            RunField::Client => {
                run.metadata.insert("backend".to_owned(), value.to_owned());
                return Ok(());
            }
            _ => {}
        }
        if !fields::set(run, field, label, value) {
            return bad();
        }
        seen.labels.push(folded);
        return Ok(());
    }
    let metric = Metric::from_text(label);
    let mut unit = Conversion::NONE;
    let name = match (&metric, fields::number(value)) {
        (Some(metric), _) => metric.name.clone(),
        (None, Some(_)) if plausible(label) => {
            let (name, to_its_unit) = as_a_column(label);
            unit = to_its_unit;
            name
        }
        _ => {
            if metric.is_none() && plausible(label) && is_setting(label, value) {
                run.metadata.entry(label.to_owned()).or_insert_with(|| value.to_owned());
            }
            return Ok(());
        }
    };
    seen.labels.push(folded);
    match fields::number(value) {
        Some(Number { value, resolution }) if value.is_finite() => {
            let (value, resolution) = (unit.apply(value), unit.apply(resolution));
            fields::keep(run, name, Value { value, resolution });
            Ok(())
        }
        Some(_) => {
            seen.notes.push(format!("\"{label}\" is {value}, which means no data"));
            Ok(())
        }
        None if means_no_data(value) => Ok(()),
        None => bad(),
    }
}

fn means_no_data(value: &str) -> bool {
    ["n/a", "-", "none", "not set", "null"].contains(&&*value.to_lowercase())
}

/// The metric that a table has in a column of this name, and the change to its unit.
fn as_a_column(label: &str) -> (String, Conversion) {
    let (metric, printed) = Metric::of_column(&slug(label));
    let scales = Scale::of_unit(printed).zip(Scale::of_unit(metric.unit));
    let unit = scales.and_then(|(from, to)| from.to(to)).unwrap_or(Conversion::NONE);
    (metric.name, unit)
}

/// A metric name from a label that no registry knows: `Committed tokens` becomes `committed_tokens`.
fn slug(label: &str) -> String {
    let mut out = String::new();
    for c in label.to_lowercase().chars() {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// Fills in the defaults that the block leaves out.
pub(crate) fn conclude(kind: Kind, run: &mut Run, seen: &Seen) {
    let client =
        if kind == Kind::Offline { "sglang offline" } else { seen.client.unwrap_or("vllm") };
    run.workload.client = Some(client.to_owned());
    // Since vLLM 0.10.1 a limit that is set is printed, so one that is not printed is not set.
    if client == "vllm" && (seen.prints_limits || seen.cap || seen.rate) {
        let Workload { max_concurrency, request_rate, .. } = &mut *run.workload;
        for (printed, setting) in [(seen.cap, max_concurrency), (seen.rate, request_rate)] {
            if !printed && *setting == Setting::Unknown {
                *setting = Setting::Unlimited;
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what was read is what was written, to the last bit")]
mod tests {
    use super::*;
    use crate::read::kit::printed::{clean, title};

    fn read(first: &str, lines: &[&str]) -> Run {
        let title = title(first).expect("a title");
        let (mut run, mut seen) = (Run::default(), Seen::default());
        for text in lines {
            let read = line(&title.prefix, &clean(text), &mut run, &mut seen);
            if let Err(Bad { label, found }) = read {
                panic!("{label}: {found}");
            }
        }
        conclude(title.kind, &mut run, &seen);
        run
    }

    const TITLE: &str = "============ Serving Benchmark Result ============";

    #[test]
    fn prefixes_colour_and_look_alikes_are_removed() {
        for (prefix, text) in [
            ("# ", "# Mean TTFT (ms):     532.19"),
            ("> ", "> Mean TTFT (ms):     532.19  "),
            ("[1,0]<stdout>:", "[1,0]<stdout>:Mean TTFT (ms):     532.19"),
            ("(APIServer pid=123) ", "(APIServer pid=123) Mean TTFT (ms): 532.19"),
            (
                "INFO 11-21 01:49:22 [serve.py:1] ",
                "INFO 11-21 01:49:23 [serve.py:2] Mean TTFT (ms): 532.19",
            ),
            ("2026-11-21 01:49:22 INFO ", "2026-11-21 01:49:23 INFO Mean TTFT (ms): 532.19"),
            ("", "\u{1b}[32mMean TTFT (ms):\u{1b}[0m 532.19\r"),
            ("", "100%|███| 8/8\rMean\u{a0}TTFT\u{a0}(ms)：532.19"),
        ] {
            let run = read(&format!("{prefix}{TITLE}"), &[text]);
            assert_eq!(run.metrics["mean_ttft_ms"].value, 532.19, "{text}");
        }
    }

    #[test]
    fn a_banner_inside_the_block_is_not_its_end() {
        for banner in
            ["=======================!FAILED REQUESTS!=======================", "-----x-----"]
        {
            assert!(!is_ruler(banner));
        }
        for width in [47, 50, 60, 110] {
            assert!(is_ruler(&format!("(rank=0) {}", "=".repeat(width))));
        }
    }

    #[test]
    fn the_typing_error_of_sglang_0_4_is_a_cap() {
        let run = read(TITLE, &["Backend:      sglang", "Max reqeuest concurrency:  16"]);
        assert_eq!(run.workload.max_concurrency, Setting::Value(16.0));
        assert_eq!(run.workload.client.as_deref(), Some("sglang"));
    }

    #[test]
    fn a_label_is_named_as_a_column_of_that_name() {
        let run = read(TITLE, &["Benchmark-duration (s): 2.50"]);
        assert_eq!(run.metrics["duration"].value, 2.5);
        let run = read(TITLE, &["Benchmark-duration (ms): 2500.0"]);
        assert_eq!(run.metrics["duration"].value, 2.5);
        assert_eq!(run.metrics["duration"].resolution, 0.000_05);
    }

    #[test]
    fn a_longer_unknown_label_is_not_taken_for_a_known_one() {
        let run = read(TITLE, &["Committed output token throughput (tok/s): 5.00"]);
        assert!(!run.metrics.contains_key("output_throughput"));
        assert!(run.metrics.contains_key("committed_output_token_throughput_tok_s"));
    }

    #[test]
    fn the_first_of_equal_labels_counts() {
        let run = read(
            TITLE,
            &[
                "Mean TTFT (ms): 5.00",
                "Mean TTFT (ms): 6.00",
                "P50 ITL (ms): 2",
                "Median ITL (ms): 3",
            ],
        );
        assert_eq!(run.metrics["mean_ttft_ms"].value, 5.0);
        assert_eq!(run.metrics["median_itl_ms"].value, 2.0);
    }

    /// Else the name would change when it is made safe to print, and be another one in the tidy table.
    #[test]
    fn a_label_is_known_whatever_cannot_be_seen_in_it() {
        assert_eq!(clean("P95 E2E \0Latency\u{202e} (ms): 5\r"), "P95 E2E Latency (ms): 5");
    }

    /// Found by fuzzing: `mean_e2e_latency_ms` is another name of `mean_e2el_ms`, which the tidy table reads it as.
    #[test]
    fn a_label_with_a_mark_too_many_is_no_metric_of_its_own() {
        let run = read(TITLE, &["Mean ,E2E Latency (ms): 500.50"]);
        assert_eq!(run.metrics.keys().collect::<Vec<_>>(), ["mean_e2el_ms"]);
    }

    #[test]
    fn words_in_a_number_are_refused() {
        let (mut run, mut seen) = (Run::default(), Seen::default());
        let bad = line("", "Mean TTFT (ms):   fast", &mut run, &mut seen);
        assert!(bad.is_err_and(|bad| bad.found == "fast"));
    }
}
