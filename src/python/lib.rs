//! The module `beyondnoise._native` of Python: the library with Python's values going in and coming out.
//!
//! The package beside it (`beyondnoise/`) is what people import. It sorts arguments and shows results; reading, judging
//! and rendering happen here, without the lock of the interpreter, and end when the user presses Ctrl-C.
#![cfg(feature = "tables")]

mod arrow;
mod errors;
mod frame;
mod inputs;
mod options;
mod results;
mod work;

use pyo3::prelude::*;

/// The module.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::frame::Frame;
    #[pymodule_export]
    use crate::inputs::Input;
    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::options::settings;
    #[pymodule_export]
    use crate::results::{
        Judged, Runs, Shown, formats, history, judge, noise, plan, read, reduce_sql,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
