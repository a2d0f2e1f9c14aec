//! Flows that are cut off: every path open to them crosses a link that has failed for good, so that no more data of theirs
//! arrives, however often it is sent again.

use super::Net;
use crate::sim::time::NEVER;

/// What has become of the packets of the flows that are not complete, all of which are cut off.
#[derive(Debug, Clone, Copy)]
pub(in crate::sim) struct CutOff {
    completed: usize,
    sent: u64,
    delivered: u64,
    dropped: u64,
}

impl CutOff {
    /// Whether what was on its way beyond the failed links has come: nothing has arrived since an earlier look, and as many
    /// packets are gone as had been sent by then.
    pub(in crate::sim) fn settled(self, before: CutOff) -> bool {
        (self.completed, self.delivered) == (before.completed, before.delivered)
            && self.delivered + self.dropped >= before.sent
    }
}

impl Net {
    /// What has become of the packets of flows that are not complete, if all that have started are cut off, and nothing else
    /// starts, fails or is repaired any more.
    pub(in crate::sim) fn cut_off(&mut self) -> Option<CutOff> {
        let (open, now) = (self.active.open(), self.clock.now);
        if open.is_empty() || self.next_change() != NEVER || !open.iter().all(|(pair, _)| self.paths.cut(*pair, now)) {
            return None;
        }
        let found = CutOff { completed: self.active.flows.completed, sent: 0, delivered: 0, dropped: 0 };
        Some(open.iter().fold(found, |CutOff { completed, sent, delivered, dropped }, (_, record)| {
            let counts = &self.active.flows.records[*record as usize].counts;
            let (sent, delivered) = (sent + counts.sent, delivered + counts.delivered);
            CutOff { completed, sent, delivered, dropped: dropped + counts.dropped }
        }))
    }
}
