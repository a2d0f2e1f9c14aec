//! The restricted master as a matrix: a column for each path, a row for each link that was ever overloaded.

use super::cholesky::Square;
use crate::mcf::path_form::PathProblem;

/// No row.
const NONE: u32 = u32::MAX;

/// An entry is the demand of the path over the capacity of the link.
pub(super) struct Entries {
    /// The link of each row, and the row of each link where it has one.
    pub(super) link: Vec<u32>,
    row: Vec<u32>,
    /// 1 / capacity of each row.
    inverse: Vec<f64>,
    size: Vec<f64>,
    /// Paths of each demand, and rows of each path.
    pair_ptr: Vec<usize>,
    ptr: Vec<usize>,
    rows: Vec<u32>,
}

/// The weights of columns in the matrix of the rows.
pub(super) struct Scaling {
    pub(super) paths: Vec<f64>,
    /// Of the columns of each kind that are in no row, one for each demand.
    pub(super) empty: Vec<Vec<f64>>,
    /// The diagonal that is added.
    pub(super) slack: Vec<f64>,
    /// The sum over the columns of each demand.
    pub(super) demand: Vec<f64>,
}

impl Entries {
    /// No rows.
    pub(super) fn new(problem: &PathProblem) -> Self {
        Entries {
            link: vec![],
            row: vec![NONE; problem.capacity.len()],
            inverse: vec![],
            size: problem.demand.clone(),
            pair_ptr: problem.pair_ptr.clone(),
            ptr: vec![0; problem.paths() + 1],
            rows: vec![],
        }
    }

    /// Whether a link has a row.
    pub(super) fn has(&self, link: usize) -> bool {
        self.row[link] != NONE
    }

    /// Adds rows for these links.
    pub(super) fn extend(&mut self, problem: &PathProblem, links: &[u32]) {
        for link in links {
            self.row[*link as usize] = self.link.len() as u32;
            self.link.push(*link);
            self.inverse.push(1.0 / problem.capacity[*link as usize]);
        }
    }

    /// Takes over the paths of `problem`.
    pub(super) fn update(&mut self, problem: &PathProblem) {
        self.pair_ptr.clone_from(&problem.pair_ptr);
        self.ptr.clear();
        self.ptr.push(0);
        self.rows.clear();
        for n in 0..problem.paths() {
            self.rows.extend(problem.path(n).iter().map(|l| self.row[*l as usize]).filter(|row| *row != NONE));
            self.ptr.push(self.rows.len());
        }
    }

    pub(super) fn demands(&self) -> usize {
        self.size.len()
    }

    /// The paths of a demand.
    #[inline]
    pub(super) fn own(&self, j: usize) -> std::ops::Range<usize> {
        self.pair_ptr[j]..self.pair_ptr[j + 1]
    }

    #[inline]
    fn of(&self, n: usize) -> &[u32] {
        &self.rows[self.ptr[n]..self.ptr[n + 1]]
    }

    /// The sum over the paths, each times its weight, in each row.
    pub(super) fn loads(&self, w: &[f64]) -> Vec<f64> {
        let mut load = vec![0.0; self.link.len()];
        for (j, size) in self.size.iter().enumerate() {
            for n in self.own(j) {
                self.of(n).iter().for_each(|i| load[*i as usize] += size * w[n]);
            }
        }
        load.iter().zip(&self.inverse).map(|(load, inverse)| load * inverse).collect()
    }

    /// The sum over the rows, each times its price, in each path.
    pub(super) fn costs(&self, m: &[f64]) -> Vec<f64> {
        let priced: Vec<f64> = m.iter().zip(&self.inverse).map(|(m, inverse)| m * inverse).collect();
        let mut cost = vec![0.0; self.ptr.len() - 1];
        for (j, size) in self.size.iter().enumerate() {
            for n in self.own(j) {
                cost[n] = size * self.of(n).iter().map(|i| priced[*i as usize]).sum::<f64>();
            }
        }
        cost
    }

    /// The matrix of the rows: with B the columns of a demand and theta their weights, the sum over demands of
    /// `B theta B' - (B theta 1)(B theta 1)' / (1' theta 1)`, and the slack.
    pub(super) fn fill(&self, scaling: &Scaling, matrix: &mut Square) {
        matrix.clear();
        let mut local = Local { place: vec![NONE; self.link.len()], ..Local::default() };
        for j in 0..self.demands() {
            local.add(self, scaling, j, matrix);
        }
        for (i, slack) in scaling.slack.iter().enumerate() {
            matrix.row(i)[i] += slack;
        }
    }

    /// The same matrix times `x`.
    pub(super) fn times(&self, scaling: &Scaling, x: &[f64]) -> Vec<f64> {
        let mut flow = self.costs(x);
        for j in 0..self.demands() {
            let own = self.own(j);
            let mean = own.clone().map(|n| scaling.paths[n] * flow[n]).sum::<f64>() / scaling.demand[j];
            own.for_each(|n| flow[n] = scaling.paths[n] * (flow[n] - mean));
        }
        let load = self.loads(&flow);
        load.iter().zip(x.iter().zip(&scaling.slack)).map(|(load, (x, slack))| load + x * slack).collect()
    }
}

/// The terms of one demand, relative to its heaviest column: differences of large numbers would cancel.
#[derive(Default)]
struct Local {
    /// The rows of the demand, ascending, and the place of each among them.
    rows: Vec<u32>,
    place: Vec<u32>,
    /// The matrix on these rows, and the sum of its columns.
    values: Vec<f64>,
    sum: Vec<f64>,
    /// A column less the heaviest one.
    column: Vec<f64>,
    entries: Vec<u32>,
}

impl Local {
    fn add(&mut self, entries: &Entries, scaling: &Scaling, j: usize, matrix: &mut Square) {
        let own = entries.own(j);
        if own.len() + scaling.empty.len() < 2 {
            return;
        }
        self.rows.clear();
        for n in own.clone() {
            for i in entries.of(n) {
                if self.place[*i as usize] == NONE {
                    self.place[*i as usize] = 0;
                    self.rows.push(*i);
                }
            }
        }
        self.rows.sort_unstable();
        self.rows.iter().zip(0..).for_each(|(i, at)| self.place[*i as usize] = at);
        let width = self.rows.len();
        self.values.clear();
        self.values.resize(width * width, 0.0);
        self.sum.clear();
        self.sum.resize(width, 0.0);
        self.column.resize(width.max(self.column.len()), 0.0);
        let heaviest = own.clone().max_by(|a, b| scaling.paths[*a].total_cmp(&scaling.paths[*b]));
        let empty = scaling.empty.iter().map(|theta| theta[j]).fold(0.0, f64::max);
        let heaviest = heaviest.filter(|n| scaling.paths[*n] >= empty);
        for n in own.filter(|n| Some(*n) != heaviest) {
            self.shift(entries.of(n), 1.0);
            if let Some(heaviest) = heaviest {
                self.shift(entries.of(heaviest), -1.0);
            }
            self.accumulate(scaling.paths[n]);
        }
        if let Some(heaviest) = heaviest {
            let theta: f64 = scaling.empty.iter().map(|theta| theta[j]).sum();
            if theta > 0.0 {
                self.shift(entries.of(heaviest), -1.0);
                self.accumulate(theta);
            }
        }
        let size = entries.size[j];
        let unit = 1.0 / scaling.demand[j];
        for (p, i) in self.rows.iter().enumerate() {
            let row = matrix.row(*i as usize);
            let (by, sum) = (size * entries.inverse[*i as usize], self.sum[p] * unit);
            for (q, k) in self.rows[..=p].iter().enumerate() {
                let value = self.values[p * width + q] - sum * self.sum[q];
                row[*k as usize] += by * (size * entries.inverse[*k as usize]) * value;
            }
        }
        self.rows.iter().for_each(|i| self.place[*i as usize] = NONE);
    }

    /// Adds `by` to the column in these rows.
    fn shift(&mut self, rows: &[u32], by: f64) {
        for i in rows {
            let at = self.place[*i as usize];
            let value = &mut self.column[at as usize];
            if *value == 0.0 {
                self.entries.push(at);
            }
            *value += by;
        }
    }

    /// Adds the column, and clears it.
    fn accumulate(&mut self, theta: f64) {
        let width = self.rows.len();
        for p in &self.entries {
            let value = theta * self.column[*p as usize];
            if value == 0.0 {
                continue;
            }
            self.sum[*p as usize] += value;
            for q in self.entries.iter().filter(|q| **q <= *p) {
                self.values[*p as usize * width + *q as usize] += value * self.column[*q as usize];
            }
        }
        self.entries.iter().for_each(|p| self.column[*p as usize] = 0.0);
        self.entries.clear();
    }
}
