// @ts-check
/** What couriers have to do, as the address bar says it and as the server is asked. */

/** @typedef {import("./geo.js").LonLat} LonLat */
/** @typedef {LonLat[]} Errand one place to visit, or where to pick up and where to drop */

/** @typedef {{errand: number, stop: number}} Spot which stop of which errand; of depots errand is -1 */

export const MOST_COURIERS = 20;

/**
 * Errands as text: `lon,lat` or `lon,lat~lon,lat`, separated by semicolons.
 * @param {Errand[]} errands
 */
export function writeErrands(errands) {
  return errands.map((errand) => errand.map((point) => point.join(",")).join("~")).join(";");
}

/**
 * The other way round; what makes no sense is left out.
 * @param {string} text
 * @param {(text: string) => LonLat | null} readPoint
 * @returns {Errand[]}
 */
export function readErrands(text, readPoint) {
  return text
    .split(";")
    .map((part) => part.split("~").map(readPoint))
    .filter((errand) => errand.length <= 2 && errand.every((point) => point !== null))
    .map((errand) => /** @type {Errand} */ (errand));
}

/**
 * All points, each with what it is: depots first, then the errands in their order.
 * @param {LonLat[]} depots
 * @param {Errand[]} errands
 */
export function spotsOf(depots, errands) {
  return [
    ...depots.map((point, stop) => ({ point, errand: -1, stop, n: 1 })),
    ...errands.flatMap((points, errand) =>
      points.map((point, stop) => ({ point, errand, stop, n: points.length })),
    ),
  ];
}

/**
 * The request for a plan: all depots may be begin and end of every courier.
 * @param {{errands: Errand[], depots: LonLat[], couriers: number, capacity: number, seconds: number}} state
 */
export function problemOf({ errands, depots, couriers, capacity, seconds }) {
  const vehicle = {
    ...(depots.length ? { starts: depots, ends: depots } : {}),
    ...(capacity ? { capacity: [capacity] } : {}),
  };
  const one = capacity ? [1] : [];
  const numbered = errands.map((points, id) => ({ points, id }));
  return {
    vehicles: Array.from({ length: couriers }, (_, id) => ({ id, ...vehicle })),
    jobs: numbered
      .filter(({ points }) => points.length === 1)
      .map(({ points: [location], id }) => ({ id, location, delivery: one })),
    shipments: numbered
      .filter(({ points }) => points.length === 2)
      .map(({ points: [from, to], id }) => ({
        pickup: { id, location: from },
        delivery: { id, location: to },
        amount: one,
      })),
    options: { geometry: true, geometries: "geojson", seconds },
  };
}

/**
 * What the page calls a stop.
 * @param {string} type as plans have it
 * @param {number} id of the errand
 */
export function errandName(type, id) {
  const number = id + 1;
  if (type === "pickup") return `Pick up parcel ${number}`;
  if (type === "delivery") return `Deliver parcel ${number}`;
  if (type === "job") return `Visit ${number}`;
  return type === "start" ? "Begin" : "End";
}
