// @ts-check
/** What the page has to say: seen below the map, and read out. */

import { byId, el } from "./dom.js";

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Say something that passes.
 * @param {string} text
 */
export function say(text) {
  show(text, []);
  timer = setTimeout(hush, 5000);
}

/**
 * Say what is wrong; it stays until it is put right or away.
 * @param {string} text
 * @param {(() => void) | null} [retry]
 */
export function complain(text, retry = null) {
  const again =
    retry && el("button", { type: "button", onclick: () => (hush(), retry()) }, "Try again");
  const away = el("button", { type: "button", "aria-label": "Dismiss", onclick: hush }, "×");
  show(text, again ? [again, away] : [away], true);
}

/** Say nothing any more. */
export function hush() {
  clearTimeout(timer);
  const box = byId("message");
  box.classList.remove("shown", "wrong");
  box.replaceChildren();
}

/**
 * @param {string} text
 * @param {HTMLElement[]} buttons
 * @param {boolean} [isWrong]
 */
function show(text, buttons, isWrong = false) {
  clearTimeout(timer);
  const box = byId("message");
  box.classList.add("shown");
  box.classList.toggle("wrong", isWrong);
  box.replaceChildren(el("span", {}, text), ...buttons);
}
