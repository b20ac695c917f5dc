// @ts-check
/** The parse benchmark: started from here, followed while it runs, shown as charts. */

import { ApiError, ask, explain } from "./api.js";
import { barChart, speedUpChart } from "./chart.js";
import { byId, el } from "./dom.js";
import { complain, hush, say } from "./messages.js";
import { megabytes } from "./units.js";

const PATH = "/bench/v1/parse";
const OURS = "whimbrel";
/** No reader, but what none can do without. */
const BOUND = "inflating alone";

/** Starts runs and shows how they go. */
export class Benchmark {
  /** @type {EventSource | null} */
  #events = null;
  #isOpen = false;
  /** @type {any[]} */
  #results = [];
  #shown = 0;

  constructor() {
    this.button = /** @type {HTMLButtonElement} */ (
      el(
        "button",
        { type: "button", class: "main", onclick: () => this.#start() },
        "Run the benchmark",
      )
    );
    this.progress = /** @type {HTMLProgressElement} */ (
      el("progress", { max: "100", value: "0", "aria-label": "Progress of the benchmark" })
    );
    this.doing = el("span", { class: "doing" });
    this.meter = el("div", { class: "meter", hidden: true }, this.progress, this.doing);
    this.results = el("div", { class: "results" });
    byId("bench").append(
      el(
        "p",
        { class: "lead" },
        "How fast is this server's extract read? Whimbrel's own parser with one process and with more, beside other readers.",
      ),
      this.button,
      this.meter,
      this.results,
    );
  }

  /** The panel is seen, or no more: only then is the server listened to. */
  set isOpen(/** @type {boolean} */ isOpen) {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen) this.#open();
    else this.#close();
  }

  #close() {
    this.#events?.close();
    this.#events = null;
  }

  async #open() {
    try {
      const state = await ask(PATH);
      hush();
      this.#results = state.results;
      this.#shown = 0;
      this.#running(state.running ? state.progress : null);
      this.#show();
      if (this.#isOpen) this.#listen();
    } catch (error) {
      const isThere = error instanceof ApiError && error.code === "Gone";
      this.results.replaceChildren(el("p", { class: "failure" }, explain(error)));
      if (isThere) complain(explain(error), () => this.#open());
    }
  }

  #listen() {
    this.#close();
    const events = new EventSource(`${PATH}/events`);
    this.#events = events;
    const read = (/** @type {MessageEvent} */ event) => JSON.parse(event.data);
    events.addEventListener("progress", (event) => this.#running(read(event)));
    events.addEventListener("result", (event) => {
      const { result } = read(event);
      this.#results = [result, ...this.#results.filter(({ run }) => run !== result.run)];
      this.#shown = 0;
      this.#running(null);
      this.#show();
      say("The benchmark is done.");
    });
    events.addEventListener("error", (event) => {
      if (!(event instanceof MessageEvent)) return; // the connection: the browser tries again
      this.#running(null);
      complain(`The benchmark failed: ${read(event).message}`);
    });
  }

  async #start() {
    this.button.disabled = true;
    try {
      if (!this.#events) this.#listen();
      await ask(PATH, { method: "POST" });
      hush();
      this.#running({ percent: 0, reader: "", processes: 1 });
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === "Busy";
      if (!isBusy) this.button.disabled = false;
      complain(isBusy ? "A run goes on already; here is how far it is." : explain(error));
    }
  }

  /** @param {{percent: number, reader: string, processes: number} | null} progress */
  #running(progress) {
    this.meter.hidden = !progress;
    this.button.disabled = Boolean(progress);
    this.button.textContent = progress
      ? "Running …"
      : this.#results.length
        ? "Run it again"
        : "Run the benchmark";
    if (!progress) return;
    this.progress.value = progress.percent;
    const who = progress.reader
      ? `${progress.reader}, ${processes(progress.processes)}`
      : "starting";
    this.doing.textContent = `${Math.round(progress.percent)} % · ${who}`;
  }

  #show() {
    const result = this.#results[this.#shown];
    if (!result) {
      this.results.replaceChildren(
        el("p", { class: "hint" }, "Nobody has run it on this server yet. It takes some seconds."),
      );
      return;
    }
    const ours = result.timings.filter((/** @type {any} */ timing) => timing.reader === OURS);
    const readers = result.timings.filter((/** @type {any} */ timing) => timing.reader !== BOUND);
    const bars = readers.map((/** @type {any} */ timing) => ({
      label: timing.reader === OURS ? `Whimbrel, ${processes(timing.processes)}` : timing.reader,
      value: timing.mb_s,
      isOurs: timing.reader === OURS,
    }));
    const small = "The file is so small that it is read in one process; more make no difference.";
    this.results.replaceChildren(
      el("h2", {}, "Speed-up with more processes"),
      speedUpChart(ours),
      el("p", { class: "help" }, result.in_one_process ? small : "The dashed line would be ideal."),
      el("h2", {}, "Read in a second"),
      barChart(bars, "MB/s"),
      facts(result),
      this.#others(),
    );
  }

  #others() {
    if (this.#results.length < 2) return el("span");
    const options = this.#results.map(({ started, extract }, i) =>
      el(
        "option",
        { value: String(i), selected: i === this.#shown },
        `${when(started)} · ${extract}`,
      ),
    );
    const select = /** @type {HTMLSelectElement} */ (
      el(
        "select",
        {
          id: "runs",
          onchange: () => (
            (this.#shown = Number(select.value)),
            this.#show(),
            byId("runs").focus()
          ),
        },
        ...options,
      )
    );
    return el(
      "div",
      {},
      el("label", { for: "runs", class: "label" }, "Runs that are kept"),
      select,
    );
  }
}

/** @param {any} result */
function facts(result) {
  const bound = result.timings.find((/** @type {any} */ timing) => timing.reader === BOUND);
  const rows = [
    ["File", `${result.extract}, ${megabytes(result.bytes)}`],
    ["Measured", `${when(result.started)}, medians of ${result.repeat}`],
    ["Processors", String(result.cpus)],
    ["Version", result.version],
  ];
  if (bound) rows.push(["Inflating alone", `${Math.round(bound.mb_s)} MB/s`]);
  return el(
    "dl",
    { class: "facts" },
    ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

/** @param {number} n */
function processes(n) {
  return `${n} process${n === 1 ? "" : "es"}`;
}

/** @param {string} time */
function when(time) {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
