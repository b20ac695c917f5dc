// @ts-check
/** A small menu at a place of the map: what is to be there. */

import { el } from "./dom.js";

/**
 * @param {import("./map.js").RoadMap} map
 * @param {import("./geo.js").LonLat} point
 * @param {{label: string, act: () => void}[]} choices
 */
export function openMenu(map, point, choices) {
  const back = document.activeElement;
  const buttons = choices.map(({ label, act }) =>
    el("button", { type: "button", role: "menuitem", onclick: () => (close(), act()) }, label),
  );
  const list = el(
    "div",
    { role: "menu", class: "menu", "aria-label": "This place", onkeydown: keys },
    ...buttons,
  );
  const popup = new map.library.Popup({
    closeButton: false,
    offset: 8,
    className: "menu-popup",
    maxWidth: "none",
  })
    .setLngLat(point)
    .setDOMContent(list)
    .addTo(map.gl);
  buttons[0].focus();

  function close() {
    popup.remove();
    if (back instanceof HTMLElement) back.focus();
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    const now = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) buttons[(now + step + buttons.length) % buttons.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
