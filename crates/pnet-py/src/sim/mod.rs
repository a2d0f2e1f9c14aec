//! The simulators: kinds by name and parameters, flows as arrays in, records as arrays out.

mod flows;
mod kinds;
mod outcome;
mod run;

use pyo3::prelude::*;

/// Adds all of it to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<kinds::Queue>()?;
    module.add_class::<kinds::Transport>()?;
    module.add_class::<kinds::Forwarding>()?;
    module.add_class::<outcome::Outcome>()?;
    module.add_function(wrap_pyfunction!(run::simulate_fluid, module)?)?;
    module.add_function(wrap_pyfunction!(run::simulate_packets, module)?)
}
