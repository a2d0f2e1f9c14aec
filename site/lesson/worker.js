// The core at work, away from the page.

import init, { Problem } from "./wasm/pnet_wasm.js";
import { arcsOf } from "./network.js";
import { bisection } from "./bisection.js";
import { endpointsOf } from "./patterns.js";

/** The largest K at which K times these loads fit. */
function fits(capacity, load) {
  let least = Infinity;
  load.forEach((l, a) => (least = l > 0 ? Math.min(least, capacity[a] / l) : least));
  return least;
}

/** All that is known of a network; what takes no time comes first.
 * @param {{id: number, network: import("./network.js").Network, demands: import("./patterns.js").Demands,
 *          tolerance: number, limit: number, cut: boolean}} task network: without dead planes */
function answer({ id, network, demands, tolerance, limit, cut }) {
  const tell = (kind, facts) => postMessage({ id, kind, ...facts });
  const arcs = arcsOf(network);
  // Endpoints are the racks that have a demand, as in certificates.
  const used = endpointsOf(demands);
  const endpoint = new Map(used.map((rack, i) => [rack, i]));
  const problem = new Problem(
    arcs.nodeCount,
    arcs.ptr,
    arcs.tail,
    arcs.head,
    arcs.capacity,
    Int32Array.from(network.planes.flatMap((plane) => used.map((rack) => plane.racks[rack]))),
    Int32Array.from(demands.src, (rack) => endpoint.get(rack)),
    Int32Array.from(demands.dst, (rack) => endpoint.get(rack)),
    Float64Array.from(demands.demand),
  );
  const hops = problem.distances(new Float64Array(arcs.tail.length).fill(1));
  const lost = hops.filter((h) => !Number.isFinite(h)).length;
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const meanPath = sum(arcs.capacity) / sum(hops.map((h, j) => h * demands.demand[j]));
  const ecmpLoad = lost ? null : problem.ecmp_loads();
  const ecmp = lost ? 0 : fits(arcs.capacity, ecmpLoad);
  tell("known", { meanPath, ecmp, ecmpLoad, lost, meanHops: sum(hops) / hops.length });
  if (lost) {
    tell("solved", { lower: 0, upper: 0, iterations: 0, answer: null, milliseconds: 0 });
  } else {
    const started = performance.now();
    const found = problem.solve(demands.sparse, tolerance, limit, (iterations, lower, upper) =>
      tell("closing", { iterations, lower, upper }),
    );
    const proof = {
      length: found.length,
      up_length: found.up_length,
      down_length: found.down_length,
      share: found.share,
      split_ptr: found.split_ptr,
      split_arc: found.split_arc,
      split_fraction: found.split_fraction,
    };
    const { lower, upper, iterations } = found;
    const distances = problem.distances(found.length);
    const milliseconds = performance.now() - started;
    tell("solved", {
      lower,
      upper,
      iterations,
      milliseconds,
      tolerance,
      answer: { proof, load: found.load, farthest: distances.reduce((a, b) => Math.max(a, b), 0) },
    });
    found.free();
  }
  problem.free();
  if (cut) tell("cut", { bisection: bisection(network, demands) });
  tell("done", {});
}

onmessage = async ({ data }) => {
  if (data.module) {
    await init({ module_or_path: data.module });
    postMessage({ kind: "ready" });
    return;
  }
  try {
    answer(data);
  } catch (error) {
    postMessage({ id: data.id, kind: "failed", message: String(error?.message ?? error) });
  }
};
