//! Sums, products and quotients of doubles, rounded in a direction that is known.
//!
//! What a proof claims is computed from these alone, so that it holds to the last bit: loads and volumes are rounded up,
//! distances and amounts down.  The error of an operation is a double, or has the sign of one, which says on which side of
//! the exact result the rounded one is (T. J. Dekker, Numer. Math. 18 (1971)); where the exact result is a double, it is
//! the result.  All numbers are at least 0 and may be infinite.

use std::marker::PhantomData;

/// A product or quotient below this may have an error that is no double; then it counts as rounded in the wrong direction.
const TINY: f64 = 1e-270;

/// The direction in which results are rounded.
pub(crate) trait Rounding {
    /// The opposite direction.
    type Back: Rounding;

    /// The exact result lies on the side of `value` that the sign of `error` tells.
    fn rounded(value: f64, error: f64) -> f64;

    /// As [`Rounding::rounded`] where the side is not known.
    fn doubtful(value: f64) -> f64;

    /// `part / total`, for parts that add up to `total`, nearly 1; to the nearest, what is given is taken as it is.
    fn share(part: f64, total: f64) -> f64 {
        Self::div(part, total)
    }

    /// `a + b`.
    #[inline(always)]
    fn add(a: f64, b: f64) -> f64 {
        let sum = a + b;
        Self::rounded(sum, error_of(a, b, sum))
    }

    /// `a * b`.
    #[inline]
    fn mul(a: f64, b: f64) -> f64 {
        let product = a * b;
        if product < TINY {
            return if a == 0.0 || b == 0.0 { product } else { Self::doubtful(product) };
        }
        Self::rounded(product, a.mul_add(b, -product))
    }

    /// `a / b`, `b > 0`.
    #[inline]
    fn div(a: f64, b: f64) -> f64 {
        let quotient = a / b;
        if quotient < TINY || a < TINY {
            return if a == 0.0 { quotient } else { Self::doubtful(quotient) };
        }
        Self::rounded(quotient, quotient.mul_add(-b, a))
    }
}

/// The exact `a + b`, less `sum`; not a number where that is infinite.
#[inline(always)]
fn error_of(a: f64, b: f64, sum: f64) -> f64 {
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

/// To the nearest double, as the machine does.
pub(crate) enum Nearest {}

/// Up.
pub(crate) enum Up {}

/// Down.
pub(crate) enum Down {}

impl Rounding for Nearest {
    type Back = Nearest;

    #[inline(always)]
    fn rounded(value: f64, _: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn doubtful(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn share(part: f64, _: f64) -> f64 {
        part
    }
}

impl Rounding for Up {
    type Back = Down;

    #[inline(always)]
    fn rounded(value: f64, error: f64) -> f64 {
        if error > 0.0 { value.next_up() } else { value }
    }

    fn doubtful(value: f64) -> f64 {
        value.next_up()
    }
}

impl Rounding for Down {
    type Back = Up;

    #[inline(always)]
    fn rounded(value: f64, error: f64) -> f64 {
        if error < 0.0 { value.next_down() } else { value }
    }

    fn doubtful(value: f64) -> f64 {
        value.next_down().max(0.0)
    }
}

/// A sum of many numbers, of which the errors are added up too, so that hardly more than the last step is rounded.
pub(crate) struct Sum<R> {
    high: f64,
    low: f64,
    rounding: PhantomData<R>,
}

impl<R: Rounding> Sum<R> {
    /// 0.
    pub(crate) fn new() -> Self {
        Sum { high: 0.0, low: 0.0, rounding: PhantomData }
    }

    /// Adds `x`.
    #[inline]
    pub(crate) fn add(&mut self, x: f64) {
        let sum = self.high + x;
        self.low = R::add(self.low, error_of(self.high, x, sum));
        self.high = sum;
    }

    /// The sum.
    pub(crate) fn value(&self) -> f64 {
        if self.high.is_finite() { R::add(self.high, self.low) } else { self.high }
    }
}

/// A number of which two others are known that it lies between.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Between {
    /// At most what it is.
    pub(crate) low: f64,
    /// At least what it is.
    pub(crate) high: f64,
}

impl Between {
    /// A number that is known.
    pub(crate) fn exactly(value: f64) -> Self {
        Between { low: value, high: value }
    }

    /// Adds another number.
    #[inline]
    pub(crate) fn add(&mut self, other: Between) {
        *self = Between { low: Down::add(self.low, other.low), high: Up::add(self.high, other.high) };
    }

    /// The number times one that is known.
    pub(crate) fn times(self, factor: f64) -> Self {
        Between { low: Down::mul(self.low, factor), high: Up::mul(self.high, factor) }
    }

    /// The number over one that is known and above 0.
    #[inline]
    pub(crate) fn over(self, divisor: f64) -> Self {
        Between { low: Down::div(self.low, divisor), high: Up::div(self.high, divisor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_results_stay_and_others_are_enclosed() {
        assert_eq!((Up::add(1.0, 2.0), Down::add(1.0, 2.0)), (3.0, 3.0));
        assert_eq!((Up::mul(1.5, 0.5), Down::mul(1.5, 0.5)), (0.75, 0.75));
        assert_eq!((Up::div(3.0, 4.0), Down::div(3.0, 4.0)), (0.75, 0.75));
        let third = 1.0 / 3.0_f64;
        assert_eq!((Down::div(1.0, 3.0), Up::div(1.0, 3.0)), (third, third.next_up()));
        assert_eq!((Down::add(1.0, 1e-30), Up::add(1.0, 1e-30)), (1.0, 1.0_f64.next_up()));
        assert_eq!((Down::mul(0.1, 0.1), Up::mul(0.1, 0.1)), ((0.1 * 0.1_f64).next_down(), 0.1 * 0.1));
    }

    #[test]
    fn nothing_vanishes_and_nothing_infinite_is_lost() {
        assert!(Up::mul(1e-200, 1e-200) > 0.0);
        assert_eq!(Down::mul(1e-200, 1e-200), 0.0);
        assert_eq!(Up::mul(0.0, 1e-200), 0.0);
        assert_eq!((Up::add(f64::INFINITY, 1.0), Down::div(f64::INFINITY, 2.0)), (f64::INFINITY, f64::INFINITY));
        assert_eq!(Down::div(1.0, f64::INFINITY), 0.0);
    }

    #[test]
    fn long_sums_are_rounded_once() {
        // Ten times the double nearest to 0.1 is a bit more than 1: the next double after 1 is the nearest above.
        let (mut up, mut down) = (Sum::<Up>::new(), Sum::<Down>::new());
        (0..10).for_each(|_| {
            up.add(0.1);
            down.add(0.1);
        });
        assert_eq!((down.value(), up.value()), (1.0, 1.0_f64.next_up()));
    }
}
