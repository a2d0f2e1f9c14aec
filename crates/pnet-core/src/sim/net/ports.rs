//! Ports at work: what enters a queue waits, is sent, or is dropped.

use std::ops::Range;

use super::Clock;
use super::pauses::Pauses;
use super::subset::Subset;
use crate::error::Error;
use crate::sim::events::Events;
use crate::sim::fabric::{Fabric, NONE};
use crate::sim::forwarding::{Pair, Queues};
use crate::sim::network::Needs;
use crate::sim::packet::{Kind, Packet};
use crate::sim::port::{Backlog, Departure, Port, Rare, Trail};
use crate::sim::queues::{Discipline, FRAME, Fifo, Limit, Touch, Verdict};
use crate::sim::records::PortRecord;
use crate::sim::telemetry::Telemetry;
use crate::sim::time::{NEVER, Time};
use crate::sim::trace::Recorder;

/// Where a packet enters a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    /// The host that it comes from.
    Host,
    /// A host that passes it on.
    Relay,
    /// A switch.
    Switch,
}

/// The queues of switches, or of hosts.
pub(super) struct Side {
    discipline: Discipline,
    /// Up to how much in a queue it need not decide, if it serves in order of arrival.
    admits_up_to: Backlog,
    /// How much a packet may leave with in its queue without a mark, if that matters.
    unmarked: Option<Limit>,
}

impl Side {
    /// A trace tells how much there is exactly.
    fn new(discipline: Discipline, traced: bool) -> Self {
        let (admits_up_to, unmarked) = match &discipline {
            Discipline::Fifo(fifo) if !traced => (fifo.admits_up_to(), fifo.unmarked()),
            Discipline::Fifo(fifo) => (Backlog::default(), fifo.unmarked()),
            Discipline::Scheduler(scheduler) => (Backlog::default(), scheduler.unmarked()),
        };
        Side { discipline, admits_up_to, unmarked }
    }

    /// What it holds for a port.
    fn held(&self, port: u32) -> Backlog {
        match &self.discipline {
            Discipline::Fifo(_) => Backlog::default(),
            Discipline::Scheduler(scheduler) => scheduler.backlog(port),
        }
    }
}

/// The queues of all ports.
pub(super) struct Sides {
    switches: Side,
    /// Those of the ports of hosts where these differ.
    hosts: Option<Side>,
    /// Which ports are of hosts.
    of_hosts: Range<u32>,
}

impl Sides {
    #[inline]
    fn of(&self, host: bool) -> &Side {
        self.hosts.as_ref().filter(|_| host).unwrap_or(&self.switches)
    }

    /// Whether what a port of a switch sends makes room at others.
    fn share(&self) -> bool {
        matches!(&self.switches.discipline, Discipline::Scheduler(scheduler) if scheduler.shares_room())
    }

    #[inline]
    fn of_mut(&mut self, host: bool) -> &mut Side {
        self.hosts.as_mut().filter(|_| host).unwrap_or(&mut self.switches)
    }
}

/// Nodes of ports, and sources of connections.
type Origins = (Vec<u32>, Vec<u32>);

/// Whether the port of a host is that by which data of a connection leaves its source, not one that passes it on.
#[inline]
fn is_first(origins: Option<&Origins>, port: u32, connection: u32) -> bool {
    origins.is_none_or(|(node, source)| node[port as usize] == source[connection as usize])
}

/// All ports and their queues.  Lane `i` of the events is when port `i` has sent its packet, lane `ports + i` when what it
/// sent first arrives.
pub(super) struct Ports {
    pub(super) all: Vec<Port>,
    /// Whether a port whose queue holds packets is to send the next when the last has been sent.
    serving: Vec<bool>,
    /// Whether it does so in an event of its own: what it sends depends on what others have sent, or the other way round.
    /// Otherwise it is done later: when something else comes to the port, or what it sent last to the other end.
    at_once: bool,
    /// Whether there is such an event for every packet, even where none waits.
    plain: bool,
    rare: Vec<Rare>,
    sides: Sides,
    /// Whose data hosts stamp as its first bit leaves.
    stamped: Subset,
    /// On whose data switches note what they know.
    noted: Subset,
    /// Where hosts pass packets on, the node that each port is of, and the host that each connection comes from.
    origins: Option<Origins>,
    /// Of each port, if packets are marked as they leave a queue.
    trails: Vec<Trail>,
    /// Where switches pause what feeds them.
    pub(super) pauses: Option<Pauses>,
    /// What queues have just dropped.
    pub(super) dropped: Vec<Packet>,
    /// What switches note on data, where the transport reads it.
    pub(super) telemetry: Option<Box<Telemetry>>,
}

impl Ports {
    /// Those of a fabric, all empty, for these transports; the ports of hosts have queues of their own or those of switches.
    pub(super) fn new(
        fabric: &Fabric,
        (switches, hosts): (Discipline, Option<Discipline>),
        each: &[Needs],
        pauses: Option<Pauses>,
        (at_once, plain): (bool, bool),
        traced: bool,
    ) -> Self {
        let sides = Sides {
            switches: Side::new(switches, traced),
            hosts: hosts.map(|hosts| Side::new(hosts, traced)),
            of_hosts: fabric.of_hosts(),
        };
        let all: Vec<Port> = (0..fabric.ports() as u32).map(|port| Port::new(fabric.link(port))).collect();
        let leaving = [true, false].iter().any(|host| sides.of(*host).unmarked.is_some());
        let trails = vec![Trail::default(); if leaving { all.len() } else { 0 }];
        let of = |port: u32| if fabric.link(port).to == NONE { NONE } else { fabric.from(port) };
        let origins = fabric.relays().then(|| ((0..all.len() as u32).map(of).collect(), vec![]));
        Ports {
            origins,
            serving: vec![false; all.len()],
            at_once: at_once || plain || sides.share(),
            plain,
            rare: vec![Rare::default(); all.len()],
            all,
            sides,
            stamped: Subset::of(each.iter().map(|needs| needs.stamped)),
            noted: Subset::of(each.iter().map(|needs| needs.telemetry)),
            trails,
            pauses,
            dropped: vec![],
            telemetry: each.iter().any(|needs| needs.telemetry).then(Box::default),
        }
    }

    /// Notes what the connections of a flow have of their transport.
    pub(super) fn open(&mut self, pair: Pair, needs: Needs) {
        let connections = pair.connections();
        if let Some((_, of_connections)) = &mut self.origins {
            of_connections.resize(of_connections.len().max(connections.end as usize), NONE);
            of_connections[connections.start as usize..connections.end as usize].fill(pair.src);
        }
        self.stamped.open(connections.clone(), needs.stamped);
        self.noted.open(connections, needs.telemetry);
    }

    /// The notes that switches make on the data of a connection, if they do.
    #[inline]
    pub(super) fn notes(&mut self, connection: u32) -> Option<&mut Telemetry> {
        if self.noted.has(connection) { self.telemetry.as_deref_mut() } else { None }
    }

    #[inline]
    pub(super) fn arrival_lane(&self, port: u32) -> u32 {
        self.all.len() as u32 + port
    }

    /// Whether two links bring packets of one connection, of which that of the first is the earlier one.
    #[inline]
    pub(super) fn before(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|link| self.all[link as usize].first().packet);
        one.connection == other.connection && one.seq < other.seq
    }

    /// A packet is lost on the link of a port, or at its end.
    pub(super) fn lose(&mut self, port: u32) {
        self.rare[port as usize].lost += 1;
    }

    /// What a port has sent first arrives; says when the next does.
    #[inline]
    pub(super) fn arrive(&mut self, port: u32, clock: &mut Clock) -> (Departure, Option<Time>) {
        self.catch_up(port, clock.now, &mut clock.events);
        self.all[port as usize].arrive()
    }

    /// Lets a port send what it has sent by now.
    #[inline]
    pub(super) fn catch_up(&mut self, port: u32, now: Time, events: &mut Events) {
        while self.serving[port as usize] {
            let time = self.all[port as usize].busy_until();
            if time > now || self.at_once && events.pending(port) != NEVER {
                break;
            }
            self.free(port, time, events);
        }
    }

    /// The same of all ports.
    pub(super) fn catch_up_all(&mut self, now: Time, events: &mut Events) {
        (0..self.all.len() as u32).for_each(|port| self.catch_up(port, now, events));
    }

    /// A port that has sent its packet marks it, if it leaves a long queue behind, and sends the next.
    pub(super) fn free(&mut self, port: u32, now: Time, events: &mut Events) {
        let side = self.sides.of(self.sides.of_hosts.contains(&port));
        if let (Some(most), Discipline::Scheduler(scheduler)) = (side.unmarked, &side.discipline) {
            let out = &mut self.all[port as usize];
            let marked = out.mark_sent(most, scheduler.backlog(port), now);
            out.counters.marked += u64::from(marked);
        }
        self.serve(port, now, events);
    }

    /// A port that is free sends the next packet, if there is one.
    fn serve(&mut self, port: u32, now: Time, events: &mut Events) {
        let host = self.sides.of_hosts.contains(&port);
        let Discipline::Scheduler(scheduler) = &mut self.sides.of_mut(host).discipline else {
            unreachable!("port {port} becomes free, but its queue serves in order of arrival");
        };
        match scheduler.dequeue(port) {
            None => self.serving[port as usize] = false,
            Some(packet) => self.put(host, port, packet, now, events),
        }
    }

    /// Puts a packet onto the wire of a port that holds others.
    #[inline]
    fn put(&mut self, host: bool, port: u32, mut packet: Packet, now: Time, events: &mut Events) {
        self.serving[port as usize] = true;
        let own = host && packet.kind == Kind::Data && is_first(self.origins.as_ref(), port, packet.connection);
        if own && self.stamped.has(packet.connection) {
            packet.stamp = now;
        }
        let from = &mut self.all[port as usize];
        if let Some(telemetry) = &mut self.telemetry
            && !own
            && packet.kind == Kind::Data
            && self.noted.has(packet.connection)
        {
            telemetry.note(&packet, from.hop(port, self.sides.of(host).held(port).bytes, now));
        }
        let (departure, arrival) = from.send(&packet, packet.route, false, now);
        from.counters.sent += 1;
        from.counters.bytes += u64::from(packet.size);
        from.counters.spent = from.counters.spent.wrapping_add(departure);
        if self.plain || self.at_once && self.sides.of(host).held(port).packets > 0 {
            events.push(port, departure);
        }
        if let Some(arrival) = arrival {
            events.push(self.arrival_lane(port), arrival);
        }
        self.ask(host, now, events);
    }

    /// Sends the frames that a queue has just asked for.
    #[inline]
    fn ask(&mut self, host: bool, now: Time, events: &mut Events) {
        let Some(pauses) = &mut self.pauses else { return };
        let Discipline::Scheduler(scheduler) = &mut self.sides.of_mut(host).discipline else { return };
        while let Some((port, pause)) = scheduler.signal() {
            let arrives = self.all[pauses.back(port) as usize].frame_arrives(FRAME, now);
            pauses.ask(port, pause, arrives, events);
        }
    }

    /// A frame arrives at a port that it pauses, or lets go on.
    pub(super) fn pause(&mut self, port: u32, clock: &mut Clock) {
        let Some(pauses) = &mut self.pauses else { return };
        let pause = pauses.take(port, clock.now, &mut clock.events);
        let host = self.sides.of_hosts.contains(&port);
        if let Discipline::Scheduler(scheduler) = &mut self.sides.of_mut(host).discipline {
            scheduler.pause(port, pause);
        }
        self.catch_up(port, clock.now, &mut clock.events);
        if !pause && !self.serving[port as usize] {
            self.serve(port, clock.now, &mut clock.events);
        }
    }

    /// Ports that are paused and wait for each other.
    pub(super) fn stuck(&self, fabric: &Fabric) -> Vec<u32> {
        let Some(pauses) = self.pauses.as_ref().filter(|pauses| pauses.any()) else { return vec![] };
        let mut waiting: std::collections::HashMap<u32, Vec<u32>> = std::collections::HashMap::new();
        for port in (0..self.all.len() as u32).filter(|port| fabric.link(*port).to != NONE) {
            if let Discipline::Scheduler(scheduler) = &self.sides.of(self.sides.of_hosts.contains(&port)).discipline
                && scheduler.held(port).any(|packet| packet.kind == Kind::Data)
            {
                waiting.entry(fabric.from(port)).or_default().push(port);
            }
        }
        pauses.stuck(|port| fabric.link(port).to, |node| waiting.get(&node).cloned().unwrap_or_default())
    }

    /// The link by which the next packet comes to a switch.
    #[inline]
    pub(super) fn comes_by(&mut self, link: u32) {
        if self.pauses.is_some()
            && let Discipline::Scheduler(scheduler) = &mut self.sides.of_mut(false).discipline
        {
            scheduler.comes_by(link);
        }
    }

    /// The data of a connection in a host's port that has caught up and serves in order: when each packet leaves, its size.
    pub(super) fn standing(&self, port: u32, connection: u32, now: Time) -> impl Iterator<Item = (Time, u16)> {
        let out = &self.all[port as usize];
        let held = match &self.sides.of(true).discipline {
            Discipline::Fifo(_) => None,
            Discipline::Scheduler(scheduler) => Some(scheduler.held(port)),
        };
        let on_wire = out.wire().map(|departure| (departure.time, &departure.packet));
        let all = on_wire.chain(out.follow(held.into_iter().flatten(), now)).filter(move |(time, _)| *time > now);
        let own = all.filter(move |(_, packet)| packet.connection == connection && packet.kind == Kind::Data);
        own.map(|(time, packet)| (time, packet.size))
    }

    /// Puts a packet into the queue of a port of such a site, with its route from there; returns whether that was full.
    #[inline]
    pub(super) fn enqueue(
        &mut self,
        site: Site,
        port: u32,
        packet: &Packet,
        route: u32,
        clock: &mut Clock,
        recorder: &mut Option<Box<Recorder>>,
    ) -> bool {
        let host = site != Site::Switch;
        debug_assert_eq!(host, self.sides.of_hosts.contains(&port));
        let Side { discipline, admits_up_to, unmarked } = self.sides.of_mut(host);
        let Discipline::Fifo(fifo) = discipline else {
            return self.hold(host, port, Packet { route, ..*packet }, clock, recorder);
        };
        let out = &mut self.all[port as usize];
        debug_assert_ne!(out.to, NONE, "port {port} leads nowhere");
        out.counters.entered += 1;
        let after = out.backlog_at_most() + packet.into();
        let (mut mark, mut leaving) = (false, None);
        if !admits_up_to.covers(after) || !out.counters.longest.covers(after) {
            leaving = *unmarked;
            match ask(&mut **fifo, port, out, packet, clock.now, recorder) {
                Verdict::Drop => {
                    self.dropped.push(*packet);
                    return true;
                }
                verdict => mark = verdict == Verdict::Mark,
            }
        }
        let (departure, arrival) = out.send(packet, route, mark, clock.now);
        if site == Site::Host && packet.kind == Kind::Data && self.stamped.has(packet.connection) {
            out.stamp_last();
        }
        if let Some(most) = leaving {
            out.counters.marked += out.mark_before(most, &mut self.trails[port as usize]);
        }
        out.counters.sent += 1;
        out.counters.bytes += u64::from(packet.size);
        out.counters.spent = out.counters.spent.wrapping_add(departure - clock.now);
        if let Some(arrival) = arrival {
            clock.events.push(self.arrival_lane(port), arrival);
        }
        false
    }

    /// The same where the discipline holds the packets.
    fn hold(
        &mut self,
        host: bool,
        port: u32,
        packet: Packet,
        clock: &mut Clock,
        recorder: &mut Option<Box<Recorder>>,
    ) -> bool {
        self.catch_up(port, clock.now, &mut clock.events);
        let Discipline::Scheduler(scheduler) = &mut self.sides.of_mut(host).discipline else { return false };
        let out = &mut self.all[port as usize];
        out.counters.entered += 1;
        if !self.plain && !self.serving[port as usize] && scheduler.pass(port, &packet) {
            let alone = Backlog::from(&packet);
            out.counters.spent = out.counters.spent.wrapping_sub(clock.now);
            out.counters.longest = out.counters.longest.max(alone);
            if let Some(recorder) = recorder {
                recorder.queue(clock.now, port, alone);
            }
            self.put(host, port, packet, clock.now, &mut clock.events);
            return false;
        }
        let before = out.backlog(clock.now) + scheduler.backlog(port);
        let touch = scheduler.enqueue(port, before, packet, &mut self.dropped);
        let gone = self.dropped.len() as u64;
        let taken = gone == 0 && touch != Touch::Trimmed;
        let backlog = if taken { before + (&packet).into() } else { out.backlog_at_most() + scheduler.backlog(port) };
        let counters = &mut out.counters;
        counters.dropped += gone;
        counters.marked += u64::from(touch == Touch::Marked);
        self.rare[port as usize].trimmed += u64::from(touch == Touch::Trimmed);
        // One more entered, those dropped have left.
        counters.spent = counters.spent.wrapping_add(clock.now.wrapping_mul(gone.wrapping_sub(1)));
        counters.longest = counters.longest.max(backlog);
        if let Some(recorder) = recorder {
            recorder.queue(clock.now, port, backlog);
        }
        self.ask(host, clock.now, &mut clock.events);
        if !self.serving[port as usize] {
            self.serve(port, clock.now, &mut clock.events);
        } else if self.at_once && clock.events.pending(port) == NEVER {
            clock.events.push(port, self.all[port as usize].busy_until());
        }
        gone > 0 || touch == Touch::Trimmed
    }

    /// The records of a run that ends at `end`; `on_its_way` is told of every packet that has not arrived.
    pub(super) fn finish(&self, end: Time, mut on_its_way: impl FnMut(&Packet)) -> Result<Vec<PortRecord>, Error> {
        let mut records = vec![];
        for (i, (port, rare)) in (0..).zip(self.all.iter().zip(&self.rare)) {
            let mut counters = port.counters;
            let mut held = 0;
            if let Discipline::Scheduler(scheduler) = &self.sides.of(self.sides.of_hosts.contains(&i)).discipline {
                for packet in scheduler.held(i) {
                    held += 1;
                    on_its_way(packet);
                    counters.spent = counters.spent.wrapping_add(end);
                }
            }
            if counters.entered != counters.sent + counters.dropped + held || !port.has_sent(counters.sent) {
                let found = format!("port {i}: {counters:?} and {held} packets held");
                return Err(Error::Unconserved { found });
            }
            counters.marked -= self.trails.get(i as usize).map_or(0, |trail| port.marked_early(trail, end));
            for Departure { time, packet } in port.wire() {
                on_its_way(packet);
                if *time > end {
                    counters.sent -= 1;
                    counters.bytes -= u64::from(packet.size);
                    counters.spent = counters.spent.wrapping_sub(time - end);
                }
            }
            records.push(PortRecord {
                packets: counters.sent,
                bytes: counters.bytes,
                dropped: counters.dropped,
                lost: rare.lost,
                marked: counters.marked,
                trimmed: rare.trimmed,
                spent: counters.spent,
                longest_packets: counters.longest.packets,
                longest_bytes: counters.longest.bytes,
            });
        }
        Ok(records)
    }
}

impl Queues for Ports {
    fn wait(&self, port: u32, now: Time) -> Time {
        self.all[port as usize].wait(self.sides.of(self.sides.of_hosts.contains(&port)).held(port).bytes, now)
    }
}

/// What a queue that serves in order of arrival makes of a packet.
fn ask(
    fifo: &mut dyn Fifo,
    port: u32,
    out: &mut Port,
    packet: &Packet,
    now: Time,
    recorder: &mut Option<Box<Recorder>>,
) -> Verdict {
    let mut backlog = out.backlog(now);
    let verdict = fifo.admit(port, backlog, packet);
    let counters = &mut out.counters;
    counters.marked += u64::from(verdict == Verdict::Mark);
    if verdict == Verdict::Drop {
        counters.dropped += 1;
    } else {
        backlog = backlog + packet.into();
        counters.longest = counters.longest.max(backlog);
    }
    if let Some(recorder) = recorder {
        recorder.queue(now, port, backlog);
    }
    verdict
}
