//! An interior-point method for the restricted master: expensive steps, a few dozen of which reach any gap that double
//! precision can represent, however far apart capacities are.
//!
//! ```text
//! minimise t    over w >= 0, t       dual:    maximise sum of y_j    over m >= 0, y
//! sum of w_n = 1       of each demand         sum of m_l = 1
//! load_l(w) / c_l <= t     of each link       y_j <= sum over l in n of m_l d_j / c_l    of each path n
//! ```
//!
//! Mehrotra's predictor and corrector (1992).  Eliminating the paths leaves a positive definite matrix of links and
//! demands, in which only demands couple the planes ([`Arrow`]).

use super::arrow::Arrow;
use crate::mcf::path_form::{PathProblem, normalise};
use crate::rounding::Nearest;

/// Steps of one solve at most.
const MOST_STEPS: usize = 80;
/// Steps without a better bound after which rounding dominates.
const PATIENCE: usize = 8;
/// Part of the distance to the boundary that a step goes.
const REACH: f64 = 0.995;
/// The even part of the first point, which keeps it off the boundary.
const EVEN: f64 = 0.2;
/// Refinements of each solution of the linear system.
const REFINEMENTS: usize = 2;

/// The best bounds of a solve.
pub(super) struct Reached {
    /// The best split, and the bound that it attains.
    pub(super) split: Vec<f64>,
    pub(super) lower: f64,
    /// The best lengths of all links, which prove `upper` over the paths in use.
    pub(super) length: Vec<f64>,
    pub(super) upper: f64,
    /// Steps done.
    pub(super) steps: usize,
    /// Whether `stop` ended it.
    pub(super) stopped: bool,
}

/// Where a solve starts, and where it may end.
pub(super) struct Goal<'a> {
    /// A split over the paths.
    pub(super) split: &'a [f64],
    /// Lengths of all links.
    pub(super) length: &'a [f64],
    /// Bounds on K that are known.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// The relative gap between the bounds over the paths in use.
    pub(super) gap: f64,
    /// Steps at most.
    pub(super) steps: usize,
}

/// Floating-point operations of one step, roughly.
pub(super) fn work(links: &[usize], demands: usize) -> f64 {
    let border = demands as f64;
    let planes = links.iter().map(|n| {
        let n = *n as f64;
        n * n * n / 3.0 + n * n * border + n * border * border
    });
    planes.sum::<f64>() + border * border * border / 3.0
}

/// Bytes of the matrix.
pub(super) fn bytes(links: &[usize], demands: usize) -> usize {
    let entries: usize = links.iter().map(|n| n * (n + demands)).sum();
    (entries + demands * demands) * size_of::<f64>()
}

/// Steps towards the optimum over the paths in use; `plane` is that of each link.
pub(super) fn solve(problem: &PathProblem, plane: &[u32], goal: Goal, mut stop: impl FnMut() -> bool) -> Reached {
    let mut reached = Reached {
        split: goal.split.to_vec(),
        lower: 0.0,
        length: goal.length.to_vec(),
        upper: f64::INFINITY,
        steps: 0,
        stopped: false,
    };
    let rows = Rows::new(problem, plane, &goal);
    if rows.link.is_empty() {
        return reached;
    }
    let mut point = Point::new(problem, &rows, &goal);
    let mut system = System::new(problem, &rows);
    let mut idle = 0;
    while reached.steps < goal.steps.min(MOST_STEPS) && idle < PATIENCE {
        if stop() {
            reached.stopped = true;
            break;
        }
        reached.steps += 1;
        let moved = point.step(problem, &rows, &mut system);
        idle = if reached.offer(problem, &rows, &point) { 0 } else { idle + 1 };
        if !moved || reached.upper - reached.lower <= goal.gap * reached.upper {
            break;
        }
    }
    reached
}

impl Reached {
    /// Keeps better bounds; returns whether there was one.
    fn offer(&mut self, problem: &PathProblem, rows: &Rows, point: &Point) -> bool {
        let mut split = point.w.clone();
        normalise(problem, &mut split);
        let lower = problem.lower_bound::<Nearest>(&problem.load::<Nearest>(&split));
        let mut length = vec![0.0; problem.capacity.len()];
        for (i, link) in rows.link.iter().enumerate() {
            length[*link as usize] = point.m[i] / problem.capacity[*link as usize];
        }
        let upper = problem.upper_bound::<Nearest>(&length);
        let better = (lower > self.lower, upper < self.upper);
        if better.0 {
            (self.lower, self.split) = (lower, split);
        }
        if better.1 {
            (self.upper, self.length) = (upper, length);
        }
        better.0 || better.1
    }
}

/// The links that can bind, by plane.
struct Rows {
    /// The link of each row, and the row of each link where it has one.
    link: Vec<u32>,
    row: Vec<u32>,
    /// Rows of each plane.
    widths: Vec<usize>,
    /// Plane of each row, and the first row of each plane.
    plane: Vec<u32>,
    first: Vec<usize>,
    /// 1 / capacity, and the load by capacity of a row if every path over it carried its whole demand.
    inverse: Vec<f64>,
    all: Vec<f64>,
    /// Demands in units in which t is at most 1.
    size: Vec<f64>,
}

const NONE: u32 = u32::MAX;

impl Rows {
    fn new(problem: &PathProblem, plane: &[u32], goal: &Goal) -> Self {
        let size: Vec<f64> = problem.demand.iter().map(|d| d * goal.lower).collect();
        let mut all = vec![0.0; problem.capacity.len()];
        let mut last = vec![NONE; problem.capacity.len()];
        for (j, size) in size.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                for l in problem.path(n) {
                    if last[*l as usize] != j as u32 {
                        last[*l as usize] = j as u32;
                        all[*l as usize] += size;
                    }
                }
            }
        }
        let least = goal.lower / goal.upper;
        let mut link: Vec<u32> = (0..problem.capacity.len() as u32)
            .filter(|l| all[*l as usize] > problem.capacity[*l as usize] * least * (1.0 - 1e-6))
            .collect();
        link.sort_by_key(|l| plane[*l as usize]);
        let mut row = vec![NONE; problem.capacity.len()];
        let mut widths = vec![0; plane.iter().max().map_or(0, |p| *p as usize + 1)];
        for (i, l) in link.iter().enumerate() {
            row[*l as usize] = i as u32;
            widths[plane[*l as usize] as usize] += 1;
        }
        let first = widths.iter().scan(0, |end, width| {
            *end += width;
            Some(*end - width)
        });
        Rows {
            first: first.collect(),
            plane: link.iter().map(|l| plane[*l as usize]).collect(),
            inverse: link.iter().map(|l| 1.0 / problem.capacity[*l as usize]).collect(),
            all: link.iter().map(|l| all[*l as usize] / problem.capacity[*l as usize]).collect(),
            link,
            row,
            widths,
            size,
        }
    }

    /// The rows of path `n`.
    #[inline]
    fn of<'a>(&'a self, problem: &'a PathProblem, n: usize) -> impl Iterator<Item = usize> + Clone + 'a {
        problem.path(n).iter().map(|l| self.row[*l as usize]).filter(|row| *row != NONE).map(|row| row as usize)
    }

    /// `load / capacity` of each row.
    fn loads(&self, problem: &PathProblem, w: &[f64]) -> Vec<f64> {
        let mut load = vec![0.0; self.link.len()];
        for (j, size) in self.size.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                self.of(problem, n).for_each(|i| load[i] += size * w[n] * self.inverse[i]);
            }
        }
        load
    }

    /// The cost of each path.
    fn costs(&self, problem: &PathProblem, m: &[f64]) -> Vec<f64> {
        let mut cost = vec![0.0; problem.paths()];
        for (j, size) in self.size.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                cost[n] = size * self.of(problem, n).map(|i| m[i] * self.inverse[i]).sum::<f64>();
            }
        }
        cost
    }
}

/// The iterate: primal w, t and the slack s of each row; dual y, m and the slack z of each path.
struct Point {
    w: Vec<f64>,
    t: f64,
    s: Vec<f64>,
    y: Vec<f64>,
    m: Vec<f64>,
    z: Vec<f64>,
}

/// The change of each.
type Direction = Point;

/// The residuals of a point.
struct Residuals {
    /// 1 - sum of w, of each demand.
    split: Vec<f64>,
    /// load + s - t, of each row.
    load: Vec<f64>,
    /// cost - y - z, of each path.
    cost: Vec<f64>,
    /// 1 - sum of m.
    price: f64,
}

impl Point {
    /// An interior point near the start.
    fn new(problem: &PathProblem, rows: &Rows, goal: &Goal) -> Self {
        let mut w = goal.split.to_vec();
        for ends in problem.pair_ptr.windows(2) {
            let widest = |n: usize| {
                let links = problem.path(n).iter().map(|l| problem.capacity[*l as usize]);
                links.fold(f64::INFINITY, f64::min)
            };
            let speed: Vec<f64> = (ends[0]..ends[1]).map(widest).map(|c| c.min(f64::MAX)).collect();
            let most = speed.iter().fold(0.0, |a: f64, b| a.max(*b));
            let total: f64 = speed.iter().map(|c| c / most).sum();
            for (w, speed) in w[ends[0]..ends[1]].iter_mut().zip(speed) {
                *w = (1.0 - EVEN) * *w + EVEN * (speed / most / total).max(1e-14);
            }
        }
        let load = rows.loads(problem, &w);
        let t = 1.1 * load.iter().fold(0.0, |a: f64, b| a.max(*b));
        let lengths = rows.link.iter().map(|l| goal.length[*l as usize] * problem.capacity[*l as usize]);
        let mut m: Vec<f64> = lengths.collect();
        let even: Vec<f64> = rows.all.iter().map(|all| 1.0 / all.max(1.0)).collect();
        let totals = [m.iter().sum::<f64>(), even.iter().sum::<f64>()];
        for (m, even) in m.iter_mut().zip(even) {
            let known = if totals[0] > 0.0 { *m / totals[0] } else { 0.0 };
            *m = (1.0 - EVEN) * known + EVEN * even / totals[1];
        }
        let total: f64 = m.iter().sum();
        m.iter_mut().for_each(|m| *m /= total);
        let cost = rows.costs(problem, &m);
        let mean = t / problem.demand.len() as f64;
        let (mut y, mut z) = (vec![], vec![0.0; cost.len()]);
        for ends in problem.pair_ptr.windows(2) {
            let least = cost[ends[0]..ends[1]].iter().fold(f64::INFINITY, |a, b| a.min(*b));
            let below = least - EVEN * least.max(0.1 * mean);
            y.push(below);
            (ends[0]..ends[1]).for_each(|n| z[n] = cost[n] - below);
        }
        Point { s: load.iter().map(|load| t - load).collect(), w, t, y, m, z }
    }

    fn residuals(&self, problem: &PathProblem, rows: &Rows) -> Residuals {
        let load = rows.loads(problem, &self.w);
        let mut cost = rows.costs(problem, &self.m);
        let mut split = vec![1.0; self.y.len()];
        for (j, y) in self.y.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                split[j] -= self.w[n];
                cost[n] -= y + self.z[n];
            }
        }
        Residuals {
            split,
            load: load.iter().zip(&self.s).map(|(load, s)| load + s - self.t).collect(),
            cost,
            price: 1.0 - self.m.iter().sum::<f64>(),
        }
    }

    /// Predictor and corrector; returns whether the step was large enough to continue.
    fn step(&mut self, problem: &PathProblem, rows: &Rows, system: &mut System) -> bool {
        let residuals = self.residuals(problem, rows);
        let theta: Vec<f64> = self.w.iter().zip(&self.z).map(|(w, z)| w / z).collect();
        let slack: Vec<f64> = self.s.iter().zip(&self.m).map(|(s, m)| s / m).collect();
        system.factor(problem, rows, theta, slack);
        let count = (self.w.len() + self.m.len()) as f64;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mu = (product(&self.w, &self.z) + product(&self.s, &self.m)) / count;
        let paths: Vec<f64> = self.w.iter().zip(&self.z).map(|(w, z)| -w * z).collect();
        let links: Vec<f64> = self.s.iter().zip(&self.m).map(|(s, m)| -s * m).collect();
        let first = system.direction(problem, rows, self, &residuals, &paths, &links);
        let (primal, dual) = self.step_lengths(&first, 1.0);
        let after = |a: &[f64], da: &[f64], b: &[f64], db: &[f64]| -> f64 {
            let pairs = a.iter().zip(da).zip(b.iter().zip(db));
            pairs.map(|((a, da), (b, db))| (a + primal * da) * (b + dual * db)).sum()
        };
        let ahead = (after(&self.w, &first.w, &self.z, &first.z) + after(&self.s, &first.s, &self.m, &first.m)) / count;
        let centre = (ahead / mu).powi(3).clamp(1e-8, 1.0) * mu;
        let second = |old: &[f64], a: &[f64], b: &[f64]| -> Vec<f64> {
            old.iter().zip(a.iter().zip(b)).map(|(old, (a, b))| old + centre - a * b).collect()
        };
        let (paths, links) = (second(&paths, &first.w, &first.z), second(&links, &first.s, &first.m));
        let direction = system.direction(problem, rows, self, &residuals, &paths, &links);
        let (primal, dual) = self.step_lengths(&direction, REACH);
        if !(primal > 1e-8 || dual > 1e-8) {
            return false;
        }
        let advance = |values: &mut [f64], by: &[f64], step: f64| {
            values.iter_mut().zip(by).for_each(|(value, by)| *value += step * by);
        };
        advance(&mut self.w, &direction.w, primal);
        advance(&mut self.s, &direction.s, primal);
        self.t += primal * direction.t;
        advance(&mut self.m, &direction.m, dual);
        advance(&mut self.z, &direction.z, dual);
        advance(&mut self.y, &direction.y, dual);
        self.m.iter().chain(&self.w).all(|value| value.is_finite())
    }

    /// The primal and the dual step length along a direction.
    fn step_lengths(&self, direction: &Direction, reach: f64) -> (f64, f64) {
        let along = |values: &[f64], by: &[f64]| {
            let falling = values.iter().zip(by).filter(|(_, by)| **by < 0.0).map(|(value, by)| -reach * value / by);
            falling.fold(1.0, f64::min)
        };
        let primal = along(&self.w, &direction.w).min(along(&self.s, &direction.s));
        (primal, along(&self.m, &direction.m).min(along(&self.z, &direction.z)))
    }
}

/// The matrix of links and demands, and its factor.
struct System {
    factor: Arrow,
    theta: Vec<f64>,
    slack: Vec<f64>,
}

impl System {
    fn new(problem: &PathProblem, rows: &Rows) -> Self {
        let factor = Arrow::new(&rows.widths, 1 + problem.demand.len());
        System { factor, theta: vec![], slack: vec![] }
    }

    /// `[B; -E] theta [B; -E]' + [slack; 0]`, B the loads and E the sums of the paths, with a row and a column for t between.
    fn factor(&mut self, problem: &PathProblem, rows: &Rows, theta: Vec<f64>, slack: Vec<f64>) {
        self.factor.clear();
        let Arrow { blocks, corner } = &mut self.factor;
        for (j, size) in rows.size.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                corner.values[(1 + j) * (corner.width + 1)] += theta[n];
                for i in rows.of(problem, n) {
                    let p = rows.plane[i] as usize;
                    let (block, first) = (&mut blocks[p], rows.first[p]);
                    let by = size * rows.inverse[i] * theta[n];
                    block.values[(block.width + 1 + j) * block.width + i - first] -= by;
                    for k in rows.of(problem, n).filter(|k| *k <= i) {
                        block.values[(i - first) * block.width + k - first] += by * size * rows.inverse[k];
                    }
                }
            }
        }
        for (i, slack) in slack.iter().enumerate() {
            let p = rows.plane[i] as usize;
            let (block, own) = (&mut blocks[p], i - rows.first[p]);
            block.values[own * block.width + own] += slack;
            block.values[block.width * block.width + own] = 1.0;
        }
        self.factor.factor();
        (self.theta, self.slack) = (theta, slack);
    }

    /// The matrix times `x`.
    fn times(&self, problem: &PathProblem, rows: &Rows, x: &[f64]) -> Vec<f64> {
        let (m, rest) = x.split_at(rows.link.len());
        let (t, y) = (rest[0], &rest[1..]);
        let mut flow = rows.costs(problem, m);
        let mut sums = vec![0.0; y.len()];
        for (j, y) in y.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                flow[n] = self.theta[n] * (flow[n] - y);
                sums[j] -= flow[n];
            }
        }
        let load = rows.loads(problem, &flow);
        let links = load.iter().zip(m.iter().zip(&self.slack)).map(|(load, (m, slack))| load + m * slack + t);
        links.chain([m.iter().sum()]).chain(sums).collect()
    }

    fn solve(&self, problem: &PathProblem, rows: &Rows, right: Vec<f64>) -> Vec<f64> {
        let mut x = right.clone();
        self.factor.solve(&mut x);
        for _ in 0..REFINEMENTS {
            let product = self.times(problem, rows, &x);
            let mut rest: Vec<f64> = right.iter().zip(product).map(|(right, product)| right - product).collect();
            self.factor.solve(&mut rest);
            x.iter_mut().zip(rest).for_each(|(x, rest)| *x += rest);
        }
        x
    }

    /// The direction that cancels the residuals and changes the products w z and s m by `paths` and `links`.
    fn direction(
        &self,
        problem: &PathProblem,
        rows: &Rows,
        point: &Point,
        residual: &Residuals,
        paths: &[f64],
        links: &[f64],
    ) -> Direction {
        let count = rows.link.len();
        // The move of each path where neither prices nor y move.
        let rho: Vec<f64> = (0..paths.len()).map(|n| paths[n] / point.w[n] - residual.cost[n]).collect();
        let moves: Vec<f64> = rho.iter().zip(&self.theta).map(|(rho, theta)| rho * theta).collect();
        let mut right = rows.loads(problem, &moves);
        for (i, value) in right.iter_mut().enumerate() {
            *value += residual.load[i] + links[i] / point.m[i];
        }
        right.push(residual.price);
        for (j, missing) in residual.split.iter().enumerate() {
            let own = problem.pair_ptr[j]..problem.pair_ptr[j + 1];
            right.push(missing - moves[own].iter().sum::<f64>());
        }
        let mut x = self.solve(problem, rows, right);
        let y = x.split_off(count + 1);
        let t = x.pop().unwrap_or(0.0);
        let cost = rows.costs(problem, &x);
        let mut w = vec![0.0; cost.len()];
        for (j, y) in y.iter().enumerate() {
            for n in problem.pair_ptr[j]..problem.pair_ptr[j + 1] {
                w[n] = self.theta[n] * (rho[n] - cost[n] + y);
            }
        }
        let z = (0..w.len()).map(|n| (paths[n] - point.z[n] * w[n]) / point.w[n]).collect();
        let s = (0..count).map(|i| (links[i] - point.s[i] * x[i]) / point.m[i]).collect();
        Direction { w, t, s, y, m: x, z }
    }
}
