//! Projections onto simplices.

/// Moves `v` to the nearest point with entries >= 0 that sum to 1.
///
/// Newton's method on the threshold from below (Michelot 1986): each pass drops what is below, and it never overshoots.
pub fn project(v: &mut [f64]) {
    let mut threshold = (v.iter().sum::<f64>() - 1.0) / v.len() as f64;
    let mut active = v.len();
    loop {
        let (mut sum, mut count) = (0.0, 0);
        for x in v.iter() {
            if *x > threshold {
                sum += x;
                count += 1;
            }
        }
        // Exactly, the set only shrinks; with rounding an entry at the threshold could come and go for ever.
        if count >= active || count == 0 {
            break;
        }
        threshold = (sum - 1.0) / count as f64;
        active = count;
    }
    for x in v.iter_mut() {
        *x = (*x - threshold).max(0.0);
    }
}

/// The threshold t at which the entries `max(0, v - t step)` sum to 1: the projection in the norm
/// `sum of squares / step`.  Entries whose step is 0 take no part.
pub fn weighted_threshold(v: &[f64], step: &[f64]) -> f64 {
    let mut threshold = f64::NEG_INFINITY;
    let mut active = usize::MAX;
    loop {
        let (mut sum, mut steps, mut count) = (0.0, 0.0, 0);
        for (x, s) in v.iter().zip(step) {
            let above = *s > 0.0 && (threshold == f64::NEG_INFINITY || *x > threshold * s);
            sum += if above { *x } else { 0.0 };
            steps += if above { *s } else { 0.0 };
            count += usize::from(above);
        }
        if count >= active || count == 0 {
            return threshold;
        }
        threshold = (sum - 1.0) / steps;
        active = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_sums_to_one_and_keeps_the_order() {
        for mut v in [vec![0.2, 0.9, -3.0, 0.4], vec![5.0], vec![-1.0, -1.0], vec![1e-9, 0.0, 1e9]] {
            let before = v.clone();
            project(&mut v);
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
        project(&mut plain);
        let threshold = weighted_threshold(&v, &[2.0; 4]);
        for (x, y) in v.iter().zip(plain) {
            assert!(((x - 2.0 * threshold).max(0.0) - y).abs() < 1e-12);
        }
    }

    #[test]
    fn entries_without_a_step_take_no_part() {
        let threshold = weighted_threshold(&[3.0, 7.0, 1.0], &[1.0, 0.0, 1.0]);
        assert_eq!(threshold, 2.0);
    }
}
