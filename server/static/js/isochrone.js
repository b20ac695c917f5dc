// @ts-check
/** How far one gets within some minutes, or from where. */

import { Latest, explain } from "./api.js";
import { DARK, LIGHT } from "./colours.js";
import { byId, el, svg } from "./dom.js";
import { boundsOf } from "./geo.js";
import { complain, hush, say } from "./messages.js";
import { NEAR_M } from "./route.js";
import { placeField } from "./search.js";
import { readMinutes } from "./state.js";
import { isDark } from "./theme.js";

/** @typedef {import("./geo.js").LonLat} LonLat */

/** Asks for areas and draws them. */
export class Reach {
  #latest = new Latest();
  #asked = "";

  /**
   * @param {import("./map.js").RoadMap} map
   * @param {import("./state.js").Store} store
   * @param {import("./stops.js").Labels} labels
   * @param {() => void} named the name of the centre is known that was not
   */
  constructor(map, store, labels, named) {
    this.map = map;
    this.store = store;
    this.labels = labels;
    this.named = named;
    /** Whether the address says where to look, which the first area leaves alone. */
    this.isPlaced = Boolean(store.state.view);
    this.field = placeField({
      label: "Centre",
      placeholder: "Street or coordinates",
      chosen: (place) => {
        if (place) labels.keep(place.point, place.label);
        store.set({ centre: place?.point ?? null });
      },
    });
    this.field.name("Centre: street or coordinates");
    this.minutes = /** @type {HTMLInputElement} */ (
      el("input", {
        type: "text",
        id: "minutes",
        inputmode: "numeric",
        "aria-describedby": "minutes-help",
        onchange: () => this.#readMinutes(),
      })
    );
    this.directions = ["from", "to"].map((value) =>
      this.#direction(/** @type {"from" | "to"} */ (value)),
    );
    this.legend = el("div", { class: "legend" });
    byId("reach").append(
      el(
        "div",
        { class: "stop" },
        el("span", { class: "sign sign-centre", "aria-hidden": "true" }),
        this.field.root,
      ),
      el(
        "div",
        { class: "segments", role: "group", "aria-label": "Direction" },
        ...this.directions,
      ),
      el("label", { for: "minutes", class: "label" }, "Minutes"),
      this.minutes,
      el("p", { id: "minutes-help", class: "help" }, "Up to four numbers, at most 120"),
      this.legend,
    );
  }

  /** @param {"from" | "to"} value */
  #direction(value) {
    const text = value === "from" ? "From here" : "To here";
    return el(
      "button",
      { type: "button", "data-value": value, onclick: () => this.store.set({ direction: value }) },
      text,
    );
  }

  #readMinutes() {
    const minutes = readMinutes(this.minutes.value);
    if (minutes.length) this.store.set({ minutes });
    else complain("Give up to four whole numbers of minutes, from 1 to 120.");
    this.minutes.value = this.store.state.minutes.join(", ");
  }

  /**
   * @param {boolean} isLive
   * @param {boolean} [isAgain]
   */
  update(isLive, isAgain = false) {
    const { centre, minutes, direction, profile } = this.store.state;
    if (document.activeElement !== this.minutes) this.minutes.value = minutes.join(", ");
    for (const button of this.directions)
      button.setAttribute("aria-pressed", String(button.dataset.value === direction));
    this.field.show(this.labels.of(centre));
    if (!centre) return this.clear();
    const path =
      `/isochrone/v1/${encodeURIComponent(profile)}/${centre.join(",")}` +
      `?contours_minutes=${minutes.join(",")}&direction=${direction}&radiuses=${NEAR_M}`;
    if (path === this.#asked && !isAgain) return undefined;
    this.#asked = path;
    return this.#ask(path, isLive);
  }

  /** Draw no area. */
  clear() {
    this.#latest.cancel();
    this.#asked = "";
    this.isPlaced = false;
    this.map.hide("reach");
    this.legend.replaceChildren(
      el(
        "p",
        { class: "hint" },
        "Click the map, or type a street or coordinates, to see how far one gets.",
      ),
    );
  }

  /**
   * @param {string} path
   * @param {boolean} isLive
   */
  async #ask(path, isLive) {
    try {
      const answer = await this.#latest.ask(path);
      if (!answer) return;
      hush();
      const { centre, direction } = this.store.state;
      const [waypoint] = answer.waypoints;
      const point = /** @type {LonLat} */ (centre);
      if (!isLive && !/[a-z]/i.test(this.labels.of(point))) this.labels.keep(point, waypoint.name);
      this.field.show(this.labels.of(point));
      if (!isLive) this.named();
      const areas = answer.features.map(
        (/** @type {any} */ feature, /** @type {number} */ i, /** @type {any[]} */ all) => ({
          ...feature,
          properties: { ring: all.length - 1 - i },
        }),
      );
      this.map.show("reach", {
        type: "FeatureCollection",
        features: areas.flatMap((/** @type {any} */ area) => [area, outline(area)]),
      });
      this.drawLegend();
      if (isLive) return;
      const points = outline(areas[0]).geometry.coordinates.flat();
      if (points.length && !this.isPlaced) this.map.look(boundsOf(points));
      this.isPlaced = false;
      say(
        `Drawn: what is reached ${direction} here within ${this.store.state.minutes.join(", ")} minutes.`,
      );
    } catch (error) {
      this.clear();
      const text = explain(error, () => "this point");
      this.legend.replaceChildren(el("p", { class: "failure" }, text));
      complain(text, () => this.update(false, true));
    }
  }

  /** What the colours mean. */
  drawLegend() {
    if (!this.store.state.centre) return;
    const { reach } = isDark() ? DARK : LIGHT;
    const rows = this.store.state.minutes.map((minutes, i) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { viewBox: "0 0 24 16", "aria-hidden": "true" },
          svg("rect", {
            x: 1,
            y: 1,
            width: 22,
            height: 14,
            rx: 4,
            fill: reach[i],
            "fill-opacity": 0.35,
            stroke: reach[i],
            "stroke-width": 2,
          }),
        ),
        `within ${minutes} min`,
      ),
    );
    this.legend.replaceChildren(el("ul", { "aria-label": "Colours of the areas" }, ...rows));
  }
}

/**
 * The outer rings of an area: lines around all its gaps, too, would hide the map.
 * @param {any} area
 */
function outline({ properties, geometry: { type, coordinates } }) {
  const polygons = type === "Polygon" ? [coordinates] : coordinates;
  const rings = polygons.map((/** @type {LonLat[][]} */ rings) => rings[0] ?? []);
  return { type: "Feature", properties, geometry: { type: "MultiLineString", coordinates: rings } };
}
