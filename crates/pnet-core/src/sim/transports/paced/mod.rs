//! Transports of network cards: packets leave by a window and a pace, and every one of them is answered.
//!
//! - `receiver`: what has come, and how it is answered;
//! - `credits`: the credits that receivers give, where control asks for them;
//! - `control`: one file for each way to set window and pace;
//! - [`super::flight`]: what is under way, and what is taken for lost.
//!
//! A card takes packets from its connections as its ports send them, so that hardly any wait there ([`NIC_PACKETS`]), and a
//! packet bears the time at which its first bit left: queues of hosts are no part of a round trip.  Connections are there
//! before their flows, so nothing begins with a handshake, and nothing is kept from one flow to the next.
//!
//! A packet is lost where the receiver says so (its payload was cut off; with [`Recovery::GoBack`] one after it came),
//! where enough of what was sent later has arrived, or where nothing is heard for too long.

pub mod control;
mod credits;
mod receiver;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::super::alone::leaving;
use super::super::fabric::PathLink;
use super::super::forwarding::Shares;
use super::super::net::Net;
use super::super::network::{Network, Shape};
use super::super::packet::{Kind, Packet};
use super::super::source::Flow;
use super::super::telemetry::Hop;
use super::super::time::{NEVER, Time};
use super::super::values::{names, parameters};
use super::flight::Flight;
use super::{Transport, TransportKind, ideal};
use crate::error::{Error, invalid, refused};
pub use control::Pacing;
use control::{Acked, Control, Idle, Loss};
use credits::Credits;
use receiver::{Answers, Receiver};

/// Full packets of a connection that wait in a port of its host at most, the one being sent included.
const NIC_PACKETS: u32 = 2;

/// The retransmission timer of a connection, that of its next packet, and that of its control.
const RETRANSMIT: u32 = 0;
const NEXT: u32 = 1;
const CONTROL: u32 = 2;
const TIMERS: u32 = 3;

/// What becomes of packets that come before their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// They are dropped, and all from the first that is missing on are sent again.
    GoBack,
    /// They are kept, and what is missing alone is sent again.
    Selective,
}

names!(Recovery, values: "go-back-n" => Recovery::GoBack, "selective" => Recovery::Selective);

/// Parameters.
#[derive(Debug, Clone)]
pub struct Paced {
    /// Payload of a full packet, in bytes.
    pub payload: u16,
    /// What a packet with payload has beside it.
    pub header: u16,
    /// Size of whatever has no payload and was sent so.
    pub ack: u16,
    /// What becomes of packets that come before their turn.
    pub recovery: Recovery,
    /// How many packets later one was sent that has arrived, where a packet is taken for lost; none where that says nothing.
    pub duplicate_threshold: Option<u32>,
    /// How much later one was sent that has arrived, where a packet is taken for lost; none where that says nothing.
    pub reorder: Option<Time>,
    /// After which time without an answer a packet is taken for lost, doubled while no answer comes.
    pub timeout: Time,
    /// Least time between two notifications of marks to a sender; none where answers alone tell of them.
    pub notify: Option<Time>,
    /// How window and pace are set.
    pub control: Arc<dyn Pacing>,
}

parameters!(Paced: payload, header, ack, recovery, duplicate_threshold, reorder, timeout, notify, control);

impl TransportKind for Paced {
    fn shape(&self) -> Result<Shape, Error> {
        if self.ack == 0 {
            return refused("ack", "no size of a packet", 0, "at least 1 byte");
        }
        if self.timeout == 0 || self.duplicate_threshold == Some(0) {
            return invalid("transport", "0; a timeout lasts, and a packet is overtaken by one at least");
        }
        self.control.check()?;
        let telemetry = self.control.reads_telemetry();
        if telemetry && self.recovery == Recovery::GoBack {
            return invalid("transport", "telemetry comes with answers to every packet, which go-back-n does not give");
        }
        let shape = Shape::of(self.payload, self.header)?;
        let largest = shape.largest.max(self.ack);
        let nic = Some(u64::from(NIC_PACKETS) * u64::from(largest));
        let pulls = self.control.credits().is_some();
        Ok(Shape { largest, timers: TIMERS, nic, telemetry, pulls, ..shape })
    }

    fn nic_packets(&self) -> Option<u32> {
        Some(NIC_PACKETS)
    }

    fn takes_trimmed(&self) -> bool {
        self.recovery == Recovery::Selective
    }

    fn reacts_to_marks(&self) -> bool {
        self.control.reacts_to_marks()
    }

    fn skips(&self) -> bool {
        true
    }

    fn build(&self, _: Shares) -> Box<dyn Transport<Net>> {
        let Paced { payload, header, ack, recovery, notify, .. } = *self;
        Box::new(Connections {
            params: self.clone(),
            control: self.control.build(),
            senders: vec![],
            receivers: vec![],
            answers: Answers { header, ack, recovery, notify },
            credits: self.control.credits().map(|share| Credits::new(payload + header, ack, share)),
            hops: self.control.reads_telemetry().then(Vec::new),
        })
    }
}

impl Paced {
    /// What a flow finds on its paths while these are idle.
    fn idle(&self, paths: &[Vec<PathLink>]) -> Idle {
        let size = self.payload + self.header;
        let round = |path: &Vec<PathLink>| {
            let there = ideal::one_way(path.iter().map(|hop| &hop.link), size);
            there + ideal::one_way(path.iter().map(|hop| &hop.back), self.ack)
        };
        Idle {
            rtt: paths.iter().map(round).max().unwrap_or(0),
            links: paths.iter().map(Vec::len).max().unwrap_or(0) as u32,
            bits: leaving(paths).iter().map(|(_, rate)| rate.bits_per_second()).sum(),
            size,
        }
    }
}

/// The sending end of a connection.
#[derive(Debug, Default)]
struct Sender {
    flight: Flight,
    /// When the last packet was sent.
    left: Option<Time>,
    /// How often the timeout has been doubled since an answer came, and when it last was.  It is doubled for what is sent from
    /// then on: what was lost together is missed together.
    backed_off: u32,
    doubled: Time,
}

impl Sender {
    /// How long an answer is waited for to what was sent at a time.
    fn patience(&self, sent: Time, timeout: Time) -> Time {
        let doubled = if sent >= self.doubled { self.backed_off.min(16) } else { 0 };
        timeout.saturating_mul(1 << doubled)
    }
}

/// All connections.
pub(super) struct Connections {
    params: Paced,
    control: Box<dyn Control>,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    answers: Answers,
    /// What receivers give, where control asks for it.
    credits: Option<Credits>,
    /// What the last answer bore, where control reads it.
    hops: Option<Vec<Hop>>,
}

impl Connections {
    /// Sends what window, pace and the host's port allow.
    fn transmit(&mut self, connection: u32, net: &mut impl Network) {
        let now = net.now();
        net.probe(connection, self.params.ack);
        loop {
            let pace = self.control.pace(connection);
            let sender = &mut self.senders[connection as usize];
            let Some((seq, again)) = sender.flight.next() else { break };
            if pace.credits == 0 || f64::from(sender.flight.under_way) + 1.0 > pace.window.max(1.0) {
                break;
            }
            // The pace that counts is that of now, not of when the last packet was sent.
            let free = sender.left.map_or(now, |left| left.saturating_add(pace.gap));
            if free > now {
                net.arm(connection, NEXT, free);
                break;
            }
            if !net.has_room(connection) {
                break;
            }
            sender.left = Some(now);
            sender.flight.send(seq, now);
            let size = sender.flight.payload(seq, self.params.payload) + self.params.header;
            let mut packet = Packet::new(Kind::Data, connection, seq, size, now);
            packet.note[0] = sender.flight.unacked;
            self.control.sent(connection, size);
            net.record(connection).counts.resent += u64::from(again);
            net.send(packet);
        }
        self.wait(connection, net);
    }

    /// Lets timers fire when they next have to.
    fn wait(&mut self, connection: u32, net: &mut impl Network) {
        let pace = self.control.pace(connection);
        net.trace_window(connection, if pace.window.is_finite() { pace.window } else { pace.in_a_round_trip });
        let now = net.now();
        match pace.wakes {
            NEVER => net.disarm(connection, CONTROL),
            // What is sent again after a timeout may use up credits when none has come for long.
            time => net.arm(connection, CONTROL, time.max(now)),
        }
        let sender = &mut self.senders[connection as usize];
        match sender.flight.oldest() {
            None => net.disarm(connection, RETRANSMIT),
            Some(time) => {
                let due = time.saturating_add(sender.patience(time, self.params.timeout));
                // What was sent before the timeout that has just been is missed with it.
                net.arm(connection, RETRANSMIT, due.max(now));
            }
        }
    }

    /// The answer to a packet has come.
    fn on_answer(&mut self, packet: &Packet, net: &mut impl Network) {
        let Packet { connection, kind, .. } = *packet;
        if let Some(hops) = &mut self.hops {
            net.read_telemetry(packet, hops);
        }
        let sender = &mut self.senders[connection as usize];
        if sender.flight.unacked == 0 {
            return;
        }
        let now = net.now();
        let below = sender.flight.acknowledge_below(packet.seq);
        let own = kind == Kind::Ack && sender.flight.acknowledge(packet.note[0]);
        let segments = below + u32::from(own);
        if segments > 0 {
            sender.backed_off = 0;
        }
        if sender.flight.unacked == 0 {
            (0..TIMERS).for_each(|timer| net.disarm(connection, timer));
            return net.complete(connection);
        }
        let (unacked, under_way) = (packet.seq, sender.flight.under_way);
        let rtt = now - packet.stamp;
        if let Some(hops) = &self.hops {
            self.control.passed(connection, hops, packet.stamp, now);
        }
        self.control.acked(connection, Acked { segments, marked: packet.marked, rtt, now, unacked, under_way });
        let sender = &mut self.senders[connection as usize];
        let lost = match (kind, self.params.recovery) {
            (Kind::Nack, Recovery::GoBack) if sender.flight.go_back() => Some(Loss::Gap),
            (Kind::Nack, Recovery::Selective) if sender.flight.resend(packet.note[0]) => Some(Loss::Trimmed),
            (Kind::Ack, Recovery::Selective) => {
                let overtaken = self.params.duplicate_threshold.map_or(0, |count| sender.flight.overtake(count));
                let latest = self.params.reorder.and_then(|late| packet.stamp.checked_sub(late));
                let overdue = latest.map_or(0, |latest| sender.flight.expire(latest));
                let gone = overtaken + overdue;
                if gone > 0 {
                    net.lost(connection, sender.flight.lost_first(gone));
                    self.control.gone(connection, gone);
                }
                (gone > 0).then_some(Loss::Gap)
            }
            _ => None,
        };
        if let Some(loss) = lost {
            net.record(connection).counts.fast_retransmits += u64::from(loss == Loss::Gap);
            self.control.lost(connection, loss, now);
        }
        self.transmit(connection, net);
    }

    /// Nothing has been heard for too long of what was sent first.
    fn on_timeout(&mut self, connection: u32, net: &mut impl Network) {
        let now = net.now();
        let sender = &mut self.senders[connection as usize];
        let Some(oldest) = sender.flight.oldest() else { return };
        let latest = now.saturating_sub(sender.patience(oldest, self.params.timeout));
        let gone = sender.flight.expire(latest);
        if gone > 0 {
            net.lost(connection, sender.flight.lost_first(gone));
            self.control.gone(connection, gone);
            if self.params.recovery == Recovery::GoBack {
                sender.flight.go_back();
            }
            net.record(connection).counts.timeouts += 1;
            net.suspect(connection);
            if oldest >= sender.doubled {
                (sender.backed_off, sender.doubled) = (sender.backed_off + 1, now);
                self.control.lost(connection, Loss::Timeout, now);
            }
        }
        self.transmit(connection, net);
    }
}

impl<N: Network> Transport<N> for Connections {
    fn start(&mut self, connection: u32, bytes: u64, paths: &[Vec<PathLink>], net: &mut N) {
        let place = connection as usize;
        if place >= self.senders.len() {
            self.senders.resize_with(place + 1, Sender::default);
            self.receivers.resize_with(place + 1, Receiver::default);
        }
        let sender = &mut self.senders[place];
        sender.flight.reset(bytes, self.params.payload);
        (sender.left, sender.backed_off, sender.doubled) = (None, 0, 0);
        self.receivers[place].reset();
        let (packets, idle) = (sender.flight.unacked, self.params.idle(paths));
        self.control.open(connection, &idle);
        if let Some(credits) = &mut self.credits {
            credits.open(connection, packets, self.control.initial(&idle));
            self.control.credited(connection, 0, net.now());
        }
        self.transmit(connection, net);
    }

    fn receive(&mut self, packet: Packet, port: u32, net: &mut N) {
        match packet.kind {
            Kind::Data | Kind::Trimmed => {
                self.answers.answer(&mut self.receivers[packet.connection as usize], &packet, net);
                if let Some(credits) = &mut self.credits {
                    let record = net.record(packet.connection);
                    let complete = record.received == record.bytes;
                    credits.came(&packet, port, complete, net);
                }
            }
            Kind::Ack | Kind::Nack => self.on_answer(&packet, net),
            Kind::Notification => {
                if self.senders[packet.connection as usize].flight.unacked > 0 {
                    self.control.notified(packet.connection, net.now());
                    self.transmit(packet.connection, net);
                }
            }
            Kind::Pull => {
                if self.senders[packet.connection as usize].flight.unacked > 0 {
                    self.control.credited(packet.connection, packet.seq, net.now());
                    self.transmit(packet.connection, net);
                }
            }
            Kind::Probe => {
                let mut answer = Packet::new(Kind::Probed, packet.connection, 0, self.params.ack, packet.stamp);
                answer.note[1] = packet.note[1];
                net.send(answer);
            }
            // Who chooses paths has seen it.
            Kind::Probed => {}
            kind => unreachable!("a card is sent no {kind:?}"),
        }
    }

    fn timer(&mut self, connection: u32, which: u32, net: &mut N) {
        if self.senders[connection as usize].flight.unacked == 0 {
            return;
        }
        match which {
            RETRANSMIT => self.on_timeout(connection, net),
            CONTROL => {
                self.control.wake(connection, net.now());
                self.transmit(connection, net);
            }
            // That of the next packet, or room in the host's port.
            _ => self.transmit(connection, net),
        }
    }

    fn pull(&mut self, port: u32, net: &mut N) {
        if let Some(credits) = &mut self.credits {
            credits.give(port, net);
        }
    }

    fn unsent(&self, connection: u32) -> u32 {
        let due = self.credits.as_ref().map_or(u32::MAX, |credits| credits.due(connection));
        self.senders[connection as usize].flight.unsent().min(due)
    }

    fn skip(&mut self, connection: u32, segments: u32) {
        self.senders[connection as usize].flight.skip(segments);
        if let Some(credits) = &mut self.credits {
            credits.skip(connection, segments);
        }
    }

    fn ideal(&self, flow: &Flow, paths: &[Vec<PathLink>]) -> Time {
        let Paced { payload, header, ack, .. } = self.params;
        let answer = |path: &Vec<PathLink>| ideal::one_way(path.iter().map(|hop| &hop.back), ack);
        ideal::pipelines(paths, flow.bytes, payload, header) + paths.iter().map(answer).min().unwrap_or(0)
    }
}
