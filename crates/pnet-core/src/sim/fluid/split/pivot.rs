//! Changes of the basis: one variable is at its bound, and another one enters.

use super::super::super::fabric::NONE;
use super::basis::Column;
use super::moves::Blocking;
use super::{SAME_PRICE, STALLED, Split, State, TINY};

/// The rate of a commodity may enter where its level is higher by more than this part.
const HIGHER: f64 = 1e-11;

/// The variable that enters.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Entering {
    /// The value of a path, at the cost of its commodity's key.
    Path(u32),
    /// The slack of the link of this row.
    Slack(u32),
    /// The rate of a commodity of a higher level, which falls.
    Rate(u32),
}

/// The best candidate to enter.
struct Pricing {
    entering: Option<Entering>,
    /// Paths and slacks come before rates, whose commodities need a new bottleneck.
    preferred: bool,
    gain: f64,
    order: (u8, u32),
    by_order: bool,
}

impl Pricing {
    fn consider(&mut self, entering: Entering, preferred: bool, gain: f64, order: (u8, u32)) {
        let better = if self.entering.is_none() {
            true
        } else if self.by_order {
            order < self.order
        } else if preferred != self.preferred {
            preferred
        } else if (gain - self.gain).abs() <= SAME_PRICE * gain {
            order < self.order
        } else {
            gain > self.gain
        };
        if better {
            let by_order = self.by_order;
            *self = Pricing { entering: Some(entering), preferred, gain, order, by_order };
        }
    }
}

impl Split {
    /// Lets a variable enter, so that the blocking one stays at its bound; where none can and rates rise, they have reached
    /// their bottleneck.
    pub(super) fn pivot(&mut self, blocking: Blocking, rising: bool) {
        if self.needs_cold_start {
            return;
        }
        let (blocking, prices) = self.multipliers(blocking);
        let rows = self.basis.tight.iter().copied().zip(prices.iter().copied());
        let mut links: Vec<(u32, f64)> = rows.filter(|(_, price)| price.abs() > TINY).collect();
        if let Blocking::Link(link) = blocking {
            links.push((link, 1.0));
        }
        self.measure_paths(&links);
        match self.choose_entering(&prices, rising) {
            Some(entering) => self.exchange(blocking, entering, &prices),
            None if rising => self.add_bottleneck(blocking, links),
            // A rate can always fall, but for rounding.
            None => self.needs_cold_start = true,
        }
    }

    /// The simplex multipliers of the basis's links: prices by which the blocking variable changes as much as an entering
    /// one has reduced cost.
    fn multipliers(&mut self, blocking: Blocking) -> (Blocking, Vec<f64>) {
        let at = match blocking {
            Blocking::Link(link) => {
                let uses = (0..).zip(&self.basis.columns).map(|(at, column)| (at, -self.use_of(*column, link)));
                let uses: Vec<(u32, f64)> = uses.filter(|(_, uses)| *uses != 0.0).collect();
                return (blocking, self.basis.prices(&uses));
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

    /// Makes that other path of the commodity the key which carries most; returns the column that the old key has now.
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

    /// Computes the lengths of paths by these prices of links; all others are 0.
    pub(super) fn measure_paths(&mut self, links: &[(u32, f64)]) {
        self.length.clear();
        self.measured.clear();
        for (link, price) in links {
            for path in &self.members[*link as usize] {
                self.length.add(*path, *price);
                self.measured.add(self.paths[*path as usize].commodity, 0.0);
            }
        }
    }

    /// The variable with the best reduced cost, by the lengths that were measured.
    fn choose_entering(&self, prices: &[f64], rising: bool) -> Option<Entering> {
        let by_order = self.stalled > STALLED;
        let mut best = Pricing { entering: None, preferred: false, gain: 0.0, order: (0, 0), by_order };
        for (row, price) in (0..).zip(prices).filter(|(_, price)| **price < -SAME_PRICE) {
            best.consider(Entering::Slack(row), true, -price, (0, self.basis.tight[row as usize]));
        }
        for (number, _) in self.measured.iter() {
            let found = &self.commodities[number as usize];
            let own = self.length.get(found.key);
            for path in found.paths.iter().filter(|path| self.paths[**path as usize].column == NONE) {
                let gain = own - self.length.get(*path);
                if gain > SAME_PRICE {
                    best.consider(Entering::Path(*path), true, gain, (1, *path));
                }
            }
            let higher = found.rate > found.weight * self.level * (1.0 + HIGHER);
            if rising && own > SAME_PRICE && found.state == State::Fixed && higher {
                best.consider(Entering::Rate(number), false, found.rate / found.weight, (2, number));
            }
        }
        best.entering
    }

    /// Puts the entering variable in the place of the blocking one.
    fn exchange(&mut self, blocking: Blocking, entering: Entering, prices: &[f64]) {
        let (column, pivot) = match (entering, blocking) {
            (Entering::Slack(row), Blocking::Link(link)) => {
                return self.basis.replace_row(row, link, prices);
            }
            (Entering::Slack(row), Blocking::Column(at)) => return self.remove_column(at, row),
            (Entering::Path(path), _) => {
                (Column::Path(path), self.length.get(path) - self.length.get(self.key_beside(path)))
            }
            (Entering::Rate(number), _) => {
                self.mark_changed(number);
                self.commodities[number as usize].limited_by = NONE;
                (Column::Rate(number), self.length.get(self.commodities[number as usize].key))
            }
            (Entering::Slack(_), Blocking::Key(_)) => unreachable!("a key is exchanged for a column first"),
        };
        let solved = self.basis.solve(&self.rows_of(column));
        match blocking {
            Blocking::Link(link) => {
                self.basis.grow(link, column, &solved, prices, pivot);
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

    /// A variable is now this column.
    fn enter(&mut self, column: Column, at: u32) {
        match column {
            Column::Path(path) => self.paths[path as usize].column = at,
            Column::Rate(number) => self.commodities[number as usize].state = State::Basic,
        }
    }

    /// A variable that was a column is at its bound.
    fn leave(&mut self, column: Column) {
        match column {
            Column::Path(path) => {
                self.paths[path as usize].column = NONE;
                self.paths[path as usize].value = 0.0;
            }
            Column::Rate(number) => self.let_rise(number),
        }
    }

    /// Removes a column that is at its bound, and a row.
    fn remove_column(&mut self, at: u32, row: u32) {
        let gone = self.basis.columns[at as usize];
        self.basis.shrink(at, row);
        self.leave(gone);
        if let Some(moved) = self.basis.columns.get(at as usize) {
            self.enter(*moved, at);
        }
    }

    /// Removes a column that is at its bound, and the row with the largest entry in its inverse.
    pub(super) fn drop_column(&mut self, at: u32) {
        let parts = (0..).zip(&self.basis.inverse[at as usize]);
        let (row, _) = parts.fold((0, 0.0), |most, (row, part)| match part.abs() > most.1 {
            true => (row, part.abs()),
            false => most,
        });
        self.remove_column(at, row);
    }

    /// Computes the inverse, and from the rates the values of paths and the loads of links; returns whether these are within
    /// their bounds.
    pub(super) fn refactor(&mut self) -> bool {
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
        let room = |link: &u32| self.capacity[*link as usize] - self.load[*link as usize];
        let room: Vec<(u32, f64)> = (0..).zip(self.basis.tight.iter().map(room)).collect();
        for (column, value) in self.basis.columns.iter().zip(self.basis.solve(&room)) {
            let Column::Path(path) = *column else { return false };
            let key = self.key_beside(path);
            self.paths[path as usize].value = value;
            self.paths[key as usize].value -= value;
        }
        self.add_loads();
        let fits = self.load.iter().zip(&self.capacity).all(|(load, most)| *load <= most + SAME_PRICE);
        fits && self.paths.iter().all(|path| path.value >= -SAME_PRICE)
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
