//! Path enumeration: which paths a demand may take, over one plane or several, and what a fixed split puts on links.
//!
//! - [`enumerate()`]: the paths of many pairs; `select` those of one pair over several planes, ties broken by seed;
//! - `level`: all simple paths of one length, by depth-first search that never leaves the reach of the target;
//! - `yen`: the same paths one by one, where a level is too large to search; `disjoint`: paths without a common arc;
//! - `policy`: which planes a pair may use; `endpoints`: where pairs enter them;
//! - [`count_shortest`]: how many shortest paths there are; [`split_loads`]: what a fixed split puts on links.
//!
//! No routing is known by its name here, and no capacity: those are the business of who asks.

mod count;
mod disjoint;
mod endpoints;
mod enumerate;
mod level;
mod loads;
mod path_set;
mod policy;
mod select;
mod yen;

pub use count::{Counts, count_shortest};
pub use enumerate::enumerate;
pub use loads::{Loads, Rule, Split, split_loads};
pub use path_set::{PathSet, Paths};
pub use policy::Policy;
pub use select::{PathKind, Wanted};
pub use yen::k_shortest;
