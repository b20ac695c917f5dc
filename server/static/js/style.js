// @ts-check
/** The style of the map: roads by class out of our own tiles, and what the page draws on them. */

import { DARK, LIGHT } from "./colours.js";
import { GLYPHS } from "./glyphs.js";

const FONT = ["Sans"];
const EMPTY = { type: "FeatureCollection", features: [] };
const OVERLAYS = ["limit", "reach", "routes", "step", "plan"];

/** Width of a road in pixels at zooms 6, 10, 13, 16 and 19, and the zoom at which it appears. */
const ROADS = {
  path: {
    classes: ["path", "track", "steps", "pedestrian", "cycleway", "bridleway"],
    widths: [0, 0, 0.5, 1.4, 4],
    from: 13,
  },
  service: { classes: ["service"], widths: [0, 0, 0.5, 3, 12], from: 13 },
  street: {
    classes: ["residential", "living_street", "unclassified", "road", "other", "busway"],
    widths: [0, 0.3, 1.3, 6, 26],
    from: 11,
  },
  tertiary: { classes: ["tertiary"], widths: [0, 0.7, 2.2, 8, 32], from: 10 },
  secondary: { classes: ["secondary"], widths: [0, 1, 2.8, 9, 36], from: 9 },
  primary: { classes: ["primary"], widths: [0.6, 1.5, 3.4, 10, 40], from: 7 },
  trunk: { classes: ["trunk"], widths: [0.9, 1.8, 3.8, 11, 42], from: 5 },
  motorway: { classes: ["motorway"], widths: [1.1, 2.2, 4.2, 12, 44], from: 5 },
};
const KNOWN = Object.values(ROADS).flatMap(({ classes }) => classes);

/** @typedef {keyof typeof ROADS} RoadKind */

/**
 * @param {string} tiles address of the tiles
 * @param {boolean} dark
 */
export function mapStyle(tiles, dark) {
  const colours = dark ? DARK : LIGHT;
  const kinds = /** @type {RoadKind[]} */ (Object.keys(ROADS));
  /** @type {Record<string, any>} */
  const sources = { roads: { type: "vector", tiles: [tiles], minzoom: 5, maxzoom: 16 } };
  for (const name of OVERLAYS) sources[name] = { type: "geojson", data: EMPTY };
  return {
    version: 8,
    glyphs: GLYPHS,
    sources,
    layers: [
      { id: "land", type: "background", paint: { "background-color": colours.land } },
      limit(colours),
      ferry(colours),
      ...kinds.map((kind) => casing(kind, colours)),
      ...kinds.map((kind) => road(kind, colours)),
      ...reach(colours),
      ...closures(colours),
      ...routes(colours),
      ...plan(colours),
      labels(colours),
    ],
  };
}

/**
 * @param {RoadKind} kind
 * @returns {any}
 */
function ofKind(kind) {
  const { classes } = ROADS[kind];
  const listed = ["in", ["get", "class"], ["literal", classes]];
  if (kind !== "street") return listed;
  const unknown = [
    "all",
    ["!", ["in", ["get", "class"], ["literal", KNOWN]]],
    ["!=", ["get", "class"], "ferry"],
  ];
  return ["any", listed, unknown];
}

/**
 * @param {number[]} widths at zooms 6, 10, 13, 16 and 19
 * @param {number} [more]
 */
function grows(widths, more = 0) {
  const [a, b, c, d, e] = widths.map((width) => (width ? width + more : 0));
  return ["interpolate", ["exponential", 1.4], ["zoom"], 6, a, 10, b, 13, c, 16, d, 19, e];
}

const ROUND = { "line-cap": "round", "line-join": "round" };

/**
 * @param {RoadKind} kind
 * @param {typeof LIGHT} colours
 */
function casing(kind, colours) {
  const { widths, from } = ROADS[kind];
  return {
    id: `casing-${kind}`,
    type: "line",
    source: "roads",
    "source-layer": "speeds",
    minzoom: Math.max(from, 11),
    filter: ofKind(kind),
    layout: ROUND,
    paint: {
      "line-color": colours.casing,
      "line-width": grows(widths, 1.6),
      "line-opacity": kind === "path" ? 0 : 1,
    },
  };
}

/**
 * @param {RoadKind} kind
 * @param {typeof LIGHT} colours
 */
function road(kind, colours) {
  const { widths, from } = ROADS[kind];
  const colour = kind in colours ? colours[/** @type {"primary"} */ (kind)] : colours.street;
  /** @type {Record<string, any>} */
  const paint = { "line-color": colour, "line-width": grows(widths) };
  if (kind === "path") paint["line-dasharray"] = [2, 1.5];
  return {
    id: `road-${kind}`,
    type: "line",
    source: "roads",
    "source-layer": "speeds",
    minzoom: from,
    filter: ofKind(kind),
    layout: kind === "path" ? { "line-join": "round" } : ROUND,
    paint,
  };
}

/** @param {typeof LIGHT} colours */
function ferry(colours) {
  return {
    id: "ferry",
    type: "line",
    source: "roads",
    "source-layer": "speeds",
    filter: ["==", ["get", "class"], "ferry"],
    paint: { "line-color": colours.ferry, "line-width": 1.5, "line-dasharray": [4, 3] },
  };
}

/**
 * Where the data ends.
 * @param {typeof LIGHT} colours
 */
function limit(colours) {
  return {
    id: "limit",
    type: "line",
    source: "limit",
    paint: {
      "line-color": colours.limit,
      "line-width": 1,
      "line-dasharray": [6, 4],
      "line-opacity": 0.7,
    },
  };
}

/**
 * Roads that somebody has closed since the map was made.
 * @param {typeof LIGHT} colours
 */
function closures(colours) {
  const shared = {
    type: "line",
    source: "roads",
    "source-layer": "speeds",
    filter: ["all", ["==", ["get", "datasource"], "live"], ["==", ["get", "speed"], 0]],
  };
  return [
    {
      ...shared,
      id: "closed",
      layout: ROUND,
      paint: { "line-color": colours.closed, "line-width": grows([2, 3, 5, 9, 30]) },
    },
    {
      ...shared,
      id: "closed-gap",
      paint: {
        "line-color": colours.closedGap,
        "line-width": grows([0.8, 1.2, 2, 4, 14]),
        "line-dasharray": [1.2, 1.2],
      },
    },
  ];
}

/** @param {typeof LIGHT} colours */
function reach(colours) {
  const [first, ...others] = colours.reach;
  const ring = ["match", ["get", "ring"], ...others.flatMap((colour, i) => [i + 1, colour]), first];
  return [
    {
      id: "reach-fill",
      type: "fill",
      source: "reach",
      filter: ["==", ["geometry-type"], "Polygon"],
      paint: { "fill-color": ring, "fill-opacity": 0.2 },
    },
    {
      id: "reach-line",
      type: "line",
      source: "reach",
      filter: ["==", ["geometry-type"], "LineString"],
      layout: ROUND,
      paint: { "line-color": ring, "line-width": 1.8 },
    },
  ];
}

/** @param {typeof LIGHT} colours */
function routes(colours) {
  const isChosen = ["get", "chosen"];
  const line = (/** @type {string} */ id, /** @type {any} */ filter, /** @type {any} */ paint) => ({
    id,
    type: "line",
    source: "routes",
    filter,
    layout: ROUND,
    paint,
  });
  const wide = ["interpolate", ["linear"], ["zoom"], 8, 3.5, 13, 5.5, 17, 9];
  const wider = ["interpolate", ["linear"], ["zoom"], 8, 6, 13, 9, 17, 14];
  return [
    line("other-casing", ["!", isChosen], {
      "line-color": colours.otherCasing,
      "line-width": wider,
    }),
    line("other", ["!", isChosen], { "line-color": colours.other, "line-width": wide }),
    line("route-casing", isChosen, { "line-color": colours.routeCasing, "line-width": wider }),
    line("route", isChosen, { "line-color": colours.route, "line-width": wide }),
    line("route-hit", true, { "line-color": "#000", "line-opacity": 0, "line-width": 22 }),
    {
      id: "step",
      type: "line",
      source: "step",
      layout: ROUND,
      paint: { "line-color": colours.step, "line-width": wide },
    },
    {
      id: "step-start",
      type: "circle",
      source: "step",
      paint: {
        "circle-color": colours.step,
        "circle-radius": 5.5,
        "circle-stroke-color": colours.routeCasing,
        "circle-stroke-width": 2,
      },
      filter: ["==", ["geometry-type"], "Point"],
    },
  ];
}

/** @param {typeof LIGHT} colours */
function plan(colours) {
  const [first, ...others] = colours.couriers;
  const own = others.flatMap((colour, i) => [i + 1, colour]);
  const line = { type: "line", source: "plan", layout: ROUND };
  const wide = ["interpolate", ["linear"], ["zoom"], 8, 3, 13, 5, 17, 8];
  const wider = ["interpolate", ["linear"], ["zoom"], 8, 5.5, 13, 8.5, 17, 13];
  return [
    {
      ...line,
      id: "plan-casing",
      paint: { "line-color": colours.routeCasing, "line-width": wider },
    },
    {
      ...line,
      id: "plan-line",
      paint: { "line-color": ["match", ["get", "courier"], ...own, first], "line-width": wide },
    },
  ];
}

/** @param {typeof LIGHT} colours */
function labels(colours) {
  const important = [
    "match",
    ["get", "class"],
    "motorway",
    0,
    "trunk",
    1,
    "primary",
    2,
    "secondary",
    3,
    "tertiary",
    4,
    5,
  ];
  return {
    id: "names",
    type: "symbol",
    source: "roads",
    "source-layer": "speeds",
    minzoom: 12,
    filter: [
      "all",
      ["!=", ["get", "name"], ""],
      ["step", ["zoom"], ["<=", important, 3], 14, ["<=", important, 4], 14.7, true],
    ],
    layout: {
      "symbol-placement": "line",
      "symbol-sort-key": important,
      "symbol-spacing": 380,
      "text-field": ["get", "name"],
      "text-font": FONT,
      "text-size": ["interpolate", ["linear"], ["zoom"], 12, 10.5, 17, 13.5],
      "text-max-angle": 38,
      "text-padding": 3,
    },
    paint: { "text-color": colours.text, "text-halo-color": colours.halo, "text-halo-width": 1.6 },
  };
}
