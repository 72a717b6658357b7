//! Inputs to be judged: paths, frames and columns of Python.

use beyondnoise::error::Error;
use beyondnoise::history;
use beyondnoise::job::Source;
use beyondnoise::read::{Frame, Loaded, Options, load_frames, load_with};
use beyondnoise::runs::Dataset;
use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyFloat, PyInt, PyList, PyString};

use crate::arrow::{columns_of, taken};
use crate::errors::exception;
use crate::work::Stop;

/// All that a call reads: paths, or tables in memory.
#[pyclass(frozen, module = "beyondnoise._native")]
pub(crate) struct Input {
    names: Vec<String>,
    frames: Option<Vec<Frame>>,
}

#[pymethods]
impl Input {
    /// Paths as on the command line.
    #[staticmethod]
    fn paths(paths: Vec<String>) -> Self {
        Self { names: paths, frames: None }
    }

    /// Tables: each a variant or none, a name for messages, and an object with `__arrow_c_stream__` or named columns.
    #[staticmethod]
    fn tables(
        py: Python<'_>,
        tables: Vec<(Option<String>, String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let frames = tables.into_iter().map(|(variant, name, data)| {
            let (table, nested) = match data.cast::<PyList>() {
                Ok(columns) => (of_columns(py, &name, columns)?, Vec::new()),
                Err(_) => of_stream(py, &name, &data)?,
            };
            Ok(Frame { variant, name, table, nested })
        });
        let frames = frames.collect::<PyResult<Vec<Frame>>>()?;
        let names = frames.iter().map(|frame| frame.name.clone()).collect();
        Ok(Self { names, frames: Some(frames) })
    }
}

impl Input {
    /// The source of a call that may be stopped.
    pub(crate) fn source(&self, stop: &Stop, lenient: bool) -> impl Source + use<> {
        let (names, frames) = (self.names.clone(), self.frames.clone());
        Data { names, frames, stop: stop.clone(), lenient }
    }

    /// A copy for another thread; frames share their values.
    pub(crate) fn shared(&self) -> Self {
        Self { names: self.names.clone(), frames: self.frames.clone() }
    }
}

struct Data {
    names: Vec<String>,
    frames: Option<Vec<Frame>>,
    stop: Stop,
    lenient: bool,
}

impl Source for Data {
    fn inputs(&self) -> &[String] {
        &self.names
    }

    fn load(&self, options: &Options) -> Result<Loaded, Error> {
        let loaded = match &self.frames {
            Some(frames) => load_frames(frames, options),
            None => load_with(&self.names, options, &|_| self.stop.end_if_asked()),
        };
        self.stop.end_if_asked();
        loaded
    }

    fn history(&self, folder: &str, loaded: &Loaded) -> Result<Dataset, Error> {
        let history = history::load(folder, &loaded.dataset, self.lenient);
        self.stop.end_if_asked();
        history
    }
}

fn of_stream(
    py: Python<'_>,
    name: &str,
    data: &Bound<'_, PyAny>,
) -> PyResult<(DataFrame, Vec<String>)> {
    let unfit = |found: String| {
        let problem = format!("expected a table that can be read, found: {found}");
        exception(py, &Error::file(name, problem, "write its columns as numbers and text"))
    };
    let capsule = data.call_method0("__arrow_c_stream__").map_err(|error| {
        // The message of its own library; Ctrl-C is none of its errors.
        if error.is_instance_of::<PyException>(py) {
            unfit(error.value(py).to_string())
        } else {
            error
        }
    })?;
    let stream = taken(capsule.cast::<PyCapsule>()?)?;
    // A stream may run a query, whose threads need the lock.
    py.detach(|| columns_of(stream)).map_err(|error| unfit(error.to_string()))
}

/// Columns as a list of names with their values.
fn of_columns(py: Python<'_>, name: &str, columns: &Bound<'_, PyList>) -> PyResult<DataFrame> {
    let mut found: Vec<Column> = Vec::new();
    for column in columns {
        let (name, values): (String, Bound<'_, PyAny>) = column.extract()?;
        found.push(series(&name, &values)?.into());
    }
    DataFrame::new_infer_height(found).map_err(|error| {
        let problem = format!("expected columns of the same length, found: {error}");
        exception(py, &Error::file(name, problem, "give every column a value for each row"))
    })
}

/// A value of a column.
enum Value {
    Whole(i64),
    Number(f64),
    Text(String),
}

/// The column that the values make: numbers if all are, or else texts.
fn series(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Series> {
    let mut found = Vec::new();
    for value in values.try_iter()? {
        found.push(read(&value?)?);
    }
    let name = name.into();
    let all = |fits: fn(&Value) -> bool| found.iter().flatten().all(fits);
    if all(|value| matches!(value, Value::Whole(_))) && found.iter().any(Option::is_some) {
        let whole = |value: Option<Value>| match value {
            Some(Value::Whole(number)) => Some(number),
            _ => None,
        };
        return Ok(Series::new(name, found.into_iter().map(whole).collect::<Vec<Option<i64>>>()));
    }
    if all(|value| !matches!(value, Value::Text(_))) && found.iter().any(Option::is_some) {
        let number = |value: Option<Value>| match value {
            Some(Value::Whole(number)) => Some(number as f64),
            Some(Value::Number(number)) => Some(number),
            _ => None,
        };
        return Ok(Series::new(name, found.into_iter().map(number).collect::<Vec<Option<f64>>>()));
    }
    let text = |value: Option<Value>| {
        Some(match value? {
            Value::Whole(number) => number.to_string(),
            Value::Number(number) => format!("{number:?}"),
            Value::Text(text) => text,
        })
    };
    Ok(Series::new(name, found.into_iter().map(text).collect::<Vec<Option<String>>>()))
}

/// A value; `None` where there is none.
fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(Value::Text(text.to_string())));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Some(Value::Text(value.is_truthy()?.to_string())));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Some(value.extract().map_or_else(
            |_| Value::Number(value.extract().unwrap_or(f64::INFINITY)),
            Value::Whole,
        )));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(Value::Number(value.extract()?)));
    }
    for method in ["__index__", "__float__"] {
        if value.hasattr(method)? {
            let number = value.call_method0(method)?;
            return read(&number);
        }
    }
    if value.hasattr("__len__")? {
        let message = format!("expected a number or text in a cell, found {}", value.get_type());
        return Err(PyTypeError::new_err(message));
    }
    // Types of missing values in pandas.
    if ["NaTType", "NAType"]
        .iter()
        .any(|name| value.get_type().name().is_ok_and(|own| own == *name))
    {
        return Ok(None);
    }
    Ok(Some(Value::Text(value.str()?.to_string())))
}
