//! Keyword arguments as settings, by the table of settings that flags and the policy file follow too.

use std::path::PathBuf;

use beyondnoise::error::Error;
use beyondnoise::job::{Job, Reading, SettingsFile};
use beyondnoise::policy::{SETTINGS, Selected, Setting, Settings};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use toml::{Table, Value};

use crate::errors::exception;

/// The settings of a call and how its runs are read.
#[pyclass(frozen, module = "beyondnoise._native")]
#[derive(Clone)]
pub(crate) struct Options {
    reading: Reading,
    /// The keyword arguments as the text of a policy file.
    given: String,
    config: Config,
}

/// The policy file under the keyword arguments.
#[derive(Clone)]
enum Config {
    Nearest,
    None,
    File(PathBuf),
    Text(String),
}

#[pymethods]
impl Options {
    /// `command` is the name on the command line; `settings` has values by name, each a setting of that command.
    #[new]
    #[pyo3(signature = (command, settings, metric, pool, across_setting, iterations, lenient, config))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        command: &str,
        settings: &Bound<'_, PyDict>,
        metric: Vec<String>,
        pool: Vec<String>,
        across_setting: Vec<String>,
        iterations: bool,
        lenient: bool,
        config: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let metrics = metric.iter().map(|text| text.parse::<Selected>());
        let metrics = metrics.collect::<Result<Vec<_>, String>>().map_err(|problem| {
            let remedy = "write metric={\"step_ms\": \"lower\"}";
            exception(py, &Error::usage(format!("metric: {problem}"), remedy))
        })?;
        let reading = Reading { metrics, pool, across_setting, iterations, lenient };
        let given = text_of(&table_of(command, settings)?)?;
        Ok(Self { reading, given, config: Config::of(config)? })
    }
}

impl Config {
    fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::Nearest);
        }
        if let Ok(false) = value.extract::<bool>() {
            return Ok(Self::None);
        }
        if value.is_instance_of::<PyDict>() {
            let Value::Table(table) = value_of(value)? else { return Ok(Self::None) };
            return Ok(Self::Text(text_of(&table)?));
        }
        Ok(Self::File(value.extract()?))
    }
}

impl Options {
    /// Whether files that cannot be read are skipped.
    pub(crate) fn lenient(&self) -> bool {
        self.reading.lenient
    }

    /// The call with these settings over the policy file, over `usual`.
    pub(crate) fn job(&self, usual: Settings) -> Result<Job, Error> {
        let file = match &self.config {
            Config::None => usual,
            Config::Text(text) => usual.with_file(text, "config").map_err(without_lines)?,
            Config::Nearest => SettingsFile::read_over(SettingsFile::nearest(), usual)?.resolved(),
            Config::File(path) => SettingsFile::read_over(Some(path.clone()), usual)?.resolved(),
        };
        Job::new(self.reading.clone(), file, |settings| {
            settings.with_file(&self.given, "").map_err(without_lines)
        })
    }
}

/// An error in a text that nobody wrote, without its lines.
fn without_lines(error: Error) -> Error {
    match error {
        Error::Input { problem, remedy, .. } => Error::usage(problem, remedy),
        other => other,
    }
}

/// The settings of a command that have a flag.
fn settings_of(command: &str) -> impl Iterator<Item = (&'static str, &'static Setting<Settings>)> {
    SETTINGS.iter().filter_map(move |setting| {
        let flag = setting.flag()?;
        let here = flag.commands.iter().any(|known| *known == command || *known == "inputs");
        here.then_some((flag.name, setting))
    })
}

/// The name of a setting as a keyword argument: its flag without `-column`, and without the `no-` of a negating flag.
fn keyword(flag: &str) -> String {
    flag.trim_start_matches("no-").trim_end_matches("-column").replace('-', "_")
}

fn table_of(command: &str, settings: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut table = Table::new();
    for (name, value) in settings {
        let name: String = name.extract()?;
        let same = |(flag, setting): &(&str, &Setting<Settings>)| {
            keyword(flag) == name || flag.replace('-', "_") == name || setting.key == name
        };
        let Some((_, setting)) = settings_of(command).find(same) else {
            let function = command.split(' ').next().unwrap_or(command);
            let message = format!("{function}() got an unexpected keyword argument '{name}'");
            return Err(PyTypeError::new_err(message));
        };
        if value.is_none() {
            continue;
        }
        let value = match value_of(&value)? {
            text @ Value::String(_) if setting.several().is_some() => Value::Array(vec![text]),
            other => other,
        };
        let section = setting.section;
        let target = if section.is_empty() {
            &mut table
        } else {
            let inner = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(inner) = inner else { continue };
            inner
        };
        target.insert(setting.key.to_owned(), value);
    }
    Ok(table)
}

/// A value of Python as the policy file has it.
fn value_of(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.is_truthy()?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Value::Integer(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(items) = value.cast::<PyDict>() {
        let mut table = Table::new();
        for (name, item) in items {
            if !item.is_none() {
                table.insert(name.extract()?, value_of(&item)?);
            }
        }
        return Ok(Value::Table(table));
    }
    if value.hasattr("__fspath__")? {
        return value_of(&value.call_method0("__fspath__")?);
    }
    value.try_iter()?.map(|item| value_of(&item?)).collect::<PyResult<Vec<_>>>().map(Value::Array)
}

fn text_of(table: &Table) -> PyResult<String> {
    toml::to_string(table).map_err(|error| PyTypeError::new_err(error.to_string()))
}

/// The settings of a command: name as a keyword argument, kind of value, words it can be, whether several, meaning.
#[pyfunction]
#[pyo3(signature = (command))]
pub(crate) fn settings(
    command: &str,
) -> Vec<(String, &'static str, Vec<&'static str>, bool, &'static str)> {
    let row = |(flag, setting): (&str, &'static Setting<Settings>)| {
        let words = setting.words().iter().map(|(word, _)| *word).collect();
        (keyword(flag), setting.value_name(), words, setting.several().is_some(), setting.help())
    };
    settings_of(command).map(row).collect()
}
