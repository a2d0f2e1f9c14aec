//! Rows are processed eight at a time: one destination in each SIMD lane.
//!
//! In this layout every access of the kernels is a contiguous load of eight numbers, never a gather.  The kernels work on
//! whole lanes and store whole lanes, with sums over lanes in a function of their own: only then does the compiler turn
//! each operation into one instruction instead of eight.  No kernel uses fused multiply-add, so that all instruction sets
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

/// Writes the sum of each of `lanes`.
#[inline(never)]
pub(super) fn sums(lanes: &[Lane], sums: &mut [f64]) {
    for (total, v) in sums.iter_mut().zip(lanes) {
        *total = sum(v);
    }
}

/// The same number in all lanes.
#[inline(always)]
pub(super) fn all(x: f64) -> Lane {
    [x; LANES]
}

macro_rules! on_lanes {
    ($name:ident, $what:literal, $($v:ident),+ => $value:expr) => {
        #[doc = $what]
        #[inline(always)]
        pub(super) fn $name($($v: Lane),+) -> Lane {
            let mut result = all(0.0);
            for i in 0..LANES {
                $(let $v = $v[i];)+
                result[i] = $value;
            }
            result
        }
    };
}

on_lanes!(add, "a + b", a, b => a + b);
on_lanes!(subtract, "a - b", a, b => a - b);
on_lanes!(multiply, "a b", a, b => a * b);
on_lanes!(positive, "a where it is above 0, else 0.", a => if a > 0.0 { a } else { 0.0 });
