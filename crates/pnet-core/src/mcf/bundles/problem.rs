//! The instance on columns.

use crate::csr::Csr;
use crate::error::{Error, invalid};
use crate::mcf::path_form::{PathProblem, check_demands};

/// How much of each demand is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// All of it.
    All,
    /// Any part.
    Any,
}

impl Served {
    /// The least part.
    pub(super) fn least(self) -> f64 {
        match self {
            Served::All => 1.0,
            Served::Any => 0.0,
        }
    }
}

/// Demands with their columns, each a bundle of links.
///
/// A link is anything with a capacity: an arc of a plane, or an access link.
#[derive(Debug, Clone)]
pub struct Bundles {
    /// Capacity of each link, positive; infinite without a limit.
    pub capacity: Vec<f64>,
    /// Demands, positive.
    pub demand: Vec<f64>,
    /// Columns of demand `j` are `pair_ptr[j]..pair_ptr[j + 1]`, at least one.
    pub pair_ptr: Vec<usize>,
    /// Links of column `n` are `link[ptr[n]..ptr[n + 1]]`.
    pub ptr: Vec<usize>,
    /// Links after each other.
    pub link: Vec<u32>,
    /// The load of a unit of the column on each of them, positive.
    pub part: Vec<f64>,
}

impl Bundles {
    /// Checks the arrays.
    ///
    /// ```
    /// use pnet_core::mcf::bundles::Bundles;
    /// // Links of 1 and 4, and a demand that puts a half on each.
    /// let bundles = Bundles {
    ///     capacity: vec![1.0, 4.0],
    ///     demand: vec![1.0],
    ///     pair_ptr: vec![0, 1],
    ///     ptr: vec![0, 2],
    ///     link: vec![0, 1],
    ///     part: vec![0.5, 0.5],
    /// };
    /// assert!(bundles.clone().checked().is_ok());
    /// let broken = Bundles { part: vec![0.5, f64::NAN], ..bundles };
    /// assert_eq!(broken.checked().unwrap_err().to_string(), "part: not finite and above 0 for every link");
    /// ```
    pub fn checked(self) -> Result<Self, Error> {
        check_demands(&self.capacity, &self.demand, &self.pair_ptr)?;
        let columns = self.ptr.len().saturating_sub(1);
        if self.pair_ptr[self.demand.len()] != columns {
            return invalid("pair_ptr", "does not divide the columns among the demands");
        }
        if self.ptr.first() != Some(&0) || self.ptr[columns] != self.link.len() || !self.ptr.is_sorted() {
            return invalid("ptr", "does not divide the links into columns");
        }
        if self.part.len() != self.link.len() {
            return invalid("part", format!("{} entries, not {}", self.part.len(), self.link.len()));
        }
        if self.part.iter().any(|p| !p.is_finite() || *p <= 0.0) {
            return invalid("part", "not finite and above 0 for every link");
        }
        if let Some(unknown) = self.link.iter().find(|l| **l as usize >= self.capacity.len()) {
            return invalid("link", format!("{unknown} is not in 0..{}", self.capacity.len()));
        }
        if u32::try_from(columns).is_err() {
            return invalid("ptr", format!("{columns} columns are too many"));
        }
        Ok(self)
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.ptr.len() - 1
    }
}

/// Demands with their columns, as first-order steps see them.
pub(in crate::mcf) trait Columns: Sync {
    /// A column over a link.
    type Entry: Copy + Default + Send + Sync;

    fn capacity(&self) -> &[f64];
    fn demand(&self) -> &[f64];
    fn pair_ptr(&self) -> &[usize];
    /// The links of column `n`, with the load of a unit of it on each.
    fn column(&self, n: usize) -> impl Iterator<Item = (usize, f64)> + Clone;
    fn entry(n: u32, part: f64) -> Self::Entry;
    /// The column, and the load of a unit of it.
    fn parts(entry: Self::Entry) -> (usize, f64);

    /// Columns over each link: the transpose.
    fn over(&self) -> Csr<Self::Entry> {
        let columns = 0..self.pair_ptr()[self.demand().len()];
        let entries =
            columns.flat_map(|n| self.column(n).map(move |(l, part)| (l as u32, Self::entry(n as u32, part))));
        Csr::new(self.capacity().len(), entries)
    }
}

/// What both kinds have as fields of these names.
macro_rules! same_fields {
    () => {
        fn capacity(&self) -> &[f64] {
            &self.capacity
        }

        fn demand(&self) -> &[f64] {
            &self.demand
        }

        fn pair_ptr(&self) -> &[usize] {
            &self.pair_ptr
        }
    };
}

impl Columns for Bundles {
    type Entry = (u32, f64);

    same_fields!();

    #[inline]
    fn column(&self, n: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let own = self.ptr[n]..self.ptr[n + 1];
        self.link[own.clone()].iter().zip(&self.part[own]).map(|(l, part)| (*l as usize, *part))
    }

    fn entry(n: u32, part: f64) -> (u32, f64) {
        (n, part)
    }

    #[inline]
    fn parts((n, part): (u32, f64)) -> (usize, f64) {
        (n as usize, part)
    }
}

impl Columns for PathProblem {
    type Entry = u32;

    same_fields!();

    #[inline]
    fn column(&self, n: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        self.path(n).iter().map(|l| (*l as usize, 1.0))
    }

    fn entry(n: u32, _: f64) -> u32 {
        n
    }

    #[inline]
    fn parts(n: u32) -> (usize, f64) {
        (n as usize, 1.0)
    }
}
