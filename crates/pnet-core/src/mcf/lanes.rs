//! Rows are processed eight at a time: one destination in each SIMD lane.
//!
//! In this layout every access of the kernels is a contiguous load of eight numbers, so nothing is gathered and the
//! compiler vectorises the loops as they stand.  No kernel uses fused multiply-add, so that all instruction sets
//! give the same bits.

/// Destinations per block.
pub(super) const LANES: usize = 8;

/// One number for each destination of a block.
pub(super) type Lane = [f64; LANES];

/// Sum over the lanes, in a fixed order.
#[inline(always)]
pub(super) fn sum(v: &Lane) -> f64 {
    ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
}
