//! Paths for large flows.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pnet_core::error::{indices, offsets};
use pnet_core::placement::{self, Flows, Placement};
use pyo3::prelude::*;

use crate::error::Result;
use crate::monitor::in_parallel;

/// Annealing with this number of steps, or first fit without one.
pub(crate) fn placement_of(annealing: Option<u32>) -> Placement {
    annealing.map_or(Placement::FirstFit, |iterations| Placement::Annealing { iterations })
}

/// The path each flow is placed on, int64, -1 where none has room.
#[pyfunction]
#[pyo3(signature = (src, dst, send, receive, pair_ptr, ptr, link, capacity, *, annealing, seed))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn place_flows<'py>(
    py: Python<'py>,
    src: PyReadonlyArray1<i32>,
    dst: PyReadonlyArray1<i32>,
    send: PyReadonlyArray1<f64>,
    receive: PyReadonlyArray1<f64>,
    pair_ptr: PyReadonlyArray1<i64>,
    ptr: PyReadonlyArray1<i64>,
    link: PyReadonlyArray1<i64>,
    capacity: PyReadonlyArray1<f64>,
    annealing: Option<u32>,
    seed: u64,
) -> Result<Bound<'py, PyArray1<i64>>> {
    let rates: Vec<(f64, f64)> = send.as_slice()?.iter().copied().zip(receive.as_slice()?.iter().copied()).collect();
    let src = indices("src", src.as_slice()?, rates.len())?;
    let dst = indices("dst", dst.as_slice()?, rates.len())?;
    let flows = Flows {
        ends: src.into_iter().zip(dst).collect(),
        rates,
        pair_ptr: offsets("pair_ptr", pair_ptr.as_slice()?)?,
        ptr: offsets("ptr", ptr.as_slice()?)?,
        links: offsets("link", link.as_slice()?)?.into_iter().map(|link| link as u32).collect(),
        capacity: capacity.as_slice()?.to_vec(),
    };
    let paths = in_parallel(py, || placement::place(&flows, placement_of(annealing), seed))?;
    let places: Vec<i64> = paths.into_iter().map(|path| path.map_or(-1, |path| path as i64)).collect();
    Ok(places.into_pyarray(py))
}
