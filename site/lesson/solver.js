// The worker as the page sees it: the newest task of a kind counts, and an old one that takes long is given up.

const PATIENCE_MS = 60;

export class Solver {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    this.last = 0;
    this.start();
  }

  start() {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.busy = null;
    this.ready = new Promise((resolve, reject) => {
      this.worker.onerror = (event) => reject(new Error(event.message));
      this.worker.onmessage = ({ data }) => {
        if (data.kind === "ready") resolve(undefined);
        else this.hear(data);
      };
    });
    this.worker.postMessage({ module: this.module });
  }

  hear(data) {
    if (!this.busy || data.id !== this.busy.id) return;
    const { onNews, resolve } = this.busy;
    onNews(data);
    if (data.kind === "done" || data.kind === "failed") {
      this.busy = null;
      resolve(data.kind);
      this.next();
    }
  }

  /** Asks about a network; resolves to "done", "failed", or "replaced" where a newer question came first.
   * @param {object} task as of worker.js @param {(news: any) => void} onNews @returns {Promise<string>} */
  ask(task, onNews) {
    const id = ++this.last;
    return new Promise((resolve) => {
      this.waiting?.resolve("replaced");
      this.waiting = { id, task, onNews, resolve };
      if (!this.busy) this.next();
      else if (!this.timer) this.timer = setTimeout(() => this.giveUp(), PATIENCE_MS);
    });
  }

  /** Starts anew where the task at work is still the same and another waits. */
  giveUp() {
    this.timer = undefined;
    if (!this.busy || !this.waiting) return;
    this.busy.resolve("replaced");
    this.worker.terminate();
    this.start();
    this.next();
  }

  next() {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.waiting) return;
    this.busy = this.waiting;
    this.waiting = undefined;
    const { worker, busy } = this;
    this.ready.then(
      () => worker.postMessage({ ...busy.task, id: busy.id }),
      (error) => this.hear({ id: busy.id, kind: "failed", message: error.message }),
    );
  }
}

/** Asks after all that were asked before, so that none replaces another.
 * @param {Solver} solver @param {object} task @param {(all: any) => void} onNews gets all that was said so far
 * @returns {Promise<any>} all of it; null where the solver failed */
export async function ask(solver, task, onNews = () => {}) {
  const all = {};
  const before = solver.queue;
  solver.queue = (async () => {
    await before;
    return solver.ask(task, (news) => onNews(Object.assign(all, news)));
  })();
  return (await solver.queue) === "done" ? all : null;
}
