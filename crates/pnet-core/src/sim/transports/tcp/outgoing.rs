//! What the sending end does: it sends what the window allows, and repairs losses.

use std::ops::Range;

use super::super::super::network::Network;
use super::super::super::packet::{Kind, Packet};
use super::congestion::Acked;
use super::sack::Next;
use super::sender::{Phase, Step};
use super::{Family, RETRANSMIT};

impl Family {
    /// Sends what the window allows.
    #[inline]
    pub(super) fn transmit(&mut self, connection: u32, net: &mut impl Network) {
        if self.rests(connection) {
            return;
        }
        let most = self.params.receive_window.unwrap_or(u32::MAX);
        if self.params.sack && self.senders[connection as usize].phase == Phase::Recovering {
            return self.repair(connection, most, net);
        }
        loop {
            let sender = &mut self.senders[connection as usize];
            sender.held = false;
            if !sender.phase.sends() || sender.flight() >= (sender.window as u32).min(most) {
                return;
            }
            sender.held = !net.has_room(connection);
            if sender.held {
                return;
            }
            let Some(seq) = self.take_next(connection) else { return };
            self.send_segment(connection, seq, net);
        }
    }

    /// The next segment in order, which the flow gives to the connection if it has not yet.
    #[inline]
    fn take_next(&mut self, connection: u32) -> Option<u32> {
        let slot = self.slot(connection);
        let sender = &mut self.senders[connection as usize];
        if self.params.sack {
            // After a timeout what has come meanwhile is left out.
            sender.next = self.boards[connection as usize].missing(sender.next);
        }
        let seq = sender.next;
        if seq == sender.taken {
            let supply = &mut self.supplies[slot];
            if self.params.shares {
                if seq == supply.left {
                    return None;
                }
            } else if supply.left == 0 {
                return None;
            } else {
                supply.left -= 1;
                if supply.left == 0 {
                    supply.last_at = Some((connection, seq));
                }
            }
            sender.taken += 1;
        }
        sender.next += 1;
        Some(seq)
    }

    /// The same while losses are repaired by what selective acknowledgements say (RFC 6675, section 5, step C).
    fn repair(&mut self, connection: u32, most: u32, net: &mut impl Network) {
        let threshold = self.params.duplicate_threshold.unwrap_or(u32::MAX);
        let (place, slot) = (connection as usize, self.slot(connection));
        let mut pipe = self.boards[place].pipe(self.senders[place].next, threshold);
        while f64::from(pipe + 1) <= self.senders[place].window && net.has_room(connection) {
            let sender = &self.senders[place];
            let (end, recover) = (sender.next, sender.recover);
            let used = if self.params.shares { sender.taken } else { 0 };
            let new = sender.flight() < most && (end < sender.taken || self.supplies[slot].left > used);
            match self.boards[place].next(end, threshold, new) {
                None => return,
                Some(Next::New) => {
                    let Some(seq) = self.take_next(connection) else { return };
                    self.send_segment(connection, seq, net);
                }
                Some(Next::Again(seq)) => {
                    self.boards[place].sent_again(seq, recover);
                    self.send_segment(connection, seq, net);
                }
            }
            pipe += 1;
        }
    }

    /// Sends a segment, for the first time or again.
    #[inline]
    fn send_segment(&mut self, connection: u32, seq: u32, net: &mut impl Network) {
        let slot = self.slot(connection);
        let (sender, supply) = (&mut self.senders[connection as usize], &self.supplies[slot]);
        let last = supply.last_at == Some((connection, seq));
        let size = self.params.header + if last { supply.last } else { self.params.payload };
        let timeout = sender.rtt.timeout;
        if seq < sender.fresh {
            net.record(connection).counts.resent += 1;
        } else {
            sender.fresh = seq + 1;
        }
        let mut packet = Self::packet(connection, Kind::Data, seq, size, net);
        packet.note[0] = supply.unacked;
        net.send(packet);
        if !net.armed(connection, RETRANSMIT) {
            net.arm(connection, RETRANSMIT, net.now().saturating_add(timeout));
        }
    }

    pub(super) fn send_syn(&mut self, connection: u32, size: u16, net: &mut impl Network) {
        net.send(Self::packet(connection, Kind::Syn, 0, size, net));
        let timeout = self.senders[connection as usize].rtt.timeout;
        net.arm(connection, RETRANSMIT, net.now().saturating_add(timeout));
    }

    pub(super) fn on_ack(&mut self, packet: Packet, net: &mut impl Network) {
        let connection = packet.connection;
        let (flow, at) = self.flow(connection);
        let before = self.senders[connection as usize].unacked;
        if packet.seq < before || self.rests(connection) {
            return;
        }
        self.control.heard(connection, &mut self.senders[flow.clone()], at, packet.marked);
        let sender = &mut self.senders[connection as usize];
        if sender.phase == Phase::Probing {
            // A path is open: what is lost goes again, from one segment on.
            sender.phase = Phase::Open;
            sender.rtt.forget_back_off();
            if packet.seq == before {
                return self.transmit(connection, net);
            }
        }
        let (sack, threshold) = (self.params.sack, self.params.duplicate_threshold.unwrap_or(u32::MAX));
        let news = sack && self.boards[connection as usize].update(packet.seq, packet.note);
        let step = if packet.seq > before {
            sender.rtt.sample(net.now() - packet.stamp, &self.params.rto);
            sender.advance(packet.seq, sack)
        } else if sender.flight() == 0 {
            return;
        } else if sack {
            let lost = self.boards[connection as usize].shows_loss(threshold);
            sender.selective_duplicate(news, lost, threshold)
        } else {
            sender.duplicate(threshold)
        };
        let segments = packet.seq - before;
        if segments > 0 {
            match sender.flight() {
                0 => net.disarm(connection, RETRANSMIT),
                _ => net.arm(connection, RETRANSMIT, net.now().saturating_add(sender.rtt.timeout)),
            }
            let slot = (connection / self.subflows) as usize;
            let supply = &mut self.supplies[slot];
            // Where each has its share, more may be acknowledged than the flow has.
            supply.unacked = supply.unacked.saturating_sub(segments);
            if supply.unacked == 0 {
                if self.delivered(slot, flow.clone()) {
                    return self.finish(connection, flow, net);
                }
                if self.rests(connection) {
                    return net.disarm(connection, RETRANSMIT);
                }
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
                self.senders[connection as usize].recover(threshold, sack);
                if sack {
                    self.boards[connection as usize].recover();
                }
                net.record(connection).counts.fast_retransmits += 1;
                self.send_segment(connection, packet.seq, net);
                net.arm(
                    connection,
                    RETRANSMIT,
                    net.now().saturating_add(self.senders[connection as usize].rtt.timeout),
                );
            }
        }
        self.trace(connection, net);
        self.transmit(connection, net);
    }

    #[inline]
    pub(super) fn trace(&self, connection: u32, net: &mut impl Network) {
        net.trace_window(connection, self.senders[connection as usize].window);
    }

    /// All that a flow had to send is acknowledged.
    fn finish(&mut self, connection: u32, connections: Range<usize>, net: &mut impl Network) {
        if net.session(connection).followed {
            let flow = net.record(connection).id;
            self.sessions.keep(flow, net.now(), connections, &self.senders, &*self.control);
        }
        net.complete(connection);
    }

    pub(super) fn on_timeout(&mut self, connection: u32, net: &mut impl Network) {
        if self.rests(connection) {
            return;
        }
        net.record(connection).counts.timeouts += 1;
        let (flow, at) = self.flow(connection);
        let sender = self.senders[connection as usize];
        if let (Phase::Opening, Some(size)) = (sender.phase, self.params.syn) {
            let sender = &mut self.senders[connection as usize];
            sender.rtt.back_off(&self.params.rto);
            // RFC 5681, section 3.1, for a lost handshake.
            sender.window = 1.0;
            return self.send_syn(connection, size, net);
        }
        // A segment that is lost again does not lower the threshold again (RFC 5681, section 3.1).
        let threshold = match sender.rtt.backed_off {
            0 => self.control.lost(connection, &self.senders[flow], at, sender.flight()),
            _ => sender.threshold,
        };
        let sender = &mut self.senders[connection as usize];
        sender.start_over(threshold, &self.params.rto);
        if self.params.sack {
            // What the receiver said it may have forgotten.
            self.boards[connection as usize].forget(sender.unacked);
        }
        if self.params.probe_after.is_some_and(|most| sender.rtt.backed_off >= most) {
            sender.phase = Phase::Probing;
            let timeout = sender.rtt.timeout;
            let probe = Self::packet(connection, Kind::Probe, sender.unacked, self.params.ack, net);
            net.send(probe);
            net.arm(connection, RETRANSMIT, net.now().saturating_add(timeout));
            return self.trace(connection, net);
        }
        self.trace(connection, net);
        self.transmit(connection, net);
    }
}
