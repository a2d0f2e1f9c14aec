//! Changes of the basis: something is at its bound, and something else moves from now on.

use super::super::super::fabric::NONE;
use super::basis::Column;
use super::moves::Blocking;
use super::{SAME_LENGTH, STALLED, Split, State, TINY};

/// A commodity gives way where its level is higher by more than this part.
const HIGHER: f64 = 1e-11;

/// What moves from now on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Entering {
    /// A path takes part of what its commodity's key carries.
    Path(u32),
    /// The link of this row need not be full any more.
    Slack(u32),
    /// A commodity of a higher level gets less.
    Rate(u32),
}

/// The best of what could move, as far as it has been looked at.
struct Best {
    entering: Option<Entering>,
    /// Paths and links come before rates, which others have to find again.
    preferred: bool,
    gain: f64,
    order: (u8, u32),
    by_order: bool,
}

impl Best {
    fn consider(&mut self, entering: Entering, preferred: bool, gain: f64, order: (u8, u32)) {
        let better = if self.entering.is_none() {
            true
        } else if self.by_order {
            order < self.order
        } else if preferred != self.preferred {
            preferred
        } else if (gain - self.gain).abs() <= SAME_LENGTH * gain {
            order < self.order
        } else {
            gain > self.gain
        };
        if better {
            let by_order = self.by_order;
            *self = Best { entering: Some(entering), preferred, gain, order, by_order };
        }
    }
}

impl Split {
    /// Lets something move so that what blocks can stay at its bound; where nothing can and rates rise, they have found
    /// their bottleneck.
    pub(super) fn give_way(&mut self, blocking: Blocking, rising: bool) {
        if self.anew {
            return;
        }
        let (blocking, lengths) = self.multipliers(blocking);
        let rows = self.basis.tight.iter().copied().zip(lengths.iter().copied());
        let mut links: Vec<(u32, f64)> = rows.filter(|(_, length)| length.abs() > TINY).collect();
        if let Blocking::Link(link) = blocking {
            links.push((link, 1.0));
        }
        self.measure(&links);
        match self.choose(&lengths, rising) {
            Some(entering) => self.exchange(blocking, entering, &lengths),
            None if rising => self.hold(blocking, links),
            // It is always possible to send less.
            None => self.anew = true,
        }
    }

    /// The lengths of the basis's links at which what blocks would move by the length of what moves instead.
    fn multipliers(&mut self, blocking: Blocking) -> (Blocking, Vec<f64>) {
        let at = match blocking {
            Blocking::Link(link) => {
                let uses =
                    (0..).zip(&self.basis.columns).map(|(at, column)| (at, -self.use_of(*column, link)));
                let uses: Vec<(u32, f64)> = uses.filter(|(_, uses)| *uses != 0.0).collect();
                return (blocking, self.basis.lengths(&uses));
            }
            Blocking::Column(at) => at,
            Blocking::Key(path) => self.exchange_key(path),
        };
        (Blocking::Column(at), self.basis.inverse[at as usize].clone())
    }

    /// How often a column uses a link: 1, 0, or -1 where its commodity's key does instead.
    fn use_of(&self, column: Column, link: u32) -> f64 {
        let uses = |path: u32| f64::from(u8::from(self.paths[path as usize].links.contains(&link)));
        match column {
            Column::Path(path) => uses(path) - uses(self.key_beside(path)),
            Column::Rate(number) => uses(self.commodities[number as usize].key),
        }
    }

    /// The key of a path's commodity.
    fn key_beside(&self, path: u32) -> u32 {
        self.commodities[self.paths[path as usize].commodity as usize].key
    }

    /// What a column puts on the rows of the basis.
    fn rows_of(&self, column: Column) -> Vec<(u32, f64)> {
        let of_path = |path: u32, part: f64| {
            let rows = self.paths[path as usize].links.iter().map(|link| self.basis.row[*link as usize]);
            rows.filter(|row| *row != NONE).map(move |row| (row, part))
        };
        match column {
            Column::Path(path) => of_path(path, 1.0).chain(of_path(self.key_beside(path), -1.0)).collect(),
            Column::Rate(number) => of_path(self.commodities[number as usize].key, 1.0).collect(),
        }
    }

    /// Makes the path of its commodity that carries most, beside the key, the key; returns the column that the old one has now.
    fn exchange_key(&mut self, key: u32) -> u32 {
        let number = self.paths[key as usize].commodity;
        let found = &self.commodities[number as usize];
        let beside = found.paths.iter().copied().filter(|path| self.paths[*path as usize].column != NONE);
        let value = |path: &u32| self.paths[*path as usize].value;
        let Some(next) = beside.clone().max_by(|a, b| value(a).total_cmp(&value(b))) else { return NONE };
        let column = |path: u32| self.paths[path as usize].column;
        let at = column(next);
        let others: Vec<u32> = beside.filter(|path| *path != next).map(column).collect();
        let rate = (0..).zip(&self.basis.columns).find(|(_, column)| **column == Column::Rate(number));
        self.basis.exchange_key(at, key, &others, rate.map(|(rate, _)| rate));
        self.commodities[number as usize].key = next;
        self.paths[next as usize].column = NONE;
        self.paths[key as usize].column = at;
        at
    }

    /// Finds how long paths are where links have these lengths, others 0.
    pub(super) fn measure(&mut self, links: &[(u32, f64)]) {
        self.length.clear();
        self.measured.clear();
        for (link, length) in links {
            for path in &self.members[*link as usize] {
                self.length.add(*path, *length);
                self.measured.add(self.paths[*path as usize].commodity, 0.0);
            }
        }
    }

    /// What can move so that nothing goes beyond its bound: it shortens a way, by the lengths that were measured.
    fn choose(&self, lengths: &[f64], rising: bool) -> Option<Entering> {
        let by_order = self.stalled > STALLED;
        let mut best = Best { entering: None, preferred: false, gain: 0.0, order: (0, 0), by_order };
        for (row, length) in (0..).zip(lengths).filter(|(_, length)| **length < -SAME_LENGTH) {
            best.consider(Entering::Slack(row), true, -length, (0, self.basis.tight[row as usize]));
        }
        for (number, _) in self.measured.iter() {
            let found = &self.commodities[number as usize];
            let own = self.length.get(found.key);
            for path in found.paths.iter().filter(|path| self.paths[**path as usize].column == NONE) {
                let gain = own - self.length.get(*path);
                if gain > SAME_LENGTH {
                    best.consider(Entering::Path(*path), true, gain, (1, *path));
                }
            }
            let higher = found.rate > found.weight * self.level * (1.0 + HIGHER);
            if rising && own > SAME_LENGTH && found.state == State::Kept && higher {
                best.consider(Entering::Rate(number), false, found.rate / found.weight, (2, number));
            }
        }
        best.entering
    }

    /// Puts what moves from now on in the place of what blocks.
    fn exchange(&mut self, blocking: Blocking, entering: Entering, lengths: &[f64]) {
        let (column, pivot) = match (entering, blocking) {
            (Entering::Slack(row), Blocking::Link(link)) => {
                return self.basis.replace_row(row, link, lengths);
            }
            (Entering::Slack(row), Blocking::Column(at)) => return self.take_out(at, row),
            (Entering::Path(path), _) => {
                (Column::Path(path), self.length.get(path) - self.length.get(self.key_beside(path)))
            }
            (Entering::Rate(number), _) => {
                self.mark(number);
                self.commodities[number as usize].held_by = NONE;
                (Column::Rate(number), self.length.get(self.commodities[number as usize].key))
            }
            (Entering::Slack(_), Blocking::Key(_)) => unreachable!("a key is exchanged for a column first"),
        };
        let solved = self.basis.solve(&self.rows_of(column));
        match blocking {
            Blocking::Link(link) => {
                self.basis.grow(link, column, &solved, lengths, pivot);
                self.enter(column, self.basis.columns.len() as u32 - 1);
            }
            Blocking::Column(at) => {
                let gone = self.basis.columns[at as usize];
                self.basis.replace_column(at, column, &solved);
                self.leave(gone);
                self.enter(column, at);
            }
            Blocking::Key(_) => unreachable!("a key is exchanged for a column first"),
        }
    }

    /// Something is this column from now on.
    fn enter(&mut self, column: Column, at: u32) {
        match column {
            Column::Path(path) => self.paths[path as usize].column = at,
            Column::Rate(number) => self.commodities[number as usize].state = State::Yielding,
        }
    }

    /// What was a column is at its bound.
    fn leave(&mut self, column: Column) {
        match column {
            Column::Path(path) => {
                self.paths[path as usize].column = NONE;
                self.paths[path as usize].value = 0.0;
            }
            Column::Rate(number) => self.tie(number),
        }
    }

    /// Takes out a column that is at its bound, and a row.
    fn take_out(&mut self, at: u32, row: u32) {
        let gone = self.basis.columns[at as usize];
        self.basis.shrink(at, row);
        self.leave(gone);
        if let Some(moved) = self.basis.columns.get(at as usize) {
            self.enter(*moved, at);
        }
    }

    /// Takes out a column that is at its bound, and the row that says most about it.
    pub(super) fn drop_column(&mut self, at: u32) {
        let parts = (0..).zip(&self.basis.inverse[at as usize]);
        let (row, _) = parts.fold((0, 0.0), |most, (row, part)| match part.abs() > most.1 {
            true => (row, part.abs()),
            false => most,
        });
        self.take_out(at, row);
    }

    /// Computes the inverse, what paths carry and what links do from the rates; returns whether all of it is within bounds.
    pub(super) fn refresh(&mut self) -> bool {
        let matrix = self.basis.tight.iter();
        let matrix = matrix.map(|link| self.basis.columns.iter().map(|c| self.use_of(*c, *link)).collect());
        if !self.basis.invert(matrix.collect()) {
            return false;
        }
        self.steps = 0;
        for path in &mut self.paths {
            path.value = 0.0;
        }
        for found in self.commodities.iter().filter(|found| found.weight > 0.0) {
            self.paths[found.key as usize].value = found.rate;
        }
        self.add_loads();
        let left = |link: &u32| self.capacity[*link as usize] - self.load[*link as usize];
        let left: Vec<(u32, f64)> = (0..).zip(self.basis.tight.iter().map(left)).collect();
        for (column, value) in self.basis.columns.iter().zip(self.basis.solve(&left)) {
            let Column::Path(path) = *column else { return false };
            let key = self.key_beside(path);
            self.paths[path as usize].value = value;
            self.paths[key as usize].value -= value;
        }
        self.add_loads();
        let fits = self.load.iter().zip(&self.capacity).all(|(load, most)| *load <= most + SAME_LENGTH);
        fits && self.paths.iter().all(|path| path.value >= -SAME_LENGTH)
    }

    fn add_loads(&mut self) {
        self.load.fill(0.0);
        for path in &self.paths {
            for link in &path.links {
                self.load[*link as usize] += path.value;
            }
        }
    }
}
