//! What goes into traces.

use super::Net;
use crate::sim::packet::{Kind, Packet};
use crate::sim::port::Backlog;
use crate::sim::trace::{ArrivalRow, QueueRow, WindowRow};

impl Net {
    /// Notes the window of a connection, in segments, where that is traced.
    #[inline]
    pub fn trace_window(&mut self, connection: u32, window: f64) {
        let Some(recorder) = &mut self.recorder else { return };
        let flow = &self.live[(connection / self.subflows) as usize];
        if flow.traced {
            let subflow = connection % self.subflows;
            recorder.window(WindowRow { time: self.now, flow: flow.pair.flow, subflow, window });
        }
    }

    #[cold]
    pub(super) fn trace_queue(&mut self, port: u32, backlog: Backlog) {
        let Backlog { packets, bytes } = backlog;
        if let Some(recorder) = &mut self.recorder {
            recorder.queue(QueueRow { time: self.now, port, packets, bytes });
        }
    }

    /// Notes that a data packet has crossed the link of a port, where its flow is traced.
    #[cold]
    pub(super) fn trace_hop(&mut self, port: u32, packet: &Packet) {
        let traced = self.live[(packet.connection / self.subflows) as usize].traced;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| traced && packet.kind == Kind::Data) {
            recorder.cross((packet.connection, packet.seq, packet.stamp), port);
        }
    }

    #[cold]
    pub(super) fn trace_arrival(&mut self, port: u32, packet: &Packet) {
        let flow = self.live[(packet.connection / self.subflows) as usize].pair.flow;
        let (time, subflow) = (self.now, packet.connection % self.subflows);
        let (seq, size, delay) = (packet.seq, packet.size, time - packet.stamp);
        let plane = self.fabric.plane(port) as u32;
        if let Some(recorder) = &mut self.recorder {
            let path = recorder.path((packet.connection, seq, packet.stamp), flow);
            recorder.arrival(ArrivalRow { time, flow, subflow, seq, delay, size, plane, path });
        }
    }
}
