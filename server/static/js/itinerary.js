// @ts-check
/** The points of a route in order: what changing them makes of them. Start and end are always there. */

/** @typedef {import("./geo.js").LonLat} LonLat */
/** @typedef {(LonLat | null)[]} Points null is not yet chosen */

/**
 * One of them is elsewhere.
 * @param {Points} points
 * @param {number} index
 * @param {LonLat | null} point
 */
export function replaced(points, index, point) {
  return points.map((old, i) => (i === index ? point : old));
}

/**
 * One fewer, or of two the place of one.
 * @param {Points} points
 * @param {number} index
 */
export function removed(points, index) {
  return points.length > 2 ? points.filter((_, i) => i !== index) : replaced(points, index, null);
}

/**
 * One more on a leg, which are counted from 0.
 * @param {Points} points
 * @param {number} leg
 * @param {LonLat | null} point
 */
export function inserted(points, leg, point) {
  return [...points.slice(0, leg + 1), point, ...points.slice(leg + 1)];
}

/**
 * The leg that a stop lengthens least, as the crow flies.
 * @param {LonLat[]} points
 * @param {LonLat} stop
 */
export function legNear(points, stop) {
  const scale = Math.cos((stop[1] * Math.PI) / 180);
  const far = (/** @type {LonLat} */ a, /** @type {LonLat} */ b) =>
    Math.hypot((a[0] - b[0]) * scale, a[1] - b[1]);
  const detours = points
    .slice(1)
    .map((to, i) => far(points[i], stop) + far(stop, to) - far(points[i], to));
  return detours.indexOf(Math.min(...detours));
}
