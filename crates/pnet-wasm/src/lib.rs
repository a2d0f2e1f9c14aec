//! WebAssembly binding of pnet-core: arrays in, arrays out, one thread.
//!
//! Shapes and orders of arrays are those of `pnet_lp.throughput.problems.FlowProblem` and `pnet_lp.model.Certificate`,
//! but for matrices, which are flat, a plane after the other.  Errors are thrown with the core's sentence.

use js_sys::Function;
use pnet_core::graph::Planes;
use pnet_core::mcf::run::{Monitor, Options, Progress};
use pnet_core::mcf::{self, Arrays, columns, structured};
use pnet_core::paths::{Policy, Rule, Split, split_loads};
use pnet_core::{Error, Stop};
use wasm_bindgen::prelude::*;

/// Reports progress to JavaScript; an exception ends the run.
struct Watcher<'a> {
    on_progress: &'a Function,
    failure: Option<JsValue>,
}

impl Monitor for Watcher<'_> {
    fn progress(&mut self, progress: Progress) -> bool {
        let Progress { iterations, lower, upper } = progress;
        let (iterations, lower, upper) = ((iterations as f64).into(), lower.into(), upper.into());
        self.failure = self.on_progress.call3(&JsValue::NULL, &iterations, &lower, &upper).err();
        self.failure.is_none()
    }
}

fn thrown(error: Error) -> JsValue {
    JsError::new(&error.to_string()).into()
}

/// A network and its demands.
#[wasm_bindgen]
pub struct Problem {
    inner: mcf::Problem,
    planes: Planes,
}

#[wasm_bindgen]
impl Problem {
    /// Checks the arrays.  Endpoints are racks, whose access links have no limit.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        node_count: &[i32],
        arc_ptr: &[i32],
        tail: &[i32],
        head: &[i32],
        capacity: &[f64],
        attach: &[i32],
        src: &[i32],
        dst: &[i32],
        demand: &[f64],
    ) -> Result<Problem, JsValue> {
        let access = vec![f64::INFINITY; attach.len()];
        let arrays = Arrays {
            node_count,
            arc_ptr,
            tail,
            head,
            capacity,
            attach,
            access_up: &access,
            access_down: &access,
            src,
            dst,
            demand,
        };
        let inner = mcf::Problem::new(&arrays).map_err(thrown)?;
        let planes = Planes::from_arrays(node_count, arc_ptr, tail, head, attach, None).map_err(thrown)?;
        Ok(Problem { inner, planes })
    }

    /// Solves by the structured method, or where `sparse` by column generation; `on_progress` gets iterations and both bounds.
    pub fn solve(&self, sparse: bool, tolerance: f64, limit_s: f64, on_progress: &Function) -> Result<Answer, JsValue> {
        let options = Options { tolerance, max_iterations: usize::MAX, time_limit_s: limit_s };
        let mut watcher = Watcher { on_progress, failure: None };
        let solution = match sparse {
            true => columns::solve(&self.inner, &options, &mut watcher),
            false => structured::solve(&self.inner, &options, &mut watcher),
        };
        if let Some(failure) = watcher.failure {
            return Err(failure);
        }
        let solution = solution.map_err(thrown)?;
        let found = mcf::evaluate(&self.inner, &solution.proof).map_err(thrown)?;
        let proof = solution.proof;
        Ok(Answer {
            lower: found.lower,
            upper: found.upper,
            iterations: solution.iterations,
            load: found.load,
            length: proof.length,
            up_length: proof.up_length,
            down_length: proof.down_length,
            share: proof.share,
            split_ptr: proof.split_ptr.iter().map(|v| *v as i32).collect(),
            split_arc: proof.split_arc.iter().map(|v| *v as i32).collect(),
            split_fraction: proof.split_fraction,
        })
    }

    /// The length of each demand's shortest path over all planes.
    pub fn distances(&self, length: &[f64]) -> Result<Vec<f64>, JsValue> {
        let none = vec![0.0; self.inner.planes.len() * self.inner.endpoints];
        mcf::demand_distances(&self.inner, length, &none, &none).map_err(thrown)
    }

    /// The load of each arc where every demand is split equally over next hops on shortest paths.
    pub fn ecmp_loads(&self) -> Result<Vec<f64>, JsValue> {
        let pairs: Vec<(u32, u32)> = self.inner.src.iter().copied().zip(self.inner.dst.iter().copied()).collect();
        let rule = Rule { split: Split::Ecmp, policy: Policy::Any, seed: 0 };
        let loads = split_loads(&self.planes, &pairs, &self.inner.demand, &rule, &Stop::default());
        Ok(loads.map_err(thrown)?.load.concat())
    }
}

/// A proof and its bounds.
#[wasm_bindgen(getter_with_clone)]
pub struct Answer {
    /// A throughput that the flow attains.
    #[wasm_bindgen(readonly)]
    pub lower: f64,
    /// A throughput that no flow exceeds.
    #[wasm_bindgen(readonly)]
    pub upper: f64,
    /// Iterations done.
    #[wasm_bindgen(readonly)]
    pub iterations: usize,
    /// Load of each arc at the throughput `lower`.
    #[wasm_bindgen(readonly)]
    pub load: Vec<f64>,
    /// Length of each arc.
    #[wasm_bindgen(readonly)]
    pub length: Vec<f64>,
    /// Length of each access link into a plane.
    #[wasm_bindgen(readonly)]
    pub up_length: Vec<f64>,
    /// Length of each access link out of a plane.
    #[wasm_bindgen(readonly)]
    pub down_length: Vec<f64>,
    /// Share of each demand in each plane.
    #[wasm_bindgen(readonly)]
    pub share: Vec<f64>,
    /// Entries of each row in the two arrays below.
    #[wasm_bindgen(readonly)]
    pub split_ptr: Vec<i32>,
    /// Arcs, local to the row's plane.
    #[wasm_bindgen(readonly)]
    pub split_arc: Vec<i32>,
    /// Fraction of the row's traffic at the arc's tail that takes the arc.
    #[wasm_bindgen(readonly)]
    pub split_fraction: Vec<f64>,
}
