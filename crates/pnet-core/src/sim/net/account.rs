//! The end of a run: its records, once it has been checked that no packet is missing.

use super::Net;
use crate::error::Error;
use crate::sim::port::Departure;
use crate::sim::queues::Discipline;
use crate::sim::records::{FlowRecord, PortRecord};
use crate::sim::time::Time;
use crate::sim::trace::Traces;

/// What is left of a network: records and counts, as in [`crate::sim::records::Outcome`].
pub(in crate::sim) struct Left {
    pub(in crate::sim) flows: Vec<FlowRecord>,
    pub(in crate::sim) ports: Vec<PortRecord>,
    pub(in crate::sim) plane_bytes: Vec<u64>,
    pub(in crate::sim) subflow_bytes: Vec<u64>,
    pub(in crate::sim) packet_hops: u64,
    pub(in crate::sim) traces: Traces,
}

impl Net {
    /// Ends the run at `end`: the records, after it has been checked that no packet is missing.
    pub(in crate::sim) fn finish(self, end: Time) -> Result<Left, Error> {
        let mut on_their_way = vec![0_u64; self.records.len()];
        let mut ports = vec![];
        for (i, port) in self.ports.iter().enumerate() {
            let mut counters = port.counters;
            let mut held = 0;
            if let Discipline::Scheduler(scheduler) = &self.discipline {
                for packet in scheduler.held(i as u32) {
                    held += 1;
                    on_their_way[self.live[(packet.connection / self.subflows) as usize].record as usize] +=
                        1;
                    counters.spent = counters.spent.wrapping_add(end);
                }
            }
            if counters.entered != counters.sent + counters.dropped + held || !port.has_sent(counters.sent) {
                return unconserved(format!("port {i}: {counters:?} and {held} packets held"));
            }
            for Departure { time, packet } in port.wire() {
                on_their_way[self.live[(packet.connection / self.subflows) as usize].record as usize] += 1;
                if *time > end {
                    counters.sent -= 1;
                    counters.bytes -= u64::from(packet.size);
                    counters.spent = counters.spent.wrapping_sub(time - end);
                }
            }
            ports.push(PortRecord {
                packets: counters.sent,
                bytes: counters.bytes,
                dropped: counters.dropped,
                lost: self.rare[i].lost,
                marked: counters.marked,
                trimmed: self.rare[i].trimmed,
                spent: counters.spent,
                longest_packets: counters.longest.packets,
                longest_bytes: counters.longest.bytes,
            });
        }
        for (record, on_their_way) in self.records.iter().zip(on_their_way) {
            if record.sent != record.delivered + record.dropped + on_their_way {
                return unconserved(format!("{record:?} and {on_their_way} packets on their way"));
            }
        }
        Ok(Left {
            flows: self.records,
            ports,
            plane_bytes: self.plane_bytes,
            subflow_bytes: self.subflow_bytes,
            packet_hops: self.packet_hops,
            traces: self.recorder.map(|recorder| recorder.traces).unwrap_or_default(),
        })
    }
}

fn unconserved<T>(found: String) -> Result<T, Error> {
    Err(Error::Unconserved { found })
}
