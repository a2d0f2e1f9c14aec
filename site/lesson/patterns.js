// Who sends to whom: patterns of the command line, each with the expression that gives the same demands there.

import { Random } from "./random.js";

/**
 * @typedef {{src: number[], dst: number[], demand: number[], expression: string, sparse: boolean}} Demands  by source
 * @typedef {{id: string, seed: number}} Traffic  a pattern, and the seed where it is drawn
 * @typedef {object} Pattern
 * @property {string} id
 * @property {string} title
 * @property {boolean} [drawn] whether the pattern is random
 * @property {(racks: number, seed: number) => string} expression
 * @property {(racks: number, seed: number) => [number, number][]} pairs each sends 1.0 from the first rack to the second
 */

const indices = (count) => [...Array(count).keys()];
const stride = (racks, step) => indices(racks).map((i) => [i, (i + step) % racks]);
const halfway = (racks) => Math.floor(racks / 2);
const fan = (racks) => Math.max(1, halfway(racks - 1));

/** Half of the racks, rounded to the even number as Python does. */
function half(racks) {
  const floor = halfway(racks);
  return racks % 2 === 0 || floor % 2 === 0 ? floor : floor + 1;
}

/** One of all other racks. @param {number} drawn 0 to racks - 2 @param {number} rack */
const other = (drawn, rack) => drawn + (drawn >= rack ? 1 : 0);

/** @type {Pattern[]} */
export const PATTERNS = [
  {
    id: "all-to-all",
    title: "all-to-all",
    expression: () => "all-to-all",
    pairs: (racks) => indices(racks).flatMap((i) => indices(racks).flatMap((j) => (i === j ? [] : [[i, j]]))),
  },
  {
    id: "permutation",
    title: "permutation: each rack to another, drawn",
    drawn: true,
    expression: (_, seed) => `permutation:seed=${seed}`,
    pairs: (racks, seed) => {
      const random = new Random(seed, "traffic/permutation/random");
      for (;;) {
        const order = random.permutation(racks);
        if (order.every((j, i) => i !== j)) return order.map((j, i) => [i, j]);
      }
    },
  },
  {
    id: "opposite",
    title: "stride: each rack to the one half-way round",
    expression: (racks) => `stride:s=${halfway(racks)}`,
    pairs: (racks) => stride(racks, halfway(racks)),
  },
  {
    id: "next",
    title: "stride: each rack to the next",
    expression: () => "stride:s=1",
    pairs: (racks) => stride(racks, 1),
  },
  {
    id: "random",
    title: "random: each rack to any other, drawn",
    drawn: true,
    expression: (_, seed) => `random:seed=${seed}`,
    pairs: (racks, seed) => {
      const random = new Random(seed, "traffic/random");
      return indices(racks).map((i) => [i, other(random.below(racks - 1), i)]);
    },
  },
  {
    id: "incast",
    title: "incast: half of the racks to one, drawn",
    drawn: true,
    expression: (racks, seed) => `incast:fan=${fan(racks)},seed=${seed}`,
    pairs: (racks, seed) => {
      const random = new Random(seed, "traffic/fan");
      const to = random.below(racks);
      return random.permutation(racks - 1).slice(0, fan(racks)).map((j) => [other(j, to), to]);
    },
  },
  {
    id: "hotspot",
    title: "hotspot: half to one, the others to any, drawn",
    drawn: true,
    expression: (_, seed) => `hotspot:seed=${seed}`,
    pairs: (racks, seed) => {
      const random = new Random(seed, "traffic/hotspot");
      const [spot, ...rest] = random.permutation(racks);
      const to = indices(racks).map((i) => other(random.below(racks - 1), i));
      for (const i of rest.slice(0, Math.max(1, half(racks)))) to[i] = spot;
      return to.map((j, i) => [i, j]);
    },
  },
  {
    id: "all-to-one",
    title: "all racks to the first",
    expression: () => "all-to-one:to=0",
    pairs: (racks) => indices(racks).slice(1).map((i) => [i, 0]),
  },
  {
    id: "one-to-all",
    title: "the first rack to all",
    expression: () => "one-to-all:sender=0",
    pairs: (racks) => indices(racks).slice(1).map((i) => [0, i]),
  },
  {
    id: "pipeline",
    title: "pipeline: neighbours, there and back",
    expression: () => "pipeline",
    pairs: (racks) => indices(racks - 1).flatMap((i) => [[i, i + 1], [i + 1, i]]),
  },
];

/** @param {Traffic} traffic @param {number} racks at least 2 @returns {Demands} */
export function demandsOf({ id, seed }, racks) {
  const pattern = PATTERNS.find((p) => p.id === id);
  const pairs = pattern.pairs(racks, seed).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const sparse = id !== "all-to-all";
  const [src, dst] = [pairs.map(([i]) => i), pairs.map(([, j]) => j)];
  return { src, dst, demand: src.map(() => 1), expression: pattern.expression(racks, seed), sparse };
}

/** The racks that send or receive, in order. @param {Demands} demands @returns {number[]} */
export function endpointsOf({ src, dst }) {
  return [...new Set([...src, ...dst])].sort((a, b) => a - b);
}
