//! k6: `--out json=FILE`, a line a measured point.
//!
//! Replicate: a file, which is one test; its requests become that run. Points are read line by line, and
//! only their values are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::Error;
use crate::read::detail::Detail;
use crate::read::fields::Number;
use crate::read::llm::run_builder::RunBuilder;
use crate::read::runners::k6::TRENDS;
use crate::read::runners::whole;
use crate::read::{Content, Found, Options, Reader, contains};
use crate::runs::Skipped;

pub(super) const LINES: Reader = Reader {
    name: "k6 json lines",
    recognised_by: "lines with type Point, metric and data",
    one_run: "a file, which is one test; its points are requests",
    metrics: &["mean_e2el_ms", "mean_ttfb_ms"],
    recognise: |content, _| {
        let bytes = content.bytes();
        let near = &bytes[..bytes.len().min(1 << 14)];
        bytes.starts_with(b"{")
            && contains(near, b"\"type\"")
            && (contains(near, b"\"Point\"") || contains(near, b"\"Metric\""))
            && contains(near, b"\"metric\"")
            && contains(near, b"\"data\"")
    },
    read,
};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    metric: Cow<'a, str>,
    #[serde(default)]
    data: Data,
}

#[derive(Default, Deserialize)]
struct Data {
    value: Option<f64>,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut points: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut failed, mut requests) = (0.0, 0.0);
    let mut found = Found::default();
    for (index, line) in content.bytes().split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let point: Line = match serde_json::from_slice(line) {
            Ok(point) => point,
            Err(error) => {
                let problem = format!("expected a point as JSON, found {error}");
                let remedy = "copy it again, or remove the incomplete line";
                let error = Error::at_line(content.path, index + 1, problem, remedy);
                if !options.lenient {
                    return Err(error);
                }
                let place = format!("line {}", index + 1);
                found.skipped.push(Skipped { place, why: error.to_string() });
                continue;
            }
        };
        let Some(value) = point.data.value.filter(|_| point.kind == "Point") else { continue };
        match &*point.metric {
            "http_reqs" => requests += value,
            "http_req_failed" => failed += value,
            name => {
                if let Some((trend, _)) = TRENDS.iter().find(|(trend, _)| *trend == name) {
                    points.entry(trend).or_default().push(value);
                }
            }
        }
    }
    let mut builder = RunBuilder::new(content, "k6", 1, "");
    builder.timed();
    for (trend, stem) in TRENDS {
        put_latencies(&mut builder, stem, points.remove(trend).unwrap_or_default());
    }
    if requests > 0.0 {
        builder.run.info.failed = Some(whole(failed));
        builder.run.info.completed = Some(whole(requests - failed));
    }
    builder.finish(&mut found, options)?;
    Ok(found)
}

/// Puts the statistics of the latencies of all requests, which are in the order of the file.
fn put_latencies(builder: &mut RunBuilder, stem: &str, ordered: Vec<f64>) {
    if ordered.is_empty() {
        return;
    }
    let mut values = ordered.clone();
    values.sort_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let quantile = |q| crate::stats::quantile(&values, q);
    for (prefix, value) in [
        ("mean", mean),
        ("median", quantile(0.5)),
        ("p90", quantile(0.9)),
        ("p95", quantile(0.95)),
        ("p99", quantile(0.99)),
    ] {
        builder.put(&format!("{prefix}_{stem}_ms"), Number { value, resolution: 0.0 });
    }
    if stem == "e2el" {
        builder.detail(Detail { e2el_ms: ordered, ..Detail::default() });
    }
}
