// What is known of a network, as bars on one scale: bounds without solving, the proved interval, and ECMP.

/** @param {number} value */
export function figure(value) {
  if (!Number.isFinite(value)) return "no limit";
  return value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
}

/** A proved interval: one number where its ends print the same. @param {number} lower @param {number} upper */
export function between(lower, upper) {
  return figure(lower) === figure(upper) ? figure(lower) : `${figure(lower)} to ${figure(upper)}`;
}

/** @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const ROWS = [
  ["bisection", "Bisection bound"],
  ["mean", "Mean-path bound"],
  ["best", "Throughput"],
  ["ecmp", "ECMP"],
];

export class Results {
  /** @param {HTMLElement} host @param {string} name of the network, for those who do not see it */
  constructor(host, name) {
    this.rows = Object.fromEntries(
      ROWS.map(([key, title]) => {
        const track = element("td", { class: "track", "aria-hidden": "true" });
        const value = element("td", { class: "value" });
        const head = element("th", { scope: "row" }, title);
        track.append(element("i", { class: "low" }), element("i", { class: "gap" }));
        return [key, { row: element("tr", { class: key }, head, track, value), track, value }];
      }),
    );
    const caption = element("caption", {}, `${name}: Gb/s per pair of racks`);
    const body = element("tbody", {}, ...Object.values(this.rows).map(({ row }) => row));
    host.append(element("table", { class: "bars" }, caption, body));
  }

  /** The largest number known, for a common scale. @param {any} known as a worker says it */
  static most(known) {
    const all = [known.bisection?.bound, known.meanPath, known.upper, known.ecmp];
    return Math.max(0, ...all.filter((v) => v !== undefined && Number.isFinite(v)));
  }

  /** @param {any} known @param {number} scale @param {{ecmp?: boolean, mean?: boolean}} shown */
  render(known, scale = Results.most(known), shown = {}) {
    const width = (value) => `${Math.min(100, (94 * value) / (scale || 1)).toFixed(2)}%`;
    const set = (key, low, high, text) => {
      const { row, track, value } = this.rows[key];
      const [bar, gap] = track.children;
      bar.style.width = low === undefined ? "0" : width(low);
      gap.style.left = low === undefined ? "0" : width(low);
      gap.style.width = high === undefined ? "0" : `calc(${width(high)} - ${width(low)})`;
      value.textContent = text;
      row.classList.toggle("pending", low === undefined);
    };
    const { bisection: cut, meanPath, lower, upper, ecmp } = known;
    set("bisection", cut?.bound, undefined, cut ? figure(cut.bound) : "…");
    set("mean", meanPath, undefined, meanPath === undefined ? "…" : figure(meanPath));
    set("best", lower, upper, lower === undefined ? "…" : between(lower, upper));
    this.rows.best.row.classList.toggle("met", lower !== undefined && figure(lower) === figure(upper));
    set("ecmp", ecmp, undefined, ecmp === undefined ? "…" : figure(ecmp));
    this.rows.ecmp.row.hidden = shown.ecmp === false;
    this.rows.mean.row.hidden = shown.mean === false;
  }
}

/** Utilisation, length and side for each plane of a network, dead ones included.
 * @param {import("./network.js").Network} network @param {any} known
 * @param {{loads: boolean, lengths: boolean, cut: boolean, ecmp: boolean}} show
 * @param {import("./network.js").Arcs} arcs of the planes that work @returns {import("./picture.js").Marks[]} */
export function marksOf(network, known, show, arcs) {
  const rate = show.ecmp ? known.ecmp : 1;
  const load = show.ecmp ? known.ecmpLoad : known.answer?.load;
  const length = known.answer?.proof.length;
  let most = 0;
  length?.forEach((l, a) => (most = Math.max(most, l * arcs.capacity[a])));
  let alive = -1;
  return network.planes.map((plane, p) => {
    if (network.dead[p]) return { dead: true };
    alive += 1;
    const marks = {};
    if (show.loads && load) marks.load = new Array(plane.cables.length).fill(0);
    if (show.lengths && length && most > 0) marks.length = new Array(plane.cables.length).fill(0);
    for (let a = arcs.ptr[alive]; a < arcs.ptr[alive + 1]; a += 1) {
      const cable = arcs.cable[a];
      if (marks.load) marks.load[cable] = Math.max(marks.load[cable], Math.min(1, (rate * load[a]) / arcs.capacity[a]));
      if (marks.length) marks.length[cable] = Math.max(marks.length[cable], (length[a] * arcs.capacity[a]) / most);
    }
    if (show.cut && known.bisection) marks.side = known.bisection.switchSide[alive];
    return marks;
  });
}
