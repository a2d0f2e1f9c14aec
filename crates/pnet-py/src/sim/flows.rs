//! Who starts which flow when.

use numpy::PyReadonlyArray1;
use pnet_core::error::{indices, invalid, offsets};
use pnet_core::sim::{DependentFlows, FlowList, Source, Stage, Time};
use pyo3::prelude::*;

use crate::error::Result;

/// Flows between hosts; flow `f` waits for `after[after_ptr[f]..after_ptr[f + 1]]`, each to arrive or, where
/// `acknowledged`, to be complete at its source.  It is sent over the connection that flow `connection[f]` is the first on, and
/// begins with a handshake where `connects[f]`.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Flows {
    flows: Vec<(u32, u32, u64, Time)>,
    after_ptr: Vec<usize>,
    after: Vec<(u32, Stage)>,
    connection: Vec<u32>,
    connects: Vec<bool>,
}

#[pymethods]
impl Flows {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        hosts: usize,
        src: PyReadonlyArray1<i32>,
        dst: PyReadonlyArray1<i32>,
        size: PyReadonlyArray1<i64>,
        start_ps: PyReadonlyArray1<i64>,
        after_ptr: PyReadonlyArray1<i32>,
        after: PyReadonlyArray1<i32>,
        acknowledged: PyReadonlyArray1<bool>,
        connection: PyReadonlyArray1<i32>,
        connects: PyReadonlyArray1<bool>,
    ) -> Result<Self> {
        let (src, dst) = (indices("src", src.as_slice()?, hosts)?, indices("dst", dst.as_slice()?, hosts)?);
        let size = offsets("size", size.as_slice()?)?;
        let start = offsets("start_ps", start_ps.as_slice()?)?;
        for (what, found) in [("dst", dst.len()), ("size", size.len()), ("start_ps", start.len())] {
            if found != src.len() {
                return Ok(invalid(what, format!("{found} entries for {} flows", src.len()))?);
            }
        }
        let after = indices("after", after.as_slice()?, src.len())?;
        let stage = |known: &bool| if *known { Stage::Acknowledged } else { Stage::Arrived };
        let stages = acknowledged.as_slice()?;
        if stages.len() != after.len() {
            let problem = format!("{} entries for {} waits", stages.len(), after.len());
            return Ok(invalid("acknowledged", problem)?);
        }
        let after = after.into_iter().zip(stages.iter().map(stage)).collect();
        let connection = indices("connection", connection.as_slice()?, src.len())?;
        let ends = src.into_iter().zip(dst);
        let amounts = size.into_iter().zip(start);
        let flows =
            ends.zip(amounts).map(|((src, dst), (size, start))| (src, dst, size as u64, start as Time));
        Ok(Flows {
            flows: flows.collect(),
            after_ptr: offsets("after_ptr", after_ptr.as_slice()?)?,
            after,
            connection,
            connects: connects.as_slice()?.to_vec(),
        })
    }
}

impl Flows {
    /// A source that starts them.
    pub(crate) fn source(&self) -> std::result::Result<Box<dyn Source>, pnet_core::Error> {
        let flows = self.flows.iter().copied();
        let apart = self.connects.iter().all(|connects| *connects)
            && self.connection.iter().zip(0..).all(|(connection, flow)| *connection == flow);
        if self.after.is_empty() && apart {
            return Ok(Box::new(FlowList::new(flows)));
        }
        let waiting = DependentFlows::new(flows, &self.after_ptr, &self.after)?;
        Ok(Box::new(waiting.over(&self.connection, &self.connects)?))
    }
}
