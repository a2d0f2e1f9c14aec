//! Core of pnet-lp: multicommodity flow on several parallel dataplanes, and certificates for it.
//!
//! No Python here.  The layers, lowest first:
//!
//! - [`mcf::problem`]: the instance, as arrays, checked once;
//! - [`mcf::distance`], [`mcf::proof`], [`mcf::evaluate`]: what proves a bound, and how it is checked;
//! - [`mcf::round`]: from any solver's flow to a feasible one;
//! - [`mcf::structured`]: the restarted Halpern PDHG that exploits the structure of the linear program.
//!
//! Beside them: [`paths`] enumerates paths, [`hops`] counts hops while links and switches are down.

pub mod hops;
pub mod mcf;
pub mod paths;
