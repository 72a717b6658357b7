//! Output of SGLang's `bench_one_batch` (formerly `bench_latency`).
//!
//! Replicate: the lines from `Prefill.` to `Total.`, which are one batch. The batch before `Benchmark ...` is a warm-up,
//! and lines `Decode 3.` are steps of a batch. One call measures each of its settings once, so that batches
//! after one `Benchmark ...` are never repeats. Lengths are not printed: they follow from latency times
//! throughput where these are printed to enough digits.

use crate::kit::prelude::*;
use crate::text::labels::Labels;

pub(crate) const TEXT: Reader = Reader {
    name: "sglang one_batch text",
    marks: Marks::Text(&["Prefill. latency:", "Total. latency:"]),
    one_run: "the lines from Prefill. to Total., which are one batch; that before Benchmark ... is a warm-up",
    metrics: &["duration", "total_token_throughput", "mean_ttft_ms", "median_tpot_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// A batch that has not ended yet.
struct Open {
    line: usize,
    prefill: (Number, Number),
    decode: Option<(Number, Number)>,
    batch: Option<f64>,
}

/// A batch with the settings that are known of it.
struct Batch {
    builder: RunBuilder,
    /// Number of its `Benchmark ...` line, from 1; 0 before any.
    call: usize,
}

/// The batches of a log so far.
#[derive(Default)]
struct Log {
    batches: Vec<Batch>,
    open: Option<Open>,
    /// The heading above.
    label: String,
    /// Whether the batches are a warm-up.
    warm_up: bool,
    /// Number of the last `Benchmark ...` line.
    call: usize,
    /// Batches of a warm-up.
    left_out: usize,
}

impl Log {
    /// Takes in the line number `at`.
    fn line(
        &mut self,
        file: &Reading,
        labels: &Labels,
        (at, line): (usize, &str),
    ) -> Result<(), Error> {
        let bare = line.trim().trim_start_matches(['>', '#', '|', ' ']).trim();
        let bad =
            |problem: String| file.error_at(at, problem, "paste the whole batch, or remove it");
        let pair = |rest: &str| {
            figures(rest).ok_or_else(|| {
                bad(format!("expected a latency and a throughput, found \"{}\"", short(rest)))
            })
        };
        if bare.starts_with("Warmup ...") {
            self.warm_up = true;
        } else if bare.starts_with("Benchmark ...") {
            // Without its first line the warm-up is known by what follows it.
            if !self.warm_up && self.batches.last().is_some_and(|last| last.call == self.call) {
                self.batches.pop();
                self.left_out += 1;
            }
            (self.warm_up, self.call) = (false, self.call + 1);
        } else if let Some(rest) = bare.strip_prefix("Prefill. ") {
            if let Some(open) = &self.open {
                return Err(bad(format!(
                    "expected the line Total. of the batch that starts at line {}, found the next batch",
                    open.line
                )));
            }
            let prefill = pair(rest)?;
            self.open = Some(Open { line: at, prefill, decode: None, batch: None });
        } else if let Some(rest) = bare.strip_prefix("Decode") {
            let Some(open_batch) = &mut self.open else { return Ok(()) };
            if rest.trim_start_matches('.').trim_start().starts_with("median") {
                open_batch.decode = Some(pair(rest)?);
            } else if let Some((_, rest)) = rest.split_once("Batch size:") {
                let size = rest.split(',').next().and_then(number);
                open_batch.batch = size.map(|size| size.value);
            }
        } else if let Some(rest) = bare.strip_prefix("Total. ") {
            let Some(batch) = self.open.take() else {
                return Err(bad(
                    "expected the line Prefill. of the batch before this one".to_owned()
                ));
            };
            let total = pair(rest)?;
            if self.warm_up {
                self.left_out += 1;
                return Ok(());
            }
            let mut builder = batch.builder(file, total);
            builder.run.variant.clone_from(&self.label);
            self.batches.push(Batch { builder, call: self.call });
        } else if let Some(heading) = labels.at(at - 1) {
            // A log pasted under the next heading is of another call.
            self.label = heading;
            let call = if self.call > 0 { self.call + 1 } else { 0 };
            (self.warm_up, self.call) = (false, call);
        }
        Ok(())
    }
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let mut log = Log::default();
    let text = file.content.text();
    let labels = Labels::of(&text);
    for (index, line) in text.lines().enumerate() {
        log.line(file, &labels, (index + 1, line))?;
    }
    let Log { batches, open, left_out, .. } = log;
    if let Some(open) = open {
        let problem = "expected the line Total. of the batch, found the end of the file";
        return Err(file.error_at(open.line, problem, "paste the whole batch"));
    }
    if left_out > 0 {
        let why = format!("warm-up: {left_out} of {} batches", left_out + batches.len());
        file.skip("file", why);
    }
    let calls: Vec<usize> = batches.iter().map(|batch| batch.call).collect();
    let mut place = 0;
    for (index, Batch { mut builder, call }) in batches.into_iter().enumerate() {
        place = if index > 0 && calls[index - 1] == call { place + 1 } else { 1 };
        if call > 0 && calls.iter().filter(|other| **other == call).count() > 1 {
            builder.load("setting", Some(place.to_string()));
        }
        file.add(builder)?;
    }
    Ok(())
}

/// Latency in seconds and throughput of `median latency: 0.00572 s, median throughput:    174.85 token/s`.
fn figures(rest: &str) -> Option<(Number, Number)> {
    let after = |mark: &str| {
        let (_, rest) = rest.split_once(mark)?;
        number(rest.split_whitespace().next()?)
    };
    Some((after("latency:")?, after("throughput:")?))
}

/// The whole number that a latency times a throughput is, where it is the only one within rounding.
fn product((latency, throughput): (Number, Number)) -> Option<f64> {
    let value = latency.value * throughput.value;
    let error = latency.resolution * throughput.value + throughput.resolution * latency.value;
    (error < 0.5 && (value - value.round()).abs() <= error && value.round() > 0.0)
        .then(|| value.round())
}

impl Open {
    fn builder(self, file: &Reading, total: (Number, Number)) -> RunBuilder {
        let mut builder = file.run("sglang one_batch", self.line, "line");
        builder.put("duration", total.0);
        builder.put("total_token_throughput", total.1);
        // All requests of a batch share its prefill, and every step gives each a token.
        builder.put("mean_ttft_ms", self.prefill.0.times(S));
        builder.put("prefill_throughput", self.prefill.1);
        if let Some((latency, throughput)) = self.decode {
            builder.put("median_tpot_ms", latency.times(S));
            builder.put("median_decode_throughput", throughput);
        }
        let batch = self.batch.or_else(|| product(self.decode?));
        let shown = |tokens: f64| Some(tokens.to_string());
        if let Some(batch) = batch.filter(|batch| *batch > 0.0) {
            builder.load("batch_size", shown(batch));
            let prompt = product(self.prefill);
            let length = prompt.map(|tokens| tokens / batch).filter(|length| length.fract() == 0.0);
            builder.load("input_len", length.and_then(shown));
            let all = (total.0, total.1);
            let length = product(all).zip(prompt).map(|(all, prompt)| (all - prompt) / batch);
            let length = length.filter(|length| length.fract() == 0.0 && *length > 0.0);
            builder.load("output_len", length.and_then(shown));
        } else if let Some(tokens) = product(self.prefill) {
            builder.load("prefill_tokens", shown(tokens));
        }
        builder
    }
}
