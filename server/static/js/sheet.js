// @ts-check
/** On a narrow screen the panel is a sheet at the bottom: drawn up and down, or by its handle's key. */

import { byId } from "./dom.js";

const HEIGHTS = ["peek", "half", "full"];
const STEP_PX = 40;

/** Make the handle work. */
export function startSheet() {
  const handle = byId("sheet-handle");
  /** @type {{y: number, moved: boolean} | null} */
  let grip = null;
  handle.addEventListener("pointerdown", (event) => {
    grip = { y: event.clientY, moved: false };
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointermove", (event) => {
    if (!grip || Math.abs(event.clientY - grip.y) < STEP_PX) return;
    move(event.clientY < grip.y ? 1 : -1);
    grip = { y: event.clientY, moved: true };
  });
  handle.addEventListener("click", () => {
    if (!grip?.moved) setSheet(height() === "half" ? "full" : "half");
    grip = null;
  });
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(step);
  });
  setSheet("half");
}

/** @param {string} height "peek", "half" or "full" */
export function setSheet(height) {
  byId("panel").dataset.sheet = height;
  byId("sheet-handle").setAttribute("aria-expanded", String(height !== "peek"));
}

function height() {
  return byId("panel").dataset.sheet ?? "half";
}

/** @param {number} step */
function move(step) {
  const next = HEIGHTS.indexOf(height()) + step;
  setSheet(HEIGHTS[Math.min(Math.max(next, 0), HEIGHTS.length - 1)]);
}
