//! vegeta: `report -type=json` and `report -type=text`, also several reports in one text.
//!
//! Replicate: a report, which is one attack. Latencies are of all requests, failed ones too; the rate that was
//! asked for is not in the report.

use crate::error::Error;
use crate::read::fields::number;
use crate::read::llm::run_builder::{NS, RunBuilder};
use crate::read::llm::tree::Node;
use crate::read::runners::quantity::milliseconds;
use crate::read::runners::{expected, json_with, label_of, text_with, time, trees, whole};
use crate::read::{Content, Found, Options, Reader, short};

const METRICS: &[&str] = &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"];

pub(super) const JSON: Reader = Reader {
    name: "vegeta json",
    recognised_by: "keys latencies, 99th, throughput and status_codes",
    one_run: "a report, which is one attack",
    metrics: METRICS,
    recognise: |content, _| {
        json_with(content, &["latencies", "99th", "throughput", "status_codes"])
    },
    read: json,
};

pub(super) const TEXT: Reader = Reader {
    name: "vegeta text",
    recognised_by: "lines Requests [total, rate, throughput] and Latencies [min, mean, ...]",
    one_run: "a report, which is one attack",
    metrics: METRICS,
    recognise: |content, _| text_with(content, &["Latencies", "[total, rate", "Status Codes"]),
    read: text,
};

fn json(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for (index, root) in trees(content)?.iter().enumerate() {
        let mut builder = RunBuilder::new(content, "vegeta", index + 1, "object");
        let Some(throughput) = root.number("throughput") else {
            let found = root.at("throughput");
            return Err(expected(content, "throughput", "a number", found));
        };
        builder.metric("request_throughput", Some(throughput));
        for (key, value) in root.at("latencies").map_or(&[][..], Node::entries) {
            if let (Some(prefix), Node::Number(value)) = (statistic(key), value) {
                time(&mut builder, &format!("{prefix}_e2el_ms"), Some(*value), NS);
            }
        }
        builder.run.info.started = root.shown("earliest");
        builder.metadata("attack_rate", root.shown("rate"));
        success(&mut builder, root.count_at("requests"), root.number("success"));
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

fn text(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let text = content.text();
    let (mut variant, mut open) = (String::new(), None::<(RunBuilder, Option<u64>)>);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let bad = |what: &str| {
            let problem = format!("expected {what}, found \"{}\"", short(line));
            Error::at_line(content.path, index + 1, problem, "paste the whole report")
        };
        let Some((label, names, values)) = row(line) else {
            // Lines that vegeta itself prints name no variant.
            if let Some(label) = label_of(line, index + 1).filter(|_| line != "Error Set:") {
                variant = label;
            }
            continue;
        };
        let pairs = || names.split(',').map(str::trim).zip(values.split(',').map(str::trim));
        let value = |name: &str| pairs().find(|(known, _)| *known == name).map(|(_, value)| value);
        match (label, &mut open) {
            ("Requests", Some(_)) => {
                return Err(bad("the line Success of the report before this one"));
            }
            ("Latencies" | "Success", None) => {
                return Err(bad("the line Requests of the report before this one"));
            }
            ("Requests", None) => {
                let mut builder = RunBuilder::new(content, "vegeta", index + 1, "line");
                builder.run.variant.clone_from(&variant);
                let total = value("total").and_then(|text| text.parse().ok());
                // Old versions print the rate of the attack alone.
                if let Some(throughput) = value("throughput") {
                    let throughput = number(throughput).ok_or_else(|| bad("a throughput"))?;
                    builder.put("request_throughput", throughput);
                }
                builder.metadata("attack_rate", value("rate").map(str::to_owned));
                open = Some((builder, total));
            }
            ("Latencies", Some((builder, _))) => {
                for (name, value) in pairs() {
                    let value = milliseconds(value).ok_or_else(|| bad("times with a unit"))?;
                    if let Some(prefix) = statistic(name) {
                        builder.put(&format!("{prefix}_e2el_ms"), value);
                    }
                }
            }
            ("Success", Some(_)) => {
                let ratio = number(values).ok_or_else(|| bad("a share in percent"))?.value / 100.0;
                if let Some((mut builder, total)) = open.take() {
                    success(&mut builder, total, Some(ratio));
                    builder.finish(&mut found, options)?;
                }
            }
            _ => {}
        }
    }
    if open.is_some() {
        let problem = "expected the line Success of the report, found the end of the file";
        let lines = text.lines().count();
        return Err(Error::at_line(content.path, lines, problem, "paste the whole report"));
    }
    Ok(found)
}

/// Label, names and values of a line `Latencies  [min, mean]  1ms, 2ms`.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let (label, rest) = line.split_once('[')?;
    let (names, values) = rest.split_once(']')?;
    Some((label.trim(), names, values.trim()))
}

/// The prefix of a metric for `mean`, `max`, `50`, `99th`.
fn statistic(key: &str) -> Option<String> {
    match key {
        "mean" | "max" => Some(key.to_owned()),
        _ => {
            let percent: f64 = key.strip_suffix("th").unwrap_or(key).parse().ok()?;
            (50.0..100.0).contains(&percent).then(|| format!("p{percent}"))
        }
    }
}

/// Counts of requests that did and did not succeed.
fn success(builder: &mut RunBuilder, requests: Option<u64>, share: Option<f64>) {
    let (Some(requests), Some(share)) = (requests, share) else { return };
    let good = whole(requests as f64 * share.clamp(0.0, 1.0));
    builder.run.info.completed = Some(good);
    builder.run.info.failed = Some(requests.saturating_sub(good));
}
