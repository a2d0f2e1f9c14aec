//! The proof of a throughput: lengths for the upper bound, splitting fractions and plane shares for the lower one.

/// The proof, in flat arrays; shapes and meanings as in `pnet_lp.model.Certificate`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proof {
    /// Length of each arc, all planes after each other.
    pub length: Vec<f64>,
    /// Length of each access link into a plane, `[planes][endpoints]`.
    pub up_length: Vec<f64>,
    /// Length of each access link out of a plane, `[planes][endpoints]`.
    pub down_length: Vec<f64>,
    /// Share of each demand in each plane, `[planes][demands]`.
    pub share: Vec<f64>,
    /// Entries of each row in the two arrays below.
    pub split_ptr: Vec<usize>,
    /// Arcs, local to the row's plane.
    pub split_arc: Vec<u32>,
    /// Fraction of the row's traffic at the arc's tail that takes the arc.
    pub split_fraction: Vec<f64>,
}
