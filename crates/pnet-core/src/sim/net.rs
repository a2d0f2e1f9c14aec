//! The network while the run goes on: it moves packets from port to port, and is what a transport sees.

mod account;
mod flows;
mod hops;
mod tracing;

use std::hint::black_box;

use super::events::Events;
use super::fabric::Fabric;
use super::failures::Down;
use super::forwarding::{Forwarder, Ground, PER_HOP, Pair, Sent};
use super::packet::{Kind, Packet};
use super::port::{Port, Rare};
use super::queues::Discipline;
use super::records::FlowRecord;
use super::routes::Routes;
use super::source::{Flow, Session, Stage};
use super::time::{NEVER, Time};
use super::trace::Recorder;
use super::transports::Shape;

/// What fires, decoded from its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fires {
    /// A port has sent its packet.
    Free(u32),
    /// A packet arrives at the far end of a port.
    Arrival(u32),
    /// The source wants to start flows.
    Source,
    /// Paths learn of a failure or its end, or of what has been sent.
    Change,
    /// A port into a host may ask for the next packet.
    Pull(u32),
    /// A timer, if it is still wanted.
    Timer(u32),
}

/// Lanes of the source and of changes, which follow those of ports; then those of pulls, if any, and of timers.
const OTHERS: usize = 2;

/// A flow under way.
#[derive(Debug, Clone, Copy)]
struct Live {
    pair: Pair,
    /// Place of its record.
    record: u32,
    /// Packets on their way.
    in_flight: u32,
    state: State,
    traced: bool,
    session: Session,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Complete, but packets of it are on their way still.
    Done,
    Free,
}

/// Ports, queues, paths, clock and flows.
///
/// Flows under way have a *slot*, which is used again when nothing of them is left in the network; their connections
/// (one for each subflow) and timers are numbered from it.
pub struct Net {
    now: Time,
    events: Events,
    fabric: Fabric,
    ports: Vec<Port>,
    rare: Vec<Rare>,
    discipline: Discipline,
    /// With how many packets in a queue it has to be asked, if it serves in order of arrival.
    asked_from: u32,
    forwarder: Box<dyn Forwarder>,
    routes: Routes,
    live: Vec<Live>,
    free: Vec<u32>,
    records: Vec<FlowRecord>,
    /// Deadline of each timer.
    deadlines: Vec<Time>,
    /// Flows that have come to a stage since they were last asked for.
    reached: Vec<(u32, Stage)>,
    completions: usize,
    subflows: u32,
    timers: u32,
    /// First lane of a timer.
    first_timer: u32,
    payload: u16,
    plane_bytes: Vec<u64>,
    subflow_bytes: Vec<u64>,
    packet_hops: u64,
    /// Bytes of data packets that have reached their hosts.
    arrived: u64,
    /// What a scheduler has just dropped.
    dropped: Vec<Packet>,
    recorder: Option<Box<Recorder>>,
    down: Down,
    /// Whether any link fails.
    failing: bool,
    /// Flows that found no path when they were to start, each with the place of its record.
    waiting: Vec<(Flow, u32)>,
}

impl Net {
    /// An idle network, for a transport with so many subflows a flow and timers a subflow.
    pub(super) fn new(
        fabric: Fabric,
        discipline: Discipline,
        forwarder: Box<dyn Forwarder>,
        shape: Shape,
        recorder: Option<Recorder>,
        down: Down,
        seed: u64,
    ) -> Self {
        let ports = fabric.ports();
        let pulls = if shape.pulls { fabric.planes().count() * fabric.hosts() } else { 0 };
        let first_timer = 2 * ports + OTHERS + pulls;
        let nodes: Vec<u32> = (0..ports as u32).map(|port| fabric.link(port).to).collect();
        Net {
            now: 0,
            events: Events::new(&nodes, OTHERS + pulls, seed),
            ports: (0..ports as u32).map(|port| Port::new(fabric.link(port))).collect(),
            rare: vec![Rare::default(); ports],
            fabric,
            asked_from: match &discipline {
                // A trace tells how much there is exactly.
                Discipline::Fifo(fifo) if recorder.is_none() => fifo.asked_from(),
                _ => 0,
            },
            discipline,
            forwarder,
            routes: Routes::default(),
            live: vec![],
            free: vec![],
            records: vec![],
            deadlines: vec![],
            reached: vec![],
            completions: 0,
            subflows: shape.subflows,
            timers: shape.timers,
            first_timer: first_timer as u32,
            payload: shape.payload,
            plane_bytes: vec![],
            subflow_bytes: vec![],
            packet_hops: 0,
            arrived: 0,
            dropped: vec![],
            recorder: recorder.map(Box::new),
            failing: down.fails(),
            down,
            waiting: vec![],
        }
    }

    // ------------------------------------------------------------------ what a transport may do

    /// The time.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Sends a packet of a connection, from the flow's source or, if it is an answer, from its destination.
    #[inline]
    pub fn send(&mut self, packet: Packet) {
        let (port, route) = self
            .forwarder
            .depart(&packet, &Ground { fabric: &self.fabric, routes: &self.routes, now: self.now });
        let slot = packet.connection / self.subflows;
        let flow = &mut self.live[slot as usize];
        flow.in_flight += 1;
        let place = flow.record as usize;
        let record = &mut self.records[place];
        record.sent += 1;
        if packet.kind == Kind::Data {
            let bytes = u64::from(packet.size);
            record.data_packets += 1;
            record.data_bytes += bytes;
            let subflow = packet.connection - slot * self.subflows;
            self.subflow_bytes[place * self.subflows as usize + subflow as usize] += bytes;
            let plane = self.fabric.plane(port);
            self.plane_bytes[place * self.fabric.planes().count() + plane] += bytes;
        }
        self.enqueue(port, &packet, route);
    }

    /// Lets a timer fire at `time`, and not at the time it had.
    ///
    /// Only an earlier time touches the calendar: a later one is seen when the timer fires too early.
    #[inline]
    pub fn arm(&mut self, timer: u32, time: Time) {
        self.deadlines[timer as usize] = time;
        let lane = self.timer_lane(timer);
        if time < self.events.pending(lane) {
            self.events.hasten(lane, time);
        }
    }

    /// Lets a timer not fire.
    #[inline]
    pub fn disarm(&mut self, timer: u32) {
        self.deadlines[timer as usize] = NEVER;
    }

    /// Whether a timer is to fire.
    #[inline]
    pub fn armed(&self, timer: u32) -> bool {
        self.deadlines[timer as usize] != NEVER
    }

    /// Lets [`super::transports::Transport::pull`] be asked at `time` for a port into a host, unless it will be asked before.
    #[inline]
    pub fn await_pull(&mut self, port: u32, time: Time) {
        let lane = self.first_timer - self.ports.len() as u32 + port;
        if self.events.pending(lane) == NEVER {
            self.events.push(lane, time);
        }
    }

    /// The hosts, switches and links.
    #[inline]
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    // ------------------------------------------------------------------ what the engine does

    /// Takes the next event and sets the clock.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Fires> {
        if self.events.prepare() {
            self.look_ahead();
        }
        let (time, lane) = self.events.pop(|one, other| Self::before(&self.ports, one, other))?;
        self.now = time;
        let ports = self.ports.len() as u32;
        Some(match lane {
            lane if lane < ports => Fires::Free(lane),
            lane if lane < 2 * ports => Fires::Arrival(lane - ports),
            lane if lane == 2 * ports => Fires::Source,
            lane if lane == 2 * ports + 1 => Fires::Change,
            lane if lane < self.first_timer => Fires::Pull(lane + ports - self.first_timer),
            lane => Fires::Timer(lane - self.first_timer),
        })
    }

    /// Reads what the next events will read.  None of it waits for another's, so memory is asked for all at once.
    fn look_ahead(&self) {
        let (mut read, ports) = (0, self.ports.len() as u32);
        for lane in self.events.prepared() {
            if lane < ports || lane >= 2 * ports {
                continue;
            }
            let from = &self.ports[(lane - ports) as usize];
            let packet = &from.first().packet;
            if (from.to as usize) < self.fabric.hosts() {
                read ^= self.live[(packet.connection / self.subflows) as usize].in_flight;
            } else if packet.route & PER_HOP == 0 {
                let next = self.routes.port(packet.route);
                read ^= self.ports[next as usize].look_ahead();
            }
        }
        black_box(read);
    }

    /// Whether two links bring packets of one connection, of which that of the first is the earlier one.
    #[inline]
    fn before(ports: &[Port], one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|link| ports[link as usize].first().packet);
        one.connection == other.connection && one.seq < other.seq
    }

    /// Whether a timer that fires is still wanted now; if it is wanted later, it will fire again.
    #[inline]
    pub(super) fn due(&mut self, timer: u32) -> bool {
        let deadline = self.deadlines[timer as usize];
        if deadline > self.now {
            let lane = self.timer_lane(timer);
            self.events.push(lane, deadline);
            return false;
        }
        self.deadlines[timer as usize] = NEVER;
        true
    }

    /// Lets the source fire at `time`.
    pub(super) fn wake_source(&mut self, time: Time) {
        let lane = 2 * self.ports.len() as u32;
        let time = time.max(self.now);
        if time < self.events.pending(lane) {
            self.events.hasten(lane, time);
        }
    }

    /// Lets paths learn of the next change when it is time.
    pub(super) fn await_change(&mut self) {
        let lane = 2 * self.ports.len() as u32 + 1;
        let time = self.down.next().min(self.forwarder.next_poll());
        self.events.push(lane, time);
    }

    /// Lets paths learn of what has changed, or of what flows have sent.
    pub(super) fn change(&mut self) {
        if self.down.next() <= self.now {
            self.down.apply(self.now, &mut self.fabric);
            let adapts = self.down.adapts();
            let open = self.live.iter().filter(|flow| adapts && flow.state != State::Free);
            let pairs: Vec<Pair> = open.map(|flow| flow.pair).collect();
            self.forwarder.adapt(&pairs, &self.fabric, &mut self.routes);
        }
        if self.forwarder.next_poll() <= self.now {
            let open = self.live.iter().filter(|flow| flow.state == State::Open);
            let bytes = &self.subflow_bytes;
            let sent: Vec<Sent> = open
                .flat_map(|Live { pair, record, .. }| {
                    let of = bytes[(record * pair.subflows) as usize..].iter();
                    let connections = (0..pair.subflows).zip(of);
                    connections.map(|(subflow, bytes)| Sent { pair: *pair, subflow, bytes: *bytes })
                })
                .collect();
            self.forwarder.poll(&sent, &self.fabric, &mut self.routes);
        }
        self.await_change();
    }

    /// The connection of a timer, and which of its timers it is.
    #[inline]
    pub(super) fn timer(&self, timer: u32) -> (u32, u32) {
        (timer / self.timers, timer % self.timers)
    }

    /// Bytes on the wire of the data that has reached its hosts.
    pub(super) fn arrived(&self) -> u64 {
        self.arrived
    }

    #[inline]
    fn arrival_lane(&self, port: u32) -> u32 {
        self.ports.len() as u32 + port
    }

    #[inline]
    fn timer_lane(&self, timer: u32) -> u32 {
        self.first_timer + timer
    }
}
