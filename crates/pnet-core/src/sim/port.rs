//! A port while the run goes on: what is in its queue, what is on its wire.

use std::ops::Add;

use super::events::Turn;
use super::fabric::Link;
use super::packet::Packet;
use super::time::{Rate, Time};

/// A packet whose departure is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Departure {
    /// When its last bit leaves.
    pub(super) time: Time,
    pub(super) packet: Packet,
}

/// What a queue holds, the packet being sent included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u32,
    /// Their bytes.
    pub bytes: u64,
}

impl Add for Backlog {
    type Output = Backlog;

    #[inline]
    fn add(self, other: Backlog) -> Backlog {
        Backlog { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

/// The wire is a ring of departures: those that have left and are yet to arrive, then those still to leave.  A discipline
/// that serves in order of arrival knows the departure of what it admits, so its whole queue is on the ring.
#[derive(Debug)]
pub(super) struct Port {
    ring: Box<[Departure]>,
    /// First that has not arrived, first that has not left, end; all count on and wrap.
    arriving: u32,
    leaving: u32,
    end: u32,
    /// Node at the other end.
    pub(super) to: u32,
    /// Bytes in the queue.
    bytes: u64,
    /// Last departure.
    busy_until: Time,
    rate: Rate,
    delay: Time,
}

/// What happened at a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) entered: u64,
    /// Put onto the wire; some may not have left yet.
    pub(super) sent: u64,
    pub(super) bytes: u64,
    pub(super) dropped: u64,
    /// Lost as the link was down, or at its end for want of a way on.
    pub(super) lost: u64,
    pub(super) marked: u64,
    pub(super) trimmed: u64,
    /// Departures less entries, over all packets: the time spent here, once all have left.
    pub(super) spent: Time,
    pub(super) longest: Backlog,
}

impl Port {
    pub(super) fn new(link: &Link) -> Self {
        let (rate, delay) = (link.rate, link.delay);
        Port {
            ring: [].into(),
            arriving: 0,
            leaving: 0,
            end: 0,
            to: link.to,
            bytes: 0,
            busy_until: 0,
            rate,
            delay,
        }
    }

    #[inline]
    fn place(&self, i: u32) -> usize {
        i as usize & (self.ring.len() - 1)
    }

    /// What of the wire has not left by `now`.
    #[inline]
    pub(super) fn backlog(&mut self, now: Time) -> Backlog {
        if self.busy_until <= now {
            self.leaving = self.end;
            self.bytes = 0;
            return Backlog::default();
        }
        // The last departure is later than now, so this ends before the end of the ring.
        loop {
            let first = &self.ring[self.place(self.leaving)];
            if first.time > now {
                break;
            }
            self.bytes -= u64::from(first.packet.size);
            self.leaving = self.leaving.wrapping_add(1);
        }
        Backlog { packets: self.end.wrapping_sub(self.leaving), bytes: self.bytes }
    }

    /// Sends a packet after all before it, with this route from here and perhaps a mark; returns its departure, and its
    /// arrival if it is the only one to wait for.
    ///
    /// The packet is changed in its place on the ring: to read as a whole what was just written in part is slow.
    #[inline]
    pub(super) fn send(
        &mut self,
        packet: &Packet,
        route: u32,
        mark: bool,
        now: Time,
    ) -> (Time, Option<Time>) {
        let pending = self.end.wrapping_sub(self.arriving) as usize;
        if pending == self.ring.len() {
            self.grow();
        }
        let time = self.busy_until.max(now).saturating_add(self.rate.serialisation(packet.size));
        let place = self.place(self.end);
        let last = &mut self.ring[place];
        *last = Departure { time, packet: *packet };
        last.packet.route = route;
        last.packet.marked |= mark;
        self.end = self.end.wrapping_add(1);
        self.busy_until = time;
        self.bytes += u64::from(packet.size);
        (time, (pending == 0).then(|| time.saturating_add(self.delay)))
    }

    /// Takes what arrives first, and says when the next one does, and in which turn.
    #[inline]
    pub(super) fn arrive(&mut self) -> (Departure, Option<(Time, Turn)>) {
        let first = self.ring[self.place(self.arriving)];
        if self.leaving == self.arriving {
            self.bytes -= u64::from(first.packet.size);
            self.leaving = self.leaving.wrapping_add(1);
        }
        self.arriving = self.arriving.wrapping_add(1);
        let next = (self.arriving != self.end).then(|| {
            let next = &self.ring[self.place(self.arriving)];
            (next.time.saturating_add(self.delay), Turn::of(&next.packet))
        });
        (first, next)
    }

    /// When the first bit of a departing packet left.
    #[inline]
    pub(super) fn began(&self, departure: &Departure) -> Time {
        departure.time - self.rate.serialisation(departure.packet.size)
    }

    /// Whether `count` packets were put onto the wire, as far as the ring can tell.
    pub(super) fn has_sent(&self, count: u64) -> bool {
        self.end == count as u32
    }

    /// What is on the ring, in order.
    pub(super) fn wire(&self) -> impl Iterator<Item = &Departure> {
        (0..self.end.wrapping_sub(self.arriving))
            .map(|i| &self.ring[self.place(self.arriving.wrapping_add(i))])
    }

    #[cold]
    fn grow(&mut self) {
        let filler = Packet {
            stamp: 0,
            connection: 0,
            route: 0,
            seq: 0,
            note: [0; 2],
            size: 0,
            kind: super::packet::Kind::Data,
            marked: false,
        };
        let mut larger =
            vec![Departure { time: 0, packet: filler }; (2 * self.ring.len()).max(8)].into_boxed_slice();
        for i in 0..self.end.wrapping_sub(self.arriving) {
            let at = self.arriving.wrapping_add(i);
            larger[at as usize & (larger.len() - 1)] = self.ring[self.place(at)];
        }
        self.ring = larger;
    }
}

const _: () = assert!(size_of::<Departure>() == 40);
