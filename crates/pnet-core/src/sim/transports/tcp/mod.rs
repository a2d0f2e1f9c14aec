//! TCP NewReno and what shares its loss recovery.
//!
//! - `params`: what can be chosen;
//! - `outgoing`, `sender`: what is under way and what is sent again (RFC 5681, RFC 6582); `rtt`: the timeout (RFC 6298);
//! - `incoming`, `receiver`: what has arrived, and delayed acknowledgements (RFC 5681, section 4.2);
//! - `sack`: selective acknowledgements (RFC 2018), and the recovery that goes by them (RFC 6675);
//! - `congestion`: one file for each congestion control;
//! - `session`: what a connection keeps between its flows.
//!
//! Deviations: segments are numbered and windows counted in whole packets; every packet carries a time stamp, so every
//! acknowledgement of new data gives a round-trip time; the timer is restarted by every partial acknowledgement (the
//! "slow but steady" variant of RFC 6582, section 4); data goes one way, and a connection is closed without packets of its
//! own: the last segment stands for the FIN, which its receiver acknowledges at once (RFC 9293, section 3.10.7.4; of several
//! subflows, as the data is complete: RFC 8684, section 3.3.3).

pub(crate) mod congestion;
mod incoming;
mod outgoing;
mod params;
mod receiver;
mod rtt;
mod sack;
pub(crate) mod sender;
mod session;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::super::fabric::PathLink;
use super::super::network::Network;
use super::super::packet::{Kind, Packet};
use super::super::source::Flow;
use super::super::time::Time;
use super::{Transport, ideal};
use congestion::Control;
pub use congestion::{Congestion, Coupled, Coupling, Dctcp, Reno};
pub use params::Tcp;
pub use receiver::Acks;
use receiver::Receiver;
pub use rtt::Rto;
use sack::Board;
use sender::{Phase, Sender};
use session::Sessions;

/// The retransmission timer of a connection, that of its delayed acknowledgement, and that of packets held back.
const RETRANSMIT: u32 = 0;
const ACKNOWLEDGE: u32 = 1;
const RESEQUENCE: u32 = 2;
const TIMERS: u32 = 3;
/// The one after them, where a connection waits for room in its host's ports.
const ROOM: u32 = TIMERS;

/// What a flow has to send.
#[derive(Debug, Clone, Copy, Default)]
struct Supply {
    /// Segments no subflow has taken; if each has its share, all, which each may take.
    left: u32,
    /// Segments not acknowledged.
    unacked: u32,
    /// Payload of the last segment, and the connection and number under which it is sent.
    last: u16,
    last_at: Option<(u32, u32)>,
}

/// All connections.
pub(super) struct Family {
    params: Tcp,
    control: Box<dyn Control>,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    /// What senders know from selective acknowledgements; of none where there are no such.
    boards: Vec<Board>,
    /// By slot.
    supplies: Vec<Supply>,
    /// Segments that each connection has to deliver, if each has its share.
    shares: Vec<u32>,
    sessions: Sessions,
    subflows: u32,
}

impl Family {
    fn slot(&self, connection: u32) -> usize {
        (connection / self.subflows) as usize
    }

    /// The connections of the flow that this one belongs to, and its place among them.
    #[inline]
    fn flow(&self, connection: u32) -> (Range<usize>, usize) {
        let at = connection % self.subflows;
        let first = (connection - at) as usize;
        (first..first + self.subflows as usize, at as usize)
    }

    /// The subflows of a flow that have a path of their own, one at least.
    fn distinct(&self, paths: &[Vec<PathLink>]) -> Vec<bool> {
        let same =
            |one: &[PathLink], other: &[PathLink]| one.iter().map(|hop| hop.port).eq(other.iter().map(|hop| hop.port));
        let subflows = self.subflows as usize;
        if paths.len() != subflows {
            return vec![true; subflows];
        }
        (0..subflows).map(|i| !paths[..i].iter().any(|before| same(before, &paths[i]))).collect()
    }

    /// Divides a flow between its subflows, each of which has a share to deliver.
    fn divide(&mut self, flow: Range<usize>, segments: u32, paths: &[Vec<PathLink>]) {
        let open = self.distinct(paths);
        let parts = (open.iter().filter(|open| **open).count() as u32).min(segments);
        self.shares.resize(self.shares.len().max(flow.end), 0);
        let mut part = 0;
        let supply = flow.start / self.subflows as usize;
        for (connection, open) in flow.zip(open) {
            let takes = open && part < parts;
            self.shares[connection] = if takes { segments / parts + u32::from(part < segments % parts) } else { 0 };
            part += u32::from(takes);
            if takes {
                self.supplies[supply].last_at = Some((connection as u32, self.shares[connection] - 1));
            }
        }
    }

    /// Whether a connection has nothing more to send: it has delivered its share, and the flow's bytes are through.
    #[inline]
    fn rests(&self, connection: u32) -> bool {
        self.params.shares
            && self.supplies[self.slot(connection)].unacked == 0
            && self.senders[connection as usize].unacked >= self.shares[connection as usize]
    }

    /// Whether a flow is complete.
    #[inline]
    fn delivered(&self, slot: usize, flow: Range<usize>) -> bool {
        let all = self.supplies[slot].unacked == 0;
        all && (!self.params.shares || flow.into_iter().all(|i| self.senders[i].unacked >= self.shares[i]))
    }

    /// A packet of a connection, as sent now.
    #[inline]
    fn packet(connection: u32, kind: Kind, seq: u32, size: u16, net: &impl Network) -> Packet {
        Packet::new(kind, connection, seq, size, net.now())
    }
}

impl<N: Network> Transport<N> for Family {
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut N) {
        let (flow, _) = self.flow(connection);
        let slot = self.slot(connection);
        let payload = u64::from(self.params.payload);
        let segments = bytes.div_ceil(payload) as u32;
        let last = (bytes - (u64::from(segments) - 1) * payload) as u16;
        self.supplies.resize(self.supplies.len().max(slot + 1), Supply::default());
        self.supplies[slot] = Supply { left: segments, unacked: segments, last, last_at: None };
        if self.params.shares {
            self.divide(flow.clone(), segments, paths);
        }
        let threshold = self.params.initial_threshold.map_or(f64::INFINITY, f64::from);
        let session = net.session(connection);
        let syn = self.params.syn.filter(|_| session.opens);
        let phase = if syn.is_some() { Phase::Opening } else { Phase::Open };
        let sender = Sender::new(f64::from(self.params.initial_window), threshold, &self.params.rto, phase);
        self.senders.resize(self.senders.len().max(flow.end), sender);
        self.receivers.resize_with(self.senders.len(), Receiver::default);
        if self.params.sack {
            self.boards.resize_with(self.senders.len(), Board::default);
            self.boards[flow.clone()].iter_mut().for_each(Board::reset);
        }
        for connection in flow.clone() {
            self.senders[connection] = sender;
            self.receivers[connection].reset();
            self.control.open(connection as u32);
        }
        if let Some(before) = session.follows {
            let (senders, control) = (&mut self.senders, &mut *self.control);
            self.sessions.hand_on(before, net.now(), flow.clone(), senders, control);
        }
        for connection in flow {
            if self.params.shares && self.shares[connection] == 0 {
                continue;
            }
            self.trace(connection as u32, net);
            match syn {
                Some(size) => self.send_syn(connection as u32, size, net),
                None => self.transmit(connection as u32, net),
            }
        }
    }

    #[inline]
    fn receive(&mut self, packet: Packet, _: u32, net: &mut N) {
        match packet.kind {
            Kind::Data => self.on_data(packet, net),
            Kind::Ack => self.on_ack(packet, net),
            Kind::Probe => self.acknowledge(packet.connection, packet.stamp, net),
            Kind::Syn => {
                let mut answer = Self::packet(packet.connection, Kind::SynAck, 0, self.params.ack, net);
                answer.stamp = packet.stamp;
                net.send(answer);
            }
            Kind::SynAck => {
                let sender = &mut self.senders[packet.connection as usize];
                if sender.phase == Phase::Opening {
                    sender.phase = Phase::Open;
                    sender.rtt.sample(net.now() - packet.stamp, &self.params.rto);
                    net.disarm(packet.connection, RETRANSMIT);
                    self.transmit(packet.connection, net);
                }
            }
            kind => unreachable!("TCP is sent no {kind:?}"),
        }
    }

    fn timer(&mut self, connection: u32, which: u32, net: &mut N) {
        if which == ACKNOWLEDGE {
            let stamp = self.receivers[connection as usize].stamp;
            return self.acknowledge(connection, stamp, net);
        }
        if which == RESEQUENCE {
            return self.give_up(connection, net);
        }
        if which == ROOM {
            return self.transmit(connection, net);
        }
        let late = match self.params.rto.granularity {
            0 => 0,
            granularity => net.now().next_multiple_of(granularity) - net.now(),
        };
        if late > 0 {
            net.arm(connection, RETRANSMIT, net.now() + late);
        } else {
            self.on_timeout(connection, net);
        }
    }

    fn unsent(&self, connection: u32) -> u32 {
        let slot = (connection / self.subflows) as usize;
        self.supplies[slot].left
    }

    fn skip(&mut self, connection: u32, segments: u32) {
        let slot = (connection / self.subflows) as usize;
        self.supplies[slot].left -= segments;
        self.supplies[slot].unacked -= segments;
    }

    fn ideal(&self, flow: &Flow, paths: &[Vec<PathLink>]) -> Time {
        let Tcp { payload, header, ack, syn, .. } = self.params;
        // An answer need not come back on the path that it answers.
        let quickest = |one_way: &dyn Fn(&Vec<PathLink>) -> Time| paths.iter().map(one_way).min().unwrap_or(0);
        let there = |size| quickest(&|path| ideal::one_way(path.iter().map(|hop| &hop.link), size));
        let answer = quickest(&|path| ideal::one_way(path.iter().map(|hop| &hop.back), ack));
        let handshake = syn.filter(|_| flow.session.opens).map_or(0, |syn| there(syn) + answer);
        handshake + ideal::pipelines(paths, flow.bytes, payload, header) + answer
    }
}
