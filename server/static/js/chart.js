// @ts-check
/** Charts as SVG: a line over processes, and bars. */

import { svg } from "./dom.js";

const W = 320;
const H = 190;
const LEFT = 38;
const BOTTOM = 30;
const TOP = 12;
const RIGHT = 14;

/**
 * How much faster several processes are than one, beside what would be ideal.
 * @param {{processes: number, speed_up: number}[]} points
 */
export function speedUpChart(points) {
  const sorted = [...points].sort((a, b) => a.processes - b.processes);
  const most = Math.max(2, ...sorted.map((p) => p.processes));
  const highest = Math.max(most, ...sorted.map((p) => Math.ceil(p.speed_up)));
  const x = (/** @type {number} */ n) => LEFT + ((n - 1) / (most - 1)) * (W - LEFT - RIGHT);
  const y = (/** @type {number} */ s) => H - BOTTOM - (s / highest) * (H - BOTTOM - TOP);
  const path = sorted
    .map((p, i) => `${i ? "L" : "M"}${x(p.processes).toFixed(1)} ${y(p.speed_up).toFixed(1)}`)
    .join("");
  const told = sorted
    .map(
      (p) =>
        `${p.processes} process${p.processes === 1 ? "" : "es"} ${p.speed_up.toFixed(2)} times`,
    )
    .join(", ");
  return svg(
    "svg",
    { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": `Speed-up: ${told}` },
    ...ticksTo(highest).flatMap((n) => [
      svg("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(n), y2: y(n) }),
      svg("text", { x: LEFT - 12, y: y(n) + 4, "text-anchor": "end" }, `${n}×`),
    ]),
    ...sorted.map((p) =>
      svg(
        "text",
        { x: x(p.processes), y: H - BOTTOM + 16, "text-anchor": "middle" },
        String(p.processes),
      ),
    ),
    svg(
      "text",
      { x: (W + LEFT - RIGHT) / 2, y: H - 1, "text-anchor": "middle", class: "axis" },
      "processes",
    ),
    svg("line", { class: "ideal", x1: x(1), y1: y(1), x2: x(most), y2: y(most) }),
    svg("path", { class: "measured", d: path }),
    ...sorted.map((p) =>
      svg("circle", { class: "dot", cx: x(p.processes), cy: y(p.speed_up), r: 4.5 }),
    ),
    ...sorted.map((p) =>
      svg(
        "text",
        {
          class: "value",
          x: x(p.processes) + (p.processes === most ? -8 : 8),
          y: y(p.speed_up) + (p.processes === most ? 18 : 16),
          "text-anchor": p.processes === most ? "end" : "start",
        },
        `${p.speed_up.toFixed(2)}×`,
      ),
    ),
  );
}

/** @param {number} most */
function ticksTo(most) {
  const step = Math.max(1, Math.ceil(most / 5));
  const ticks = [];
  for (let n = 0; n <= most; n += step) ticks.push(n);
  return ticks;
}

/**
 * A bar for each reader, the longest the fastest.
 * @param {{label: string, value: number, isOurs: boolean}[]} rows
 * @param {string} unit
 */
export function barChart(rows, unit) {
  const row = 38;
  const height = rows.length * row;
  const most = Math.max(1e-9, ...rows.map(({ value }) => value));
  const told = rows.map(({ label, value }) => `${label} ${value.toFixed(0)} ${unit}`).join(", ");
  return svg(
    "svg",
    {
      viewBox: `0 0 ${W} ${height}`,
      class: "chart",
      role: "img",
      "aria-label": `Read in a second: ${told}`,
    },
    ...rows.flatMap(({ label, value, isOurs }, i) => [
      svg("text", { x: 0, y: i * row + 13 }, label),
      svg(
        "text",
        { x: W, y: i * row + 13, "text-anchor": "end", class: "value" },
        `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${unit}`,
      ),
      svg("rect", { x: 0, y: i * row + 19, width: W, height: 9, rx: 4.5, class: "track" }),
      svg("rect", {
        x: 0,
        y: i * row + 19,
        width: Math.max(9, (value / most) * W),
        height: 9,
        rx: 4.5,
        class: isOurs ? "bar ours" : "bar",
      }),
    ]),
  );
}
