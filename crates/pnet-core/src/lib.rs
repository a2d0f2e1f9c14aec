//! Core of pnet-lp: multicommodity flow on several parallel dataplanes, and certificates for it.
//!
//! No Python here, and no format of anybody's files: arrays come in, checked once, and arrays go out.  What all share
//! stands at the root:
//!
//! - [`graph`]: a plane as arcs, who can reach whom in it, and several planes with their endpoints;
//! - [`placement`]: paths for large flows, which packets and flow problems alike can be sent along;
//! - [`random`]: seeded choices; [`stop`]: an end before the end; [`error`]: what can be wrong.
//!
//! On it stand, side by side and without a word of each other:
//!
//! - [`paths`]: enumeration and counts of paths, loads of fixed splits;
//! - [`hops`]: hop counts while links and switches are down;
//! - [`mcf`]: maximum concurrent flow, its solvers and its proofs;
//! - [`sim`]: packets, queues and transports; of paths it takes what sets of them and plane policies are.

mod csr;
pub mod error;
pub mod graph;
pub mod hops;
pub mod mcf;
pub mod paths;
pub mod placement;
pub mod random;
pub mod sim;
pub mod stop;

pub use error::Error;
pub use stop::Stop;
