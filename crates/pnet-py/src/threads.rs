//! Threads for the core's work, while Python's lock is released.

use pyo3::prelude::*;

use crate::error::{Failure, Result};

/// A pool of this many threads, 0 for all cores.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::new(format!("cannot start {threads} threads: {error}")))
}

/// Does `work` on a pool of its own.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    let pool = pool(threads)?;
    Ok(py.detach(|| pool.install(work)))
}
