//! Building the iterate: blocks, and the duals of the constraints that couple them.

use super::super::distance::Distances;
use super::super::lanes::{LANES, Lane};
use super::super::problem::{Plane, Problem, Use};
use super::block::{Block, Entry, LOCAL};
use super::coupling::{Capacities, Demands};
use super::scale::Scale;

/// Access constraints of one plane and direction.
pub struct Access {
    /// Whether they can limit a flow; their lengths stay zero otherwise.
    pub active: bool,
    /// Their lengths.
    pub duals: Capacities,
    /// Injections at each endpoint, `places[ptr[e]..ptr[e + 1]]`, as (block, index in the block).
    pub ptr: Vec<u32>,
    /// See `ptr`.
    pub places: Vec<(u32, u32)>,
}

/// Whether any access link of the problem can limit a flow.
pub fn access_limits(problem: &Problem) -> bool {
    problem.planes.iter().any(|plane| {
        (0..problem.demands()).any(|j| {
            plane.demands[j] != Use::Never
                && (plane.up[problem.src[j] as usize].is_finite()
                    || plane.down[problem.dst[j] as usize].is_finite())
        })
    })
}

/// The blocks of plane `p`: eight rows each, and one for the local demands where injections are variables.
pub fn plane_blocks(
    p: usize,
    plane: &Plane,
    problem: &Problem,
    size: &[f64],
    length: f64,
    single: bool,
    limited: bool,
) -> Vec<Block> {
    let planes = problem.planes.len();
    let mut entries: Vec<Vec<Entry>> = vec![vec![]; plane.targets.len().div_ceil(LANES) + 1];
    let local = entries.len() - 1;
    for (j, place) in plane.demands.iter().enumerate() {
        let (block, slot) = match *place {
            Use::Never => continue,
            Use::Local if single => continue,
            Use::Local => (local, LOCAL),
            Use::Core { source, row } => (row as usize / LANES, source * LANES as u32 + row % LANES as u32),
        };
        let (src, dst) = (problem.src[j], problem.dst[j]);
        let limits = if limited {
            usize::from(plane.up[src as usize].is_finite())
                + usize::from(plane.down[dst as usize].is_finite())
        } else {
            0
        };
        let constraints = 1 + usize::from(slot != LOCAL) + limits;
        let tau = 1.0 / constraints as f64;
        entries[block].push(Entry { demand: j as u32, src, dst, slot, size: size[j], tau });
    }
    let even: Vec<f64> = vec![length; plane.arcs()];
    let distances = Distances::new(plane, &even);
    let mut blocks = vec![];
    for (b, entries) in entries.into_iter().enumerate() {
        if b == local {
            if !entries.is_empty() {
                blocks.push(new_block(p, entries, vec![], 0, vec![], vec![], single, planes));
            }
            continue;
        }
        let mut load_at = vec![0.0; plane.nodes * LANES];
        for entry in &entries {
            load_at[entry.slot as usize] += if single { entry.size } else { 1.0 };
        }
        let mut degree = vec![0.0; plane.nodes];
        for (u, v) in plane.tail.iter().zip(&plane.head) {
            degree[*u as usize] += 1.0;
            degree[*v as usize] += 1.0;
        }
        let sigma = (0..plane.nodes)
            .map(|u| {
                let most = load_at[u * LANES..(u + 1) * LANES].iter().fold(0.0, |a: f64, b| a.max(*b));
                1.0 / (degree[u] + most).max(1.0)
            })
            .collect();
        let y = (distances.block(b).iter())
            .map(|lanes| lanes.map(|dist| if dist.is_finite() { dist } else { 0.0 }))
            .collect();
        let targets = plane.targets[b * LANES..].iter().copied().take(LANES).collect();
        blocks.push(new_block(p, entries, targets, plane.arcs(), sigma, y, single, planes));
    }
    blocks
}

#[allow(clippy::too_many_arguments)]
fn new_block(
    plane: usize,
    entries: Vec<Entry>,
    targets: Vec<u32>,
    arcs: usize,
    sigma: Vec<f64>,
    y: Vec<Lane>,
    single: bool,
    planes: usize,
) -> Block {
    let i: Vec<f64> =
        if single { vec![] } else { entries.iter().map(|entry| entry.size / planes as f64).collect() };
    Block {
        plane,
        x: vec![[0.0; LANES]; arcs],
        x0: vec![[0.0; LANES]; arcs],
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
    }
}

/// No demand constraints: one plane carries all.
pub fn no_demands() -> Demands {
    Demands { size: vec![], price: vec![], anchor: vec![], sigma: vec![], ptr: vec![], places: vec![] }
}

/// The demand constraints, priced at the potentials of the start.
pub fn demand_duals(blocks: &[Block], size: &[f64]) -> Demands {
    let (ptr, places) = places_by(blocks, size.len(), |_, entry| Some(entry.demand));
    let price: Vec<f64> = (0..size.len())
        .map(|j| {
            let at = &places[ptr[j] as usize..ptr[j + 1] as usize];
            let potential = |(block, index): &(u32, u32)| {
                let block = &blocks[*block as usize];
                match block.entries[*index as usize].slot {
                    LOCAL => 0.0,
                    slot => block.y.as_flattened()[slot as usize],
                }
            };
            at.iter().map(potential).fold(f64::INFINITY, f64::min)
        })
        .collect();
    let sigma = (0..size.len()).map(|j| 1.0 / (size[j] + f64::from(ptr[j + 1] - ptr[j]))).collect();
    Demands { size: size.to_vec(), anchor: price.clone(), price, sigma, ptr, places }
}

/// The access constraints of plane `p`: up, down.
pub fn access_duals(
    problem: &Problem,
    p: usize,
    blocks: &[Block],
    scale: Scale,
    limited: bool,
) -> [Access; 2] {
    [true, false].map(|up| {
        let plane = &problem.planes[p];
        let capacity: Vec<f64> =
            (if up { &plane.up } else { &plane.down }).iter().map(|c| c / scale.capacity).collect();
        let (ptr, places) = places_by(blocks, problem.endpoints, |block, entry| {
            let end = if up { entry.src } else { entry.dst };
            (limited && block.plane == p).then_some(end)
        });
        let most = ptr.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0).max(1);
        Access { active: limited, duals: Capacities::new(capacity, 0.0, 1.0 / f64::from(most)), ptr, places }
    })
}

/// Lists the (block, index) of all entries by `key`, as CSR.
fn places_by(
    blocks: &[Block],
    keys: usize,
    key: impl Fn(&Block, &Entry) -> Option<u32>,
) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut ptr = vec![0_u32; keys + 1];
    let each = || {
        blocks.iter().enumerate().flat_map(|(b, block)| {
            block
                .entries
                .iter()
                .enumerate()
                .map(move |(index, entry)| ((b as u32, index as u32), block, entry))
        })
    };
    for (_, block, entry) in each() {
        if let Some(k) = key(block, entry) {
            ptr[k as usize + 1] += 1;
        }
    }
    for k in 0..keys {
        ptr[k + 1] += ptr[k];
    }
    let mut fill = ptr.clone();
    let mut places = vec![(0, 0); ptr[keys] as usize];
    for (place, block, entry) in each() {
        if let Some(k) = key(block, entry) {
            places[fill[k as usize] as usize] = place;
            fill[k as usize] += 1;
        }
    }
    (ptr, places)
}

/// Bytes held by the iterate: flows and potentials, twice, dominate.
pub fn estimate_bytes(problem: &Problem) -> usize {
    let lane = std::mem::size_of::<Lane>();
    let float = std::mem::size_of::<f64>();
    let entry = std::mem::size_of::<Entry>();
    problem
        .planes
        .iter()
        .map(|plane| {
            let blocks = plane.targets.len().div_ceil(LANES);
            let per_block = 2 * plane.arcs() * lane + 4 * plane.nodes * lane + plane.arcs() * float;
            blocks * per_block + problem.demands() * (entry + 5 * float + 16)
        })
        .sum()
}
