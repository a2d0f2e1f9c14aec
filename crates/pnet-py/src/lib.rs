//! Python binding of pnet-core: arrays in, arrays out, the GIL released while Rust works.

mod hops;
mod path_form;
mod paths;
mod planes;
mod problem;
mod proof;
mod solve;

use pyo3::prelude::*;

pyo3::create_exception!(
    _core,
    CoreError,
    pyo3::exceptions::PyException,
    "An array handed to the extension is inconsistent, or a solve cannot go on."
);

/// The one place where errors of the core become Python exceptions.
fn to_python(error: pnet_core::mcf::Error) -> PyErr {
    CoreError::new_err(error.to_string())
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("build_profile", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    module.add("CoreError", module.py().get_type::<CoreError>())?;
    module.add_class::<problem::FlowProblem>()?;
    module.add_class::<proof::Proof>()?;
    module.add_class::<proof::Evaluation>()?;
    module.add_class::<solve::Solution>()?;
    module.add_class::<path_form::PathProblem>()?;
    module.add_class::<path_form::PathSolution>()?;
    module.add_class::<planes::Planes>()?;
    module.add_function(wrap_pyfunction!(proof::round_flow, module)?)?;
    module.add_function(wrap_pyfunction!(proof::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(proof::demand_distances, module)?)?;
    module.add_function(wrap_pyfunction!(paths::enumerate_paths, module)?)?;
    module.add_function(wrap_pyfunction!(path_form::solve_path_form, module)?)?;
    module.add_function(wrap_pyfunction!(paths::count_shortest, module)?)?;
    module.add_function(wrap_pyfunction!(paths::split_loads, module)?)?;
    module.add_function(wrap_pyfunction!(hops::count_hops, module)?)?;
    module.add_function(wrap_pyfunction!(hops::hops_between, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve_structured, module)?)?;
    module.add_function(wrap_pyfunction!(solve::estimate_structured_bytes, module)?)
}
