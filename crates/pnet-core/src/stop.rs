//! A request to stop, at which long work looks now and then.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

/// Whether work that goes on in any number of threads should end early.
///
/// ```
/// # use pnet_core::stop::Stop;
/// let stop = Stop::default();
/// assert!(stop.check().is_ok());
/// stop.ask();
/// assert!(stop.check().is_err());
/// ```
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Asks whoever looks to end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// [`Error::Stopped`] if the work should end; costs next to nothing.
    pub fn check(&self) -> Result<(), Error> {
        if self.asked() { Err(Error::Stopped) } else { Ok(()) }
    }
}
