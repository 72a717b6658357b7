//! Columns of a tidy table with figures of the requests behind a mean: what an engine that reduced a log gives, and what
//! `convert` keeps of the requests of a run.

use crate::kit::fields;
use crate::table::named::Named;
use crate::table::records::{Line, Table};
use crate::table::reduce::{LEVELS, QUANTILE_NAMES};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{Figure, QUANTILE_LEVELS, Requests, Run, Value};
use beyondnoise_stats::{BATCHES, reduced_mean_standard_error};

/// Stems of the latencies whose requests a run keeps.
const KEPT: [&str; 4] = ["ttft", "tpot", "itl", "e2el"];

/// The column with the number of values behind a mean.
pub(crate) const COUNT: &str = "n_values";

/// The column of standard errors inside the run.
pub(crate) const ERROR: &str = "standard_error";

/// Which columns hold what, by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct FigureColumns {
    count: Option<usize>,
    deviation: Option<usize>,
    /// At [`QUANTILE_LEVELS`].
    quantiles: Vec<usize>,
    blocks: Vec<usize>,
    error: Option<usize>,
    /// Columns that count what cannot be, and what they count.
    faults: Vec<(usize, &'static str, &'static str)>,
    others: Vec<usize>,
}

/// Columns that count what makes the figures of a run wrong: expected, and the remedy.
const FAULTS: [(&str, &str, &str); 3] = [
    (
        "not_numbers",
        "numbers that can be (latencies above 0) and words for success or failure in all rows",
        "fix these rows of the log, or leave them empty if nothing was measured",
    ),
    ("repeated", "every request once", "a part of the log is read twice: give every file once"),
    (
        "miscounted",
        "the same number of values in all parts of the query",
        "the engine lost rows or read them twice, as after the loss of a machine: reduce the log again",
    ),
];

impl FigureColumns {
    /// Those of a tidy table; none without the column of counts.
    pub(crate) fn find(headers: &[String]) -> Self {
        let at = |name: &str| headers.iter().position(|header| header == name);
        let count = at(COUNT);
        if count.is_none() {
            return Self::default();
        }
        let all = |names: &mut dyn Iterator<Item = String>| -> Vec<usize> {
            names.map(|name| at(&name)).collect::<Option<_>>().unwrap_or_default()
        };
        Self {
            count,
            deviation: at("std"),
            quantiles: all(&mut QUANTILE_NAMES.iter().cloned()),
            blocks: all(&mut (1..=BATCHES).map(|k| format!("block_{k}"))),
            error: at(ERROR),
            faults: FAULTS
                .iter()
                .filter_map(|&(name, expected, remedy)| Some((at(name)?, expected, remedy)))
                .collect(),
            others: ["min", "max"].iter().filter_map(|name| at(name)).collect(),
        }
    }

    /// Every column that goes into a figure, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        let single = [self.count, self.deviation, self.error].into_iter().flatten();
        let faults = self.faults.iter().map(|(at, ..)| *at);
        let lists = self.quantiles.iter().chain(&self.blocks).chain(&self.others).copied();
        single.chain(faults).chain(lists)
    }

    /// Whether an engine reduced a log to the table, and so counted its requests.
    pub(crate) fn of_log(&self) -> bool {
        self.deviation.is_some()
    }

    /// Refuses a row with wrong figures, even if it has no value.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for figures that come from values that are no numbers, from requests that were counted twice, or
    /// from some of them only.
    pub(crate) fn refuse_faults(
        &self,
        table: &Table,
        row: Line,
        named: &Named,
    ) -> Result<(), Error> {
        for &(at, expected, remedy) in &self.faults {
            if let Some(found) = fields::number(&row.cells[at]).filter(|number| number.value > 0.0)
            {
                let (of, name) = (&named.metric, &table.headers[at]);
                let problem = format!("expected {expected}, found {name} {} for {of}", found.value);
                return Err(table.at(row.number, problem, remedy));
            }
        }
        Ok(())
    }

    /// Notes the figures of the requests behind the value of a row.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a figure that is no number.
    pub(crate) fn note(
        &self,
        table: &Table,
        row: Line,
        named: &Named,
        run: &mut Run,
    ) -> Result<(), Error> {
        let number = |at: usize| -> Result<Option<f64>, Error> {
            let text = &row.cells[at];
            match fields::number(text) {
                Some(number) => Ok(Some(named.convert(number.value))),
                None if text.trim().is_empty() => Ok(None),
                None => {
                    let name = &table.headers[at];
                    let problem = format!("expected a number in \"{name}\", found \"{text}\"");
                    Err(table.at(row.number, problem, "reduce the log again"))
                }
            }
        };
        let all = |columns: &[usize]| -> Result<Option<Vec<f64>>, Error> {
            columns.iter().map(|&at| number(at)).collect()
        };
        let Some(value) = run.metrics.get(&named.metric).copied() else { return Ok(()) };
        let error = self.error.map(number).transpose()?.flatten();
        if let Some(standard_error) = error {
            let figure = Figure { value: value.value, standard_error: Some(standard_error) };
            let requests = run.requests.get_or_insert_default();
            requests.figures.insert(named.metric.to_string(), figure);
        }
        let count = self.count.and_then(|at| fields::number(&row.cells[at]));
        let (Some(count), Some(stem)) = (count, named.metric.strip_prefix("mean_")) else {
            return Ok(());
        };
        let quantiles = all(&self.quantiles)?.filter(|quantiles| !quantiles.is_empty());
        let deviation = self.deviation.map(number).transpose()?.flatten();
        let latency = stem.strip_suffix("_ms").filter(|stem| KEPT.contains(stem));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of values"
        )]
        let count = count.value as usize;
        if let (Some(deviation), Some(quantiles)) = (deviation, &quantiles) {
            for (name, figure) in figures(stem, deviation, quantiles) {
                run.metrics.insert(name, Value { value: figure, resolution: 0.0 });
            }
        }
        let (Some(latency), Some(quantiles)) = (latency, quantiles) else { return Ok(()) };
        let means = all(&self.blocks)?.unwrap_or_default();
        let standard_error =
            deviation.and_then(|deviation| reduced_mean_standard_error(count, deviation, &means));
        let requests: &mut Requests = run.requests.get_or_insert_default();
        requests.counts.insert(latency.to_owned(), count);
        if deviation.is_some() {
            let figure = Figure { value: value.value, standard_error };
            requests.figures.insert(named.metric.to_string(), figure);
        }
        requests.quantiles.insert(latency.to_owned(), quantiles);
        Ok(())
    }
}

/// The other figures that a run has of a quantity whose mean is `mean_{stem}`.
fn figures(stem: &str, deviation: f64, quantiles: &[f64]) -> Vec<(String, f64)> {
    let at =
        |level: f64| QUANTILE_LEVELS.iter().position(|known| known.to_bits() == level.to_bits());
    let latency = Metric::named(&format!("mean_{stem}")).is_latency();
    let levels = if latency { LEVELS } else { &[LEVELS[0], LEVELS[LEVELS.len() - 1]] };
    let known = levels.iter().filter_map(|&(word, level)| Some((word, quantiles[at(level)?])));
    let deviation = latency.then_some(("std", deviation));
    let named = |(word, value): (&str, f64)| (Metric::named(&format!("{word}_{stem}")).name, value);
    deviation.into_iter().chain(known).map(named).collect()
}
