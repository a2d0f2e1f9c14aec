//! What goes into traces.

use super::Net;
use crate::sim::packet::Packet;
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

    #[cold]
    pub(super) fn trace_arrival(&mut self, packet: &Packet) {
        let flow = self.live[(packet.connection / self.subflows) as usize].pair.flow;
        let (time, subflow) = (self.now, packet.connection % self.subflows);
        let (seq, size, delay) = (packet.seq, packet.size, time - packet.stamp);
        if let Some(recorder) = &mut self.recorder {
            recorder.arrival(ArrivalRow { time, flow, subflow, seq, delay, size });
        }
    }
}
