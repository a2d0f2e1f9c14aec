//! What elephants could send if nothing but hosts' own links were in their way (Hedera, section IV.A).
//!
//! Sources divide their rate evenly between their flows; a receiver that is offered too much divides its rate evenly
//! between those that ask for more than that; what these do not get, their sources offer to their other flows.  That goes
//! round until nothing changes: max-min fair rates.

/// Between whom a flow is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish {
    pub(crate) src: u32,
    pub(crate) dst: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    demand: f64,
    /// Set by its receiver, for good.
    converged: bool,
}

/// Estimates the demand of each flow; `rates` are what each host can send and receive, in the same unit.
pub(crate) fn estimate(wishes: &[Wish], rates: &[(f64, f64)]) -> Vec<f64> {
    let group = |end: fn(&Wish) -> u32| {
        let mut hosts: Vec<(u32, usize)> = wishes.iter().enumerate().map(|(i, w)| (end(w), i)).collect();
        hosts.sort_unstable();
        hosts
    };
    let (by_src, by_dst) = (group(|wish| wish.src), group(|wish| wish.dst));
    let mut states = vec![State::default(); wishes.len()];
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

/// A source divides what its converged flows leave.
fn offer(flows: &[(u32, usize)], rate: f64, states: &mut [State]) {
    let (done, open): (Vec<usize>, Vec<usize>) =
        flows.iter().map(|(_, i)| *i).partition(|i| states[*i].converged);
    let left = rate - done.iter().map(|i| states[*i].demand).sum::<f64>();
    for i in &open {
        states[*i].demand = left.max(0.0) / open.len() as f64;
    }
}

/// A receiver cuts down what is too much; returns whether anything was.
fn accept(flows: &[(u32, usize)], rate: f64, states: &mut [State]) -> bool {
    let total: f64 = flows.iter().map(|(_, i)| states[*i].demand).sum();
    if total <= rate * (1.0 + 1e-12) {
        return false;
    }
    let mut large: Vec<usize> = flows.iter().map(|(_, i)| *i).collect();
    let mut left = rate;
    loop {
        let share = left / large.len() as f64;
        let (small, rest): (Vec<usize>, Vec<usize>) = large.iter().partition(|i| states[**i].demand < share);
        if small.is_empty() {
            for i in large {
                states[i] = State { demand: share, converged: true };
            }
            return true;
        }
        left -= small.iter().map(|i| states[*i].demand).sum::<f64>();
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
        let wishes: Vec<Wish> = pairs.iter().map(|(src, dst)| Wish { src: *src, dst: *dst }).collect();
        estimate(&wishes, &rates(6))
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
        // What host 0 cannot send to 2, where two others send as well, it offers to 1.
        let found = estimated(&[(0, 1), (0, 2), (3, 2), (4, 2)]);
        assert!((found[0] - 2.0 / 3.0).abs() < 1e-12 && (found[1] - 1.0 / 3.0).abs() < 1e-12);
    }

    proptest! {
        /// Nobody sends or receives more than it can, and every flow is at its fair share of a full end.
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
