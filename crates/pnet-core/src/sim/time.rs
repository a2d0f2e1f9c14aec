//! Simulated time and how long a packet takes onto a link.

use crate::error::{Error, refused};

/// Picoseconds since the start of the run.
pub type Time = u64;

/// One second.
pub const SECOND: Time = 1_000_000_000_000;

/// One microsecond.
pub const MICROSECOND: Time = 1_000_000;

/// Later than all that happens.  Sums of times saturate here, beyond every time limit, so none wraps round.
pub const NEVER: Time = Time::MAX;

/// The rate of a link: the time of a byte where that is a whole number, otherwise its complement is the rate in bits per
/// second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(u64);

/// The time of a byte at 1 bit/s, and the bound of what a [`Rate`] holds as it is.
const SLOWEST: Time = 8 * SECOND;

impl Rate {
    /// A rate in bits per second.
    ///
    /// ```
    /// # use pnet_core::sim::Rate;
    /// assert_eq!(Rate::new(0).unwrap_err().to_string(), "rate: not a valid link speed, found 0; allowed: 1 to 8e12 bit/s");
    /// ```
    pub fn new(bits_per_second: u64) -> Result<Self, Error> {
        if !(1..=SLOWEST).contains(&bits_per_second) {
            return refused("rate", "not a valid link speed", bits_per_second, "1 to 8e12 bit/s");
        }
        let exact = SLOWEST.is_multiple_of(bits_per_second);
        Ok(Rate(if exact { SLOWEST / bits_per_second } else { !bits_per_second }))
    }

    /// Bits per second.
    pub fn bits_per_second(self) -> u64 {
        if self.0 <= SLOWEST { SLOWEST / self.0 } else { !self.0 }
    }

    /// Time that `bytes` take: exact where a byte takes a whole number of picoseconds, otherwise rounded up.
    ///
    /// ```
    /// # use pnet_core::sim::Rate;
    /// assert_eq!(Rate::new(10_000_000_000)?.serialisation(1500), 1_200_000);
    /// assert_eq!(Rate::new(3_000_000_000_000)?.serialisation(1), 3);
    /// # Ok::<(), pnet_core::Error>(())
    /// ```
    #[inline]
    pub fn serialisation(self, bytes: u16) -> Time {
        match self.0 {
            byte if byte <= SLOWEST => u64::from(bytes) * byte,
            rest => (u64::from(bytes) * SLOWEST).div_ceil(!rest),
        }
    }

    /// Time that any number of bytes take, rounded down.
    #[inline]
    pub(super) fn roughly(self, bytes: u64) -> Time {
        match self.0 {
            byte if byte <= SLOWEST => bytes.saturating_mul(byte),
            rest => u64::try_from(u128::from(bytes) * u128::from(SLOWEST) / u128::from(!rest)).unwrap_or(NEVER),
        }
    }
}
