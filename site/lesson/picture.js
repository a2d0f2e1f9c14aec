// One plane as an SVG drawing that can be edited with a pointer, by touch and with keys.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 0.55;

/** @param {string} name @param {Record<string, string | number>} attributes */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** The middle of each cable, off the straight line where it would run through a switch or on a parallel cable. */
function bends(plane) {
  const seen = new Map();
  return plane.cables.map(({ u, v }) => {
    const [a, b] = [plane.switches[u], plane.switches[v]];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy) || 1;
    const key = u < v ? `${u} ${v}` : `${v} ${u}`;
    const twin = seen.get(key) ?? 0;
    seen.set(key, twin + 1);
    const blocked = plane.switches.some((s, i) => {
      if (i === u || i === v) return false;
      const along = ((s.x - a.x) * dx + (s.y - a.y) * dy) / (length * length);
      const off = Math.abs((s.x - a.x) * dy - (s.y - a.y) * dx) / length;
      return along > 0.02 && along < 0.98 && off < 0.15;
    });
    const sign = u < v ? 1 : -1;
    const offset = (blocked ? 0.16 * length + 0.12 : 0) + sign * (twin % 2 ? 1 : -1) * Math.ceil(twin / 2) * 0.3;
    return { x: (a.x + b.x) / 2 - (dy / length) * offset, y: (a.y + b.y) / 2 + (dx / length) * offset, offset };
  });
}

/** Distance of a point to the curve of a cable. */
function distance(a, middle, b, x, y) {
  let least = Infinity;
  for (let i = 0; i <= 12; i += 1) {
    const t = i / 12;
    // The curve goes through the middle: its control point lies twice as far off.
    const cx = 2 * middle.x - (a.x + b.x) / 2;
    const cy = 2 * middle.y - (a.y + b.y) / 2;
    const px = (1 - t) ** 2 * a.x + 2 * t * (1 - t) * cx + t * t * b.x;
    const py = (1 - t) ** 2 * a.y + 2 * t * (1 - t) * cy + t * t * b.y;
    least = Math.min(least, Math.hypot(px - x, py - y));
  }
  return least;
}

/**
 * @typedef {object} Marks  what is shown on a plane, by cable and by switch
 * @property {number[]} [load] utilisation of the fuller direction
 * @property {number[]} [length] part of the largest capacity times length
 * @property {number[]} [side] 0 or 1, of each switch
 * @property {boolean} [dead]
 */

export class Picture {
  /** @param {HTMLElement} host @param {string} title
   * @param {{move: Function, hover: Function, link: Function, cut: Function, mode: () => string} | null} editor */
  constructor(host, title, editor = null) {
    this.host = host;
    this.title = title;
    this.editor = editor;
    this.svg = svg("svg", { class: "picture", role: editor ? "group" : "img" });
    if (editor) this.listen();
    host.append(this.svg);
    this.focused = 0;
    this.from = null;
  }

  /** @param {import("./network.js").Plane} plane @param {Marks} marks */
  render(plane, marks = {}) {
    [this.plane, this.marks] = [plane, marks];
    if (!this.box || !this.editor || this.count !== plane.switches.length) this.fit(plane);
    const [x, y, w, h] = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
    // Many cables are drawn finer.
    this.svg.style.setProperty("--fine", Math.min(1, Math.sqrt(70 / plane.cables.length)).toFixed(2));
    this.svg.classList.toggle("dead", Boolean(marks.dead));
    this.svg.setAttribute("aria-label", this.words());
    const had = this.svg.contains(document.activeElement);
    this.middle = bends(plane);
    const cables = plane.cables.map((cable, i) => this.cable(cable, i));
    const nodes = plane.switches.map((node, i) => this.node(node, i));
    const rubber = this.from === null ? [] : [this.rubber()];
    this.svg.replaceChildren(...cables.flat(), ...rubber, ...nodes);
    if (had) nodes[Math.min(this.focused, nodes.length - 1)]?.focus({ preventScroll: true });
  }

  words() {
    const { plane, marks } = this;
    const cables = `${plane.switches.length} switches, ${plane.cables.length} cables`;
    return `${this.title}: ${cables}${marks.dead ? ", failed" : ""}`;
  }

  fit(plane) {
    this.count = plane.switches.length;
    // Arcs leave the switches' own box, those of a torus most.
    const places = [...plane.switches, ...bends(plane)];
    const xs = places.map((s) => s.x);
    const ys = places.map((s) => s.y);
    const wide = Math.max(...xs) - Math.min(...xs);
    const high = Math.max(...ys) - Math.min(...ys);
    const mx = MARGIN + Math.max(0.04 * wide, (1.6 - wide) / 2, 0);
    const my = MARGIN + Math.max(0.04 * high, (0.42 * (wide + 2 * mx) - high) / 2 - MARGIN, 0);
    this.box = [Math.min(...xs) - mx, Math.min(...ys) - my, wide + 2 * mx, high + 2 * my];
    // As large as fits, but no giants in small networks and no dots in large ones.
    this.radius = Math.min(0.24, Math.max(0.13, 0.022 * Math.max(this.box[2], this.box[3])));
  }

  cable({ u, v, gbps }, i) {
    const { switches } = this.plane;
    const { load, length, side, dead } = this.marks;
    const [a, b] = [switches[u], switches[v]];
    const m = this.middle[i];
    const d = `M${a.x} ${a.y}Q${2 * m.x - (a.x + b.x) / 2} ${2 * m.y - (a.y + b.y) / 2} ${b.x} ${b.y}`;
    const cut = side && side[u] !== side[v];
    const full = load && !dead ? load[i] : undefined;
    const path = svg("path", { d, class: `cable${cut && !dead ? " cut" : ""}${full === undefined ? "" : " loaded"}` });
    if (full !== undefined) {
      path.style.setProperty("--load", full.toFixed(3));
    }
    const said = [`${a.name} – ${b.name}`, `${gbps} Gb/s`];
    if (full !== undefined) said.push(`${(100 * full).toFixed(0)} % full`);
    if (cut && !dead) said.push("crosses the cut");
    path.append(svg("title", {}, said.join(", ")));
    if (!length || dead || length[i] < 1e-3) return [path];
    const price = svg("path", { d, class: "price" });
    price.style.setProperty("--price-part", length[i].toFixed(3));
    return [price, path];
  }

  node(node, i) {
    const rack = this.plane.racks.includes(i);
    const { side } = this.marks;
    const degree = this.plane.cables.filter((c) => c.u === i || c.v === i).length;
    const half = side ? (side[i] ? " b" : " a") : "";
    const what = `Switch ${node.name}${rack ? ", a rack" : ""}, ${degree} cables`;
    const r = this.radius * (rack ? 1 : 0.85);
    const shape = svg("circle", { r, class: "body" });
    const group = svg("g", {
      class: `node${rack ? " rack" : ""}${half}${this.from === i ? " from" : ""}`,
      transform: `translate(${node.x} ${node.y})`,
    });
    group.append(shape);
    const readable = this.radius >= 0.2 || this.plane.switches.length <= 24;
    if (readable && this.plane.switches.every((s) => s.name.length <= 2)) {
      group.append(svg("text", { dy: "0.34em", "font-size": r * 1.05, "aria-hidden": "true" }, node.name));
    }
    if (this.editor) {
      group.prepend(svg("circle", { r: 2 * this.radius, class: "reach" }));
      group.setAttribute("tabindex", i === this.focused ? "0" : "-1");
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", what + (this.from === i ? ", cable begins here" : ""));
    }
    group.append(svg("title", {}, what));
    return group;
  }

  rubber() {
    const a = this.plane.switches[this.from];
    const b = this.pointer ?? this.plane.switches[this.focused];
    return svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: "rubber" });
  }

  /** @param {PointerEvent} event */
  at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return { x: point.x, y: point.y };
  }

  nearest({ x, y }, most) {
    let [best, least] = [null, most];
    this.plane.switches.forEach((s, i) => {
      const d = Math.hypot(s.x - x, s.y - y);
      if (d < least) [best, least] = [i, d];
    });
    return best;
  }

  nearestCable({ x, y }) {
    const { switches, cables } = this.plane;
    let [best, least] = [null, 1.2 * this.radius];
    cables.forEach(({ u, v }, i) => {
      const d = distance(switches[u], this.middle[i], switches[v], x, y);
      if (d < least) [best, least] = [i, d];
    });
    return best;
  }

  listen() {
    const { svg: element, editor } = this;
    const reach = () => 2 * this.radius; // as the circle of each switch that a finger may touch
    element.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const place = this.at(event);
      const node = this.nearest(place, reach());
      if (editor.mode() === "cut") {
        const cable = node === null ? this.nearestCable(place) : null;
        if (cable !== null) editor.cut(cable);
        return;
      }
      if (node === null) return;
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      this.focused = node;
      this.held = { node, moves: editor.mode() === "move", over: null };
      if (!this.held.moves) [this.from, this.pointer] = [node, place];
      this.render(this.plane, this.marks);
      this.svg.querySelectorAll(".node")[node].focus({ preventScroll: true });
    });
    element.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      const place = this.at(event);
      if (this.held.moves) {
        const [x, y, w, h] = this.box;
        const inside = (value, low, size) => Math.min(low + size - 0.2, Math.max(low + 0.2, value));
        editor.move(this.held.node, inside(place.x, x, w), inside(place.y, y, h));
        return;
      }
      this.pointer = place;
      const over = this.nearest(place, reach());
      const target = over === this.held.node ? null : over;
      if (target !== this.held.over) editor.hover(this.held.node, (this.held.over = target));
      this.render(this.plane, this.marks);
    });
    const end = (event) => {
      if (!this.held) return;
      const { node, moves } = this.held;
      const over = event.type === "pointerup" ? this.nearest(this.at(event), reach()) : null;
      this.held = undefined;
      this.pointer = undefined;
      if (moves) return;
      this.from = null;
      if (over !== null && over !== node) editor.link(node, over);
      else {
        editor.hover(node, null);
        this.render(this.plane, this.marks);
      }
    };
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("focusin", (event) => {
      const nodes = [...element.querySelectorAll(".node")];
      const i = nodes.indexOf(/** @type {Element} */ (event.target));
      if (i >= 0) this.focused = i;
    });
  }

  key(event) {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    const node = this.plane.switches[this.focused];
    if (step && event.shiftKey) this.editor.move(this.focused, node.x + 0.15 * step[0], node.y + 0.15 * step[1]);
    else if (step) this.go(step);
    else if (event.key === "Enter" || event.key === " ") this.press();
    else if (event.key === "Escape" && this.from !== null) {
      this.from = null;
      this.render(this.plane, this.marks);
    } else return;
    event.preventDefault();
  }

  /** To the next switch in a direction, by distance and by how far off the direction it is. */
  go([dx, dy]) {
    const here = this.plane.switches[this.focused];
    let [best, least] = [this.focused, Infinity];
    this.plane.switches.forEach((s, i) => {
      const [x, y] = [s.x - here.x, s.y - here.y];
      const ahead = x * dx + y * dy;
      if (ahead < 1e-6) return;
      const cost = ahead + 2 * Math.abs(x * dy - y * dx);
      if (cost < least) [best, least] = [i, cost];
    });
    this.focused = best;
    this.render(this.plane, this.marks);
  }

  press() {
    const { from, focused } = this;
    if (from === null) this.from = focused;
    else this.from = null;
    if (from !== null && from !== focused) this.editor.link(from, focused);
    else this.render(this.plane, this.marks);
  }
}
