//! A vertex of the fair flows of destinations, its prices and its flows.
//!
//! ```text
//! maximise    t
//! subject to  sum of x of destination d out of v - sum into v = sum over demands j from v to d of base_j + slope_j t,
//!             load_l(x) <= 1,  x >= 0
//! ```
//!
//! Each destination has a tree, which carries what other arcs leave (J. L. Kennington, R. V. Helgason, "Algorithms for
//! Network Programming", Wiley 1980, chapter 7).  What is left of the basis is a matrix with a row for each link that is
//! *tight* and a column for each other arc in the basis and for t, as where keys are paths
//! ([`vertex`](super::super::vertex)); but one step moves the traffic of all sources that go through a switch.

use super::network::Network;
use super::tree::{Cycle, Tree};
use crate::csr::Csr;
use crate::mcf::columns::vertex::inverse::Inverse;
use crate::mcf::columns::vertex::matrix::{Matrix, NONE};

/// See [`vertex`](super::super::vertex).
const UNEVEN: f64 = 1e-13;
const CORRECTIONS: usize = 3;

/// What moves away from where it is, an arc up or down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entering {
    /// The arc of a tree, which it is not of.
    Arc(u32, u32),
    Rate,
    /// The slack of the link in a row.
    Slack(u32),
}

/// What t gains by a unit of what enters.
pub(super) type Gain = (f64, Entering);

/// An arc in the basis that is not of its tree.
pub(super) struct Column {
    pub(super) tree: u32,
    pub(super) arc: u32,
    pub(super) cycle: Cycle,
    /// What it carries.
    pub(super) x: f64,
}

pub(super) struct Basis {
    pub(super) network: Network,
    pub(super) trees: Vec<Tree>,
    /// The load of each link under a unit of flow, 0 where it has no limit.
    pub(super) per: Vec<f64>,
    pub(super) base: Vec<f64>,
    pub(super) slope: Vec<f64>,
    pub(super) t: f64,
    /// The largest slope, and the sums of bases and of slopes.
    pub(super) steepest: f64,
    total: (f64, f64),
    /// The load of each link by which it rises with t, over trees.
    pub(super) rising: Vec<f64>,
    /// None is the rate.
    pub(super) columns: Vec<Option<Column>>,
    pub(super) matrix: Matrix,
}

impl Basis {
    /// Nothing flows.
    pub(super) fn new(network: Network, trees: Vec<Tree>, per: Vec<f64>, slope: Vec<f64>) -> Self {
        let links = per.len();
        let mut basis = Basis {
            network,
            trees,
            base: vec![0.0; slope.len()],
            slope: vec![],
            t: 0.0,
            steepest: 0.0,
            total: (0.0, 0.0),
            rising: vec![0.0; links],
            columns: vec![],
            matrix: Matrix::new(links),
            per,
        };
        basis.rise(vec![0.0; slope.len()], slope);
        basis
    }

    /// Begins at a rate with such flows on arcs to each destination, where no link is tight.
    pub(super) fn begin(&mut self, t: f64, flow: impl Fn(&Network, &Tree) -> Vec<f64>) {
        let into = Csr::new(self.network.nodes, self.network.head.iter().copied().zip(0..));
        for tree in &mut self.trees {
            tree.columns.clear();
            tree.take(&self.network, &into, &flow(&self.network, tree));
            tree.send(&self.base, &self.slope);
        }
        self.columns.clear();
        (self.t, self.matrix) = (t, Matrix::new(self.per.len()));
        self.refresh();
    }

    /// Other demands rise from here; the rate leaves the basis.
    pub(super) fn rise(&mut self, base: Vec<f64>, slope: Vec<f64>) {
        if let Some((r, c)) = self.matrix.rate_leaves() {
            self.remove(r, c);
        }
        (self.base, self.slope) = (base, slope);
        self.steepest = self.slope.iter().copied().fold(0.0, f64::max);
        self.total = (self.base.iter().sum(), self.slope.iter().sum());
        self.trees.iter_mut().for_each(|tree| tree.send(&self.base, &self.slope));
        self.refresh();
    }

    /// What all demands get.
    pub(super) fn all(&self) -> f64 {
        self.total.0 + self.total.1 * self.t
    }

    /// Number of tight links.
    pub(super) fn tight(&self) -> usize {
        self.matrix.tight()
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

    /// The lengths of arcs where links have these.
    pub(super) fn of_arcs(&self, length: &[f64]) -> Vec<f64> {
        self.network.link.iter().map(|l| length.get(*l as usize).copied().unwrap_or(0.0)).collect()
    }

    /// Length of each link, and what arcs in the basis lack then to be as long as the tree: see [`Matrix::lengths`].
    pub(super) fn lengths(&self, close: f64) -> (Vec<f64>, f64) {
        self.matrix.lengths(&self.per, (self.t, self.all()), close, |length| self.missing(length))
    }

    /// What each column lacks, at such lengths.
    fn missing(&self, length: &[f64]) -> Vec<f64> {
        let of_row = |l: &u32| self.rising[*l as usize] / self.per[*l as usize] * length[*l as usize];
        let missing = |column: &Option<Column>| match column {
            None => 1.0 - self.matrix.rows.iter().map(of_row).sum::<f64>(),
            Some(column) => self.shorter(column, length),
        };
        self.columns.iter().map(missing).collect()
    }

    /// What a unit on an arc that is not of its tree puts on links that have a limit.
    #[inline]
    pub(super) fn for_each_link(&self, tree: u32, arc: u32, cycle: &Cycle, mut visit: impl FnMut(usize, f64)) {
        let mut on = |arc: u32, by: f64| {
            let link = self.network.link[arc as usize];
            if link != NONE {
                visit(link as usize, by);
            }
        };
        on(arc, 1.0);
        let tree = &self.trees[tree as usize];
        cycle.iter().for_each(|(v, by)| on(tree.arc[*v as usize], *by));
    }

    /// The rows of links by whose slack t gains more than `least`, each with its gain.
    pub(super) fn loose(&self, length: &[f64], least: f64) -> impl Iterator<Item = Gain> {
        let slacks = self.matrix.prices(&self.per, length).zip(0..).map(|(price, r)| (-price, Entering::Slack(r)));
        slacks.filter(move |(gain, _)| *gain > least)
    }

    /// How far the basis moves with a unit of what enters, squared.
    pub(super) fn distance(&self, entering: Entering) -> f64 {
        1.0 + self.product(entering).iter().map(|value| value * value).sum::<f64>()
    }

    /// The matrix again, from its columns, and what flows; returns whether it is regular.
    pub(super) fn refactor(&mut self) -> bool {
        let inverse = Inverse::new(self.tight(), |c| {
            let mut entries = vec![];
            self.for_each_entry(self.columns[c].as_ref(), |r, value| entries.push((r, value)));
            entries
        });
        let regular = inverse.is_some();
        if let Some(inverse) = inverse {
            self.matrix.inverse = inverse;
        }
        self.refresh();
        regular
    }

    /// What is left of the links and on the trees, with all in the basis corrected where tight links do not carry what they
    /// did.
    pub(super) fn refresh(&mut self) {
        (0..self.trees.len()).for_each(|d| self.refill(d));
        for _ in 0..CORRECTIONS {
            let load = self.loads();
            let Some(changes) = self.matrix.settle(&load, UNEVEN) else { return };
            for (column, change) in self.columns.iter_mut().zip(changes) {
                match column {
                    None => self.t += change,
                    Some(column) => column.x += change,
                }
            }
            (0..self.trees.len()).for_each(|d| self.refill(d));
        }
    }

    /// Gives a tree what its other arcs leave.
    pub(super) fn refill(&mut self, d: usize) {
        let tree = &mut self.trees[d];
        tree.fill(&self.network);
        for column in tree.columns.iter().filter_map(|c| self.columns[*c as usize].as_ref()) {
            column.cycle.iter().for_each(|(v, by)| tree.moved[*v as usize] += by * column.x);
        }
    }

    /// The load of each link.
    pub(super) fn loads(&mut self) -> Vec<f64> {
        let mut load = vec![0.0; self.per.len()];
        self.rising.fill(0.0);
        for tree in &self.trees {
            for v in tree.nodes() {
                let link = self.network.link[tree.arc[v] as usize] as usize;
                if let Some(per) = self.per.get(link) {
                    load[link] += per * tree.carries(v, self.t);
                    self.rising[link] += per * tree.rising[v];
                }
            }
        }
        let columns = self.columns.iter().flatten().map(|column| (column.arc, column.x));
        for (arc, x) in columns.chain(self.trees.iter().flat_map(|tree| tree.superbasic.iter().copied())) {
            let link = self.network.link[arc as usize] as usize;
            if let Some(per) = self.per.get(link) {
                load[link] += per * x;
            }
        }
        load
    }

    /// Adds what rises along a tree to that of links, or takes it away.
    fn put_rising(&mut self, d: u32, sign: f64) {
        let tree = &self.trees[d as usize];
        for v in tree.nodes() {
            let link = self.network.link[tree.arc[v] as usize] as usize;
            if let Some(per) = self.per.get(link) {
                self.rising[link] += sign * per * tree.rising[v];
            }
        }
    }

    /// An arc takes the place of that between a node of a tree and its parent.
    pub(super) fn exchange(&mut self, d: u32, lower: u32, arc: u32) {
        self.put_rising(d, -1.0);
        let tree = &mut self.trees[d as usize];
        tree.exchange(&self.network, lower, arc);
        tree.send(&self.base, &self.slope);
        self.put_rising(d, 1.0);
    }

    /// Measures what is in the basis along a tree that is another one now.
    pub(super) fn measure(&mut self, d: u32) {
        let tree = &self.trees[d as usize];
        for c in &tree.columns {
            if let Some(column) = &mut self.columns[*c as usize] {
                column.cycle = tree.cycle(&self.network, column.arc);
            }
        }
    }

    /// Entries of a column, or of the rate, in the rows of tight links, some twice: they are to be added.
    pub(super) fn for_each_entry(&self, column: Option<&Column>, mut visit: impl FnMut(u32, f64)) {
        match column {
            Some(Column { tree, arc, cycle, .. }) => self.for_each_link(*tree, *arc, cycle, |l, by| {
                if self.matrix.row[l] != NONE {
                    visit(self.matrix.row[l], by * self.per[l]);
                }
            }),
            None => {
                let rows = (0..).zip(self.matrix.rows.iter().map(|l| self.rising[*l as usize]));
                rows.filter(|(_, value)| *value != 0.0).for_each(|(r, value)| visit(r, value));
            }
        }
    }

    /// What an arc that is not in the basis carries.
    pub(super) fn superbasic(&self, tree: u32, arc: u32) -> f64 {
        let superbasic = &self.trees[tree as usize].superbasic;
        superbasic.iter().find(|(own, _)| *own == arc).map_or(0.0, |(_, x)| *x)
    }

    /// What t gains by a unit on an arc that is not of its tree: how much shorter it is.
    pub(super) fn gain(&self, tree: u32, arc: u32, length: &[f64]) -> f64 {
        self.shorter(&self.column(tree, arc), length)
    }

    fn shorter(&self, column: &Column, length: &[f64]) -> f64 {
        let mut longer = 0.0;
        self.for_each_link(column.tree, column.arc, &column.cycle, |l, by| longer += by * length[l]);
        -longer
    }

    /// The column that an arc would be.
    pub(super) fn column(&self, tree: u32, arc: u32) -> Column {
        let cycle = self.trees[tree as usize].cycle(&self.network, arc);
        Column { tree, arc, cycle, x: self.superbasic(tree, arc) }
    }

    /// The entry of a column, or of the rate, in the row that a link would have.
    pub(super) fn entry(&self, column: Option<&Column>, link: u32) -> f64 {
        match column {
            Some(Column { tree, arc, cycle, .. }) => {
                let mut entry = 0.0;
                self.for_each_link(*tree, *arc, cycle, |l, by| entry += if l == link as usize { by } else { 0.0 });
                entry * self.per[link as usize]
            }
            None => self.rising[link as usize],
        }
    }

    /// What the inverse makes of the column of what enters.
    pub(super) fn product(&self, entering: Entering) -> Vec<f64> {
        let column = match entering {
            Entering::Slack(r) => return self.matrix.inverse.of(r as usize).to_vec(),
            Entering::Arc(tree, arc) => Some(self.column(tree, arc)),
            Entering::Rate => None,
        };
        let mut entries = vec![];
        self.for_each_entry(column.as_ref(), |r, value| entries.push((r, value)));
        self.matrix.inverse.times(&entries)
    }
}
