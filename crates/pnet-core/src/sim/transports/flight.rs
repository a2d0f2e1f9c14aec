//! What a connection whose packets are answered one by one has under way: what goes next, and what is taken for lost.

use std::collections::VecDeque;

use super::super::time::Time;

/// What is known of a segment that has been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was last sent as the transmission of this number, and no answer has come.
    Sent(u64),
    /// It is to be sent again.
    Lost,
    /// It has arrived.
    Acked,
}

/// State of a connection.  Segments are numbered from 0, and so are transmissions.
#[derive(Debug, Default)]
pub(super) struct Flight {
    /// Segments of the flow, and payload of the last.
    segments: u32,
    last: u16,
    /// Segments not acknowledged.
    pub(super) unacked: u32,
    /// Segments sent that await their answer.
    pub(super) under_way: u32,
    /// The segments from `first`, the first not acknowledged, to the first never sent.
    states: VecDeque<State>,
    first: u32,
    /// Segments to be sent again, the next first; some may have arrived after all.
    lost: VecDeque<u32>,
    /// When segments were sent, the earliest first, from transmission `before` on; some may have been answered.
    sent: VecDeque<(Time, u32)>,
    before: u64,
    /// The last transmission known to have arrived, and one.
    heard: u64,
}

impl Flight {
    /// Begins a flow of so many bytes in packets of so much payload.
    pub(super) fn reset(&mut self, bytes: u64, payload: u16) {
        self.states.clear();
        self.lost.clear();
        self.sent.clear();
        let (states, lost, sent) =
            (std::mem::take(&mut self.states), std::mem::take(&mut self.lost), std::mem::take(&mut self.sent));
        let segments = bytes.div_ceil(u64::from(payload)) as u32;
        let last = (bytes - (u64::from(segments) - 1) * u64::from(payload)) as u16;
        *self = Flight { segments, last, unacked: segments, states, lost, sent, ..Flight::default() };
    }

    /// Payload of a segment, where a full one has so much.
    pub(super) fn payload(&self, seq: u32, full: u16) -> u16 {
        if seq + 1 == self.segments { self.last } else { full }
    }

    /// Segments that have never been sent.
    pub(super) fn unsent(&self) -> u32 {
        self.segments - self.first - self.states.len() as u32
    }

    /// The flow has so many segments less, of those that have never been sent.
    pub(super) fn skip(&mut self, segments: u32) {
        self.segments -= segments;
        self.unacked -= segments;
    }

    /// What is known of a segment, if it has been sent and those before it have not all arrived.
    fn state(&self, seq: u32) -> Option<State> {
        self.states.get(seq.checked_sub(self.first)? as usize).copied()
    }

    fn set(&mut self, seq: u32, state: State) {
        let known = &mut self.states[(seq - self.first) as usize];
        self.under_way -= u32::from(matches!(known, State::Sent(_)));
        self.under_way += u32::from(matches!(state, State::Sent(_)));
        *known = state;
    }

    /// The segment to send next, if there is one, and whether it was sent before: what is lost goes before what is new.
    pub(super) fn next(&mut self) -> Option<(u32, bool)> {
        let fresh = self.first + self.states.len() as u32;
        loop {
            match self.lost.front().copied() {
                Some(seq) if self.state(seq) == Some(State::Lost) => return Some((seq, true)),
                Some(_) => self.lost.pop_front(),
                None => return (fresh < self.segments).then_some((fresh, false)),
            };
        }
    }

    /// The segment that [`Flight::next`] has just named is sent.
    pub(super) fn send(&mut self, seq: u32, now: Time) {
        if self.lost.front() == Some(&seq) {
            self.lost.pop_front();
        } else {
            self.states.push_back(State::Lost);
        }
        self.set(seq, State::Sent(self.before + self.sent.len() as u64));
        self.sent.push_back((now, seq));
    }

    /// A segment has arrived; returns whether that is news.
    pub(super) fn acknowledge(&mut self, seq: u32) -> bool {
        match self.state(seq) {
            None | Some(State::Acked) => return false,
            Some(State::Sent(number)) => self.heard = self.heard.max(number + 1),
            Some(State::Lost) => {}
        }
        self.set(seq, State::Acked);
        self.unacked -= 1;
        while self.states.front() == Some(&State::Acked) {
            self.states.pop_front();
            self.first += 1;
        }
        true
    }

    /// All segments below this one have arrived; returns of how many that is news.
    pub(super) fn acknowledge_below(&mut self, seq: u32) -> u32 {
        let before = self.unacked;
        while self.first < seq && self.unacked > 0 {
            self.acknowledge(self.first);
        }
        before - self.unacked
    }

    /// A segment has not arrived; returns whether it is news that it has to be sent again.
    pub(super) fn resend(&mut self, seq: u32) -> bool {
        let news = matches!(self.state(seq), Some(State::Sent(_)));
        if news {
            self.set(seq, State::Lost);
            self.lost.push_back(seq);
        }
        news
    }

    /// All that has been sent and not acknowledged is to be sent again, from the first on; returns whether there is any.
    pub(super) fn go_back(&mut self) -> bool {
        self.lost.clear();
        for seq in self.first..self.first + self.states.len() as u32 {
            if self.state(seq) != Some(State::Acked) {
                self.set(seq, State::Lost);
                self.lost.push_back(seq);
            }
        }
        !self.lost.is_empty()
    }

    /// The transmission that was sent the longest ago of those that await their answer: its time, segment and number.
    fn first_sent(&mut self) -> Option<(Time, u32, u64)> {
        while let Some((time, seq)) = self.sent.front().copied() {
            if self.state(seq) == Some(State::Sent(self.before)) {
                return Some((time, seq, self.before));
            }
            self.sent.pop_front();
            self.before += 1;
        }
        None
    }

    /// When the first of what awaits its answer was sent.
    pub(super) fn oldest(&mut self) -> Option<Time> {
        self.first_sent().map(|(time, ..)| time)
    }

    /// The segments that are to be sent again before all else, so many.
    pub(super) fn lost_first(&mut self, count: u32) -> &[u32] {
        &self.lost.make_contiguous()[..count as usize]
    }

    /// Takes what was sent no later than this, without an answer, for lost: it goes before all else.  Returns how much
    /// that is.
    pub(super) fn expire(&mut self, latest: Time) -> u32 {
        self.lose_while(|time, _, _| time <= latest)
    }

    /// Takes for lost what was sent `count` transmissions or more before the last one known to have arrived.
    pub(super) fn overtake(&mut self, count: u32) -> u32 {
        self.lose_while(|_, number, heard| number + u64::from(count) < heard)
    }

    /// Takes what was sent first for lost as long as `gone` says so of its time and number, and the number after the last
    /// one that has arrived.
    fn lose_while(&mut self, gone: impl Fn(Time, u64, u64) -> bool) -> u32 {
        let mut late = vec![];
        while let Some((_, seq, _)) = self.first_sent().filter(|(time, _, number)| gone(*time, *number, self.heard)) {
            self.set(seq, State::Lost);
            late.push(seq);
        }
        let count = late.len() as u32;
        for seq in late.into_iter().rev() {
            self.lost.push_front(seq);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(flight: &mut Flight, count: u32, now: Time) -> Vec<u32> {
        let mut sent = vec![];
        for _ in 0..count {
            let Some((seq, _)) = flight.next() else { break };
            flight.send(seq, now);
            sent.push(seq);
        }
        sent
    }

    /// Five full packets of 100 bytes and one of 20.
    #[test]
    fn what_is_lost_goes_before_what_is_new() {
        let mut flight = Flight::default();
        flight.reset(520, 100);
        assert_eq!((flight.unacked, flight.payload(4, 100), flight.payload(5, 100)), (6, 100, 20));
        assert_eq!(send(&mut flight, 4, 1), [0, 1, 2, 3]);
        assert!(flight.resend(1));
        assert!(!flight.resend(1));
        assert_eq!((flight.under_way, flight.next()), (3, Some((1, true))));
        assert_eq!(send(&mut flight, 9, 2), [1, 4, 5]);
        // 0 and 2 arrive, then all below 3: 1 has too.
        assert!(flight.acknowledge(0) && flight.acknowledge(2) && !flight.acknowledge(2));
        assert_eq!(flight.acknowledge_below(3), 1);
        assert_eq!((flight.unacked, flight.under_way, flight.oldest()), (3, 3, Some(1)));
    }

    /// With three sent after it that have arrived a packet is lost, and again if that happens to what was sent in its place.
    #[test]
    fn a_packet_is_overtaken() {
        let mut flight = Flight::default();
        flight.reset(1000, 100);
        send(&mut flight, 5, 1);
        flight.acknowledge(1);
        flight.acknowledge(2);
        assert_eq!(flight.overtake(3), 0);
        flight.acknowledge(3);
        assert_eq!((flight.overtake(3), flight.overtake(3)), (1, 0));
        assert_eq!(send(&mut flight, 4, 2), [0, 5, 6, 7]);
        flight.acknowledge(6);
        // 4 was sent before 0 was for the second time, which two have overtaken.
        assert_eq!(flight.overtake(3), 1);
        flight.acknowledge(7);
        assert_eq!(flight.overtake(3), 1);
        assert_eq!(send(&mut flight, 9, 3), [0, 4, 8, 9]);
    }

    #[test]
    fn going_back_sends_all_again_in_order() {
        let mut flight = Flight::default();
        flight.reset(600, 100);
        send(&mut flight, 5, 1);
        flight.acknowledge_below(2);
        assert!(flight.go_back());
        assert_eq!(flight.under_way, 0);
        assert_eq!(send(&mut flight, 2, 2), [2, 3]);
        assert!(flight.go_back());
        assert_eq!(send(&mut flight, 9, 3), [2, 3, 4, 5]);
        assert_eq!((flight.expire(2), flight.expire(3)), (0, 4));
        flight.acknowledge_below(6);
        assert_eq!((flight.unacked, flight.under_way, flight.next(), flight.go_back()), (0, 0, None, false));
    }
}
