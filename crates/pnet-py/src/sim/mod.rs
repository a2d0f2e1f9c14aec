//! The packet simulator: kinds with their parameters as objects, flows as arrays in, records as arrays out.

mod flows;
mod fluid;
mod kinds;
mod outcome;
mod run;

use pyo3::prelude::*;

/// Adds all of it to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<flows::Flows>()?;
    module.add_class::<kinds::Queue>()?;
    module.add_class::<kinds::Transport>()?;
    module.add_class::<kinds::Forwarding>()?;
    module.add_class::<outcome::End>()?;
    module.add_class::<outcome::Outcome>()?;
    module.add_class::<fluid::Sharing>()?;
    module.add_class::<fluid::Correction>()?;
    module.add_class::<fluid::FluidOutcome>()?;
    module.add_function(wrap_pyfunction!(fluid::simulate_fluid, module)?)?;
    module.add_function(wrap_pyfunction!(run::simulate_packets, module)?)
}
