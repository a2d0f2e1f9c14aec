//! Multipath TCP: the windows of a flow's subflows grow together, so that it takes no more of a shared link than one TCP.

use super::super::super::super::time::Time;
use super::super::super::super::values::{names, parameters};
use super::super::sender::{Phase, Sender};
use super::{Acked, Congestion, Control, Reno};

/// The windows of a flow's subflows grow together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coupled {
    /// How.
    pub coupling: Coupling,
    /// Round-trip times count in whole multiples of this, one at least; 0 where they count as they are.
    pub rtt_unit: Time,
}

parameters!(Coupled: coupling, rtt_unit);

impl Congestion for Coupled {
    fn build(&self) -> Box<dyn Control> {
        Box::new(*self)
    }
}

names!(Coupling, values:
    "lia" => Coupling::Lia,
    "epsilon" => Coupling::Linked,
    "uncoupled" => Coupling::Uncoupled,
);

/// How much a subflow's window grows for a segment acknowledged, in congestion avoidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coupling {
    /// `min(a / total, 1 / own)` (RFC 6356, section 3).
    #[default]
    Lia,
    /// `a / total`: the same without the cap, which is the family of Wischik et al. (NSDI 2011) for epsilon = 1.
    Linked,
    /// `1 / own`: each is a TCP of its own.
    Uncoupled,
}

impl Coupled {
    /// Each subflow is a TCP of its own.
    pub const UNCOUPLED: Coupled = Coupled { coupling: Coupling::Uncoupled, rtt_unit: 0 };

    /// The growth of one subflow's window.
    fn growth(self, flow: &[Sender], at: usize) -> f64 {
        let own = flow[at].window;
        if self.coupling == Coupling::Uncoupled {
            return 1.0 / own;
        }
        let counted = |rtt: Time| rtt.checked_div(self.rtt_unit).map_or(rtt as f64 / 1e6, |units| units.max(1) as f64);
        // Of subflows without a sample nothing is known, and they have no part.  Round-trip times in microseconds.
        let known = || {
            flow.iter()
                .filter(|sender| sender.phase != Phase::Opening && sender.rtt.smoothed > 0)
                .map(|sender| (sender.deflated(), counted(sender.rtt.smoothed)))
        };
        let best = known().map(|(window, rtt)| window / (rtt * rtt)).fold(0.0, f64::max);
        let rates: f64 = known().map(|(window, rtt)| window / rtt).sum();
        // a = total * best / rates^2 (RFC 6356, equation 2), and the total cancels.
        let together = best / (rates * rates);
        if self.coupling == Coupling::Lia { together.min(1.0 / own) } else { together }
    }

    /// Lets a subflow's window grow, as new data is acknowledged.
    #[inline]
    pub(super) fn grow(self, flow: &mut [Sender], at: usize) {
        if flow[at].grows() && !Reno::slow_start(&mut flow[at]) {
            flow[at].window += self.growth(flow, at);
        }
    }
}

impl Control for Coupled {
    fn acked(&mut self, _: u32, flow: &mut [Sender], at: usize, _: Acked, recovering: bool) {
        if !recovering {
            self.grow(flow, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rtt::Rto;
    use super::*;

    fn subflow(window: f64, rtt: u64) -> Sender {
        let rto = Rto::default();
        let mut sender = Sender::new(window, 1.0, &rto, Phase::Open);
        sender.rtt.sample(rtt * 1_000_000, &rto);
        sender
    }

    fn by(coupling: Coupling) -> Coupled {
        Coupled { coupling, rtt_unit: 0 }
    }

    /// Windows 10 and 20 with 10 and 40 us: a = 30 * max(10 / 100, 20 / 1600) / (10 / 10 + 20 / 40)^2 = 30 * 0.1 / 2.25.
    #[test]
    fn growth_by_hand() {
        let flow = [subflow(10.0, 10), subflow(20.0, 40)];
        let a = 30.0 * 0.1 / 2.25;
        for (at, own) in [(0, 10.0), (1, 20.0)] {
            let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            close(by(Coupling::Lia).growth(&flow, at), f64::min(a / 30.0, 1.0 / own));
            close(by(Coupling::Linked).growth(&flow, at), a / 30.0);
            close(by(Coupling::Uncoupled).growth(&flow, at), 1.0 / own);
            // In whole multiples of 20 us, 1 and 2: a = 30 * max(10, 20 / 4) / (10 + 20 / 2)^2; of 1 ms, both 1.
            for (unit, a) in [(20, 30.0 * 10.0 / 400.0), (1000, 30.0 * 20.0 / 900.0)] {
                let coarse = Coupled { coupling: Coupling::Linked, rtt_unit: unit * 1_000_000 };
                close(coarse.growth(&flow, at), a / 30.0);
            }
        }
        // One subflow alone is a TCP.
        let alone = [subflow(10.0, 10)];
        assert!((by(Coupling::Lia).growth(&alone, 0) - 0.1).abs() < 1e-12);
    }

    /// A window that is blown up while a loss is repaired counts with its threshold (RFC 6356, section 4.1): 8 beside 16.
    #[test]
    fn a_subflow_that_recovers_counts_with_its_threshold() {
        let mut flow = [subflow(16.0, 10), subflow(16.0, 10)];
        flow[1].duplicates = 3;
        flow[1].recover(8.0, false);
        flow[1].duplicate(3);
        assert_eq!(flow[1].window, 12.0);
        // 16 / 10^2 / (16 / 10 + 8 / 10)^2 = 1 / 36.
        assert!((by(Coupling::Lia).growth(&flow, 0) - 1.0 / 36.0).abs() < 1e-12);
    }

    /// Two equal ones: together they grow as one TCP with one of the windows' round-trip time would: by 1 / total each.
    #[test]
    fn equal_subflows_share_the_growth_of_one() {
        let flow = [subflow(8.0, 10), subflow(8.0, 10)];
        // a = 16 * 8 / 100 / (16 / 10)^2 = 1/2.
        assert!((by(Coupling::Lia).growth(&flow, 0) - 0.5 / 16.0).abs() < 1e-12);
    }
}
