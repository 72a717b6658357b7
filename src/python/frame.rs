//! A table that goes to Python.

use beyondnoise::read::Cells;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::arrow::capsule;

/// Named columns of texts and numbers.
#[pyclass(frozen, module = "beyondnoise._native")]
pub(crate) struct Frame {
    columns: Vec<(String, Cells)>,
}

impl Frame {
    pub(crate) fn new(columns: Vec<(String, Cells)>) -> Self {
        Self { columns }
    }
}

fn cell<'py>(py: Python<'py>, cells: &Cells, row: usize) -> PyResult<Bound<'py, PyAny>> {
    match cells {
        Cells::Text(values) => Ok(values[row].as_deref().into_pyobject(py)?),
        Cells::Number(values) => Ok(values[row].into_pyobject(py)?),
    }
}

#[pymethods]
impl Frame {
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn __len__(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| match cells {
            Cells::Text(values) => values.len(),
            Cells::Number(values) => values.len(),
        })
    }

    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for row in 0..self.__len__() {
            let cells = PyDict::new(py);
            for (name, column) in &self.columns {
                cells.set_item(name, cell(py, column, row)?)?;
            }
            rows.append(cells)?;
        }
        Ok(rows)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that a producer may leave aside.
        drop(requested_schema);
        capsule(py, &self.columns)
    }
}
