//! The page: files and settings of a browser in, the report of the command line out.
//!
//! [`Page`] holds the files, each under the path that it would have on a disk; [`Page::judge`] is `beyondnoise compare`
//! on some of these paths. All that crosses to the page is text.

mod unpack;

use beyondnoise::error::{Error, chain};
use beyondnoise::history::{HistoryReport, Wanted, verdict};
use beyondnoise::job::{Job, Reading, Source};
use beyondnoise::policy::{SETTINGS, Selected, Settings};
use beyondnoise::read::{File, Loaded, Options, load_from};
use beyondnoise::render::{TextOptions, csv, history_csv, html, json, markdown, svg, text};
use beyondnoise::report::Report;
use beyondnoise::report::document::Document;
use beyondnoise::runs::Dataset;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::wasm_bindgen;

/// Settings typed beside the inputs, by the names of the flags.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Call {
    /// Files, folders, or `NAME=` before one.
    inputs: Vec<String>,
    /// Flags of the table of settings with their values.
    flags: Vec<(String, Vec<String>)>,
    /// Metrics, with `:lower` or `:higher` where the direction is not known.
    metric: Vec<String>,
    /// The largest change that does not matter.
    effect: Option<String>,
    pool: Vec<String>,
    across_setting: Vec<String>,
    paired: bool,
    lenient: bool,
    /// Whether the inputs are nights of one benchmark: what changed, since when.
    nights: bool,
}

/// The judgement.
#[derive(Debug)]
enum Judged {
    Comparison(Box<Report>),
    Nights(Box<HistoryReport>),
}

/// Result of a call.
#[derive(Debug, Default, Serialize)]
struct Answer {
    error: Option<Failure>,
    /// The labels to choose the baseline from, if none names it.
    choose: Vec<String>,
    /// All labels, in the order of the inputs.
    labels: Vec<String>,
    headline: Option<String>,
}

/// An error, in the parts that a message has.
#[derive(Debug, Serialize)]
struct Failure {
    path: String,
    place: String,
    problem: String,
    remedy: String,
    /// As the command line prints it.
    message: String,
}

/// A file of the page.
#[derive(Debug)]
struct OwnFile {
    path: String,
    bytes: Vec<u8>,
    /// The variant of all its runs, if its box was given a label.
    variant: Option<String>,
}

/// The files of the page and its last report.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Page {
    files: Vec<OwnFile>,
    report: Option<Judged>,
}

#[wasm_bindgen]
impl Page {
    /// No files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a file under its path, with the variant of its runs if that is known. The files of a zip are in a folder with its
    /// name.
    ///
    /// Returns the path to judge, or a message after a line break where a zip cannot be unpacked.
    pub fn add(&mut self, path: String, bytes: Vec<u8>, variant: Option<String>) -> String {
        if !unpack::is_zip(&bytes) {
            self.files.push(OwnFile { path: path.clone(), bytes, variant });
            return path;
        }
        match unpack::unpack(&path, &bytes) {
            Ok((folder, files)) => {
                let held = |(path, bytes)| OwnFile { path, bytes, variant: None };
                self.files.extend(files.into_iter().map(held));
                folder
            }
            Err(error) => format!("\n{}", chain(&error)),
        }
    }

    /// Forgets all files.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// `beyondnoise compare` on these inputs. `call` is a JSON object: `inputs`, `flags` as pairs of a name and a list,
    /// `metric`, `effect`, `pool`, `across_setting`, `paired`, `lenient`; with `nights` it is `beyondnoise history verdict`.
    ///
    /// Returns a JSON object: `error` (null, or path, place, problem, remedy, message), `choose` (labels, where a
    /// baseline must be named), `labels`, `headline`.
    pub fn judge(&mut self, call: &str) -> String {
        self.report = None;
        let mut answer = Answer::default();
        match self.judged(call, &mut answer) {
            Ok(judged) => {
                if let Judged::Comparison(report) = &judged {
                    let first = report.comparisons.first();
                    answer.headline =
                        first.and_then(|one| serde_json::to_string(&one.headline).ok());
                }
                self.report = Some(judged);
            }
            Err(error) => answer.error = Some(Failure::of(&error)),
        }
        serde_json::to_string(&answer).unwrap_or_default()
    }

    /// The last report as html, markdown, text, json, csv or svg; empty without one.
    pub fn show(&self, format: &str) -> String {
        match &self.report {
            None => String::new(),
            Some(Judged::Comparison(report)) if format == "csv" => csv(report),
            Some(Judged::Comparison(report)) if format == "json" => json(report),
            Some(Judged::Comparison(report)) => shown((&**report).into(), format),
            Some(Judged::Nights(report)) if format == "csv" => history_csv(report),
            Some(Judged::Nights(report)) if format == "json" => json(report),
            Some(Judged::Nights(report)) => shown((&**report).into(), format),
        }
    }
}

fn shown(document: Document, format: &str) -> String {
    match format {
        "html" => html(document),
        "markdown" => markdown(document),
        "svg" => svg(document),
        _ => text(document, TextOptions { width: 100, ..TextOptions::default() }),
    }
}

impl Page {
    fn judged(&self, call: &str, answer: &mut Answer) -> Result<Judged, Error> {
        let call: Call = serde_json::from_str(call).map_err(|error| {
            Error::usage(format!("expected a call, found {error}"), "load the page again")
        })?;
        let files: Vec<File> = self
            .files
            .iter()
            .map(|file| File {
                variant: file.variant.as_deref(),
                name: &file.path,
                bytes: &file.bytes,
            })
            .collect();
        let job = Job::new(call.reading()?, Settings::default(), |usual| call.over(usual))?;
        let held = Held { files, inputs: &call.inputs };
        if call.nights {
            let loaded = held.load(&job.options_of_repeats())?;
            let report = verdict(&loaded.dataset, &Wanted::default(), &job.policy_of(&loaded))?;
            return Ok(Judged::Nights(Box::new(report)));
        }
        let case = job.compare(call.paired, None, &held)?;
        let names = case.dataset().variant_names();
        answer.labels = names.iter().map(|name| (*name).to_owned()).collect();
        let report = case.report();
        if report.is_err() && case.lacks_baseline() {
            answer.choose.clone_from(&answer.labels);
        }
        report.map(|report| Judged::Comparison(Box::new(report)))
    }
}

/// The files of a call, and the paths to judge.
struct Held<'a> {
    files: Vec<File<'a>>,
    inputs: &'a [String],
}

impl Source for Held<'_> {
    fn inputs(&self) -> &[String] {
        self.inputs
    }

    fn load(&self, options: &Options) -> Result<Loaded, Error> {
        load_from(&self.files, self.inputs, options)
    }

    fn history(&self, _: &str, _: &Loaded) -> Result<Dataset, Error> {
        let remedy = "leave it out, or judge on the command line";
        Err(Error::usage("expected no folder of earlier runs on the page, found one", remedy))
    }
}

impl Call {
    /// The flags over other settings.
    fn over(&self, mut settings: Settings) -> Result<Settings, Error> {
        for (name, values) in &self.flags {
            set(&mut settings, ["compare", "inputs"], name, values)?;
        }
        if let Some(effect) = &self.effect {
            set(&mut settings, ["run", "run"], "effect", std::slice::from_ref(effect))?;
            settings.policy.effect = settings.run.effect.take();
        }
        Ok(settings)
    }

    fn reading(&self) -> Result<Reading, Error> {
        let metrics: Result<Vec<Selected>, String> =
            self.metric.iter().map(|metric| metric.parse()).collect();
        let remedy = "write a metric as in the report, such as mean_ttft_ms or score:higher";
        Ok(Reading {
            metrics: metrics.map_err(|why| Error::usage(format!("metric: {why}"), remedy))?,
            pool: self.pool.clone(),
            across_setting: self.across_setting.clone(),
            lenient: self.lenient,
            ..Reading::default()
        })
    }
}

/// Stores the values of a flag that one of the `commands` has.
fn set(
    settings: &mut Settings,
    commands: [&str; 2],
    name: &str,
    values: &[String],
) -> Result<(), Error> {
    let has = |flag: beyondnoise::policy::Flag| {
        flag.name == name && commands.iter().any(|command| flag.commands.contains(command))
    };
    let known = SETTINGS.iter().find(|setting| setting.flag().is_some_and(has));
    let Some(setting) = known else {
        let problem = format!("expected a setting of the command line, found {name}");
        return Err(Error::usage(problem, "load the page again"));
    };
    setting.set(settings, values).map_err(|why| {
        let problem = format!("{name}: {why}, found {}", values.join(", "));
        Error::usage(problem, "write it as on the command line")
    })
}

impl Failure {
    fn of(error: &Error) -> Self {
        let message = chain(error);
        let [path, place, problem, remedy] = match error {
            Error::Input { path, place, problem, remedy }
            | Error::NoResult { path, place, problem, remedy } => {
                [path, place, problem, remedy].map(Clone::clone)
            }
            Error::Usage { problem, remedy } => {
                [String::new(), String::new(), problem.clone(), remedy.clone()]
            }
            Error::Io { path, source, .. } => {
                [path.clone(), String::new(), source.to_string(), String::new()]
            }
        };
        Self { path, place, problem, remedy, message }
    }
}
