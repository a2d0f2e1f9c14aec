//! Python binding of pnet-core: arrays in, arrays out, the GIL released while Rust works.

mod bundles;
mod columns;
mod components;
mod error;
mod hops;
mod kinds;
mod monitor;
mod path_form;
mod paths;
mod placement;
mod planes;
mod problem;
mod proof;
mod signals;
mod sim;
mod structured;
mod symmetry;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("build_profile", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    module.add("InvalidError", module.py().get_type::<error::InvalidError>())?;
    module.add("ManyPathsError", module.py().get_type::<error::ManyPathsError>())?;
    module.add("CoreError", module.py().get_type::<error::CoreError>())?;
    module.add("LateError", module.py().get_type::<error::LateError>())?;
    module.add_class::<problem::FlowProblem>()?;
    module.add_class::<proof::Proof>()?;
    module.add_class::<proof::Evaluation>()?;
    module.add_class::<structured::Solution>()?;
    module.add_class::<path_form::PathProblem>()?;
    module.add_class::<path_form::PathSolution>()?;
    module.add_class::<bundles::Bundles>()?;
    module.add_class::<bundles::Cheapest>()?;
    module.add_class::<columns::CheapestFlow>()?;
    module.add_class::<path_form::CheapestSplit>()?;
    module.add_class::<columns::FairFlow>()?;
    module.add_class::<columns::FairLevel>()?;
    module.add_class::<columns::FairSplit>()?;
    module.add_class::<columns::FairSplitVertices>()?;
    module.add_class::<columns::FairVertices>()?;
    module.add_class::<columns::FairTrees>()?;
    module.add_class::<columns::PathsInUse>()?;
    module.add_class::<symmetry::Demands>()?;
    module.add_class::<symmetry::Symmetry>()?;
    module.add_class::<symmetry::Reduced>()?;
    module.add_class::<planes::Planes>()?;
    module.add_class::<kinds::PathKind>()?;
    module.add_class::<kinds::Policy>()?;
    module.add_class::<kinds::Split>()?;
    module.add_function(wrap_pyfunction!(proof::round_flow, module)?)?;
    module.add_function(wrap_pyfunction!(proof::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(proof::decompose, module)?)?;
    module.add_function(wrap_pyfunction!(proof::demand_distances, module)?)?;
    module.add_function(wrap_pyfunction!(paths::enumerate_paths, module)?)?;
    module.add_function(wrap_pyfunction!(placement::place_flows, module)?)?;
    module.add_function(wrap_pyfunction!(path_form::solve_path_form, module)?)?;
    module.add_function(wrap_pyfunction!(bundles::solve_cheapest, module)?)?;
    module.add_function(wrap_pyfunction!(bundles::estimate_cheapest_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(paths::count_shortest, module)?)?;
    module.add_function(wrap_pyfunction!(paths::split_loads, module)?)?;
    module.add_function(wrap_pyfunction!(paths::split_usage, module)?)?;
    module.add_function(wrap_pyfunction!(components::strong_components, module)?)?;
    module.add_function(wrap_pyfunction!(hops::count_hops, module)?)?;
    module.add_function(wrap_pyfunction!(hops::hops_between, module)?)?;
    module.add_function(wrap_pyfunction!(signals::end_at_second_interrupt, module)?)?;
    module.add_function(wrap_pyfunction!(structured::solve_structured, module)?)?;
    module.add_function(wrap_pyfunction!(structured::estimate_structured_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(columns::solve_columns, module)?)?;
    module.add_function(wrap_pyfunction!(columns::estimate_columns_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(columns::solve_cheapest_flow, module)?)?;
    module.add_function(wrap_pyfunction!(columns::estimate_cheapest_flow_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(path_form::solve_cheapest_split, module)?)?;
    module.add_function(wrap_pyfunction!(path_form::solve_split, module)?)?;
    module.add_function(wrap_pyfunction!(path_form::estimate_split_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(path_form::estimate_cheapest_split_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(columns::estimate_fair_flow_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(columns::estimate_fair_trees_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(columns::estimate_fair_split_bytes, module)?)?;
    sim::add(module)
}
