//! Scaling: capacities about 1 and K about 1, whatever the units of the input.

use crate::mcf::problem::Problem;

/// Factors between the problem's units and the solver's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// Capacities and flows are divided by this.
    pub capacity: f64,
    /// Demands are multiplied by this, so that the known upper bound on K is 1.
    pub demand: f64,
}

impl Scale {
    /// Scales `problem`, on which K is at most `upper`.
    pub(super) fn new(problem: &Problem, upper: f64) -> Self {
        let core: Vec<f64> = problem.planes.iter().flat_map(|plane| plane.capacity.iter().copied()).collect();
        let mean = core.iter().sum::<f64>() / core.len() as f64;
        let capacity = if mean.is_finite() && mean > 0.0 { mean } else { 1.0 };
        Scale { capacity, demand: upper / capacity }
    }
}
