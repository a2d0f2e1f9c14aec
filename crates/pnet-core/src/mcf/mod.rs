//! Maximum concurrent flow: the instance, its solvers, and what proves an answer.
//!
//! Lowest first:
//!
//! - `problem`: the instance on arcs, as arrays, checked once; `lanes`, `distance`: what the kernels share;
//! - `proof`, `evaluate`: what proves a bound, and how it is checked without knowing a solver;
//! - `decompose`: which paths it sends demands on;
//! - `acyclic`, `round`: from any solver's flow to a feasible one;
//! - [`run`]: when a solver stops, and who watches it;
//! - `best`: what the solvers on arcs begin with, keep and return; `balance`: what needs no more than shortest paths;
//! - [`path_form`]: the instance over given paths, and its solver;
//! - [`bundles`]: other objectives over given paths or splits;
//! - [`structured`]: the solver on arcs; [`columns`]: the one that finds the paths worth having;
//! - [`symmetry`]: what is alike, and proofs in colours.
//!
//! What a routing allows is not known here: it comes as paths.

mod acyclic;
mod balance;
mod best;
pub mod bundles;
pub mod columns;
mod decompose;
mod distance;
mod evaluate;
mod lanes;
pub mod path_form;
mod pdhg;
mod problem;
mod proof;
mod round;
pub mod run;
pub mod structured;
pub mod symmetry;

pub use best::Solution;
pub use decompose::{FlowPaths, decompose};
pub use evaluate::{Evaluation, demand_distances, evaluate};
pub use problem::{Arrays, Plane, Problem, Use};
pub use proof::Proof;
pub use round::round_flow;
