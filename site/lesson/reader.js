// Networks from files: edge lists and node-link JSON, by the rules of docs/formats.md and with the sentences of the command
// line.  A file is data; nothing in it is executed or shown as markup.

const MOST = { planes: 8, switches: 256, cables: 2048, characters: 1_000_000, name: 60 };
const SPEEDS = { least: 1e-3, most: 1e6 };
const CABLE = "u v [capacity_gbps [capacity_back_gbps]] [delay=NS] [metric=M[/BACK]]";
const SWITCH = "#: switch NAME [tier=T] [rack=R] [box=B] [at=X,Y]";
const HOST = "#: host NAME [SWITCH UP_GBPS [DOWN_GBPS] [delay=NS]]";
const GBPS = "0, or 1e-15 to 1e+15 Gb/s";
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A value as a sentence quotes it. @param {unknown} value */
export function quoted(value) {
  let text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  if (text.length > 100) text = `${text.slice(0, 70)}...${text.slice(-27)}`;
  text = text.replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  if (typeof value !== "string") return text;
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", "\\'")}'`;
}

/** @param {string} where @param {string} problem @param {unknown} [found] @param {string} [allowed] @returns {never} */
function refuse(where, problem, found = undefined, allowed = undefined) {
  const has = found === undefined ? "" : `, found ${quoted(found)}`;
  throw new Error(`${where}: ${problem}${has}${allowed ? `; allowed: ${allowed}` : ""}`);
}

/** The decimal number that a word is; NaN where it is none. @param {string} word */
function numberOf(word) {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return NaN;
  const value = Number(word);
  return Number.isFinite(value) && (value !== 0 || !/^[^e]*[1-9]/i.test(word)) ? value : NaN;
}

const isAmount = (value) => value === 0 || (value >= 1e-15 && value <= 1e15);
const wholeOf = (word) => (/^\d{1,9}$/.test(word) ? Number(word) : null);

/** The name of a node as edge lists can hold it. @param {string | number} id */
const nameOf = (id) => String(id).trim().replace(/\s+|^#/g, "_") || "_";

/** What a file has said so far. */
class Reading {
  /** @param {string} where @param {number} linkGbps speed of cables without one */
  constructor(where, linkGbps) {
    Object.assign(this, { where, linkGbps, cables: [], bare: 0, metrics: 0, hosts: new Map(), ranks: new Set(), notes: new Set() });
    /** @type {Map<string, {tier: number, rack?: number, at?: [number, number], declared: boolean}>} */
    this.switches = new Map();
  }

  named(name) {
    if (!this.switches.has(name)) this.switches.set(name, { tier: 0, declared: false });
    return this.switches.get(name);
  }

  speeds(words, where) {
    return words.map((word) => (isAmount(numberOf(word)) ? numberOf(word) : refuse(where, "not a valid link speed", word, GBPS)));
  }

  cable(line, where) {
    const words = [...line];
    if (words.at(-1).startsWith("metric=")) {
      const [there, back = there] = words.at(-1).slice("metric=".length).split(/\/(.*)/);
      if (!wholeOf(there) || !wholeOf(back)) {
        refuse(where, "invalid metric", words.at(-1), "metric=M or metric=M/BACK, whole numbers from 1 to 999999999");
      }
      this.metrics += 1;
      words.pop();
    }
    if (words.length && /^(delay|length)=/.test(words.at(-1))) {
      const [unit, value] = words.at(-1).split(/=(.*)/);
      const delay = numberOf(value) * (unit === "delay" ? 1 : 5);
      if (!(delay >= 0 && delay <= 1e9)) {
        refuse(where, "invalid delay", words.at(-1), "delay=NS or length=METRES, 0 to 1e+09 ns, which is a second");
      }
      words.pop();
    }
    if (words.length < 2 || words.length > 4) refuse(where, "not a cable", words.join(" "), CABLE);
    const [u, v, ...rest] = words;
    if (u === v) refuse(where, `a cable joins switch ${quoted(u)} to itself`);
    const speeds = this.speeds(rest, where);
    if (!speeds.length) this.bare += 1;
    this.named(u);
    this.named(v);
    this.join(u, v, speeds[0] ?? this.linkGbps, speeds.at(-1) ?? this.linkGbps, where);
    if (this.metrics && this.metrics !== this.cables.length) {
      refuse(where, "only some cables have a metric", undefined, "metric=M on all lines, or on none");
    }
  }

  /** What the lesson can draw is less than what networks have. */
  join(u, v, there, back, where) {
    if (there !== back) {
      refuse(where, `cable ${quoted(u)} - ${quoted(v)} has two speeds, and the lesson draws one`, `${there} and ${back}`, "the same speed in both directions");
    }
    if (!(there >= SPEEDS.least && there <= SPEEDS.most)) {
      refuse(where, `cable ${quoted(u)} - ${quoted(v)} has a speed beyond the lesson`, there, `${SPEEDS.least} to ${SPEEDS.most} Gb/s`);
    }
    this.cables.push({ u, v, gbps: there });
  }

  declaration(words, where) {
    const [kind, name, ...options] = words;
    if (kind === "switch" && name !== undefined) this.declare(name, options, where);
    else if (kind === "host" && name !== undefined) {
      if (options.length > 2 && /^(delay|length)=/.test(options.at(-1))) options.pop();
      if (![0, 2, 3].includes(options.length)) this.undeclared(words, where);
      if (this.hosts.has(name)) refuse(where, `the name ${quoted(name)} is used by two hosts`);
      this.speeds(options.slice(1), where);
      this.hosts.set(name, { at: options[0], where });
    } else this.undeclared(words, where);
  }

  undeclared(words, where) {
    refuse(where, "not a declaration", words.join(" "), `${SWITCH}, ${HOST}`);
  }

  declare(name, options, where) {
    const node = this.named(name);
    if (node.declared) refuse(where, `the name ${quoted(name)} is used by two switches`);
    node.declared = true;
    for (const option of options) {
      const [key, value = ""] = option.split(/=(.*)/);
      if (key === "at") {
        const at = value.split(",").map(numberOf);
        if (at.length !== 2 || !at.every(Number.isFinite)) refuse(where, "not a position", value.split(",").join(" "), "two finite numbers x and y");
        node.at = /** @type {[number, number]} */ (at);
      } else if (!["tier", "rack", "box"].includes(key) || wholeOf(value) === null) {
        refuse(where, "not a property of a switch", option, SWITCH);
      } else if (key === "tier") node.tier = Number(value);
      else if (key === "rack") this.rack(node, Number(value), where);
    }
  }

  rack(node, number, where) {
    if (this.ranks.has(number)) refuse(where, `two racks are number ${number}`);
    this.ranks.add(number);
    node.rack = number;
  }

  /** @returns {import("./network.js").Plane} */
  plane() {
    const { where, switches, hosts } = this;
    let names = [...switches.keys()];
    if (![...switches.values()].some((node) => node.declared) && names.every((name) => /^\d+$/.test(name))) {
      names = names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    }
    if (names.length > MOST.switches) refuse(where, `${names.length} switches are more than the lesson draws`, undefined, `at most ${MOST.switches}`);
    for (const name of names) {
      if (name.length > MOST.name) refuse(where, `the name ${quoted(name)} has ${name.length} characters`, undefined, `at most ${MOST.name}`);
    }
    const index = new Map(names.map((name, i) => [name, i]));
    const held = new Set();
    for (const [name, { at, where: line }] of hosts) {
      if (at !== undefined && !index.has(at)) refuse(line, `host ${quoted(name)} is on an unknown switch`, at);
      if (at !== undefined) held.add(at);
    }
    const nodes = names.map((name) => switches.get(name));
    const ranked = names.filter((_, i) => nodes[i].rack !== undefined).sort((a, b) => switches.get(a).rack - switches.get(b).rack);
    const racks = ranked.length ? ranked : held.size ? names.filter((name) => held.has(name)) : names;
    const { bare, cables, linkGbps } = this;
    if (bare) this.notes.add(`${where}: ${bare} of ${cables.length} cables have no speed and get ${linkGbps} Gb/s.`);
    if (hosts.size) this.notes.add("Hosts are left out: traffic is between racks here.");
    if (this.metrics) this.notes.add("Metrics are left out: ECMP here goes by hops.");
    const places = placesOf(nodes);
    return {
      label: where.replace(/\s+/g, " "),
      switches: names.map((name, i) => ({ name, ...places[i], tier: nodes[i].tier })),
      racks: racks.map((name) => index.get(name)),
      cables: this.cables.map(({ u, v, gbps }) => ({ u: index.get(u), v: index.get(v), gbps })),
    };
  }
}

/** Where switches are drawn: as the file says, with neighbours about 1 apart; else in rows by tier, or round a circle. */
function placesOf(nodes) {
  const at = nodes.map((node) => node.at);
  if (at.every((place) => place !== undefined)) {
    const nearest = at.map(([x, y], i) => Math.min(...at.map(([a, b], j) => (i === j ? Infinity : Math.hypot(a - x, b - y)))));
    const mean = nearest.reduce((a, b) => a + b, 0) / nearest.length;
    if (mean > 0 && Number.isFinite(mean)) {
      const scale = mean < 0.5 || mean > 2 ? 1 / mean : 1;
      return at.map(([x, y]) => ({ x: x * scale, y: -y * scale || 0 }));
    }
  }
  const tiers = [...new Set(nodes.map((node) => node.tier))].sort((a, b) => b - a);
  if (tiers.length === 1) {
    const radius = Math.max(1, nodes.length / (2 * Math.PI));
    const turn = (i) => (2 * Math.PI * i) / nodes.length;
    return nodes.map((_, i) => ({ x: radius * Math.sin(turn(i)), y: -radius * Math.cos(turn(i)) }));
  }
  const rows = tiers.map((tier) => nodes.filter((node) => node.tier === tier));
  const widest = Math.max(...rows.map((row) => row.length));
  return nodes.map((node) => {
    const level = tiers.indexOf(node.tier);
    const row = rows[level];
    return { x: ((row.indexOf(node) + 0.5) * widest) / row.length, y: level * Math.max(1.4, widest / 5) };
  });
}

function edgeListPlane(text, where, linkGbps) {
  const reading = new Reading(where, linkGbps);
  text.split("\n").forEach((line, i) => {
    const words = line.trim().split(/\s+/).filter(Boolean);
    const here = `${where}:${i + 1}`;
    if (words[0]?.startsWith("#:")) {
      reading.declaration(line.trim().slice(2).trim().split(/\s+/).filter(Boolean), here);
      return;
    }
    const comment = words.findIndex((word) => word.startsWith("#"));
    const cable = comment < 0 ? words : words.slice(0, comment);
    if (cable.length) reading.cable(cable, here);
  });
  if (!reading.switches.size) refuse(where, "the file names no switch", undefined, `lines ${CABLE}`);
  return { plane: reading.plane(), notes: reading.notes };
}

function objectsOf(document, key, where) {
  const values = document[key];
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!Array.isArray(values) || !values.every(isObject)) refuse(where, `${quoted(key)} is missing or not a list of objects`);
  return values;
}

function nodeLinkPlane(text, where, linkGbps) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    refuse(where, `not JSON: ${error.message}`);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    refuse(where, "not a node-link document", undefined, "an object with nodes and edges");
  }
  const nodes = objectsOf(document, "nodes", where);
  const edges = objectsOf(document, "links" in document && !("edges" in document) ? "links" : "edges", where);
  if (document.directed) refuse(where, "the lesson reads undirected graphs", "directed", "a graph with one edge for each cable");
  const isName = (name) => typeof name === "string" || Number.isInteger(name);
  const reading = new Reading(where, linkGbps);
  const hosts = new Set();
  const known = new Set();
  nodes.forEach((node, i) => {
    const here = `${where}: nodes[${i}]`;
    const { id } = node;
    if (!isName(id)) refuse(here, "'id' is missing or not a name", id, "text or a number");
    if (known.has(id)) refuse(here, `the id ${quoted(id)} is used by two nodes`);
    known.add(id);
    if (node.kind === "host") {
      hosts.add(id);
      reading.hosts.set(nameOf(id), { at: undefined, where });
    } else {
      if (reading.switches.has(nameOf(id))) refuse(where, `the name ${quoted(nameOf(id))} is used by two switches`);
      reading.named(nameOf(id)).declared = true;
      if (nameOf(id) !== String(id)) reading.notes.add("Blanks in names are written _.");
    }
  });
  nodes.forEach((node) => {
    const index = (key) => {
      const value = node[key];
      if (value === undefined || value === null) return undefined;
      if (!(Number.isInteger(value) && value >= 0 && value < 2 ** 31)) refuse(where, `${key} of ${quoted(node.id)} is not an index`, value, "whole numbers >= 0");
      return value;
    };
    const [tier, rack] = [index("tier"), index("rack")];
    if (hosts.has(node.id)) return;
    const made = reading.switches.get(nameOf(node.id));
    made.tier = tier ?? 0;
    if (rack !== undefined) reading.rack(made, rack, where);
    const pair = [["x", "y"], ["Longitude", "Latitude"]].find((keys) => keys.every((key) => key in node));
    const at = pair ? pair.map((key) => node[key]) : node.pos;
    if (at === undefined || at === null) return;
    const finite = Array.isArray(at) && at.length === 2 ? at.map(Number) : [];
    if (finite.length !== 2 || !finite.every(Number.isFinite)) refuse(`${where}: ${quoted(node.id)}`, "a position is not a pair of numbers", at);
    made.at = /** @type {[number, number]} */ (finite);
  });
  const names = new Set(edges.flatMap((edge) => Object.keys(edge)));
  const others = ["capacity", "bandwidth"].filter((name) => names.has(name));
  const ours = names.has("capacity_gbps") || !(others.length || names.has("LinkSpeedRaw"));
  if (!ours && others.length > 1) refuse(where, "edges have both capacity and bandwidth", undefined, "capacity_gbps, or one of the two");
  const key = ours ? "capacity_gbps" : others[0] ?? "LinkSpeedRaw";
  const cables = [];
  edges.forEach((edge, i) => {
    for (const end of ["source", "target"]) {
      const here = `${where}: edges[${i}]`;
      if (!isName(edge[end])) refuse(here, `${quoted(end)} is missing or not a name`, edge[end], "text or a number");
      if (!known.has(edge[end])) refuse(here, `${end} ${quoted(edge[end])} is not a node`);
    }
    const [u, v] = [edge.source, edge.target];
    const host = hosts.has(u) ? u : hosts.has(v) ? v : null;
    if (host !== null) {
      if (hosts.has(u) && hosts.has(v)) refuse(where, `hosts ${quoted(u)} and ${quoted(v)} are joined without a switch`);
      reading.hosts.get(nameOf(host)).at = nameOf(host === u ? v : u);
      return;
    }
    if (u === v) refuse(where, `a cable joins switch ${quoted(String(u))} to itself`);
    const speed = (name, without) => {
      const value = edge[name] ?? without;
      const number = typeof value === "string" ? numberOf(value.trim()) : value;
      if (typeof number !== "number" || Number.isNaN(number)) refuse(where, `cable ${quoted(u)} - ${quoted(v)}: speed is not a number`, value, GBPS);
      return name === "LinkSpeedRaw" && edge[name] !== undefined ? number / 1e9 : number;
    };
    const there = speed(key, linkGbps);
    if ((edge[key] ?? null) === null) reading.bare += 1;
    if (edge.igp_metric !== undefined) reading.metrics += 1;
    cables.push({ u: nameOf(u), v: nameOf(v), there, back: speed("capacity_back_gbps", there), place: edge.cable ?? Infinity });
  });
  cables.sort((a, b) => (a.place === b.place ? 0 : a.place - b.place));
  for (const { u, v, there, back } of cables) reading.join(u, v, there, back, where);
  if (!reading.switches.size) refuse(where, "a plane needs at least one switch");
  return { plane: reading.plane(), notes: reading.notes };
}

/**
 * The network in files, one for each plane; racks are matched by name and have the order of the first plane.
 *
 * @param {{name: string, text: string}[]} files @param {number} linkGbps speed of cables without one
 * @returns {{network: import("./network.js").Network, notes: string[]}} notes: what was left out, a sentence each
 * @throws {Error} a sentence: the place, the fault, what was found and what is allowed
 */
export function readNetwork(files, linkGbps = 100) {
  if (files.length > MOST.planes) throw new Error(`too many planes, found ${files.length}; allowed: at most ${MOST.planes}`);
  const read = files.map(({ name, text }) => {
    if (text.length > MOST.characters) refuse(name, `${text.length} characters are more than the lesson reads`, undefined, `at most ${MOST.characters}`);
    if (!text.trim()) refuse(name, "the file is empty");
    return /^\s*[{[]/.test(text) ? nodeLinkPlane(text, name, linkGbps) : edgeListPlane(text, name, linkGbps);
  });
  const [first, ...others] = read.map(({ plane }) => plane);
  const namesOf = (plane) => plane.racks.map((node) => plane.switches[node].name);
  const racks = namesOf(first);
  if (racks.length < 2) refuse(first.label, "traffic needs at least two racks", racks.length);
  for (const plane of others) {
    const own = new Map(namesOf(plane).map((name, i) => [name, plane.racks[i]]));
    const alone = [...racks.filter((name) => !own.has(name)), ...[...own.keys()].filter((name) => !racks.includes(name))].sort();
    if (alone.length) {
      throw new Error(
        `planes ${quoted(first.label)} and ${quoted(plane.label)} have no common racks: only one has ${quoted(alone[0])}; allowed: planes over the same racks`,
      );
    }
    plane.racks = racks.map((name) => own.get(name));
  }
  const planes = [first, ...others];
  const cables = planes.reduce((sum, plane) => sum + plane.cables.length, 0);
  if (cables > MOST.cables) throw new Error(`${cables} cables are more than the lesson draws; allowed: at most ${MOST.cables}`);
  const label = files.map(({ name }) => name).join(", ");
  const network = { label, command: null, variant: "", planes, dead: planes.map(() => false) };
  return { network, notes: [...new Set(read.flatMap(({ notes }) => [...notes]))] };
}
