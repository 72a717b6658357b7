//! "Serving Benchmark Result" blocks as clients print them, and as people paste them.
//!
//! A block is a title between rulers of `=`, lines of `label: value`, and a closing ruler. Lines may
//! carry a prefix (`# `, `> `, `[1,0]<stdout>:`, a log header), colour, carriage returns, full-width
//! colons. The labels are those of vLLM, SGLang, TensorRT-LLM and their forks.

use crate::metrics::Metric;
use crate::read::fields::{self, Fact, Number};
use crate::runs::{Run, Setting, Value};

/// Fewest `=` of a closing ruler; clients print 50, 60 or 110.
const RULER: usize = 20;

/// A title line: where the prefix ends and what kind of block starts.
pub(super) struct Title {
    prefix: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A serving result.
    Serving,
    /// An offline result: throughput only.
    Offline,
    /// Repeats the labels of the block before it for a part of the run.
    SteadyState,
}

/// What a line inside a block says.
pub(super) enum Line {
    /// The closing ruler.
    End,
    /// A value was noted, or there was nothing to note.
    Read,
    /// A known label with something else than a value.
    Bad { label: String, found: String },
}

/// What a block collects beside the run.
#[derive(Default)]
pub(super) struct Seen {
    rate: bool,
    cap: bool,
    /// A line that only clients print which also print rate and cap wherever they are set.
    prints_limits: bool,
    sglang: bool,
    tensorrt: bool,
    labels: Vec<String>,
}

/// Removes colour, carriage returns and look-alike characters from a line.
pub(super) fn clean(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                // An escape sequence ends with a letter.
                if chars.peek() == Some(&'[') {
                    chars.next();
                    for c in chars.by_ref() {
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '\u{a0}' | '\u{3000}' | '\t' => out.push(' '),
            '\u{feff}' => {}
            c => out.push(c),
        }
    }
    // A progress bar overwrites its line: what stands after the last return is what was seen.
    let seen = out.trim_end_matches('\r');
    seen.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("").trim_end().to_owned()
}

/// Recognises a title line.
pub(super) fn title(line: &str) -> Option<Title> {
    let start = line.find("===")?;
    let body = line[start..].trim_end_matches(['|', ' ']);
    let inner = body.trim_start_matches('=');
    let words = inner.trim_end_matches('=');
    if inner.len() == words.len() {
        return None;
    }
    let words = words.trim();
    let kind = if words.contains("Steady-State") {
        Kind::SteadyState
    } else if words.contains("Offline") && words.ends_with("Benchmark Result") {
        Kind::Offline
    } else if words.ends_with("Benchmark Result") {
        Kind::Serving
    } else {
        return None;
    };
    Some(Title { prefix: line[..start].to_owned(), kind })
}

/// Reads one line of a block into `run`.
pub(super) fn line(title: &Title, line: &str, run: &mut Run, seen: &mut Seen) -> Line {
    let line = line.replace('：', ":");
    let bare = line.trim_end_matches(['|', ' ']);
    let before = bare.trim_end_matches('=');
    if bare.len() - before.len() >= RULER && !before.contains('=') {
        return Line::End;
    }
    let rest = line.strip_prefix(&title.prefix).map(str::to_owned).unwrap_or_else(|| {
        let unprefixed: String = line.chars().skip(title.prefix.chars().count()).collect();
        if split(&unprefixed).is_some_and(|(label, _)| known(label)) {
            unprefixed
        } else {
            line.clone()
        }
    });
    let Some((label, value)) = split(&rest) else { return Line::Read };
    let label = if known(label) { label } else { after_log_header(label) };
    note(label, value, run, seen)
}

/// Label and value of a line `label: value`.
fn split(line: &str) -> Option<(&str, &str)> {
    // A label may hold a colon-free unit in brackets only, so the last colon before a value is it;
    // log headers hold colons too.
    let mut best = None;
    for (at, _) in line.match_indices(':') {
        let (label, value) = (line[..at].trim(), line[at + 1..].trim());
        if known(label) || known(after_log_header(label)) {
            return Some((label, value));
        }
        best = Some((label, value));
    }
    best
}

/// What follows the last mark that ends a log header.
fn after_log_header(label: &str) -> &str {
    let mut found = label;
    for (at, _) in label.match_indices(['>', ']', ')', '|', '#', ':']) {
        let tail = label[at + 1..].trim();
        if known(tail) {
            found = tail;
            break;
        }
    }
    found
}

fn known(label: &str) -> bool {
    fields::fact_of_label(label).is_some() || Metric::from_text(label).is_some()
}

/// Whether the label is one that an unknown client could print: words with an optional unit.
fn plausible(label: &str) -> bool {
    let letters = label.chars().next().is_some_and(char::is_alphabetic);
    letters && label.len() <= 60 && !label.starts_with("Position") && !label.contains("://")
}

fn note(label: &str, value: &str, run: &mut Run, seen: &mut Seen) -> Line {
    let folded = label.to_lowercase();
    if seen.labels.contains(&folded) {
        return Line::Read;
    }
    let bad = || Line::Bad { label: label.to_owned(), found: value.to_owned() };
    match folded.as_str() {
        "backend" | "traffic request rate" => seen.sglang = true,
        "total requests" | "user throughput (tok/s)" => seen.tensorrt = true,
        "failed requests" | "peak concurrent requests" => seen.prints_limits = true,
        _ => {}
    }
    if let Some(fact) = fields::fact_of_label(label) {
        match fact {
            Fact::MaxConcurrency => seen.cap = true,
            Fact::RequestRate => seen.rate = true,
            Fact::Client => {
                run.metadata.insert("backend".to_owned(), value.to_owned());
                return Line::Read;
            }
            _ => {}
        }
        if !fields::set(run, fact, label, value) {
            return bad();
        }
        seen.labels.push(folded);
        return Line::Read;
    }
    let metric = Metric::from_text(label);
    let name = match (&metric, fields::number(value)) {
        (Some(metric), _) => metric.name.clone(),
        (None, Some(_)) if plausible(label) => slug(label),
        _ => return Line::Read,
    };
    seen.labels.push(folded);
    match fields::number(value) {
        Some(Number { value, resolution }) if value.is_finite() => {
            run.metrics.entry(name).or_insert(Value { value, resolution });
            Line::Read
        }
        Some(_) => Line::Read,
        None if matches!(
            value.to_lowercase().as_str(),
            "n/a" | "-" | "none" | "not set" | "null"
        ) =>
        {
            Line::Read
        }
        None => bad(),
    }
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

/// Fills in what the block says by not saying it.
pub(super) fn conclude(kind: Kind, run: &mut Run, seen: &Seen) {
    let client = match (kind, seen.tensorrt, seen.sglang) {
        (Kind::Offline, ..) => "sglang offline",
        (_, true, _) => "tensorrt-llm",
        (_, _, true) => "sglang",
        _ => "vllm",
    };
    run.workload.client = Some(client.to_owned());
    // Since vLLM 0.10.1 a limit that is set is printed, so one that is not printed is not set.
    if client == "vllm" && (seen.prints_limits || seen.cap || seen.rate) {
        for (printed, setting) in [
            (seen.cap, &mut run.workload.max_concurrency),
            (seen.rate, &mut run.workload.request_rate),
        ] {
            if !printed && *setting == Setting::Unknown {
                *setting = Setting::Unlimited;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(first: &str, lines: &[&str]) -> Run {
        let title = title(first).expect("a title");
        let (mut run, mut seen) = (Run::default(), Seen::default());
        for text in lines {
            if let Line::Bad { label, found } = line(&title, &clean(text), &mut run, &mut seen) {
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
        let title = title(TITLE).unwrap();
        let (mut run, mut seen) = (Run::default(), Seen::default());
        for banner in
            ["=======================!FAILED REQUESTS!=======================", "-----x-----"]
        {
            assert!(matches!(line(&title, banner, &mut run, &mut seen), Line::Read));
        }
        for ruler in ["=".repeat(50), "=".repeat(60), "=".repeat(110)] {
            assert!(matches!(line(&title, &ruler, &mut run, &mut seen), Line::End));
        }
    }

    #[test]
    fn the_typing_error_of_sglang_0_4_is_a_cap() {
        let run = read(TITLE, &["Backend:      sglang", "Max reqeuest concurrency:  16"]);
        assert_eq!(run.workload.max_concurrency, Setting::Value(16.0));
        assert_eq!(run.workload.client.as_deref(), Some("sglang"));
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

    #[test]
    fn words_in_a_number_are_refused() {
        let (mut run, mut seen) = (Run::default(), Seen::default());
        let bad = line(&title(TITLE).unwrap(), "Mean TTFT (ms):   fast", &mut run, &mut seen);
        assert!(matches!(bad, Line::Bad { found, .. } if found == "fast"));
    }
}
