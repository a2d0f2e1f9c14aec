// What leaves the page: the command line that asks the same, networks as edge lists, and the proof as a result file.

import { alive, arcsOf } from "./network.js";
import { endpointsOf } from "./patterns.js";

const SHOWN_BOTTLENECKS = 10;

/** @param {import("./network.js").Plane} plane @returns {string} as docs/formats.md says */
export function edgeList(plane) {
  const all = plane.racks.length === plane.switches.length && plane.racks.every((node, i) => node === i);
  const rack = new Map(plane.racks.map((node, i) => [node, i]));
  const lines = plane.switches.map(({ name, x, y, tier }, i) => {
    const held = all || !rack.has(i) ? "" : ` rack=${rack.get(i)}`;
    return `#: switch ${name}${tier ? ` tier=${tier}` : ""}${held} at=${x},${-y || 0}`;
  });
  const named = (i) => plane.switches[i].name;
  const cables = plane.cables.map(({ u, v, gbps }) => `${named(u)} ${named(v)} ${gbps}`);
  return [`# ${plane.label}, from the lesson`, ...lines, ...cables, ""].join("\n");
}

/** The files that the command of a network needs: none where an expression builds it.
 * @param {import("./network.js").Network} network @returns {{name: string, text: string}[]} */
export function filesOf(network) {
  if (network.command !== null) return [];
  const { planes } = alive(network);
  const name = (p) => (planes.length === 1 ? "network.edges" : `plane-${p + 1}.edges`);
  return planes.map((plane, p) => ({ name: name(p), text: edgeList(plane) }));
}

/** @param {import("./network.js").Network} network @param {import("./patterns.js").Demands} demands
 * @param {boolean} ecmp @returns {string} */
export function commandOf(network, demands, ecmp) {
  const dead = network.dead.flatMap((is, p) => (is ? [p] : []));
  const words = ["pnet-lp throughput"];
  if (network.command === null) words.push(...filesOf(network).map((file) => file.name));
  else {
    words.push(network.command);
    if (dead.length) words.push(`--fail-planes ${dead.join(",")}`);
  }
  if (demands.expression !== "all-to-all") words.push(`--traffic ${demands.expression}`);
  if (ecmp) words.push("--routing ecmp-split");
  return words.join(" ");
}

/** @typedef {Int32Array | Float64Array} Numbers */

/** @param {BodyInit} data @param {any} through */
async function bytes(data, through) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(through)).arrayBuffer());
}

function kind(array) {
  return array instanceof Float64Array ? "<f8" : "<i4";
}

/** @param {Numbers} array @param {number[]} shape */
async function stored(array, shape = [array.length]) {
  const packed = await bytes(array, new CompressionStream("deflate"));
  return { dtype: kind(array), shape, data: btoa(Array.from(packed, (b) => String.fromCharCode(b)).join("")) };
}

/** SHA-256 over texts and arrays, as networks and matrices are named by. @param {(string | Numbers)[]} parts */
async function fingerprint(parts) {
  const text = new TextEncoder();
  const pieces = parts.flatMap((part) => {
    if (typeof part !== "string") return [text.encode(`${kind(part)} (${part.length},);`), part];
    const data = text.encode(part);
    return [text.encode(`str ${data.length};`), data];
  });
  const digest = await crypto.subtle.digest("SHA-256", await new Blob(pieces).arrayBuffer());
  return `sha256:${Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, "0")).join("")}`;
}

/** The arrays of a plane, by their keys in a result file. */
function arraysOf(plane) {
  const speeds = Float64Array.from(plane.cables, (c) => c.gbps);
  return {
    cable_u: Int32Array.from(plane.cables, (c) => c.u),
    cable_v: Int32Array.from(plane.cables, (c) => c.v),
    capacity_uv_gbps: speeds,
    capacity_vu_gbps: speeds,
    rack_switch: Int32Array.from(plane.racks),
    host_switch: new Int32Array(0),
    access_up_gbps: new Float64Array(0),
    access_down_gbps: new Float64Array(0),
  };
}

/** What limits, by the part of the bound that each link has; and whether the lengths are those of a cut. */
function limits(network, arcs, proof, farthest) {
  const products = Array.from(arcs.capacity, (c, a) => c * proof.length[a]);
  const total = products.reduce((a, b) => a + b, 0);
  const order = products.map((_, a) => a).sort((a, b) => products[b] - products[a] || a - b);
  const bottlenecks = order
    .slice(0, SHOWN_BOTTLENECKS)
    .map((a) => {
      const { switches } = network.planes[arcs.plane[a]];
      const link = [switches[arcs.tail[a]].name, switches[arcs.head[a]].name];
      const share = products[a] / total;
      return { plane: arcs.plane[a], link, kind: "core", share, capacity_gbps: arcs.capacity[a] };
    })
    .filter(({ share }) => share > 1e-9);
  const longest = proof.length.reduce((a, b) => Math.max(a, b), 0);
  const uniform = proof.length.every((l) => l <= 1e-3 * longest || l > (1 - 1e-3) * longest);
  return { bottlenecks, binding: uniform && farthest <= longest * (1 + 1e-2) ? "cut" : "core link" };
}

/**
 * The result with its proof, as `pnet-lp throughput --save` writes it and `pnet-lp verify` checks it.
 *
 * @param {import("./network.js").Network} whole @param {import("./patterns.js").Demands} demands
 * @param {any} known what the worker said @returns {Promise<string>}
 */
export async function certificate(whole, demands, known) {
  const network = alive(whole);
  const arcs = arcsOf(network);
  const { proof, farthest } = known.answer;
  const [planes, racks, count] = [network.planes.length, network.planes[0].racks.length, demands.src.length];
  const endpoints = endpointsOf(demands).length;
  const ends = [Int32Array.from(demands.src), Int32Array.from(demands.dst), Float64Array.from(demands.demand)];
  const names = network.planes.map((plane) => plane.switches.map((s) => s.name));
  const prints = await Promise.all(
    network.planes.map((plane, p) =>
      fingerprint([
        "plane/1",
        names[p].join("\n"),
        ...Object.values(arraysOf(plane)),
        "",
      ]),
    ),
  );
  const same = prints.every((print) => print === prints[0]);
  const variant = planes === 1 ? "serial" : same ? "homogeneous" : "heterogeneous";
  const storedPlanes = network.planes.map(async (plane, p) => {
    const arrays = Object.entries(arraysOf(plane)).map(async ([key, array]) => [key, await stored(array)]);
    return {
      switch_names: names[p],
      ...Object.fromEntries(await Promise.all(arrays)),
      host_names: [],
      tier: await stored(Int32Array.from(plane.switches, (s) => s.tier)),
      label: plane.label,
    };
  });
  const gap = known.upper > 0 ? (known.upper - known.lower) / known.upper : 0;
  const { bottlenecks, binding } = limits(network, arcs, proof, farthest);
  const label = demands.expression;
  const document = {
    throughput_gbps: known.lower,
    lower_bound_gbps: known.lower,
    upper_bound_gbps: known.upper,
    relative_gap: gap,
    tolerance: known.tolerance,
    status: gap <= known.tolerance ? "certified" : "bounds",
    interrupted: false,
    objective: "concurrent",
    routing: "ideal",
    plane_policy: "any",
    routing_seed: 0,
    level: "rack",
    solver: demands.sparse ? "columns" : "structured",
    iterations: known.iterations,
    seconds: { build: 0, solve: known.milliseconds / 1000, certify: 0 },
    network: {
      planes,
      variant,
      switches: network.planes.reduce((sum, plane) => sum + plane.switches.length, 0),
      racks,
      hosts: 0,
      links: network.planes.reduce((sum, plane) => sum + plane.cables.length, 0),
      fingerprint: await fingerprint(["network/1", ...prints]),
    },
    traffic: {
      label,
      demands: count,
      total: ends[2].reduce((a, b) => a + b, 0),
      fingerprint: await fingerprint([`traffic/1 rack ${racks}`, ...ends]),
    },
    binding,
    bottlenecks,
    warnings: [],
    format: "pnet-lp-result/1",
    instance: {
      network: { variant, planes: await Promise.all(storedPlanes) },
      traffic: {
        level: "rack",
        endpoints: racks,
        label,
        src: await stored(ends[0]),
        dst: await stored(ends[1]),
        demand: await stored(ends[2]),
      },
    },
    certificate: {
      form: "arc",
      length: await stored(proof.length),
      up_length: await stored(proof.up_length, [planes, endpoints]),
      down_length: await stored(proof.down_length, [planes, endpoints]),
      share: await stored(proof.share, [planes, count]),
      split_ptr: await stored(proof.split_ptr),
      split_arc: await stored(proof.split_arc),
      split_fraction: await stored(proof.split_fraction),
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** Saves a file on the reader's machine. @param {string} name @param {string} text */
export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
