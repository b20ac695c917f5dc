// @ts-check
/** The route between the points: asked for, drawn, and listed with its alternatives. */

import { Latest, explain } from "./api.js";
import { byId, el } from "./dom.js";
import { boundsOf } from "./geo.js";
import { complain, hush, say } from "./messages.js";
import { stepList } from "./step_list.js";
import { stopName } from "./stops.js";
import { distanceText, durationText } from "./units.js";

/** @typedef {import("./geo.js").LonLat} LonLat */

/** While something is dragged, the newest question waits for so long. */
const EVERY_MS = 60;
/** Who is farther from all roads is not meant to be led to the nearest one. */
export const NEAR_M = 5000;

/** Asks for routes and shows them. */
export class RoutePlanner {
  #latest = new Latest();
  /** @type {any[]} */
  #routes = [];
  #asked = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {import("./map.js").RoadMap} map
   * @param {import("./state.js").Store} store
   * @param {import("./stops.js").Labels} labels
   * @param {() => void} named names of points are known that were not
   */
  constructor(map, store, labels, named) {
    this.map = map;
    this.store = store;
    this.labels = labels;
    this.named = named;
    /** Whether the address says where to look, which the first route leaves alone. */
    this.isPlaced = Boolean(store.state.view);
  }

  /** The chosen route's legs as lines. */
  legs() {
    const route = this.#routes[this.store.state.chosen] ?? this.#routes[0];
    return (route?.legs ?? []).map((/** @type {any} */ leg) =>
      leg.steps.flatMap((/** @type {any} */ step) => step.geometry.coordinates),
    );
  }

  /**
   * Ask, unless that is shown already.
   * @param {boolean} isLive whether a pin is being dragged
   * @param {boolean} [isAgain] the roads have changed
   */
  update(isLive, isAgain = false) {
    const { points, profile } = this.store.state;
    const places = /** @type {LonLat[]} */ (points.filter(Boolean));
    if (places.length < points.length || places.length < 2) return this.clear();
    const coordinates = places.map((point) => point.join(",")).join(";");
    const path = `/route/v1/${encodeURIComponent(profile)}/${coordinates}?geometries=geojson&overview=full`;
    const radiuses = places.map(() => NEAR_M).join(";");
    const query = `&radiuses=${radiuses}&steps=true${isLive ? "" : "&alternatives=2"}`;
    if (path + query === this.#asked && !isAgain) return this.#show(isLive);
    clearTimeout(this.#timer);
    this.#asked = path + query;
    if (isLive) this.#timer = setTimeout(() => this.#ask(path + query, true), EVERY_MS);
    else this.#ask(path + query, false);
    return undefined;
  }

  /** Nothing is asked for. */
  clear() {
    clearTimeout(this.#timer);
    this.#latest.cancel();
    this.#asked = "";
    this.#routes = [];
    this.isPlaced = false;
    this.map.hide("routes");
    this.map.hide("step");
    byId("route").replaceChildren(hint(this.store.state.points));
  }

  /**
   * @param {string} path
   * @param {boolean} isLive
   */
  async #ask(path, isLive) {
    const { points } = this.store.state;
    try {
      const answer = await this.#latest.ask(path);
      if (!answer) return;
      hush();
      const isFirst = !this.#routes.length;
      this.#routes = answer.routes;
      answer.waypoints.forEach((/** @type {any} */ waypoint, /** @type {number} */ i) => {
        const point = /** @type {LonLat} */ (points[i]);
        if (!/[a-z]/i.test(this.labels.of(point))) this.labels.keep(point, waypoint.name);
      });
      if (!isLive) this.named();
      this.#show(isLive);
      if (isLive) return;
      const isHidden = points.some((point) => !this.map.sees(/** @type {LonLat} */ (point)));
      if (!this.isPlaced && (isFirst || isHidden)) this.#look();
      this.isPlaced = false;
      this.#tell();
    } catch (error) {
      this.#asked = "";
      this.#routes = [];
      this.map.hide("routes");
      const text = explain(error, (index) => stopName(index, points.length));
      byId("route").replaceChildren(el("p", { class: "failure" }, text));
      complain(text, () => this.update(false, true));
    }
  }

  #look() {
    const route = this.#routes[this.store.state.chosen] ?? this.#routes[0];
    const points = /** @type {LonLat[]} */ (this.store.state.points.filter(Boolean));
    this.map.look(boundsOf([...route.geometry.coordinates, ...points]));
  }

  #tell() {
    const [{ duration, distance }] = this.#routes;
    const others = this.#routes.length - 1;
    const more = others ? `, and ${others} other way${others > 1 ? "s" : ""}` : "";
    say(`Route found: ${durationText(duration)}, ${distanceText(distance)}${more}.`);
  }

  /** @param {boolean} isLive */
  #show(isLive) {
    if (!this.#routes.length) return;
    const chosen = Math.min(this.store.state.chosen, this.#routes.length - 1);
    const features = this.#routes.map((route, index) => ({
      type: "Feature",
      properties: { index, chosen: index === chosen },
      geometry: route.geometry,
    }));
    this.map.show("routes", { type: "FeatureCollection", features });
    this.map.hide("step");
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.route;
    const cards = el(
      "div",
      { class: "cards", role: "radiogroup", "aria-label": "Routes" },
      ...this.#routes.map((route, i) => this.#card(route, i, i === chosen)),
    );
    if (isLive) {
      byId("route").querySelector(".cards")?.replaceWith(cards);
      return;
    }
    const n = this.store.state.points.length;
    const goal = (/** @type {number} */ leg) =>
      goalName(this.labels.of(this.store.state.points[leg + 1]), leg + 1, n);
    byId("route").replaceChildren(cards, stepList(this.#routes[chosen].legs, goal, this.map));
    if (focused)
      /** @type {HTMLElement} */ (cards.querySelector(`[data-route="${chosen}"]`))?.focus();
  }

  /**
   * @param {any} route
   * @param {number} index
   * @param {boolean} isChosen
   */
  #card(route, index, isChosen) {
    const longest = Math.max(0, ...route.legs.map((/** @type {any} */ leg) => leg.distance));
    const { summary } = route.legs.find((/** @type {any} */ leg) => leg.distance === longest) ?? {
      summary: "",
    };
    const slower = Math.round((route.duration - this.#routes[0].duration) / 60);
    const note =
      index === 0
        ? this.#routes.length > 1
          ? "fastest"
          : ""
        : slower > 0
          ? `+${slower} min`
          : "as fast";
    return el(
      "button",
      {
        type: "button",
        class: "card",
        role: "radio",
        "aria-checked": String(isChosen),
        tabindex: isChosen ? "0" : "-1",
        "data-route": String(index),
        onclick: () => this.choose(index),
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          this.choose((index + step + this.#routes.length) % this.#routes.length);
        },
      },
      el("strong", {}, durationText(route.duration)),
      el("span", { class: "far" }, distanceText(route.distance)),
      note ? el("span", { class: "note" }, note) : null,
      summary ? el("span", { class: "summary" }, `via ${summary}`) : null,
    );
  }

  /** @param {number} index */
  choose(index) {
    if (index < this.#routes.length && index !== this.store.state.chosen)
      this.store.set({ chosen: index });
  }
}

/**
 * @param {string} label
 * @param {number} index
 * @param {number} n
 */
function goalName(label, index, n) {
  if (/[a-z]/i.test(label)) return label;
  return index === n - 1 ? "your destination" : stopName(index, n);
}

/** @param {(LonLat | null)[]} points */
function hint(points) {
  const text = points.every((point) => !point)
    ? "Click the map where the route begins, or type a street or coordinates."
    : !points[0]
      ? "Now choose where it begins."
      : !points.at(-1)
        ? "Now choose where it ends."
        : "Choose the stop on the map, or type where it is.";
  return el("p", { class: "hint" }, text);
}
