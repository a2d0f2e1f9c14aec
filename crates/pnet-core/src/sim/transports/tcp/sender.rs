//! The sending end of a connection: what is under way, and what has to be sent again.

use super::rtt::{Rto, Rtt};

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The handshake is not answered yet.
    Opening,
    /// Nothing is known to be lost.
    Open,
    /// A loss that duplicate acknowledgements have shown is being repaired.
    Recovering,
    /// Too many timeouts in a row: a packet without payload probes for a path.
    Probing,
}

impl Phase {
    /// Whether data may be sent.
    #[inline]
    pub(crate) fn sends(self) -> bool {
        matches!(self, Phase::Open | Phase::Recovering)
    }
}

/// State of a connection.  Segments are numbered from 0; windows are in segments.
#[derive(Debug, Clone, Copy)]
pub struct Sender {
    /// First not acknowledged, next to be sent, first never sent.
    pub(crate) unacked: u32,
    pub(crate) next: u32,
    pub(crate) fresh: u32,
    /// Segments taken from the flow: all below are sent, or to be sent, here.
    pub(crate) taken: u32,
    /// What was the first never sent when a loss was last recognised.
    pub(crate) recover: u32,
    /// Duplicate acknowledgements in a row.
    pub(crate) duplicates: u32,
    pub(crate) phase: Phase,
    /// Whether it waits for room in its host's ports.
    pub(crate) held: bool,
    pub(crate) window: f64,
    pub(crate) threshold: f64,
    pub(crate) rtt: Rtt,
}

/// What an acknowledgement calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The window may grow.
    Grow,
    /// Nothing but to send what the window allows.
    Go,
    /// A loss is recognised.
    Lost,
    /// The first segment not acknowledged is to be sent again, as a partial acknowledgement shows.
    Resend,
}

impl Sender {
    pub(super) fn new(window: f64, threshold: f64, rto: &Rto, phase: Phase) -> Self {
        Sender {
            unacked: 0,
            next: 0,
            fresh: 0,
            taken: 0,
            recover: 0,
            duplicates: 0,
            phase,
            held: false,
            window,
            threshold,
            rtt: Rtt::new(rto),
        }
    }

    /// Whether the window may grow: where a connection waits for room only in slow start, up to twice what is on its way, as
    /// in Linux since 3.16 (`tcp_is_cwnd_limited`); RFC 7661 has a window validated of which half is used.
    #[inline]
    pub(crate) fn grows(&self) -> bool {
        !self.held || self.window < self.threshold.min(2.0 * f64::from(self.flight()))
    }

    /// Segments on their way.
    #[inline]
    pub(crate) fn flight(&self) -> u32 {
        self.next - self.unacked
    }

    /// The window without what duplicate acknowledgements have blown it up by while a loss is repaired.
    #[inline]
    pub(super) fn deflated(&self) -> f64 {
        if self.phase == Phase::Recovering { self.threshold } else { self.window }
    }

    /// Takes an acknowledgement of all segments below `seq`, some of them for the first time; where acknowledgements are
    /// selective, these say what to send again, and the window stays as it is.
    #[inline]
    pub(super) fn advance(&mut self, seq: u32, sack: bool) -> Step {
        let acked = seq - self.unacked;
        self.unacked = seq;
        self.next = self.next.max(seq);
        self.duplicates = 0;
        if self.phase != Phase::Recovering {
            return Step::Grow;
        }
        if seq >= self.recover {
            self.phase = Phase::Open;
            if !sack {
                // RFC 6582, section 3.2, step 3: full, with the window that avoids a burst.
                self.window = self.threshold.min(f64::from(self.flight().max(1) + 1));
            }
            return Step::Go;
        }
        if sack {
            return Step::Go;
        }
        // Partial: the window shrinks by what has left the network, and lets one segment go.
        self.window = (self.window - f64::from(acked)).max(0.0) + 1.0;
        Step::Resend
    }

    /// Takes a duplicate acknowledgement.
    #[inline]
    pub(super) fn duplicate(&mut self, threshold: u32) -> Step {
        if self.phase == Phase::Recovering {
            self.window += 1.0;
            return Step::Go;
        }
        self.duplicates += 1;
        // Duplicates that a timeout's own repetitions cause are no sign of a loss (RFC 6582, section 3.2, step 2).
        if self.duplicates == threshold && self.unacked >= self.recover { Step::Lost } else { Step::Go }
    }

    /// Takes a duplicate that brings news or not, where the loss of the first segment has been shown or not (RFC 6675,
    /// section 5, steps 1 and 2).
    pub(super) fn selective_duplicate(&mut self, news: bool, lost: bool, threshold: u32) -> Step {
        if self.phase == Phase::Recovering {
            return Step::Go;
        }
        self.duplicates += u32::from(news);
        if (lost || self.duplicates >= threshold) && self.unacked >= self.recover { Step::Lost } else { Step::Go }
    }

    /// Starts to repair a loss, with this threshold (RFC 6582, section 3.2, step 2; RFC 6675, section 5, step 4).
    pub(super) fn recover(&mut self, threshold: f64, sack: bool) {
        self.threshold = threshold;
        self.window = threshold + if sack { 0.0 } else { f64::from(self.duplicates) };
        self.recover = self.fresh;
        self.phase = Phase::Recovering;
    }

    /// Starts over from the first segment not acknowledged, after a timeout (RFC 5681, section 3.1; RFC 6582, section 4.2).
    pub(super) fn start_over(&mut self, threshold: f64, rto: &Rto) {
        self.threshold = threshold;
        self.window = 1.0;
        self.recover = self.fresh;
        self.next = self.unacked;
        self.duplicates = 0;
        self.phase = Phase::Open;
        self.rtt.back_off(rto);
    }
}
