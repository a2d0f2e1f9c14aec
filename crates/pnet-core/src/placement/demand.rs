//! Natural demands: the rates of elephants if only host links limited them (Hedera, section IV.A).
//!
//! Sources divide their rate evenly among their flows; an overloaded receiver divides its rate evenly among the flows that
//! demand more than that, and their sources offer the rest to their other flows.  The fixed point is max-min fair.

#[derive(Debug, Clone, Copy, Default)]
struct State {
    demand: f64,
    /// Whether its receiver limits it.
    converged: bool,
}

/// Estimates the demand of each (source, destination); `rates` are those at which each host sends and receives.
pub(crate) fn estimate(pairs: &[(u32, u32)], rates: &[(f64, f64)]) -> Vec<f64> {
    let group = |end: fn(&(u32, u32)) -> u32| {
        let mut hosts: Vec<(u32, usize)> = pairs.iter().map(end).zip(0..).collect();
        hosts.sort_unstable();
        hosts
    };
    let (by_src, by_dst) = (group(|pair| pair.0), group(|pair| pair.1));
    let mut states = vec![State::default(); pairs.len()];
    loop {
        let before: Vec<f64> = states.iter().map(|state| state.demand).collect();
        for flows in by_src.chunk_by(|a, b| a.0 == b.0) {
            offer(flows, rates[flows[0].0 as usize].0, &mut states);
        }
        let mut limited = false;
        for flows in by_dst.chunk_by(|a, b| a.0 == b.0) {
            limited |= accept(flows, rates[flows[0].0 as usize].1, &mut states);
        }
        if !limited || states.iter().zip(&before).all(|(state, before)| state.demand == *before) {
            return states.into_iter().map(|state| state.demand).collect();
        }
    }
}

/// A source divides the rate that its converged flows leave.
fn offer(flows: &[(u32, usize)], rate: f64, states: &mut [State]) {
    let (fixed, active): (Vec<usize>, Vec<usize>) = flows.iter().map(|(_, i)| *i).partition(|i| states[*i].converged);
    let rest = rate - fixed.iter().map(|i| states[*i].demand).sum::<f64>();
    for i in &active {
        states[*i].demand = rest.max(0.0) / active.len() as f64;
    }
}

/// An overloaded receiver limits its largest flows; returns whether it was overloaded.
fn accept(flows: &[(u32, usize)], rate: f64, states: &mut [State]) -> bool {
    let total: f64 = flows.iter().map(|(_, i)| states[*i].demand).sum();
    if total <= rate * (1.0 + 1e-12) {
        return false;
    }
    let mut large: Vec<usize> = flows.iter().map(|(_, i)| *i).collect();
    let mut remaining = rate;
    loop {
        let share = remaining / large.len() as f64;
        let (small, rest): (Vec<usize>, Vec<usize>) = large.iter().partition(|i| states[**i].demand < share);
        if small.is_empty() {
            for i in large {
                states[i] = State { demand: share, converged: true };
            }
            return true;
        }
        remaining -= small.iter().map(|i| states[*i].demand).sum::<f64>();
        large = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rates(hosts: usize) -> Vec<(f64, f64)> {
        vec![(1.0, 1.0); hosts]
    }

    fn estimated(pairs: &[(u32, u32)]) -> Vec<f64> {
        estimate(pairs, &rates(6))
    }

    /// The paper's example (figure 5): hosts 0 to 3; 0 sends to 1, 2, 3, host 1 sends twice to 0 and once to 2, host 2 to 0 and
    /// 3, host 3 twice to 1.
    #[test]
    fn the_example_of_the_paper() {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 0), (1, 0), (1, 2), (2, 0), (2, 3), (3, 1), (3, 1)];
        let third = 1.0 / 3.0;
        let expected = [third, third, third, third, third, third, third, 2.0 * third, third, third];
        for (found, expected) in estimated(&pairs).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{:?}", estimated(&pairs));
        }
    }

    #[test]
    fn one_flow_has_the_whole_link_and_several_share_it() {
        assert_eq!(estimated(&[(0, 1)]), [1.0]);
        assert_eq!(estimated(&[(0, 1), (0, 2)]), [0.5, 0.5]);
        assert_eq!(estimated(&[(0, 2), (1, 2)]), [0.5, 0.5]);
        // Host 0 gets a third at host 2, which has two other senders, and offers the rest to 1.
        let found = estimated(&[(0, 1), (0, 2), (3, 2), (4, 2)]);
        assert!((found[0] - 2.0 / 3.0).abs() < 1e-12 && (found[1] - 1.0 / 3.0).abs() < 1e-12);
    }

    proptest! {
        /// No host sends or receives more than its rate, and every flow has its fair share of a saturated end.
        #[test]
        fn demands_are_max_min_fair(pairs in prop::collection::vec((0..6_u32, 0..6_u32), 1..20)) {
            let found = estimated(&pairs);
            let at = |host: u32, src: bool| {
                let ends = pairs.iter().map(move |pair| if src { pair.0 } else { pair.1 });
                let of = ends.zip(&found).filter(move |(end, _)| *end == host).map(|(_, demand)| *demand);
                of.collect::<Vec<f64>>()
            };
            for ((src, dst), demand) in pairs.iter().zip(&found) {
                let ends = [at(*src, true), at(*dst, false)];
                prop_assert!(ends.iter().all(|flows| flows.iter().sum::<f64>() < 1.0 + 1e-9));
                let full = ends.iter().any(|flows| {
                    flows.iter().sum::<f64>() > 1.0 - 1e-9 && flows.iter().all(|other| *other < demand + 1e-9)
                });
                prop_assert!(full);
            }
        }
    }
}
