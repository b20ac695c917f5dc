// @ts-check
/** Points on the map that are dragged, or moved and removed by keys. */

import { el } from "./dom.js";
import { lonLat } from "./geo.js";

/** @typedef {import("./geo.js").LonLat} LonLat */
/**
 * @typedef {object} PinHandlers
 * @property {(index: number, point: LonLat, isLive: boolean) => void} moved
 * @property {(index: number) => void} removed
 */

const NUDGES = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-8, 0],
  ArrowRight: [8, 0],
  ArrowUp: [0, -8],
  ArrowDown: [0, 8],
});

/** A pin for each point; those that stay keep their element, and the focus. */
export class Pins {
  /** @type {any[]} */
  #markers = [];

  /**
   * @param {import("./map.js").RoadMap} map
   * @param {PinHandlers} handlers
   */
  constructor(map, handlers) {
    this.map = map;
    this.handlers = handlers;
  }

  /**
   * @param {{point: LonLat, label: string, kind: string, sign: string, index: number}[]} pins
   */
  show(pins) {
    while (this.#markers.length > pins.length) this.#markers.pop().remove();
    pins.forEach((pin, i) => {
      const marker = (this.#markers[i] ??= this.#make(i));
      const element = marker.getElement();
      element.className = element.className.replace(/\bpin-\w+/g, "").trim() + ` pin-${pin.kind}`;
      element.dataset.index = String(pin.index);
      element.setAttribute("aria-label", `${pin.label}. Arrow keys move it, Delete removes it.`);
      element.querySelector(".pin-sign").textContent = pin.sign;
      if (!marker.dragged) marker.setLngLat(pin.point);
      if (!element.isConnected) marker.addTo(this.map.gl); // only once: it would lose the focus
    });
  }

  /** @param {number} place */
  #make(place) {
    const element = el(
      "button",
      { type: "button", class: "pin" },
      el("span", { class: "pin-sign" }),
    );
    const marker = new this.map.library.Marker({ element, draggable: true, anchor: "center" });
    const index = () => Number(element.dataset.index);
    marker.on("dragstart", () => (marker.dragged = true));
    marker.on("drag", () => this.handlers.moved(index(), lonLat(marker.getLngLat()), true));
    marker.on("dragend", () => {
      marker.dragged = false;
      this.handlers.moved(index(), lonLat(marker.getLngLat()), false);
    });
    element.addEventListener("click", (event) => event.stopPropagation());
    element.addEventListener("keydown", (event) => {
      if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        this.handlers.removed(index());
      } else if (event.key in NUDGES) {
        event.preventDefault();
        event.stopPropagation();
        const { x, y } = this.map.gl.project(marker.getLngLat());
        const [dx, dy] = NUDGES[event.key].map((n) => (event.shiftKey ? 4 * n : n));
        this.handlers.moved(index(), lonLat(this.map.gl.unproject([x + dx, y + dy])), false);
      }
    });
    return marker;
  }
}
