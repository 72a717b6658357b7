//! Results that other programs print: hyperfine, `ab`, `pgbench`, `perf stat`, hey, oha and ghz, the end of k6, `vllm bench latency`,
//! `profile_restful_api` of lmdeploy, `bench_one_batch_server` of SGLang.
//!
//! Replicate: a block. hyperfine and `perf stat -r` print averages of several runs, with how these vary.

use crate::kit::cell_value::spread;
use crate::kit::fields::{self, Number};
use crate::kit::figure::{figure, leading};
use crate::kit::quantity::milliseconds;
use crate::kit::run_builder::statistic;
use crate::kit::stated_runs::repeats_of;
use crate::reader::COMMAND;
use beyondnoise_model::runs::{Run, Setting, Spread, Value};

/// A result, and the lines that it has.
pub(crate) struct Printed {
    pub(crate) run: Run,
    pub(crate) lines: usize,
}

/// Lines of one block at most.
const MAX_LINES: usize = 120;

/// The result that starts on a line, with the lines below it.
pub(crate) fn read(line: &str, below: &[String]) -> Option<Printed> {
    hyperfine(line, below)
        .or_else(|| ab(line, below))
        .or_else(|| pgbench(line, below))
        .or_else(|| perf_stat(line, below))
        .or_else(|| k6(line, below))
        .or_else(|| hey(line, below))
        .or_else(|| vllm_latency(line, below))
        .or_else(|| profile_restful(line, below))
        .or_else(|| one_batch_server(line, below))
}

/// Keeps a time by its percentile: `median_e2el_ms`, `p99_e2el_ms`; those below the median are left out.
fn keep_level(run: &mut Run, level: &str, stem: &str, time: Number) {
    if let Some(word) = statistic(&format!("{}%", level.trim())) {
        keep(run, &format!("{word}_{stem}_ms"), time);
    }
}

fn keep(run: &mut Run, name: &str, Number { value, resolution }: Number) {
    fields::keep(run, name.to_owned(), Value { value, resolution });
}

/// A line without the marks of a quote.
fn bare(line: &str) -> &str {
    line.trim_start_matches(['>', ' ']).trim()
}

/// `Benchmark 1: ./a`, `Time (mean ± σ): 1841.2 ms ± 22.3 ms [...]`, `Range (min … max): ... 12 runs`.
fn hyperfine(line: &str, below: &[String]) -> Option<Printed> {
    let (number, command) = bare(line).strip_prefix("Benchmark ")?.split_once(": ")?;
    number.trim_start_matches('#').parse::<usize>().ok()?;
    let mut run = Run { variant: command.trim().to_owned(), ..Run::default() };
    run.metadata.insert(COMMAND.to_owned(), command.trim().to_owned());
    let mut time = None;
    for (at, line) in below.iter().enumerate().take(6) {
        let line = bare(line);
        if let Some((_, value)) = line.split_once("):").filter(|_| line.starts_with("Time (")) {
            // `[User: 0.954 s, System: 0.835 s]`
            for (label, name) in [("User: ", "user_time_s"), ("System: ", "system_time_s")] {
                let text =
                    value.split_once(label).and_then(|(_, rest)| rest.split([',', ']']).next());
                if let Some(found) = text.and_then(|text| milliseconds(&text.replace(' ', ""))) {
                    keep(&mut run, name, found.times(1e-3));
                }
            }
            let value = value.split('[').next().unwrap_or(value).trim();
            time = Some((value.to_owned(), at));
        } else if let Some((_, rest)) =
            line.split_once("):").filter(|_| line.starts_with("Range ("))
        {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let count = words
                .iter()
                .position(|word| *word == "runs")
                .and_then(|at| words.get(at.checked_sub(1)?));
            let runs: usize = count?.parse().ok()?;
            let (value, _) = time?;
            let (mean, sd, _) = spread(&value)?;
            let mean = milliseconds(&mean.replace(' ', ""))?.times(1e-3);
            let unit = milliseconds(&format!("1{}", value.rsplit(' ').next()?))?.value * 1e-3;
            keep(&mut run, "wall_time_s", mean);
            run.info.spreads.insert("wall_time_s".to_owned(), Spread { sd: sd * unit, runs });
            return Some(Printed { run, lines: at + 2 });
        } else if line.is_empty() && time.is_none() {
            return None;
        }
    }
    None
}

/// The result of Apache's `ab`, from its first line or from `Concurrency Level:` on.
fn ab(line: &str, below: &[String]) -> Option<Printed> {
    if bare(line).starts_with("This is ApacheBench") {
        let head = below.iter().take(MAX_LINES);
        let at = head.clone().position(|line| bare(line).starts_with("Concurrency Level"))?;
        let Printed { run, lines } = ab(&below[at], &below[at + 1..])?;
        return Some(Printed { run, lines: lines + at + 1 });
    }
    let value = |line: &str, label: &str| -> Option<String> {
        let rest = bare(line).strip_prefix(label)?.trim_start().strip_prefix(':')?;
        Some(rest.trim().to_owned())
    };
    let cap = value(line, "Concurrency Level")?;
    let mut run = Run::default();
    run.workload.max_concurrency = Setting::parse(&cap);
    let mut lines = 1;
    for (at, line) in below.iter().enumerate().take(MAX_LINES) {
        let text = bare(line);
        if text.contains("```")
            || text.starts_with("Concurrency Level")
            || text.starts_with("This is ApacheBench")
        {
            break;
        }
        let first = |text: &str| fields::number(text.split_whitespace().next()?);
        if let Some(count) = value(line, "Complete requests") {
            fields::set(&mut run, fields::RunField::Completed, "", &count);
        } else if let Some(count) = value(line, "Failed requests") {
            fields::set(&mut run, fields::RunField::Failed, "", &count);
        } else if let Some(found) = value(line, "Requests per second").and_then(|text| first(&text))
        {
            keep(&mut run, "request_throughput", found);
        } else if let Some(text) =
            value(line, "Time per request").filter(|text| !text.contains("across"))
        {
            keep(&mut run, "mean_e2el_ms", first(&text)?);
        } else if let Some(found) =
            value(line, "Time taken for tests").and_then(|text| first(&text))
        {
            keep(&mut run, "duration", found);
        } else if let Some((level, time)) = text.split_once('%') {
            // `  99%     12`
            let known = level.trim().parse::<u8>().is_ok();
            let Some(found) = first(time).filter(|_| known) else { continue };
            if ["50", "90", "95", "99"].contains(&level.trim()) {
                keep_level(&mut run, level, "e2el", found);
            }
        } else if value(line, "Transfer rate").is_none() {
            continue;
        }
        lines = at + 2;
    }
    run.metrics.contains_key("request_throughput").then_some(Printed { run, lines })
}

/// The result of `pgbench`, from `transaction type:` on: `latency average = 235.928 ms`, `tps = 42.39 (excluding connections
/// establishing)`. Of both rates the one without the time to connect is taken, as newer versions print it alone.
fn pgbench(line: &str, below: &[String]) -> Option<Printed> {
    // People keep the last lines alone.
    let end = bare(line).starts_with("latency average = ");
    if !end && !bare(line).starts_with("transaction type:") {
        return None;
    }
    let mut run = Run::default();
    let first = std::iter::once(line).filter(|_| end);
    let lines = first.chain(below.iter().map(String::as_str));
    let skipped = usize::from(end);
    for (at, line) in lines.enumerate().take(MAX_LINES) {
        let text = bare(line);
        if let Some((label, value)) = text.split_once(": ") {
            match label {
                "number of clients" => run.workload.max_concurrency = Setting::parse(value),
                "scaling factor" | "query mode" | "number of threads" => {
                    run.workload.other.insert(label.to_owned(), value.to_owned());
                }
                _ => {}
            }
            continue;
        }
        let Some((label, value)) = text.split_once(" = ") else { continue };
        let first = || fields::number(value.split_whitespace().next()?);
        match label {
            "latency average" => keep(&mut run, "mean_e2el_ms", time_ms(value)?),
            "tps" if !value.contains("including") => {
                keep(&mut run, "request_throughput", first()?);
                return Some(Printed { run, lines: at + 2 - skipped });
            }
            _ => {}
        }
    }
    None
}

/// `Performance counter stats for './a' (5 runs):` and the counters below it.
fn perf_stat(line: &str, below: &[String]) -> Option<Printed> {
    // People leave out the title and keep the command.
    if line.contains("perf stat ") {
        return perf_elapsed(line, below);
    }
    if let Some(found) = counters(line, below) {
        return Some(found);
    }
    let rest = bare(line).strip_prefix("Performance counter stats for ")?.trim_end_matches(':');
    let (command, count) = match rest.rsplit_once('(') {
        Some((command, count)) => {
            (command, count.trim_end_matches([')', ' ']).strip_suffix(" runs"))
        }
        None => (rest, None),
    };
    let runs: Option<usize> = count.and_then(|count| count.parse().ok());
    let mut run = Run::default();
    run.metadata.insert("command".to_owned(), command.trim().trim_matches('\'').to_owned());
    let mut last =
        below.iter().take(MAX_LINES).filter(|line| line.contains("seconds time elapsed"));
    let comma = last.next().is_some_and(|line| {
        let number = bare(line).split(' ').next().unwrap_or_default();
        number.contains(',') && !number.contains('.')
    });
    for (at, line) in below.iter().enumerate().take(MAX_LINES) {
        if count_of(&mut run, line, (comma, runs)) == Some(ELAPSED) {
            return Some(Printed { run, lines: at + 2 });
        }
    }
    None
}

/// Name of the time that passed.
const ELAPSED: &str = "wall_time_s";

/// Puts the counter of a line into the run; returns its kind, a time that passed or another counter.
fn count_of(
    run: &mut Run,
    line: &str,
    (comma, runs): (bool, Option<usize>),
) -> Option<&'static str> {
    let text = bare(line);
    let counter = text.split('#').next().unwrap_or(text).trim();
    let (value, words) = counted(counter, comma)?;
    let percent = text.rsplit_once("+-").and_then(|(_, tail)| {
        let (number, _) = tail.trim().split_once('%')?;
        let (_, plain) = leading(number.trim(), comma)?;
        fields::number(&plain).map(|found| found.value / 100.0)
    });
    let rest: Vec<&str> = words.split_whitespace().collect();
    let elapsed = text.contains("seconds time elapsed");
    let name = match rest[..] {
        _ if elapsed => ELAPSED.to_owned(),
        ["msec", name, ..] => format!("{name}_ms"),
        [name, ..] if name.starts_with(char::is_alphabetic) => name.to_owned(),
        _ => return None,
    };
    let name = name.replace([':', '-', '/'], "_").trim_end_matches('_').to_owned();
    keep(run, &name, value);
    if let Some((share, runs)) = percent.zip(runs) {
        // perf prints the standard error of the mean.
        let sd = share * value.value * (runs as f64).sqrt();
        run.info.spreads.insert(name, Spread { sd, runs });
    }
    Some(if elapsed { ELAPSED } else { "counter" })
}

/// Fewest counters that are known without their title.
const MIN_COUNTERS: usize = 4;

/// The counters of `perf stat` without their title: `19,840.12 msec task-clock  # 0.330 CPUs utilized`.
fn counters(line: &str, below: &[String]) -> Option<Printed> {
    line.contains(" msec task-clock ").then_some(())?;
    let mut run = Run::default();
    let all = std::iter::once(line).chain(below.iter().map(String::as_str)).take(MAX_LINES);
    let is_one = |line: &&str| count_of(&mut run, line, (false, None)).is_some();
    let lines = all.take_while(is_one).count();
    (run.metrics.len() >= MIN_COUNTERS).then_some(Printed { run, lines })
}

/// The number at the start of a line of counters, and the words behind it: `36 311,26 msec` where the language of the machine has
/// decimal commas.
fn counted(text: &str, comma: bool) -> Option<(Number, &str)> {
    let word = |text: &str| text.find(' ').unwrap_or(text.len());
    let mut end = word(text);
    if !comma {
        return Some((fields::number(&text[..end])?, &text[end..]));
    }
    let digits = |word: &str| {
        word.split(',').next().is_some_and(|whole| {
            whole.len() == 3 && whole.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    while let Some(next) = text[end..].strip_prefix(' ').map(|rest| &rest[..word(rest)])
        && digits(next)
    {
        end += 1 + next.len();
    }
    let (_, plain) = leading(&text[..end].replace(' ', "_"), true)?;
    Some((fields::number(&plain)?, &text[end..]))
}

/// Lines below a command to the end of what it prints.
const MAX_BELOW_COMMAND: usize = 12;

/// A command and what it printed at the end: `perf stat -r 5 -e cycles ./a`,
/// `6.5681 +- 0.0225 seconds time elapsed  ( +-  0.34% )`.
fn perf_elapsed(line: &str, below: &[String]) -> Option<Printed> {
    let runs = repeats_of(line)?;
    let other =
        |line: &&String| line.contains("perf stat ") || line.contains("Performance counter stats");
    let near = below.iter().take(MAX_BELOW_COMMAND).take_while(|line| !other(line));
    let (at, text) = near.enumerate().find(|(_, line)| line.contains("seconds time elapsed"))?;
    let mut words = bare(text).split_whitespace();
    let value = fields::number(words.next()?)?;
    words.next().filter(|mark| matches!(*mark, "+-" | "±"))?;
    let of_mean = fields::number(words.next()?)?;
    let mut run = Run::default();
    keep(&mut run, "wall_time_s", value);
    let sd = of_mean.value * (runs as f64).sqrt();
    run.info.spreads.insert("wall_time_s".to_owned(), Spread { sd, runs });
    Some(Printed { run, lines: at + 2 })
}

/// Lines of k6: `http_req_duration..............: avg=1.2ms min=... med=... p(90)=... p(95)=...`.
fn k6(line: &str, below: &[String]) -> Option<Printed> {
    let parts = |line: &str| -> Option<(String, String)> {
        let (name, value) = bare(line).trim_start_matches(['✓', '✗', ' ']).split_once(':')?;
        let stem = name.trim_end_matches('.');
        (stem.len() + 1 < name.len()
            && stem.chars().all(|c| c.is_ascii_alphanumeric() || "_{}:".contains(c)))
        .then(|| (stem.to_owned(), value.trim().to_owned()))
    };
    parts(line)?;
    let mut run = Run::default();
    let (mut lines, mut all, mut failed) = (1, None, None);
    let given = std::iter::once(line).chain(below.iter().map(String::as_str));
    for (at, line) in given.enumerate().take(MAX_LINES) {
        let Some((name, value)) = parts(line) else {
            if line.contains("```") || at > lines + 4 {
                break;
            }
            continue;
        };
        let known = [
            ("http_req_duration", "e2el"),
            ("http_req_waiting", "ttfb"),
            ("iteration_duration", "iteration"),
        ];
        if let Some((_, stem)) = known.iter().find(|(known, _)| *known == name) {
            for pair in value.split_whitespace() {
                let Some((statistic, time)) = pair.split_once('=') else { continue };
                let Some(time) = milliseconds(time) else { continue };
                let word = match statistic {
                    "avg" => "mean".to_owned(),
                    "med" => "median".to_owned(),
                    "min" | "max" => statistic.to_owned(),
                    other => format!("p{}", other.trim_start_matches("p(").trim_end_matches(')')),
                };
                keep(&mut run, &format!("{word}_{stem}_ms"), time);
            }
        }
        let words: Vec<&str> = value.split_whitespace().collect();
        match (&*name, &words[..]) {
            ("http_reqs", [count, rate, ..]) => {
                all = fields::number(count).map(|found| found.value);
                if let Some(rate) = rate.strip_suffix("/s").and_then(fields::number) {
                    keep(&mut run, "request_throughput", rate);
                }
            }
            ("http_req_failed", [_, rest @ ..]) => {
                let after = rest.iter().position(|word| *word == "✓" || *word == "out");
                failed = match after {
                    Some(at) if rest[at] == "✓" => {
                        rest.get(at + 1).and_then(|count| fields::number(count))
                    }
                    Some(at) => at.checked_sub(1).and_then(|at| fields::number(rest[at])),
                    None => None,
                }
                .map(|found| found.value);
            }
            ("vus_max", [count, ..]) => {
                run.workload.other.insert("vus_max".to_owned(), (*count).to_owned());
            }
            _ => {}
        }
        lines = at + 1;
    }
    if let Some((all, failed)) = all.zip(failed) {
        fields::set(&mut run, fields::RunField::Completed, "", &(all - failed).to_string());
        fields::set(&mut run, fields::RunField::Failed, "", &failed.to_string());
    }
    (run.metrics.len() > 1).then_some(Printed { run, lines })
}

/// The summary of hey, oha and ghz: `Total: 55.0552 secs`, `Requests/sec: 908.1787`, `99% in 0.0792 secs`.
fn hey(line: &str, below: &[String]) -> Option<Printed> {
    let first = bare(below.iter().map(|line| bare(line)).find(|line| !line.is_empty())?);
    let oha = first.starts_with("Success rate:");
    let total = first.starts_with("Total:") && first.ends_with("secs");
    if bare(line) != "Summary:" || !(oha || total || first.starts_with("Count:")) {
        return None;
    }
    let mut run = Run::default();
    let (mut lines, mut good, mut bad) = (1, None, 0.0);
    let mut errors = false;
    for (at, line) in below.iter().enumerate().take(MAX_LINES) {
        let text = bare(line);
        if text.contains("```") || text == "Summary:" {
            break;
        }
        if let Some((level, time)) = text.split_once("% in ") {
            // oha has two digits behind the point of each level.
            let level = level.trim().parse::<f64>().map(|level| level.to_string());
            let Some((level, time)) = level.ok().zip(time_ms(time)) else { continue };
            if ["50", "90", "95", "99"].contains(&&*level) {
                keep_level(&mut run, &level, "e2el", time);
            }
        } else if let Some((code, count)) =
            text.strip_prefix('[').and_then(|text| text.split_once(']'))
        {
            let failed = fields::number(code.trim()).filter(|_| errors);
            let count = count.trim().strip_suffix(" responses").and_then(fields::number);
            match (count, failed) {
                (Some(count), _) if code.starts_with('2') || code == "OK" => {
                    good = Some(good.unwrap_or(0.0) + count.value);
                }
                (Some(count), _) | (None, Some(count)) => bad += count.value,
                (None, None) => continue,
            }
        } else if let Some((label, value)) = text.split_once(':') {
            errors = label == "Error distribution";
            match (label, time_ms(value), fields::number(value.trim())) {
                ("Total", Some(time), _) => keep(&mut run, "duration", time.times(1e-3)),
                ("Average", Some(time), _) => keep(&mut run, "mean_e2el_ms", time),
                ("Slowest", Some(time), _) => keep(&mut run, "max_e2el_ms", time),
                ("Fastest", Some(time), _) => keep(&mut run, "min_e2el_ms", time),
                ("Requests/sec", _, Some(rate)) => keep(&mut run, "request_throughput", rate),
                _ if oha => {}
                _ => continue,
            }
        } else if !oha || !text.starts_with(|c: char| c.is_ascii_digit()) {
            // Only the lines of its histogram have neither a label nor a bracket.
            continue;
        }
        lines = at + 2;
    }
    if let Some(good) = good {
        fields::set(&mut run, fields::RunField::Completed, "", &good.to_string());
        fields::set(&mut run, fields::RunField::Failed, "", &bad.to_string());
    }
    run.metrics.contains_key("request_throughput").then_some(Printed { run, lines })
}

/// Milliseconds of `0.0792 secs`, `1.2 ms`; a bare number is seconds.
fn time_ms(text: &str) -> Option<Number> {
    let text = text.trim();
    let text = text.strip_suffix("secs").or_else(|| text.strip_suffix("seconds")).unwrap_or(text);
    match fields::number(text.trim()) {
        Some(seconds) => Some(seconds.times(1e3)),
        None => milliseconds(&text.replace(' ', "")),
    }
}

/// The end of `vllm bench latency`: `Avg latency: 1.8432 seconds`, `99% percentile latency: 1.8903 seconds`.
fn vllm_latency(line: &str, below: &[String]) -> Option<Printed> {
    let seconds = |value: &str| value.trim().strip_suffix(" seconds").and_then(fields::number);
    let mut run = Run::default();
    keep(&mut run, "mean_e2el_ms", seconds(bare(line).strip_prefix("Avg latency:")?)?.times(1e3));
    let mut lines = 1;
    for (at, line) in below.iter().enumerate().take(MAX_LINES) {
        let Some((level, value)) = bare(line).split_once("% percentile latency:") else { break };
        keep_level(&mut run, level, "e2el", seconds(value)?.times(1e3));
        lines = at + 2;
    }
    Some(Printed { run, lines })
}

/// Lines of SGLang's `bench_one_batch_server`, from `batch size: 16` on: the metric of each, and its factor.
const OF_BATCH: &[(&str, &str, f64)] = &[
    ("latency", "duration", 1.0),
    ("input throughput", "input_throughput", 1.0),
    ("output throughput", "output_throughput", 1.0),
    ("overall throughput", "total_token_throughput", 1.0),
    ("last_ttft", "max_ttft_ms", 1e3),
    ("ttft", "max_ttft_ms", 1e3),
    ("last generation throughput", "last_gen_throughput", 1.0),
];

fn one_batch_server(line: &str, below: &[String]) -> Option<Printed> {
    let size = bare(line).strip_prefix("batch size: ")?.trim();
    fields::number(size)?;
    let mut run = Run::default();
    run.workload.other.insert("batch_size".to_owned(), size.to_owned());
    let mut lines = 1;
    for (at, line) in below.iter().enumerate().take(MAX_LINES) {
        let Some((label, value)) = bare(line).split_once(": ") else { break };
        let value = value.split_whitespace().next().unwrap_or_default();
        let Some(found) = fields::number(value) else { break };
        if matches!(label, "input_len" | "output_len") {
            run.workload.other.insert(label.to_owned(), value.to_owned());
        } else if let Some((_, metric, factor)) =
            OF_BATCH.iter().find(|(known, ..)| *known == label)
        {
            keep(&mut run, metric, found.times(*factor));
        } else {
            break;
        }
        lines = at + 2;
    }
    (run.metrics.len() > 1).then_some(Printed { run, lines })
}

/// The summary of lmdeploy's `profile_restful_api`, from `concurrency: 8` on.
fn profile_restful(line: &str, below: &[String]) -> Option<Printed> {
    let pair = |line: &str| -> Option<(String, String)> {
        let (label, value) = bare(line).rsplit_once(": ")?;
        Some((label.trim().to_owned(), value.trim().to_owned()))
    };
    let cap = bare(line).strip_prefix("concurrency: ")?;
    fields::number(cap.trim())?;
    let mut run = Run::default();
    run.workload.max_concurrency = Setting::parse(cap.trim());
    let mut lines = 1;
    for (at, line) in below.iter().enumerate().take(MAX_LINES) {
        let Some((label, value)) = pair(line) else {
            if line.contains("```") || !bare(line).is_empty() && !bare(line).starts_with(['-', '='])
            {
                break;
            }
            continue;
        };
        let one = value.split_whitespace().next().and_then(fields::number);
        let all: Vec<Option<Number>> = value
            .trim_matches(['[', ']'])
            .split(',')
            .map(|part| fields::number(part.trim()))
            .collect();
        match (&*label, one, &all[..]) {
            ("elapsed_time", ..) => keep(&mut run, "duration", time_ms(&value)?.times(1e-3)),
            ("first token latency(s)(min, max, ave)", _, [_, Some(max), Some(mean)]) => {
                keep(&mut run, "max_ttft_ms", max.times(1e3));
                keep(&mut run, "mean_ttft_ms", mean.times(1e3));
            }
            ("token throughput (completion token)", Some(rate), _) => {
                keep(&mut run, "output_throughput", rate);
            }
            ("token throughput (prompt + completion token)", Some(rate), _) => {
                keep(&mut run, "total_token_throughput", rate);
            }
            ("RPS (request per second)", Some(rate), _) => {
                keep(&mut run, "request_throughput", rate);
            }
            ("number of prompt tokens", Some(count), _) => {
                fields::set(&mut run, fields::RunField::InputTokens, "", &count.value.to_string());
            }
            ("number of completion tokens", Some(count), _) => {
                fields::set(&mut run, fields::RunField::OutputTokens, "", &count.value.to_string());
            }
            ("RPM (request per minute)", ..) => {}
            _ => {
                let levels = label
                    .strip_prefix("per-token latency(s) percentile(")
                    .map(|levels| levels.trim_end_matches(')').split(','));
                let Some(levels) = levels else { break };
                for (level, time) in levels.zip(all.iter().flatten()) {
                    keep_level(&mut run, level, "itl", time.times(1e3));
                }
            }
        }
        lines = at + 2;
    }
    run.metrics.contains_key("output_throughput").then_some(Printed { run, lines })
}

/// Why a text of averages is not read: the program that made it, and the files that have the single runs.
pub(crate) fn averages_of(text: &str) -> Option<(&'static str, &'static str)> {
    let has =
        |marks: &[&str]| text.lines().any(|line| marks.iter().all(|mark| line.contains(mark)));
    let go = "give the raw files, the output of `go test -bench . -count 10`";
    // Whatever its unit, benchstat compares each column with the first.
    let benchstat = has(&["vs base"]) && text.contains(['±', '│']);
    if has(&["name", "old ", "new ", "delta"]) || benchstat {
        return Some(("averages of several runs, printed by benchstat", go));
    }
    if has(&["ns/iter", "diff %"]) || has(&["ns/iter", "diff ns/iter"]) {
        let rust = "give the raw files, the output of `cargo bench` of each build";
        return Some(("a comparison of averages, printed by cargo-benchcmp", rust));
    }
    // A factor, a time with its deviation and a rate for each build.
    let row = |line: &str| line.contains('±') && line.contains("/sec");
    if has(&["group  "]) && text.lines().filter(|line| row(line)).count() > 0 {
        let rust = "give the raw files, the folder target/criterion of each build";
        return Some(("averages, printed by critcmp", rust));
    }
    if has(&["Name (time in", "StdDev", "Rounds"]) {
        let python = "give the file of each build that `pytest --benchmark-json FILE` writes";
        return Some(("averages of the rounds of a process, printed by pytest-benchmark", python));
    }
    None
}

/// Lines that look like results: a number with a unit, or a known label before it.
pub(crate) fn looks_like_result(line: &str) -> bool {
    let measured = |word: &str| {
        figure(word, false).is_some_and(|found| !found.unit.is_empty() && found.unit != "%")
    };
    let words: Vec<&str> =
        line.split([' ', '\t', '|', ',', '(', ')', '=']).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| measured(word))
        || words
            .windows(2)
            .any(|pair| fields::number(pair[0]).is_some() && measured(&pair.join(" ")))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what was read is what was written")]
mod tests {
    use super::*;

    fn of(text: &str) -> Printed {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines[0], &lines[1..]).expect("a result")
    }

    /// R5: hyperfine prints a mean, the standard deviation of its runs, and their number.
    #[test]
    fn hyperfine_text_is_an_average_with_its_spread() {
        let Printed { run, lines } = of(
            "Benchmark 1: ./a x\n  Time (mean ± σ):      1841.2 ms ±   22.3 ms    [User: 1657.1 ms, System: 147.3 ms]\n  Range (min … max):    1802.9 ms … 1880.1 ms    12 runs\n",
        );
        assert_eq!((&*run.variant, lines), ("./a x", 3));
        assert!((run.metrics["wall_time_s"].value - 1.8412).abs() < 1e-12);
        let spread = run.info.spreads["wall_time_s"];
        assert!((spread.sd - 0.0223).abs() < 1e-12 && spread.runs == 12);
    }

    #[test]
    fn ab_text_is_one_result() {
        let text = "Concurrency Level:      64\nTime taken for tests:   20.020 seconds\nComplete requests:      309914\nFailed requests:        0\n\
                    Requests per second:    15480.22 [#/sec] (mean)\nTime per request:       4.134 [ms] (mean)\n\
                    Time per request:       0.065 [ms] (mean, across all concurrent requests)\n\nPercentage of the requests served within a certain time (ms)\n  50%      4\n  99%     12\n";
        let Printed { run, .. } = of(text);
        assert_eq!(run.metrics["request_throughput"].value, 15480.22);
        assert_eq!(run.metrics["mean_e2el_ms"].value, 4.134);
        assert_eq!(run.metrics["p99_e2el_ms"].value, 12.0);
        assert_eq!(run.info.completed, Some(309_914));
    }

    #[test]
    fn pgbench_text_is_one_result() {
        let text = "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1\nquery mode: simple\nnumber of clients: 10\n\
                    number of threads: 1\nnumber of transactions actually processed: 1000/1000\nlatency average = 235.928 ms\n\
                    tps = 42.385814 (including connections establishing)\ntps = 42.390860 (excluding connections establishing)\n";
        let Printed { run, lines } = of(text);
        assert_eq!((run.metrics["request_throughput"].value, lines), (42.390_86, 9));
        assert_eq!(run.metrics["mean_e2el_ms"].value, 235.928);
        assert_eq!(run.workload.max_concurrency, Setting::parse("10"));
    }

    /// perf prints the relative standard error: 0.52 % of 0.1234 s over 5 runs is a deviation of 0.00143 s.
    #[test]
    fn perf_stat_is_an_average_where_it_repeats() {
        let text = " Performance counter stats for './a' (5 runs):\n\n          1,234.56 msec task-clock                #    0.998 CPUs utilized            ( +-  0.51% )\n     4,567,890,123      cycles                    #    3.7 GHz                      ( +-  0.20% )\n\n            0.1234 +- 0.0006 seconds time elapsed  ( +-  0.52% )\n";
        let Printed { run, .. } = of(text);
        assert_eq!(run.metrics["cycles"].value, 4_567_890_123.0);
        let spread = run.info.spreads["wall_time_s"];
        assert!((spread.sd - 0.001_434_8).abs() < 1e-6 && spread.runs == 5, "{spread:?}");
    }

    #[test]
    fn the_end_of_k6_is_one_result() {
        let text = "     http_req_duration..............: avg=12.5ms min=1.1ms med=10ms max=95ms p(90)=20ms p(95)=31.5ms\n     http_req_failed................: 1.00% ✓ 10 ✗ 990\n     http_reqs......................: 1000 33.3/s\n";
        let Printed { run, .. } = of(text);
        assert_eq!(run.metrics["mean_e2el_ms"].value, 12.5);
        assert_eq!(run.metrics["p95_e2el_ms"].value, 31.5);
        assert_eq!(run.metrics["request_throughput"].value, 33.3);
        assert_eq!((run.info.completed, run.info.failed), (Some(990), Some(10)));
    }

    #[test]
    fn the_summary_of_hey_is_one_result() {
        let text = "Summary:\n  Total:\t55.0552 secs\n  Average:\t0.0549 secs\n  Requests/sec:\t908.1787\n\nLatency distribution:\n  99% in 0.0792 secs\n\nStatus code distribution:\n  [200]\t50000 responses\n";
        let Printed { run, lines } = of(text);
        assert_eq!(lines, 10);
        assert!((run.metrics["p99_e2el_ms"].value - 79.2).abs() < 1e-9);
        assert_eq!(run.info.completed, Some(50_000));
    }

    #[test]
    fn averages_of_other_programs_are_known() {
        assert!(
            averages_of("name   old time/op  new time/op  delta\nA  1ns ± 1%  2ns ± 1%  +5%")
                .is_some()
        );
        assert!(
            averages_of(" name  old.txt ns/iter  new.txt ns/iter  diff ns/iter   diff %  speedup")
                .is_some()
        );
        assert!(averages_of("TTFT 5 ms").is_none());
    }
}
