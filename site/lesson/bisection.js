// The narrowest split of the racks into two halves: found by exchanges, proved by branch and bound where that is quick.
//
// A rack is on one side in all planes.  Other switches join the cheaper side, each for itself.  Cables are as fast one way
// as the other, so both directions of a split have the same capacity.

import { rackCount } from "./network.js";

// Of small networks nearly all are proved by so many steps, of large ones none: there they would be in vain.
const MOST_STEPS = 3_000_000;
const SMALL = 48;
const STARTS = 24;

/**
 * The planes laid over each other: racks first, then all other switches.
 * @param {import("./network.js").Network} network @returns {{racks: number, near: Map<number, number>[], of: number[][]}}
 *   near[a].get(b): Gb/s between them; of[p][switch]: its number
 */
function joined(network) {
  const racks = rackCount(network);
  let count = racks;
  const of = network.planes.map((plane) => {
    const number = new Array(plane.switches.length).fill(-1);
    plane.racks.forEach((node, i) => (number[node] = i));
    return number.map((n) => (n < 0 ? count++ : n));
  });
  const near = Array.from({ length: count }, () => new Map());
  network.planes.forEach((plane, p) => {
    for (const { u, v, gbps } of plane.cables) {
      const [a, b] = [of[p][u], of[p][v]];
      near[a].set(b, (near[a].get(b) ?? 0) + gbps);
      near[b].set(a, (near[b].get(a) ?? 0) + gbps);
    }
  });
  return { racks, near, of };
}

/** @param {Map<number, number>[]} near @param {Uint8Array} side */
function cutOf(near, side) {
  let cut = 0;
  near.forEach((row, a) => row.forEach((gbps, b) => (cut += a < b && side[a] !== side[b] ? gbps : 0)));
  return cut;
}

/** Switches without a rack change sides while less is cut. */
function settle(racks, near, side) {
  for (let moved = true; moved; ) {
    moved = false;
    for (let a = racks; a < near.length; a += 1) {
      let gain = 0;
      near[a].forEach((gbps, b) => (gain += side[a] === side[b] ? -gbps : gbps));
      if (gain > 1e-9) {
        side[a] ^= 1;
        moved = true;
      }
    }
  }
}

/** Exchanges pairs of racks, each once and the best left first, and returns to the best point on the way, while that
 * gains anything (Kernighan and Lin 1970). */
function exchange(racks, near, start) {
  let best = Uint8Array.from(start);
  settle(racks, near, best);
  let least = cutOf(near, best);
  for (;;) {
    const side = Uint8Array.from(best);
    const free = new Uint8Array(racks).fill(1);
    const before = least;
    for (let swaps = 0; swaps < Math.floor(racks / 2); swaps += 1) {
      const gain = near.map((row, a) => {
        let sum = 0;
        row.forEach((gbps, b) => (sum += side[a] === side[b] ? -gbps : gbps));
        return sum;
      });
      let [most, x, y] = [-Infinity, -1, -1];
      for (let a = 0; a < racks; a += 1) {
        if (!free[a] || side[a]) continue;
        for (let b = 0; b < racks; b += 1) {
          if (!free[b] || !side[b]) continue;
          const both = gain[a] + gain[b] - 2 * (near[a].get(b) ?? 0);
          if (both > most) [most, x, y] = [both, a, b];
        }
      }
      if (x < 0) break;
      [side[x], side[y], free[x], free[y]] = [1, 0, 0, 0];
      settle(racks, near, side);
      const cut = cutOf(near, side);
      if (cut < least - 1e-9) [least, best] = [cut, Uint8Array.from(side)];
    }
    if (least >= before - 1e-9) return { side: best, cut: least };
  }
}

/** Nodes so that each is near to those before it. */
function orderOf(near) {
  const pull = new Float64Array(near.length);
  const order = [];
  const placed = new Uint8Array(near.length);
  while (order.length < near.length) {
    let next = -1;
    for (let a = 0; a < near.length; a += 1) {
      if (!placed[a] && (next < 0 || pull[a] > pull[next])) next = a;
    }
    placed[next] = 1;
    order.push(next);
    near[next].forEach((gbps, b) => (pull[b] += gbps));
  }
  return order;
}

/** Looks at all halves, but for those that must cut as much as the best known; null where that takes too long. */
function prove(racks, near, found) {
  const order = orderOf(near);
  const n = near.length;
  const half = Math.ceil(racks / 2);
  const side = new Int8Array(n).fill(-1);
  const pull = [new Float64Array(n), new Float64Array(n)];
  let best = found;
  let steps = 0;
  let low = 0;
  const count = [0, 0];
  /** @param {number} depth @param {number} cut between nodes with a side @returns {boolean} */
  const visit = (depth, cut) => {
    if (++steps > MOST_STEPS) return false;
    if (depth === n) {
      best = { side: Uint8Array.from(side), cut };
      return true;
    }
    const a = order[depth];
    const near0 = pull[0][a] >= pull[1][a] ? 0 : 1;
    for (const s of depth === 0 ? [0] : [near0, 1 - near0]) {
      if (a < racks && count[s] === half) continue;
      const after = cut + pull[1 - s][a];
      const without = low - Math.min(pull[0][a], pull[1][a]);
      side[a] = s;
      if (a < racks) count[s] += 1;
      let rest = without;
      near[a].forEach((gbps, b) => {
        if (side[b] >= 0) return;
        rest -= Math.min(pull[0][b], pull[1][b]);
        pull[s][b] += gbps;
        rest += Math.min(pull[0][b], pull[1][b]);
      });
      const kept = low;
      low = rest;
      const done = after + rest >= best.cut - 1e-9 || visit(depth + 1, after);
      low = kept;
      near[a].forEach((gbps, b) => {
        if (side[b] < 0) pull[s][b] -= gbps;
      });
      side[a] = -1;
      if (a < racks) count[s] -= 1;
      if (!done) return false;
    }
    return true;
  };
  return visit(0, 0) ? best : null;
}

/**
 * @param {import("./network.js").Network} network without dead planes
 * @param {{src: number[], dst: number[], demand: number[]}} demands
 * @returns {{gbps: number, proved: boolean, side: number[], switchSide: number[][], bound: number}}
 *   bound: on K; side of each rack, and of each switch of each plane
 */
export function bisection(network, demands) {
  const { racks, near, of } = joined(network);
  let state = 12345;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const half = Math.ceil(racks / 2);
  const orders = [[...Array(racks).keys()], orderOf(near).filter((a) => a < racks)];
  while (orders.length < STARTS) {
    const keys = Array.from({ length: racks }, random);
    orders.push([...Array(racks).keys()].sort((a, b) => keys[a] - keys[b]));
  }
  let best = null;
  for (const order of orders) {
    const side = new Uint8Array(near.length);
    order.slice(half).forEach((a) => (side[a] = 1));
    const found = exchange(racks, near, side);
    if (!best || found.cut < best.cut - 1e-9) best = found;
  }
  const proved = racks > SMALL ? null : prove(racks, near, best);
  best = proved ?? best;
  const across = [0, 0];
  demands.src.forEach((s, j) => {
    if (best.side[s] !== best.side[demands.dst[j]]) across[best.side[s]] += demands.demand[j];
  });
  return {
    gbps: best.cut,
    proved: proved !== null,
    side: [...best.side.subarray(0, racks)],
    switchSide: of.map((numbers) => numbers.map((a) => best.side[a])),
    bound: best.cut / Math.max(...across),
  };
}
