// A network and its traffic in the page's address: #net=1. and the edge lists, packed.  The address is data that anybody
// may have written: it is bounded, checked, and read as files are.

import { edgeList } from "./files.js";
import { PATTERNS } from "./patterns.js";
import { quoted, readNetwork } from "./reader.js";

const VERSION = 1;
const KEY = "#net=";
const MOST = { link: 16_000, bytes: 400_000, seed: 1_000_000 };

/** Runs bytes through a (de)compression stream; stops where it gives more than `most`. @param {Uint8Array} data */
async function through(data, stream, most = Infinity) {
  const chunks = [];
  let size = 0;
  const reader = new Blob([data]).stream().pipeThrough(stream).getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error(`The link holds more than ${most} bytes; allowed: at most ${most}.`);
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @param {import("./network.js").Network} network @param {import("./patterns.js").Traffic} traffic
 * @returns {Promise<string>} the address after the page's own, from # on
 * @throws {Error} the network is too large for an address */
export async function fragmentOf(network, traffic) {
  const document = JSON.stringify({ traffic: traffic.id, seed: traffic.seed, dead: network.dead, planes: network.planes.map(edgeList) });
  const packed = await through(new TextEncoder().encode(document), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(packed, (b) => String.fromCharCode(b)).join(""));
  const fragment = `${KEY}${VERSION}.${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  if (fragment.length <= MOST.link) return fragment;
  throw new Error(`The network is too large for a link: ${fragment.length} characters; allowed: at most ${MOST.link}. Save the network instead.`);
}

/** @param {string} fragment the address from # on
 * @returns {Promise<{network: import("./network.js").Network, traffic: import("./patterns.js").Traffic} | null>} null: it holds none
 * @throws {Error} a sentence that names its fault */
export async function readFragment(fragment) {
  if (!fragment.startsWith(KEY)) return null;
  if (fragment.length > MOST.link) throw new Error(`The link has ${fragment.length} characters; allowed: at most ${MOST.link}.`);
  const [, version, letters] = /^#net=(\d{1,9})\.([\w-]+)$/.exec(fragment) ?? [];
  if (version === undefined) throw new Error(`The link is broken, found ${quoted(fragment)}; allowed: ${KEY}${VERSION}. and letters, digits, - and _.`);
  if (Number(version) !== VERSION) throw new Error(`The link has version ${version}; allowed: ${VERSION}.`);
  let document;
  try {
    const packed = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const text = await through(packed, new DecompressionStream("deflate-raw"), MOST.bytes);
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch (error) {
    if (error.message.startsWith("The link")) throw error;
    throw new Error("The link is broken: a part of it is missing or was changed.");
  }
  const { traffic: id, seed, dead, planes } = document ?? {};
  if (!PATTERNS.some((pattern) => pattern.id === id)) {
    throw new Error(`The link's traffic is unknown, found ${quoted(id)}; allowed: ${PATTERNS.map((p) => p.id).join(", ")}.`);
  }
  if (!Number.isInteger(seed) || seed < 0 || seed > MOST.seed) {
    throw new Error(`The link's seed is out of range, found ${quoted(seed)}; allowed: whole numbers, 0 to ${MOST.seed}.`);
  }
  if (!Array.isArray(planes) || !planes.length || !planes.every((plane) => typeof plane === "string")) {
    throw new Error("The link holds no planes; allowed: a list of edge lists.");
  }
  const { network } = readNetwork(planes.map((text, p) => ({ name: `plane ${p + 1}`, text })));
  if (!Array.isArray(dead) || dead.length !== planes.length || !dead.every((d) => typeof d === "boolean") || dead.every(Boolean)) {
    throw new Error("The link does not say which planes have failed; allowed: true or false for each, and one that works.");
  }
  return { network: { ...network, dead }, traffic: { id, seed } };
}
