// Loads what the page needs, and says so where that fails.

import { buildLesson } from "./lesson.js";
import { Lab } from "./lab.js";
import { Solver } from "./solver.js";

async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  return answer;
}

try {
  const [code, families] = await Promise.all([
    fetched("wasm/pnet_wasm_bg.wasm").then((answer) => answer.arrayBuffer()),
    fetched("networks.json").then((answer) => answer.json()),
  ]);
  const module = await WebAssembly.compile(code);
  buildLesson(document.getElementById("steps"), families, new Solver(module));
  const lab = new Lab(families, new Solver(module), new Solver(module));
  // What tests and the curious may look at.
  globalThis.lesson = { lab, families };
  addEventListener("hashchange", () => lab.openLink(location.hash));
  await lab.openLink(location.hash);
  document.documentElement.dataset.ready = "true";
} catch (error) {
  const trouble = document.getElementById("trouble");
  trouble.textContent = `The page could not be loaded: ${error.message}`;
  trouble.hidden = false;
}
