//! Maximum concurrent flow: the instance, its solvers, and the proof of an answer.
//!
//! Lowest first:
//!
//! - `problem`: the instance on arcs, as arrays, checked once; `lanes`, `distance`: shared by the kernels;
//! - `proof`, `evaluate`: a proof of bounds, and its check, independent of the solvers;
//! - `decompose`: the paths of a proof's flow;
//! - `acyclic`, `round`: from any solver's flow to a feasible one;
//! - [`run`]: limits of a run, and its monitor; `pdhg`: the first-order method of three solvers;
//! - `best`: the best bounds of the solvers on arcs; `balance`: balancing over shortest paths, their first step;
//! - [`path_form`]: the instance over given paths, and its solver;
//! - [`bundles`]: other objectives over given paths or splits;
//! - [`structured`]: the solver on arcs; [`columns`]: column generation;
//! - [`symmetry`]: quotients by equivalence classes, and proofs on them.
//!
//! Nothing here depends on the routing, which comes as paths.

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

pub use best::{Solution, even_entries};
pub use decompose::{FlowPaths, decompose};
pub use evaluate::{Evaluation, demand_distances, evaluate};
pub use problem::{Arrays, Plane, Problem, Use};
pub use proof::Proof;
pub use round::round_flow;
