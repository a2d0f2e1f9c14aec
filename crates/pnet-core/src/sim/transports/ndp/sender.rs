//! The sending end of a connection: what its receiver has asked for, and how long an answer is waited for.

use super::super::super::time::Time;
use super::super::flight::Flight;

/// State of a connection.
#[derive(Debug, Default)]
pub(super) struct Sender {
    pub(super) flight: Flight,
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
    /// Begins a flow of so many bytes; so many packets may be sent at once.
    pub(super) fn reset(&mut self, bytes: u64, payload: u16, window: u32, now: Time) {
        self.flight.reset(bytes, payload);
        (self.allowed, self.pulled, self.heard, self.backed_off) = (window, 0, now, 0);
    }

    /// What to send now, if anything may and can be, and whether it was sent before.
    pub(super) fn next(&mut self, now: Time) -> Option<(u32, bool)> {
        if self.allowed == 0 {
            return None;
        }
        let (seq, again) = self.flight.next()?;
        self.flight.send(seq, now);
        self.allowed -= 1;
        Some((seq, again))
    }

    /// The receiver has been heard of.
    pub(super) fn hear(&mut self, now: Time) {
        self.heard = now;
        self.backed_off = 0;
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

    /// When the next packet is taken for lost; where none is under way, when the receiver has been silent for too long.
    pub(super) fn deadline(&mut self, timeout: Time) -> Time {
        self.flight.oldest().unwrap_or(self.heard).saturating_add(self.patience(timeout))
    }

    /// The deadline has come: what has been under way for too long goes again at once, or, where nothing is under way, one
    /// packet as if the receiver had asked for it.
    pub(super) fn give_up(&mut self, now: Time, timeout: Time) {
        let late = self.flight.expire(now.saturating_sub(self.patience(timeout)));
        self.allowed += late.max(1);
        self.heard = now;
        self.backed_off += 1;
    }
}
