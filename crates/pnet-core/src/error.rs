//! What can go wrong: one kind of error for the whole core, and the checks of numbers that come from elsewhere.

use std::fmt::Display;

use thiserror::Error;

/// What is wrong with arrays handed to the core.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum Error {
    /// An array has the wrong length, or an entry that is out of range.
    #[error("{what}: {why}")]
    Invalid {
        /// The array.
        what: &'static str,
        /// The fault.
        why: String,
    },
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
    /// A simulation has lost count of its packets: a defect of the core.
    #[error("packets sent are not packets delivered, dropped and on their way; this is a defect: {found}")]
    Unconserved {
        /// Where, and the counts.
        found: String,
    },
}

/// The error of an array.
pub(crate) fn invalid<T>(what: &'static str, why: impl Into<String>) -> Result<T, Error> {
    Err(Error::Invalid { what, why: why.into() })
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
pub fn offsets<T: Copy + Display + TryInto<usize>>(
    what: &'static str,
    values: &[T],
) -> Result<Vec<usize>, Error> {
    let offset = |v: &T| (*v).try_into().or_else(|_| invalid(what, format!("{v} is negative")));
    values.iter().map(offset).collect()
}
