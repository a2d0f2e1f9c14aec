//! A plane as a directed multigraph, and reachability in it.
//!
//! - [`Graph`]: the arcs, checked once, for paths, hops and flows;
//! - [`Planes`]: several graphs, and where endpoints attach;
//! - [`Reach`]: hops to one node; [`Components`]: strongly connected components;
//! - [`Blocks`]: biconnected components; [`SimplePaths`]: the arcs of simple paths to one node.
//!
//! Capacities and demands belong to [`crate::mcf`], the choice among paths to [`crate::paths`].

mod adjacency;
mod blocks;
mod components;
mod planes;
mod reach;

pub use adjacency::Graph;
pub use blocks::{Blocks, SimplePaths};
pub use components::Components;
pub use planes::Planes;
pub use reach::{FAR, Reach};
