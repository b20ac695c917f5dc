// @ts-check
/** Speeds and data may change while the page is open: then the roads are drawn anew. */

import { ask, onVersions } from "./api.js";

const EVERY_MS = 5_000;

/**
 * @param {() => string} path of a small question to the server
 * @param {() => void} changed
 */
export function watchVersions(path, changed) {
  let known = "";
  onVersions((versions) => {
    const isNew = known && versions !== known;
    known = versions;
    if (isNew) changed();
  });
  setInterval(() => {
    if (!document.hidden) ask(path()).catch(() => {}); // another request will say it
  }, EVERY_MS);
}
