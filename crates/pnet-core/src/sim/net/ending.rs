//! What is left of a run at its end: its records, and that no packet is missing.

use super::Net;
use crate::error::Error;
use crate::sim::flows::Flows;
use crate::sim::records::{End, Outcome};
use crate::sim::time::Time;

impl Net {
    /// The records of a run that ends so, once it has been checked that no packet is missing.
    pub(in crate::sim) fn finish(mut self, end: End, time: Time, events: u64) -> Result<Outcome, Error> {
        self.active.flows.end();
        let mut on_their_way = vec![0_u64; self.active.flows.records.len()];
        let stuck = if end == End::Deadlock { self.ports.stuck(&self.paths.fabric) } else { vec![] };
        let outside = self.outside(time);
        let mut pauses = self.ports.pauses.as_ref().map_or_else(Vec::new, |pauses| pauses.records(time));
        self.ports.catch_up_all(time, &mut self.clock.events);
        let mut ports = self.ports.finish(time, |packet| {
            on_their_way[self.active.of(packet.connection).record as usize] += 1;
        })?;
        for (record, on_their_way) in self.active.flows.records.iter().zip(on_their_way) {
            let counts = &record.counts;
            if counts.sent != counts.delivered + counts.dropped + on_their_way {
                let found = format!("{record:?} and {on_their_way} packets on their way");
                return Err(Error::Unconserved { found });
            }
        }
        if let Some(skipped) = self.skipped {
            skipped.finish(&mut self.active.flows, &mut ports, &mut pauses);
        }
        let Flows { records: flows, plane_bytes, subflow_bytes, .. } = self.active.flows;
        let traces = self.recorder.map(|recorder| recorder.traces).unwrap_or_default();
        let packet_hops = self.packet_hops;
        Ok(Outcome {
            end,
            time: outside,
            events,
            packet_hops,
            flows,
            ports,
            pauses,
            stuck,
            plane_bytes,
            subflow_bytes,
            traces,
        })
    }
}
