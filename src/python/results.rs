//! The commands, and their results.

use std::sync::Arc;

use beyondnoise::error::Error;
use beyondnoise::history::{Wanted, verdict};
use beyondnoise::job::{self, Case, Request, Source};
use beyondnoise::policy::{Settings, parse_percentage};
use beyondnoise::read::{Cells, tidy_columns};
use beyondnoise::reduce::{Dialect, script};
use beyondnoise::render::{self, ResultColumn, TextOptions};
use beyondnoise::report::Report;
use beyondnoise::report::batch::batch;
use beyondnoise::report::document::Document;
use beyondnoise::runs::Dataset;
use beyondnoise::verdict::Gate;
use pyo3::prelude::*;

use crate::errors::exception;
use crate::frame::Frame;
use crate::inputs::Input;
use crate::options::Options;
use crate::work::{Stop, apart};

/// A comparison or a batch that was judged.
#[pyclass(frozen, module = "beyondnoise._native")]
pub(crate) struct Judged {
    case: Arc<Case>,
    report: Arc<Report>,
}

/// Does `work` beside the interpreter; its error becomes an exception.
fn done<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    apart(py, work)?.map_err(|error| exception(py, &error))
}

/// Judges a comparison (`compare`) or all cells of an export (`batch`).
#[pyfunction]
#[pyo3(signature = (command, input, options, paired, look))]
pub(crate) fn judge(
    py: Python<'_>,
    command: &str,
    input: &Input,
    options: &Options,
    paired: bool,
    look: Option<&str>,
) -> PyResult<Judged> {
    let (input, options, is_batch) = (input.shared(), options.clone(), command == "batch");
    let look = look.map(job::parse_look).transpose();
    let look = look.map_err(|problem| {
        exception(py, &Error::usage(format!("look: {problem}"), "write look=\"2/3\""))
    })?;
    let (case, report) = done(py, move |stop| {
        let source = input.source(stop, options.lenient());
        let case = if is_batch {
            options.job(Case::usual_of_batch())?.batch(paired, &source)?
        } else {
            options.job(Settings::default())?.compare(paired, look, &source)?
        };
        let report = case.report()?;
        Ok((case, report))
    })?;
    Ok(Judged { case: Arc::new(case), report: Arc::new(report) })
}

/// The word that a value has in JSON.
fn word(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}

#[pymethods]
impl Judged {
    /// That of the worst comparison.
    #[getter]
    fn headline(&self) -> String {
        self.report
            .comparisons
            .first()
            .map_or("no_verdict".to_owned(), |first| word(&first.headline))
    }

    /// One sentence.
    #[getter]
    fn summary(&self) -> String {
        match &self.report.comparisons[..] {
            [only] if self.report.batch.is_none() => only.summary.clone(),
            _ => Document::from(&*self.report).title.words(),
        }
    }

    #[getter]
    fn gate(&self) -> String {
        word(&self.report.gate)
    }

    #[getter]
    fn gate_reason(&self) -> &str {
        &self.report.gate_reason
    }

    #[getter]
    fn decision(&self) -> String {
        word(&self.report.decision)
    }

    #[getter]
    fn decision_reason(&self) -> &str {
        &self.report.decision_reason
    }

    /// The answer of the gate with another tolerance, and its reason.
    fn gate_with(
        &self,
        py: Python<'_>,
        tolerance: &Bound<'_, PyAny>,
    ) -> PyResult<(String, String)> {
        let tolerance = share(py, "tolerance", tolerance)?;
        let case = Arc::clone(&self.case);
        let report = done(py, move |_| case.report_with_tolerance(tolerance))?;
        let reason = match report.gate {
            Gate::Pass => String::new(),
            _ => report.gate_reason.clone(),
        };
        Ok((word(&report.gate), reason))
    }

    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| render::json(&*self.report))
    }

    fn to_csv(&self, py: Python<'_>) -> String {
        py.detach(|| render::csv(&self.report))
    }

    fn to_markdown(&self, py: Python<'_>) -> String {
        py.detach(|| render::markdown(&*self.report))
    }

    fn to_html(&self, py: Python<'_>) -> String {
        py.detach(|| render::html(&*self.report))
    }

    fn to_svg(&self, py: Python<'_>) -> String {
        py.detach(|| render::svg(&*self.report))
    }

    #[expect(clippy::fn_params_excessive_bools, reason = "keyword arguments of Python")]
    #[pyo3(signature = (width, color, verbose, quiet, plot))]
    fn to_text(
        &self,
        py: Python<'_>,
        width: u16,
        color: bool,
        verbose: bool,
        quiet: bool,
        plot: bool,
    ) -> String {
        let options = TextOptions { width, colour: color, verbose, quiet, plot };
        py.detach(|| {
            let document = match self.report.batch {
                Some(_) => batch(&self.report, verbose),
                None => Document::from(&*self.report),
            };
            render::text(document, options)
        })
    }

    /// A row per comparison and metric.
    fn frame(&self) -> Frame {
        let cells = |column| match column {
            ResultColumn::Text(values) => Cells::Text(values),
            ResultColumn::Number(values) => Cells::Number(values),
        };
        let columns = render::columns(&self.report).into_iter();
        Frame::new(columns.map(|(name, column)| (name, cells(column))).collect())
    }
}

/// A report in every form that people and programs read.
#[pyclass(frozen, get_all, module = "beyondnoise._native")]
pub(crate) struct Shown {
    json: String,
    markdown: String,
    html: String,
    text: String,
}

impl Shown {
    fn of<'a>(json: String, document: impl Into<Document<'a>>) -> Self {
        let document = document.into();
        let markdown = render::markdown(document.clone());
        let html = render::html(document.clone());
        let text = render::text(document, TextOptions::default());
        Self { json, markdown, html, text }
    }
}

/// How much repeated runs of one build differ.
#[pyfunction]
pub(crate) fn noise(py: Python<'_>, input: &Input, options: &Options) -> PyResult<Shown> {
    let (input, options) = (input.shared(), options.clone());
    done(py, move |stop| {
        let job = options.job(Settings::default())?;
        let loaded = input.source(stop, options.lenient()).load(&job.options_of_repeats())?;
        let report = beyondnoise::noise::noise(&loaded.dataset, &job.policy_of(&loaded))?;
        Ok(Shown::of(render::json(&report), &report))
    })
}

/// How many runs of each variant find a change.
#[pyfunction]
#[pyo3(signature = (input, options, *, effect, cv, runs, power, looks, cost, prior_df))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn plan(
    py: Python<'_>,
    input: &Input,
    options: &Options,
    effect: Vec<Bound<'_, PyAny>>,
    cv: Option<Bound<'_, PyAny>>,
    runs: Option<u32>,
    power: &Bound<'_, PyAny>,
    looks: u8,
    cost: Option<&str>,
    prior_df: &Bound<'_, PyAny>,
) -> PyResult<Shown> {
    let wrong = |name: &str, problem: String| {
        let remedy = format!("give another {name}");
        exception(py, &Error::usage(format!("{name}: {problem}"), remedy))
    };
    let percent = |value: &Bound<'_, PyAny>| -> PyResult<String> {
        // A fraction is what Python calculates with; text is a percentage.
        Ok(match value.extract::<f64>() {
            Ok(share) => format!("{}%", share * 100.0),
            Err(_) => value.str()?.to_string(),
        })
    };
    let effects = effect.iter().map(|value| {
        job::parse_effect(&percent(value)?).map_err(|problem| wrong("effect", problem))
    });
    let cv =
        cv.map(|value| job::parse_noise(&percent(&value)?).map_err(|problem| wrong("cv", problem)));
    let cost =
        cost.map(|text| text.parse().map_err(|problem: &str| wrong("cost", problem.to_owned())));
    if !(1..=10).contains(&looks) || !runs.is_none_or(|runs| (1..=100_000).contains(&runs)) {
        let problem = "expected 1 to 10 looks and 1 to 100000 runs, found other numbers".to_owned();
        return Err(wrong("looks or runs", problem));
    }
    let (effects, cv) = (effects.collect::<PyResult<_>>()?, cv.transpose()?);
    let request = Request {
        effects,
        runs: runs.map(|runs| runs as usize),
        power: job::parse_power(&power.str()?.to_string())
            .map_err(|problem| wrong("power", problem.to_owned()))?,
        looks: looks.into(),
        cost: cost.transpose()?,
        prior_df: job::parse_prior_df(&prior_df.str()?.to_string())
            .map_err(|problem| wrong("prior_df", problem.to_owned()))?,
        ..Request::default()
    };
    let (input, options) = (input.shared(), options.clone());
    done(py, move |stop| {
        let job = options.job(Settings::default())?;
        let report = job.plan(request, cv, &input.source(stop, options.lenient()))?;
        Ok(Shown::of(render::json(&report), &report))
    })
}

/// The changes over many nights, each with its dates and its interval.
#[pyfunction]
pub(crate) fn history(
    py: Python<'_>,
    input: &Input,
    options: &Options,
    since: Option<String>,
    cells: Vec<(String, String)>,
) -> PyResult<Shown> {
    let (input, options) = (input.shared(), options.clone());
    done(py, move |stop| {
        let job = options.job(Settings::default())?;
        let loaded = input.source(stop, options.lenient()).load(&job.options_of_repeats())?;
        let wanted = Wanted { since, cells };
        let report = verdict(&loaded.dataset, &wanted, &job.policy_of(&loaded))?;
        Ok(Shown::of(render::json(&report), &report))
    })
}

/// A share: a fraction, or a percentage as text.
fn share(py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let found = match value.extract::<f64>() {
        Ok(share) => (0.0..=1.0).contains(&share).then_some(share),
        Err(_) => parse_percentage(&value.str()?.to_string()).ok(),
    };
    found.ok_or_else(|| {
        let problem = format!(
            "{name}: expected a percentage such as \"2 %\", or a fraction from 0 to 1, found {value}"
        );
        exception(py, &Error::usage(problem, "write \"2 %\""))
    })
}

/// Runs that were read.
#[pyclass(frozen, module = "beyondnoise._native")]
pub(crate) struct Runs {
    dataset: Arc<Dataset>,
}

/// Reads runs without judging them.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, input: &Input, options: &Options) -> PyResult<Runs> {
    let (input, options) = (input.shared(), options.clone());
    let dataset = done(py, move |stop| {
        let job = options.job(Settings::default())?;
        Ok(input.source(stop, options.lenient()).load(&job.options())?.dataset)
    })?;
    Ok(Runs { dataset: Arc::new(dataset) })
}

#[pymethods]
impl Runs {
    #[getter]
    fn variants(&self) -> Vec<&str> {
        self.dataset.variant_names()
    }

    fn __len__(&self) -> usize {
        self.dataset.runs().count()
    }

    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| format!("{:#}\n", job::listing(&self.dataset)))
    }

    /// A row per run and metric.
    fn frame(&self, py: Python<'_>) -> Frame {
        Frame::new(py.detach(|| tidy_columns(&self.dataset)))
    }
}

/// The formats that can be read, as JSON.
#[pyfunction]
pub(crate) fn formats() -> String {
    format!("{:#}\n", job::listing_of_formats())
}

/// The SELECT that reduces logs of requests in an SQL engine, as the command line prints it.
#[pyfunction]
pub(crate) fn reduce_sql(
    py: Python<'_>,
    dialect: &str,
    logs: Vec<String>,
    sample: Option<&str>,
    columns: Vec<String>,
    options: &Options,
) -> PyResult<String> {
    let known = Dialect::ALL.into_iter().find(|(_, name)| *name == dialect);
    let written = || {
        let (dialect, _) = known.ok_or_else(|| {
            let names = Dialect::ALL.map(|(_, name)| name).join(", ");
            let problem = format!("expected a dialect of {names}, found {dialect}");
            Error::usage(problem, "name one of them")
        })?;
        let job = options.job(Settings::default())?;
        let stated = job::Stated { sample, columns: &columns };
        let (parts, columns) = job.logs(dialect, &logs, stated)?;
        script(dialect, &parts, &columns)
    };
    py.detach(written).map_err(|error| exception(py, &error))
}
