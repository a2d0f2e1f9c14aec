//! Enumerations of the path searches.  Python uses the members, so no unknown one reaches the core.

use pnet_core::paths;
use pyo3::prelude::*;

/// The kind of paths.
#[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PathKind {
    /// Only paths as short as the shortest.
    EqualCost,
    /// The shortest simple paths.
    KShortest,
    /// Paths that share no link, of least total length.
    EdgeDisjoint,
}

/// How a demand is split inside a plane.
#[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Split {
    /// Equally over next hops on shortest paths.
    Ecmp,
    /// Equally over all intermediate switches, with `Ecmp` to and from them.
    Vlb,
}

/// The planes that a pair may use.
#[pyclass(frozen, eq, hash, from_py_object, module = "pnet_lp._core")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Policy {
    /// All, shortest paths first.
    Any,
    /// All, with equal numbers of paths.
    RoundRobin,
    /// Those in which the pair is nearest.
    Shortest,
    /// One, drawn by seed.
    Single,
}

impl From<PathKind> for paths::PathKind {
    fn from(kind: PathKind) -> Self {
        match kind {
            PathKind::EqualCost => Self::EqualCost,
            PathKind::KShortest => Self::KShortest,
            PathKind::EdgeDisjoint => Self::EdgeDisjoint,
        }
    }
}

impl From<Split> for paths::Split {
    fn from(split: Split) -> Self {
        match split {
            Split::Ecmp => Self::Ecmp,
            Split::Vlb => Self::Vlb,
        }
    }
}

impl From<Policy> for paths::Policy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Any => Self::Any,
            Policy::RoundRobin => Self::RoundRobin,
            Policy::Shortest => Self::Shortest,
            Policy::Single => Self::Single,
        }
    }
}
