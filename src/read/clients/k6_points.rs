//! k6: `--out json=FILE`, a line a measured point.
//!
//! Replicate: a file, which is one test; its requests become that run. Points are read line by line, and
//! only their values are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::clients::k6::TRENDS;
use crate::kit::prelude::*;
use beyondnoise_stats::quantile;

pub(crate) const LINES: Reader = Reader {
    name: "k6 json lines",
    recognised_by: "lines with the keys type, metric and data, and a type Point or Metric",
    one_run: "a file, which is one test; its points are requests",
    metrics: &["mean_e2el_ms", "mean_ttfb_ms"],
    recognise: |content, _| {
        let bytes = content.bytes();
        let near = &bytes[..bytes.len().min(1 << 14)];
        let has = |word: &str| contains(near, word.as_bytes());
        bytes.starts_with(b"{")
            && ["\"type\"", "\"metric\"", "\"data\""].iter().all(|word| has(word))
            && (has("\"Point\"") || has("\"Metric\""))
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
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

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut points: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut failed, mut requests) = (0.0, 0.0);
    for (index, line) in file.content.bytes().split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let point: Line = match serde_json::from_slice(line) {
            Ok(point) => point,
            Err(error) => {
                let problem = format!("expected a point as JSON, found {error}");
                let remedy = "copy it again, or remove the incomplete line";
                let error = file.error_at(index + 1, problem, remedy);
                file.refuse(format!("line {}", index + 1), error)?;
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
    let mut builder = file.run("k6", 1, "");
    builder.timed();
    for (trend, stem) in TRENDS {
        put_latencies(&mut builder, stem, points.remove(trend).unwrap_or_default());
    }
    if requests > 0.0 {
        builder.counts(Some(whole(requests - failed)), Some(whole(failed)));
    }
    file.add(builder)
}

/// Puts the statistics of the latencies of all requests, which are in the order of the file.
fn put_latencies(builder: &mut RunBuilder, stem: &str, ordered: Vec<f64>) {
    if ordered.is_empty() {
        return;
    }
    let mut values = ordered.clone();
    values.sort_by(f64::total_cmp);
    builder.put(&format!("mean_{stem}_ms"), Number::exact(mean(&values).unwrap_or(0.0)));
    for (prefix, level) in [("median", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)] {
        builder.latency(prefix, stem, Number::exact(quantile(&values, level)));
    }
    if stem == "e2el" {
        builder.detail(Detail { e2el_ms: ordered, ..Detail::default() });
    }
}
