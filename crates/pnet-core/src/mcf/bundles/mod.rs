//! Objectives other than K, where each demand has columns: paths, or one fixed split.
//!
//! - [`Bundles`]: the instance, with the load of a unit of each column on the links;
//! - [`fill`]: max-min fair rates where each demand has one column;
//! - [`cheapest`]: the cheapest flow, in which each demand is served in full or in part.

mod filling;
pub(super) mod problem;
mod program;
pub(super) mod steps;

pub use filling::{Filling, fill};
pub use problem::{Bundles, Served};
pub use program::{Cheapest, cheapest, estimate_bytes};
