//! The network while the run goes on: it moves packets from port to port, and lets transports send them.

mod active;
mod cut;
mod ending;
mod entering;
mod pauses;
mod ports;
mod room;
mod skipping;
mod subset;
mod timers;
mod traced;

use std::hint::black_box;

use super::events::Events;
use super::fabric::{Fabric, PathLink};
use super::flows::Flows;
use super::forwarding::{PER_HOP, Pair};
use super::network::{FlowNeeds, Network, Shape};
use super::packet::{Kind, Packet};
use super::paths::Paths;
use super::port::Departure;
use super::queues::Discipline;
use super::records::{FlowRecord, PacketCounts};
use super::source::{Flow, Session};
use super::steady::Skipped;
use super::telemetry::Hop;
use super::time::{NEVER, Time};
use super::trace::{Recorder, WindowRow};
use crate::error::Error;
use active::{Active, State};
pub(super) use cut::CutOff;
use pauses::Pauses;
use ports::{Ports, Site};
use room::Room;
use timers::Timers;

/// What fires, decoded from its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fires {
    /// A port has sent its packet.
    Free(u32),
    /// A packet arrives at the far end of a port.
    Arrival(u32),
    /// The source releases flows.
    Source,
    /// Paths learn of a failure or its end, or of what has been sent.
    Change,
    /// A port is asked to pause, or to go on.
    Pause(u32),
    /// A port into a host may ask for the next packet.
    Pull(u32),
    /// A timer, if it is still armed.
    Timer(u32),
}

/// Lanes of the source and of changes, which follow those of ports; then those of pauses and of pulls, if any, and of timers.
const OTHERS: usize = 2;

/// What becomes of a packet that has crossed a link.
#[derive(PartialEq, Eq)]
enum Fate {
    /// It is at its host.
    Home,
    /// It goes on, or is lost on the link or for want of a next hop.
    Away,
    /// It has met a full queue, and may have found room there or not.
    Full,
}

/// The time, and what happens next.
struct Clock {
    now: Time,
    events: Events,
}

/// Clock, ports, paths, active flows and timers.
pub struct Net {
    clock: Clock,
    /// First lane of a pull, and of a timer.
    first_pull: u32,
    first_timer: u32,
    ports: Ports,
    paths: Paths,
    needs: FlowNeeds,
    active: Active,
    timers: Timers,
    /// Where connections wait for room in the ports of hosts.
    room: Option<Room>,
    /// The timer of those that wait.
    room_timer: u32,
    /// Whether paths are chosen by what answers say of them.
    learns: bool,
    /// Whether hosts pass on what is for others.
    relays: bool,
    payload: u16,
    packet_hops: u64,
    /// Bytes of data packets that have reached their hosts.
    arrived: u64,
    recorder: Option<Box<Recorder>>,
    /// What a run that skips its steady state has skipped.
    skipped: Option<Box<Skipped>>,
}

impl Net {
    /// An idle network, for transports of this shape altogether; the ports of hosts have queues of their own or those of switches.
    /// Queues may pause others; ports that hold packets may send those that wait in events of their own, or all of them.
    pub(super) fn new(
        paths: Paths,
        (switches, hosts): (Discipline, Option<Discipline>),
        (pauses, at_once, plain): (bool, bool, bool),
        flows: Flows<PacketCounts>,
        (shape, needs): (Shape, FlowNeeds),
        recorder: Option<Recorder>,
        seed: u64,
    ) -> Self {
        let fabric = &paths.fabric;
        let into_hosts = if fabric.relays() { fabric.ports() } else { fabric.planes().count() * fabric.hosts() };
        let pulls = if shape.pulls { into_hosts } else { 0 };
        let first_pause = 2 * fabric.ports() + OTHERS;
        let first_pull = first_pause + if pauses { fabric.ports() } else { 0 };
        let first_timer = (first_pull + pulls) as u32;
        let pauses = pauses.then(|| Pauses::new(fabric, first_pause as u32));
        let room = needs.each.iter().any(|needs| needs.room.is_some()).then(Room::default);
        let nodes: Vec<u32> = (0..fabric.ports() as u32).map(|port| fabric.link(port).to).collect();
        let mut net = Net {
            clock: Clock { now: 0, events: Events::new(&nodes, first_timer as usize - 2 * fabric.ports(), seed) },
            first_pull: first_pull as u32,
            first_timer,
            ports: Ports::new(fabric, (switches, hosts), &needs.each, pauses, (at_once, plain), recorder.is_some()),
            active: Active::new(flows, shape.subflows),
            timers: Timers::new(shape.timers + u32::from(room.is_some()), first_timer),
            room,
            room_timer: shape.timers,
            learns: paths.learns,
            relays: paths.fabric.relays(),
            payload: shape.payload,
            packet_hops: 0,
            arrived: 0,
            recorder: recorder.map(Box::new),
            skipped: None,
            paths,
            needs,
        };
        net.wake_source();
        net.await_change();
        net
    }

    /// Takes the next event and sets the clock.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Fires> {
        if self.clock.events.prepare() {
            self.look_ahead();
        }
        let (time, lane) = self.clock.events.pop(|one, other| self.ports.before(one, other))?;
        self.clock.now = time;
        let ports = self.ports.all.len() as u32;
        Some(match lane {
            lane if lane < ports => Fires::Free(lane),
            lane if lane < 2 * ports => Fires::Arrival(lane - ports),
            lane if lane == 2 * ports => Fires::Source,
            lane if lane == 2 * ports + 1 => Fires::Change,
            lane if lane < self.first_pull => Fires::Pause(lane - 2 * ports - OTHERS as u32),
            lane if lane < self.first_timer => Fires::Pull(lane + ports - self.first_timer),
            lane => Fires::Timer(lane - self.first_timer),
        })
    }

    /// Reads what the next events will read.  None of it waits for another's, so memory is asked for all at once.
    fn look_ahead(&self) {
        let (mut read, ports) = (0, self.ports.all.len() as u32);
        for lane in self.clock.events.prepared() {
            if lane < ports || lane >= 2 * ports {
                continue;
            }
            let from = &self.ports.all[(lane - ports) as usize];
            let packet = &from.first().packet;
            if self.is_home(packet, from.to) {
                read ^= self.active.of(packet.connection).in_flight;
            } else if packet.route & PER_HOP == 0 {
                let next = self.paths.routes.port(packet.route);
                read ^= self.ports.all[next as usize].look_ahead();
            }
        }
        black_box(read);
    }

    /// The connection of a timer that fires, and which of its timers it is, if it is due.
    #[inline]
    pub(super) fn due(&mut self, timer: u32) -> Option<(u32, u32)> {
        self.timers.due(timer, &mut self.clock)
    }

    /// Lets the source fire when it releases the next flows.
    fn wake_source(&mut self) {
        let lane = 2 * self.ports.all.len() as u32;
        let time = self.active.flows.next_release().max(self.clock.now);
        if time < self.clock.events.pending(lane) {
            self.clock.events.reschedule_earlier(lane, time);
        }
    }

    /// Lets paths learn of the next change when it is time.
    fn await_change(&mut self) {
        let lane = 2 * self.ports.all.len() as u32 + 1;
        let time = self.paths.down.next().min(self.paths.forwarder.next_poll());
        self.clock.events.push(lane, time);
    }

    /// Lets paths learn of what has changed, or of what flows have sent; returns the flows that are to ask for paths again.
    pub(super) fn change(&mut self) -> Vec<(Flow, u32)> {
        if self.paths.down.next() <= self.clock.now {
            self.paths.change(self.clock.now, self.active.under_way());
        }
        if self.paths.forwarder.next_poll() <= self.clock.now {
            let sent = self.active.sent();
            let Paths { fabric, routes, forwarder, .. } = &mut self.paths;
            forwarder.poll(&sent, fabric, routes);
        }
        self.await_change();
        std::mem::take(&mut self.active.flows.stranded)
    }

    /// The flows that the source releases now, each with the place of its record.
    pub(super) fn release(&mut self) -> Result<Vec<(Flow, u32)>, Error> {
        let released = self.active.flows.release(self.clock.now, &self.paths.fabric, self.payload);
        self.wake_source();
        released
    }

    /// Makes a flow active; where a failure has left it no path, it is stranded.
    pub(super) fn open(&mut self, flow: Flow, record: u32) -> Result<Option<Pair>, Error> {
        let traced = self.recorder.as_ref().is_some_and(|recorder| recorder.watches(flow.id));
        let needs = self.needs.of(flow.id);
        let pair = self.active.take(flow, needs.subflows, record, traced);
        self.timers.grow(self.active.connections(), &mut self.clock.events);
        self.ports.open(pair, needs);
        if let Some(room) = &mut self.room {
            // Those of network cards are stamped as they leave.
            room.open(pair.connection, pair.subflows, needs.room, needs.stamped);
        }
        if self.paths.open(pair)? {
            return Ok(Some(pair));
        }
        self.active.free(pair.connection);
        self.active.flows.stranded.push((flow, record));
        Ok(None)
    }

    /// Links of the paths open to a flow.
    pub(super) fn paths(&self, pair: Pair) -> Vec<Vec<PathLink>> {
        self.paths.links(&self.paths.ports(pair, self.clock.now))
    }

    /// Notes whether all bytes of a connection's flow have arrived; to be asked whenever data has.
    #[inline]
    pub(super) fn note_arrival(&mut self, connection: u32) {
        let place = self.active.of(connection).record;
        let record = &self.active.flows.records[place as usize];
        if record.received == record.bytes && record.arrived.is_none() {
            self.active.flows.arrive(place, self.clock.now);
        }
    }

    /// Gives the slot of a connection free if its flow is complete and nothing of it is on its way.
    #[inline]
    pub(super) fn settle(&mut self, connection: u32) {
        let flow = self.active.of(connection);
        if flow.state != State::Done || flow.in_flight > 0 {
            return;
        }
        let pair = flow.pair;
        self.paths.close(pair);
        self.timers.disarm_all(pair.connection, pair.subflows);
        self.active.free(pair.connection);
    }

    /// The flows.
    pub(super) fn flows(&mut self) -> &mut Flows<PacketCounts> {
        &mut self.active.flows
    }

    /// Whether flows have arrived or completed since the last call; their source is woken when it is time for what follows.
    #[inline]
    pub(super) fn take_news(&mut self) -> bool {
        let news = self.active.flows.take_news();
        if news {
            self.wake_source();
        }
        news
    }

    /// A packet arrives at the far end of a port: it goes on, or is returned if it has come to its host.
    #[inline]
    pub(super) fn arrive(&mut self, port: u32) -> Option<Packet> {
        let (departure, next) = self.ports.arrive(port, &mut self.clock);
        let fate = self.take(port, &departure);
        match fate {
            Fate::Full => self.clock.events.turns.draw(port),
            _ => self.clock.events.turns.end(port),
        }
        if let Some(next) = next {
            self.clock.events.push(self.ports.arrival_lane(port), next);
        }
        (fate == Fate::Home).then_some(departure.packet)
    }

    /// What has arrived comes to its host, goes on or is lost.
    #[inline]
    fn take(&mut self, port: u32, departure: &Departure) -> Fate {
        let from = &self.ports.all[port as usize];
        let (packet, to) = (&departure.packet, from.to);
        if self.paths.failing && self.paths.down.between(port, from.began(departure), self.clock.now) {
            self.lose(port, packet);
            return Fate::Away;
        }
        self.packet_hops += 1;
        if self.recorder.is_some() {
            self.trace_hop(port, packet);
        }
        if self.is_home(packet, to) {
            let flow = self.active.of_mut(packet.connection);
            flow.in_flight -= 1;
            let (record, traced) = (flow.record as usize, flow.traced);
            self.active.flows.records[record].counts.delivered += 1;
            self.arrived += if packet.kind == Kind::Data { u64::from(packet.size) } else { 0 };
            if traced && packet.kind == Kind::Data {
                self.trace_arrival(port, packet);
            }
            if self.learns && !packet.kind.forward() {
                self.paths.forwarder.learn(packet);
            }
            return Fate::Home;
        }
        let (next, route) = if packet.route & PER_HOP == 0 {
            (self.paths.routes.port(packet.route), packet.route + 1)
        } else {
            let Some(hop) = self.paths.next(packet, to, &self.ports, self.clock.now) else {
                self.lose(port, packet);
                return Fate::Away;
            };
            hop
        };
        debug_assert_eq!(self.paths.fabric.from(next), to, "a packet leaves by a port of another switch");
        let site = if self.relays && (to as usize) < self.paths.fabric.hosts() { Site::Relay } else { Site::Switch };
        if site == Site::Switch {
            self.ports.comes_by(port);
        }
        if self.enqueue(site, next, packet, route) { Fate::Full } else { Fate::Away }
    }

    /// A port that has sent its packet sends the next.
    pub(super) fn serve(&mut self, port: u32) {
        self.ports.free(port, self.clock.now, &mut self.clock.events);
    }

    /// A port is asked to pause, or to go on.
    pub(super) fn pause(&mut self, port: u32) {
        self.ports.pause(port, &mut self.clock);
    }

    /// Whether ports are paused that wait for each other.
    pub(super) fn is_stuck(&self) -> bool {
        !self.ports.stuck(&self.paths.fabric).is_empty()
    }

    /// Bytes on the wire of the data that has reached its hosts.
    pub(super) fn arrived(&self) -> u64 {
        self.arrived
    }
}

impl Network for Net {
    #[inline]
    fn now(&self) -> Time {
        self.clock.now
    }

    #[inline]
    fn send(&mut self, mut packet: Packet) {
        let (port, route) = self.paths.depart(&mut packet, &self.ports, self.clock.now);
        self.active.send(&packet, port, &self.paths.fabric);
        if packet.kind == Kind::Data
            && let Some(telemetry) = self.ports.notes(packet.connection)
        {
            telemetry.open(&mut packet);
        }
        self.enqueue(Site::Host, port, &packet, route);
        if packet.kind == Kind::Data
            && let Some(room) = &mut self.room
        {
            room.put(packet.connection, packet.size);
        }
    }

    #[inline]
    fn has_room(&mut self, connection: u32) -> bool {
        self.room.as_ref().is_none_or(|room| room.has(connection)) || self.look_for_room(connection)
    }

    #[inline]
    fn arm(&mut self, connection: u32, which: u32, time: Time) {
        self.timers.arm(connection, which, time, &mut self.clock.events);
    }

    #[inline]
    fn disarm(&mut self, connection: u32, which: u32) {
        self.timers.disarm(connection, which);
    }

    #[inline]
    fn armed(&self, connection: u32, which: u32) -> bool {
        self.timers.armed(connection, which)
    }

    #[inline]
    fn await_pull(&mut self, port: u32, time: Time) {
        let lane = self.first_timer - self.ports.all.len() as u32 + port;
        if self.clock.events.pending(lane) == NEVER {
            self.clock.events.push(lane, time);
        }
    }

    #[inline]
    fn fabric(&self) -> &Fabric {
        &self.paths.fabric
    }

    #[inline]
    fn record(&mut self, connection: u32) -> &mut FlowRecord<PacketCounts> {
        self.active.record(connection)
    }

    fn suspect(&mut self, connection: u32) {
        if self.learns {
            self.paths.forwarder.suspect(connection, self.clock.now);
        }
    }

    fn lost(&mut self, connection: u32, segments: &[u32]) {
        if self.learns {
            self.paths.forwarder.lost(connection, segments, self.clock.now);
        }
    }

    #[inline]
    fn probe(&mut self, connection: u32, size: u16) {
        let now = self.clock.now;
        while self.learns
            && let Some(path) = self.paths.forwarder.probe(connection, now)
        {
            let mut probe = Packet::new(Kind::Probe, connection, 0, size, now);
            probe.note[1] = path;
            self.send(probe);
        }
    }

    fn read_telemetry(&mut self, answer: &Packet, hops: &mut Vec<Hop>) {
        if let Some(telemetry) = &mut self.ports.telemetry {
            telemetry.read(answer, hops);
        }
    }

    fn session(&self, connection: u32) -> Session {
        self.active.of(connection).session
    }

    fn complete(&mut self, connection: u32) {
        self.active.complete(connection, self.clock.now);
    }

    #[inline]
    fn trace_window(&mut self, connection: u32, window: f64) {
        let Some(recorder) = &mut self.recorder else { return };
        let flow = self.active.of(connection);
        if flow.traced {
            let subflow = connection % self.active.subflows;
            recorder.window(WindowRow { time: self.clock.now, flow: flow.pair.flow, subflow, window });
        }
    }
}
