//! What a connection keeps from one flow to the next in the same direction.
//!
//! A flow takes over window, threshold, round-trip times and what congestion control has learnt, if the flow before it is
//! complete when it starts.  After more than a timeout of silence the window is at most the first one again (RFC 5681,
//! section 4.1).

use std::collections::HashMap;
use std::ops::Range;

use super::super::super::time::Time;
use super::congestion::Control;
use super::sender::Sender;

/// What complete flows have left to those that follow them, by the number of the flow that left it.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    left: HashMap<u32, (Time, Vec<(Sender, f64)>)>,
}

impl Sessions {
    /// Keeps the state of a flow's connections.
    pub(super) fn keep(
        &mut self,
        flow: u32,
        now: Time,
        connections: Range<usize>,
        senders: &[Sender],
        control: &dyn Control,
    ) {
        let states = connections.map(|i| (senders[i], control.learnt(i as u32))).collect();
        self.left.insert(flow, (now, states));
    }

    /// Hands the state that flow `before` has left on to these connections, just opened with a first window each.
    pub(super) fn hand_on(
        &mut self,
        before: u32,
        now: Time,
        connections: Range<usize>,
        senders: &mut [Sender],
        control: &mut dyn Control,
    ) {
        let Some((since, states)) = self.left.remove(&before) else { return };
        for (i, (old, learnt)) in connections.zip(states) {
            let new = &mut senders[i];
            // A window blown up while a loss was being repaired shrinks at its end (RFC 6582, section 3.2, step 3).
            let window = old.deflated();
            new.window = if now - since > old.rtt.timeout { window.min(new.window) } else { window };
            (new.threshold, new.rtt) = (old.threshold, old.rtt);
            control.resume(i as u32, learnt);
        }
    }
}
