//! Core of pnet-lp: multicommodity flow on several parallel dataplanes, and certificates for it.
//!
//! No Python, no file formats: arrays come in, checked once, and arrays go out.  The root has what all share:
//!
//! - [`graph`]: a plane as arcs, reachability, and several planes with their endpoints;
//! - [`placement`]: paths for large flows, in simulations and in flow problems;
//! - [`random`]: seeded choices; [`stop`]: early termination; [`error`]: the error type.
//!
//! The others are independent of each other, but that [`sim`] uses the path sets and plane policies of [`paths`]:
//!
//! - [`paths`]: enumeration and counts of paths, loads of fixed splits;
//! - [`hops`]: hop counts while links and switches are down;
//! - [`mcf`]: maximum concurrent flow, its solvers and its proofs;
//! - [`sim`]: packets, queues and transports.

mod csr;
pub mod error;
pub mod graph;
pub mod hops;
pub mod mcf;
pub mod paths;
pub mod placement;
pub mod random;
mod rounding;
pub mod sim;
pub mod stop;

pub use error::Error;
pub use stop::Stop;
