//! Slow start and congestion avoidance (RFC 5681, section 3.1).

use super::super::super::super::values::parameters;
use super::super::sender::Sender;
use super::{Acked, Congestion, Control};

/// The window grows by what is acknowledged, at most one segment an acknowledgement, up to the threshold, and by one
/// segment a round trip from there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reno;

parameters!(Reno: );

impl Congestion for Reno {
    fn build(&self) -> Box<dyn Control> {
        Box::new(*self)
    }
}

impl Reno {
    /// Slow start; returns whether the window was below the threshold.
    #[inline]
    pub(crate) fn slow_start(sender: &mut Sender) -> bool {
        let below = sender.window < sender.threshold;
        if below {
            sender.window = (sender.window + 1.0).min(sender.threshold);
        }
        below
    }
}

impl Control for Reno {
    #[inline]
    fn acked(&mut self, _: u32, flow: &mut [Sender], at: usize, _: Acked, recovering: bool) {
        let sender = &mut flow[at];
        if !recovering && sender.grows() && !Self::slow_start(sender) {
            sender.window += 1.0 / sender.window;
        }
    }
}
