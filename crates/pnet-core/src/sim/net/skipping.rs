//! Steady state skipped: what all have done so far is noted, and time jumps.

use super::Net;
use crate::sim::steady::{FlowNote, Jump, Note};
use crate::sim::time::{NEVER, Time};

impl Net {
    /// What flows under way and ports have done so far; none where all data of a flow has come and that is not known yet.
    pub(in crate::sim) fn note(&mut self) -> Option<Note> {
        let now = self.clock.now;
        let mut flows = vec![];
        for (pair, record) in self.active.open() {
            let (of_planes, of_subflows) = self.active.flows.sent(record);
            let (planes, subflows) = (of_planes.to_vec(), of_subflows.to_vec());
            let found = &self.active.flows.records[record as usize];
            if found.arrived.is_some() {
                return None;
            }
            let (received, counts) = (found.received, found.counts.clone());
            flows.push(FlowNote { connection: pair.connection, record, received, counts, planes, subflows });
        }
        let pauses = self.ports.pauses.as_ref().map_or_else(Vec::new, |pauses| pauses.records(now));
        self.ports.catch_up_all(now, &mut self.clock.events);
        let ports = self.ports.finish(now, |_| {}).ok()?;
        Some(Note { time: now, flows, ports, pauses })
    }

    /// When a flow next starts, or something fails or comes back, or paths learn of it.
    pub(super) fn next_change(&self) -> Time {
        self.active.flows.next_release().min(self.paths.down.boundary(self.clock.now))
    }

    /// The time that flows and failures leave until something comes from outside.
    pub(in crate::sim) fn undisturbed(&self) -> Time {
        self.next_change().min(self.paths.forwarder.next_poll()).saturating_sub(self.clock.now)
    }

    /// Time jumps, and flows with it.
    pub(in crate::sim) fn skip(&mut self, first: &Note, last: &Note, jump: &Jump) {
        for (flow, segments) in last.flows.iter().zip(&jump.segments) {
            let payload = u64::from(*segments) * u64::from(self.payload);
            self.active.flows.records[flow.record as usize].received += payload;
            self.arrived += payload;
        }
        self.skipped.get_or_insert_with(Box::default).add(first, last, jump, self.payload);
        self.active.flows.skipped += jump.time;
        self.paths.down.skipped += jump.time;
        self.wake_source();
        let change = 2 * self.ports.all.len() as u32 + 1;
        let time = self.paths.down.next().min(self.paths.forwarder.next_poll());
        if time < self.clock.events.pending(change) {
            self.clock.events.reschedule_earlier(change, time.max(self.clock.now));
        }
    }

    /// The time as the outside has it.
    pub(in crate::sim) fn outside(&self, time: Time) -> Time {
        if time == NEVER { NEVER } else { time + self.active.flows.skipped }
    }
}
