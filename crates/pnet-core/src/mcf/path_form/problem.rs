//! The instance on path form: the paths that each demand may take, as links.

use crate::error::{Error, invalid};
use crate::rounding::{Rounding, Sum};

/// Maximum concurrent flow over given paths.
///
/// A link is anything with a capacity: an arc of a plane, or an access link.
#[derive(Debug, Clone)]
pub struct PathProblem {
    /// Capacity of each link, positive; infinite without a limit.
    pub capacity: Vec<f64>,
    /// Demands, positive.
    pub demand: Vec<f64>,
    /// Paths of demand `j` are `pair_ptr[j]..pair_ptr[j + 1]`, at least one.
    pub pair_ptr: Vec<usize>,
    /// Links of path `n` are `link[path_ptr[n]..path_ptr[n + 1]]`.
    pub path_ptr: Vec<usize>,
    /// Links after each other.
    pub link: Vec<u32>,
}

impl PathProblem {
    /// Checks the arrays.
    ///
    /// ```
    /// # use pnet_core::mcf::path_form::PathProblem;
    /// // Links of 1 and 4, and a demand with a path over each.
    /// let problem = PathProblem::new(vec![1.0, 4.0], vec![1.0], vec![0, 2], vec![0, 1, 2], vec![0, 1])?;
    /// let error = PathProblem::new(vec![1.0], vec![1.0], vec![0, 1], vec![0, 1], vec![7]).unwrap_err();
    /// assert_eq!(error.to_string(), "link: 7 is not in 0..1");
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    pub fn new(
        capacity: Vec<f64>,
        demand: Vec<f64>,
        pair_ptr: Vec<usize>,
        path_ptr: Vec<usize>,
        link: Vec<u32>,
    ) -> Result<Self, Error> {
        check_demands(&capacity, &demand, &pair_ptr)?;
        if path_ptr.len() != pair_ptr[demand.len()] + 1
            || path_ptr[0] != 0
            || !path_ptr.is_sorted()
            || path_ptr[path_ptr.len() - 1] != link.len()
        {
            return invalid("path_ptr", "does not divide the links into paths");
        }
        if let Some(unknown) = link.iter().find(|l| **l as usize >= capacity.len()) {
            return invalid("link", format!("{unknown} is not in 0..{}", capacity.len()));
        }
        if u32::try_from(path_ptr.len()).is_err() {
            return invalid("path_ptr", format!("{} paths are too many", path_ptr.len() - 1));
        }
        Ok(PathProblem { capacity, demand, pair_ptr, path_ptr, link })
    }

    /// Number of paths.
    pub(crate) fn paths(&self) -> usize {
        self.path_ptr.len() - 1
    }

    /// Links of path `n`.
    #[inline]
    pub(crate) fn path(&self, n: usize) -> &[u32] {
        &self.link[self.path_ptr[n]..self.path_ptr[n + 1]]
    }

    /// The load on each link where each demand is split by these weights, which sum to 1 over its paths.
    pub(crate) fn load<R: Rounding>(&self, weight: &[f64]) -> Vec<f64> {
        let mut load = vec![0.0; self.capacity.len()];
        for (j, demand) in self.demand.iter().enumerate() {
            let paths = self.pair_ptr[j]..self.pair_ptr[j + 1];
            let total = weight[paths.clone()].iter().fold(0.0, |sum, w| R::Back::add(sum, *w));
            for n in paths {
                let amount = R::mul(*demand, R::share(weight[n], total));
                for l in self.path(n) {
                    load[*l as usize] = R::add(load[*l as usize], amount);
                }
            }
        }
        load
    }

    /// The load on each link where each path carries such a part of its demand, as near as double precision is.
    pub(crate) fn load_of(&self, weight: &[f64]) -> Vec<f64> {
        let mut load = vec![0.0; self.capacity.len()];
        for (j, demand) in self.demand.iter().enumerate() {
            for n in self.pair_ptr[j]..self.pair_ptr[j + 1] {
                self.path(n).iter().for_each(|l| load[*l as usize] += demand * weight[n]);
            }
        }
        load
    }

    /// The largest K at which K times these loads fit: infinite where no loaded link has a limit.
    pub(crate) fn lower_bound<R: Rounding>(&self, load: &[f64]) -> f64 {
        let loaded = self.capacity.iter().zip(load).filter(|(_, load)| **load > 0.0);
        let ratios = loaded.map(|(c, load)| R::Back::div(*c, *load));
        ratios.fold(f64::INFINITY, f64::min)
    }

    /// The length of each demand's shortest path.
    pub(crate) fn shortest<R: Rounding>(&self, length: &[f64]) -> Vec<f64> {
        let demands = self.pair_ptr.windows(2).map(|ends| {
            let far = |n| self.path(n).iter().fold(0.0, |sum, l| R::add(sum, length[*l as usize]));
            let paths = (ends[0]..ends[1]).map(far);
            paths.fold(f64::INFINITY, f64::min)
        });
        demands.collect()
    }

    /// Sum of capacity times length over sum of demand times shortest path: K is at most this, whatever the lengths.
    pub(crate) fn upper_bound<R: Rounding>(&self, length: &[f64]) -> f64 {
        let (mut volume, mut carried) = (Sum::<R>::new(), Sum::<R::Back>::new());
        let long = self.capacity.iter().zip(length).filter(|(_, l)| **l > 0.0);
        long.for_each(|(c, l)| volume.add(R::mul(*c, *l)));
        let shortest = self.shortest::<R::Back>(length);
        shortest.iter().zip(&self.demand).for_each(|(dist, demand)| carried.add(R::Back::mul(*demand, *dist)));
        let (volume, carried) = (volume.value(), carried.value());
        if carried > 0.0 { R::div(volume, carried) } else { f64::INFINITY }
    }
}

/// Checks capacities, demands and the offsets of the demands' columns.
pub(crate) fn check_demands(capacity: &[f64], demand: &[f64], pair_ptr: &[usize]) -> Result<(), Error> {
    if capacity.iter().any(|c| c.is_nan() || *c <= 0.0) {
        return invalid("capacity", "not above 0 on every link");
    }
    if demand.iter().any(|d| !d.is_finite() || *d <= 0.0) {
        return invalid("demand", "not finite and above 0 for every demand");
    }
    if pair_ptr.len() != demand.len() + 1 || pair_ptr[0] != 0 || !pair_ptr.is_sorted_by(|a, b| a < b) {
        return invalid("pair_ptr", "a demand has no path");
    }
    Ok(())
}

/// Divides each demand's weights by their sum; where that is 0, they become equal.
pub(crate) fn normalise(problem: &PathProblem, weight: &mut [f64]) {
    for ends in problem.pair_ptr.windows(2) {
        let part = &mut weight[ends[0]..ends[1]];
        let total: f64 = part.iter().sum();
        if total > 0.0 {
            part.iter_mut().for_each(|w| *w /= total);
        } else {
            let even = 1.0 / part.len() as f64;
            part.fill(even);
        }
    }
}
