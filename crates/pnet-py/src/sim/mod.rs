//! The packet simulator: kinds with their parameters as objects, flows as arrays in, records as arrays out.

mod flows;
mod fluid;
mod forwardings;
mod outcome;
mod queues;
mod run;
mod transports;

use pyo3::prelude::*;

/// Adds all of it to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<flows::Flows>()?;
    module.add_class::<queues::Queue>()?;
    module.add_class::<transports::Coupling>()?;
    module.add_class::<transports::TcpBase>()?;
    module.add_class::<transports::Transport>()?;
    module.add_class::<forwardings::Order>()?;
    module.add_class::<forwardings::Over>()?;
    module.add_class::<forwardings::Forwarding>()?;
    module.add_class::<outcome::End>()?;
    module.add_class::<outcome::Outcome>()?;
    module.add_class::<fluid::Sharing>()?;
    module.add_class::<fluid::Correction>()?;
    module.add_class::<fluid::FluidOutcome>()?;
    module.add_function(wrap_pyfunction!(fluid::simulate_fluid, module)?)?;
    module.add_function(wrap_pyfunction!(run::simulate_packets, module)?)
}
