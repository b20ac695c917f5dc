// @ts-check
/** A field for a place: coordinates, or the name of a street with suggestions (ARIA's combobox). */

import { ApiError, Latest, explain } from "./api.js";
import { el } from "./dom.js";
import { parsePoint, writePoint } from "./geo.js";
import { complain, hush } from "./messages.js";
import { distanceText } from "./units.js";

/** @typedef {import("./geo.js").LonLat} LonLat */
/** @typedef {{label: string, detail: string, point: LonLat}} Place */

const WAIT_MS = 120;
const MOST = 7;
let count = 0;

/**
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.placeholder
 * @param {(place: Place | null) => void} options.chosen null if the field was emptied
 */
export function placeField({ label, placeholder, chosen }) {
  const id = `places-${++count}`;
  const latest = new Latest();
  /** @type {Place[]} */
  let places = [];
  let active = -1;
  let settled = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const list = el("ul", {
    id,
    role: "listbox",
    "aria-label": `Places for ${label}`,
    class: "places",
    hidden: true,
  });
  const input = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "text",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-label": label,
      placeholder,
      oninput: () => (clearTimeout(timer), (timer = setTimeout(look, WAIT_MS))),
      onkeydown: keys,
      onblur: leave,
      onfocus: () => input.select(),
    })
  );
  const root = el("div", { class: "place-field" }, input, list);

  async function look() {
    const text = input.value.trim();
    const point = parsePoint(text);
    if (point) return offer([{ label: writePoint(point), detail: "coordinates", point }]);
    if (!text) return offer([]);
    try {
      const query = new URLSearchParams({ text: text.slice(0, 100), number: String(MOST) });
      const answer = await latest.ask(`/search/v1/streets?${query}`);
      if (!answer || document.activeElement !== input) return undefined;
      hush();
      return offer(answer.streets.map(placeOf), true);
    } catch (error) {
      if (error instanceof ApiError) complain(explain(error));
      return undefined;
    }
  }

  /**
   * @param {Place[]} found
   * @param {boolean} [tellNone]
   */
  function offer(found, tellNone = false) {
    places = found;
    active = found.length ? 0 : -1;
    const rows = found.map((place, i) =>
      el(
        "li",
        {
          role: "option",
          id: `${id}-${i}`,
          onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
          onclick: () => take(place),
        },
        el("span", {}, place.label),
        el("small", {}, place.detail),
      ),
    );
    const none = el(
      "li",
      { class: "none", role: "option", "aria-disabled": "true" },
      "No street of that name here",
    );
    list.replaceChildren(...(tellNone && !rows.length ? [none] : rows));
    list.hidden = !list.childElementCount;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  }

  function mark() {
    [...list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === active)));
    if (active < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${id}-${active}`);
    list.children[active]?.scrollIntoView({ block: "nearest" });
  }

  function close() {
    clearTimeout(timer);
    latest.cancel();
    offer([]);
  }

  /** @param {Place} place */
  function take(place) {
    show(place.label);
    close();
    chosen(place);
  }

  /** @param {KeyboardEvent} event */
  async function keys(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && places.length) {
      active = (active + step + places.length) % places.length;
      mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!places.length && input.value.trim() && input.value !== settled) await look();
      if (places[active]) take(places[active]);
      else if (!input.value.trim()) empty();
      return;
    } else if (event.key === "Escape" && (!list.hidden || input.value !== settled)) {
      show(settled);
      close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  function leave() {
    close();
    if (!input.value.trim()) empty();
    else if (parsePoint(input.value) && input.value !== settled) {
      const point = /** @type {LonLat} */ (parsePoint(input.value));
      take({ label: writePoint(point), detail: "", point });
    } else show(settled);
  }

  function empty() {
    if (settled) chosen(null);
    settled = "";
  }

  /** @param {string} text what the field stands for now */
  function show(text) {
    settled = text;
    input.value = text;
  }

  return {
    root,
    input,
    /** @param {string} text */
    show(text) {
      if (text === settled) return;
      if (document.activeElement === input && input.value !== settled)
        settled = text; // is being typed
      else show(text);
    },
    /** @param {string} text */
    name(text) {
      input.setAttribute("aria-label", text);
      input.placeholder = text;
    },
  };
}

/**
 * @param {{name: string, location: LonLat, length: number}} street
 * @returns {Place}
 */
function placeOf({ name, location, length }) {
  return { label: name, detail: distanceText(length), point: location };
}
