//! The cheapest flow over given columns, by first-order steps.
//!
//! ```text
//! min over x   max over prices y >= 0   sum cost x + sum over links r of y_r (load_r(x) / c_r - 1)
//! ```
//!
//! The columns of a demand carry all of it, or any part.  Restarted Halpern PDHG as in
//! [`path_form`](crate::mcf::path_form), with exact projections of each demand's split.  Any prices give a lower bound by
//! duality, a split that fits gives an upper one.

use super::problem::{Bundles, Columns, Served};
use super::steps::State;
use crate::error::{Error, invalid};
use crate::mcf::pdhg::{self, Bounds};
use crate::mcf::run::{Monitor, Options, Progress, Watch};

/// The best split and the best lengths, which may come from different iterates.
#[derive(Debug, Clone)]
pub struct Cheapest {
    /// Fraction of its demand on each column.
    pub weight: Vec<f64>,
    /// Length of each link, its price per unit of capacity.
    pub length: Vec<f64>,
    /// The relative gap between their bounds, or the relative overload if that is larger.
    pub gap: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Whether the monitor stopped the run.
    pub interrupted: bool,
}

/// Finds the cheapest flow, where a unit of each column costs `cost`.
///
/// With [`Served::Any`] the weights fit; with [`Served::All`] they sum to 1 for each demand, and may overload a link by
/// about the tolerance.  The result does not depend on the number of threads.
///
/// ```
/// use pnet_core::mcf::bundles::{Bundles, Served, cheapest};
/// use pnet_core::mcf::run::{Options, Unwatched};
/// // Two demands of 1 share a link of 1; one of them has another path of 1.
/// let bundles = Bundles {
///     capacity: vec![1.0, 1.0],
///     demand: vec![1.0; 2],
///     pair_ptr: vec![0, 2, 3],
///     ptr: vec![0, 1, 2, 3],
///     link: vec![0, 1, 0],
///     part: vec![1.0; 3],
/// };
/// let options = Options { tolerance: 1e-6, max_iterations: 10_000, time_limit_s: f64::INFINITY };
/// let found = cheapest(&bundles, &[-1.0; 3], Served::Any, &options, &mut Unwatched)?;
/// assert!(found.gap <= 1e-6 && (found.weight.iter().sum::<f64>() - 2.0).abs() < 1e-5);
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn cheapest(
    bundles: &Bundles,
    cost: &[f64],
    served: Served,
    options: &Options,
    monitor: &mut impl Monitor,
) -> Result<Cheapest, Error> {
    if cost.len() != bundles.columns() || cost.iter().any(|c| !c.is_finite()) {
        return invalid("cost", "not a finite number for each column");
    }
    let mut watch = Watch::new(options.time_limit_s);
    let mut state = State::new(bundles, cost, served.least());
    let evaluator = Evaluator { bundles, cost, served };
    let mut best = Best { evaluator, split: None, lengths: None, gap: f64::INFINITY };
    best.offer(&state)?;
    let interrupted = pdhg::solve(&mut state, &mut best, 1, options, &mut watch, monitor)?;
    let (weight, length) = match (best.split, best.lengths) {
        (Some(split), Some(lengths)) => (split.weight, lengths.length),
        _ => (vec![0.0; bundles.columns()], vec![0.0; bundles.capacity.len()]),
    };
    Ok(Cheapest { weight, length, gap: best.gap, iterations: state.iterations(), interrupted })
}

/// Bytes that [`cheapest`] will hold at its peak, beyond the instance itself.
pub fn estimate_bytes(columns: usize, entries: usize, links: usize) -> usize {
    // The transpose; three splits in the state, their reflection, the best, its copy and the costs; prices likewise.
    16 * entries + 8 * (8 * columns + 14 * links)
}

/// Evaluates splits and lengths.
struct Evaluator<'a> {
    bundles: &'a Bundles,
    cost: &'a [f64],
    served: Served,
}

/// A split, its cost, and the factor by which it fits.
struct Split {
    weight: Vec<f64>,
    cost: f64,
    fits: f64,
}

/// Lengths, the least cost of serving the demands under them, and their volume, which the dual bound subtracts.
struct Lengths {
    length: Vec<f64>,
    least: f64,
    volume: f64,
}

impl Evaluator<'_> {
    fn split(&self, weight: &[f64]) -> Split {
        let bundles = self.bundles;
        let mut weight = weight.to_vec();
        let mut load = vec![0.0; bundles.capacity.len()];
        for (j, demand) in bundles.demand.iter().enumerate() {
            for n in bundles.pair_ptr[j]..bundles.pair_ptr[j + 1] {
                bundles.column(n).for_each(|(l, part)| load[l] += part * demand * weight[n]);
            }
        }
        let scale: Vec<f64> =
            load.iter().zip(&bundles.capacity).map(|(load, c)| if load > c { c / load } else { 1.0 }).collect();
        let fits = match self.served {
            Served::All => scale.iter().copied().fold(1.0, f64::min),
            Served::Any => {
                for (n, weight) in weight.iter_mut().enumerate() {
                    *weight *= bundles.column(n).map(|(l, _)| scale[l]).fold(1.0, f64::min);
                }
                1.0
            }
        };
        let mut cost = 0.0;
        for (j, demand) in bundles.demand.iter().enumerate() {
            let own = bundles.pair_ptr[j]..bundles.pair_ptr[j + 1];
            cost += demand * own.map(|n| self.cost[n] * weight[n]).sum::<f64>();
        }
        Split { weight, cost, fits }
    }

    fn lengths(&self, length: Vec<f64>) -> Lengths {
        let bundles = self.bundles;
        let mut least = 0.0;
        for (j, demand) in bundles.demand.iter().enumerate() {
            let own = bundles.pair_ptr[j]..bundles.pair_ptr[j + 1];
            let long = own.map(|n| self.cost[n] + bundles.column(n).map(|(l, part)| part * length[l]).sum::<f64>());
            let shortest = long.fold(f64::INFINITY, f64::min);
            least += demand * if self.served == Served::Any { shortest.min(0.0) } else { shortest };
        }
        let volume = length.iter().zip(&bundles.capacity).filter(|(l, _)| **l > 0.0).map(|(l, c)| l * c).sum();
        Lengths { length, least, volume }
    }
}

/// The best so far.
struct Best<'a> {
    evaluator: Evaluator<'a>,
    split: Option<Split>,
    lengths: Option<Lengths>,
    gap: f64,
}

impl Bounds<State<'_, Bundles>> for Best<'_> {
    fn certified(&self, tolerance: f64) -> bool {
        self.gap <= tolerance
    }

    fn offer(&mut self, state: &State<'_, Bundles>) -> Result<(), Error> {
        let (split, lengths) = (self.evaluator.split(state.weight()), self.evaluator.lengths(state.length()));
        if self.lengths.as_ref().is_none_or(|old| lengths.least - lengths.volume > old.least - old.volume) {
            self.lengths = Some(lengths);
        }
        let Some(lengths) = &self.lengths else { return Ok(()) };
        let old = self.split.as_ref().map_or(f64::INFINITY, |old| gap(old, lengths));
        let new = gap(&split, lengths);
        if self.split.is_none() || new < old {
            self.split = Some(split);
        }
        self.gap = new.min(old);
        Ok(())
    }

    /// There are no bounds on K here.
    fn progress(&self, iterations: usize) -> Progress {
        Progress { iterations, lower: 0.0, upper: f64::INFINITY }
    }
}

/// The relative gap between the cost of a split, scaled down until it fits, and the lengths' bound for the same demand.
fn gap(split: &Split, lengths: &Lengths) -> f64 {
    let (cost, least) = (split.fits * split.cost, split.fits * lengths.least - lengths.volume);
    let whole = cost.abs().max(least.abs());
    let between = if whole > 0.0 { (cost - least) / whole } else { 0.0 };
    between.max(1.0 - split.fits)
}
