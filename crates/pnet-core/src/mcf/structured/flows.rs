//! The flow of eight rows of one plane, and the kernel that moves it.
//!
//! Flows are nearly all that an iteration reads and writes.  Where they outgrow the caches they are stored in single
//! precision, which halves the memory traffic; arithmetic is always in double precision.

use multiversion::multiversion;

use crate::error::{Error, filled};
use crate::mcf::lanes::{LANES, Lane, add, all, multiply, positive, subtract, sum, sums};
use crate::mcf::pdhg::Step;
use crate::mcf::problem::Plane;

/// Step size of a flow, which occurs in two balances and one capacity constraint.
pub(super) const TAU_FLOW: f64 = 1.0 / 3.0;

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// In four bytes.
    Single,
    /// In eight.
    Double,
}

/// The prices that the flows of a plane pay.
#[derive(Clone, Copy)]
pub(super) struct Duals<'a> {
    /// Length of each arc.
    pub length: &'a [f64],
    /// Potential of each switch.
    pub y: &'a [Lane],
}

/// Flow of each arc, `[arc]` lanes.
pub(super) enum Flows {
    Single(Pair<f32>),
    Double(Pair<f64>),
}

/// The flow, and at the last restart.
pub(super) struct Pair<S> {
    now: Vec<[S; LANES]>,
    anchor: Vec<[S; LANES]>,
}

/// A number as it is stored.
pub(super) trait Stored: Copy + Default {
    fn get(self) -> f64;
    fn put(value: f64) -> Self;
}

impl Stored for f32 {
    #[inline(always)]
    fn get(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn put(value: f64) -> Self {
        value as f32
    }
}

impl Stored for f64 {
    #[inline(always)]
    fn get(self) -> f64 {
        self
    }
    #[inline(always)]
    fn put(value: f64) -> Self {
        value
    }
}

impl Flows {
    /// No flow on any of `arcs`.
    pub(super) fn new(arcs: usize, precision: Precision) -> Result<Self, Error> {
        Ok(match precision {
            Precision::Single => Flows::Single(Pair::new(arcs)?),
            Precision::Double => Flows::Double(Pair::new(arcs)?),
        })
    }

    /// Stores the flow in double precision from now on.
    pub(super) fn widen(&mut self) {
        if let Flows::Single(pair) = self {
            let wide = |values: &[[f32; LANES]]| values.iter().map(|lanes| lanes.map(f64::from)).collect();
            *self = Flows::Double(Pair { now: wide(&pair.now), anchor: wide(&pair.anchor) });
        }
    }

    /// Sets the flows of a lane.
    pub(super) fn set(&mut self, lane: usize, flow: impl Iterator<Item = f64>) {
        match self {
            Flows::Single(pair) => pair.set(lane, flow),
            Flows::Double(pair) => pair.set(lane, flow),
        }
    }

    /// Writes a lane's flow after a primal step along `cost`, without taking it.
    pub(super) fn stepped(&self, lane: usize, step: f64, cost: impl Fn(usize) -> f64, flow: &mut [f64]) {
        match self {
            Flows::Single(pair) => pair.stepped(lane, step, cost, flow),
            Flows::Double(pair) => pair.stepped(lane, step, cost, flow),
        }
    }

    /// Restarts from here; returns the squared distance to the last restart.
    pub(super) fn restart(&mut self) -> f64 {
        match self {
            Flows::Single(pair) => pair.restart(),
            Flows::Double(pair) => pair.restart(),
        }
    }

    /// Moves all flows; adds inflow minus outflow of each switch to `net`, writes the load of each arc, and returns the
    /// squared distance.
    pub(super) fn iterate(
        &mut self,
        plane: &Plane,
        duals: Duals,
        step: Step,
        lanes: usize,
        net: &mut [Lane],
        load: &mut [f64],
    ) -> f64 {
        let most = (0..plane.nodes()).map(|u| plane.out(u).len()).max().unwrap_or(0);
        let mut scratch = Scratch { used: all(0.0), moved: all(0.0), bars: vec![all(0.0); most] };
        scratch.used[..lanes].fill(1.0);
        match self {
            Flows::Single(pair) => iterate(pair, plane, duals, step, &mut scratch, net, load),
            Flows::Double(pair) => iterate(pair, plane, duals, step, &mut scratch, net, load),
        }
        sum(&scratch.moved)
    }
}

impl<S: Stored> Pair<S> {
    fn new(arcs: usize) -> Result<Self, Error> {
        // The largest arrays of a solve.
        let flows = || filled("flows", arcs, [S::default(); LANES]);
        Ok(Pair { now: flows()?, anchor: flows()? })
    }

    fn set(&mut self, lane: usize, flow: impl Iterator<Item = f64>) {
        for ((now, anchor), flow) in self.now.iter_mut().zip(&mut self.anchor).zip(flow) {
            now[lane] = S::put(flow);
            anchor[lane] = now[lane];
        }
    }

    fn stepped(&self, lane: usize, step: f64, cost: impl Fn(usize) -> f64, flow: &mut [f64]) {
        for (a, (flow, lanes)) in flow.iter_mut().zip(&self.now).enumerate() {
            *flow = (lanes[lane].get() - step * cost(a)).max(0.0);
        }
    }

    fn restart(&mut self) -> f64 {
        let both = self.now.as_flattened().iter().zip(self.anchor.as_flattened());
        let moved = both.map(|(now, anchor)| (now.get() - anchor.get()).powi(2)).sum();
        self.anchor.copy_from_slice(&self.now);
        moved
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2"))]
fn iterate<S: Stored>(
    pair: &mut Pair<S>,
    plane: &Plane,
    duals: Duals,
    step: Step,
    scratch: &mut Scratch,
    net: &mut [Lane],
    load: &mut [f64],
) {
    let (weight, anchor) = (all(step.weight), all(1.0 - step.weight));
    let (tau, used) = (all(step.tau * TAU_FLOW), scratch.used);
    for u in 0..plane.nodes() {
        let arcs = plane.out(u);
        let (here, mut out, mut moved) = (duals.y[u], all(0.0), scratch.moved);
        let (now, then) = (&mut pair.now[arcs.clone()], &pair.anchor[arcs.clone()]);
        let (heads, length) = (&plane.graph.heads()[arcs.clone()], &duals.length[arcs.clone()]);
        let bars = &mut scratch.bars[..arcs.len()];
        for ((x, x0), ((v, length), stored)) in now.iter_mut().zip(then).zip(heads.iter().zip(length).zip(&mut *bars)) {
            let (there, inflow, old) = (duals.y[*v as usize], &mut net[*v as usize], get(x));
            let cost = subtract(add(all(*length), there), here);
            let new = multiply(positive(subtract(old, multiply(tau, cost))), used);
            let step = subtract(new, old);
            let bar = add(new, step);
            moved = add(moved, multiply(step, step));
            put(x, add(multiply(weight, bar), multiply(anchor, get(x0))));
            *inflow = add(*inflow, bar);
            out = add(out, bar);
            *stored = bar;
        }
        net[u] = subtract(net[u], out);
        scratch.moved = moved;
        sums(bars, &mut load[arcs]);
    }
}

#[inline(always)]
fn get<S: Stored>(x: &[S; LANES]) -> Lane {
    let mut values = all(0.0);
    for i in 0..LANES {
        values[i] = x[i].get();
    }
    values
}

#[inline(always)]
fn put<S: Stored>(x: &mut [S; LANES], values: Lane) {
    for i in 0..LANES {
        x[i] = S::put(values[i]);
    }
}

/// Scratch space of one block's iteration.
struct Scratch {
    /// 1 in the lanes that have a target, 0 in the others, which must stay empty although lengths may be negative.
    used: Lane,
    /// Squared distance.
    moved: Lane,
    /// Extrapolated flow on the arcs out of one switch.
    bars: Vec<Lane>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// A ring of five switches, in both directions.
    fn ring() -> Plane {
        let mut arcs: Vec<(u32, u32)> = (0..5).flat_map(|u| [(u, (u + 1) % 5), ((u + 1) % 5, u)]).collect();
        arcs.sort_unstable();
        let (tail, head) = arcs.into_iter().unzip();
        Plane {
            capacity: vec![1.0; 10],
            graph: Graph::new(5, tail, head).unwrap(),
            attach: vec![],
            partner: vec![],
            near: None,
            up: vec![],
            down: vec![],
            targets: vec![0, 3],
            demands: vec![],
        }
    }

    /// The flow after a few iterations, their loads, and the squared distance of the last.
    fn moved(precision: Precision, widened: bool) -> (Vec<f64>, Vec<f64>, f64) {
        let plane = ring();
        let mut flows = Flows::new(10, precision).unwrap();
        flows.set(0, (0..10).map(|a| f64::from(a) / 7.0));
        flows.set(1, (0..10).map(|a| f64::from(10 - a) / 7.0));
        let y: Vec<Lane> = (0..5).map(|u| [0.1 * f64::from(u); LANES]).collect();
        let length: Vec<f64> = (0..10).map(|a| 0.3 - 0.05 * f64::from(a)).collect();
        let duals = Duals { length: &length, y: &y };
        let step = Step { tau: 0.7, sigma: 1.0, weight: 0.8 };
        let (mut load, mut distance) = (vec![0.0; 10], 0.0);
        for iteration in 0..5 {
            if widened && iteration == 2 {
                flows.widen();
            }
            distance = flows.iterate(&plane, duals, step, 2, &mut [all(0.0); 5], &mut load);
        }
        let mut flow = vec![0.0; 10];
        flows.stepped(1, 0.0, |_| 0.0, &mut flow);
        (flow, load, distance)
    }

    #[test]
    fn single_precision_is_close_to_double() {
        let double = moved(Precision::Double, false);
        for widened in [false, true] {
            let single = moved(Precision::Single, widened);
            let pairs = double.0.iter().zip(&single.0).chain(double.1.iter().zip(&single.1));
            for (x, y) in pairs.chain([(&double.2, &single.2)]) {
                assert!((x - y).abs() <= 1e-6, "{x} and {y}");
            }
        }
        assert_eq!(double, moved(Precision::Double, true));
    }

    #[test]
    fn lanes_without_a_target_stay_empty() {
        let plane = ring();
        let mut flows = Flows::new(10, Precision::Double).unwrap();
        let step = Step { tau: 1.0, sigma: 1.0, weight: 1.0 };
        let (mut net, mut load) = ([all(0.0); 5], vec![0.0; 10]);
        flows.iterate(&plane, Duals { length: &[-1.0; 10], y: &[all(0.0); 5] }, step, 2, &mut net, &mut load);
        // A third of the length, reflected, in each of two lanes.
        assert!(load.iter().all(|load| (load - 4.0 / 3.0).abs() < 1e-12), "{load:?}");
        assert!(net.iter().all(|lanes| lanes[2..].iter().all(|x| *x == 0.0)));
    }
}
