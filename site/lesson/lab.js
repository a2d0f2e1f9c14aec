// The laboratory: one network that can be edited, solved again with every change.

import { Chart, closing } from "./chart.js";
import { certificate, commandOf, download, filesOf } from "./files.js";
import {
  alive,
  arcsOf,
  rackCount,
  withCable,
  withPlace,
  withPlaneToggled,
  withRack,
  withSpeed,
  withoutCable,
} from "./network.js";
import { PATTERNS, demandsOf } from "./patterns.js";
import { Picture } from "./picture.js";
import { readNetwork } from "./reader.js";
import { Results, between, element, figure, marksOf } from "./results.js";
import { fragmentOf, readFragment } from "./share.js";

const LATE_MS = 80;
// How close the bounds of a cable that hovers are brought at once, and how close once the pointer rests.
const COARSE = 1e-2;
const CLOSE = 1e-3;
const REST_MS = 150;
const byId = (id) => /** @type {any} */ (document.getElementById(id));
const HINTS = {
  link: "Drag from one switch to another: the result follows while you hover. Keys: arrows choose a switch, Enter begins and ends a cable.",
  cut: "Click a cable to cut it. By keyboard: the table of cables below.",
  move: "Drag switches; only the picture changes. Keys: Shift and arrows.",
};

export class Lab {
  constructor(families, solver, sizesSolver) {
    this.families = families;
    this.solver = solver;
    this.chart = new Chart(byId("sizes"), sizesSolver);
    this.known = {};
    this.asked = 0;
    this.results = new Results(byId("results"), "This network");
    for (const family of families) byId("family").append(new Option(family.title, family.id));
    byId("family").addEventListener("change", () => this.choose(byId("family").value));
    byId("size").addEventListener("change", () => this.load(Number(byId("size").value)));
    for (const { id, title } of PATTERNS) byId("pattern").append(new Option(title, id));
    byId("pattern").addEventListener("change", () => this.changeTraffic(this.traffic));
    byId("seed").addEventListener("input", () => byId("seed").validity.valid && this.changeTraffic(this.traffic));
    byId("open").addEventListener("click", () => byId("files").click());
    byId("files").addEventListener("change", () => this.openFiles([...byId("files").files]));
    byId("copy-link").addEventListener("click", () => this.copyLink());
    byId("reset").addEventListener("click", () => this.load(Number(byId("size").value)));
    byId("tools").addEventListener("change", () => this.hint());
    byId("show").addEventListener("change", () => this.draw());
    byId("copy").addEventListener("click", () => this.copy());
    byId("save-edges").addEventListener("click", () => this.saveEdges());
    byId("save-proof").addEventListener("click", () => this.saveProof());
    byId("cables").addEventListener("toggle", () => this.table());
    byId("add").addEventListener("submit", (event) => this.add(event));
    byId("add-rack").addEventListener("click", () => this.addRack());
    byId("add").elements.plane.addEventListener("change", () => this.table());
    byId("draw-sizes").addEventListener("click", () => this.chart.draw(this.family, this.traffic));
    byId("rows").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.cut(Number(button.dataset.plane), Number(button.dataset.cable));
    });
    byId("rows").addEventListener("input", (event) => {
      const { plane, cable } = event.target.dataset;
      const gbps = Number(event.target.value);
      if (gbps > 0 && event.target.validity.valid) this.set(withSpeed(this.network, +plane, +cable, gbps), false);
    });
    this.hint();
    this.choose("ring");
  }

  get family() {
    return this.families.find((family) => family.id === byId("family").value);
  }

  /** @returns {import("./patterns.js").Traffic} */
  get traffic() {
    return { id: byId("pattern").value, seed: Number(byId("seed").value) };
  }

  /** @param {import("./patterns.js").Traffic} traffic */
  changeTraffic({ id, seed }) {
    byId("pattern").value = id;
    byId("seed").value = String(seed);
    byId("drawn").hidden = !PATTERNS.find((pattern) => pattern.id === id).drawn;
    this.chart.clear();
    this.solve();
  }

  get mode() {
    return byId("tools").querySelector(":checked").value;
  }

  get show() {
    const on = (name) => byId("show").querySelector(`[name=${name}]`).checked;
    return { loads: on("loads"), lengths: on("lengths"), cut: on("cut"), ecmp: on("ecmp") };
  }

  hint() {
    byId("hint").textContent = HINTS[this.mode];
  }

  choose(id, first = this.families.find((family) => family.id === id).first) {
    byId("family").value = id;
    const { networks } = this.family;
    byId("size").replaceChildren(
      ...networks.map((network, i) => {
        const racks = rackCount(network);
        return new Option(`${racks} racks`, String(i), i === first, i === first);
      }),
    );
    byId("size").disabled = networks.length === 1;
    this.chart.clear();
    byId("draw-sizes").disabled = networks.length === 1;
    this.load(first);
  }

  load(size) {
    this.notice("");
    this.set(this.family.networks[size], true);
  }

  /** Says what became of a file or a link; "" says nothing. @param {string} text */
  notice(text) {
    byId("opened").textContent = text;
    byId("opened").hidden = !text;
  }

  /** @param {File[]} files one for each plane */
  async openFiles(files) {
    byId("files").value = "";
    if (!files.length) return;
    try {
      const read = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
      const { network, notes } = readNetwork(read);
      this.open(network);
      this.notice(notes.join(" "));
    } catch (error) {
      this.notice(`The network was not opened. ${error.message}`);
    }
  }

  /** Opens the network in the address, if it holds one. @param {string} fragment from # on */
  async openLink(fragment) {
    try {
      const found = await readFragment(fragment);
      if (!found) return;
      this.open(found.network);
      this.changeTraffic(found.traffic);
    } catch (error) {
      this.notice(`The network was not opened. ${error.message}`);
    }
    byId("lab").scrollIntoView();
  }

  /** Shows a network from elsewhere; a network of this page that is moved at most has its command again. */
  open(network) {
    const shape = ({ planes }) =>
      JSON.stringify(planes.map(({ switches, racks, cables }) => [switches.map(({ name, tier }) => [name, tier]), racks, cables]));
    const own = shape(network);
    for (const family of this.families) {
      const size = family.networks.findIndex((known) => shape(known) === own);
      if (size < 0) continue;
      this.choose(family.id, size);
      const planes = family.networks[size].planes.map((plane, p) => ({ ...plane, switches: network.planes[p].switches }));
      this.set({ ...family.networks[size], planes, dead: network.dead }, true);
      return;
    }
    const family = { id: "opened", title: `Opened: ${network.label}`, first: 0, networks: [network] };
    this.families = [...this.families.filter(({ id }) => id !== family.id), family];
    byId("family").querySelector("[value=opened]")?.remove();
    byId("family").append(new Option(family.title, family.id));
    this.choose(family.id);
  }

  async copyLink() {
    try {
      history.replaceState(null, "", await fragmentOf(this.network, this.traffic));
    } catch (error) {
      this.notice(error.message);
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      byId("status").textContent = "The link is copied; it is in the address bar, too.";
    } catch {
      byId("status").textContent = "The link is in the address bar: the browser does not let the page copy it.";
    }
  }

  /** Shows and solves another network. @param {boolean} fresh whether it is not the old one edited */
  set(network, fresh) {
    this.network = network;
    if (fresh) {
      [this.known, this.arcs] = [{}, undefined];
      this.frames();
    }
    this.solve();
    this.table();
  }

  frames() {
    const many = this.network.planes.length > 1;
    this.pictures = [];
    byId("planes").replaceChildren(
      ...this.network.planes.map((_, p) => {
        const frame = element("div", { class: "plane" });
        if (many) {
          const kill = element("button", { type: "button" });
          this.label(kill, p);
          kill.addEventListener("click", () => this.kill(p, kill));
          frame.append(element("div", { class: "plane-head" }, element("strong", {}, `Plane ${p + 1}`), kill));
        }
        this.pictures.push(
          new Picture(frame, many ? `Plane ${p + 1}` : "The network", {
            mode: () => this.mode,
            move: (node, x, y) => {
              this.network = withPlace(this.network, p, node, x, y);
              this.draw();
            },
            hover: (u, v) => this.preview(p, u, v),
            link: (u, v) => this.set(withCable(this.network, p, u, v), false),
            cut: (cable) => this.cut(p, cable),
          }),
        );
        return frame;
      }),
    );
  }

  kill(p, button) {
    const network = withPlaneToggled(this.network, p);
    if (network.dead.every(Boolean)) {
      byId("status").textContent = "One plane has to work.";
      return;
    }
    this.set(network, false);
    this.label(button, p);
  }

  label(button, p) {
    const dead = this.network.dead[p];
    button.textContent = dead ? `Repair plane ${p + 1}` : `Kill plane ${p + 1}`;
    button.classList.toggle("undo", dead);
  }

  cut(p, cable) {
    this.set(withoutCable(this.network, p, cable), false);
  }

  add(event) {
    event.preventDefault();
    const form = event.target.elements;
    const [u, v] = [Number(form.u.value), Number(form.v.value)];
    if (u === v) byId("status").textContent = "A cable joins two different switches.";
    else this.set(withCable(this.network, Number(form.plane.value), u, v), false);
  }

  addRack() {
    const { switches } = this.network.planes[0];
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const right = Math.max(...switches.map((s) => s.x)) + 1;
    this.set(withRack(this.network, right, mean(switches.map((s) => s.y))), false);
  }

  /** Solves with a cable that is not there yet, at first not very closely; without it where `v` is null. */
  preview(p, u, v) {
    if (v === null) {
      this.solve();
      return;
    }
    const network = withCable(this.network, p, u, v);
    const coarse = this.solve(network, COARSE);
    const asked = this.asked;
    this.rest = setTimeout(async () => {
      const before = await coarse;
      if (this.asked === asked) this.solve(network, CLOSE, before);
    }, REST_MS);
  }

  /** @param {number} [hovering] how close the bounds are to be where a cable may only come; else it is the network shown
   * @param {any} [before] what is known of the same network already @returns {Promise<any>} what is known of it then */
  async solve(whole = this.network, hovering = undefined, before = {}) {
    clearTimeout(this.rest);
    const asked = ++this.asked;
    const network = alive(whole);
    const real = hovering === undefined;
    const demands = demandsOf(this.traffic, rackCount(network));
    const cables = network.planes.reduce((sum, plane) => sum + plane.cables.length, 0);
    // Small networks are solved more exactly than large ones.
    const closest = Math.min(1e-4, Math.max(1e-5, 1e-9 * cables * rackCount(network)));
    const task = { network, demands, tolerance: hovering ?? closest, limit: 20, cut: real };
    const { lower = 0, upper = Infinity } = before;
    const known = {};
    const history = before.history ?? [];
    byId("lab").dataset.settled = "false";
    // What was changed shows at once even where the answer takes a while.
    const late = setTimeout(() => this.draw(), LATE_MS);
    const how = await this.solver.ask(task, (news) => {
      clearTimeout(late);
      Object.assign(known, news);
      if (news.kind === "closing" || news.kind === "solved") {
        // Whatever was proved of this network before holds as well.
        [known.lower, known.upper] = [Math.max(lower, news.lower), Math.min(upper, news.upper)];
        history.push([known.lower, known.upper]);
      }
      if (news.kind === "known" && this.known.lower !== undefined) return;
      this.render(known, history, real ? demands : null, arcsOf(network));
    });
    if (how === "failed") byId("status").textContent = `The solver says: ${known.message}`;
    // What is done may be an older question, with a newer one waiting.
    if (how === "done" && real && asked === this.asked) byId("lab").dataset.settled = "true";
    return { ...known, history };
  }

  render(known, history, demands, arcs) {
    this.results.render(known);
    closing(byId("closing"), history);
    if (!demands) {
      if (known.lower !== undefined) byId("status").textContent = `With this cable: ${between(known.lower, known.upper)} Gb/s per pair.`;
      return;
    }
    [this.known, this.demands, this.arcs] = [known, demands, arcs];
    byId("save-proof").disabled = !known.answer;
    this.draw();
    if (known.kind === "done" || known.kind === "cut") byId("status").textContent = this.words();
    if (known.kind === "done") this.table();
  }

  words() {
    const { lower, upper, bisection, lost, iterations, milliseconds } = this.known;
    const cut = bisection && `${figure(bisection.gbps)} Gb/s join the ${bisection.proved ? "narrowest halves (proved)" : "narrowest halves found"}.`;
    if (lost) return `${lost} pairs of racks have no path, so K = 0. ${cut ?? ""}`;
    const gap = (upper - lower) / upper;
    const proved = gap < 1e-12 ? "both bounds are equal" : `proved within ${(100 * gap).toPrecision(1)} %`;
    const met = gap <= this.known.tolerance ? "" : " The bounds have not met; they hold all the same.";
    return `Throughput ${figure(lower)} Gb/s per pair: ${proved}. ${iterations} iterations, ${milliseconds.toFixed(0)} ms.${met} ${cut ?? ""}`;
  }

  draw() {
    const { show, known, network } = this;
    const current = this.arcs && this.arcs.tail.length === 2 * alive(network).planes.reduce((n, p) => n + p.cables.length, 0);
    const marks = current ? marksOf(network, known, show, this.arcs) : network.dead.map((dead) => ({ dead }));
    this.pictures.forEach((picture, p) => picture.render(network.planes[p], marks[p]));
    const hollow = network.planes.some((plane) => plane.racks.length < plane.switches.length);
    byId("legend").replaceChildren(...legend(show, hollow));
    byId("meaning").textContent = meaning(show);
    if (this.demands) byId("command").value = commandOf(network, this.demands, show.ecmp);
  }

  /** The drawing as a table, which edits it as well; only while it is open. */
  table() {
    const form = byId("add").elements;
    const keep = (select, options) => {
      const { value } = select;
      select.replaceChildren(...options);
      if (options.some((option) => option.value === value)) select.value = value;
    };
    if (!byId("cables").open) return;
    keep(form.plane, this.network.planes.map((_, p) => new Option(String(p + 1), String(p))));
    const { switches } = this.network.planes[Number(form.plane.value)];
    for (const end of [form.u, form.v]) keep(end, switches.map((s, i) => new Option(s.name, String(i))));
    const marks = this.arcs ? marksOf(this.network, this.known, { ...this.show, loads: true, lengths: true }, this.arcs) : [];
    const cables = this.network.planes.flatMap((plane, p) =>
      plane.cables.map(({ u, v, gbps }, c) => {
        const name = `${plane.switches[u].name} – ${plane.switches[v].name}`;
        return { p, c, name, gbps, load: marks[p]?.load?.[c], length: marks[p]?.length?.[c] };
      }),
    );
    // Rows stay as long as their cables do: a speed may be half typed.
    const named = JSON.stringify(cables.map(({ p, name }) => [p, name]));
    if (named !== this.named) this.rows(cables);
    this.named = named;
    const part = (value) => (value === undefined ? "–" : `${(100 * value).toFixed(0)} %`);
    cables.forEach(({ gbps, load, length }, i) => {
      const row = byId("rows").children[i];
      const speed = row.querySelector("input");
      if (speed !== document.activeElement) speed.value = String(gbps);
      row.querySelector(".full").textContent = part(load);
      row.querySelector(".part").textContent = part(length);
    });
  }

  /** Rows for cables, without what changes in them; what had the focus keeps it. */
  rows(cables) {
    const { localName, dataset } = /** @type {HTMLElement} */ (document.activeElement);
    const made = cables.map(({ p, c, name }) => {
      const at = { "data-plane": String(p), "data-cable": String(c) };
      const speed = element("input", {
        ...at, type: "number", min: "0.001", max: "1000000", step: "any", "aria-label": `Gb/s of cable ${name}, plane ${p + 1}`,
      });
      const cut = element("button", { ...at, type: "button", "aria-label": `Cut cable ${name}, plane ${p + 1}` }, "Cut");
      const [full, part] = [element("td", { class: "full" }), element("td", { class: "part" })];
      const head = element("th", { scope: "row" }, name);
      return element("tr", {}, element("td", {}, String(p + 1)), head, element("td", {}, speed), full, part, element("td", {}, cut));
    });
    byId("rows").replaceChildren(...made);
    if (dataset.cable === undefined) return;
    // The row of a cable that was cut is the next one's, or that of the last.
    const places = [...byId("rows").querySelectorAll(`${localName}[data-plane="${dataset.plane}"]`)];
    places[Math.min(Number(dataset.cable), places.length - 1)]?.focus();
  }

  async copy() {
    const field = byId("command");
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      field.select();
      document.execCommand("copy");
    }
    const files = filesOf(this.network).map(({ name }) => name);
    byId("status").textContent = files.length
      ? `Copied. The command reads ${files.join(" and ")}: save the network beside it.`
      : "Copied.";
  }

  saveEdges() {
    const network = { ...this.network, command: null };
    for (const { name, text } of filesOf(network)) download(name, text);
  }

  async saveProof() {
    try {
      download("proof.json", await certificate(this.network, this.demands, this.known));
    } catch (error) {
      const why = isSecureContext ? error.message : "browsers name networks by SHA-256 on localhost and over https only";
      byId("status").textContent = `The proof was not saved: ${why}.`;
    }
  }
}

function legend(show, hollow) {
  const items = [];
  if (hollow) items.push(element("span", { class: "key" }, "hollow: a switch without a rack"));
  if (show.loads) items.push(element("span", { class: "key" }, element("i", { class: "ramp" }), "empty to full"));
  if (show.lengths) items.push(element("span", { class: "key" }, element("i", { class: "glow" }), "part of the proof"));
  if (show.cut) {
    items.push(element("span", { class: "key" }, element("i", { class: "halves" }), "two halves, and the cables between them dashed"));
  }
  return items;
}

function meaning(show) {
  if (show.lengths) {
    return "Lengths are dual prices. With any lengths, K · (sum of demands' distances) is at most the sum of capacity times length; these give the upper bound. Wide glow: a large part of that sum. Where nothing glows, more capacity would not help.";
  }
  if (show.ecmp) return "Loads with ECMP: equal parts over the next hops on shortest paths. The fullest cable limits the throughput.";
  if (show.cut) return "Of all splits of the racks into halves this one has the least capacity across. A cut bounds throughput, but another one may be tighter, or none may be tight.";
  return "Loads at the proved throughput, in the fuller direction of each cable. Many splits reach it; this is one.";
}
