//! TCP NewReno and what shares its loss recovery.
//!
//! - [`sender`](self): what is under way and what is sent again (RFC 5681, RFC 6582); `rtt`: the timeout (RFC 6298);
//! - `receiver`: what has arrived, and delayed acknowledgements (RFC 5681, section 4.2);
//! - `congestion`: one file for each way to set the window;
//! - `session`: what a connection keeps between its flows.
//!
//! Deviations: segments are numbered and windows counted in whole packets; every packet carries a time stamp, so every
//! acknowledgement of new data gives a round-trip time; the timer is restarted by every partial acknowledgement (the
//! "slow but steady" variant of RFC 6582, section 4); connections are not closed, and their data goes one way.

pub(crate) mod congestion;
mod receiver;
mod rtt;
pub(crate) mod sender;
mod session;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::super::fabric::PathLink;
use super::super::net::Net;
use super::super::packet::{Kind, Packet};
use super::super::time::{MICROSECOND, SECOND, Time};
use super::{Shape, Transport, ideal};
use crate::error::{Error, invalid};
use congestion::{Acked, Control};
pub use congestion::{Congestion, Coupling, Dctcp};
pub use receiver::Acks;
use receiver::{Receiver, Reply};
pub use rtt::Rto;
use sender::{Phase, Sender, Step};
use session::Sessions;

/// The retransmission timer of a connection, that of its delayed acknowledgement, and that of packets held back.
const RETRANSMIT: u32 = 0;
const ACKNOWLEDGE: u32 = 1;
const RESEQUENCE: u32 = 2;
const TIMERS: u32 = 3;

/// Parameters of TCP.
#[derive(Debug, Clone)]
pub struct Tcp {
    /// Payload of a full packet, in bytes.
    pub payload: u16,
    /// What a packet with payload has beside it.
    pub header: u16,
    /// Size of an acknowledgement.
    pub ack: u16,
    /// Size of the packet that opens a connection; none where data is sent at once.
    pub syn: Option<u16>,
    /// First window, in segments.
    pub initial_window: u32,
    /// First slow-start threshold, in segments; none for no bound.
    pub initial_threshold: Option<u32>,
    /// What the receiver lets be under way, in segments; none for no bound.
    pub receive_window: Option<u32>,
    /// Duplicate acknowledgements that show a loss; none where only timers do.
    pub duplicate_threshold: Option<u32>,
    /// When data is acknowledged.
    pub acks: Acks,
    /// How long the receiver holds early packets back, so that it does not acknowledge twice what only came in another order
    /// (the buffer of DRB, CoNEXT 2013); none where it holds nothing back.
    pub resequence: Option<Time>,
    /// Bounds on the retransmission timeout.
    pub rto: Rto,
    /// How the window is set.
    pub congestion: Congestion,
    /// Connections of a flow, which start together and take what it has to send as their windows allow.  The flow is
    /// complete when all its bytes are acknowledged, whichever carried them.
    pub subflows: u32,
    /// Timeouts in a row after which a sender only asks, with packets without payload, whether there is a way through
    /// (pFabric, section 4.2); none where it goes on sending data.
    pub probe_after: Option<u32>,
}

impl Default for Tcp {
    /// 1,500 bytes a packet, a handshake, a first window of 10, every packet acknowledged, timeouts of 1 to 10 ms.
    fn default() -> Self {
        let millisecond = 1000 * MICROSECOND;
        Tcp {
            payload: 1500,
            header: 0,
            ack: 40,
            syn: Some(1),
            initial_window: 10,
            initial_threshold: None,
            receive_window: None,
            duplicate_threshold: Some(3),
            acks: Acks { every: 1, delay: 0 },
            resequence: None,
            rto: Rto {
                initial: 10 * millisecond,
                least: millisecond,
                most: 60 * SECOND,
                granularity: 10 * millisecond,
            },
            congestion: Congestion::Reno,
            subflows: 1,
            probe_after: None,
        }
    }
}

impl Tcp {
    /// Checks the parameters.
    pub(super) fn shape(&self) -> Result<Shape, Error> {
        let sizes = [("payload", self.payload), ("ack", self.ack), ("syn", self.syn.unwrap_or(1))];
        if let Some((what, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
            return invalid(what, "0 bytes; a packet has at least one");
        }
        let counts = [
            ("initial_window", self.initial_window),
            ("initial_threshold", self.initial_threshold.unwrap_or(1)),
            ("receive_window", self.receive_window.unwrap_or(1)),
            ("duplicate_threshold", self.duplicate_threshold.unwrap_or(1)),
            ("subflows", self.subflows),
            ("probe_after", self.probe_after.unwrap_or(1)),
            ("acks", self.acks.every),
        ];
        if let Some((what, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return invalid(what, "0; at least 1 is needed");
        }
        if self.rto.initial == 0 || self.rto.least == 0 || self.rto.least > self.rto.most {
            return invalid("rto", "timeouts are positive, and the least is not above the most");
        }
        let Some(data) = self.payload.checked_add(self.header) else {
            return invalid("payload", "with the header more than 65535 bytes");
        };
        let largest = data.max(self.ack).max(self.syn.unwrap_or(0));
        Ok(Shape { subflows: self.subflows, timers: TIMERS, largest, payload: self.payload })
    }

    pub(super) fn build(&self) -> Family {
        Family {
            params: self.clone(),
            control: self.congestion.build(),
            senders: vec![],
            receivers: vec![],
            supplies: vec![],
            sessions: Sessions::default(),
            subflows: self.subflows,
        }
    }
}

/// What a flow has to send.
#[derive(Debug, Clone, Copy, Default)]
struct Supply {
    /// Segments no subflow has taken.
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
    /// By slot.
    supplies: Vec<Supply>,
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

    /// A packet of a connection, as sent now.
    #[inline]
    fn packet(connection: u32, kind: Kind, seq: u32, size: u16, net: &Net) -> Packet {
        Packet { stamp: net.now(), connection, route: 0, seq, note: [0; 2], size, kind, marked: false }
    }

    /// Sends what the window allows.
    #[inline]
    fn transmit(&mut self, connection: u32, net: &mut Net) {
        let slot = self.slot(connection);
        loop {
            let sender = &mut self.senders[connection as usize];
            if !sender.phase.sends() {
                return;
            }
            let window = (sender.window as u32).min(self.params.receive_window.unwrap_or(u32::MAX));
            if sender.flight() >= window {
                return;
            }
            let seq = sender.next;
            if seq == sender.taken {
                let supply = &mut self.supplies[slot];
                if supply.left == 0 {
                    return;
                }
                supply.left -= 1;
                sender.taken += 1;
                if supply.left == 0 {
                    supply.last_at = Some((connection, seq));
                }
            }
            sender.next += 1;
            self.send_segment(connection, seq, net);
        }
    }

    /// Sends a segment, for the first time or again.
    #[inline]
    fn send_segment(&mut self, connection: u32, seq: u32, net: &mut Net) {
        let slot = self.slot(connection);
        let (sender, supply) = (&mut self.senders[connection as usize], &self.supplies[slot]);
        let last = supply.last_at == Some((connection, seq));
        let size = self.params.header + if last { supply.last } else { self.params.payload };
        let timeout = sender.rtt.timeout;
        if seq < sender.fresh {
            net.record(connection).resent += 1;
        } else {
            sender.fresh = seq + 1;
        }
        let mut packet = Self::packet(connection, Kind::Data, seq, size, net);
        packet.note[0] = supply.unacked;
        net.send(packet);
        let timer = connection * TIMERS + RETRANSMIT;
        if !net.armed(timer) {
            net.arm(timer, net.now().saturating_add(timeout));
        }
    }

    fn send_syn(&mut self, connection: u32, size: u16, net: &mut Net) {
        net.send(Self::packet(connection, Kind::Syn, 0, size, net));
        let timeout = self.senders[connection as usize].rtt.timeout;
        net.arm(connection * TIMERS + RETRANSMIT, net.now().saturating_add(timeout));
    }

    /// Acknowledges what a connection has received; the time stamp of `echo` goes back.
    fn acknowledge(&mut self, connection: u32, echo: Time, net: &mut Net) {
        let receiver = &mut self.receivers[connection as usize];
        let mut packet = Self::packet(connection, Kind::Ack, receiver.expected, self.params.ack, net);
        packet.stamp = echo;
        packet.marked = receiver.marked;
        packet.note = receiver.latest;
        receiver.waiting = 0;
        net.disarm(connection * TIMERS + ACKNOWLEDGE);
        net.send(packet);
    }

    fn on_data(&mut self, packet: Packet, net: &mut Net) {
        let connection = packet.connection;
        let receiver = &self.receivers[connection as usize];
        if receiver.waiting > 0 && receiver.marked != packet.marked {
            // What waits for its acknowledgement differs in marks: it is told apart (RFC 8257, section 3.2).
            self.acknowledge(connection, receiver.stamp, net);
        }
        let receiver = &mut self.receivers[connection as usize];
        receiver.marked = packet.marked;
        let arrival = receiver.take(packet.seq, &self.params.acks);
        if receiver.waiting <= 1 {
            receiver.stamp = packet.stamp;
        }
        let stamp = if receiver.waiting > 0 { receiver.stamp } else { packet.stamp };
        let record = net.record(connection);
        record.received += if arrival.new { u64::from(packet.size - self.params.header) } else { 0 };
        record.out_of_order += u64::from(arrival.early);
        record.marked += u64::from(packet.marked);
        match arrival.reply {
            Reply::Now if arrival.early && self.params.resequence.is_some() => {
                self.hold_back(connection, net)
            }
            Reply::Now => {
                self.release(connection, net);
                self.acknowledge(connection, stamp, net);
            }
            Reply::Later => {
                let timer = connection * TIMERS + ACKNOWLEDGE;
                if !net.armed(timer) {
                    net.arm(timer, net.now().saturating_add(self.params.acks.delay));
                }
            }
        }
    }

    /// Holds an early packet back.
    fn hold_back(&mut self, connection: u32, net: &mut Net) {
        self.receivers[connection as usize].held_back += 1;
        let timer = connection * TIMERS + RESEQUENCE;
        if let (Some(wait), false) = (self.params.resequence, net.armed(timer)) {
            net.arm(timer, net.now().saturating_add(wait));
        }
    }

    /// A packet has come that is not early: nothing is held back any more if no packet is missing.
    fn release(&mut self, connection: u32, net: &mut Net) {
        let receiver = &mut self.receivers[connection as usize];
        if receiver.held_back > 0 && receiver.complete() {
            receiver.held_back = 0;
            net.disarm(connection * TIMERS + RESEQUENCE);
        }
    }

    /// Packets are held back no longer: each is acknowledged as the early packet that it is.
    fn give_up(&mut self, connection: u32, net: &mut Net) {
        let early = std::mem::take(&mut self.receivers[connection as usize].held_back);
        for _ in 0..early {
            self.acknowledge(connection, net.now(), net);
        }
    }

    fn on_ack(&mut self, packet: Packet, net: &mut Net) {
        let connection = packet.connection;
        let (flow, at) = self.flow(connection);
        let sender = &mut self.senders[connection as usize];
        let before = sender.unacked;
        if packet.seq < before {
            return;
        }
        if sender.phase == Phase::Probing {
            // There is a way through: what is lost goes again, from one segment on.
            sender.phase = Phase::Open;
            sender.rtt.forget_back_off();
            if packet.seq == before {
                return self.transmit(connection, net);
            }
        }
        let step = if packet.seq > before {
            sender.rtt.sample(net.now() - packet.stamp, &self.params.rto);
            sender.advance(packet.seq)
        } else if sender.flight() > 0 {
            sender.duplicate(self.params.duplicate_threshold.unwrap_or(u32::MAX))
        } else {
            return;
        };
        let segments = packet.seq - before;
        if segments > 0 {
            let timer = connection * TIMERS + RETRANSMIT;
            match sender.flight() {
                0 => net.disarm(timer),
                _ => net.arm(timer, net.now().saturating_add(sender.rtt.timeout)),
            }
            let supply = &mut self.supplies[(connection / self.subflows) as usize];
            supply.unacked -= segments;
            if supply.unacked == 0 {
                return self.finish(connection, flow, net);
            }
            let acked = Acked { segments, marked: packet.marked };
            self.control.acked(connection, &mut self.senders[flow.clone()], at, acked, step != Step::Grow);
        }
        match step {
            Step::Grow | Step::Go => {}
            Step::Resend => self.send_segment(connection, packet.seq, net),
            Step::Lost => {
                let flight = self.senders[connection as usize].flight();
                let threshold = self.control.lost(connection, &self.senders[flow], at, flight);
                self.senders[connection as usize].recover(threshold);
                net.record(connection).fast_retransmits += 1;
                self.send_segment(connection, packet.seq, net);
                net.arm(
                    connection * TIMERS + RETRANSMIT,
                    net.now().saturating_add(self.senders[connection as usize].rtt.timeout),
                );
            }
        }
        self.trace(connection, net);
        self.transmit(connection, net);
    }

    /// All that a flow had to send is acknowledged.
    fn finish(&mut self, connection: u32, connections: Range<usize>, net: &mut Net) {
        if net.session(connection).followed {
            let flow = net.record(connection).id;
            self.sessions.keep(flow, net.now(), connections, &self.senders, &*self.control);
        }
        net.complete(connection);
    }

    #[inline]
    fn trace(&self, connection: u32, net: &mut Net) {
        net.trace_window(connection, self.senders[connection as usize].window);
    }

    fn on_timeout(&mut self, connection: u32, net: &mut Net) {
        net.record(connection).timeouts += 1;
        let (flow, at) = self.flow(connection);
        let sender = self.senders[connection as usize];
        if let (Phase::Opening, Some(size)) = (sender.phase, self.params.syn) {
            self.senders[connection as usize].rtt.back_off(&self.params.rto);
            return self.send_syn(connection, size, net);
        }
        // A segment that is lost again does not lower the threshold again (RFC 5681, section 3.1).
        let threshold = match sender.rtt.backed_off {
            0 => self.control.lost(connection, &self.senders[flow], at, sender.flight()),
            _ => sender.threshold,
        };
        let sender = &mut self.senders[connection as usize];
        sender.start_over(threshold, &self.params.rto);
        if self.params.probe_after.is_some_and(|most| sender.rtt.backed_off >= most) {
            sender.phase = Phase::Probing;
            let timeout = sender.rtt.timeout;
            let probe = Self::packet(connection, Kind::Probe, sender.unacked, self.params.ack, net);
            net.send(probe);
            net.arm(connection * TIMERS + RETRANSMIT, net.now().saturating_add(timeout));
            return self.trace(connection, net);
        }
        self.trace(connection, net);
        self.transmit(connection, net);
    }
}

impl Transport for Family {
    fn start(&mut self, connection: u32, bytes: u64, net: &mut Net) {
        let (flow, _) = self.flow(connection);
        let slot = self.slot(connection);
        let payload = u64::from(self.params.payload);
        let segments = bytes.div_ceil(payload) as u32;
        let last = (bytes - (u64::from(segments) - 1) * payload) as u16;
        self.supplies.resize(self.supplies.len().max(slot + 1), Supply::default());
        self.supplies[slot] = Supply { left: segments, unacked: segments, last, last_at: None };
        let threshold = self.params.initial_threshold.map_or(f64::INFINITY, f64::from);
        let session = net.session(connection);
        let syn = self.params.syn.filter(|_| session.opens);
        let phase = if syn.is_some() { Phase::Opening } else { Phase::Open };
        let sender = Sender::new(f64::from(self.params.initial_window), threshold, &self.params.rto, phase);
        self.senders.resize(self.senders.len().max(flow.end), sender);
        self.receivers.resize_with(self.senders.len(), Receiver::default);
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
            self.trace(connection as u32, net);
            match syn {
                Some(size) => self.send_syn(connection as u32, size, net),
                None => self.transmit(connection as u32, net),
            }
        }
    }

    #[inline]
    fn receive(&mut self, packet: Packet, net: &mut Net) {
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
                    net.disarm(packet.connection * TIMERS + RETRANSMIT);
                    self.transmit(packet.connection, net);
                }
            }
        }
    }

    fn timer(&mut self, connection: u32, which: u32, net: &mut Net) {
        if which == ACKNOWLEDGE {
            let stamp = self.receivers[connection as usize].stamp;
            return self.acknowledge(connection, stamp, net);
        }
        if which == RESEQUENCE {
            return self.give_up(connection, net);
        }
        let late = match self.params.rto.granularity {
            0 => 0,
            granularity => net.now().next_multiple_of(granularity) - net.now(),
        };
        if late > 0 {
            net.arm(connection * TIMERS + RETRANSMIT, net.now() + late);
        } else {
            self.on_timeout(connection, net);
        }
    }

    fn ideal(&self, bytes: u64, opens: bool, paths: &[Vec<PathLink>]) -> Time {
        let Tcp { payload, header, ack, syn, .. } = self.params;
        let full = bytes / u64::from(payload);
        let rest = (bytes % u64::from(payload)) as u16;
        let last = if rest == 0 { 0 } else { rest + header };
        // An answer need not come back on the path that it answers.
        let quickest =
            |one_way: &dyn Fn(&Vec<PathLink>) -> Time| paths.iter().map(one_way).min().unwrap_or(0);
        let there = |size| quickest(&|path| ideal::one_way(path.iter().map(|hop| &hop.link), size));
        let answer = quickest(&|path| ideal::one_way(path.iter().map(|hop| &hop.back), ack));
        let handshake = syn.filter(|_| opens).map_or(0, |syn| there(syn) + answer);
        handshake + ideal::pipelines(paths, full, payload + header, last) + answer
    }
}
