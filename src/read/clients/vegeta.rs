//! vegeta: `report -type=json` and `report -type=text`, also several reports in one text.
//!
//! Replicate: a report, which is one attack. Latencies are of all requests, failed ones too; the rate that was
//! asked for is not in the report.

use crate::kit::prelude::*;
use crate::kit::quantity::milliseconds;
use crate::text::labels::Labels;

const METRICS: &[&str] = &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"];

pub(crate) const JSON: Reader = Reader {
    name: "vegeta json",
    marks: Marks::JsonPart(&["latencies", "99th", "throughput", "status_codes"]),
    one_run: "a report, which is one attack",
    metrics: METRICS,
    read: |content, options| Reading::of(content, options, json),
    ..Reader::EMPTY
};

pub(crate) const TEXT: Reader = Reader {
    name: "vegeta text",
    marks: Marks::Text(&["Latencies", "[total, rate", "Status Codes"]),
    one_run: "a report, which is one attack",
    metrics: METRICS,
    read: |content, options| Reading::of(content, options, text),
    ..Reader::EMPTY
};

fn json(file: &mut Reading) -> Result<(), Error> {
    for (index, root) in file.trees()?.iter().enumerate() {
        let mut builder = file.run("vegeta", index + 1, "object");
        let Some(throughput) = root.number("throughput") else {
            let found = root.at("throughput");
            return Err(file.expected("throughput", "a number", found));
        };
        builder.metric("request_throughput", Some(throughput));
        builder.latencies("e2el", root.at("latencies"), NS);
        builder.run.info.started = root.shown("earliest");
        builder.metadata("attack_rate", root.shown("rate"));
        success(&mut builder, root.count("requests"), root.number("success"));
        file.add(builder)?;
    }
    Ok(())
}

fn text(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let labels = Labels::of(&text);
    let (mut variant, mut open) = (String::new(), None::<(RunBuilder, Option<u64>)>);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let bad = |what: &str| file.wrong_line(index + 1, (what, line), "paste the whole report");
        let Some((label, names, values)) = row(line) else {
            // Lines that vegeta itself prints name no variant.
            if let Some(label) = labels.at(index).filter(|_| line != "Error Set:") {
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
                let mut builder = file.run("vegeta", index + 1, "line");
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
                    // Levels are bare: 50, 95.
                    let percent = name.starts_with(|c: char| c.is_ascii_digit());
                    let word = if percent { format!("{name}%") } else { name.to_owned() };
                    builder.latency(&word, "e2el", value);
                }
            }
            ("Success", Some(_)) => {
                let ratio = number(values).ok_or_else(|| bad("a share in percent"))?.value / 100.0;
                if let Some((mut builder, total)) = open.take() {
                    success(&mut builder, total, Some(ratio));
                    file.add(builder)?;
                }
            }
            _ => {}
        }
    }
    if open.is_some() {
        let problem = "expected the line Success of the report, found the end of the file";
        let lines = text.lines().count();
        return Err(file.error_at(lines, problem, "paste the whole report"));
    }
    Ok(())
}

/// Label, names and values of a line `Latencies  [min, mean]  1ms, 2ms`.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let (label, rest) = line.split_once('[')?;
    let (names, values) = rest.split_once(']')?;
    Some((label.trim(), names, values.trim()))
}

/// Counts of requests that did and did not succeed.
fn success(builder: &mut RunBuilder, requests: Option<u64>, share: Option<f64>) {
    let (Some(requests), Some(share)) = (requests, share) else { return };
    let good = whole(requests as f64 * share.clamp(0.0, 1.0));
    builder.counts(Some(good), Some(requests.saturating_sub(good)));
}
