// @ts-check
/** A plan for couriers in words: each route with its stops, and what nobody does. */

import { DARK, LIGHT } from "./colours.js";
import { el, svg } from "./dom.js";
import { errandName } from "./errands.js";
import { isDark } from "./theme.js";
import { distanceText, durationText } from "./units.js";

/** @typedef {import("./geo.js").LonLat} LonLat */

/**
 * @param {any} plan as the server tells it
 * @param {(point: LonLat) => void} look go to a place of the map
 */
export function planList(plan, look) {
  const routes = plan.routes.map((/** @type {any} */ route) => routeCard(route, look));
  const left = plan.unassigned.filter((/** @type {any} */ one) => one.type !== "delivery");
  return el("div", { class: "plan" }, ...routes, left.length ? leftOver(left) : null);
}

/**
 * @param {any} route
 * @param {(point: LonLat) => void} look
 */
function routeCard(route, look) {
  const about = `${durationText(route.duration)} of travel, ${distanceText(route.distance)}`;
  return el(
    "section",
    { class: "courier" },
    el("h2", {}, swatch(route.vehicle), `Courier ${route.vehicle + 1}`, el("span", {}, about)),
    el(
      "ol",
      { "aria-label": `Stops of courier ${route.vehicle + 1}` },
      ...route.steps.map((/** @type {any} */ step) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", onclick: () => look(step.location) },
            el("span", { class: "when" }, durationText(step.arrival)),
            el("span", {}, errandName(step.type, step.id)),
          ),
        ),
      ),
    ),
  );
}

/** @param {any[]} left */
function leftOver(left) {
  return el(
    "section",
    { class: "left" },
    el("h2", {}, "Left undone"),
    el(
      "ul",
      {},
      ...left.map(({ type, id, reason }) => {
        const name = type === "pickup" ? `Parcel ${id + 1}` : errandName(type, id);
        return el("li", {}, `${name}: ${reason}`);
      }),
    ),
  );
}

/** @param {number} courier */
function swatch(courier) {
  const { couriers } = isDark() ? DARK : LIGHT;
  return svg(
    "svg",
    { viewBox: "0 0 24 10", class: "swatch", "aria-hidden": "true" },
    svg("rect", { width: 24, height: 10, rx: 5, fill: couriers[courier % couriers.length] }),
  );
}
