//! A plane as a directed multigraph: its arcs both ways round, and who can reach whom.
//!
//! - [`Graph`]: the arcs, checked once; paths, hops and flows all walk on it;
//! - [`Planes`]: several of them, and where endpoints attach;
//! - [`Reach`]: hops to one node; [`Components`]: which nodes can reach each other;
//! - [`Blocks`]: which arcs simple paths can have in common; [`Ways`]: which of them lead to one node.
//!
//! Capacities and demands belong to [`crate::mcf`], the choice among paths to [`crate::paths`].

mod adjacency;
mod blocks;
mod components;
mod planes;
mod reach;

pub use adjacency::Graph;
pub use blocks::{Blocks, Ways};
pub use components::Components;
pub use planes::Planes;
pub use reach::{FAR, Reach};
