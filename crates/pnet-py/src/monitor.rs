//! Long computations under Python: their threads, stop requests and progress.
//!
//! Python handles signals in its main thread only, once that runs Python again, as it does with what one thread raises in
//! another.  So the calling thread waits here, polls Python for both, and requests a stop when something is raised.  That
//! is never lost, not even where the work was done before it could stop.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use pnet_core::mcf::run::{Monitor, Progress};
use pnet_core::{Error, Stop};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::{Failure, LateError, Result};

/// The pool of short work, on all cores, and the process that started it.
static SHARED: AtomicPtr<(u32, rayon::ThreadPool)> = AtomicPtr::new(std::ptr::null_mut());

/// How often the calling thread polls for signals and the clock.
const POLL: Duration = Duration::from_millis(50);

/// The most threads that are started.
const MOST_THREADS: usize = 1024;

/// A pool of this many threads, 0 for all cores.
fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    if threads > MOST_THREADS {
        return Err(Failure::new(format!("threads: {threads} are too many; allowed: at most {MOST_THREADS}")));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::new(format!("cannot start {threads} threads: {error}")))
}

/// The pool of short work in this process.
///
/// Not the global one of rayon: a forked process inherits a pool without its threads, and would wait for them for ever.
fn shared() -> Result<&'static rayon::ThreadPool> {
    let process = std::process::id();
    let found = SHARED.load(Ordering::Acquire);
    // SAFETY: what is stored is never freed, as an inherited pool could not be ended either.
    if let Some((owner, pool)) = unsafe { found.as_ref() }
        && *owner == process
    {
        return Ok(pool);
    }
    let made = Box::into_raw(Box::new((process, pool(0)?)));
    match SHARED.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: it is stored now.
        Ok(_) => Ok(unsafe { &(*made).1 }),
        Err(_) => {
            // SAFETY: another thread was sooner, so that nobody else has this one.
            drop(unsafe { Box::from_raw(made) });
            shared()
        }
    }
}

/// Does short `work` on all cores, without the interpreter lock; a panic is an error.
pub(crate) fn in_parallel<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> std::result::Result<T, Error> + Send,
) -> Result<T> {
    let pool = shared()?;
    let found = py.detach(|| catch_unwind(AssertUnwindSafe(|| pool.install(work))));
    Ok(found.map_err(|_| panicked())??)
}

/// Raises what a signal handler raises, or another thread in this one, which only running Python notices.
fn hear(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    py.run(c"pass", None, None)
}

/// Does `work` on `threads` threads of its own; returns its result, None where it panicked, and what a signal handler
/// raised.  The work is requested to stop when one does, and after `limit`.
fn watched<T: Send>(
    py: Python<'_>,
    threads: usize,
    limit: Duration,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
) -> Result<(Option<T>, Option<PyErr>)> {
    let pool = pool(threads)?;
    let started = Instant::now();
    Ok(py.detach(|| {
        std::thread::scope(|scope| {
            let (done, result) = std::sync::mpsc::channel();
            let pool = &pool;
            scope.spawn(move || {
                let found = pool.install(work);
                // The receiver waits for this.
                let _ = done.send(found);
            });
            // Signal handlers run in Python's main thread alone, which is this one if the caller is.
            let mut signal = None;
            loop {
                let found = result.recv_timeout(POLL);
                if let Err(error) = Python::attach(hear) {
                    signal = signal.or(Some(error));
                }
                match found {
                    Ok(found) => break (Some(found), signal),
                    Err(RecvTimeoutError::Disconnected) => break (None, signal),
                    Err(RecvTimeoutError::Timeout) if signal.is_some() || started.elapsed() >= limit => {
                        stop.request();
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    }))
}

/// Does `work` on a pool of its own; raises what a signal handler raises, and `LateError` where the work was stopped
/// after `limit_s` seconds.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: usize,
    limit_s: f64,
    work: impl FnOnce(&Stop) -> std::result::Result<T, Error> + Send,
) -> Result<T> {
    let stop = Stop::default();
    // Infinity and values beyond the range of a clock mean no limit.
    let limit = Duration::try_from_secs_f64(limit_s).unwrap_or(Duration::MAX);
    let (found, signal) = watched(py, threads, limit, &stop, || work(&stop))?;
    match (signal, found) {
        (Some(error), _) => Err(error.into()),
        (None, Some(Err(Error::Stopped))) => Err(LateError::new_err("the time is over").into()),
        (None, Some(found)) => Ok(found?),
        (None, None) => Err(panicked()),
    }
}

/// Passes progress to Python, and stop requests of Python to the run.
pub(crate) struct PythonMonitor<'a> {
    on_progress: Py<PyAny>,
    stop: &'a Stop,
    /// An exception of `on_progress`, raised once the run has stopped.
    failure: Option<PyErr>,
}

impl PythonMonitor<'_> {
    /// Whether a signal requested a stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.requested()
    }

    /// Calls `on_progress`; returns whether to continue.
    pub(crate) fn tell(&mut self, arguments: impl for<'py> PyCallArgs<'py>) -> bool {
        let answer = Python::attach(|py| {
            let told = self.on_progress.call1(py, arguments);
            told.and_then(|answer| answer.extract::<bool>(py))
        });
        answer.unwrap_or_else(|error| {
            self.failure = Some(error);
            false
        })
    }
}

impl Monitor for PythonMonitor<'_> {
    fn stop(&mut self) -> bool {
        self.stopped()
    }

    fn progress(&mut self, progress: Progress) -> bool {
        self.tell((progress.iterations, progress.lower, progress.upper))
    }
}

/// Does `work` on `threads` threads of its own; `on_progress`, which it calls, returns whether to continue.
///
/// Ctrl-C stops the run like `on_progress`, with the result so far.  Returns it, and whether the user interrupted, even if
/// too late to make a difference.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    on_progress: Py<PyAny>,
    work: impl FnOnce(&mut PythonMonitor<'_>) -> std::result::Result<T, Error> + Send,
) -> Result<(T, bool)> {
    let stop = Stop::default();
    let mut monitor = PythonMonitor { on_progress, stop: &stop, failure: None };
    let (done, signal) = watched(py, threads, Duration::MAX, &stop, || work(&mut monitor))?;
    let mut interrupted = false;
    for error in [monitor.failure, signal].into_iter().flatten() {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return Err(error.into());
        }
        interrupted = true;
    }
    Ok((done.ok_or_else(panicked)??, interrupted))
}

fn panicked() -> Failure {
    Failure::new("the core panicked; this is a defect".to_owned())
}
