//! The error type of the core, checks of input arrays, and fallible allocation.

use std::fmt::Display;

use thiserror::Error;

/// The errors of the core.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum Error {
    /// An argument is inconsistent, or out of range.
    #[error("{place}: {problem}{}{}", part(", found ", found), part("; allowed: ", allowed))]
    Invalid {
        /// The argument.
        place: &'static str,
        /// The fault.
        problem: String,
        /// The value at fault.
        found: Option<String>,
        /// What would have been accepted.
        allowed: Option<String>,
    },
    /// An allocation failed.
    #[error("no memory for {bytes} bytes of {what}")]
    Memory {
        /// The contents.
        what: &'static str,
        /// The size.
        bytes: usize,
    },
    /// A stop was requested, see [`crate::stop`].
    #[error("stopped")]
    Stopped,
    /// Two hosts are not joined by any path.
    #[error("flow {flow}: no path from host {src} to host {dst}")]
    NoPath {
        /// The flow that needs one.
        flow: u32,
        /// Where it starts.
        src: u32,
        /// Where it goes.
        dst: u32,
    },
    /// Two hosts have more shortest paths than are listed.
    #[error("more than {most} shortest paths from host {src} to host {dst}")]
    ManyPaths {
        /// Where they start.
        src: u32,
        /// Where they go.
        dst: u32,
        /// How many are listed at most.
        most: usize,
    },
    /// Rates cannot be computed as precisely as is claimed.
    #[error("rounding leaves no digits of {found}")]
    Precision {
        /// What was computed.
        found: String,
    },
    /// A simulation has lost count of its packets: a defect of the core.
    #[error("packets sent are not packets delivered, dropped and on their way; this is a defect: {found}")]
    Unconserved {
        /// Where, and the counts.
        found: String,
    },
}

/// A part of a message, if there is one.
fn part(before: &str, text: &Option<String>) -> String {
    text.as_ref().map(|text| format!("{before}{text}")).unwrap_or_default()
}

/// The error of an argument.
pub fn invalid<T>(place: &'static str, problem: impl Into<String>) -> Result<T, Error> {
    Err(Error::Invalid { place, problem: problem.into(), found: None, allowed: None })
}

/// The error of an argument, with its value and what would have been accepted.
pub(crate) fn refused<T>(
    place: &'static str,
    problem: impl Into<String>,
    found: impl Display,
    allowed: impl Into<String>,
) -> Result<T, Error> {
    let (found, allowed) = (Some(found.to_string()), Some(allowed.into()));
    Err(Error::Invalid { place, problem: problem.into(), found, allowed })
}

/// Reserves capacity in `values` for exactly `more` entries of `what`.
///
/// ```
/// # use pnet_core::error::room_for;
/// let error = room_for("paths", &mut Vec::<u64>::new(), usize::MAX / 16).unwrap_err();
/// assert_eq!(error.to_string(), "no memory for 9223372036854775800 bytes of paths");
/// ```
pub fn room_for<T>(what: &'static str, values: &mut Vec<T>, more: usize) -> Result<(), Error> {
    let bytes = more.saturating_mul(size_of::<T>());
    values.try_reserve_exact(more).map_err(|_| Error::Memory { what, bytes })
}

/// Checks that there is room for `count` things of `bytes` each, before arrays are made that end the process without it.
pub(crate) fn check_room(what: &'static str, count: usize, bytes: usize) -> Result<(), Error> {
    room_for(what, &mut Vec::<u8>::new(), count.saturating_mul(bytes))
}

/// An array of `count` equal entries of `what`.
pub(crate) fn filled<T: Clone>(what: &'static str, count: usize, value: T) -> Result<Vec<T>, Error> {
    let mut values = vec![];
    room_for(what, &mut values, count)?;
    values.resize(count, value);
    Ok(values)
}

/// Signed entries of the array `what` as indices below `bound`.
///
/// ```
/// # use pnet_core::error::indices;
/// assert_eq!(indices("src", &[2, 0], 3)?, [2, 0]);
/// assert_eq!(indices("src", &[2, 3], 3).unwrap_err().to_string(), "src: 3 is not in 0..3");
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn indices(what: &'static str, values: &[i32], bound: usize) -> Result<Vec<u32>, Error> {
    match values.iter().find(|v| **v < 0 || **v as usize >= bound) {
        Some(v) => invalid(what, format!("{v} is not in 0..{bound}")),
        None => Ok(values.iter().map(|v| *v as u32).collect()),
    }
}

/// Signed entries of the array `what` as offsets into another array.
///
/// ```
/// # use pnet_core::error::offsets;
/// assert_eq!(offsets("pair_ptr", &[0_i64, 4])?, [0, 4]);
/// assert_eq!(offsets("pair_ptr", &[0, -4]).unwrap_err().to_string(), "pair_ptr: -4 is negative");
/// # Ok::<(), pnet_core::Error>(())
/// ```
pub fn offsets<T: Copy + Display + TryInto<usize>>(what: &'static str, values: &[T]) -> Result<Vec<usize>, Error> {
    let offset = |v: &T| (*v).try_into().or_else(|_| invalid(what, format!("{v} is negative")));
    values.iter().map(offset).collect()
}
