//! Names of metrics word by word, as people write them: `avg_ttft_s`, `Output throughput (tok/s)`, `avgTokensPerSecond`.
//!
//! A name becomes a metric of the registry if all its words are known and give quantity, statistic and unit. Any other name
//! keeps its spelling.

use crate::metrics::table::{LATENCIES, SCALARS};
use crate::metrics::words::without_direction;
use crate::metrics::{Metric, Statistic, percent_digits};
use crate::units::Unit;

#[derive(Debug, Default)]
struct Words {
    statistic: Option<Statistic>,
    unit: Option<Unit>,
    /// Remaining words.
    rest: Vec<String>,
}

const TOKENS: &[&str] = &["tok", "toks", "token", "tokens"];
const REQUESTS: &[&str] = &["req", "reqs", "request", "requests", "query", "queries"];
const SECONDS: &[&str] = &["s", "sec", "secs", "second", "seconds"];

/// The metric of the registry with this spelling, and the unit in the name.
pub(super) fn spelled(name: &str) -> Option<(Unit, Metric)> {
    let label = without_direction(name).0.to_lowercase();
    let row = |metric: &Metric| metric.row_label().to_lowercase() == label;
    let known = SCALARS.iter().map(crate::metrics::Scalar::metric).find(row);
    if let Some(metric) = known {
        return Some((metric.unit, metric));
    }
    let words = Words::classify(&label_words(name))?;
    let rest = words.rest.join(" ");
    let stem = stem_of(&rest);
    let time = words.unit.filter(|unit| is_time(*unit));
    if let Some((stem, unit)) = stem.zip(time) {
        let latency = LATENCIES.iter().find(|latency| latency.stem == stem)?;
        let metric = match words.statistic {
            None => Some(latency.unqualified()),
            Some(statistic) => latency.metric(&prefix(statistic)?),
        };
        return metric.map(|metric| (unit, metric));
    }
    if words.statistic.is_some() {
        return None;
    }
    let scalar = match (&*rest, words.unit) {
        ("output" | "out" | "generated", Some(Unit::TokenPerSecond))
        | (
            "output throughput"
            | "output token throughput"
            | "output tokens throughput"
            | "total output throughput"
            | "total output token throughput",
            Some(Unit::TokenPerSecond) | None,
        ) => "output_throughput",
        ("total", Some(Unit::TokenPerSecond))
        | (
            "total throughput" | "total token throughput" | "total tokens throughput",
            Some(Unit::TokenPerSecond) | None,
        ) => "total_token_throughput",
        ("input", Some(Unit::TokenPerSecond))
        | ("input throughput" | "input token throughput", Some(Unit::TokenPerSecond) | None) => {
            "input_throughput"
        }
        ("" | "request" | "throughput", Some(Unit::RequestPerSecond))
        | ("request throughput", Some(Unit::RequestPerSecond) | None) => "request_throughput",
        ("request goodput", Some(Unit::RequestPerSecond) | None) => "request_goodput",
        ("throughput", None) => "throughput",
        ("duration" | "benchmark duration", Some(unit)) if is_time(unit) => "duration",
        ("duration" | "benchmark duration", None) => "duration",
        _ => return None,
    };
    let metric = Metric::known(scalar)?;
    Some((words.unit.unwrap_or(metric.unit), metric))
}

fn is_time(unit: Unit) -> bool {
    matches!(unit, Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond)
}

/// The registry's stem for a latency with this name.
fn stem_of(rest: &str) -> Option<&'static str> {
    Some(match rest {
        "ttft" | "time to first token" | "first token latency" => "ttft",
        "tpot" | "time per output token" => "tpot",
        "itl" | "inter token latency" | "intertoken latency" => "itl",
        "e2el"
        | "e2e"
        | "e2e latency"
        | "end to end latency"
        | "request latency"
        | "e2e request latency" => "e2el",
        _ => return None,
    })
}

/// The prefix for a statistic in the names of the registry.
fn prefix(statistic: Statistic) -> Option<String> {
    Some(match statistic {
        Statistic::Mean => "mean".to_owned(),
        Statistic::Median => "median".to_owned(),
        Statistic::Deviation => "std".to_owned(),
        Statistic::Quantile(q) => format!("p{}", percent_digits(q)),
        _ => return None,
    })
}

/// The words of a name, lower case: `avgTokensPerSecond` has four.
fn label_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    let mut chars = without_direction(name).0.chars().peekable();
    while let Some(c) = chars.next() {
        let next_digit = chars.peek().is_some_and(char::is_ascii_digit);
        let point = c == '.' && last.is_ascii_digit() && next_digit;
        if c.is_alphanumeric() || point || c == 'µ' || c == 'μ' {
            let camel = c.is_uppercase() && last.is_lowercase();
            if camel
                || !(last.is_alphanumeric() || last == '.' && !words.is_empty())
                || words.is_empty()
            {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        } else if c == '/' || c == '%' {
            words.push(if c == '/' { "per" } else { "%" }.to_owned());
        }
        last = if c.is_alphanumeric() || point { c } else { ' ' };
    }
    words
}

impl Words {
    /// Separates statistic and unit from the other words; `None` if there are two of one kind.
    fn classify(words: &[String]) -> Option<Self> {
        let mut found = Self::default();
        let mut at = 0;
        let word = |at: usize| words.get(at).map_or("", |word| &**word);
        while at < words.len() {
            let here = word(at);
            let per = word(at + 1) == "per" && SECONDS.contains(&word(at + 2));
            let direct = SECONDS.contains(&word(at + 1));
            let counted = |list: &[&str]| list.contains(&here) && (per || direct);
            let unit = if counted(TOKENS) {
                Some((Unit::TokenPerSecond, if per { 3 } else { 2 }))
            } else if counted(REQUESTS) {
                Some((Unit::RequestPerSecond, if per { 3 } else { 2 }))
            } else {
                unit_of(here).map(|unit| (unit, 1))
            };
            if let Some((unit, length)) = unit {
                if found.unit.is_some_and(|known| known != unit) {
                    return None;
                }
                found.unit = Some(unit);
                at += length;
                continue;
            }
            let (statistic, length) = statistic_of(here, word(at + 1));
            if let Some(statistic) = statistic {
                if found.statistic.is_some_and(|known| known != statistic) {
                    return None;
                }
                found.statistic = Some(statistic);
                at += length;
                continue;
            }
            let plain = match here {
                "tput" | "thput" | "thruput" => "throughput",
                "req" | "reqs" | "requests" => "request",
                "tok" | "toks" => "token",
                other => other,
            };
            found.rest.push(plain.to_owned());
            at += 1;
        }
        Some(found)
    }
}

/// The unit in one word of a name: a time, or a rate of tokens or requests. `second` alone is part of a rate.
fn unit_of(word: &str) -> Option<Unit> {
    let unit = Unit::of_word(word).filter(|_| word != "second")?;
    let rate = matches!(unit, Unit::TokenPerSecond | Unit::RequestPerSecond);
    (rate || unit.nanoseconds().is_some()).then_some(unit)
}

/// The statistic at a word, and its number of words.
fn statistic_of(word: &str, next: &str) -> (Option<Statistic>, usize) {
    let statistic = match word {
        "mean" | "avg" | "average" => Statistic::Mean,
        "median" | "med" => Statistic::Median,
        "std" | "stdev" | "stddev" => Statistic::Deviation,
        "min" | "max" | "minimum" | "maximum" => Statistic::Extreme,
        _ => {
            let number = word.strip_prefix('p').or_else(|| word.strip_suffix("th"));
            let number = number.or(Some(word).filter(|_| next == "%"));
            let percent = number.and_then(|text| text.parse::<f64>().ok());
            let Some(percent) = percent.filter(|p| *p > 0.0 && *p < 100.0) else {
                return (None, 1);
            };
            let two = next == "%" || next == "percentile";
            let median = (percent - 50.0).abs() < 1e-9;
            let statistic =
                if median { Statistic::Median } else { Statistic::Quantile(percent / 100.0) };
            return (Some(statistic), if two { 2 } else { 1 });
        }
    };
    (Some(statistic), if word == "std" && next == "dev" { 2 } else { 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        for (name, words) in [
            ("avgTokensPerSecond", "avg tokens per second"),
            ("TTFT_p99.9_ms", "ttft p99.9 ms"),
            ("Output throughput (tok/s)", "output throughput tok per s"),
            ("mean TTFT ms (lower is better)", "mean ttft ms"),
            ("E2EL 99% [s]", "e2el 99 % s"),
        ] {
            assert_eq!(label_words(name).join(" "), words, "{name}");
        }
    }
}
