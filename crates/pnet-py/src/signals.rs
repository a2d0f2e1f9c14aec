//! Ctrl-C while Python does not run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::error::Result;

/// Ends the process with exit code 130 at the second SIGINT from now on, at once and wherever it is.
///
/// Python's own handlers wait until its main thread runs Python again.  The installed one is still called.
#[pyfunction]
pub(crate) fn end_at_second_interrupt() -> Result<()> {
    let once = Arc::new(AtomicBool::new(false));
    // In this order, or the first SIGINT would end the process.
    flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&once)).map_err(PyErr::from)?;
    flag::register(SIGINT, once).map_err(PyErr::from)?;
    Ok(())
}
