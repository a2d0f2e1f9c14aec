//! The K shortest paths of a pair over several planes.

use super::Paths;
use super::graph::{FAR, Graph};
use super::level::{Ended, LevelSearch};
use super::yen;

/// Steps that the search of one length may take before Yen's algorithm takes over.
const STEPS: usize = 1 << 18;

/// Which planes a pair's paths may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The union of all planes, shortest first.
    Any,
    /// K divided over the planes, the first ones getting one more where it does not divide.
    RoundRobin,
    /// Only the planes in which the pair is nearest.
    Shortest,
    /// One plane for each pair, drawn by seed from those that connect it.
    Single,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Paths per pair at most.
    pub count: usize,
    /// Whether only paths as short as the shortest count.
    pub equal_cost: bool,
    /// Which planes they may come from.
    pub policy: Policy,
    /// Which of the equally long paths are taken where not all are: every choice is equally likely.
    pub seed: u64,
}

/// Scratch space for the pairs of one destination.
pub struct Selector<'a> {
    graphs: &'a [Graph],
    searches: Vec<LevelSearch>,
    targets: Vec<Option<u32>>,
    hops: Vec<Vec<u32>>,
    level: Paths,
}

impl<'a> Selector<'a> {
    /// Scratch space for `graphs`.
    pub fn new(graphs: &'a [Graph]) -> Self {
        let searches = graphs.iter().map(LevelSearch::new).collect();
        Selector { graphs, searches, targets: vec![], hops: vec![], level: Paths::default() }
    }

    /// Prepares for pairs to this destination.
    pub fn aim(&mut self, targets: &[Option<u32>]) {
        self.targets = targets.to_vec();
        self.hops = (self.graphs.iter().zip(targets))
            .map(|(graph, target)| target.map_or(vec![], |t| graph.hops_to(t)))
            .collect();
    }

    /// The paths of one pair from these switches, shortest first, within a length by plane and arcs.
    pub fn select(&mut self, sources: &[Option<u32>], wanted: &Wanted, pair: (u32, u32)) -> Paths {
        let mut random = SplitMix::of(wanted.seed, pair);
        let near: Vec<(usize, u32)> = (0..self.graphs.len())
            .filter_map(|p| {
                let hops = *self.hops[p].get(sources[p]? as usize)?;
                (hops != FAR).then_some((p, hops))
            })
            .collect();
        let mut paths = Paths::default();
        let Some(least) = near.iter().map(|(_, hops)| *hops).min() else { return paths };
        let all: Vec<usize> = near.iter().map(|(p, _)| *p).collect();
        match wanted.policy {
            Policy::Any => self.shortest_of(&all, sources, wanted, wanted.count, &mut random, &mut paths),
            Policy::Shortest => {
                let nearest: Vec<usize> =
                    near.iter().filter(|(_, hops)| *hops == least).map(|(p, _)| *p).collect();
                self.shortest_of(&nearest, sources, wanted, wanted.count, &mut random, &mut paths);
            }
            Policy::Single => {
                let one = [all[random.below(all.len())]];
                self.shortest_of(&one, sources, wanted, wanted.count, &mut random, &mut paths);
            }
            Policy::RoundRobin => {
                for (i, p) in all.iter().enumerate() {
                    let quota = wanted.count / all.len() + usize::from(i < wanted.count % all.len());
                    self.shortest_of(&[*p], sources, wanted, quota, &mut random, &mut paths);
                }
            }
        }
        paths
    }

    /// Adds the `count` shortest over `planes`.
    fn shortest_of(
        &mut self,
        planes: &[usize],
        sources: &[Option<u32>],
        wanted: &Wanted,
        count: usize,
        random: &mut SplitMix,
        paths: &mut Paths,
    ) {
        let ends: Vec<(usize, u32, u32)> =
            planes.iter().filter_map(|p| Some((*p, sources[*p]?, self.targets[*p]?))).collect();
        let least = ends.iter().map(|(p, s, _)| self.hops[*p][*s as usize]).min().unwrap_or(0);
        let longest = ends.iter().map(|(p, ..)| self.graphs[*p].nodes() as u32 - 1).max().unwrap_or(0);
        let mut missing = count;
        for length in least..=longest {
            if missing == 0 || (wanted.equal_cost && length > least) {
                return;
            }
            self.level.clear();
            for (p, s, t) in &ends {
                if s == t {
                    // On one switch: the empty path, and no other, as a simple path does not come back.
                    if length == 0 {
                        self.level.push(*p as u32, []);
                    }
                    continue;
                }
                let (graph, hops) = (&self.graphs[*p], &self.hops[*p]);
                let ended =
                    self.searches[*p].run(graph, hops, (*s, *t), length, *p as u32, STEPS, &mut self.level);
                if ended == Ended::OutOfSteps {
                    self.one_by_one(&ends, length, missing, random, paths);
                    return;
                }
            }
            missing -= take(&self.level, missing, random, paths);
        }
    }

    /// Adds the `missing` shortest paths of at least `length` arcs by Yen's algorithm.
    fn one_by_one(
        &mut self,
        ends: &[(usize, u32, u32)],
        length: u32,
        missing: usize,
        random: &mut SplitMix,
        paths: &mut Paths,
    ) {
        let mut found: Vec<(usize, usize, Vec<u32>)> = vec![];
        for (p, s, t) in ends.iter().filter(|(_, s, t)| s != t) {
            // Shorter ones are taken already and come first again.
            let taken = (0..paths.len()).filter(|i| paths.plane[*i] as usize == *p).count();
            let all = yen::k_shortest(&self.graphs[*p], *s, *t, taken + missing);
            let longer = all.into_iter().filter(|path| path.len() >= length as usize);
            found.extend(longer.map(|path| (path.len(), *p, path)));
        }
        found.sort();
        let mut missing = missing;
        for level in found.chunk_by(|a, b| a.0 == b.0) {
            self.level.clear();
            for (_, p, path) in level {
                self.level.push(*p as u32, path.iter().copied());
            }
            missing -= take(&self.level, missing, random, paths);
        }
    }
}

/// Adds `level`, or `missing` of its paths drawn at random, in the order they have; returns how many.
fn take(level: &Paths, missing: usize, random: &mut SplitMix, paths: &mut Paths) -> usize {
    let mut chosen: Vec<usize> = (0..level.len()).collect();
    if level.len() > missing {
        for i in 0..missing {
            let j = i + random.below(level.len() - i);
            chosen.swap(i, j);
        }
        chosen.truncate(missing);
        chosen.sort_unstable();
    }
    for i in &chosen {
        paths.push(level.plane[*i], level.get(*i).iter().copied());
    }
    chosen.len()
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, and good enough to break ties.
struct SplitMix(u64);

impl SplitMix {
    /// The stream of one pair: it does not depend on the other pairs.
    fn of(seed: u64, (from, to): (u32, u32)) -> Self {
        let mut mixed = SplitMix(seed);
        let salt = mixed.next();
        SplitMix(salt ^ (u64::from(from) << 32 | u64::from(to)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the bias of the multiplication is below `bound / 2^64`.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}
