//! Prices of links, kept as the logarithms of the weights that they give to paths.

/// The prices of a plane's arcs, or of the access links of one direction.
pub(super) struct Prices {
    capacity: Vec<f64>,
    /// Weight of each link at price 0.
    even: Vec<f64>,
    /// The lowest logarithm: below it a path counts as none.
    least: f64,
    /// Minus the price, after the last step and after the one before.
    log: Vec<f64>,
    last: Vec<f64>,
    /// Minus the price where the load is evaluated: the last step, extrapolated by the momentum.
    ahead: Vec<f64>,
    weight: Vec<f64>,
}

/// What one step found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stepped {
    /// The maximum link utilisation.
    pub utilisation: f64,
    /// The derivative of the objective along the move from the step before.
    pub slope: f64,
}

impl Stepped {
    pub(super) fn and(self, other: Stepped) -> Stepped {
        Stepped { utilisation: self.utilisation.max(other.utilisation), slope: self.slope + other.slope }
    }
}

impl Prices {
    /// Prices of 0 for links of these capacities, which may be 0 or infinite.
    pub(super) fn new(capacity: &[f64], even: Vec<f64>, least: f64) -> Self {
        let none = vec![0.0; capacity.len()];
        let weight = even.clone();
        Prices { capacity: capacity.to_vec(), even, least, log: none.clone(), last: none.clone(), ahead: none, weight }
    }

    /// Weight of each link.
    pub(super) fn weight(&self) -> &[f64] {
        &self.weight
    }

    /// Extrapolates the last step by this part of it; returns the sum of capacity times price.
    pub(super) fn extrapolate(&mut self, momentum: f64) -> f64 {
        let mut value = 0.0;
        for i in 0..self.log.len() {
            let ahead = (self.log[i] + momentum * (self.log[i] - self.last[i])).clamp(self.least, 0.0);
            self.ahead[i] = ahead;
            self.weight[i] = self.even[i];
            // Links that are never full have price 0, and may have infinite capacity.
            if ahead < 0.0 {
                self.weight[i] *= ahead.exp();
                value -= self.capacity[i] * ahead;
            }
        }
        value
    }

    /// Steps from there, by `size` times the logarithm of each link's utilisation.
    pub(super) fn step(&mut self, load: &[f64], size: f64) -> Stepped {
        let mut stepped = Stepped::default();
        for (i, load) in load.iter().enumerate() {
            let mut log = 0.0;
            if *load > 0.0 {
                let full = load / self.capacity[i];
                stepped.utilisation = stepped.utilisation.max(full);
                log = (self.ahead[i] - size * full.ln()).clamp(self.least, 0.0);
            }
            if log != self.log[i] {
                stepped.slope += (load - self.capacity[i]) * (log - self.log[i]);
            }
            self.last[i] = std::mem::replace(&mut self.log[i], log);
        }
        stepped
    }
}
