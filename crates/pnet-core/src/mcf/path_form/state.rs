//! The iterate of the game between splits and prices.

use rayon::prelude::*;

use super::problem::PathProblem;
use crate::csr::Csr;
use crate::mcf::pdhg::simplex::weighted_threshold;
use crate::mcf::pdhg::split::{CHUNK, NEW, Prices, Side, Splits, reciprocal};
use crate::mcf::pdhg::{Halpern, Iteration, Step};

/// A problem and the iterate on it.
pub(in crate::mcf) struct State<'a> {
    pub(in crate::mcf) problem: &'a PathProblem,
    /// Units of K: loads are `scale` times those at K = 1.
    scale: f64,
    /// Paths over each link, the transpose of [`PathProblem::link`].
    over: Csr<u32>,
    splits: Splits<'a>,
    prices: Prices,
    /// 1 / step of each price, 0 where a link's price stays 0.
    inverse_step: Vec<f64>,
    threshold: f64,
    stationary: bool,
    pub(in crate::mcf) halpern: Halpern,
}

/// The iterate without the problem, whose paths may change.
pub(in crate::mcf) struct Iterate {
    split: Side,
    price: Side,
    /// Threshold of the last projection of prices, the first guess of the next.
    threshold: f64,
    /// Whether one side did not move up to the last restart.
    stationary: bool,
    pub(in crate::mcf) halpern: Halpern,
}

impl Iterate {
    /// Whether path `n` carries traffic.
    pub(in crate::mcf) fn used(&self, n: usize) -> bool {
        self.split.at[n] > 0.0 || self.split.anchor[n] > 0.0
    }

    /// Continues on these paths of the problem, and [`NEW`] ones without traffic.
    pub(in crate::mcf) fn choose(&mut self, from: &[u32]) {
        if self.stationary && from.contains(&NEW) {
            // A weight from restarts in which one side had no choice is not meaningful on the larger problem.
            self.halpern.omega = 1.0;
        }
        self.split.choose(from);
    }
}

impl<'a> State<'a> {
    /// A first iterate for `problem`, on which K is about `scale`, from these weights and lengths.
    pub(in crate::mcf) fn new(problem: &'a PathProblem, scale: f64, weight: Vec<f64>, length: &[f64]) -> Self {
        let iterate = Iterate {
            split: Side::new(weight),
            price: Side::new(vec![0.0; problem.capacity.len()]),
            threshold: f64::NEG_INFINITY,
            stationary: false,
            halpern: Halpern::new(1.0),
        };
        let mut state = State::resume(problem, scale, iterate, usize::MAX);
        let Prices { step, inverse, .. } = state.prices;
        let mut price: Vec<f64> = (problem.capacity.iter().zip(length).zip(&step))
            .map(|((c, l), step)| if *step > 0.0 { c * l } else { 0.0 })
            .collect();
        let total: f64 = price.iter().sum();
        price.iter_mut().for_each(|m| *m /= total);
        state.prices = Prices::new(Side::new(price), step, inverse);
        state
    }

    /// Continues from an iterate on the paths of `problem`, with about `grain` paths for a task.
    pub(in crate::mcf) fn resume(problem: &'a PathProblem, scale: f64, iterate: Iterate, grain: usize) -> Self {
        let inverse: Vec<f64> = problem.capacity.iter().map(|c| 1.0 / c).collect();
        let paths = (0..problem.paths()).flat_map(|n| problem.path(n).iter().map(move |l| (*l, n as u32)));
        let over = Csr::new(problem.capacity.len(), paths);
        let split_step = (0..problem.demand.len()).map(|j| {
            let paths = problem.pair_ptr[j]..problem.pair_ptr[j + 1];
            let widest = paths.map(|n| problem.path(n).iter().map(|l| inverse[*l as usize]).sum());
            reciprocal(scale * problem.demand[j] * widest.fold(0.0, f64::max))
        });
        let mut all = vec![0.0; problem.capacity.len()];
        for (j, demand) in problem.demand.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                problem.path(n).iter().for_each(|l| all[*l as usize] += demand);
            }
        }
        let price_step: Vec<f64> =
            all.iter().zip(&inverse).map(|(all, inverse)| reciprocal(scale * all * inverse)).collect();
        let Iterate { split, price, threshold, stationary, halpern } = iterate;
        let each = problem.paths().div_ceil(problem.demand.len().max(1)).max(1);
        let demands = (grain / each).clamp(1, CHUNK);
        State {
            problem,
            scale,
            over,
            splits: Splits::new(split, split_step.collect(), &problem.pair_ptr, demands),
            inverse_step: price_step.iter().map(|step| reciprocal(*step)).collect(),
            prices: Prices::new(price, price_step, inverse),
            threshold,
            stationary,
            halpern,
        }
    }

    /// The iterate alone.
    pub(in crate::mcf) fn release(self) -> Iterate {
        let State { splits, prices, threshold, stationary, halpern, .. } = self;
        Iterate { split: splits.side, price: prices.side, threshold, stationary, halpern }
    }

    /// The split after the last step.
    pub(in crate::mcf) fn weight(&self) -> &[f64] {
        &self.splits.side.stepped
    }

    /// The lengths after the last step.
    pub(in crate::mcf) fn length(&self) -> Vec<f64> {
        self.prices.stepped_lengths()
    }

    /// Moves every price with the load of its link; returns the squared, weighted distance.
    fn move_prices(&mut self, by: Step) -> f64 {
        let Prices { side, step, inverse, length } = &mut self.prices;
        let (step, inverse) = (&step[..], &inverse[..]);
        let (over, reflected, at) = (&self.over, &self.splits.reflected[..], &side.at[..]);
        side.stepped.par_chunks_mut(CHUNK).enumerate().for_each(move |(chunk, target)| {
            for (i, m) in target.iter_mut().enumerate() {
                let l = chunk * CHUNK + i;
                let load: f64 = over.of(l).iter().map(|n| reflected[*n as usize]).sum();
                *m = at[l] + by.sigma * step[l] * load * inverse[l];
            }
        });
        let threshold = weighted_threshold(&side.stepped, step, self.threshold);
        self.threshold = threshold;
        let links = (side.at.iter_mut().zip(&mut side.stepped).zip(&side.anchor))
            .zip(step.iter().zip(&self.inverse_step))
            .zip(length.iter_mut().zip(inverse));
        let mut moved = 0.0;
        for ((((at, stepped), anchor), (step, inverse_step)), (length, inverse)) in links {
            let old = *at;
            let new = (*stepped - threshold * step).max(0.0);
            moved += (new - old) * (new - old) * inverse_step;
            *stepped = new;
            *at = by.weight * (2.0 * new - old) + (1.0 - by.weight) * anchor;
            *length = *at * inverse;
        }
        moved
    }
}

impl Iteration for State<'_> {
    fn halpern(&mut self) -> &mut Halpern {
        &mut self.halpern
    }

    fn step(&mut self, by: Step) -> (f64, f64) {
        let (problem, scale, length) = (self.problem, self.scale, &self.prices.length[..]);
        let size = move |j: usize| scale * problem.demand[j];
        let cost = move |n: usize| problem.path(n).iter().map(|l| length[*l as usize]).sum();
        let primal = self.splits.step(by, 1.0, size, cost);
        (primal, self.move_prices(by))
    }

    fn restart(&mut self) -> (f64, f64) {
        let moved = (self.splits.restart(), self.prices.restart());
        self.stationary = moved.0 == 0.0 || moved.1 == 0.0;
        moved
    }
}
