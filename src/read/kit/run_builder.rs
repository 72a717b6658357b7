//! A run while a reader fills it: names and units in, a checked [`Run`] out.

use crate::kit::detail::{Detail, RequestSums};
use crate::kit::fields::{self, Number};
use crate::kit::finish::{finish, finish_exact};
use crate::kit::tree::{Node, Tree};
use crate::reader::{COMMAND, Content, Found, Options};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{
    ITERATIONS, ITERATIONS_AS_RUNS, Run, Setting, Skipped, Source, Value,
};

/// Factors to milliseconds.
pub(crate) const S: f64 = 1e3;
pub(crate) const MS: f64 = 1.0;
pub(crate) const US: f64 = 1e-3;
pub(crate) const NS: f64 = 1e-6;

/// Lowest percentile that is read: below the median lies what nobody waits for.
const LOWEST: f64 = 50.0;

/// A run that is being read.
#[derive(Clone)]
pub(crate) struct RunBuilder {
    pub(crate) run: Run,
    place: String,
    notes: Vec<String>,
    /// The test ended after a time: how many requests it made is a result, not a setting.
    timed: bool,
    /// Throughputs are printed to few digits: counts and duration are more precise.
    rounded: bool,
}

impl RunBuilder {
    /// A run of `client` at `position`, in units of `counts`.
    pub(crate) fn new(
        content: &Content,
        client: &str,
        position: usize,
        counts: &'static str,
    ) -> Self {
        let path = content.path.into();
        let place =
            if counts.is_empty() { "file".to_owned() } else { format!("{counts} {position}") };
        let mut run = Run { source: Source { path, position, counts }, ..Run::default() };
        run.workload.client = Some(client.to_owned());
        Self { run, place, notes: Vec::new(), timed: false, rounded: false }
    }

    /// A value in the unit of the metric, where the file has one.
    pub(crate) fn metric(&mut self, name: &str, value: Option<f64>) {
        self.scaled(name, value, 1.0);
    }

    /// A value that becomes the unit of the metric by a factor.
    pub(crate) fn scaled(&mut self, name: &str, value: Option<f64>, factor: f64) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let Number { value, resolution } = Number::binary(value);
        self.put(name, Number { value: value * factor, resolution: resolution * factor });
    }

    /// Values of a tree, as their path and the name of the metric.
    pub(crate) fn metrics(&mut self, root: &Node, named: &[(&str, &str)]) {
        for (path, name) in named {
            self.metric(name, root.number(path));
        }
    }

    /// A time above 0; where nothing was measured tools write 0.
    pub(crate) fn time(&mut self, metric: &str, value: Option<f64>, factor: f64) {
        match value {
            Some(value) if value > 0.0 => self.scaled(metric, Some(value), factor),
            Some(value) => self.note(format!("{metric} is {value}, which means no data")),
            None => {}
        }
    }

    /// A value with what it is known to.
    pub(crate) fn put(&mut self, name: &str, Number { value, resolution }: Number) {
        if value.is_finite() {
            let name = Metric::named(name).name;
            fields::keep(&mut self.run, name, Value { value, resolution });
        }
    }

    /// A value of a latency by what the client calls the statistic: `avg`, `p99`, `std`; others are left out.
    pub(crate) fn latency(&mut self, word: &str, stem: &str, value: Number) {
        if let Some(prefix) = statistic(word) {
            self.put(&format!("{prefix}_{stem}_ms"), value);
        }
    }

    /// All statistics of a latency that an object holds by name.
    pub(crate) fn latencies(&mut self, stem: &str, statistics: Option<&Node>, factor: f64) {
        for (word, value) in statistics.map(|all| all.entries("")).unwrap_or_default() {
            if let (Some(prefix), value) = (statistic(word), value.number("")) {
                self.scaled(&format!("{prefix}_{stem}_ms"), value, factor);
            }
        }
    }

    /// Requests that succeeded and failed.
    pub(crate) fn counts(&mut self, completed: Option<u64>, failed: Option<u64>) {
        (self.run.info.completed, self.run.info.failed) = (completed, failed);
    }

    /// Tokens of all prompts and of all answers.
    pub(crate) fn tokens(&mut self, input: Option<u64>, output: Option<u64>) {
        (self.run.workload.input_tokens, self.run.info.output_tokens) = (input, output);
    }

    /// Settings of the load, as their name and their path in a tree.
    pub(crate) fn loads(&mut self, root: &Node, named: &[(&str, &str)]) {
        for (name, path) in named {
            self.load(name, root.shown(path));
        }
    }

    /// Properties of the build or the machine by their paths in a tree; the last key is the name.
    pub(crate) fn properties(&mut self, root: &Node, paths: &[&str]) {
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            self.metadata(name, root.shown(path));
        }
    }

    /// A setting of the load without a field of its own.
    pub(crate) fn load(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            self.run.workload.other.insert(name.to_owned(), value);
        }
    }

    /// A property of the build or the machine.
    pub(crate) fn metadata(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            self.run.metadata.insert(name.to_owned(), value);
        }
    }

    /// The configuration that was measured. The settings in which the run `differs` from others of its file name it
    /// where nothing else does and are a workload of their own elsewhere; empty if it does not differ.
    pub(crate) fn configuration(
        &mut self,
        differs: String,
        settings: impl IntoIterator<Item = (String, String)>,
    ) {
        if !differs.is_empty() {
            self.run.metadata.insert(COMMAND.to_owned(), differs.clone());
            self.run.variant = differs;
        }
        for (name, value) in settings {
            self.metadata(&name, Some(value));
        }
    }

    /// A fixed number in flight; none or a negative one is no limit.
    pub(crate) fn concurrency(&mut self, limit: Option<f64>) {
        self.run.workload.max_concurrency = limit.map_or(Setting::Unknown, Setting::number);
    }

    /// An offered rate; a negative or infinite one is no limit.
    pub(crate) fn rate(&mut self, rate: Option<f64>) {
        self.run.workload.request_rate = rate.map_or(Setting::Unknown, Setting::number);
    }

    /// The test ended after a time, not after a number of requests.
    pub(crate) fn timed(&mut self) {
        self.timed = true;
    }

    /// Throughputs are to be recomputed from counts and duration.
    pub(crate) fn rounded(&mut self) {
        self.rounded = true;
    }

    /// The value is an aggregate over so many iterations of one process, which are no repeats.
    pub(crate) fn iterations(&mut self, count: usize) {
        self.run.metadata.insert(ITERATIONS.to_owned(), count.to_string());
    }

    /// The same of iterations whose values the file has, so that each could be a run.
    pub(crate) fn iterations_with_values(&mut self, count: usize) {
        self.iterations(count);
        self.run.info.unfolds = true;
    }

    /// It is one iteration of a process, the `number`th that was read, which the user takes as a run.
    pub(crate) fn iteration(&mut self, number: usize) {
        self.run.metadata.insert(ITERATIONS_AS_RUNS.to_owned(), "yes".to_owned());
        self.run.info.of_table = true;
        self.run.source.position = number;
        self.run.source.counts = "iteration";
    }

    /// Something that was left out.
    pub(crate) fn note(&mut self, why: impl Into<String>) {
        self.notes.push(why.into());
    }

    /// Values of the requests of a run, for the standard errors of its figures, which must be set before.
    pub(crate) fn detail(&mut self, detail: Detail) {
        self.run.requests = Some(Box::new(detail.reduce(&self.run.metrics)));
    }

    /// Request values that the file does not sum up itself: they give the figures too.
    pub(crate) fn requests(&mut self, detail: Detail) {
        let requests = detail.reduce(&self.run.metrics);
        for (name, figure) in &requests.figures {
            self.put(name, Number { value: figure.value, resolution: 0.0 });
        }
        self.run.requests = Some(Box::new(requests));
    }

    /// Sums over the requests of a run that has no file of its own.
    pub(crate) fn sums(&mut self, sums: RequestSums) {
        let known = |tokens: u64| (tokens > 0).then_some(tokens);
        self.counts(Some(sums.completed), Some(sums.failed));
        self.tokens(known(sums.input), known(sums.output));
        self.requests(sums.requests);
    }

    /// Checks the run and adds it; a run that is no measurement is an error, or with `--lenient` a note.
    pub(crate) fn finish(mut self, found: &mut Found, options: &Options) -> Result<(), Error> {
        let checked =
            if self.rounded { finish(&mut self.run) } else { finish_exact(&mut self.run) };
        match checked {
            Ok(more) => {
                if self.timed {
                    self.run.workload.requests = None;
                    self.run.workload.input_tokens = None;
                }
                let place = self.place;
                let notes = self.notes.into_iter().chain(more);
                found.skipped.extend(notes.map(|why| Skipped { place: place.clone(), why }));
                found.runs.push(self.run);
            }
            Err(bad) if options.lenient => {
                found.skipped.push(Skipped { place: self.place, why: bad.problem });
            }
            Err(bad) => {
                return Err(Error::Input {
                    path: self.run.source.path.to_string(),
                    place: if self.place == "file" { String::new() } else { self.place },
                    problem: bad.problem,
                    remedy: bad.remedy.to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// The prefix of a metric's name for what clients call a statistic; percentiles from the median up.
pub(crate) fn statistic(word: &str) -> Option<String> {
    let word = word.trim().to_lowercase();
    Some(match word.as_str() {
        "mean" | "avg" | "average" => "mean".to_owned(),
        "median" | "med" => "median".to_owned(),
        "std" | "stddev" | "std_dev" => "std".to_owned(),
        "max" | "maximum" => "max".to_owned(),
        _ => {
            // k6 writes p(95), vegeta 95th.
            let digits = word
                .strip_prefix("p(")
                .and_then(|rest| rest.strip_suffix(')'))
                .or_else(|| word.strip_prefix('p'))
                .or_else(|| word.strip_suffix('%'))
                .or_else(|| word.strip_suffix("th"))?;
            // llm-d writes p99p9 for 99.9.
            let percent: f64 = digits.replace('p', ".").parse().ok()?;
            return (LOWEST..100.0).contains(&percent).then(|| {
                if percent > LOWEST { format!("p{percent}") } else { "median".to_owned() }
            });
        }
    })
}

/// Factor to milliseconds of a unit of time.
pub(crate) fn to_ms(unit: &str) -> Option<f64> {
    crate::kit::cell_value::to_ms(unit.trim().trim_end_matches("/token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_have_one_name() {
        for (word, prefix) in [
            ("avg", Some("mean")),
            ("p50", Some("median")),
            ("99%", Some("p99")),
            ("p99p9", Some("p99.9")),
            ("p99.9", Some("p99.9")),
            ("P90", Some("p90")),
            ("stddev", Some("std")),
            ("p(95)", Some("p95")),
            ("99th", Some("p99")),
            ("99", None),
            ("p10", None),
            ("min", None),
            ("count", None),
        ] {
            assert_eq!(statistic(word).as_deref(), prefix, "{word}");
        }
    }
}
