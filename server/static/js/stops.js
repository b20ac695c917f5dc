// @ts-check
/** The points of the route as a list of fields. */

import { byId, el } from "./dom.js";
import { writePoint } from "./geo.js";
import { icon } from "./icons.js";
import { placeField } from "./search.js";

/** @typedef {import("./geo.js").LonLat} LonLat */

/**
 * What the page calls a point of the route.
 * @param {number} index
 * @param {number} n
 */
export function stopName(index, n) {
  if (index === 0) return "the start";
  return index === n - 1 ? "the end" : n === 3 ? "the stop" : `stop ${index}`;
}

/**
 * The letter or number of a point on the map.
 * @param {number} index
 * @param {number} n
 */
export function stopSign(index, n) {
  return index === 0 ? "A" : index === n - 1 ? "B" : String(index);
}

/** Names of places that were chosen or found, by their coordinates. */
export class Labels {
  /** @type {Map<string, string>} */
  #names = new Map();

  /**
   * @param {LonLat} point
   * @param {string} name
   */
  keep(point, name) {
    if (name) this.#names.set(point.join(), name);
  }

  /** @param {LonLat | null} point */
  of(point) {
    return point ? (this.#names.get(point.join()) ?? writePoint(point)) : "";
  }
}

/** The list of fields; those that stay keep their element, and the focus. */
export class StopList {
  /** @type {{row: HTMLElement, field: ReturnType<typeof placeField>, sign: HTMLElement, remove: HTMLElement}[]} */
  #rows = [];

  /**
   * @param {Labels} labels
   * @param {(index: number, point: LonLat | null) => void} chosen
   * @param {(index: number) => void} removed
   */
  constructor(labels, chosen, removed) {
    this.labels = labels;
    this.chosen = chosen;
    this.removed = removed;
  }

  /** @param {(LonLat | null)[]} points */
  show(points) {
    const n = points.length;
    while (this.#rows.length > n) this.#rows.pop()?.row.remove();
    points.forEach((point, i) => {
      const { field, sign, remove } = (this.#rows[i] ??= this.#make(i));
      const name = stopName(i, n);
      sign.textContent = stopSign(i, n);
      sign.className = `sign sign-${i === 0 ? "start" : i === n - 1 ? "end" : "via"}`;
      field.name(
        i === 0
          ? "Start: street or coordinates"
          : i === n - 1
            ? "End: street or coordinates"
            : "Stop: street or coordinates",
      );
      field.show(this.labels.of(point));
      remove.setAttribute("aria-label", `Remove ${name}`);
      remove.hidden = n === 2 && !point;
    });
  }

  /** @param {number} index */
  focus(index) {
    this.#rows[Math.min(index, this.#rows.length - 1)]?.field.input.focus();
  }

  /** @param {number} i */
  #make(i) {
    const field = placeField({
      label: "Place",
      placeholder: "",
      chosen: (place) => {
        if (place) this.labels.keep(place.point, place.label);
        this.chosen(i, place?.point ?? null);
      },
    });
    const sign = el("span", { class: "sign", "aria-hidden": "true" });
    const remove = el(
      "button",
      { type: "button", class: "icon-button", onclick: () => this.removed(i) },
      icon("remove"),
    );
    const row = el("li", { class: "stop" }, sign, field.root, remove);
    byId("stops").append(row);
    return { row, field, sign, remove };
  }
}
