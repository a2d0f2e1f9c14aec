//! Building the iterate: blocks, and the duals of the constraints that couple them.

use super::block::{Block, Entry, LOCAL};
use super::coupling::{Access, Capacities, Demands, injections};
use super::flows::{Flows, Precision};
use super::scale::Scale;
use crate::error::Error;
use crate::mcf::distance::Distances;
use crate::mcf::lanes::{LANES, Lane};
use crate::mcf::problem::{Plane, Problem, Use};
use crate::mcf::proof::Proof;
use crate::rounding::Nearest;

/// Initial prices of links, in any unit.
pub(super) struct Lengths {
    /// Of the arcs of each plane.
    arcs: Vec<Vec<f64>>,
    /// Of the access links into and out of each plane, by endpoint.
    access: Vec<[Vec<f64>; 2]>,
}

impl Lengths {
    /// The same length for every arc, and none for access links.
    pub(super) fn even(problem: &Problem) -> Self {
        Lengths {
            arcs: problem.planes.iter().map(|plane| vec![1.0; plane.arcs()]).collect(),
            access: problem.planes.iter().map(|_| [0, 1].map(|_| vec![0.0; problem.endpoints])).collect(),
        }
    }

    /// Those of a proof, which has the problem's shape.
    pub(super) fn of(problem: &Problem, proof: &Proof) -> Self {
        let (mut arcs, mut access, mut first) = (vec![], vec![], 0);
        for (p, plane) in problem.planes.iter().enumerate() {
            let mut length = proof.length[first..first + plane.arcs()].to_vec();
            plane.tie::<Nearest>(&mut length);
            arcs.push(length);
            first += plane.arcs();
            let own = p * problem.endpoints..(p + 1) * problem.endpoints;
            access.push([&proof.up_length, &proof.down_length].map(|lengths| lengths[own.clone()].to_vec()));
        }
        Lengths { arcs, access }
    }

    /// Scaled such that capacity times length, with capacities divided by `unit`, sums to 1; None where all are 0.
    /// Access links count where they are `limited`.
    fn scaled(mut self, problem: &Problem, unit: f64, limited: bool) -> Option<Self> {
        let core = problem.planes.iter().zip(&self.arcs);
        let core = core.flat_map(|(plane, length)| plane.capacity.iter().zip(length));
        let access = problem.planes.iter().zip(&self.access).filter(|_| limited);
        let access = access.flat_map(|(plane, [up, down])| plane.up.iter().zip(up).chain(plane.down.iter().zip(down)));
        let paid = core.chain(access).filter(|(_, length)| **length > 0.0);
        let volume = paid.map(|(capacity, length)| capacity * length).sum::<f64>() / unit;
        if !(volume > 0.0 && volume.is_finite()) {
            return None;
        }
        let all = self.arcs.iter_mut().chain(self.access.iter_mut().flatten()).flatten();
        all.for_each(|length| *length /= volume);
        Some(self)
    }
}

/// Builds the parts of the first iterate.
pub(super) struct Init<'a> {
    pub problem: &'a Problem,
    pub scale: Scale,
    /// Scaled demands.
    pub size: Vec<f64>,
    /// Initial lengths.
    lengths: Lengths,
    /// Whether there is one plane, so that K fixes every injection.
    pub single: bool,
    /// Whether access links are constraints: with a single plane they only bound K.
    pub limited: bool,
    /// How flows are stored.
    pub precision: Precision,
}

impl<'a> Init<'a> {
    /// For `problem`, on which K is at most `upper`, with these lengths.
    pub(super) fn new(problem: &'a Problem, upper: f64, lengths: Lengths, precision: Precision) -> Self {
        let scale = Scale::new(problem, upper);
        let single = problem.planes.len() == 1;
        let limited = !single && access_limits(problem);
        let even = || Lengths::even(problem).scaled(problem, scale.capacity, limited);
        let lengths = lengths.scaled(problem, scale.capacity, limited).or_else(even);
        Init {
            problem,
            scale,
            size: problem.demand.iter().map(|d| d * scale.demand).collect(),
            lengths: lengths.unwrap_or_else(|| Lengths::even(problem)),
            single,
            limited,
            precision,
        }
    }

    /// The blocks of plane `p`: eight rows each, and one for the local demands where injections are variables.
    pub(super) fn blocks(&self, p: usize) -> Result<Vec<Block>, Error> {
        let plane = &self.problem.planes[p];
        let mut entries = self.entries(plane);
        let local = entries.pop().unwrap_or_default();
        let distances = Distances::new::<Nearest>(plane, &self.lengths.arcs[p]);
        let mut degree = vec![0.0; plane.nodes()];
        for u in plane.graph.tails().iter().chain(plane.graph.heads()) {
            degree[*u as usize] += 1.0;
        }
        let mut blocks = vec![];
        for (b, entries) in entries.into_iter().enumerate() {
            let mut entering = vec![[0.0; LANES]; plane.nodes()];
            for entry in &entries {
                entering.as_flattened_mut()[entry.slot as usize] += if self.single { entry.size } else { 1.0 };
            }
            let most = entering.iter().map(|lanes| lanes.iter().fold(0.0, |a: f64, b| a.max(*b)));
            let sigma = degree.iter().zip(most).map(|(degree, most)| 1.0 / (degree + most).max(1.0)).collect();
            let finite = |dist: f64| if dist.is_finite() { dist } else { 0.0 };
            let y = distances.block(b).iter().map(|lanes| lanes.map(finite)).collect();
            let targets = plane.targets[b * LANES..].iter().copied().take(LANES).collect();
            blocks.push(self.block(p, targets, entries, sigma, y)?);
        }
        if !local.is_empty() {
            blocks.push(self.block(p, vec![], local, vec![], vec![])?);
        }
        Ok(blocks)
    }

    /// The plane's demands, by block; the local ones last.
    fn entries(&self, plane: &Plane) -> Vec<Vec<Entry>> {
        let blocks = plane.targets.len().div_ceil(LANES);
        let mut entries = vec![vec![]; blocks + 1];
        for (j, usage) in plane.demands.iter().enumerate() {
            let (block, slot) = match *usage {
                Use::Never => continue,
                Use::Local if self.single => continue,
                Use::Local => (blocks, LOCAL),
                Use::Core { source, row } => (row as usize / LANES, source * LANES as u32 + row % LANES as u32),
            };
            let (src, dst) = (self.problem.src[j], self.problem.dst[j]);
            let access = [plane.up[src as usize], plane.down[dst as usize]];
            let limits = access.iter().filter(|capacity| self.limited && capacity.is_finite()).count();
            let constraints = 1 + usize::from(slot != LOCAL) + limits;
            let tau = 1.0 / constraints as f64;
            entries[block].push(Entry { demand: j as u32, src, dst, slot, size: self.size[j], tau });
        }
        entries
    }

    /// A block without flow and injections.
    fn block(
        &self,
        p: usize,
        targets: Vec<u32>,
        entries: Vec<Entry>,
        sigma: Vec<f64>,
        y: Vec<Lane>,
    ) -> Result<Block, Error> {
        let arcs = if targets.is_empty() { 0 } else { self.problem.planes[p].arcs() };
        let i = vec![0.0; if self.single { 0 } else { entries.len() }];
        Ok(Block {
            plane: p,
            x: Flows::new(arcs, self.precision)?,
            y0: y.clone(),
            net: vec![[0.0; LANES]; y.len()],
            y,
            sigma,
            targets,
            entries,
            i0: i.clone(),
            i_bar: i.clone(),
            i,
            load: vec![0.0; arcs],
            moved: (0.0, 0.0),
            value: 0.0,
        })
    }

    /// The capacity constraints of plane `p`.
    pub(super) fn links(&self, p: usize) -> Capacities {
        let plane = &self.problem.planes[p];
        let capacity = plane.capacity.iter().map(|c| c / self.scale.capacity).collect();
        Capacities::new(capacity, self.lengths.arcs[p].clone(), 1.0 / plane.targets.len().max(1) as f64)
    }

    /// The demand constraints, priced at the initial potentials; none with a single plane.
    pub(super) fn demands(&self, blocks: &[Block]) -> Demands {
        let count = if self.single { 0 } else { self.size.len() };
        let injections = injections(blocks, count, |_, entry| (!self.single).then_some(entry.demand));
        let potential = |(block, index): &(u32, u32)| {
            let block = &blocks[*block as usize];
            let (entry, [up, down]) = (&block.entries[*index as usize], &self.lengths.access[block.plane]);
            let core = match entry.slot {
                LOCAL => 0.0,
                slot => block.y.as_flattened()[slot as usize],
            };
            core + up[entry.src as usize] + down[entry.dst as usize]
        };
        let price: Vec<f64> =
            (0..count).map(|j| injections.of(j).iter().map(potential).fold(f64::INFINITY, f64::min)).collect();
        let sigma = (0..count).map(|j| 1.0 / (self.size[j] + injections.of(j).len() as f64)).collect();
        Demands { size: self.size[..count].to_vec(), anchor: price.clone(), price, sigma, injections }
    }

    /// The access constraints of plane `p`: up, down.
    pub(super) fn access(&self, p: usize, blocks: &[Block]) -> [Access; 2] {
        let (plane, lengths) = (&self.problem.planes[p], &self.lengths.access[p]);
        [true, false].map(|up| {
            let speeds = if up { &plane.up } else { &plane.down };
            let capacity = speeds.iter().map(|c| c / self.scale.capacity).collect();
            let injections = injections(blocks, self.problem.endpoints, |block, entry| {
                (self.limited && block.plane == p).then_some(if up { entry.src } else { entry.dst })
            });
            let most = (0..self.problem.endpoints).map(|e| injections.of(e).len()).max().unwrap_or(0);
            let duals = Capacities::new(capacity, lengths[usize::from(!up)].clone(), 1.0 / most.max(1) as f64);
            Access { active: self.limited, duals, injections }
        })
    }
}

/// Whether any access link of the problem can limit a flow.
fn access_limits(problem: &Problem) -> bool {
    let finite = |plane: &Plane, j: usize| {
        plane.up[problem.src[j] as usize].is_finite() || plane.down[problem.dst[j] as usize].is_finite()
    };
    let demands = 0..problem.demands();
    problem.planes.iter().any(|plane| demands.clone().any(|j| plane.demands[j] != Use::Never && finite(plane, j)))
}

/// Bytes of the iterate: flows and potentials, twice, dominate.
pub(super) fn estimate_bytes(problem: &Problem) -> usize {
    let lane = std::mem::size_of::<Lane>();
    let float = std::mem::size_of::<f64>();
    let entry = std::mem::size_of::<Entry>();
    problem
        .planes
        .iter()
        .map(|plane| {
            let blocks = plane.targets.len().div_ceil(LANES);
            let per_block = 2 * plane.arcs() * lane + 4 * plane.nodes() * lane + plane.arcs() * float;
            blocks * per_block + problem.demands() * (entry + 5 * float + 16)
        })
        .sum()
}
