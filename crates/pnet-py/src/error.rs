//! Conversion of the core's errors to Python exceptions.

use numpy::AsSliceError;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

pyo3::create_exception!(
    pnet_lp._core,
    CoreError,
    pyo3::exceptions::PyException,
    "An array handed to the extension is inconsistent, or a computation cannot continue."
);

pyo3::create_exception!(pnet_lp._core, LateError, CoreError, "The time limit of a call was over before it was done.");

pyo3::create_exception!(
    pnet_lp._core,
    InvalidError,
    CoreError,
    "An argument is inconsistent, or out of range: `place` is its name, `problem` what is wrong, `found` its value and
`allowed` what would have been accepted, either None where that says nothing."
);

pyo3::create_exception!(
    pnet_lp._core,
    ManyPathsError,
    CoreError,
    "Two hosts have more shortest paths than the limit: the arguments are the hosts and the limit."
);

/// An exception to raise.
pub(crate) struct Failure(PyErr);

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A `CoreError` with this message.
    pub(crate) fn new(message: String) -> Self {
        Failure(CoreError::new_err(message))
    }
}

impl From<pnet_core::Error> for Failure {
    fn from(error: pnet_core::Error) -> Self {
        match error {
            pnet_core::Error::Memory { .. } => Failure(PyMemoryError::new_err(error.to_string())),
            pnet_core::Error::Invalid { place, ref problem, ref found, ref allowed } => {
                let raised = InvalidError::new_err(error.to_string());
                let fields = [Some(place), Some(problem), found.as_deref(), allowed.as_deref()];
                let set = Python::attach(|py| {
                    ["place", "problem", "found", "allowed"]
                        .into_iter()
                        .zip(fields)
                        .try_for_each(|(name, field)| raised.value(py).setattr(name, field))
                });
                Failure(set.err().unwrap_or(raised))
            }
            pnet_core::Error::ManyPaths { src, dst, most } => Failure(ManyPathsError::new_err((src, dst, most))),
            _ => Failure::new(error.to_string()),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure(error)
    }
}

/// The array is not contiguous.
impl From<AsSliceError> for Failure {
    fn from(error: AsSliceError) -> Self {
        Failure(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}
