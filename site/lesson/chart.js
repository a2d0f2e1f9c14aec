// Two charts: how the bounds of one solve closed, and the bounds of a family over its sizes.

import { rackCount } from "./network.js";
import { demandsOf } from "./patterns.js";
import { svg } from "./picture.js";
import { element, figure } from "./results.js";
import { ask } from "./solver.js";

/** @param {number[][]} points @param {(p: number[]) => number[]} place */
function line(points, place, className) {
  return svg("polyline", { points: points.map((p) => place(p).map((v) => v.toFixed(1)).join(",")).join(" "), class: className });
}

/** Draws lower and upper bound, look by look. @param {SVGElement} host @param {number[][]} history */
export function closing(host, history) {
  const [w, h, left, low] = [320, 96, 8, 20];
  const looks = history.length === 1 ? [history[0], history[0]] : history;
  const known = looks.flat().filter(Number.isFinite);
  const title = "Lower and upper bound closing";
  if (!known.length) {
    host.replaceChildren();
    return;
  }
  const most = Math.max(...known);
  const least = Math.min(...known);
  const spread = most - least || most || 1;
  const x = (i) => left + ((w - 2 * left) * i) / (looks.length - 1);
  const y = (v) => 10 + ((h - low - 14) * (most - v)) / spread;
  const flat = most - least < 1e-9 * most;
  const at = (v) => (flat ? (h - low) / 2 : y(v));
  const lower = looks.map(([v], i) => [x(i), at(v)]);
  const upper = looks.map(([, v], i) => [x(i), at(v)]);
  const area = [...upper, ...[...lower].reverse()].map((p) => p.join(",")).join(" ");
  const last = history[history.length - 1];
  host.setAttribute("aria-label", `${title}: from ${history[0].map(figure).join(" and ")} to ${last.map(figure).join(" and ")} in ${history.length} looks`);
  host.replaceChildren(
    svg("polygon", { points: area, class: "between" }),
    line(upper, (p) => p, "upper"),
    line(lower, (p) => p, "lower"),
    svg("text", { x: left, y: h - 5 }, flat ? "bounds met at once" : "bounds closing, look by look"),
    svg("text", { x: w - left, y: h - 5, "text-anchor": "end" }, `${figure(last[0])} ≤ K ≤ ${figure(last[1])}`),
  );
}

const SERIES = [
  ["bisection", "Bisection bound"],
  ["mean", "Mean-path bound"],
  ["best", "Throughput"],
  ["ecmp", "ECMP"],
];

export class Chart {
  /** @param {HTMLElement} host @param {import("./solver.js").Solver} solver */
  constructor(host, solver) {
    this.host = host;
    this.solver = solver;
    this.run = 0;
  }

  clear() {
    this.run += 1;
    this.host.replaceChildren();
  }

  /** Solves all sizes of a family, one after the other. */
  async draw(family, traffic) {
    const run = (this.run += 1);
    const points = [];
    for (const network of family.networks) {
      const racks = rackCount(network);
      const demands = demandsOf(traffic, racks);
      const found = await ask(this.solver, { network, demands, tolerance: 1e-4, limit: 10, cut: true });
      if (run !== this.run) return;
      if (!found) continue;
      const per = demands.src.length / racks;
      const { bisection, meanPath, lower, ecmp } = found;
      points.push({ racks, bisection: per * bisection.bound, mean: per * meanPath, best: per * lower, ecmp: per * ecmp });
      this.render(points, family);
    }
  }

  render(points, family) {
    const [w, h, left, right, top, bottom] = [640, 320, 52, 150, 16, 40];
    const most = Math.max(...points.flatMap((p) => SERIES.map(([key]) => p[key])).filter(Number.isFinite)) * 1.05;
    const [first, last] = [points[0].racks, points[points.length - 1].racks];
    const x = (n) => left + ((w - left - right) * (n - first)) / (last - first || 1);
    const y = (v) => top + (h - top - bottom) * (1 - v / most);
    const step = 10 ** Math.floor(Math.log10(most / 3)) * [1, 2, 5].findLast((f) => f * 10 ** Math.floor(Math.log10(most / 3)) <= most / 3);
    const chart = svg("svg", { viewBox: `0 0 ${w} ${h}`, class: "chart", role: "img", "aria-label": `${family.title}: bounds over size, as in the table below` });
    for (let v = 0; v <= most; v += step) {
      chart.append(svg("line", { x1: left, x2: w - right, y1: y(v), y2: y(v), class: "grid" }));
      chart.append(svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, figure(v)));
    }
    for (const { racks } of points) chart.append(svg("text", { x: x(racks), y: h - 20, "text-anchor": "middle" }, String(racks)));
    chart.append(svg("text", { x: (left + w - right) / 2, y: h - 3, "text-anchor": "middle" }, "racks"));
    const labels = SERIES.map(([key, title]) => ({ key, title, y: y(points[points.length - 1][key]) })).sort((a, b) => a.y - b.y);
    labels.forEach((label, i) => (label.y = i ? Math.max(label.y, labels[i - 1].y + 16) : label.y));
    for (const { key, title, y: at } of labels) {
      chart.append(line(points, (p) => [x(p.racks), y(p[key])], `series ${key}`));
      for (const p of points) chart.append(svg("circle", { cx: x(p.racks), cy: y(p[key]), r: 3.2, class: `dot ${key}` }));
      chart.append(svg("text", { x: w - right + 10, y: at + 4, class: `name ${key}` }, title));
    }
    const head = element("tr", {}, element("th", { scope: "col" }, "Racks"), ...SERIES.map(([, t]) => element("th", { scope: "col" }, t)));
    const rows = points.map((p) =>
      element("tr", {}, element("th", { scope: "row" }, String(p.racks)), ...SERIES.map(([key]) => element("td", {}, figure(p[key])))),
    );
    const caption = element("caption", {}, `${family.title}: Gb/s per rack`);
    const table = element("table", {}, caption, element("thead", {}, head), element("tbody", {}, ...rows));
    const details = element("details", {}, element("summary", {}, "As a table"), table);
    details.open = this.host.querySelector("details")?.open ?? false;
    this.host.replaceChildren(chart, details);
  }
}
