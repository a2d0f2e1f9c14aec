//! A vertex of the fair flows over some paths, its prices and its flows.
//!
//! ```text
//! maximise    t
//! subject to  sum over paths q of demand j of x_q = base_j + slope_j t,  load_l(x) <= 1,  x >= 0
//! ```
//!
//! Each demand has a *key path*, which carries what its other paths do not (generalised upper bounds: G. B. Dantzig, R. M. Van
//! Slyke, "Generalized upper bounding techniques", J. Comput. Syst. Sci. 1 (1967)).  What is left of the basis is a matrix
//! with a row for each link that is *tight* and a column for each other path in the basis and for t: it is as large as there
//! are tight links, however many demands there are.  All numbers are parts of the capacity of a link and multiples of a
//! common unit of flow.

use super::MOST_TIGHT;
use super::closed::Closed;
use super::inverse::Inverse;
use super::matrix::{Matrix, NONE};
use super::paths::Paths;
use crate::mcf::columns::price::Path;

/// In place of the number of a path, in the list of columns.
pub(super) const RATE: u32 = u32::MAX;
/// Part of a link by which the load of a tight one may be off: a correction moves what is at 0 below that, by the norm of the
/// inverse times what sums of flows are rounded by.
const UNEVEN: f64 = 1e-11;
/// What is left, at most, of links by which first-order steps end that are tight at the vertex near there.
const NEARLY_FULL: f64 = 1e-3;
/// How often flows are corrected at once.
const CORRECTIONS: usize = 3;

/// What moves away from its bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entering {
    Path(u32),
    Rate,
    /// The slack of the link in a row.
    Slack(u32),
}

impl Entering {
    pub(super) fn path(self) -> Option<u32> {
        if let Entering::Path(n) = self { Some(n) } else { None }
    }
}

/// What t gains by a unit of what enters.
pub(super) type Gain = (f64, Entering);

pub(super) struct Basis {
    /// The load of each link under a unit of flow, 0 where it has no limit.
    pub(super) per: Vec<f64>,
    pub(super) base: Vec<f64>,
    pub(super) slope: Vec<f64>,
    pub(super) t: f64,
    /// The largest slope, and the sums of bases and of slopes.
    pub(super) steepest: f64,
    total: (f64, f64),
    /// The demand of each path, its links, and its plane or its number.
    pub(super) demand: Vec<u32>,
    pub(super) paths: Paths,
    pub(super) of: Vec<Vec<u32>>,
    /// What each path carries, a key path beyond what it rises by with t from 0.
    pub(super) x: Vec<f64>,
    /// The column of each path in the basis that is not a key.
    pub(super) column: Vec<u32>,
    pub(super) key: Vec<u32>,
    /// The load of each link by which it rises with t, over key paths.
    pub(super) rising: Vec<f64>,
    /// The other paths in the basis of each demand.
    pub(super) others: Vec<Vec<u32>>,
    /// The path of each column.
    pub(super) columns: Vec<u32>,
    pub(super) matrix: Matrix,
}

impl Basis {
    /// No link is tight, and the rate and what each demand has on other paths than its key are anywhere.
    ///
    /// `paths` are those of each demand, with what they carry; `slope` are the demands.
    pub(super) fn new(per: Vec<f64>, slope: Vec<f64>, t: f64, paths: Vec<Vec<(Path, f64)>>) -> Self {
        let demands = slope.len();
        let mut basis = Basis {
            matrix: Matrix::new(per.len()),
            rising: vec![0.0; per.len()],
            per,
            base: vec![0.0; demands],
            slope,
            t,
            steepest: 0.0,
            total: (0.0, 0.0),
            demand: vec![],
            paths: Paths::default(),
            of: vec![vec![]; demands],
            x: vec![],
            column: vec![],
            key: vec![0; demands],
            others: vec![vec![]; demands],
            columns: vec![],
        };
        for (j, paths) in paths.into_iter().enumerate() {
            for (path, x) in paths {
                basis.add(j, &path, x);
            }
            let fullest = |a: &u32, b: &u32| basis.x[*a as usize].total_cmp(&basis.x[*b as usize]).then(b.cmp(a));
            basis.key[j] = basis.of[j].iter().copied().max_by(fullest).unwrap_or(0);
        }
        basis.sum_up();
        basis.refresh();
        basis
    }

    fn sum_up(&mut self) {
        self.steepest = self.slope.iter().copied().fold(0.0, f64::max);
        self.total = (self.base.iter().sum(), self.slope.iter().sum());
    }

    pub(super) fn carries(&self, n: u32) -> f64 {
        let j = self.demand[n as usize] as usize;
        let rises = if self.key[j] == n { self.slope[j] * self.t } else { 0.0 };
        self.x[n as usize] + rises
    }

    /// What all demands get.
    pub(super) fn all(&self) -> f64 {
        self.total.0 + self.total.1 * self.t
    }

    /// Adds a path of a demand, which carries `x`, if it is new.
    pub(super) fn add(&mut self, j: usize, path: &Path, x: f64) {
        let known = |n: &u32| self.paths.place(*n) == path.place && *self.paths.links(*n) == path.links;
        if !self.of[j].iter().any(known) {
            self.of[j].push(self.paths.count());
            self.demand.push(j as u32);
            self.paths.push(path.place, &path.links);
            self.x.push(x);
            self.column.push(NONE);
        }
    }

    /// Number of tight links.
    pub(super) fn tight(&self) -> usize {
        self.matrix.tight()
    }

    /// Whether too many links are tight, or will be: where none is, the nearly full ones are to become so.
    pub(super) fn is_large(&self) -> bool {
        let full = || self.matrix.slack.iter().filter(|left| **left <= NEARLY_FULL).count();
        self.tight() > MOST_TIGHT || (self.tight() == 0 && full() > MOST_TIGHT)
    }

    /// How many links may become tight where all that carry something enter the basis.
    pub(super) fn spread(&self) -> usize {
        let carrying = (0..self.paths()).filter(|n| self.is_superbasic(*n));
        carrying.count().min(self.per.iter().filter(|per| **per > 0.0).count())
    }

    /// Number of paths.
    pub(super) fn paths(&self) -> u32 {
        self.paths.count()
    }

    /// The paths of a demand with what they carry.
    pub(super) fn split(&self, j: usize) -> impl Iterator<Item = (u32, f64)> {
        self.of[j].iter().map(|n| (*n, self.carries(*n).max(0.0)))
    }

    /// Those of them that carry something.
    pub(super) fn carrying(&self, j: usize) -> Vec<(Path, f64)> {
        self.split(j).filter(|(_, x)| *x > 0.0).map(|(n, x)| (self.paths.path(n), x)).collect()
    }

    /// What a demand gets.
    pub(super) fn target(&self, j: usize) -> f64 {
        self.base[j] + self.slope[j] * self.t
    }

    /// What fixed demands take of all capacity, and those that rise for a unit of t, at such distances.
    pub(super) fn takes(&self, distance: &[f64]) -> (f64, f64) {
        let sum = |part: &[f64]| part.iter().zip(distance).map(|(part, distance)| part * distance).sum();
        (sum(&self.base), sum(&self.slope))
    }

    /// Whether a path is superbasic: neither in the basis nor empty.
    pub(super) fn is_superbasic(&self, n: u32) -> bool {
        self.x[n as usize] > 0.0 && self.is_out(n)
    }

    /// What t gains, at least, by moving all that such paths carry, up or down, where a unit is worth more than `least`.
    pub(super) fn worth(&self, keys: &[f64], length: &[f64], least: f64) -> Vec<(f64, u32)> {
        let gain = |n: u32| (keys[self.demand[n as usize] as usize] - self.length(n, length)).abs();
        let some = (0..self.paths()).filter(|n| self.is_superbasic(*n)).map(|n| (gain(n), n));
        some.filter(|(gain, _)| *gain > least).map(|(gain, n)| (gain * self.x[n as usize], n)).collect()
    }

    fn is_out(&self, n: u32) -> bool {
        self.column[n as usize] == NONE && self.key[self.demand[n as usize] as usize] != n
    }

    /// Drops the empty paths that are out of the basis.
    pub(super) fn forget(&mut self) {
        self.keep(|basis, n| basis.carries(n) > 0.0);
    }

    /// Drops the paths out of the basis that are closed now.
    pub(super) fn close(&mut self, closed: &Closed) {
        self.keep(|basis, n| {
            let key = basis.key_links(basis.demand[n as usize] as usize);
            basis.carries(n) > 0.0 || !closed.closes(basis.paths.links(n), key)
        });
    }

    /// The links of a demand's key path.
    pub(super) fn key_links(&self, j: usize) -> &[u32] {
        self.paths.links(self.key[j])
    }

    /// Drops the paths out of the basis that are not to be kept.
    fn keep(&mut self, kept: impl Fn(&Self, u32) -> bool) {
        let kept: Vec<bool> = (0..self.paths()).map(|n| !self.is_out(n) || kept(self, n)).collect();
        let mut place = vec![NONE; kept.len()];
        (0..kept.len()).filter(|n| kept[*n]).zip(0..).for_each(|(old, new)| place[old] = new);
        self.paths.retain(&kept);
        retain(&mut self.demand, &kept);
        retain(&mut self.x, &kept);
        retain(&mut self.column, &kept);
        self.of.iter_mut().for_each(|own| own.retain(|n| kept[*n as usize]));
        let numbers = self.of.iter_mut().chain(&mut self.others).flatten().chain(&mut self.key);
        numbers.for_each(|n| *n = place[*n as usize]);
        self.columns.iter_mut().filter(|n| **n != RATE).for_each(|n| *n = place[*n as usize]);
    }

    /// Other demands rise from here; the rate leaves the basis.
    pub(super) fn rise(&mut self, base: Vec<f64>, slope: Vec<f64>) {
        if let Some((r, c)) = self.matrix.rate_leaves() {
            self.remove(r, c);
        }
        (self.base, self.slope) = (base, slope);
        self.sum_up();
        self.refresh();
    }

    /// Length of each link, and what paths in the basis lack then to be as long as their keys: see [`Matrix::lengths`].
    pub(super) fn lengths(&self, close: f64) -> (Vec<f64>, f64) {
        self.matrix.lengths(&self.per, (self.t, self.all()), close, |length| self.missing(length))
    }

    /// What each column lacks, at such lengths.
    fn missing(&self, length: &[f64]) -> Vec<f64> {
        let column = |n: &u32| match *n {
            RATE => {
                let of_row = |l: &u32| self.rising[*l as usize] / self.per[*l as usize] * length[*l as usize];
                1.0 - self.matrix.rows.iter().map(of_row).sum::<f64>()
            }
            n => self.gain(n, length),
        };
        self.columns.iter().map(column).collect()
    }

    fn length(&self, n: u32, length: &[f64]) -> f64 {
        self.paths.links(n).iter().map(|l| length[*l as usize]).sum()
    }

    /// The length of each demand's key path, under lengths at which all its paths in the basis have the same.
    pub(super) fn keys(&self, length: &[f64]) -> Vec<f64> {
        self.key.iter().map(|n| self.length(*n, length)).collect()
    }

    /// What t gains by a unit on a path out of the basis.
    pub(super) fn gain(&self, n: u32, length: &[f64]) -> f64 {
        let key = self.key[self.demand[n as usize] as usize];
        self.length(key, length) - self.length(n, length)
    }

    /// Those of some paths by which t gains more than `least`, each with its gain.
    pub(super) fn shorter(&self, paths: &[u32], length: &[f64], least: f64) -> Vec<Gain> {
        let out = paths.iter().filter(|n| self.is_out(**n));
        out.map(|n| (self.gain(*n, length), Entering::Path(*n))).filter(|(gain, _)| *gain > least).collect()
    }

    /// Those of all paths, where key paths are as long as `keys`.
    pub(super) fn shorter_than(&self, keys: &[f64], length: &[f64], least: f64) -> Vec<Gain> {
        let paths = self.paths.lengths(length).zip(&self.demand).zip(0..);
        let gains = paths.map(|((length, j), n)| (keys[*j as usize] - length, n));
        let shorter = gains.filter(|(gain, n)| *gain > least && self.is_out(*n));
        shorter.map(|(gain, n)| (gain, Entering::Path(n))).collect()
    }

    /// The rows of links by whose slack t gains more than `least`, each with its gain.
    pub(super) fn loose(&self, length: &[f64], least: f64) -> impl Iterator<Item = Gain> {
        let slacks = self.matrix.prices(&self.per, length).zip(0..).map(|(price, r)| (-price, Entering::Slack(r)));
        slacks.filter(move |(gain, _)| *gain > least)
    }

    /// How far the basis moves with a unit of what enters, squared.
    pub(super) fn distance(&self, entering: Entering) -> f64 {
        let product = self.product(entering);
        1.0 + product.iter().map(|value| value * value).sum::<f64>()
    }

    /// The matrix again, from its columns, and what flows; returns whether it is regular.
    pub(super) fn refactor(&mut self) -> bool {
        let columns = |c: usize| match self.columns[c] {
            RATE => self.column_of(Entering::Rate),
            n => self.column_of(Entering::Path(n)),
        };
        let inverse = Inverse::new(self.tight(), columns);
        let regular = inverse.is_some();
        if let Some(inverse) = inverse {
            self.matrix.inverse = inverse;
        }
        self.refresh();
        regular
    }

    /// What is left of the links and on the key paths, with all in the basis corrected where tight links do not carry what they
    /// did.
    pub(super) fn refresh(&mut self) {
        for _ in 0..CORRECTIONS {
            let load = self.loads();
            let Some(changes) = self.matrix.settle(&load, UNEVEN) else { return };
            for (n, change) in self.columns.iter().zip(changes) {
                match *n {
                    RATE => self.t += change,
                    n => self.x[n as usize] += change,
                }
            }
        }
        self.loads();
    }

    /// Gives key paths what is left of their demands; returns the loads.
    fn loads(&mut self) -> Vec<f64> {
        let mut load = vec![0.0; self.per.len()];
        self.rising.fill(0.0);
        for (j, own) in self.of.iter().enumerate() {
            let key = self.key[j];
            let other: f64 = own.iter().filter(|n| **n != key).map(|n| self.x[*n as usize]).sum();
            self.x[key as usize] = self.base[j] - other;
            put(&mut self.rising, &self.per, self.paths.links(key), self.slope[j]);
            for n in own.iter().filter(|n| self.carries(**n) != 0.0) {
                put(&mut load, &self.per, self.paths.links(*n), self.carries(*n));
            }
        }
        load
    }

    /// Another path of a demand is its key, from which its other paths are measured.
    pub(super) fn make_key(&mut self, j: u32, new: u32) -> u32 {
        let old = std::mem::replace(&mut self.key[j as usize], new);
        let slope = self.slope[j as usize];
        for (n, sign) in [(old, -1.0), (new, 1.0)] {
            self.x[n as usize] -= sign * slope * self.t;
            put(&mut self.rising, &self.per, self.paths.links(n), sign * slope);
        }
        old
    }

    /// Entries in the rows of tight links, some twice: they are to be added.
    pub(super) fn column_of(&self, entering: Entering) -> Vec<(u32, f64)> {
        let mut entries = vec![];
        self.for_each_entry(entering, |r, value| entries.push((r, value)));
        entries
    }

    pub(super) fn for_each_entry(&self, entering: Entering, mut visit: impl FnMut(u32, f64)) {
        let mut on = |n: u32, by: f64| {
            let tight = self.paths.links(n).iter().filter(|l| self.matrix.row[**l as usize] != NONE);
            tight.for_each(|l| visit(self.matrix.row[*l as usize], by * self.per[*l as usize]));
        };
        match entering {
            Entering::Path(n) => {
                on(n, 1.0);
                on(self.key[self.demand[n as usize] as usize], -1.0);
            }
            Entering::Slack(r) => visit(r, 1.0),
            Entering::Rate => {
                let rows = (0..).zip(self.matrix.rows.iter().map(|l| self.rising[*l as usize]));
                rows.filter(|(_, value)| *value != 0.0).for_each(|(r, value)| visit(r, value));
            }
        }
    }

    /// The entry of what enters in the row that a link would have.
    pub(super) fn entry(&self, n: u32, l: u32) -> f64 {
        let on = |n: u32| f64::from(u8::from(self.paths.links(n).contains(&l)));
        match n {
            RATE => self.rising[l as usize],
            n => (on(n) - on(self.key[self.demand[n as usize] as usize])) * self.per[l as usize],
        }
    }

    /// The entries of all columns in the row that a link would have.
    pub(super) fn row_of(&self, l: u32) -> Vec<f64> {
        self.columns.iter().map(|n| self.entry(*n, l)).collect()
    }

    /// What the inverse makes of the column of what enters.
    pub(super) fn product(&self, entering: Entering) -> Vec<f64> {
        match entering {
            Entering::Slack(r) => self.matrix.inverse.of(r as usize).to_vec(),
            Entering::Path(_) | Entering::Rate => self.matrix.inverse.times(&self.column_of(entering)),
        }
    }
}

fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next() == Some(&true));
}

/// Adds a flow to the load of links.
pub(super) fn put(load: &mut [f64], per: &[f64], links: &[u32], flow: f64) {
    links.iter().for_each(|l| load[*l as usize] += flow * per[*l as usize]);
}
