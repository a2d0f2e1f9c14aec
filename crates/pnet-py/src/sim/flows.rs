//! Who starts which flow when.

use numpy::PyReadonlyArray1;
use pnet_core::error::{indices, offsets};
use pnet_core::sim::{DependentFlows, FlowList, Source, Time};
use pyo3::prelude::*;

use crate::error::Result;

/// Flows between hosts; flow `f` waits for `after[after_ptr[f]..after_ptr[f + 1]]`.
#[pyclass(frozen, module = "pnet_lp._core")]
pub(crate) struct Flows {
    flows: Vec<(u32, u32, u64, Time)>,
    after_ptr: Vec<usize>,
    after: Vec<u32>,
}

#[pymethods]
impl Flows {
    #[new]
    fn new(
        hosts: usize,
        src: PyReadonlyArray1<i32>,
        dst: PyReadonlyArray1<i32>,
        size: PyReadonlyArray1<i64>,
        start_ps: PyReadonlyArray1<i64>,
        after_ptr: PyReadonlyArray1<i32>,
        after: PyReadonlyArray1<i32>,
    ) -> Result<Self> {
        let (src, dst) = (indices("src", src.as_slice()?, hosts)?, indices("dst", dst.as_slice()?, hosts)?);
        let size = offsets("size", size.as_slice()?)?;
        let start = offsets("start_ps", start_ps.as_slice()?)?;
        for (what, found) in [("dst", dst.len()), ("size", size.len()), ("start_ps", start.len())] {
            if found != src.len() {
                return Err(pnet_core::Error::Invalid {
                    what,
                    why: format!("{found} entries for {} flows", src.len()),
                }
                .into());
            }
        }
        let after = indices("after", after.as_slice()?, src.len())?;
        let ends = src.into_iter().zip(dst);
        let amounts = size.into_iter().zip(start);
        let flows =
            ends.zip(amounts).map(|((src, dst), (size, start))| (src, dst, size as u64, start as Time));
        Ok(Flows { flows: flows.collect(), after_ptr: offsets("after_ptr", after_ptr.as_slice()?)?, after })
    }
}

impl Flows {
    /// A source that starts them.
    pub(crate) fn source(&self) -> std::result::Result<Box<dyn Source>, pnet_core::Error> {
        let flows = self.flows.iter().copied();
        Ok(match self.after.is_empty() {
            true => Box::new(FlowList::new(flows)),
            false => Box::new(DependentFlows::new(flows, &self.after_ptr, &self.after)?),
        })
    }
}
