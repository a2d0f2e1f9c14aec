//! Projections onto simplices.

/// Moves `v` to the nearest point with entries >= 0 that sum to `total` > 0.
///
/// Newton's method on the threshold from below (Michelot 1986): each pass drops the entries below, and never overshoots.
pub(in crate::mcf) fn project(v: &mut [f64], total: f64) {
    let mut threshold = (v.iter().sum::<f64>() - total) / v.len() as f64;
    let mut active = v.len();
    loop {
        let (mut sum, mut count) = (0.0, 0);
        for x in v.iter() {
            if *x > threshold {
                sum += x;
                count += 1;
            }
        }
        // In exact arithmetic the set only shrinks; with rounding an entry at the threshold could alternate for ever.
        if count >= active || count == 0 {
            break;
        }
        threshold = (sum - total) / count as f64;
        active = count;
    }
    for x in v.iter_mut() {
        *x = (*x - threshold).max(0.0);
    }
}

/// Sums are accumulated in this many lanes, at the speed of the memory.
const LANES: usize = 8;

/// The part of a threshold that rounding may take from an entry above it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The threshold t at which the entries `max(0, v - t step)` sum to 1: the projection in the norm
/// `sum of squares / step`.  Entries whose step is 0 must be 0; they are ignored.
///
/// Newton's method from a guess: wherever it starts, from the second threshold on it only rises.  Where entries are so
/// large that 1 is lost beside them, the largest stays above the threshold returned, by as little as rounding leaves.
pub(in crate::mcf) fn weighted_threshold(v: &[f64], step: &[f64], guess: f64) -> f64 {
    let mut threshold = guess;
    let (mut first, mut from_below) = (true, guess == f64::NEG_INFINITY);
    loop {
        let (sum, steps) = sums_above(v, step, threshold);
        if steps == 0.0 && from_below {
            return if first { threshold } else { threshold - threshold.abs() * ROUNDING };
        }
        if steps == 0.0 {
            (threshold, first, from_below) = (f64::NEG_INFINITY, true, true);
            continue;
        }
        let next = (sum - 1.0) / steps;
        // In exact arithmetic it ends at a fixed point; with rounding it could alternate around it.
        if !first && next <= threshold {
            return threshold;
        }
        (threshold, first) = (next, false);
    }
}

/// Sums of the entries above the threshold and of their steps.
fn sums_above(v: &[f64], step: &[f64], threshold: f64) -> (f64, f64) {
    let floor = threshold.max(-1e300);
    let (mut sum, mut steps) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |v: &[f64], step: &[f64]| {
        for lane in 0..v.len() {
            let above = v[lane] > floor * step[lane];
            sum[lane] += if above { v[lane] } else { 0.0 };
            steps[lane] += if above { step[lane] } else { 0.0 };
        }
    };
    let (whole, rest) = v.as_chunks::<LANES>();
    let (whole_step, rest_step) = step.as_chunks::<LANES>();
    for (v, step) in whole.iter().zip(whole_step) {
        add(v, step);
    }
    add(rest, rest_step);
    (sum.iter().sum(), steps.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_sums_to_one_and_keeps_the_order() {
        for mut v in [vec![0.2, 0.9, -3.0, 0.4], vec![5.0], vec![-1.0, -1.0], vec![1e-9, 0.0, 1e9]] {
            let before = v.clone();
            project(&mut v, 1.0);
            assert!((v.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{before:?} -> {v:?}");
            assert!(v.iter().all(|x| *x >= 0.0));
            for (a, x) in before.iter().zip(&v) {
                assert!(before.iter().zip(&v).all(|(b, y)| a > b || x <= y));
            }
        }
    }

    #[test]
    fn equal_steps_give_the_plain_projection() {
        let v = [0.2, 0.9, -3.0, 0.4];
        let mut plain = v;
        project(&mut plain, 1.0);
        let threshold = weighted_threshold(&v, &[2.0; 4], f64::NEG_INFINITY);
        for (x, y) in v.iter().zip(plain) {
            assert!(((x - 2.0 * threshold).max(0.0) - y).abs() < 1e-12);
        }
    }

    #[test]
    fn entries_without_a_step_are_ignored() {
        for guess in [f64::NEG_INFINITY, -5.0, 1.9, 2.0, 2.5, 1e9] {
            assert_eq!(weighted_threshold(&[3.0, 0.0, 1.0], &[1.0, 0.0, 1.0], guess), 2.0);
        }
    }

    #[test]
    fn entries_beside_which_one_is_lost_end_it() {
        for guess in [f64::NEG_INFINITY, 0.0, 1e20, 1e300] {
            for v in [[1e20, 3.0], [1e20, 1e20]] {
                let threshold = weighted_threshold(&v, &[1.0; 2], guess);
                assert!(threshold < 1e20 && threshold > 0.999_999 * 1e20);
            }
        }
    }

    #[test]
    fn a_guess_changes_nothing() {
        let v: Vec<f64> = (0..1000).map(|i| f64::from(i * 7919 % 1000) / 300.0 - 1.0).collect();
        let step: Vec<f64> = (0..1000).map(|i| 0.1 + f64::from(i * 104_729 % 1000) / 500.0).collect();
        let threshold = weighted_threshold(&v, &step, f64::NEG_INFINITY);
        let total: f64 = v.iter().zip(&step).map(|(x, s)| (x - threshold * s).max(0.0)).sum();
        assert!((total - 1.0).abs() < 1e-12);
        for guess in [-10.0, 0.0, threshold, 2.0, 100.0] {
            assert!((weighted_threshold(&v, &step, guess) - threshold).abs() < 1e-12);
        }
    }
}
