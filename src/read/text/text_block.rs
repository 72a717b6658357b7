//! "Serving Benchmark Result" blocks as clients print them, and as people paste them.
//!
//! A block is a title between rulers of `=`, lines of `label: value`, and a closing ruler. Lines may
//! carry a prefix (`# `, `> `, `[1,0]<stdout>:`, a log header), colour, carriage returns, full-width
//! colons. The labels are those of vLLM, SGLang, TensorRT-LLM and their forks.

use std::borrow::Cow;

use crate::kit::cell_value::is_nothing;
use crate::kit::fields::{self, Number, RunField};
use crate::kit::figure::{self as figures, Figure, clock, is_unit, quantile_beside};
use crate::kit::printed::Kind;
use crate::text::claims::claims_of;
use crate::text::notes::between::{behind_log_header, is_setting};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{Claim, Run, Setting, Source, Value, Workload};
use beyondnoise_model::units::{Conversion, Scale, nanoseconds};

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
    /// Remarks behind values, `(-10%)`, with their metric.
    remarks: Vec<(String, String)>,
}

impl Seen {
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The changes that the lines state beside their values.
    pub(crate) fn claims(&self, source: &Source) -> Vec<Claim> {
        let claims = |(metric, text): &(String, String)| {
            let metric = Some(metric.clone());
            let found = claims_of(text, source).into_iter();
            found.map(move |claim| Claim { metric: metric.clone(), ..claim }).collect::<Vec<_>>()
        };
        self.remarks.iter().flat_map(claims).collect()
    }
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
        let alike = width.is_some_and(|(at, _)| {
            let shape = |c: char| if c.is_ascii_digit() { '0' } else { c };
            !prefix.is_empty() && line[..at].chars().map(shape).eq(prefix.chars().map(shape))
        });
        let is_known = split(unprefixed).is_some_and(|(label, _)| known(label));
        if alike || is_known { unprefixed } else { line }
    });
    split(rest).map_or(Ok(()), |(label, value)| note(label, value, run, seen))
}

/// A line with a figure under a known label.
pub(crate) struct Known {
    pub(crate) label: String,
    /// Whether it is a result; other figures say how it was measured.
    pub(crate) is_result: bool,
}

/// Reads a line with a figure, as in blocks: `Mean TTFT (ms):   532.19`, `- **TTFT**: 532 ms`.
pub(crate) fn figure(line: &str) -> Option<Known> {
    let (label, value) = line.trim_end_matches(['|', ' ']).rsplit_once([':', '：'])?;
    let (label, value) = (label.trim(), value.trim());
    // Percentages occur in logs; a block has their sign in the label.
    let Figure { number, unit, .. } = value_of(value, false).filter(|value| value.unit != "%")?;
    if label.len() > LABEL || label.contains('|') {
        return None;
    }
    let label = if known(label) { label } else { after_log_header(label).unwrap_or(label) };
    let bare = bare(label);
    let field = fields::field_of_label(bare).is_some();
    let metric = metric_of(&with_unit(bare, &unit));
    // A bare 0 is a setting or a counter.
    let measured = !unit.is_empty()
        || fields::unit_of(bare).symbol() != ""
        || fields::number(&number).is_some_and(|number| number.value > 0.0);
    // Words alone make many lines of a log look like metrics; those of the registry are results.
    let is_result = metric.is_some_and(|metric| {
        Metric::known(&metric.name).is_some()
            && metric.better.is_some()
            && metric.name != "duration"
    });
    (field || is_result || known(bare))
        .then(|| Known { label: bare.to_owned(), is_result: is_result && measured && !field })
}

/// Whether a line of a block without a title has a value with a unit, its own or that of the name, under the name of a result.
pub(crate) fn is_named_result(line: &str) -> bool {
    split(line).is_some_and(|(label, value)| {
        let unit = fields::unit_of(bare(label)).symbol();
        let stated = |unit: &str| !matches!(unit, "" | "%");
        let value = value_of(value, false).filter(|value| stated(&value.unit) || stated(unit));
        let says = meaning(bare(label));
        let directed = stated(unit) && says.says == Says::Measured && says.better.is_some();
        value.is_some() && (directed || fields::is_metric(bare(label)))
    })
}

/// Whether a line has a value with a unit under a name for something measured.
pub(crate) fn is_measured(line: &str) -> bool {
    split(line).is_some_and(|(label, value)| {
        let value = value_of(value, false).filter(|value| !matches!(&*value.unit, "" | "%"));
        value.is_some() && plausible(bare(label)) && meaning(bare(label)).says == Says::Measured
    })
}

/// The label of a line that has a value with its unit, in small letters, the value as written, and whether the label is
/// the name of a result.
pub(crate) fn label_of_result(line: &str) -> Option<(String, String, bool)> {
    let (label, value) = split(behind_log_header(line).unwrap_or(line))?;
    let (label, found) = (bare(label), value_of(value, false)?);
    if let Some(rate) = rate_beside(&found) {
        return Some((rate_of(label).to_lowercase(), rate, true));
    }
    // `Average execution time over 100 iterations`
    let name = label.split(" over ").next().unwrap_or(label);
    let statistic = meaning(name).statistic.is_some();
    // Whatever has a median and is a time or a rate was measured: `http_req_duration - median: 2.43ms`.
    let scaled = || {
        let rate = Scale::parse(&found.unit).is_some_and(Scale::is_rate);
        rate || nanoseconds(&found.unit).is_some()
    };
    let measured = statistic && (fields::is_metric(&with_unit(name, &found.unit)) || scaled());
    let named = fields::is_metric(name) || measured;
    let set = fields::field_of_label(label).is_some() || !plausible(label);
    let stated = !matches!(&*found.unit, "" | "%")
        || found.unit.is_empty() && !set && (fields::names_result(name) || is_named_result(line));
    let value = format!("{} {}", found.number, found.unit);
    (stated && (named || !set)).then(|| (label.to_lowercase(), value, named))
}

/// Whether a line of a block holds a figure, or is the title of a section.
pub(crate) fn has_figure(line: &str) -> bool {
    let value = line.rsplit_once([':', '：']).map(|(_, value)| value.trim());
    line.contains("---")
        || value.is_some_and(|value| {
            value_of(value, false).is_some() || !value.is_empty() && is_nothing(value)
        })
}

/// Whether a line has a label of blocks, with anything behind it.
pub(crate) fn has_label(line: &str) -> bool {
    split(line).is_some_and(|(label, value)| known(label) && !value.is_empty())
}

/// A value, also with a mark for about.
fn value_of(text: &str, comma: bool) -> Option<Figure> {
    let text = text.trim_start_matches(['~', '≈']);
    figures::figure(text, comma).or_else(|| {
        // A count and its rate: `40086  4008.04/s`.
        let (count, rate) = text.trim().split_once(' ')?;
        let beside = rate.trim().to_owned();
        let rate = figures::figure(&beside, comma)?;
        let number = count.to_owned();
        (rate.unit.starts_with('/') && fields::number(count).is_some()).then_some(Figure {
            number,
            unit: String::new(),
            beside,
        })
    })
}

/// A label without the marks of a list or of emphasis.
fn bare(label: &str) -> &str {
    label.trim_matches(['-', '*', '`', ' ', '•', '·', '>', '#'])
}

/// The label with `p99` for `99% percentile`.
pub(crate) fn spelled(label: &str) -> Cow<'_, str> {
    let lower = label.to_lowercase();
    let level = label.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(label.len());
    let rest = lower[level.min(lower.len())..].trim_start_matches(['%', ' ']);
    let rest = rest.strip_prefix("th ").unwrap_or(rest);
    match rest.strip_prefix("percentile ").filter(|_| level > 0 && label.is_ascii()) {
        Some(name) => Cow::Owned(format!("p{} {name}", &label[..level])),
        None => Cow::Borrowed(label),
    }
}

/// The label with a unit that stands behind the value instead.
fn with_unit(label: &str, unit: &str) -> String {
    let inner = label.strip_suffix([')', ']']).and_then(|label| label.rsplit(['(', '[']).next());
    let stated = fields::unit_of(label).symbol() != "" || inner.is_some_and(is_unit);
    if unit.is_empty() || stated { label.to_owned() } else { format!("{label} ({unit})") }
}

/// The metric that a label names, by the words of blocks or by those of columns.
fn metric_of(label: &str) -> Option<Metric> {
    Metric::from_text(label).or_else(|| {
        let metric = Metric::of_column(label).0;
        (metric.better.is_some() || Metric::known(&metric.name).is_some()).then_some(metric)
    })
}

/// Whether a line goes on with a block without a title: a figure of its own, or the title of a section.
pub(crate) fn is_part(line: &str) -> bool {
    let section = line.trim_start().starts_with("---");
    let other = || {
        let (label, value) = split(line)?;
        let label = &*spelled(bare(label));
        let plain = plausible(label) && !label.contains(['(', '=']) || known(label);
        Some(plain && value_of(value, false).is_some())
    };
    section || other() == Some(true)
}

/// The label, in small letters, of a line with a whole number, and the value as written.
pub(crate) fn whole(line: &str) -> Option<(String, String)> {
    let (label, value) = split(line)?;
    let (label, found) = (bare(label), value_of(value, false)?);
    let digits = found.number.bytes().all(|byte| byte.is_ascii_digit());
    (digits && found.beside.is_empty() && found.unit != "%" && plausible(label))
        .then(|| (label.to_lowercase(), value.to_owned()))
}

/// Whether a line has a label with a value that is no single one.
pub(crate) fn is_labelled(line: &str) -> bool {
    split(line).is_some_and(|(label, value)| {
        line.contains(':')
            && label.contains(char::is_alphabetic)
            && value.contains(|c: char| c.is_ascii_digit())
    })
}

/// Blanks between the columns of a block.
const GAP: &str = "  ";

/// Longest label of a column, in characters.
const MAX_COLUMN_CHARS: usize = 40;

/// The labels in the first line of a block with a column for each run.
pub(crate) fn column_labels(prefix: &str, line: &str) -> Option<Vec<String>> {
    let rest = &*without_bars(line.strip_prefix(prefix.trim_end()).unwrap_or(line));
    let indented = rest.starts_with(GAP);
    let parts: Vec<&str> = rest.split(GAP).map(str::trim).filter(|part| !part.is_empty()).collect();
    let labels = if indented { &parts[..] } else { parts.get(1..)? };
    let short = |label: &&str| {
        let value = value_of(label, false).is_some_and(|found| !found.unit.is_empty());
        label.chars().count() <= MAX_COLUMN_CHARS && label.contains(char::is_alphanumeric) && !value
    };
    let named = labels.len() > 1 && labels.iter().all(short);
    (named && !rest.contains([':', '：', '=']))
        .then(|| labels.iter().map(|label| (*label).to_owned()).collect())
}

/// A line with blanks for the bars between its columns.
fn without_bars(line: &str) -> String {
    line.replace('│', GAP).replace(" | ", GAP)
}

/// The labels of a line that stands over columns alone.
pub(crate) fn labels_over_columns(line: &str) -> Option<Vec<String>> {
    column_labels("", line).filter(|_| line.starts_with(GAP))
}

/// The number of values, set apart by blanks, behind the known label of a line; 0 without one.
pub(crate) fn parts_of_value(line: &str) -> usize {
    let line = without_bars(line);
    let value = split(&line).filter(|(label, _)| known(label)).map(|(_, value)| value);
    let parts = value.map(|value| value.split(GAP).filter(|part| !part.trim().is_empty()).count());
    parts.unwrap_or(0)
}

/// Reads a line of a block with several columns into the run of each.
pub(crate) fn columns(
    prefix: &str,
    text: &str,
    columns: &mut [(String, Run, Seen)],
) -> Result<(), Bad> {
    let text = without_bars(&text.replace('：', ":"));
    let rest = text.strip_prefix(prefix).unwrap_or(&text);
    let Some((label, value)) = split(rest) else { return Ok(()) };
    let mut values: Vec<&str> =
        value.split(GAP).map(str::trim).filter(|part| !part.is_empty()).collect();
    if values.len() < columns.len() {
        values = value.split_whitespace().collect();
    }
    if values.len() < columns.len() {
        return Ok(());
    }
    for (at, value) in values.into_iter().enumerate() {
        let change = value.ends_with('%') && !label.contains('%');
        let Some((_, run, seen)) = columns.get_mut(at).filter(|_| !change) else {
            if let Some((_, _, seen)) =
                columns.iter_mut().take(at).rev().find(|(_, run, _)| !run.metrics.is_empty())
            {
                seen.remarks.push((as_a_metric(label), format!("{label}: {value}")));
            }
            continue;
        };
        note(label, value, run, seen)?;
    }
    Ok(())
}

/// Name of the metric of a label.
fn as_a_metric(label: &str) -> String {
    Metric::from_text(label).map_or_else(|| as_a_column(label).0, |metric| metric.name)
}

/// Label and value of a line `label: value`: at the first colon behind a known label, since the
/// header of a log holds colons too, or else at the first colon.
fn split(line: &str) -> Option<(&str, &str)> {
    let known_label = line.match_indices(':').find_map(|(at, _)| {
        let (label, value) = (line[..at].trim(), line[at + 1..].trim());
        let label = if known(label) { Some(label) } else { after_log_header(label) };
        label.map(|label| (label, value))
    });
    // `tps = 401221.3`, `Requests per second       56.52`, `elapsed_ms=5321`.
    let pair = || line.trim().split_once('=').filter(|_| !line.trim().contains([' ', ',']));
    // A label may hold gaps of its own.
    let gap = || {
        let line = line.trim();
        let mut gaps = line.match_indices(GAP).map(|(at, _)| line.split_at(at));
        let valued =
            |(_, rest): &(&str, &str)| rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
        gaps.find(valued).or_else(|| line.split_once(GAP))
    };
    let marked = || {
        let (label, value) = line.split_once(" = ").or_else(gap).or_else(pair)?;
        Some((label.trim(), value.trim_start_matches([' ', '=']).trim()))
    };
    // `output throughput 523.41 tok/s`
    let spoken = || {
        let line = line.trim();
        let at = line.match_indices(' ').map(|(at, _)| at + 1);
        let at = at.into_iter().find(|at| line[*at..].starts_with(|c: char| c.is_ascii_digit()))?;
        let (label, value) = (line[..at].trim(), &line[at..]);
        let found = value_of(value, false).filter(|found| found.beside.is_empty())?;
        let stated = !matches!(&*found.unit, "" | "%");
        (stated && fields::is_metric(bare(label))).then_some((label, value))
    };
    // `Elapsed (wall clock) time (h:mm:ss or m:ss): 20:35.37`
    let inside = |at: usize| line[..at].matches('(').count() > line[..at].matches(')').count();
    // `Vec::push  14.9 ms`
    let path = |at: usize| line[at + 1..].starts_with(':') || line[..at].ends_with(':');
    let first = || line.match_indices(':').map(|(at, _)| at).find(|&at| !inside(at) && !path(at));
    let parts = |at: usize| (line[..at].trim(), line[at + 1..].trim());
    known_label.or_else(|| first().map(parts)).or_else(marked).or_else(spoken)
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

pub(crate) fn note(label: &str, value: &str, run: &mut Run, seen: &mut Seen) -> Result<(), Bad> {
    let label = &*spelled(bare(label));
    // `30.80  <====`, `52.3 ms`, `450.00 (-10%)`.
    let time = || clock(value).filter(|_| is_duration(label));
    let written = Some(value).filter(|value| fields::number(value).is_none());
    let written = written.and_then(|value| value_of(value, false).or_else(time));
    let (label, value) = match written {
        Some(found) => {
            let rate = rate_beside(&found);
            let Figure { number, unit, beside } = found;
            let label = if unit == "%" { label.to_owned() } else { with_unit(label, &unit) };
            if let Some(rate) = rate {
                note(&rate_of(&label), &rate, run, seen)?;
            } else if let Some((level, time)) = quantile_beside(&beside) {
                let stem = label.split(" (").next().unwrap_or(&label);
                note(&format!("{stem} {level}"), time, run, seen)?;
            } else if !beside.is_empty() && !beside.contains("100") {
                seen.remarks.push((as_a_metric(&label), format!("{label}: {beside}")));
            }
            (label, number)
        }
        None => (label.to_owned(), value.to_owned()),
    };
    let (label, value) = (&*label, &*value);
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
    // Clients that measure the concurrency print its decimals.
    let set = metric.is_none() || value.bytes().all(|byte| byte.is_ascii_digit());
    let limit = limit_of(label).filter(|_| set);
    if let Some(field) = limit
        && fields::set(run, field, label, value)
    {
        seen.labels.push(folded);
        return Ok(());
    }
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

/// The name of the rate at which something is counted.
fn rate_of(label: &str) -> String {
    format!("{label} per second")
}

/// The rate in the bracket behind a count: `73887  (1231.19 per sec.)`.
fn rate_beside(found: &Figure) -> Option<String> {
    let bracketed = found.beside.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inside = bracketed.unwrap_or(&found.beside).trim();
    if found.number == "0" || !found.unit.is_empty() && bracketed.is_none() {
        return None;
    }
    let (number, unit) = inside.split_once(" per ").or_else(|| inside.split_once('/'))?;
    let (number, unit) = (number.trim(), unit.trim().trim_end_matches('.'));
    let rate = ["s", "sec", "second"].contains(&unit) && fields::number(number).is_some();
    rate.then(|| number.to_owned())
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

/// Whether a name is that of a measured time, and not only of a time.
pub(crate) fn is_duration(name: &str) -> bool {
    let says = meaning(name);
    let time = matches!(says.quantity, Quantity::Time | Quantity::Latency);
    says.says == Says::Measured && time && name.to_lowercase() != "time"
}

/// A metric name from a label that no registry knows: `Committed tokens` becomes `committed_tokens`.
fn slug(label: &str) -> String {
    let mut out = String::new();
    // `MaxLatencyInMs` is a key of four words.
    let (key, mut small) = (!label.contains(char::is_whitespace), false);
    for c in label.chars() {
        if c.is_alphanumeric() {
            if key && small && c.is_uppercase() {
                out.push('_');
            }
            small = c.is_lowercase();
            out.extend(c.to_lowercase());
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// The limit of the load that a label names in words of its own: `Concurrency`, `Number of concurrency`.
fn limit_of(label: &str) -> Option<RunField> {
    let words: Vec<String> = label.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let bare: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !["number", "of", "max", "maximum", "num"].contains(word))
        .collect();
    match bare[..] {
        ["concurrency" | "concurrent", ..] if bare.len() < 3 => Some(RunField::MaxConcurrency),
        ["request", "rate"] => Some(RunField::RequestRate),
        _ => None,
    }
}

/// Fills in the defaults that the block leaves out; one without a title names no client.
pub(crate) fn conclude(kind: Option<Kind>, run: &mut Run, seen: &Seen) {
    let client = match kind {
        Some(Kind::Offline) => "sglang offline",
        Some(_) => seen.client.unwrap_or("vllm"),
        None => match seen.client {
            Some(client) => client,
            None => return,
        },
    };
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
    use crate::kit::printed::{clean, title};

    fn read(first: &str, lines: &[&str]) -> Run {
        let title = title(first).expect("a title");
        let (mut run, mut seen) = (Run::default(), Seen::default());
        for text in lines {
            let read = line(&title.prefix, &clean(text), &mut run, &mut seen);
            if let Err(Bad { label, found }) = read {
                panic!("{label}: {found}");
            }
        }
        conclude(Some(title.kind), &mut run, &seen);
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
