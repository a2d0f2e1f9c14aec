//! DCTCP (RFC 8257): the window shrinks by the part of packets that were marked, once a window.
//!
//! There it shrinks at the first mark of a window.  Simulators that follow htsim have it shrink at the end of every window,
//! marked or not, while the estimate is above 0; a mark alone only ends slow start.

use super::super::super::super::values::parameters;
use super::super::sender::Sender;
use super::{Acked, Congestion, Control, Coupled};

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
    /// Segments acknowledged, and those of them that were marked, since the estimate was made.
    acked: u32,
    marked: u32,
    /// The segment whose acknowledgement ends the window.
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

    fn acked(&mut self, connection: u32, flow: &mut [Sender], at: usize, acked: Acked, recovering: bool) {
        let (seen, sender) = (&mut self.seen[connection as usize], &mut flow[at]);
        seen.acked += acked.segments;
        seen.marked += if acked.marked { acked.segments } else { 0 };
        let ends = sender.unacked > seen.end;
        if ends {
            let part = f64::from(seen.marked) / f64::from(seen.acked);
            seen.alpha += self.params.gain * (part - seen.alpha);
            (seen.acked, seen.marked, seen.end) = (0, 0, sender.next);
        }
        if recovering {
            return;
        }
        if self.params.always {
            if acked.marked {
                sender.threshold = sender.threshold.min(sender.window);
            }
            if ends && seen.alpha > 0.0 {
                sender.shrink(seen.alpha);
            }
            self.params.growth.grow(flow, at);
        } else if !acked.marked {
            self.params.growth.grow(flow, at);
        } else if sender.unacked > seen.reduced {
            sender.shrink(seen.alpha);
            seen.reduced = sender.next;
        }
    }
}
