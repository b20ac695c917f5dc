// @ts-check
/** Points and lines on the globe. */

/** @typedef {[number, number]} LonLat */

const METRES_PER_DEGREE = 111_195;

/**
 * A point from what somebody typed: "41.15, -8.61" (latitude first, as people write it), with
 * hemispheres ("41.15 N 8.61 W") or as a URL of a map has it; null if it is none.
 * @param {string} text
 * @returns {LonLat | null}
 */
export function parsePoint(text) {
  const number = "([+-]?\\d{1,3}(?:\\.\\d+)?)\\s*°?\\s*";
  const found = new RegExp(
    `^\\s*${number}([NSEW]?)\\s*[,;/\\s]\\s*${number}([NSEW]?)\\s*$`,
    "i",
  ).exec(text);
  if (!found) return null;
  let [lat, lon] = [Number(found[1]), Number(found[3])];
  const [first, second] = [found[2].toUpperCase(), found[4].toUpperCase()];
  if ("EW".includes(first) && first) {
    [lat, lon] = [lon, lat];
    if (first === "W") lon = -lon;
    if (second === "S") lat = -lat;
  } else {
    if (first === "S") lat = -lat;
    if (second === "W") lon = -lon;
  }
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? [lon, lat] : null;
}

/**
 * As `parsePoint` reads it.
 * @param {LonLat} point
 */
export function writePoint([lon, lat]) {
  return `${lat.toFixed(5)}, ${lon.toFixed(5)}`;
}

/**
 * Both numbers to a ten-thousandth of a thousandth of a degree, some decimetres.
 * @param {{lng: number, lat: number}} place
 * @returns {LonLat}
 */
export function lonLat({ lng, lat }) {
  return [Number((((lng + 540) % 360) - 180).toFixed(6)), Number(lat.toFixed(6))];
}

/**
 * Metres between a point and a line, on a plane that touches the globe there.
 * @param {LonLat} point
 * @param {LonLat[]} line
 */
export function distanceToLine(point, line) {
  const scale = Math.cos((point[1] * Math.PI) / 180);
  const flat = line.map(([lon, lat]) => [(lon - point[0]) * scale, lat - point[1]]);
  let best = Math.hypot(...(flat[0] ?? [Infinity, Infinity]));
  for (let i = 1; i < flat.length; i++) {
    const [x, y] = flat[i - 1];
    const [dx, dy] = [flat[i][0] - x, flat[i][1] - y];
    const length = dx * dx + dy * dy;
    const t = length ? Math.min(1, Math.max(0, -(x * dx + y * dy) / length)) : 0;
    best = Math.min(best, Math.hypot(x + t * dx, y + t * dy));
  }
  return best * METRES_PER_DEGREE;
}

/**
 * West, south, east, north around points.
 * @param {LonLat[]} points
 * @returns {[number, number, number, number]}
 */
export function boundsOf(points) {
  const box = /** @type {[number, number, number, number]} */ ([180, 90, -180, -90]);
  for (const [lon, lat] of points) {
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  }
  return box;
}
