//! Who starts which flow when.

use numpy::PyReadonlyArray1;
use pnet_core::error::{indices, invalid, offsets};
use pnet_core::sim::{FlowList, Source, Stage, Time};
use pyo3::prelude::*;

use crate::error::Result;

/// Flows between hosts; flow `f` waits for `after[after_ptr[f]..after_ptr[f + 1]]`, each to arrive or, where
/// `acknowledged`, to be complete at its source, each and a pause after it, and until `earliest_ps[f]`.  It is sent over the connection that flow `connection[f]` is the first on, and
/// begins with a handshake where `connects[f]`.  Of the flows that it waits for, `enough[f]` are enough.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Flows<'py> {
    hosts: usize,
    src: PyReadonlyArray1<'py, i32>,
    dst: PyReadonlyArray1<'py, i32>,
    size: PyReadonlyArray1<'py, i64>,
    start_ps: PyReadonlyArray1<'py, i64>,
    after_ptr: PyReadonlyArray1<'py, i32>,
    after: PyReadonlyArray1<'py, i32>,
    acknowledged: PyReadonlyArray1<'py, bool>,
    pause_ps: PyReadonlyArray1<'py, i64>,
    earliest_ps: PyReadonlyArray1<'py, i64>,
    enough: PyReadonlyArray1<'py, i32>,
    connection: PyReadonlyArray1<'py, i32>,
    connects: PyReadonlyArray1<'py, bool>,
}

impl Flows<'_> {
    /// How many there are.
    pub(crate) fn count(&self) -> Result<usize> {
        Ok(self.src.as_slice()?.len())
    }

    /// A source that starts them.
    pub(crate) fn source(&self) -> Result<Box<dyn Source>> {
        let src = indices("src", self.src.as_slice()?, self.hosts)?;
        let dst = indices("dst", self.dst.as_slice()?, self.hosts)?;
        let size = offsets("size", self.size.as_slice()?)?;
        let start = offsets("start_ps", self.start_ps.as_slice()?)?;
        let after = indices("after", self.after.as_slice()?, src.len())?;
        let stages = self.acknowledged.as_slice()?;
        let pauses = offsets("pause_ps", self.pause_ps.as_slice()?)?;
        let earliest = offsets("earliest_ps", self.earliest_ps.as_slice()?)?;
        for (what, entries, expected) in [
            ("dst", dst.len(), src.len()),
            ("size", size.len(), src.len()),
            ("start_ps", start.len(), src.len()),
            ("acknowledged", stages.len(), after.len()),
            ("pause_ps", pauses.len(), after.len()),
        ] {
            if entries != expected {
                return Ok(invalid(what, format!("{entries} entries for {expected}"))?);
            }
        }
        let connection = indices("connection", self.connection.as_slice()?, src.len())?;
        let ends = src.into_iter().zip(dst);
        let amounts = size.into_iter().zip(start);
        let flows = ends.zip(amounts).map(|((src, dst), (size, start))| (src, dst, size as u64, start as Time));
        let stage = |known: &bool| if *known { Stage::Acknowledged } else { Stage::Arrived };
        let waits = after.into_iter().zip(stages).zip(pauses);
        let after: Vec<_> = waits.map(|((flow, known), pause)| (flow, stage(known), pause as Time)).collect();
        let flows = FlowList::new(flows).after(&offsets("after_ptr", self.after_ptr.as_slice()?)?, &after)?;
        let enough = offsets("enough", self.enough.as_slice()?)?;
        let flows = flows.enough(&enough.into_iter().map(|count| count as u32).collect::<Vec<_>>())?;
        let flows = flows.not_before(earliest.into_iter().map(|time| time as Time).collect())?;
        Ok(Box::new(flows.over(&connection, self.connects.as_slice()?)?))
    }
}
