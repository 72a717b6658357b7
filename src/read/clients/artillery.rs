//! artillery: `artillery run --output FILE`.
//!
//! Replicate: a file, which is one test. Its windows, `intermediate`, are parts of that test; requests are counted, not
//! repeated. The rate that the file states is that of a window: throughput is responses over the time of the test.

use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "artillery json",
    marks: Marks::Json(&["aggregate", "intermediate", "counters", "summaries|histograms"]),
    one_run: "a file, which is one test; its windows are parts of it",
    metrics: &["request_throughput", "mean_e2el_ms", "p99_e2el_ms", "duration"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// The response times of HTTP and of socket.io, where the file has them; older files call the statistics histograms.
const LATENCY: &str = "summaries/http.response_time|histograms/http.response_time|\
                       summaries/socketio.response_time|histograms/socketio.response_time";

/// Seconds to which the times of a file are known, which are in milliseconds.
const TICK: f64 = 5e-4;

fn read(file: &mut Reading) -> Result<(), Error> {
    for (index, root) in file.trees()?.iter().enumerate() {
        let all = root.at("aggregate").unwrap_or(&Node::Null);
        let place = |key: &str| format!("aggregate.summaries.http.response_time{key}");
        let Some(latency) = all.at(LATENCY) else {
            return Err(file.expected(&place(""), "the statistics of a latency", None));
        };
        if let Some((key, bad)) =
            latency.entries("").iter().find(|(_, one)| one.number("").is_none())
        {
            return Err(file.expected(&place(&format!(".{key}")), "a number", Some(bad)));
        }
        let mut builder = file.run("artillery", index + 1, "object");
        builder.timed();
        builder.latencies("e2el", Some(latency), MS);
        let failed = all.entries("counters").iter().filter(|(key, _)| {
            let code = key.strip_prefix("http.codes.").and_then(|code| code.parse::<u32>().ok());
            code.is_some_and(|code| code >= 400) || key.starts_with("errors.")
        });
        let failed = failed.filter_map(|(_, value)| value.count("")).sum::<u64>();
        let asked = all.count("counters/http.requests|counters/socketio.emit");
        if let Some(asked) = asked {
            builder.counts(Some(asked.saturating_sub(failed)), Some(failed));
        }
        let first = "firstMetricAt|firstCounterAt";
        let (from, to) = (all.number(first), all.number("lastMetricAt|lastCounterAt"));
        let seconds = from.zip(to).map(|(from, to)| (to - from) / S).filter(|time| *time > 0.0);
        let answered = all.number("counters/http.responses|counters/socketio.emit");
        if let Some(seconds) = seconds {
            let duration = Number { value: seconds, resolution: TICK };
            builder.put("duration", duration);
            if let Some(rate) = answered.map(|count| count / seconds) {
                let resolution = rate * TICK / seconds;
                builder.put("request_throughput", Number { value: rate, resolution });
            }
        }
        builder.run.info.started = all.shown(first);
        file.add(builder)?;
    }
    Ok(())
}
