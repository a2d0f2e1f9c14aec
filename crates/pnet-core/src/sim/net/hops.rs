//! Packets from port to port: what arrives goes on, what enters a queue waits or is lost.

use super::Net;
use crate::sim::fabric::NONE;
use crate::sim::forwarding::{Ground, PER_HOP};
use crate::sim::packet::{Kind, Packet};
use crate::sim::port::Departure;
use crate::sim::queues::{Discipline, Touch, Verdict};
use crate::sim::time::NEVER;

/// What becomes of a packet that has crossed a link.
#[derive(PartialEq, Eq)]
enum Fate {
    /// It is at its host.
    Home,
    /// It goes on, or is lost on the link or for want of a way on.
    Away,
    /// It has met a full queue, and may have found room there or not.
    Full,
}

impl Net {
    /// A packet arrives at the far end of a port: it goes on, or is returned if it has come to its host.
    #[inline]
    pub(in crate::sim) fn arrive(&mut self, port: u32) -> Option<Packet> {
        let (departure, next) = self.ports[port as usize].arrive();
        let fate = self.take(port, &departure);
        match fate {
            Fate::Full => self.events.turns.draw(port),
            _ => self.events.turns.end(port),
        }
        if let Some(next) = next {
            self.events.push(self.arrival_lane(port), next);
        }
        (fate == Fate::Home).then_some(departure.packet)
    }

    /// What has arrived comes to its host, goes on or is lost.
    #[inline]
    fn take(&mut self, port: u32, departure: &Departure) -> Fate {
        let from = &self.ports[port as usize];
        let (packet, to) = (&departure.packet, from.to);
        if self.failing && self.down.between(port, from.began(departure), self.now) {
            self.lose(port, packet);
            return Fate::Away;
        }
        self.packet_hops += 1;
        if self.recorder.is_some() {
            self.trace_hop(port, packet);
        }
        if (to as usize) < self.fabric.hosts() {
            let flow = &mut self.live[(packet.connection / self.subflows) as usize];
            flow.in_flight -= 1;
            self.records[flow.record as usize].delivered += 1;
            self.arrived += if packet.kind == Kind::Data { u64::from(packet.size) } else { 0 };
            if flow.traced && packet.kind == Kind::Data {
                self.trace_arrival(port, packet);
            }
            return Fate::Home;
        }
        let (next, route) = if packet.route & PER_HOP == 0 {
            (self.routes.port(packet.route), packet.route + 1)
        } else {
            let ground = Ground { fabric: &self.fabric, routes: &self.routes, now: self.now };
            let Some(way) = self.forwarder.next(packet, to, &ground) else {
                self.lose(port, packet);
                return Fate::Away;
            };
            way
        };
        debug_assert_eq!(self.fabric.from(next), to, "a packet leaves by a port of another switch");
        if self.enqueue(next, packet, route) { Fate::Full } else { Fate::Away }
    }

    /// A packet is lost on a link, or at its end.
    fn lose(&mut self, port: u32, packet: &Packet) {
        self.rare[port as usize].lost += 1;
        self.drop(packet.connection);
    }

    /// A port that has sent its packet sends the next.
    pub(in crate::sim) fn serve(&mut self, port: u32) {
        let Discipline::Scheduler(scheduler) = &mut self.discipline else {
            unreachable!("port {port} becomes free, but its queue serves in order of arrival");
        };
        let Some(packet) = scheduler.dequeue(port) else { return };
        let from = &mut self.ports[port as usize];
        let (departure, arrival) = from.send(&packet, packet.route, false, self.now);
        from.counters.sent += 1;
        from.counters.bytes += u64::from(packet.size);
        from.counters.spent = from.counters.spent.wrapping_add(departure);
        self.events.push(port, departure);
        if let Some(arrival) = arrival {
            let lane = self.arrival_lane(port);
            self.events.push(lane, arrival);
        }
    }

    /// Puts a packet into the queue of a port, with its route from there; returns whether that was full.
    #[inline]
    pub(super) fn enqueue(&mut self, port: u32, packet: &Packet, route: u32) -> bool {
        if let Discipline::Scheduler(_) = self.discipline {
            return self.hold(port, Packet { route, ..*packet });
        }
        let out = &mut self.ports[port as usize];
        debug_assert_ne!(out.to, NONE, "port {port} leads nowhere");
        out.counters.entered += 1;
        let after = out.backlog_at_most() + packet.into();
        let asked = after.packets > self.asked_from || !out.counters.longest.covers(after);
        let verdict = if asked { self.ask(port, packet) } else { Verdict::Admit };
        if verdict == Verdict::Drop {
            return true;
        }
        let out = &mut self.ports[port as usize];
        let (departure, arrival) = out.send(packet, route, verdict == Verdict::Mark, self.now);
        out.counters.sent += 1;
        out.counters.bytes += u64::from(packet.size);
        out.counters.spent = out.counters.spent.wrapping_add(departure - self.now);
        if let Some(arrival) = arrival {
            let lane = self.arrival_lane(port);
            self.events.push(lane, arrival);
        }
        false
    }

    /// What a queue that serves in order of arrival makes of a packet.
    fn ask(&mut self, port: u32, packet: &Packet) -> Verdict {
        let Discipline::Fifo(fifo) = &mut self.discipline else {
            unreachable!("what port {port} does depends on more than its backlog");
        };
        let out = &mut self.ports[port as usize];
        let mut backlog = out.backlog(self.now);
        let verdict = fifo.admit(port, backlog, packet);
        let counters = &mut out.counters;
        counters.marked += u64::from(verdict == Verdict::Mark);
        if verdict == Verdict::Drop {
            counters.dropped += 1;
            self.drop(packet.connection);
        } else {
            backlog = backlog + packet.into();
            counters.longest = counters.longest.max(backlog);
        }
        self.trace_queue(port, backlog);
        verdict
    }

    /// The same where the discipline holds the packets.
    fn hold(&mut self, port: u32, packet: Packet) -> bool {
        let Discipline::Scheduler(scheduler) = &mut self.discipline else { return false };
        let out = &mut self.ports[port as usize];
        let sending = out.backlog(self.now);
        let counters = &mut out.counters;
        counters.entered += 1;
        let touch = scheduler.enqueue(port, sending + scheduler.backlog(port), packet, &mut self.dropped);
        let backlog = sending + scheduler.backlog(port);
        let gone = self.dropped.len() as u64;
        counters.dropped += gone;
        counters.marked += u64::from(touch == Touch::Marked);
        self.rare[port as usize].trimmed += u64::from(touch == Touch::Trimmed);
        // One more entered, those dropped have left.
        counters.spent = counters.spent.wrapping_add(self.now.wrapping_mul(gone.wrapping_sub(1)));
        counters.longest = counters.longest.max(backlog);
        self.trace_queue(port, backlog);
        while let Some(gone) = self.dropped.pop() {
            self.drop(gone.connection);
        }
        if self.events.pending(port) == NEVER {
            self.serve(port);
        }
        gone > 0 || touch == Touch::Trimmed
    }

    fn drop(&mut self, connection: u32) {
        let flow = &mut self.live[(connection / self.subflows) as usize];
        flow.in_flight -= 1;
        self.records[flow.record as usize].dropped += 1;
        self.settle(connection);
    }
}
