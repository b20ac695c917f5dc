// @ts-check
/** Where the page begins. */

import { byId } from "./dom.js";
import { complain } from "./messages.js";
import { Page } from "./page.js";

/** @typedef {import("./page.js").Dataset} Dataset */

function start() {
  /** @type {Dataset} */
  const dataset = JSON.parse(byId("dataset").textContent ?? "{}");
  const date = dataset.timestamp.slice(0, 10);
  byId("dataset-name").textContent = dataset.extract.replace(/\.osm\.pbf$|\.osm(\.\w+)?$/, "");
  byId("facts").textContent = `Whimbrel ${dataset.version}${date ? ` · map of ${date}` : ""}`;
  const library = /** @type {any} */ (globalThis).maplibregl;
  const broken = !library
    ? "The map library is not installed on this server."
    : !document.createElement("canvas").getContext("webgl2") &&
      "This browser has no WebGL 2, without which there is no map.";
  if (broken) {
    complain(broken);
    return;
  }
  try {
    /** @type {any} */ (globalThis).whimbrel = new Page(library, dataset);
  } catch (error) {
    complain(`The map cannot be drawn: ${error}`);
  }
}

start();
