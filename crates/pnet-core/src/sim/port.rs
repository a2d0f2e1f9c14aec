//! A port while the run goes on: what is in its queue, what is on its wire.

use std::ops::Add;

use super::fabric::Link;
use super::packet::{Kind, Packet};
use super::queues::Limit;
use super::telemetry::Hop;
use super::time::{Rate, Time};

/// Length of a ring at least; all are powers of two.
const LEAST: usize = 8;

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

impl From<&Packet> for Backlog {
    #[inline]
    fn from(packet: &Packet) -> Backlog {
        Backlog { packets: 1, bytes: u64::from(packet.size) }
    }
}

impl Backlog {
    /// As long as a queue can be.
    pub(super) const ALL: Backlog = Backlog { packets: u32::MAX, bytes: u64::MAX };

    /// Whether another is no more than this, in packets and in bytes.
    #[inline]
    pub(super) fn covers(self, other: Backlog) -> bool {
        other.packets <= self.packets && other.bytes <= self.bytes
    }

    /// The most of both, in packets and in bytes.
    #[inline]
    pub(super) fn max(self, other: Backlog) -> Backlog {
        Backlog { packets: self.packets.max(other.packets), bytes: self.bytes.max(other.bytes) }
    }
}

/// The wire is a ring of departures: those that have left and are yet to arrive, then those still to leave.  A discipline
/// that serves in order of arrival knows the departure of what it admits, so its whole queue is on the ring.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct Port {
    pub(super) counters: Counters,
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

/// The last packets of a queue that together do not exceed what may stay without a mark: the first of them on the ring, how
/// much they are, and the end of the ring as that was counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trail {
    first: u32,
    end: u32,
    length: u64,
}

/// What happens at a port all the time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) entered: u64,
    /// Put onto the wire; some may not have left yet.
    pub(super) sent: u64,
    pub(super) bytes: u64,
    pub(super) dropped: u64,
    pub(super) marked: u64,
    /// Departures less entries, over all packets: the time spent here, once all have left.
    pub(super) spent: Time,
    pub(super) longest: Backlog,
}

/// What happens at a port now and then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rare {
    /// Lost as the link was down, or at its end for want of a next hop.
    pub(super) lost: u64,
    pub(super) trimmed: u64,
}

impl Port {
    pub(super) fn new(link: &Link) -> Self {
        let (rate, delay) = (link.rate, link.delay);
        Port {
            counters: Counters::default(),
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

    /// What of the wire had not left when that was last looked at: as much as has not left by now, or more.
    #[inline]
    pub(super) fn backlog_at_most(&self) -> Backlog {
        Backlog { packets: self.end.wrapping_sub(self.leaving), bytes: self.bytes }
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
        self.backlog_at_most()
    }

    /// Sends a packet after all before it, with this route from here and perhaps a mark; returns its departure, and its
    /// arrival if it is the only one to wait for.
    ///
    /// The packet is changed in its place on the ring: to read as a whole what was just written in part is slow.
    #[inline]
    pub(super) fn send(&mut self, packet: &Packet, route: u32, mark: bool, now: Time) -> (Time, Option<Time>) {
        let pending = self.end.wrapping_sub(self.arriving) as usize;
        if pending == self.ring.len() {
            self.resize((2 * pending).max(LEAST));
        } else if self.place(self.end) == 0 && pending <= self.ring.len() / 8 && self.ring.len() > LEAST {
            self.resize(self.ring.len() / 2);
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

    /// When the last packet on the ring has been sent.
    #[inline]
    pub(super) fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// How long it takes to send what is on the ring and so many bytes behind that.
    #[inline]
    pub(super) fn wait(&self, bytes: u64, now: Time) -> Time {
        self.busy_until.saturating_sub(now).saturating_add(self.rate.roughly(bytes))
    }

    /// When a frame of so many bytes arrives at the other end that goes before all that waits.
    pub(super) fn frame_arrives(&self, size: u16, now: Time) -> Time {
        self.busy_until.max(now).saturating_add(self.rate.serialisation(size) + self.delay)
    }

    /// Stamps the packet that has just been sent with the time of its first bit.
    #[inline]
    pub(super) fn stamp_last(&mut self) {
        let place = self.place(self.end.wrapping_sub(1));
        let last = &mut self.ring[place];
        last.packet.stamp = last.time - self.rate.serialisation(last.packet.size);
    }

    /// Marks the data that will have been sent with more than `most` in the queue, itself included, now that a packet has been
    /// sent after it, whose queue was looked at before; returns how many packets that are.
    #[inline]
    pub(super) fn mark_before(&mut self, most: Limit, trail: &mut Trail) -> u64 {
        let last = self.end.wrapping_sub(1);
        let size = |port: &Port, at: u32| most.of((&port.ring[port.place(at)].packet).into());
        let new = size(self, last);
        if trail.end != last || (self.leaving.wrapping_sub(trail.first) as i32) > 0 {
            // Of what was in the queue before, nothing exceeds it.
            *trail = Trail { first: self.leaving, length: most.of(self.backlog_at_most()) - new, end: last };
        }
        trail.end = self.end;
        trail.length += new;
        let mut marked = 0;
        while most.exceeded(trail.length) {
            trail.length -= size(self, trail.first);
            let place = self.place(trail.first);
            marked += u64::from(self.ring[place].packet.mark());
            trail.first = trail.first.wrapping_add(1);
        }
        marked
    }

    /// How many packets are marked that would have left only after `now`.
    pub(super) fn marked_early(&self, trail: &Trail, now: Time) -> u64 {
        let late =
            self.wire().zip(0..).filter(|(departure, _)| departure.time > now && departure.packet.kind == Kind::Data);
        let ahead = |i: u32| (trail.first.wrapping_sub(self.arriving.wrapping_add(i)) as i32) > 0;
        late.filter(|(_, i)| ahead(*i)).count() as u64
    }

    /// The same of the packet that has just been sent, where those behind it are held elsewhere.
    pub(super) fn mark_sent(&mut self, most: Limit, behind: Backlog, now: Time) -> bool {
        let last = self.end.wrapping_sub(1);
        if self.arriving == self.end || self.busy_until != now {
            return false;
        }
        let place = self.place(last);
        let packet = &mut self.ring[place].packet;
        most.exceeded(most.of(behind + (&*packet).into())) && packet.mark()
    }

    /// These packets, each with when it would leave if they followed from now on.
    pub(super) fn follow<'a>(
        &self,
        packets: impl Iterator<Item = &'a Packet>,
        now: Time,
    ) -> impl Iterator<Item = (Time, &'a Packet)> {
        packets.scan(self.busy_until.max(now), |time, packet| {
            *time = time.saturating_add(self.rate.serialisation(packet.size));
            Some((*time, packet))
        })
    }

    /// What arrives first.
    #[inline]
    pub(super) fn first(&self) -> &Departure {
        &self.ring[self.place(self.arriving)]
    }

    /// Reads where [`Port::backlog`] and [`Port::send`] read and write.
    #[inline]
    pub(super) fn look_ahead(&self) -> u32 {
        if self.ring.is_empty() {
            return 0;
        }
        // Where a slot lies in two lines of the cache, its first and its last field are in different ones.
        let (first, last) = (&self.ring[self.place(self.leaving)], &self.ring[self.place(self.end)]);
        (first.time ^ last.time ^ self.counters.sent) as u32
            ^ u32::from(first.packet.size)
            ^ u32::from(last.packet.size)
    }

    /// Takes what arrives first, and says when the next one does.
    #[inline]
    pub(super) fn arrive(&mut self) -> (Departure, Option<Time>) {
        let first = self.ring[self.place(self.arriving)];
        if self.leaving == self.arriving {
            self.bytes -= u64::from(first.packet.size);
            self.leaving = self.leaving.wrapping_add(1);
        }
        self.arriving = self.arriving.wrapping_add(1);
        let next =
            (self.arriving != self.end).then(|| self.ring[self.place(self.arriving)].time.saturating_add(self.delay));
        (first, next)
    }

    /// What it notes on a packet that it is about to send, this being its number and what waits behind.
    pub(super) fn hop(&self, port: u32, queue: u64, now: Time) -> Hop {
        Hop { port, queue, sent: self.counters.bytes, time: now, rate: self.rate }
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
        (0..self.end.wrapping_sub(self.arriving)).map(|i| &self.ring[self.place(self.arriving.wrapping_add(i))])
    }

    /// Makes the ring longer or shorter.  A ring much longer than what it holds would go through more memory than it needs.
    #[cold]
    fn resize(&mut self, length: usize) {
        let filler = Packet::new(Kind::Data, 0, 0, 0, 0);
        let mut ring = vec![Departure { time: 0, packet: filler }; length].into_boxed_slice();
        for i in 0..self.end.wrapping_sub(self.arriving) {
            let at = self.arriving.wrapping_add(i);
            ring[at as usize & (length - 1)] = self.ring[self.place(at)];
        }
        self.ring = ring;
    }
}

const _: () = assert!(size_of::<Departure>() == 40);
// What every packet touches of a port is two lines of the cache, side by side.
const _: () = assert!(size_of::<Port>() == 128 && size_of::<Counters>() == 64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn packet(seq: u32) -> Packet {
        Packet::new(Kind::Data, 1, seq, 100, u64::from(seq))
    }

    proptest! {
        /// Against a list, while the ring becomes longer and shorter.
        #[test]
        fn packets_arrive_as_they_were_sent(bursts in prop::collection::vec((0..90_u32, 0..90_u32), 1..40)) {
            let rate = Rate::new(8 * 10_u64.pow(12)).unwrap();
            let mut port = Port::new(&Link { rate, delay: 7, to: 0 });
            let (mut sent, mut count, mut longest) = (VecDeque::new(), 0, 0);
            for (more, fewer) in bursts {
                for _ in 0..more {
                    port.backlog(0);
                    let (time, alone) = port.send(&packet(count), count, false, 0);
                    prop_assert_eq!(time, 100 * u64::from(count + 1));
                    prop_assert_eq!(alone.is_some(), sent.is_empty());
                    sent.push_back(count);
                    count += 1;
                }
                longest = longest.max(sent.len());
                for _ in 0..fewer.min(sent.len() as u32) {
                    let (Departure { time, packet: first }, next) = port.arrive();
                    prop_assert_eq!(Some(first.seq), sent.pop_front());
                    prop_assert_eq!((first.route, first.stamp), (first.seq, u64::from(first.seq)));
                    prop_assert_eq!(time, 100 * u64::from(first.seq + 1));
                    prop_assert_eq!(next.is_some(), !sent.is_empty());
                }
                prop_assert_eq!(port.wire().map(|left| left.packet.seq).collect::<VecDeque<_>>(), sent.clone());
                prop_assert!(port.ring.len() <= (2 * longest).next_power_of_two().max(LEAST));
            }
            prop_assert!(port.has_sent(u64::from(count)));
            // A long ring that holds little comes back to a few slots.
            for _ in sent {
                port.arrive();
            }
            for _ in 0..2 * port.ring.len() {
                port.send(&packet(count), count, false, 0);
                port.arrive();
            }
            prop_assert!(port.ring.len() <= LEAST, "{} slots", port.ring.len());
        }
    }
}
