//! Lines that programs print for one result each, without a block around them.
//!
//! Replicate: a line, or the lines of one request of a server.

use std::collections::BTreeMap;

use crate::kit::commands::NAME;
use crate::kit::fields::{self, Number};
use crate::kit::figure::{Figure, figure, is_unit};
use crate::text::headings::counts_runs;
use crate::text::notes::between::behind_log_header;
use crate::text::printed_programs::{self, Printed};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Run, RunInfo, Value, label_hint};
use beyondnoise_model::units::{Conversion, Scale};

/// Whether a result starts with the first of these lines.
pub(crate) fn starts(lines: &[String]) -> bool {
    lines.split_first().is_some_and(|(first, rest)| read(first, rest).is_some())
}

/// The result that starts on a line, with the lines below it.
pub(crate) fn read(line: &str, below: &[String]) -> Option<Printed> {
    if let Some(found) = printed_programs::read(line, below) {
        return Some(found);
    }
    timings(line, below).or_else(|| paces(line, below)).or_else(|| shell_time(line, below)).or_else(
        || {
            let run = throughput(line)
                .or_else(|| call(line))
                .or_else(|| pairs(line))
                .or_else(|| labels(line))
                .or_else(|| sampled(line))
                .or_else(|| amounts(line))
                .or_else(|| under_units(line))
                .or_else(|| statistics(line))
                .or_else(|| zsh_time(line))
                .or_else(|| case(line))?;
            Some(Printed { run, lines: 1 })
        },
    )
}

/// A line that is nothing but a number, with its unit.
pub(crate) struct Bare {
    number: Number,
    pub(crate) unit: String,
    /// Whether the number of a run stands before it: `Run 1/3: 12.31 s`.
    pub(crate) counted: bool,
}

/// The number of a line with nothing else in it.
pub(crate) fn bare_number(line: &str) -> Option<Bare> {
    let line = line.trim_start_matches(['>', ' ']).trim_end();
    // `Run 1/3: 12.31 s`
    let label = line.split_once([':', '=']).filter(|(label, _)| {
        label.contains(char::is_alphabetic) && counts_runs(label.trim_matches(['-', '*', ' ']))
    });
    let line = label.map_or(line, |(_, value)| value.trim());
    let Figure { number, unit, beside } = figure(line, false)?;
    // A whole number without a unit may count anything.
    let measured = !unit.is_empty() || number.contains('.');
    let bare = line.starts_with(|c: char| c.is_ascii_digit()) && beside.is_empty();
    let number = fields::number(&number).filter(|_| bare && measured && unit != "%")?;
    Some(Bare { number, unit, counted: label.is_some() })
}

impl Bare {
    /// A run with the number as its only value, under the name of its metric where that is known.
    pub(crate) fn run(self, name: Option<&str>) -> Run {
        let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
        let mut run = Run { info, ..Run::default() };
        let own = if self.unit.is_empty() { "value".to_owned() } else { of_unit(&self.unit) };
        put(&mut run, name.unwrap_or(&own), &self.unit, self.number);
        run
    }
}

/// The metric of the average or the median of bare numbers that a line below them states, `average TPS: 66225.3`; empty
/// where the line names none.
pub(crate) fn average_of(values: &[Bare], line: &str) -> Option<String> {
    let (label, value) = line.rsplit_once([':', '='])?;
    let Number { value, resolution } = figure(value, false)?.value()?;
    let mut numbers: Vec<f64> = values.iter().map(|value| value.number.value).collect();
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    let median = f64::midpoint(numbers[half], numbers[numbers.len() - 1 - half]);
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let states = [mean, median].iter().any(|own| (own - value).abs() <= 1.01 * resolution);
    let statistic = |word: &&str| meaning(word).statistic.is_some();
    let words = label.trim_matches(['>', '-', '*', ' ']).split_whitespace();
    let name: Vec<&str> = words.filter(|word| !statistic(word)).collect();
    states.then(|| name.join(" "))
}

/// A value under a name that may be any, in the unit of its metric.
pub(crate) fn put(run: &mut Run, name: &str, unit: &str, Number { value, resolution }: Number) {
    let stated = fields::unit_of(name).symbol() != "";
    let label =
        if unit.is_empty() || stated { name.to_owned() } else { format!("{name} ({unit})") };
    let (metric, printed) = Metric::of_column(&label);
    let scales = Scale::of_unit(printed).zip(Scale::of_unit(metric.unit));
    let to = scales.and_then(|(from, to)| from.to(to)).unwrap_or(Conversion::NONE);
    let value = Value { value: to.apply(value), resolution: to.apply(resolution) };
    fields::keep(run, metric.name, value);
}

/// `Throughput: 24.3 requests/s, 12453.1 total tokens/s, 489.6 output tokens/s`.
fn throughput(line: &str) -> Option<Run> {
    let line = line.trim_start_matches(['>', '-', '*', ' ']);
    let (before, figures) = line.split_once("Throughput:")?;
    let mut run = Run::default();
    // `[main] Throughput: ...`
    let side = before.trim().trim_matches(['[', ']', '(', ')', ':', ' ']);
    if label_hint(side) != LabelHint::Neither && side.split(' ').count() < 4 {
        side.clone_into(&mut run.variant);
    }
    for part in figures.split(", ") {
        let (number, words) = part.trim().split_once(' ')?;
        let number = fields::number(number)?;
        let words = words.trim().to_lowercase();
        let name = match &*words {
            "requests/s" | "req/s" | "reqs/s" => "request_throughput",
            "output tokens/s" | "output tok/s" | "generated tokens/s" => "output_throughput",
            "total tokens/s" | "total tok/s" | "tokens/s" | "tok/s" => "total_token_throughput",
            "prompt tokens/s" | "input tokens/s" => "input_throughput",
            _ => return None,
        };
        fields::keep(
            &mut run,
            name.to_owned(),
            Value { value: number.value, resolution: number.resolution },
        );
    }
    (run.metrics.len() > 1 || line.starts_with("Throughput:")).then_some(run)
}

/// The timings that a server prints for a request: `prompt eval time = 812.50 ms / 1490 tokens (...)`.
fn timings(line: &str, below: &[String]) -> Option<Printed> {
    let mut run = Run::default();
    let mut lines = 0;
    let given = std::iter::once(line).chain(below.iter().map(String::as_str));
    for (at, line) in given.enumerate() {
        let Some((part, ms, tokens)) = timing(line) else {
            // Other lines of a log may be between.
            if lines > 0 && at < lines + 2 && !line.trim().is_empty() && !line.contains("```") {
                continue;
            }
            break;
        };
        let other = match &part {
            Part::Other(name) => format!("{}_time_ms", name.replace(' ', "_")),
            _ => String::new(),
        };
        let (time, rate, count) = match part {
            Part::Other(_) => (&*other, None, None),
            Part::Load => ("load_time_ms", None, None),
            Part::Prompt => {
                ("prompt_eval_time_ms", Some("prompt_throughput_tok_s"), Some("prompt_tokens"))
            }
            Part::Eval => {
                ("eval_time_ms", Some("decode_throughput_tok_s"), Some("generated_tokens"))
            }
            Part::Total => ("total_time_ms", None, None),
        };
        if run.metrics.contains_key(time) {
            break;
        }
        fields::keep(
            &mut run,
            time.to_owned(),
            Value { value: ms.value, resolution: ms.resolution },
        );
        if let (Some(rate), Some(count), Some(tokens)) = (rate, count, tokens) {
            let per_second = |ms: f64| tokens / ms * 1e3;
            let value = per_second(ms.value);
            let resolution = value * ms.resolution / ms.value;
            if value.is_finite() {
                fields::keep(&mut run, rate.to_owned(), Value { value, resolution });
            }
            // How much is answered may be set, and may differ from run to run.
            if count == "prompt_tokens" {
                run.workload.other.insert(count.to_owned(), tokens.to_string());
            } else {
                run.metadata.insert(count.to_owned(), tokens.to_string());
                run.info.output_tokens = tokens.to_string().parse().ok();
            }
        }
        lines = at + 1;
    }
    (run.metrics.len() > 1).then_some(Printed { run, lines })
}

/// How fast a program read and wrote: `Prompt: 1931 tokens, 741.208 tokens-per-sec`, `Generation: 256 tokens, 39.877 tokens-per-sec`, and the
/// memory that it took.
fn paces(line: &str, below: &[String]) -> Option<Printed> {
    let pace = |line: &str| -> Option<(String, u64, Number)> {
        let (label, rest) = line.trim().trim_start_matches(['>', ' ']).split_once(": ")?;
        let (count, rest) = rest.split_once(" tokens, ")?;
        let value = rest.trim_end().strip_suffix(" tokens-per-sec")?;
        Some((label.to_lowercase(), count.trim().parse().ok()?, fields::number(value)?))
    };
    let mut run = Run::default();
    let mut lines = 0;
    for line in std::iter::once(line).chain(below.iter().map(String::as_str)) {
        if let Some((label, count, value)) = pace(line).filter(|_| lines < 2) {
            put(&mut run, &label, "tok/s", value);
            if label == "prompt" {
                run.workload.other.insert("prompt_tokens".to_owned(), count.to_string());
            } else {
                run.metadata.insert("generated_tokens".to_owned(), count.to_string());
                run.info.output_tokens = Some(count);
            }
        } else if let Some(memory) = line.trim().strip_prefix("Peak memory: ").filter(|_| lines > 0)
        {
            let Figure { number, unit, .. } = figure(memory, false)?;
            put(&mut run, "peak memory", &unit, fields::number(&number)?);
            lines += 1;
            break;
        } else {
            break;
        }
        lines += 1;
    }
    (run.metrics.len() > 1).then_some(Printed { run, lines })
}

/// The line of the `time` of zsh, behind the command: `npm run package  121.17s user 13.32s system 191% cpu 1:10.19 total`.
fn zsh_time(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']).trim_matches('`');
    let (before, total) = line.strip_suffix(" total")?.rsplit_once(" cpu ")?;
    let (times, share) = before.rsplit_once(' ')?;
    let (user, system) = times.strip_suffix(" system")?.rsplit_once(" user ")?;
    let user = user.rsplit(' ').next()?;
    let seconds = |text: &str| -> Option<Number> {
        let (minutes, seconds) = text.rsplit_once(':').unwrap_or(("", text));
        let whole = if minutes.is_empty() { 0.0 } else { minutes.parse::<u32>().ok()?.into() };
        let number = fields::number(seconds.trim_end_matches('s'))?;
        Some(Number { value: number.value + 60.0 * whole, ..number })
    };
    let mut run = Run::default();
    for (name, text) in [("user", user), ("system", system), ("total", total)] {
        put(&mut run, name, "s", seconds(text)?);
    }
    share.ends_with('%').then_some(run)
}

/// The lines of the shell's `time`: `real 0m12.412s`, `user ...`, `sys ...`, or as fish prints them: `Executed in   27.06 secs`.
fn shell_time(line: &str, below: &[String]) -> Option<Printed> {
    const FISH: [&str; 3] = ["Executed in", "usr time", "sys time"];
    let mut run = Run::default();
    let parts = ["real", "user", "sys"];
    let fish = line.trim().starts_with(FISH[0]);
    let given = std::iter::once(line).chain(below.iter().map(String::as_str));
    for ((line, part), printed) in given.zip(parts).zip(if fish { FISH } else { parts }) {
        let time = line.trim().strip_prefix(printed)?;
        let value = time.trim();
        // Behind the time stand those of the shell and of its children.
        if fish {
            let (number, word) = value.split("  ").next()?.split_once(' ')?;
            let seconds = match word {
                "nanos" => 1e-9,
                "micros" => 1e-6,
                "millis" => 1e-3,
                "secs" => 1.0,
                "mins" => 60.0,
                "hours" => 3600.0,
                _ => return None,
            };
            put(&mut run, part, "s", fields::number(number)?.times(seconds));
            continue;
        }
        let Figure { number, unit, beside } = figure(value, false)?;
        let bare = beside.is_empty() && time.starts_with(char::is_whitespace);
        let seconds = bare.then(|| fields::number(&number)).flatten()?;
        put(&mut run, part, if unit.is_empty() { "s" } else { &unit }, seconds);
    }
    (run.metrics.len() == 3).then_some(Printed { run, lines: 3 })
}

enum Part {
    Load,
    Prompt,
    Eval,
    Total,
    /// Any other: `encode`.
    Other(String),
}

/// Part, milliseconds and tokens of a line `eval time = 9120.70 ms / 300 tokens (30.40 ms per token, ...)`.
fn timing(line: &str) -> Option<(Part, Number, Option<f64>)> {
    let (name, rest) = line.split_once(" time =")?;
    let name = name.rsplit([':', '|']).next().unwrap_or(name).trim();
    let part = match name {
        "load" => Part::Load,
        "prompt eval" => Part::Prompt,
        "eval" => Part::Eval,
        "total" => Part::Total,
        // A program counts what it did in the time.
        _ if rest.contains(" per run)")
            && name.chars().all(|c| c.is_alphanumeric() || c == '_') =>
        {
            Part::Other(name.to_owned())
        }
        _ => return None,
    };
    let (ms, rest) = rest.split_once("ms")?;
    let ms = ms.trim();
    let tokens = rest.trim_start().strip_prefix('/').and_then(|rest| {
        let count = rest.split_whitespace().next()?;
        fields::number(count).map(|count| count.value)
    });
    Some((part, fields::number(ms)?, tokens))
}

/// Settings as `name=value`, without what cannot be one.
fn settings(text: &str) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=')?;
        let name = |key: &str| {
            key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.')
        };
        if key.is_empty() || !name(key.trim()) {
            return None;
        }
        found.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    (!found.is_empty()).then_some(found)
}

/// A call with its settings and its result: `attn(batch=64, seq=1024), flops: 402.118 TFLOPs/s`.
fn call(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let (head, rest) = line.split_once('(')?;
    let (inner, result) = rest.split_once(')')?;
    let word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let name = head.trim();
    if name.is_empty() || !name.chars().all(word) {
        return None;
    }
    let settings = settings(inner)?;
    let result = result.trim_start_matches([',', ':', ' ', '=', '-', '>']);
    let (label, value) = result
        .rsplit_once([':', '='])
        .map_or(("", result), |(label, value)| (label.trim(), value.trim()));
    let Figure { number, unit, .. } =
        figure(value, false).filter(|found| !found.unit.is_empty() && found.unit != "%")?;
    // Several values are those of a case.
    if label.contains(|c: char| c.is_ascii_digit() || "|,;".contains(c)) {
        return None;
    }
    let mut run = Run::default();
    let metric = if label.is_empty() { of_unit(&unit) } else { label.to_owned() };
    put(&mut run, &metric, &unit, fields::number(&number)?);
    run.workload.other.extend(settings);
    run.workload.label = Some(name.to_owned());
    Some(run)
}

/// A case of benchmark.js: `parse x 1,052 ops/sec ±3.90% (28 runs sampled)`. The samples are of one process, so that the line
/// is one run; its margin of error is theirs.
fn sampled(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let (name, rest) = line.rsplit_once(" x ")?;
    let (number, margin) = rest.split_once(" ops/sec ±")?;
    let (percent, samples) = margin.split_once('%')?;
    let samples = samples.trim().strip_prefix('(')?.strip_suffix(" sampled)")?;
    let counted = samples.split_once(' ').is_some_and(|(count, word)| {
        count.parse::<u64>().is_ok() && matches!(word, "run" | "runs")
    });
    fields::number(percent).filter(|_| counted && !name.trim().is_empty())?;
    let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
    let mut run = Run { info, ..Run::default() };
    put(&mut run, "throughput", "ops/s", fields::number(&number.replace(',', ""))?);
    run.workload.other.insert(NAME.to_owned(), name.trim().to_owned());
    Some(run)
}

/// A case and its values of several units in a row: `readrandom : 0.418 micros/op 2391044 ops/sec; 469.6 MB/s (80 of 80 found)`.
fn amounts(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let (name, values) = line.split_once(':')?;
    let name = name.trim();
    let (values, _) = values.split_once('(').unwrap_or((values, ""));
    let words: Vec<&str> =
        values.split_whitespace().map(|word| word.trim_end_matches([';', ','])).collect();
    let mut run = Run::default();
    for pair in words.chunks(2) {
        let &[number, unit] = pair else { return None };
        let rate = unit.split_once('/').is_some_and(|(of, per)| !of.is_empty() && !per.is_empty());
        let before = run.metrics.len();
        put(&mut run, &of_unit(unit), unit, fields::number(number).filter(|_| rate)?);
        if run.metrics.len() == before {
            return None;
        }
    }
    let named = name.contains(char::is_alphabetic) && !name.contains(' ');
    run.workload.label = Some(name.to_owned()).filter(|_| named);
    (named && run.metrics.len() > 1 && label_hint(name) == LabelHint::Neither).then_some(run)
}

/// Values under the unit of a group: `Performance(T/s): prefill 2.10, decode 1.77. Time(s): tokenize 0.05, prefill 4.75`.
fn under_units(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let mut run = Run::default();
    for group in line.split(". ").map(|group| group.trim_end_matches('.')) {
        let (head, values) = group.split_once(':')?;
        let (name, unit) = head.strip_suffix(')')?.split_once('(')?;
        let rate = if unit.eq_ignore_ascii_case("t/s") { "tok/s" } else { unit };
        if name.contains(' ') || !is_unit(rate) {
            return None;
        }
        for part in values.split(", ") {
            let (of, number) = part.trim().rsplit_once(' ')?;
            put(&mut run, &format!("{of} {}", name.to_lowercase()), rate, fields::number(number)?);
        }
    }
    (run.metrics.len() > 1).then_some(run)
}

/// A case and its statistics: `squeezenet  min =  352.10  max =  358.77  avg =  355.02`.
fn statistics(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| !name.contains(['=', ':']))?;
    let rest: Vec<&str> = words.collect();
    let mut run = Run::default();
    for part in rest.chunks(3) {
        let &[of, "=", number] = part else { return None };
        let known = ["min", "max", "avg", "mean", "median", "p50", "p90", "p95", "p99"];
        let number = fields::number(number).filter(|_| known.contains(&&*of.to_lowercase()))?;
        put(&mut run, of, "", number);
    }
    run.workload.label = Some(name.to_owned());
    (run.metrics.len() > 1 && label_hint(name) == LabelHint::Neither).then_some(run)
}

/// A case with its settings, and its values: `matmul M=128 N=1024: 402.1 us, 12.2 TFLOPS`, `m=  64 n=7168 |  11.82 us`.
fn case(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    // `Perf (m=64, k=7168): 10.4 us | throughput: 186.3 TFLOPS`
    let colons = line.match_indices(": ").map(|(at, _)| (&line[..at], &line[at + 2..]));
    let (head, values) = colons
        .clone()
        .find(|(head, _)| head.contains('='))
        .or_else(|| colons.last())
        .or_else(|| line.rsplit_once(" -> "))
        .or_else(|| line.rsplit_once(" => "))
        .or_else(|| line.split_once(" | "))?;
    // `m=  64`
    let mut head = head.to_owned();
    while head.contains("= ") {
        head = head.replace("= ", "=");
    }
    let mut run = Run::default();
    let mut name = Vec::new();
    for word in head.split([' ', ',', '(', ')', '[', ']']).filter(|word| !word.is_empty()) {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() && !value.is_empty() && !key.starts_with('-') => {
                run.workload.other.insert(key.to_owned(), value.to_owned());
            }
            _ => name.push(word),
        }
    }
    if run.workload.other.is_empty()
        && parts_of(values).nth(1).is_some()
        && let Some((load, size)) = load_in_words(&name)
    {
        run.workload.other.insert(load, size);
        name.clear();
    }
    if run.workload.other.is_empty() || name.len() > 2 {
        return None;
    }
    // `bs=1: 303.1 tok/s -> 320.2 tok/s` has both sides.
    if values.contains("->") || values.contains(['→', '⟶', '⇒']) || values.contains("=>") {
        return None;
    }
    for (nth, part) in parts_of(values).enumerate() {
        let (metric, Figure { number, unit, .. }) = named_value(part)?;
        put(&mut run, &metric, &unit, fields::number(&number)?);
        // A metric that comes again has repeats.
        if run.metrics.len() <= nth {
            return None;
        }
    }
    run.workload.label = (!name.is_empty()).then(|| name.join(" "));
    (!run.metrics.is_empty()).then_some(run)
}

/// The load that two words state, `concurrency 16`, `64 users`, and its size.
fn load_in_words(words: &[&str]) -> Option<(String, String)> {
    let count = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let &[one, other] = words else { return None };
    let (load, size) = if count(one) { (other, one) } else { (one, other) };
    let name = load.to_lowercase();
    let set = fields::field_of_column(&name).is_some_and(fields::is_setting)
        || meaning(&name).says == Says::Setting;
    (set && count(size) && !count(load)).then(|| (load.to_owned(), size.to_owned()))
}

/// The metric and the value of a part of a line: `p50 120 ms`, `TTFT=95.1 ms`, `95.1 ms TTFT`, `11.8 us`. A side is no metric.
fn named_value(part: &str) -> Option<(String, Figure)> {
    let value_of = |text: &str| {
        let found = figure(text, false)?;
        let whole = found.beside.is_empty() && !found.unit.is_empty();
        (whole && text.starts_with(|c: char| c.is_ascii_digit())).then_some(found)
    };
    let before = || {
        let blanks = part.match_indices(' ').map(|(at, _)| at);
        // `吞吐303 tok/s`
        let digit = || part.find(|c: char| c.is_ascii_digit());
        let at =
            blanks.into_iter().find(|at| value_of(&part[at + 1..]).is_some()).or_else(digit)?;
        let name = |c: char| c.is_alphanumeric() || " _-".contains(c);
        part[..at].trim().chars().all(name).then(|| part.split_at(at))
    };
    let (label, value) = part
        .rsplit_once(['=', ':'])
        .or_else(before)
        .map_or(("", part), |(label, value)| (label.trim(), value.trim()));
    let behind = value.match_indices(' ').map(|(at, _)| value.split_at(at)).rev();
    let behind = behind.into_iter().find(|(value, name)| {
        let digits = name.contains(|c: char| c.is_ascii_digit());
        fields::is_metric(name.trim()) && !digits && value_of(value).is_some()
    });
    let (value, name) = behind.map_or((value, ""), |(value, name)| (value, name.trim()));
    let found = figure(value, false).filter(|found| !matches!(&*found.unit, "" | "%"))?;
    let metric = match (label, name) {
        ("", "") => of_unit(&found.unit),
        ("", name) => name.to_owned(),
        (label, _) => label.to_owned(),
    };
    (label_hint(label) == LabelHint::Neither).then_some((metric, found))
}

/// The values of a line; a comma between digits is part of a number.
fn parts_of(values: &str) -> impl Iterator<Item = &str> {
    let bytes = values.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let ends = values.match_indices([',', ';', '|', '，', '；']).filter(move |(at, mark)| {
        !(*mark == "," && digit(at.checked_sub(1)) && digit(Some(at + 1)))
    });
    let ends = ends.chain(values.match_indices(" / "));
    let mut places: Vec<(usize, usize)> = ends.map(|(at, mark)| (at, at + mark.len())).collect();
    places.sort_unstable();
    places.push((values.len(), values.len()));
    let mut start = 0;
    let parts = places.into_iter().map(move |(end, next)| {
        let part = &values[start..end];
        start = next;
        part.trim()
    });
    parts.filter(|part| !part.is_empty())
}

/// Name of a value that has only a unit.
pub(crate) fn of_unit(unit: &str) -> String {
    let time =
        Scale::parse(unit).zip(Scale::parse("s")).is_some_and(|(own, time)| own.is_alike(time));
    // `/s`
    let counted = if unit.starts_with('/') { "rate" } else { "" };
    if time {
        "time".to_owned()
    } else {
        format!("{counted}{}", unit.replace('/', "_per_").to_lowercase())
    }
}

/// Settings and results as `name=value` in one line: `batch=8 seq=1024 latency=1.23ms throughput=456tok/s`.
fn pairs(line: &str) -> Option<Run> {
    let line = behind_log_header(line).unwrap_or(line);
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    // `TTFT: mean=812.4ms p99=2201.7ms`
    let of =
        line.split_once(": ").filter(|(name, rest)| fields::is_metric(name) && rest.contains('='));
    let (of, line) = of.map_or(("", line), |(name, rest)| (name, rest.trim()));
    let mut run = Run::default();
    let (mut count, mut measured) = (0, 0);
    let mut parts: Vec<String> = Vec::new();
    for part in line.split([' ', ',', ';', '\t']).filter(|part| !part.is_empty()) {
        match parts.last_mut() {
            // `wall= 29.07s`
            Some(last) if last.ends_with('=') => last.push_str(part),
            // `throughput=456 tok/s`
            Some(last) if is_unit(part) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.extend([" ", part]);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    // `main  TTFT=95.1ms TPOT=12.1ms`
    let words = parts.iter().take_while(|part| !part.contains('=')).count();
    let side = parts[..words].join(" ").trim_end_matches(':').to_owned();
    if words > 0 {
        // `run-1  wall= 29.07s`
        let counted = counts_runs(&side.replace('-', " "));
        let sided = label_hint(&side) != LabelHint::Neither;
        if words > 3 || !(sided || counted) || !of.is_empty() {
            return None;
        }
        if counted {
            run.name = Some(side);
        } else {
            run.variant = side;
        }
    }
    for part in &parts[words..] {
        let (key, value) = part.split_once('=')?;
        if key.is_empty() || value.is_empty() || key.starts_with('-') {
            return None;
        }
        count += 1;
        let found = figure(value, false).filter(|found| found.unit != "%");
        let key = &*format!("{key} {of}");
        let key = key.trim_end();
        let label = found
            .as_ref()
            .filter(|found| !found.unit.is_empty())
            .map_or_else(|| key.to_owned(), |found| format!("{key} ({})", found.unit));
        let known = Metric::of_column(&label).0.better.is_some();
        match found.filter(|found| known || !found.unit.is_empty()) {
            Some(found) => {
                put(&mut run, key, &found.unit, fields::number(&found.number)?);
                measured += 1;
            }
            None => {
                run.workload.other.insert(key.to_owned(), value.to_owned());
            }
        }
    }
    (count > 1 && measured > 0).then_some(run)
}

/// Several results of one line: `step time: 412.3 ms, tokens/s: 19867`.
fn labels(line: &str) -> Option<Run> {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
    let mut run = Run::default();
    let parts: Vec<&str> = line.split([';', '|']).flat_map(|part| part.split(", ")).collect();
    if parts.len() < 2 || parts.len() > 20 {
        return None;
    }
    for part in &parts {
        let (label, value) = part.split_once(": ").or_else(|| part.split_once('='))?;
        let label = label.trim().trim_matches(['*', '`']);
        let Figure { number, unit, beside } =
            figure(value.trim().trim_end_matches('.'), false).filter(|found| found.unit != "%")?;
        let stated = fields::unit_of(label).symbol() != "" || is_unit(label);
        let measured = !unit.is_empty() || stated;
        let known = fields::is_metric(label) || fields::is_metric(&format!("{label} ({unit})"));
        if !beside.is_empty() || !measured || !known || label.len() > 40 {
            return None;
        }
        put(&mut run, label, &unit, fields::number(&number)?);
    }
    (run.metrics.len() == parts.len()).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The margin of error is that of the samples of one process; 1,052 is written with a comma for thousands.
    #[test]
    fn a_line_of_benchmark_js_is_a_run_of_its_case() {
        let run = sampled("parse x 1,052 ops/sec ±3.90% (28 runs sampled)").expect("a line");
        assert_eq!(values(&run), [("throughput (ops/s)", 1052.0)]);
        assert_eq!(run.workload.other["name"], "parse");
        assert!(sampled("parse x 1,052 ops/sec ±3.90% (28 tries)").is_none());
    }

    fn values(run: &Run) -> Vec<(&str, f64)> {
        run.metrics.iter().map(|(name, value)| (name, value.value)).collect()
    }

    /// R5: results of one line.
    #[test]
    fn a_line_of_a_program_is_a_run() {
        let line = "Throughput: 6.12 requests/s, 12729.60 total tokens/s, 489.60 output tokens/s";
        let found = read(line, &[]).expect("a run");
        let expected = [
            ("output_throughput", 489.6),
            ("request_throughput", 6.12),
            ("total_token_throughput", 12729.6),
        ];
        assert_eq!(values(&found.run), expected);
        let found =
            read("attn(batch=64, causal=True), flops: 402.118 TFLOPs/s", &[]).expect("a run");
        assert_eq!(found.run.metrics.len(), 1);
        assert_eq!(found.run.workload.other["batch"], "64");
        let found = read("batch=8 seq=1024 latency=1.23ms", &[]).expect("a run");
        assert_eq!(found.run.workload.other["seq"], "1024");
        let found = read("matmul M=128 N=1024: 402.1 us, 12.2 TFLOPS", &[]).expect("a run");
        assert_eq!((found.run.metrics.len(), &*found.run.workload.other["N"]), (2, "1024"));
        for text in [
            "see M=128: 3 of 4 runs failed",
            "serve --tp=2: 3 s",
            "Throughput: up",
            "see main(a=1) for 3 s",
            "x=1",
            "--tp=4 --dp=2",
            "a (b) c",
        ] {
            assert!(read(text, &[]).is_none(), "{text}");
        }
    }

    #[test]
    fn the_times_of_a_shell_are_one_run() {
        let below = ["user\t0m11.900s", "sys\t0m0.400s"].map(str::to_owned);
        let found = read("real\t1m2.412s", &below).expect("a run");
        let expected = [("real (s)", 62.412), ("sys (s)", 0.4), ("user (s)", 11.9)];
        assert_eq!((values(&found.run), found.lines), (expected.to_vec(), 3));
        assert!(read("real madrid", &below).is_none());
    }

    /// R5: the timings of a server; tokens per second come from the time and the tokens, 1490 / 0.8125 s.
    #[test]
    fn the_timings_of_a_request_are_one_run() {
        let below = [
            "       eval time =    9120.70 ms /   300 tokens (   30.40 ms per token,    32.89 tokens per second)",
            "      total time =    9933.20 ms /  1790 tokens",
            "",
        ]
        .map(str::to_owned);
        let first = "slot print_timing: prompt eval time =  812.50 ms /  1490 tokens ( 0.55 ms per token, 1833.85 tokens per second)";
        let Printed { run, lines } = read(first, &below).expect("a run");
        assert_eq!(lines, 3);
        assert!((run.metrics["prompt_throughput_tok_s"].value - 1833.846).abs() < 1e-3);
        assert_eq!(run.metadata.get("generated_tokens").map(String::as_str), Some("300"));
    }
}
