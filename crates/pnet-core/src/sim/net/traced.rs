//! What is noted of flows that are traced.

use super::Net;
use crate::sim::packet::{Kind, Packet};
use crate::sim::trace::ArrivalRow;

impl Net {
    /// Notes that a data packet has crossed the link of a port, where its flow is traced.
    #[cold]
    pub(super) fn trace_hop(&mut self, port: u32, packet: &Packet) {
        let traced = self.active.of(packet.connection).traced;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| traced && packet.kind == Kind::Data) {
            recorder.cross((packet.connection, packet.seq, packet.stamp), port);
        }
    }

    #[cold]
    pub(super) fn trace_arrival(&mut self, port: u32, packet: &Packet) {
        let flow = self.active.of(packet.connection).pair.flow;
        let (time, subflow) = (self.clock.now, packet.connection % self.active.subflows);
        let (seq, size, delay) = (packet.seq, packet.size, time - packet.stamp);
        let plane = self.paths.fabric.plane(port) as u32;
        if let Some(recorder) = &mut self.recorder {
            let path = recorder.path((packet.connection, seq, packet.stamp), flow);
            recorder.arrival(ArrivalRow { time, flow, subflow, seq, delay, size, plane, path });
        }
    }
}
