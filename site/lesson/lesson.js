// The four predictions: two networks, a question, and what the solver says.

import { alive, arcsOf, rackCount, withPlaneToggled } from "./network.js";
import { demandsOf } from "./patterns.js";
import { Picture } from "./picture.js";
import { Results, element, figure, marksOf } from "./results.js";
import { ask } from "./solver.js";

const SETTINGS = { tolerance: 1e-5, limit: 20, cut: true };
const percent = (value) => `${(100 * value).toFixed(0)} %`;

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {string} text
 * @property {[string, number][]} networks family and number of the size, of A and, where there is one, B
 * @property {string} question
 * @property {string[]} options
 * @property {(found: any[]) => number} right
 * @property {(found: any[]) => string[]} why paragraphs, in HTML
 * @property {{lengths?: boolean, cut?: boolean, ecmp?: boolean}[]} [show] in each picture; else loads
 * @property {(found: any[]) => string} [killed] what is to be seen once plane 2 is down
 */

/** @type {Step[]} */
const STEPS = [
  {
    title: "Equal bisection",
    text: "Both have 12 switches with 3 cables each. In both, the bisection bandwidth is 400 Gb/s.",
    networks: [["prism", 0], ["necklace", 0]],
    question: "Which one carries more?",
    options: ["A", "B", "Both the same: their bisection is equal"],
    right: ([a, b]) => (a.lower > b.upper ? 0 : 1),
    show: [{ cut: true }, { cut: true, lengths: true }],
    why: ([a, b]) => [
      `Traffic across a cut has to fit through it. Between halves of 6 racks, 36 pairs send each way, so
       K ≤ 400 / 36 = ${figure(a.bisection.bound)} in both networks. <strong>A attains it: ${figure(a.lower)} Gb/s for every pair.</strong>`,
      `<strong>B carries ${figure(b.lower)}.</strong> Its narrowest cut is not between halves: two cables join each diamond of 4 racks
       to the other 8, and 32 pairs cross each way, so K ≤ 200 / 32 = 6.25. These cables glow. The bisection is one cut of many, and
       another one may limit the throughput.`,
    ],
  },
  {
    title: "Cuts are not enough",
    text: `Equal equipment: 32 switches, 64 cables. A is a 4×8 torus, B a random graph, as in Jellyfish. The
      bisection bandwidth of A is 800 Gb/s, that of B 1,400.`,
    networks: [["torus", 4], ["random", 7]],
    question: "How much more does B carry?",
    options: ["In proportion to its bisection", "More, but by less than that", "No more: paths in B are longer"],
    right: ([a, b]) => (b.upper < a.lower ? 2 : b.upper / a.lower < 0.99 * (b.bisection.gbps / a.bisection.gbps) ? 1 : 0),
    show: [{ lengths: true }, { lengths: true }],
    why: ([a, b]) => [
      `B's bisection is ${figure(b.bisection.gbps)} Gb/s, ${figure(b.bisection.gbps / a.bisection.gbps)} times as much as A's.
       Its throughput is ${figure(b.lower / a.lower)} times A's: <strong>${figure(b.lower)} against ${figure(a.lower)} Gb/s a pair.</strong>`,
      `A rate of K over a path of h hops uses K on each of h links, and the capacity of all links is limited: K ≤ total
       capacity / sum of hops. In B a pair is ${figure(b.meanHops)} hops apart on average, in A ${figure(a.meanHops)}, and this
       <em>mean-path bound</em> is ${figure(b.meanPath)} for B, below what its bisection promises.`,
      `The orange glow is a proof: a <em>length</em> for every cable (a dual price). If all K fits, then K · Σ distances ≤ Σ capacity ·
       length, for any lengths. These give the upper bound ${figure(b.upper)}; a flow attains ${figure(b.lower)}. The two have met, so
       nobody needs to trust the solver.`,
    ],
  },
  {
    title: "The effect of routing",
    text: `The random graph again. So far traffic was split optimally. ECMP splits it equally over the next hops on
      shortest paths, at every switch.`,
    networks: [["random", 7]],
    question: "How much of the optimal throughput does ECMP reach?",
    options: ["Nearly all, over 95 %", "Between a half and nine tenths", "Less than a half"],
    right: ([a]) => (a.ecmp / a.lower > 0.95 ? 0 : a.ecmp / a.lower > 0.5 ? 1 : 2),
    show: [{ ecmp: true }],
    why: ([a]) => [
      `<strong>${percent(a.ecmp / a.lower)}: ${figure(a.ecmp)} of ${figure(a.lower)} Gb/s a pair.</strong> Random graphs have few shortest paths for
       most pairs, and some cables are on many of them: one is full while others have room. Paths one hop longer would
       avoid it, but ECMP never takes them.`,
      "On a ring, a torus or a fat tree, the symmetry spreads shortest paths evenly and ECMP loses little or nothing. Try it in the laboratory.",
    ],
  },
  {
    title: "Two planes",
    text: `Racks now have a switch in each of two planes. Traffic stays in the plane that the sender chooses. A has the same random
      graph twice, B two different ones: the same equipment.`,
    networks: [["identical", 2], ["different", 2]],
    question: "Which one carries more?",
    options: ["A: equal planes share the load evenly", "B: different planes", "Both the same"],
    right: ([a, b]) => (b.lower > a.upper ? 1 : a.lower > b.upper ? 0 : 2),
    why: ([a, b]) => [
      `<strong>B carries ${percent(b.lower / a.lower - 1)} more: ${figure(b.lower)} against ${figure(a.lower)} Gb/s a pair.</strong> A pair that is far apart in one
       plane may be close in the other, and takes that one. The mean of the shorter paths falls from
       ${figure(a.meanHops)} to ${figure(b.meanHops)} hops.`,
      "Now kill a plane in both. What is left of A, and what of B?",
    ],
    killed: ([a, b], [wasA, wasB]) =>
      `With one plane A keeps ${percent(a.lower / wasA.lower)} of its throughput, B ${percent(b.lower / wasB.lower)}: what B had beyond A was the choice between planes.`,
  },
];

class StepView {
  constructor(step, number, families, solver) {
    Object.assign(this, { step, number, solver });
    this.networks = step.networks.map(([id, size]) => families.find((f) => f.id === id).networks[size]);
    this.item = element("li", { class: "step" });
    const title = `step-${number}`;
    const body = element("section", { "aria-labelledby": title });
    body.append(
      element("p", { class: "eyebrow" }, `${number} · Predict`),
      element("h2", { id: title }, step.title),
      element("p", {}, step.text),
    );
    const pair = element("div", { class: `pair of-${this.networks.length}` });
    this.sides = this.networks.map((network, i) => this.side(network, "AB"[i], pair));
    body.append(pair, this.form());
    this.outcome = element("div", { class: "outcome", role: "status", "aria-live": "polite" });
    body.append(this.outcome);
    this.item.append(body);
  }

  side(network, letter, host) {
    const many = this.networks.length > 1;
    const figureElement = element("figure");
    if (many) figureElement.append(element("figcaption", {}, letter));
    const planes = element("div", { class: "planes" });
    const name = many ? `Network ${letter}` : "The network";
    const pictures = network.planes.map((plane, p) => {
      const frame = element("div", { class: "plane" });
      const title = network.planes.length > 1 ? `${name}, plane ${p + 1}` : name;
      const picture = new Picture(frame, title);
      picture.render(plane);
      planes.append(frame);
      return picture;
    });
    const results = element("div", { class: "side-results", hidden: "" });
    figureElement.append(planes, results);
    host.append(figureElement);
    return { network, pictures, results, bars: new Results(results, name) };
  }

  form() {
    const form = element("form", { class: "prediction" });
    const choices = element("fieldset", {}, element("legend", {}, this.step.question));
    this.step.options.forEach((option, i) => {
      const input = element("input", { type: "radio", name: "answer", value: String(i) });
      choices.append(element("label", {}, input, element("span", {}, option)));
    });
    const see = element("button", { class: "primary", disabled: "" }, "See");
    form.append(choices, see);
    form.addEventListener("change", () => see.removeAttribute("disabled"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = Number(new FormData(form).get("answer"));
      choices.setAttribute("disabled", "");
      see.remove();
      this.see(chosen);
    });
    return form;
  }

  /** Solves all networks as they are now, bars closing on one scale. */
  async solve() {
    const found = this.sides.map(() => ({}));
    const render = () => {
      this.scale = Math.max(this.scale ?? 0, ...found.map((known) => Results.most(known)));
      const shown = { ecmp: Boolean(this.step.show?.[0].ecmp), mean: this.number > 1 };
      this.sides.forEach(({ bars }, i) => bars.render(found[i], this.scale, shown));
    };
    for (const [i, side] of this.sides.entries()) {
      side.results.hidden = false;
      const network = alive(side.network);
      const demands = demandsOf({ id: "all-to-all", seed: 0 }, rackCount(network));
      const all = await ask(this.solver, { network, demands, ...SETTINGS }, (known) => {
        found[i] = known;
        render();
      });
      if (!all) throw new Error(found[i].message ?? "The solver was interrupted.");
      const own = this.step.show?.[i];
      const show = { loads: !own?.lengths, lengths: false, cut: false, ecmp: false, ...own };
      const marks = marksOf(side.network, all, show, arcsOf(network));
      side.pictures.forEach((picture, p) => picture.render(side.network.planes[p], marks[p]));
    }
    return found;
  }

  async see(chosen) {
    this.outcome.replaceChildren(element("p", { class: "busy" }, "Solving…"));
    try {
      const found = await this.solve();
      const right = this.step.right(found);
      const verdict = element("p", { class: `verdict ${right === chosen ? "right" : "wrong"}` });
      verdict.append(
        element("strong", {}, right === chosen ? "You predicted it." : "Not so."),
        right === chosen ? "" : ` The answer is: ${this.step.options[right]}.`,
      );
      this.outcome.replaceChildren(verdict, ...this.step.why(found).map(paragraph));
      if (this.step.killed) this.outcome.append(this.killer(found));
    } catch (error) {
      this.outcome.replaceChildren(element("p", { class: "notice" }, String(error.message)));
    }
  }

  killer(before) {
    const button = element("button", { type: "button" }, "Kill plane 2 in both");
    const says = element("p");
    button.addEventListener("click", async () => {
      button.setAttribute("disabled", "");
      for (const side of this.sides) side.network = withPlaneToggled(side.network, 1);
      const found = await this.solve();
      const dead = this.sides[0].network.dead[1];
      button.classList.toggle("undo", dead);
      button.textContent = dead ? "Repair it" : "Kill plane 2 in both";
      says.innerHTML = dead ? this.step.killed(found, before) : "";
      button.removeAttribute("disabled");
    });
    return element("div", {}, button, says);
  }
}

/** A paragraph of our own markup. @param {string} html */
function paragraph(html) {
  const made = element("p");
  made.innerHTML = html;
  return made;
}

/** @param {HTMLElement} host @param {any[]} families @param {import("./solver.js").Solver} solver */
export function buildLesson(host, families, solver) {
  for (const [i, step] of STEPS.entries()) host.append(new StepView(step, i + 1, families, solver).item);
}
