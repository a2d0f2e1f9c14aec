//! Maximum concurrent flow over several planes.

pub mod acyclic;
pub mod distance;
pub mod evaluate;
pub mod lanes;
pub mod path_form;
pub mod problem;
pub mod proof;
pub mod reach;
pub mod round;
pub mod run;
pub mod structured;

pub use problem::{Error, Problem};
