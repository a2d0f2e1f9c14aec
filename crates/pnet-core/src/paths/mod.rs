//! Path enumeration over one plane or several, and the loads of fixed splits.
//!
//! - [`enumerate()`]: the paths of many pairs; `select`: those of one pair over several planes, ties broken by seed;
//! - `level`: all simple paths of one length, by depth-first search; `yen`: the same paths one by one, where a level is too
//!   large to search; `disjoint`: paths without a common arc;
//! - `policy`: which planes a pair may use; `endpoints`: equivalent endpoints;
//! - [`count_shortest`]: numbers of shortest paths; [`split_loads`]: the loads of a fixed split, and [`split_usage`]: of each demand.
//!
//! Names of routings and capacities belong to the caller.

mod count;
mod disjoint;
mod endpoints;
mod enumerate;
mod level;
mod loads;
mod path_set;
mod policy;
mod select;
mod usage;
mod yen;

pub use count::{Counts, count_shortest};
pub use enumerate::enumerate;
pub use loads::{Loads, Rule, Split, split_loads};
pub use path_set::{PathSet, Paths};
pub use policy::Policy;
pub use select::{PathKind, Selection};
pub use usage::{Usage, split_usage};
pub use yen::k_shortest;
