//! A request to stop, polled by long computations.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

/// Whether a computation on any number of threads should end early.
///
/// ```
/// # use pnet_core::stop::Stop;
/// let stop = Stop::default();
/// assert!(stop.check().is_ok());
/// stop.request();
/// assert!(stop.check().is_err());
/// ```
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Requests the computation to end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it should end.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// [`Error::Stopped`] if it should end; takes almost no time.
    pub fn check(&self) -> Result<(), Error> {
        if self.requested() { Err(Error::Stopped) } else { Ok(()) }
    }
}
