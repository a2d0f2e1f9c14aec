//! The step from a vertex to a neighbouring one: what enters, how far it goes, what stops it and leaves.

use super::basis::{Basis, Column, Entering};
use crate::mcf::columns::vertex::matrix::{NONE, Stops};

/// What stops it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Block {
    /// It is back at 0.
    Own,
    Column(u32),
    /// The arc between a node of a tree and its parent.
    Tree(u32, u32),
    Link(u32),
}

/// What changes with one unit of what enters.
struct Direction {
    /// What the inverse makes of the entering column: as it is, and with what it misses, by which flows change.
    product: Vec<f64>,
    column: Vec<f64>,
    rate: f64,
    /// Of the trees that have other arcs in what changes, by nodes, beside what they rise by.
    trees: Vec<(u32, Vec<f64>)>,
    /// Of the load of each link.
    load: Vec<f64>,
}

impl Basis {
    /// Moves what enters up, or down where `sign` is -1, until something stops it, which leaves the basis; returns the step,
    /// and None where nothing does, or what does is slower than the part `slowest` of the fastest arc.
    pub(super) fn step(&mut self, entering: Entering, sign: f64, slowest: f64) -> Option<f64> {
        let column = match entering {
            Entering::Arc(tree, arc) => Some(self.column(tree, arc)),
            Entering::Rate | Entering::Slack(_) => None,
        };
        let direction = self.direction(entering, column.as_ref(), sign);
        if direction.rate < 0.0 {
            return None; // What it gains is noise.
        }
        let (step, block) = self.block(entering, column.as_ref(), sign, slowest, &direction)?;
        if let Some(column) = &column {
            self.trees[column.tree as usize].superbasic.retain(|(arc, _)| *arc != column.arc);
        }
        self.t += step * direction.rate;
        for (column, change) in self.columns.iter_mut().zip(&direction.column) {
            if let Some(column) = column {
                column.x -= sign * step * change;
            }
        }
        for (d, change) in &direction.trees {
            let moved = &mut self.trees[*d as usize].moved;
            moved.iter_mut().zip(change).for_each(|(moved, change)| *moved += step * change);
        }
        for l in (0..self.matrix.slack.len()).filter(|l| self.matrix.row[*l] == NONE) {
            self.matrix.slack[l] -= step * direction.load[l];
        }
        if let Entering::Slack(r) = entering {
            self.matrix.slack[self.matrix.rows[r as usize] as usize] += step;
        }
        self.pivot(
            entering,
            column.map(|column| Column { x: column.x + sign * step, ..column }),
            direction.product,
            block,
        );
        Some(step)
    }

    fn direction(&self, entering: Entering, entered: Option<&Column>, sign: f64) -> Direction {
        let product = self.product(entering);
        let column = self.corrected(entering, entered, &product);
        let rate = match self.matrix.rate {
            Some(c) => -sign * column[c as usize],
            None => f64::from(u8::from(entering == Entering::Rate)),
        };
        let mut load: Vec<f64> = self.rising.iter().map(|by| by * rate).collect();
        let columns = self.columns.iter().zip(&column).filter(|(_, by)| **by != 0.0);
        let mut moving: Vec<(&Column, f64)> =
            columns.filter_map(|(column, by)| column.as_ref().map(|column| (column, -sign * by))).collect();
        moving.extend(entered.map(|column| (column, sign)));
        moving.sort_by_key(|(column, _)| column.tree);
        let trees = moving.chunk_by(|a, b| a.0.tree == b.0.tree).map(|own| {
            let mut change = vec![0.0; self.network.nodes];
            for (column, by) in own {
                column.cycle.iter().for_each(|(v, unit)| change[*v as usize] += unit * by);
                self.for_each_link(column.tree, column.arc, &column.cycle, |l, unit| {
                    load[l] += unit * by * self.per[l]
                });
            }
            (own[0].0.tree, change)
        });
        let trees = trees.collect();
        Direction { product, column, rate, trees, load }
    }

    /// What the inverse makes of the column of what enters, corrected by what the matrix does not make of that.
    fn corrected(&self, entering: Entering, entered: Option<&Column>, product: &[f64]) -> Vec<f64> {
        let mut missing = vec![0.0; self.matrix.rows.len()];
        match entering {
            Entering::Slack(r) => missing[r as usize] = 1.0,
            Entering::Arc(..) | Entering::Rate => self.for_each_entry(entered, |r, value| missing[r as usize] += value),
        }
        for (column, by) in self.columns.iter().zip(product).filter(|(_, by)| **by != 0.0) {
            self.for_each_entry(column.as_ref(), |r, value| missing[r as usize] -= by * value);
        }
        self.matrix.corrected(product, missing)
    }

    /// How far it can go, and what stops it.
    fn block(
        &self,
        entering: Entering,
        entered: Option<&Column>,
        sign: f64,
        slowest: f64,
        direction: &Direction,
    ) -> Option<(f64, Block)> {
        let first = if entering == Entering::Rate { self.steepest } else { 1.0 };
        let columns =
            || (0..).zip(&self.columns).zip(&direction.column).filter_map(|((c, n), by)| Some((c, n.as_ref()?, *by)));
        let fastest = columns().fold(first, |most: f64, (_, _, by)| most.max(by.abs()));
        let mut stops = Stops::new(fastest, slowest);
        entered.into_iter().for_each(|column| stops.consider(column.x, -sign, Block::Own));
        columns().for_each(|(c, column, by)| stops.consider(column.x, sign * by, Block::Column(c)));
        let mut changing = direction.trees.iter().peekable();
        for (d, tree) in (0..).zip(&self.trees) {
            let change = changing.next_if(|(of, _)| *of == d).map(|(_, change)| change);
            let mut carries_less =
                |v: usize, by: f64| stops.consider(tree.carries(v, self.t), -by, Block::Tree(d, v as u32));
            match change {
                Some(change) => {
                    let by = tree.rising.iter().zip(change).map(|(rising, change)| rising * direction.rate + change);
                    by.enumerate().filter(|(_, by)| *by < 0.0).for_each(|(v, by)| carries_less(v, by));
                }
                // Where nothing but the rate moves, only arcs against the tree carry less.
                None if tree.sinks => {
                    let by = tree.rising.iter().map(|rising| rising * direction.rate);
                    by.enumerate().filter(|(_, by)| *by < 0.0).for_each(|(v, by)| carries_less(v, by));
                }
                None => {}
            }
        }
        for (l, by) in (0..).zip(&direction.load).filter(|(l, _)| self.matrix.row[*l as usize] == NONE) {
            stops.consider(self.matrix.slack[l as usize], *by, Block::Link(l));
        }
        stops.first()
    }

    fn pivot(&mut self, entering: Entering, entered: Option<Column>, product: Vec<f64>, block: Block) {
        match block {
            // What it carried is on the tree.
            Block::Own => {}
            Block::Column(c) => self.replace(entering, entered, &product, c),
            Block::Link(l) => {
                let row: Vec<f64> = self.columns.iter().map(|column| self.entry(column.as_ref(), l)).collect();
                self.matrix.slack[l as usize] = 0.0;
                if let Entering::Slack(r) = entering {
                    self.matrix.replace_row(r, l, &row);
                } else {
                    self.matrix.append(l, &product, &row, self.entry(entered.as_ref(), l));
                    self.columns.push(None);
                    self.install(entered, self.columns.len() as u32 - 1);
                }
            }
            Block::Tree(d, v) => self.cut(entering, entered, &product, (d, v)),
        }
    }

    /// The arc between a node of a tree and its parent leaves the tree, where something that crosses this cut takes its place.
    fn cut(&mut self, entering: Entering, entered: Option<Column>, product: &[f64], (d, v): (u32, u32)) {
        let crossing = |column: &Column| column.cycle.iter().find(|(w, _)| *w == v).map(|(_, by)| *by);
        let tree = &self.trees[d as usize];
        let of = |c: u32| self.columns[c as usize].as_ref();
        let others: Vec<(u32, f64)> = tree.columns.iter().filter_map(|c| Some((*c, crossing(of(*c)?)?))).collect();
        let (rises, old) = (tree.rising[v as usize], tree.arc[v as usize]);
        let x = |c: u32| of(c).map_or(0.0, |column| column.x);
        let fullest = |a: &&(u32, f64), b: &&(u32, f64)| x(a.0).total_cmp(&x(b.0)).then(b.0.cmp(&a.0));
        let own = entered.as_ref().filter(|column| column.tree == d).and_then(crossing);
        if let (Some(own), Some(column)) = (own, &entered) {
            self.turn((d, v), column.arc, product, own, &others);
        } else if let Some((c, _)) = others.iter().max_by(fullest).copied() {
            // The fullest of those in the basis does, and what leaves has its column.
            let Some(arc) = of(c).map(|column| column.arc) else { return };
            let mut factors = others;
            factors.extend(self.matrix.rate.map(|rate| (rate, rises)));
            self.matrix.inverse.combine(c as usize, &factors);
            self.exchange(d, v, arc);
            if let Some(column) = &mut self.columns[c as usize] {
                (column.arc, column.x) = (old, 0.0);
            }
            self.measure(d);
            let entered = entered.map(|column| Column { x: column.x, ..self.column(column.tree, column.arc) });
            let product = self.product(entering);
            self.replace(entering, entered, &product, c);
        } else {
            // A superbasic one does, and what was to enter has moved, but has not entered.
            let superbasic = tree.superbasic.iter().map(|(arc, x)| (self.column(d, *arc), *x));
            let crossing = superbasic.filter_map(|(column, x)| Some((crossing(&column)?, x, column.arc)));
            let most = crossing.max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.cmp(&a.2)));
            if let Some((own, _, arc)) = most {
                let product = self.product(Entering::Arc(d, arc));
                self.turn((d, v), arc, &product, own, &others);
                self.trees[d as usize].superbasic.retain(|(other, _)| *other != arc);
            }
            if let Some(column) = entered {
                self.trees[column.tree as usize].superbasic.push((column.arc, column.x));
            }
        }
        self.refill(d as usize);
    }

    /// An arc that crosses a cut, by `own`, takes the place of the tree's arc there; `others` are measured from it now.
    fn turn(&mut self, (d, v): (u32, u32), arc: u32, product: &[f64], own: f64, others: &[(u32, f64)]) {
        let mut row = vec![0.0; self.columns.len()];
        others.iter().for_each(|(c, by)| row[*c as usize] = -by / own);
        if let Some(c) = self.matrix.rate {
            row[c as usize] = -self.trees[d as usize].rising[v as usize] / own;
        }
        if row.iter().any(|value| *value != 0.0) {
            self.matrix.inverse.add_outer(product, &row);
        }
        self.exchange(d, v, arc);
        self.measure(d);
    }

    /// What enters takes the place of the arc in a column.
    fn replace(&mut self, entering: Entering, entered: Option<Column>, product: &[f64], c: u32) {
        if let Some(column) = &self.columns[c as usize] {
            self.trees[column.tree as usize].columns.retain(|other| *other != c);
        }
        if let Entering::Slack(r) = entering {
            self.remove(r, c);
        } else {
            self.matrix.inverse.replace_column(c as usize, product);
            self.install(entered, c);
        }
    }

    /// What enters, the rate where it is no arc, has a column.
    fn install(&mut self, entered: Option<Column>, c: u32) {
        match &entered {
            Some(column) => self.trees[column.tree as usize].columns.push(c),
            None => self.matrix.rate = Some(c),
        }
        self.columns[c as usize] = entered;
    }

    /// A row and a column, of which neither is in use any more.
    pub(super) fn remove(&mut self, r: u32, c: u32) {
        self.matrix.remove(r, c);
        self.columns.swap_remove(c as usize);
        let last = self.columns.len() as u32;
        if let Some(Some(column)) = self.columns.get(c as usize) {
            let own = &mut self.trees[column.tree as usize].columns;
            own.iter_mut().filter(|own| **own == last).for_each(|own| *own = c);
        }
    }
}
