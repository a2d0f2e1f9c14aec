//! Active flows: whose packets are on their way.

use crate::sim::fabric::Fabric;
use crate::sim::flows::Flows;
use crate::sim::forwarding::{Pair, Sent};
use crate::sim::packet::{Kind, Packet};
use crate::sim::records::{FlowRecord, PacketCounts};
use crate::sim::source::{Flow, Session};
use crate::sim::time::Time;

/// The flow in a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Live {
    pub(super) pair: Pair,
    /// Place of its record.
    pub(super) record: u32,
    /// Packets on their way.
    pub(super) in_flight: u32,
    pub(super) state: State,
    pub(super) traced: bool,
    pub(super) session: Session,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Open,
    /// Complete, but packets of it are on their way still.
    Done,
    Free,
}

/// All flows, and what is known of those in slots.  Connections, one for each subflow, are numbered from the slot of their
/// flow, which is used again when nothing of it is left in the network.
pub(super) struct Active {
    pub(super) flows: Flows<PacketCounts>,
    live: Vec<Live>,
    /// Connections of a slot; of some flows not all are used.
    pub(super) subflows: u32,
}

impl Active {
    pub(super) fn new(flows: Flows<PacketCounts>, subflows: u32) -> Self {
        Active { flows, live: vec![], subflows }
    }

    #[inline]
    pub(super) fn slot(&self, connection: u32) -> u32 {
        connection / self.subflows
    }

    /// Connections of all slots.
    pub(super) fn connections(&self) -> u32 {
        self.live.len() as u32 * self.subflows
    }

    /// The flow of a connection.
    #[inline]
    pub(super) fn of(&self, connection: u32) -> &Live {
        &self.live[self.slot(connection) as usize]
    }

    #[inline]
    pub(super) fn of_mut(&mut self, connection: u32) -> &mut Live {
        let slot = self.slot(connection) as usize;
        &mut self.live[slot]
    }

    /// The record of the flow of a connection.
    #[inline]
    pub(super) fn record(&mut self, connection: u32) -> &mut FlowRecord<PacketCounts> {
        let place = self.of(connection).record as usize;
        &mut self.flows.records[place]
    }

    /// Puts a flow of so many subflows with this record into a slot.
    pub(super) fn take(&mut self, flow: Flow, subflows: u32, record: u32, traced: bool) -> Pair {
        let slot = self.flows.take_slot();
        let Flow { id, src, dst, session, .. } = flow;
        let connection = slot * self.subflows;
        let pair = Pair { flow: id, key: session.connection, connection, subflows, src, dst };
        let live = Live { pair, record, in_flight: 0, state: State::Open, traced, session };
        if slot as usize == self.live.len() {
            self.live.push(live);
        } else {
            self.live[slot as usize] = live;
        }
        pair
    }

    /// Empties the slot of a connection.
    pub(super) fn free(&mut self, connection: u32) {
        self.of_mut(connection).state = State::Free;
        self.flows.free.push(self.slot(connection));
    }

    /// A packet leaves its host by a port.
    #[inline]
    pub(super) fn send(&mut self, packet: &Packet, port: u32, fabric: &Fabric) {
        let slot = self.slot(packet.connection);
        let flow = &mut self.live[slot as usize];
        flow.in_flight += 1;
        let place = flow.record as usize;
        let counts = &mut self.flows.records[place].counts;
        counts.sent += 1;
        if packet.kind == Kind::Data {
            let bytes = u64::from(packet.size);
            counts.data_packets += 1;
            counts.data_bytes += bytes;
            let subflow = packet.connection - slot * self.subflows;
            self.flows.subflow_bytes[place * self.subflows as usize + subflow as usize] += bytes;
            self.flows.plane_bytes[place * fabric.parts() + fabric.plane(port)] += bytes;
        }
    }

    /// The flow of a connection is complete.
    pub(super) fn complete(&mut self, connection: u32, now: Time) {
        let flow = self.of_mut(connection);
        debug_assert_eq!(flow.state, State::Open);
        flow.state = State::Done;
        let record = flow.record;
        self.flows.complete(record, now);
    }

    /// Flows that packets may follow the paths of.
    pub(super) fn under_way(&self) -> impl Iterator<Item = Pair> {
        self.live.iter().filter(|flow| flow.state != State::Free).map(|flow| flow.pair)
    }

    /// The flows that are not complete, each with the place of its record.
    pub(super) fn open(&self) -> Vec<(Pair, u32)> {
        let open = self.live.iter().filter(|flow| flow.state == State::Open);
        open.map(|flow| (flow.pair, flow.record)).collect()
    }

    /// What the connections of flows that are not complete have sent.
    pub(super) fn sent(&self) -> Vec<Sent> {
        let open = self.live.iter().filter(|flow| flow.state == State::Open);
        open.flat_map(|Live { pair, record, .. }| {
            let of = self.flows.subflow_bytes[(record * self.subflows) as usize..].iter();
            let connections = (0..pair.subflows).zip(of);
            connections.map(|(subflow, bytes)| Sent { pair: *pair, subflow, bytes: *bytes })
        })
        .collect()
    }
}
