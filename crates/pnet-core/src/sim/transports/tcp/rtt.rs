//! Round-trip times and the timeout that follows from them (RFC 6298).

use super::super::super::time::{SECOND, Time};
use super::super::super::values::{Parameter, Values};
use crate::error::Error;

/// Bounds on the retransmission timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rto {
    /// Before the first sample.
    pub initial: Time,
    /// At least.
    pub least: Time,
    /// At most, back-off included.
    pub most: Time,
    /// Timers fire only at multiples of this; 0 where they fire exactly.
    pub granularity: Time,
}

impl Parameter for Rto {
    fn read(values: &mut Values, _: &'static str) -> Result<Self, Error> {
        let (initial, granularity) = (values.read("rto_initial")?, values.read("timer_granularity")?);
        Ok(Rto { initial, least: values.read("rto_min")?, most: values.read("rto_max")?, granularity })
    }
}

impl Default for Rto {
    /// RFC 6298.
    fn default() -> Self {
        Rto { initial: SECOND, least: SECOND, most: 60 * SECOND, granularity: 0 }
    }
}

/// What a connection knows of its round-trip time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rtt {
    /// Smoothed, 0 before the first sample.
    pub(crate) smoothed: Time,
    variation: Time,
    /// The timeout as it is, back-off included.
    pub(crate) timeout: Time,
    /// How often it has been doubled since the last sample.
    pub(crate) backed_off: u32,
}

impl Rtt {
    pub(crate) fn new(rto: &Rto) -> Self {
        Rtt { timeout: rto.initial, ..Rtt::default() }
    }

    /// Takes a sample.
    #[inline]
    pub(crate) fn sample(&mut self, time: Time, rto: &Rto) {
        if self.smoothed == 0 {
            self.smoothed = time.max(1);
            self.variation = time / 2;
        } else {
            self.variation = (3 * self.variation + self.smoothed.abs_diff(time)) / 4;
            self.smoothed = ((7 * self.smoothed + time) / 8).max(1);
        }
        self.backed_off = 0;
        self.timeout = (self.smoothed + 4 * self.variation).clamp(rto.least, rto.most);
    }

    /// Counts the timeouts from anew.
    pub(crate) fn forget_back_off(&mut self) {
        self.backed_off = 0;
    }

    /// Doubles the timeout.
    pub(crate) fn back_off(&mut self, rto: &Rto) {
        self.backed_off += 1;
        self.timeout = self.timeout.saturating_mul(2).min(rto.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6298, section 2, by hand.
    #[test]
    fn samples_and_back_off() {
        let rto = Rto { initial: 1000, least: 100, most: 5000, granularity: 0 };
        let mut rtt = Rtt::new(&rto);
        assert_eq!(rtt.timeout, 1000);
        rtt.sample(80, &rto);
        assert_eq!((rtt.smoothed, rtt.variation, rtt.timeout), (80, 40, 240));
        rtt.sample(160, &rto);
        // 3/4 * 40 + 1/4 * 80; 7/8 * 80 + 1/8 * 160.
        assert_eq!((rtt.smoothed, rtt.variation, rtt.timeout), (90, 50, 290));
        rtt.back_off(&rto);
        rtt.back_off(&rto);
        assert_eq!((rtt.timeout, rtt.backed_off), (1160, 2));
        rtt.sample(90, &rto);
        assert_eq!((rtt.timeout, rtt.backed_off), (90 + 4 * 37, 0));
        for _ in 0..10 {
            rtt.back_off(&rto);
        }
        assert_eq!(rtt.timeout, 5000);
    }
}
