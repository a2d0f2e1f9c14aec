// A network as the page edits it, and the flat arrays that the core reads.

/**
 * @typedef {{u: number, v: number, gbps: number}} Cable  full-duplex: so much in each direction at the same time
 * @typedef {{name: string, x: number, y: number, tier: number}} Switch
 * @typedef {{label: string, switches: Switch[], racks: number[], cables: Cable[]}} Plane  racks[i]: the switch of rack i
 * @typedef {{label: string, command: string | null, variant: string, planes: Plane[], dead: boolean[]}} Network
 *   command: the words after `pnet-lp throughput` that build it; null once it was edited by hand
 */

export const LINK_GBPS = 100;

/** The network with another version of one plane; no command builds it any more.
 * @param {Network} network @param {number} p @param {Partial<Plane>} change @returns {Network} */
function changed(network, p, change) {
  const planes = network.planes.map((plane, i) => (i === p ? { ...plane, ...change } : plane));
  return { ...network, command: null, planes };
}

/** @param {Network} network @param {number} p @param {number} u @param {number} v @param {number} gbps */
export function withCable(network, p, u, v, gbps = LINK_GBPS) {
  return changed(network, p, { cables: [...network.planes[p].cables, { u, v, gbps }] });
}

/** @param {Network} network @param {number} p @param {number} cable */
export function withoutCable(network, p, cable) {
  return changed(network, p, { cables: network.planes[p].cables.filter((_, i) => i !== cable) });
}

/** @param {Network} network @param {number} p @param {number} cable @param {number} gbps */
export function withSpeed(network, p, cable, gbps) {
  const cables = network.planes[p].cables.map((c, i) => (i === cable ? { ...c, gbps } : c));
  return changed(network, p, { cables });
}

/** Only the picture changes: the same command builds it.
 * @param {Network} network @param {number} p @param {number} node @param {number} x @param {number} y */
export function withPlace(network, p, node, x, y) {
  const switches = network.planes[p].switches.map((s, i) => (i === node ? { ...s, x, y } : s));
  const planes = network.planes.map((plane, i) => (i === p ? { ...plane, switches } : plane));
  return { ...network, planes };
}

/** @param {Network} network @param {number} p */
export function withPlaneToggled(network, p) {
  return { ...network, dead: network.dead.map((dead, i) => (i === p ? !dead : dead)) };
}

/** A plane is the same for all racks in a new place: a rack is added to every plane.
 * @param {Network} network @param {number} x @param {number} y */
export function withRack(network, x, y) {
  const names = new Set(network.planes.flatMap((plane) => plane.switches.map((s) => s.name)));
  let number = network.planes[0].switches.length;
  while (names.has(String(number))) number += 1;
  const planes = network.planes.map((plane) => ({
    ...plane,
    switches: [...plane.switches, { name: String(number), x, y, tier: 0 }],
    racks: [...plane.racks, plane.switches.length],
  }));
  return { ...network, command: null, planes };
}

/** The network of the planes that work. @param {Network} network @returns {Network} */
export function alive(network) {
  const planes = network.planes.filter((_, p) => !network.dead[p]);
  return { ...network, planes, dead: planes.map(() => false) };
}

/** @param {Network} network */
export function rackCount(network) {
  return network.planes[0].racks.length;
}

/**
 * The directed links of all planes, those of a plane sorted by tail, equal tails in the order of cables there and back:
 * the order of certificates.
 *
 * @typedef {{tail: Int32Array, head: Int32Array, capacity: Float64Array, ptr: Int32Array, nodeCount: Int32Array,
 *            plane: number[], cable: number[]}} Arcs
 * @param {Network} network without dead planes @returns {Arcs}
 */
export function arcsOf(network) {
  const all = network.planes.map((plane, p) =>
    plane.cables
      .flatMap(({ u, v, gbps }, cable) => [
        { p, cable, tail: u, head: v, gbps },
        { p, cable, tail: v, head: u, gbps },
      ])
      .sort((a, b) => a.tail - b.tail),
  );
  const arcs = all.flat();
  const ptr = [0];
  for (const own of all) ptr.push(ptr[ptr.length - 1] + own.length);
  return {
    tail: Int32Array.from(arcs, (a) => a.tail),
    head: Int32Array.from(arcs, (a) => a.head),
    capacity: Float64Array.from(arcs, (a) => a.gbps),
    ptr: Int32Array.from(ptr),
    nodeCount: Int32Array.from(network.planes, (plane) => plane.switches.length),
    plane: arcs.map((a) => a.p),
    cable: arcs.map((a) => a.cable),
  };
}
