//! DCTCP (RFC 8257): the window shrinks by the part of packets that were marked, once a window.
//!
//! There it shrinks at the first mark of a window.  Simulators that follow htsim have it shrink at the end of every window,
//! marked or not, while the estimate is above 0; a mark alone only ends slow start.  They do both while a loss is repaired
//! too, with the window and the threshold of the repair, and a window ends after as many acknowledgements as it has
//! segments, repeated ones counted.

use super::super::super::super::values::parameters;
use super::super::sender::{Phase, Sender};
use super::{Acked, Congestion, Control, Coupled, halved};

/// Parameters of DCTCP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dctcp {
    /// Weight of the last window in the estimate of the marked part (RFC 8257: 1/16).
    pub gain: f64,
    /// The estimate at first (RFC 8257: 1).
    pub alpha: f64,
    /// Whether the window shrinks at the end of every window while the estimate is above 0.
    pub always: bool,
    /// How the windows of a flow's subflows grow.
    pub growth: Coupled,
}

impl Default for Dctcp {
    fn default() -> Self {
        Dctcp { gain: 1.0 / 16.0, alpha: 1.0, always: false, growth: Coupled::UNCOUPLED }
    }
}

/// What a connection has seen of marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) alpha: f64,
    /// Segments acknowledged, and those of them that were marked, since the estimate was made; acknowledgements where the
    /// window shrinks always.
    acked: u32,
    marked: u32,
    /// The segment whose acknowledgement ends the window, or the acknowledgements that do.
    end: u32,
    /// The same after the window was last reduced.
    reduced: u32,
}

/// All connections.
pub(crate) struct Estimates {
    params: Dctcp,
    pub(crate) seen: Vec<Seen>,
}

parameters!(Dctcp: gain, alpha, always, growth);

impl Congestion for Dctcp {
    fn reacts_to_marks(&self) -> bool {
        true
    }

    fn build(&self) -> Box<dyn Control> {
        Box::new(Estimates { params: *self, seen: vec![] })
    }
}

impl Seen {
    /// Takes the marked part of the window that ends here into the estimate.
    fn learn(&mut self, gain: f64) {
        let part = f64::from(self.marked) / f64::from(self.acked);
        self.alpha += gain * (part - self.alpha);
        (self.acked, self.marked) = (0, 0);
    }
}

impl Sender {
    /// Takes half of `part` off the window, and leaves slow start.
    fn shrink(&mut self, part: f64) {
        self.window = (self.window * (1.0 - part / 2.0)).max(1.0);
        self.threshold = self.window;
    }
}

impl Control for Estimates {
    fn open(&mut self, connection: u32) {
        let new = Seen { alpha: self.params.alpha, acked: 0, marked: 0, end: 0, reduced: 0 };
        self.seen.resize(self.seen.len().max(connection as usize + 1), new);
        self.seen[connection as usize] = new;
    }

    fn learnt(&self, connection: u32) -> f64 {
        self.seen[connection as usize].alpha
    }

    fn resume(&mut self, connection: u32, alpha: f64) {
        self.seen[connection as usize].alpha = alpha;
    }

    fn heard(&mut self, connection: u32, flow: &mut [Sender], at: usize, marked: bool) {
        if !self.params.always {
            return;
        }
        let (seen, sender) = (&mut self.seen[connection as usize], &mut flow[at]);
        seen.acked += 1;
        seen.marked += u32::from(marked);
        if marked {
            sender.threshold = sender.threshold.min(sender.window);
        }
        if seen.acked >= seen.end {
            seen.learn(self.params.gain);
            if seen.alpha > 0.0 {
                sender.shrink(seen.alpha);
            }
            seen.end = sender.window as u32;
        }
    }

    fn acked(&mut self, connection: u32, flow: &mut [Sender], at: usize, acked: Acked, recovering: bool) {
        if self.params.always {
            if !recovering {
                self.params.growth.grow(flow, at);
            }
            return;
        }
        let (seen, sender) = (&mut self.seen[connection as usize], &mut flow[at]);
        seen.acked += acked.segments;
        seen.marked += if acked.marked { acked.segments } else { 0 };
        if sender.unacked > seen.end {
            seen.learn(self.params.gain);
            seen.end = sender.next;
        }
        if recovering {
            return;
        }
        if !acked.marked {
            self.params.growth.grow(flow, at);
        } else if sender.unacked > seen.reduced {
            sender.shrink(seen.alpha);
            seen.reduced = sender.next;
        }
    }

    fn lost(&mut self, connection: u32, flow: &[Sender], at: usize, flight: u32) -> f64 {
        if !self.params.always {
            return halved(f64::from(flight));
        }
        // Half of the window, not of what is on its way, and a new window begins to be counted.
        let (seen, sender) = (&mut self.seen[connection as usize], &flow[at]);
        let window = match sender.phase {
            Phase::Recovering => sender.threshold.min(f64::from(flight) + 1.0),
            _ => sender.window,
        };
        (seen.acked, seen.marked, seen.end) = (0, 0, window as u32);
        (window / 2.0).max(if flow.len() > 1 { 1.0 } else { 2.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rtt::Rto;
    use super::*;

    /// A loss halves a window of 10 and blows it up to 8.  Ten more acknowledgements, all of them marked, end the window that
    /// began with the loss: the estimate is a half, and a quarter goes off the window of the repair, which is the threshold then.
    #[test]
    fn windows_may_shrink_while_a_loss_is_repaired() {
        let mut control = Dctcp { gain: 0.5, alpha: 0.0, always: true, ..Dctcp::default() }.build();
        let mut flow = [Sender::new(10.0, 10.0, &Rto::default(), Phase::Open)];
        control.open(0);
        let threshold = control.lost(0, &flow, 0, 4);
        flow[0].duplicates = 3;
        flow[0].recover(threshold, false);
        assert_eq!((flow[0].window, flow[0].threshold), (8.0, 5.0));
        for _ in 0..10 {
            control.heard(0, &mut flow, 0, true);
        }
        assert_eq!((flow[0].window, flow[0].threshold), (6.0, 6.0));
        // A timeout during the repair: half of the threshold, or of what is on its way and one more; a subflow's may be one.
        assert_eq!(control.lost(0, &flow, 0, 10), 3.0);
        assert_eq!(control.lost(0, &flow, 0, 1), 2.0);
        assert_eq!(control.lost(0, &[flow[0], flow[0]], 0, 1), 1.0);
    }
}
