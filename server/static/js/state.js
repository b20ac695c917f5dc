// @ts-check
/** What the page shows, as the address bar says it; whoever changes it tells all others. */

import { MOST_COURIERS, readErrands, writeErrands } from "./errands.js";

/** @typedef {import("./geo.js").LonLat} LonLat */
/**
 * @typedef {object} State
 * @property {"route" | "reach" | "courier" | "bench"} panel
 * @property {string} profile
 * @property {(LonLat | null)[]} points of the route; null is not yet chosen
 * @property {number} chosen which of the routes
 * @property {LonLat | null} centre of the reach
 * @property {number[]} minutes
 * @property {"from" | "to"} direction
 * @property {import("./errands.js").Errand[]} errands of the couriers
 * @property {LonLat[]} depots
 * @property {number} couriers how many there are
 * @property {number} capacity parcels that each can carry, 0 for any
 * @property {number} seconds to search
 * @property {string} view zoom/lat/lon of the map
 */

export const PANELS = /** @type {const} */ (["route", "reach", "courier", "bench"]);
const MAX_MINUTES = 120;
const MAX_CONTOURS = 4;

/** @returns {State} */
export function emptyState() {
  return {
    panel: "route",
    profile: "",
    points: [null, null],
    chosen: 0,
    centre: null,
    minutes: [5, 10, 15],
    direction: "from",
    errands: [],
    depots: [],
    couriers: 1,
    capacity: 0,
    seconds: 5,
    view: "",
  };
}

/**
 * The state that the part of an address after `#` means; what makes no sense is left out.
 * @param {string} hash
 * @returns {State}
 */
export function readHash(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const state = emptyState();
  const panel = fields.get("panel");
  if (PANELS.some((known) => known === panel)) state.panel = /** @type {State["panel"]} */ (panel);
  state.profile = fields.get("profile") ?? "";
  const points = (fields.get("points") ?? "").split(";").map(readPoint);
  if (points.length >= 2) state.points = points;
  const chosen = Number(fields.get("route") ?? 0);
  if (Number.isInteger(chosen) && chosen >= 0 && chosen < 10) state.chosen = chosen;
  state.centre = readPoint(fields.get("centre") ?? "");
  const minutes = readMinutes(fields.get("minutes") ?? "");
  if (minutes.length) state.minutes = minutes;
  if (fields.get("direction") === "to") state.direction = "to";
  state.errands = readErrands(fields.get("errands") ?? "", readPoint);
  state.depots = readErrands(fields.get("depots") ?? "", readPoint).map(([point]) => point);
  state.couriers = readWhole(fields.get("couriers"), 1, MOST_COURIERS, state.couriers);
  state.capacity = readWhole(fields.get("capacity"), 0, 1000, state.capacity);
  state.seconds = readWhole(fields.get("seconds"), 2, 30, state.seconds);
  const view = fields.get("map") ?? "";
  if (/^\d+(\.\d+)?(\/-?\d+(\.\d+)?){2}$/.test(view)) state.view = view;
  return state;
}

/**
 * The other way round; what is as usual is left out.
 * @param {State} state
 */
export function writeHash(state) {
  const usual = emptyState();
  const fields = [];
  if (state.panel !== usual.panel) fields.push(`panel=${state.panel}`);
  if (state.profile) fields.push(`profile=${encodeURIComponent(state.profile)}`);
  if (state.points.some(Boolean) || state.points.length > 2) {
    fields.push(`points=${state.points.map((point) => point?.join(",") ?? "").join(";")}`);
  }
  if (state.chosen) fields.push(`route=${state.chosen}`);
  if (state.centre) fields.push(`centre=${state.centre.join(",")}`);
  if (state.minutes.join() !== usual.minutes.join())
    fields.push(`minutes=${state.minutes.join(",")}`);
  if (state.direction !== usual.direction) fields.push(`direction=${state.direction}`);
  if (state.errands.length) fields.push(`errands=${writeErrands(state.errands)}`);
  if (state.depots.length)
    fields.push(`depots=${writeErrands(state.depots.map((point) => [point]))}`);
  for (const name of /** @type {const} */ (["couriers", "capacity", "seconds"]))
    if (state[name] !== usual[name]) fields.push(`${name}=${state[name]}`);
  if (state.view) fields.push(`map=${state.view}`);
  return `#${fields.join("&")}`;
}

/**
 * @param {string | null} text
 * @param {number} least
 * @param {number} most
 * @param {number} usual where it is no whole number within the limits
 */
function readWhole(text, least, most, usual) {
  const value = /^\d{1,6}$/.test(text ?? "") ? Number(text) : NaN;
  return value >= least && value <= most ? value : usual;
}

/**
 * Up to four whole minutes, ascending, each once.
 * @param {string} text
 */
export function readMinutes(text) {
  const numbers = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  const good = numbers.filter((n) => Number.isInteger(n) && n > 0 && n <= MAX_MINUTES);
  return [...new Set(good)].sort((a, b) => a - b).slice(0, MAX_CONTOURS);
}

/**
 * @param {string} text
 * @returns {LonLat | null}
 */
function readPoint(text) {
  const found = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(text);
  if (!found) return null;
  const [lon, lat] = [Number(found[1]), Number(found[2])];
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? [lon, lat] : null;
}

/** The one state of the page. */
export class Store {
  /** @type {Set<(state: State, before: State, isLive: boolean) => void>} */
  #listeners = new Set();

  /** @param {string[]} profiles the first where the address names none of them */
  constructor(profiles) {
    this.profiles = profiles;
    this.state = this.#read();
    addEventListener("popstate", () => this.#replace(this.#read(), false));
  }

  #read() {
    const state = readHash(location.hash);
    return this.profiles.includes(state.profile) ? state : { ...state, profile: this.profiles[0] };
  }

  /**
   * Hear of every change; `isLive` while something is being dragged.
   * @param {(state: State, before: State, isLive: boolean) => void} listener
   */
  onChange(listener) {
    this.#listeners.add(listener);
  }

  /**
   * Change something: a step that "back" undoes, unless it is passing.
   * @param {Partial<State>} change
   * @param {"step" | "quiet" | "live"} how "quiet": no step of its own; "live": not yet decided
   */
  set(change, how = "step") {
    const next = { ...this.state, ...change };
    const hash = writeHash(next);
    if (how !== "live" && hash !== location.hash) {
      history[how === "step" ? "pushState" : "replaceState"](null, "", hash);
    }
    this.#replace(next, how === "live");
  }

  /**
   * @param {State} next
   * @param {boolean} isLive
   */
  #replace(next, isLive) {
    const before = this.state;
    this.state = next;
    for (const listener of this.#listeners) listener(next, before, isLive);
  }
}
