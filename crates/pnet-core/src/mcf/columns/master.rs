//! An interior-point method for the restricted master of the cheapest flow, which continues from where it was when paths
//! and rows are added.
//!
//! ```text
//! minimise cost w + sum over k of worth_k x_k - t             over w, x >= 0
//! sum of w_n + sum over k of x_kj = base_j + slope_j t        of each demand j; dual: y_j
//! load_l(w) / c_l <= 1                                        of each link l that was ever overloaded; dual: -m_l
//! x_kj <= most_k, t <= most                                   where these are finite
//! ```
//!
//! x are shortfalls, parts of a demand that are not served; t is a common rate of those whose slope is 1, where there is one.  Mehrotra's predictor and corrector (1992).  Paths, shortfalls
//! and then demands are eliminated, each demand on its own, which leaves a positive definite matrix of the rows.  In the
//! terms of a demand everything is relative to its heaviest column: differences of large numbers would cancel.

use super::cholesky::{Square, dot};
use super::entries::{Entries, Scaling};
use super::rise::Rise;
use crate::mcf::path_form::PathProblem;
use crate::mcf::pdhg::split::NEW;

/// Part of the distance to the boundary that a step goes.
const REACH: f64 = 0.99;
/// Refinements of each solution of the linear system; one more where there is a common rate, whose levels need it.
const REFINEMENTS: usize = 1;
/// The part of a demand that is not served at the start.
const SHORT: f64 = 0.1;
/// A new path carries at most this part of its demand, and a new row has at least this part of its capacity left.
const NEW_WEIGHT: f64 = 0.1;
const NEW_SLACK: f64 = 0.03;

/// Parts of demands that are not served, at a cost.
pub(super) struct Shortfall {
    /// Cost of each demand's, all of it.
    pub(super) cost: Vec<f64>,
    /// The largest part; infinite without a limit.
    pub(super) most: f64,
    /// The part of each demand, the price of being positive, the distance to the limit and the price of that.
    pub(super) x: Vec<f64>,
    pub(super) z: Vec<f64>,
    pub(super) room: Vec<f64>,
    pub(super) at: Vec<f64>,
}

impl Shortfall {
    fn limited(&self) -> bool {
        self.most.is_finite()
    }
}

/// The iterate.
pub(super) struct Master {
    pub(super) entries: Entries,
    /// Cost of each path for the whole demand.
    pub(super) cost: Vec<f64>,
    /// Weight of each path, and the price of its being positive.
    pub(super) w: Vec<f64>,
    pub(super) z: Vec<f64>,
    /// What is left of the capacity of each row, as a part of it, and its price.
    pub(super) s: Vec<f64>,
    pub(super) m: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) short: Vec<Shortfall>,
    /// What each demand gets in any case, as a part of it.
    pub(super) base: Vec<f64>,
    pub(super) rise: Option<Rise>,
    pub(super) matrix: Square,
}

/// How far from feasible and optimal an iterate is.
#[derive(Clone, Copy)]
pub(super) struct State {
    /// The sum of all products of a variable and its price: the gap of the restricted master where it is feasible.
    pub(super) gap: f64,
    /// The largest violation of a constraint, as a part of the demand or of the capacity.
    pub(super) primal: f64,
    /// The sum over demands of their largest dual violation.
    pub(super) dual: f64,
}

/// A change of all variables.
struct Direction {
    w: Vec<f64>,
    z: Vec<f64>,
    s: Vec<f64>,
    m: Vec<f64>,
    y: Vec<f64>,
    /// Of x, z, room and at of each kind of shortfall.
    short: Vec<[Vec<f64>; 4]>,
    /// Of t, room and at of the rate.
    rise: [f64; 3],
}

/// What remains of each equation.
struct Residuals {
    split: Vec<f64>,
    load: Vec<f64>,
    cost: Vec<f64>,
    /// Of cost and limit of each kind of shortfall.
    short: Vec<[Vec<f64>; 2]>,
    /// Of price and limit of the rate.
    rise: [f64; 2],
}

/// The wanted change of each product.
struct Products {
    paths: Vec<f64>,
    links: Vec<f64>,
    short: Vec<[Vec<f64>; 2]>,
    rise: f64,
}

impl Master {
    /// An iterate without rows: each demand on all of its paths evenly.
    ///
    /// `costs` are those of the paths; `short` the costs of the kinds of shortfall and their limits.
    pub(super) fn new(problem: &PathProblem, costs: Vec<f64>, short: Vec<(Vec<f64>, f64)>) -> Self {
        let demands = problem.demand.len();
        let mean = short.iter().flat_map(|(cost, _)| cost).sum::<f64>() / (short.len().max(1) * demands) as f64;
        let y: Vec<f64> = (0..demands)
            .map(|j| {
                let own = &costs[problem.pair_ptr[j]..problem.pair_ptr[j + 1]];
                let dearest = short.iter().map(|(cost, _)| cost[j]).fold(f64::INFINITY, f64::min);
                own.iter().fold(dearest, |a, b| a.min(*b)) - SHORT * mean
            })
            .collect();
        let mut w = vec![0.0; costs.len()];
        let mut z = vec![0.0; costs.len()];
        for j in 0..demands {
            let own = problem.pair_ptr[j]..problem.pair_ptr[j + 1];
            let part = (1.0 - SHORT) / own.len() as f64;
            for n in own {
                (w[n], z[n]) = (part, costs[n] - y[j]);
            }
        }
        let kinds = short.len() as f64;
        let short: Vec<Shortfall> = (short.into_iter())
            .map(|(cost, most)| {
                let part = (SHORT / kinds).min(0.5 * most);
                let limited = if most.is_finite() { demands } else { 0 };
                // A price of the limit, so that the other one is positive.
                let at: Vec<f64> = (0..limited).map(|j| (y[j] - cost[j]).max(0.0) + SHORT * mean).collect();
                let above = |j: usize| at.get(j).copied().unwrap_or(0.0);
                Shortfall {
                    z: (0..demands).map(|j| (cost[j] - y[j] + above(j)).max(SHORT * mean)).collect(),
                    x: vec![part; demands],
                    room: vec![most - part; limited],
                    at,
                    cost,
                    most,
                }
            })
            .collect();
        Master {
            entries: Entries::new(problem),
            cost: costs,
            w,
            z,
            s: vec![],
            m: vec![],
            y,
            short,
            base: vec![1.0; demands],
            rise: None,
            matrix: Square::new(0),
        }
    }

    /// The mean product of a variable and its price.
    fn mean(&self) -> f64 {
        let (total, count) = self.products();
        total / count
    }

    fn products(&self) -> (f64, f64) {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut total = product(&self.w, &self.z) + product(&self.s, &self.m);
        let mut count = self.w.len() + self.s.len();
        for short in &self.short {
            total += product(&short.x, &short.z) + product(&short.room, &short.at);
            count += short.x.len() + short.room.len();
        }
        if let Some(rise) = &self.rise {
            total += rise.room * rise.at;
            count += 1;
        }
        (total, count.max(1) as f64)
    }

    /// Adds rows for `links`, which carry `load`.
    pub(super) fn extend(&mut self, problem: &PathProblem, links: &[u32], load: &[f64]) {
        let mean = self.mean();
        self.entries.extend(problem, links);
        for link in links {
            let left = 1.0 - load[*link as usize] / problem.capacity[*link as usize];
            // As far from 0 as the row is from feasible: steps are short otherwise.
            let slack = left.abs().max(NEW_SLACK);
            self.s.push(slack);
            self.m.push(mean / slack);
        }
        self.entries.update(problem);
        self.matrix = Square::new(self.m.len());
    }

    /// Takes over the paths of `problem`, given the old index of each and the costs of the new ones.
    pub(super) fn exchange(&mut self, problem: &PathProblem, from: &[u32], cost: impl Fn(usize, usize) -> f64) {
        let mean = self.mean();
        self.entries.update(problem);
        let priced = self.entries.costs(&self.m);
        let (mut costs, mut w, mut z) = (vec![], vec![], vec![]);
        for j in 0..problem.demand.len() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                if from[n] == NEW {
                    let own = cost(j, n);
                    let price = (own + priced[n] - self.y[j]).abs().max(mean / NEW_WEIGHT);
                    costs.push(own);
                    w.push(mean / price);
                    z.push(price);
                } else {
                    let old = from[n] as usize;
                    costs.push(self.cost[old]);
                    w.push(self.w[old]);
                    z.push(self.z[old]);
                }
            }
        }
        (self.cost, self.w, self.z) = (costs, w, z);
    }

    /// Predictor and corrector, towards products whose sum is `least` or more; returns whether the step was large enough to
    /// continue.  There is none where `stop` ends it.
    pub(super) fn step(&mut self, least: f64, stop: impl FnMut() -> bool) -> bool {
        let residuals = self.residuals();
        let scaling = self.scaling();
        self.entries.fill(&scaling, &mut self.matrix);
        let (total, count) = self.products();
        let mu = total / count;
        let affine = self.affine();
        let border = self.border(&scaling);
        if let Some((load, own)) = &border {
            self.matrix.add(load, 1.0 / own);
        }
        if !self.matrix.factor(stop) {
            return false;
        }
        let first = self.direction(&scaling, border.as_ref(), &residuals, &affine);
        let lengths = self.step_lengths(&first, 1.0);
        let centre = (self.ahead(&first, lengths) / count / mu).powi(3).clamp(1e-6, 1.0) * mu;
        let centre = centre.max(least / count);
        let wanted = affine.corrected(centre, &first);
        let direction = self.direction(&scaling, border.as_ref(), &residuals, &wanted);
        let Direction { w, z, s, m, y, .. } = &direction;
        let finite = [w, z, s, m, y].iter().all(|values| values.iter().all(|value| value.is_finite()));
        let (primal, dual) = self.step_lengths(&direction, REACH);
        let moves = finite && (primal > 1e-6 || dual > 1e-6);
        if moves {
            self.advance(&direction, primal, dual);
        }
        moves
    }

    /// The part of each demand that is on its paths.
    pub(super) fn served(&self) -> Vec<f64> {
        (0..self.entries.demands()).map(|j| self.w[self.entries.own(j)].iter().sum()).collect()
    }

    /// How far the iterate is from the optimum.
    pub(super) fn state(&self) -> State {
        let residuals = self.residuals();
        let room = [residuals.rise[1]];
        let primal = residuals.split.iter().chain(&residuals.load).chain(&room).fold(0.0, |a: f64, b| a.max(b.abs()));
        let dual = (0..self.entries.demands()).map(|j| {
            let own = &residuals.cost[self.entries.own(j)];
            let paths = own.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            residuals.short.iter().fold(paths, |a: f64, [cost, _]| a.max(cost[j].abs()))
        });
        let rise = residuals.rise[0].abs() * self.t();
        State { gap: self.products().0, primal, dual: dual.sum::<f64>() + rise }
    }

    fn residuals(&self) -> Residuals {
        let view = &self.entries;
        let load = view.loads(&self.w);
        let mut split = self.targets();
        split.iter_mut().enumerate().for_each(|(j, split)| *split -= self.w[view.own(j)].iter().sum::<f64>());
        let prices = view.costs(&self.m);
        let mut cost = vec![0.0; prices.len()];
        for j in 0..view.demands() {
            for n in view.own(j) {
                cost[n] = self.y[j] + self.z[n] - self.cost[n] - prices[n];
            }
        }
        let short = self.short.iter().map(|short| {
            let of_cost = (0..view.demands()).map(|j| {
                split[j] -= short.x[j];
                self.y[j] + short.z[j] - short.cost[j] - short.at.get(j).copied().unwrap_or(0.0)
            });
            let of_cost = of_cost.collect();
            let room = short.room.iter().zip(&short.x).map(|(room, x)| short.most - x - room);
            [of_cost, room.collect()]
        });
        let short = short.collect();
        let load = load.iter().zip(&self.s).map(|(load, s)| 1.0 - load - s).collect();
        let rise = self.rise.as_ref().map_or([0.0; 2], |rise| {
            let priced: f64 = rise.slope.iter().zip(&self.y).map(|(slope, y)| slope * y).sum();
            [1.0 - priced - rise.at, rise.most - rise.t - rise.room]
        });
        Residuals { split, load, cost, short, rise }
    }

    fn scaling(&self) -> Scaling {
        let view = &self.entries;
        let paths: Vec<f64> = self.w.iter().zip(&self.z).map(|(w, z)| w / z).collect();
        let short: Vec<Vec<f64>> = (self.short.iter())
            .map(|short| {
                let prices = |j: usize| if short.limited() { short.at[j] / short.room[j] } else { 0.0 };
                (0..view.demands()).map(|j| 1.0 / (short.z[j] / short.x[j] + prices(j))).collect()
            })
            .collect();
        let demand = (0..view.demands())
            .map(|j| paths[view.own(j)].iter().sum::<f64>() + short.iter().map(|short| short[j]).sum::<f64>());
        Scaling {
            demand: demand.collect(),
            slack: self.s.iter().zip(&self.m).map(|(s, m)| s / m).collect(),
            paths,
            empty: short,
        }
    }

    /// The direction that cancels the residuals and changes the products by what is wanted.
    fn direction(
        &self,
        scaling: &Scaling,
        border: Option<&(Vec<f64>, f64)>,
        residual: &Residuals,
        wanted: &Products,
    ) -> Direction {
        let (view, demands) = (&self.entries, self.entries.demands());
        // The move of each column where neither prices nor y move.
        let rho: Vec<f64> = (0..self.w.len()).map(|n| residual.cost[n] + wanted.paths[n] / self.w[n]).collect();
        let rho_short: Vec<Vec<f64>> = (self.short.iter().enumerate())
            .map(|(k, short)| {
                let ([cost, room], [low, high]) = (&residual.short[k], &wanted.short[k]);
                let limit = |j: usize| match short.limited() {
                    true => (short.at[j] * room[j] - high[j]) / short.room[j],
                    false => 0.0,
                };
                (0..demands).map(|j| cost[j] + low[j] / short.x[j] + limit(j)).collect()
            })
            .collect();
        // Of y where prices do not move.
        let still: Vec<f64> = (0..demands)
            .map(|j| {
                let paths: f64 = view.own(j).map(|n| scaling.paths[n] * rho[n]).sum();
                let short: f64 = rho_short.iter().zip(&scaling.empty).map(|(rho, by)| rho[j] * by[j]).sum();
                (residual.split[j] - paths - short) / scaling.demand[j]
            })
            .collect();
        let mut moves = vec![0.0; self.w.len()];
        for (j, y) in still.iter().enumerate() {
            view.own(j).for_each(|n| moves[n] = scaling.paths[n] * (rho[n] + y));
        }
        let mut right = view.loads(&moves);
        for (i, value) in right.iter_mut().enumerate() {
            *value += wanted.links[i] / self.m[i] - residual.load[i];
        }
        // The rate is eliminated last: the matrix without it hardly determines the scale of prices.
        let rise = self.rise.as_ref().zip(border).map(|(rise, (load, own))| {
            let limit = (wanted.rise - rise.at * residual.rise[1]) / rise.room;
            (load, residual.rise[0] - limit - dot(&rise.slope, &still), own)
        });
        if let Some((load, rate, own)) = rise {
            right.iter_mut().zip(load).for_each(|(right, load)| *right += load * rate / own);
        }
        let m = self.solve(scaling, border, right);
        let t = rise.map_or(0.0, |(load, rate, own)| (rate - dot(load, &m)) / own);
        let priced = view.costs(&m);
        let mut y = still;
        for (j, y) in y.iter_mut().enumerate() {
            *y += self.rise.as_ref().map_or(0.0, |rise| rise.slope[j] * t / scaling.demand[j])
                + view.own(j).map(|n| scaling.paths[n] * priced[n]).sum::<f64>() / scaling.demand[j];
        }
        let mut w = moves;
        for (j, y) in y.iter().enumerate() {
            view.own(j).for_each(|n| w[n] = scaling.paths[n] * (rho[n] + y - priced[n]));
        }
        let z = (0..w.len()).map(|n| (wanted.paths[n] - self.z[n] * w[n]) / self.w[n]).collect();
        let s = (0..m.len()).map(|i| (wanted.links[i] - self.s[i] * m[i]) / self.m[i]).collect();
        let short = self.short.iter().enumerate().map(|(k, short)| {
            let x: Vec<f64> = (0..demands).map(|j| scaling.empty[k][j] * (rho_short[k][j] + y[j])).collect();
            let z = (0..demands).map(|j| (wanted.short[k][0][j] - short.z[j] * x[j]) / short.x[j]).collect();
            let room: Vec<f64> = residual.short[k][1].iter().zip(&x).map(|(left, x)| left - x).collect();
            let at = room.iter().enumerate().map(|(j, by)| (wanted.short[k][1][j] - short.at[j] * by) / short.room[j]);
            let at = at.collect();
            [x, z, room, at]
        });
        let short = short.collect();
        let rise = self.rise.as_ref().map_or([0.0; 3], |rise| {
            let room = residual.rise[1] - t;
            [t, room, (wanted.rise - rise.at * room) / rise.room]
        });
        Direction { w, z, s, m, y, short, rise }
    }

    fn solve(&self, scaling: &Scaling, border: Option<&(Vec<f64>, f64)>, right: Vec<f64>) -> Vec<f64> {
        let mut x = right.clone();
        self.matrix.solve(&mut x);
        for _ in 0..REFINEMENTS + usize::from(border.is_some()) {
            let mut product = self.entries.times(scaling, &x);
            if let Some((load, own)) = border {
                let by = dot(load, &x) / own;
                product.iter_mut().zip(load).for_each(|(product, load)| *product += load * by);
            }
            let mut rest: Vec<f64> = right.iter().zip(product).map(|(right, product)| right - product).collect();
            self.matrix.solve(&mut rest);
            x.iter_mut().zip(rest).for_each(|(x, rest)| *x += rest);
        }
        x
    }

    /// What the products are to change by for all of them to vanish.
    fn affine(&self) -> Products {
        let negative = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| -a * b).collect() };
        let short = self.short.iter().map(|short| [negative(&short.x, &short.z), negative(&short.room, &short.at)]);
        let rise = self.rise.as_ref().map_or(0.0, |rise| -rise.room * rise.at);
        Products { paths: negative(&self.w, &self.z), links: negative(&self.s, &self.m), short: short.collect(), rise }
    }

    /// The sum of all products after a step.
    fn ahead(&self, by: &Direction, (primal, dual): (f64, f64)) -> f64 {
        let after = |a: &[f64], da: &[f64], b: &[f64], db: &[f64]| -> f64 {
            let pairs = a.iter().zip(da).zip(b.iter().zip(db));
            pairs.map(|((a, da), (b, db))| (a + primal * da) * (b + dual * db)).sum()
        };
        let mut total = after(&self.w, &by.w, &self.z, &by.z) + after(&self.s, &by.s, &self.m, &by.m);
        for (short, [x, z, room, at]) in self.short.iter().zip(&by.short) {
            total += after(&short.x, x, &short.z, z) + after(&short.room, room, &short.at, at);
        }
        if let Some(rise) = &self.rise {
            total += (rise.room + primal * by.rise[1]) * (rise.at + dual * by.rise[2]);
        }
        total
    }

    /// The primal and the dual step length along a direction.
    fn step_lengths(&self, by: &Direction, reach: f64) -> (f64, f64) {
        let along = |values: &[f64], by: &[f64]| {
            let falling = values.iter().zip(by).filter(|(_, by)| **by < 0.0).map(|(value, by)| -reach * value / by);
            falling.fold(1.0, f64::min)
        };
        let mut primal = along(&self.w, &by.w).min(along(&self.s, &by.s));
        let mut dual = along(&self.m, &by.m).min(along(&self.z, &by.z));
        for (short, [x, z, room, at]) in self.short.iter().zip(&by.short) {
            primal = primal.min(along(&short.x, x)).min(along(&short.room, room));
            dual = dual.min(along(&short.z, z)).min(along(&short.at, at));
        }
        if let Some(rise) = &self.rise {
            primal = primal.min(along(&[rise.room], &[by.rise[1]]));
            dual = dual.min(along(&[rise.at], &[by.rise[2]]));
        }
        (primal, dual)
    }

    fn advance(&mut self, by: &Direction, primal: f64, dual: f64) {
        let advance = |values: &mut [f64], by: &[f64], step: f64| {
            values.iter_mut().zip(by).for_each(|(value, by)| *value += step * by);
        };
        advance(&mut self.w, &by.w, primal);
        advance(&mut self.s, &by.s, primal);
        advance(&mut self.m, &by.m, dual);
        advance(&mut self.z, &by.z, dual);
        advance(&mut self.y, &by.y, dual);
        for (short, [x, z, room, at]) in self.short.iter_mut().zip(&by.short) {
            advance(&mut short.x, x, primal);
            advance(&mut short.room, room, primal);
            advance(&mut short.z, z, dual);
            advance(&mut short.at, at, dual);
        }
        if let Some(rise) = &mut self.rise {
            rise.t += primal * by.rise[0];
            rise.room += primal * by.rise[1];
            rise.at += dual * by.rise[2];
        }
    }
}

impl Products {
    /// Moved towards `centre`, and by what a step along `first` would leave.
    fn corrected(self, centre: f64, first: &Direction) -> Self {
        let second = |old: Vec<f64>, a: &[f64], b: &[f64]| -> Vec<f64> {
            old.iter().zip(a.iter().zip(b)).map(|(old, (a, b))| old + centre - a * b).collect()
        };
        let short = self.short.into_iter().zip(&first.short);
        Products {
            paths: second(self.paths, &first.w, &first.z),
            links: second(self.links, &first.s, &first.m),
            short: short.map(|([low, high], [x, z, room, at])| [second(low, x, z), second(high, room, at)]).collect(),
            rise: self.rise + centre - first.rise[1] * first.rise[2],
        }
    }
}
