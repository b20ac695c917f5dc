// @ts-check
/** Couriers: what they have to do is put on the map, and their plan is watched getting better. */

import { ApiError, explain } from "./api.js";
import { COLOURS } from "./colours.js";
import { byId, el } from "./dom.js";
import { MOST_COURIERS, problemOf, spotsOf } from "./errands.js";
import { eventsOf } from "./events.js";
import { boundsOf } from "./geo.js";
import { complain, hush, say } from "./messages.js";
import { planList } from "./plan_list.js";
import { durationText } from "./units.js";

/** @typedef {import("./geo.js").LonLat} LonLat */
/** @typedef {"parcel" | "visit" | "depot"} Kind */

const KINDS = /** @type {const} */ ({ parcel: "Parcel", visit: "Visit", depot: "Depot" });
const SECONDS = [2, 5, 10, 30];

/** Asks for plans and draws them. */
export class Couriers {
  /** @type {AbortController | null} */
  #search = null;
  /** @type {any} */
  #plan = null;
  #planned = "";
  /** @type {Kind} */
  kind = "parcel";
  /** @type {LonLat | null} where a parcel is picked up whose drop-off is to come */
  pending = null;

  /**
   * @param {import("./map.js").RoadMap} map
   * @param {import("./state.js").Store} store
   * @param {() => void} changed what is on the map has to be drawn anew
   */
  constructor(map, store, changed) {
    this.map = map;
    this.store = store;
    this.changed = changed;
    this.kinds = Object.entries(KINDS).map(([kind, text]) =>
      el(
        "button",
        { type: "button", "data-kind": kind, onclick: () => this.#choose(/** @type {Kind} */ (kind)) },
        text,
      ),
    );
    this.couriers = numberField("couriers", "Couriers", 1, MOST_COURIERS, (couriers) =>
      store.set({ couriers }),
    );
    this.capacity = numberField("capacity", "Parcels each, 0 for any", 0, 1000, (capacity) =>
      store.set({ capacity }),
    );
    this.seconds = numberField("seconds", "Seconds", SECONDS[0], SECONDS[3], (seconds) =>
      store.set({ seconds }),
    );
    this.button = el(
      "button",
      { type: "button", class: "main", onclick: () => this.#toggle() },
      "Plan",
    );
    this.clearButton = el(
      "button",
      { type: "button", class: "quiet", onclick: () => this.#clearAll() },
      "Clear",
    );
    this.hint = el("p", { class: "hint" });
    this.doing = el("p", { class: "doing", role: "status" });
    this.result = el("div", { class: "result" });
    byId("courier").append(
      el("div", { class: "segments", role: "group", "aria-label": "A click adds" }, ...this.kinds),
      this.hint,
      el("div", { class: "numbers" }, this.couriers.root, this.capacity.root, this.seconds.root),
      this.button,
      this.clearButton,
      this.doing,
      this.result,
    );
  }

  /** @param {Kind} kind */
  #choose(kind) {
    this.kind = kind;
    this.pending = null;
    this.changed();
  }

  #clearAll() {
    this.pending = null;
    this.store.set({ errands: [], depots: [] });
  }

  /** The panel as the state has it; a plan of another problem is taken away. */
  update() {
    const { errands, couriers, capacity, seconds } = this.store.state;
    for (const button of this.kinds)
      button.setAttribute("aria-pressed", String(button.dataset.kind === this.kind));
    this.couriers.show(couriers);
    this.capacity.show(capacity);
    this.seconds.show(seconds);
    if (this.#key() !== this.#planned) this.clear();
    const n = errands.length;
    this.hint.textContent = this.pending
      ? "Now where the parcel is dropped."
      : this.kind === "parcel"
        ? "Click the map where a parcel is picked up, then where it is dropped."
        : this.kind === "visit"
          ? "Click the map at a place to visit."
          : "Click the map at a depot: couriers begin and end at any of them, whichever is best.";
    this.button.textContent = this.#search ? "Stop" : "Plan";
    /** @type {HTMLButtonElement} */ (this.button).disabled = !n;
    this.clearButton.hidden = !n && !this.store.state.depots.length;
  }

  #key() {
    const { errands, depots, couriers, capacity, profile } = this.store.state;
    return JSON.stringify([errands, depots, couriers, capacity, profile]);
  }

  /** End the search, and show no plan. */
  clear() {
    this.#search?.abort();
    this.#search = null;
    this.#plan = null;
    this.#planned = "";
    this.map.hide("plan");
    this.doing.textContent = "";
    this.result.replaceChildren();
  }

  #toggle() {
    if (this.#search) {
      this.#search.abort();
      this.#search = null;
      this.doing.textContent += " Stopped.";
      this.update();
    } else this.#start();
  }

  async #start() {
    this.clear();
    hush();
    const search = (this.#search = new AbortController());
    this.#planned = this.#key();
    this.update();
    this.doing.textContent = "Finding the ways between all places …";
    const { state } = this.store;
    const path = `/courier/v1/${encodeURIComponent(state.profile)}`;
    let isFirst = true;
    try {
      for await (const { name, data } of eventsOf(path, problemOf(state), search.signal)) {
        if (name === "error") throw new ApiError(data.code, data.message);
        const plan = name === "plan" ? data : data.plan;
        if (plan) this.#show(plan, isFirst);
        if (plan) isFirst = false;
        this.#tell(name, data);
      }
    } catch (error) {
      if (search.signal.aborted) return;
      const text = explain(error, () => "one of the places");
      this.result.replaceChildren(el("p", { class: "failure" }, text));
      this.doing.textContent = "";
      complain(text);
    }
    if (this.#search === search) this.#search = null;
    this.update();
  }

  /**
   * @param {string} name
   * @param {any} data
   */
  #tell(name, data) {
    const travel = durationText(this.#plan.summary.duration);
    const n = data.iterations ?? data.summary.iterations;
    const tried = `${n.toLocaleString("en")} tries`;
    if (name === "progress") {
      this.doing.textContent = `${travel} of travel after ${data.elapsed.toFixed(1)} s, ${tried}`;
    } else {
      this.doing.textContent = `${travel} of travel, ${tried}`;
      say(`Planned: ${travel} of travel.`);
    }
  }

  /**
   * @param {any} plan
   * @param {boolean} isFirst
   */
  #show(plan, isFirst) {
    this.#plan = plan;
    const features = plan.routes.map((/** @type {any} */ { vehicle, geometry }) => ({
      type: "Feature",
      geometry,
      properties: { courier: vehicle % COLOURS },
    }));
    this.map.show("plan", { type: "FeatureCollection", features });
    this.draw();
    const points = features.flatMap((/** @type {any} */ one) => one.geometry.coordinates);
    if (isFirst && points.some((/** @type {LonLat} */ point) => !this.map.sees(point)))
      this.map.look(boundsOf(points));
  }

  /** The plan in words, in the colours of the page. */
  draw() {
    if (!this.#plan) return;
    this.result.replaceChildren(
      planList(this.#plan, (point) => this.map.look([...point, ...point])),
    );
  }

  /** The pins of all that is to be done. */
  pins() {
    const { depots, errands } = this.store.state;
    const pins = spotsOf(depots, errands).map(({ point, errand, stop, n }, index) => ({
      point,
      index,
      ...(errand < 0
        ? { label: `Depot ${stop + 1}`, kind: "depot", sign: "D" }
        : {
            label:
              n === 1 ? `Visit ${errand + 1}` : `${stop ? "Drop-off" : "Pick-up"} ${errand + 1}`,
            kind: n === 1 ? "via" : stop ? "end" : "start",
            sign: String(errand + 1),
          }),
    }));
    if (this.pending) {
      const sign = String(errands.length + 1);
      const label = `Pick-up ${sign}`;
      pins.push({ point: this.pending, index: pins.length, label, kind: "start", sign });
    }
    return pins;
  }

  /**
   * What is meant by choosing a place of the map.
   * @param {LonLat} point
   */
  place(point) {
    const { depots, errands } = this.store.state;
    if (this.kind === "depot") this.store.set({ depots: [...depots, point] });
    else if (this.kind === "visit") this.store.set({ errands: [...errands, [point]] });
    else if (this.pending) {
      const parcel = [this.pending, point];
      this.pending = null;
      this.store.set({ errands: [...errands, parcel] });
    } else {
      this.pending = point;
      this.changed();
    }
  }

  /**
   * @param {number} index
   * @param {LonLat} point
   * @param {boolean} isLive
   */
  move(index, point, isLive) {
    const { depots, errands } = this.store.state;
    const spot = spotsOf(depots, errands)[index];
    if (!spot) {
      this.pending = point;
      if (!isLive) this.changed();
      return;
    }
    const put = (/** @type {LonLat[]} */ points) => points.with(spot.stop, point);
    const change =
      spot.errand < 0
        ? { depots: put(depots) }
        : { errands: errands.with(spot.errand, put(errands[spot.errand])) };
    this.store.set(change, isLive ? "live" : "step");
  }

  /**
   * A depot, or an errand with all its stops.
   * @param {number} index
   */
  remove(index) {
    const { depots, errands } = this.store.state;
    const spot = spotsOf(depots, errands)[index];
    if (!spot) {
      this.pending = null;
      this.changed();
    } else if (spot.errand < 0) this.store.set({ depots: depots.toSpliced(spot.stop, 1) });
    else this.store.set({ errands: errands.toSpliced(spot.errand, 1) });
    this.map.gl.getCanvas().focus();
  }
}

/**
 * A field for a whole number.
 * @param {string} id
 * @param {string} text
 * @param {number} least
 * @param {number} most
 * @param {(value: number) => void} changed
 */
function numberField(id, text, least, most, changed) {
  const input = /** @type {HTMLInputElement} */ (
    el("input", { type: "text", id, inputmode: "numeric", autocomplete: "off" })
  );
  let shown = least;
  input.addEventListener("change", () => {
    const value = Number(input.value);
    const isGood = Number.isInteger(value) && value >= least && value <= most;
    if (isGood) changed(value);
    else {
      input.value = String(shown);
      complain(`Give a whole number from ${least} to ${most}.`);
    }
  });
  return {
    root: el("label", { for: id, class: "number" }, el("span", {}, text), input),
    show(/** @type {number} */ value) {
      shown = value;
      if (document.activeElement !== input) input.value = String(value);
    },
  };
}
