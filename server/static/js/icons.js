// @ts-check
/** Signs drawn as lines on a square of 24 units. */

import { svg } from "./dom.js";

const PATHS = {
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  light:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400",
  dark: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  remove: "M6 6l12 12M18 6L6 18",
  straight: "M12 20V5M6.500 10.500L12 5l5.500 5.500",
  slight: "M9 20v-6l7-7M10 6.500h6.500V13",
  turn: "M7 20v-6a4 4 0 0 1 4-4h7M13 5l5 5-5 5",
  sharp: "M8 21V6l9 9.500M17 9v6.500h-6.500",
  uturn: "M16 20V9a4.500 4.500 0 0 0-9 0v7M3 12.500L7 16.500l4-4",
  roundabout: "M12 21v-5M12 16a4 4 0 1 1 3.500-2M15 10l5-4M15.500 5.500L20 6l-.5 4.500",
  fork: "M12 21v-7M12 14L6 8V4M12 14l6-6V4M15 6.500L18 3.500l3 3",
  merge: "M7 20c0-5 5-5 5-10V4M17 20c0-3-1.500-4.500-3-6M8 8l4-4 4 4",
  depart: "M12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7",
  arrive: "M7 21V4M7 5h10l-2.500 3.500L17 12H7",
  ferry: "M4 15h16l-2.500 5H6.500zM7 15V9h10v6M12 9V4",
};

/**
 * @param {keyof typeof PATHS} name
 * @param {boolean} [mirrored]
 */
export function icon(name, mirrored = false) {
  const path = svg("path", {
    d: PATHS[name],
    transform: mirrored ? "matrix(-1 0 0 1 24 0)" : null,
  });
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}

/**
 * The sign of a maneuver.
 * @param {{type: string, modifier?: string}} maneuver
 */
export function maneuverIcon({ type, modifier = "straight" }) {
  const mirrored = modifier.includes("left") !== (modifier === "uturn");
  if (type === "depart" || type === "arrive") return icon(type);
  if (/roundabout|rotary/.test(type) && !type.startsWith("exit")) return icon("roundabout");
  if (modifier === "uturn") return icon("uturn");
  if (type === "fork") return icon("fork", modifier.includes("left"));
  if (type === "merge") return icon("merge", modifier.includes("left"));
  if (modifier.startsWith("slight")) return icon("slight", mirrored);
  if (modifier.startsWith("sharp")) return icon("sharp", mirrored);
  return modifier === "straight" ? icon("straight") : icon("turn", mirrored);
}
