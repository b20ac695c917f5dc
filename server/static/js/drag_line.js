// @ts-check
/** A stop on the way is made by dragging the line of the route to where it is to be. */

import { el } from "./dom.js";
import { distanceToLine, lonLat } from "./geo.js";

/** @typedef {import("./geo.js").LonLat} LonLat */

/**
 * @param {import("./map.js").RoadMap} map
 * @param {() => LonLat[][]} legs of the chosen route as lines
 * @param {(leg: number, point: LonLat, isLive: boolean) => void} dragged
 */
export function startLineDragging(map, legs, dragged) {
  const { gl } = map;
  const element = el("div", { class: "pin pin-ghost", "aria-hidden": "true" });
  const ghost = new map.library.Marker({ element, anchor: "center" });
  let isDragging = false;

  const isOnRoute = (/** @type {any} */ event) =>
    event.features?.some((/** @type {any} */ feature) => feature.properties.chosen);
  const start = (/** @type {any} */ event) => {
    const isOneFinger = !event.originalEvent.touches || event.originalEvent.touches.length === 1;
    const isMain = !event.originalEvent.button;
    if (!isOnRoute(event) || !isOneFinger || !isMain || onPin(event)) return;
    const lines = legs();
    if (!lines.length) return;
    event.preventDefault(); // the map stays where it is
    const from = lonLat(event.lngLat);
    const distances = lines.map((line) => distanceToLine(from, line));
    follow(distances.indexOf(Math.min(...distances)), event.point);
  };

  const follow = (/** @type {number} */ leg, /** @type {any} */ origin) => {
    /** @type {LonLat | null} */
    let place = null;
    const move = (/** @type {any} */ event) => {
      if (!isDragging && event.point.dist(origin) < 5) return;
      isDragging = true;
      place = lonLat(event.lngLat);
      ghost.setLngLat(place).addTo(gl);
      dragged(leg, place, true);
    };
    const end = () => {
      gl.off("mousemove", move);
      gl.off("touchmove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      ghost.remove();
      if (place) dragged(leg, place, false);
      setTimeout(() => (isDragging = false)); // after the click that a mouse makes of it
    };
    gl.on("mousemove", move);
    gl.on("touchmove", move);
    addEventListener("pointerup", end); // wherever that is
    addEventListener("pointercancel", end);
  };

  gl.on("mousedown", "route-hit", start);
  gl.on("touchstart", "route-hit", start);
  gl.on("mousemove", "route-hit", (/** @type {any} */ event) => {
    if (isDragging) return;
    gl.getCanvas().style.cursor = isOnRoute(event) ? "grab" : "pointer";
    if (isOnRoute(event)) ghost.setLngLat(event.lngLat).addTo(gl);
  });
  gl.on("mouseleave", "route-hit", () => {
    gl.getCanvas().style.cursor = "";
    if (!isDragging) ghost.remove();
  });
  return { isDragging: () => isDragging };
}

/** @param {any} event */
function onPin(event) {
  return (
    event.originalEvent.target instanceof Element &&
    event.originalEvent.target.closest("button.pin")
  );
}
