// @ts-check
/** The directions as a list whose steps are shown on the map. */

import { el } from "./dom.js";
import { sentence } from "./directions.js";
import { boundsOf } from "./geo.js";
import { maneuverIcon } from "./icons.js";
import { distanceText } from "./units.js";

/** @typedef {import("./directions.js").Step} Step */

/**
 * @param {{steps: Step[]}[]} legs
 * @param {(leg: number) => string} goalOf what a leg ends at
 * @param {import("./map.js").RoadMap} map
 */
export function stepList(legs, goalOf, map) {
  const rows = legs.flatMap(({ steps }, leg) => steps.map((step) => row(step, goalOf(leg), map)));
  return el("ol", { class: "steps", "aria-label": "Directions" }, ...rows);
}

/**
 * @param {Step} step
 * @param {string} goal
 * @param {import("./map.js").RoadMap} map
 */
function row(step, goal, map) {
  const line = step.geometry.coordinates;
  const mark = () => map.show("step", marks(line));
  const unmark = () => map.hide("step");
  const length = step.distance
    ? el("span", { class: "length" }, distanceText(step.distance))
    : null;
  const button = el(
    "button",
    {
      type: "button",
      onpointerenter: mark,
      onpointerleave: unmark,
      onfocus: mark,
      onblur: unmark,
      onclick: () => map.look(boundsOf(line), 17),
      onkeydown: (/** @type {KeyboardEvent} */ event) => walk(event),
    },
    maneuverIcon(step.maneuver),
    el("span", { class: "what" }, sentence(step, goal)),
    length,
  );
  return el("li", { class: `step step-${step.maneuver.type.replace(/ /g, "-")}` }, button);
}

/**
 * Arrow keys go from step to step.
 * @param {KeyboardEvent} event
 */
function walk(event) {
  const row = /** @type {HTMLElement} */ (event.currentTarget).parentElement;
  const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[
    event.key
  ];
  if (!next) return;
  event.preventDefault();
  next.querySelector("button")?.focus();
}

/** @param {import("./geo.js").LonLat[]} line */
function marks(line) {
  const feature = (/** @type {any} */ geometry) => ({ type: "Feature", properties: {}, geometry });
  return {
    type: "FeatureCollection",
    features: [
      feature({ type: "LineString", coordinates: line }),
      feature({ type: "Point", coordinates: line[0] }),
    ],
  };
}
