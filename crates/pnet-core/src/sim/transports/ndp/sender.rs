//! The sending end of a connection: what goes next, and what is taken for lost.

use std::collections::VecDeque;

use super::super::super::time::Time;

/// What is known of a segment that has been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was last sent then, and no answer has come.
    Sent(Time),
    /// It is to be sent again.
    Lost,
    /// It has arrived.
    Acked,
}

/// State of a connection.  Segments are numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// Segments of the flow, and payload of the last.
    pub(super) segments: u32,
    pub(super) last: u16,
    /// Segments not acknowledged.
    pub(super) unacked: u32,
    /// Segments sent that await their answer.
    pub(super) under_way: u32,
    /// The segments from `first`, the first not acknowledged, to the first never sent.
    states: VecDeque<State>,
    first: u32,
    /// Segments to be sent again, the next first; some may have arrived after all.
    lost: VecDeque<u32>,
    /// When segments were sent, the earliest first; some may have been answered.
    sent: VecDeque<(Time, u32)>,
    /// Packets that may be sent.
    allowed: u32,
    /// Requests that have come or been overtaken by later ones.
    pulled: u32,
    /// When the receiver was last heard of.
    heard: Time,
    /// How often the timeout has been doubled since.
    backed_off: u32,
}

impl Sender {
    /// Begins a flow.
    pub(super) fn reset(&mut self, segments: u32, last: u16, window: u32, now: Time) {
        self.states.clear();
        self.lost.clear();
        self.sent.clear();
        let (states, lost, sent) =
            (std::mem::take(&mut self.states), std::mem::take(&mut self.lost), std::mem::take(&mut self.sent));
        *self = Sender {
            segments,
            last,
            unacked: segments,
            allowed: window,
            heard: now,
            states,
            lost,
            sent,
            ..Sender::default()
        };
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

    /// What to send now, if anything may and can be, and whether it was sent before: what is lost goes before what is new.
    pub(super) fn next(&mut self, now: Time) -> Option<(u32, bool)> {
        if self.allowed == 0 {
            return None;
        }
        let fresh = self.first + self.states.len() as u32;
        let seq = loop {
            match self.lost.pop_front() {
                Some(seq) if self.state(seq) != Some(State::Lost) => {}
                Some(seq) => break seq,
                None if fresh < self.segments => break fresh,
                None => return None,
            }
        };
        if seq == fresh {
            self.states.push_back(State::Lost);
        }
        self.set(seq, State::Sent(now));
        self.sent.push_back((now, seq));
        self.allowed -= 1;
        Some((seq, seq < fresh))
    }

    /// The receiver has been heard of.
    pub(super) fn hear(&mut self, now: Time) {
        self.heard = now;
        self.backed_off = 0;
    }

    /// A segment has arrived.
    pub(super) fn acknowledge(&mut self, seq: u32) {
        if matches!(self.state(seq), None | Some(State::Acked)) {
            return;
        }
        self.set(seq, State::Acked);
        self.unacked -= 1;
        while self.states.front() == Some(&State::Acked) {
            self.states.pop_front();
            self.first += 1;
        }
    }

    /// A segment has lost its payload.
    pub(super) fn resend(&mut self, seq: u32) {
        if let Some(State::Sent(_)) = self.state(seq) {
            self.set(seq, State::Lost);
            self.lost.push_back(seq);
        }
    }

    /// The receiver has asked for so many packets in all; one that does not come is made up for by the next.
    pub(super) fn pull(&mut self, count: u32) {
        let more = count.saturating_sub(self.pulled);
        self.pulled += more;
        self.allowed += more;
    }

    /// How long an answer is waited for.
    fn patience(&self, timeout: Time) -> Time {
        timeout.saturating_mul(1 << self.backed_off.min(16))
    }

    /// The segment sent the longest ago of those that await their answer, and when.
    fn oldest(&mut self) -> Option<(Time, u32)> {
        while let Some((time, seq)) = self.sent.front().copied() {
            if self.state(seq) == Some(State::Sent(time)) {
                return Some((time, seq));
            }
            self.sent.pop_front();
        }
        None
    }

    /// When the next packet is taken for lost; where none is under way, when the receiver has been silent for too long.
    pub(super) fn deadline(&mut self, timeout: Time) -> Time {
        let since = self.oldest().map_or(self.heard, |(time, _)| time);
        since.saturating_add(self.patience(timeout))
    }

    /// The deadline has come: what has been under way for too long goes again at once, or, where nothing is under way, one
    /// packet as if the receiver had asked for it.
    pub(super) fn give_up(&mut self, now: Time, timeout: Time) {
        let before = now.saturating_sub(self.patience(timeout));
        let mut late = vec![];
        while let Some((_, seq)) = self.oldest().filter(|(time, _)| *time <= before) {
            self.set(seq, State::Lost);
            late.push(seq);
        }
        self.allowed += (late.len() as u32).max(1);
        for seq in late.into_iter().rev() {
            self.lost.push_front(seq);
        }
        self.heard = now;
        self.backed_off += 1;
    }
}
