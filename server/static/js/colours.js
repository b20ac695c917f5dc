// @ts-check
/** The colours of the map, for light and for dark. */

export const LIGHT = {
  land: "#eef1ec",
  casing: "#cfd5d0",
  motorway: "#e8985a",
  trunk: "#efb47a",
  primary: "#f4c983",
  secondary: "#f8e2a4",
  street: "#ffffff",
  path: "#b9a88f",
  ferry: "#6f9fc4",
  text: "#3d4a46",
  halo: "#ffffff",
  closed: "#c4262e",
  closedGap: "#ffffff",
  route: "#1f5fd6",
  routeCasing: "#ffffff",
  other: "#8aa0bd",
  otherCasing: "#ffffff",
  step: "#f59e0b",
  reach: ["#0b6e69", "#2f8f7f", "#62ab8c", "#a3c99a"],
  limit: "#8d9a94",
  couriers: ["#1f5fd6", "#c2410c", "#0b7a3b", "#9d174d", "#6d28d9", "#0e7490", "#854d0e", "#374151"],
};

/** How many couriers have a colour of their own. */
export const COLOURS = LIGHT.couriers.length;

/** @type {typeof LIGHT} */
export const DARK = {
  land: "#12181b",
  casing: "#0a0e10",
  motorway: "#b5713a",
  trunk: "#966238",
  primary: "#7a5c37",
  secondary: "#5d5138",
  street: "#38434a",
  path: "#4d463a",
  ferry: "#3f6a8a",
  text: "#c3cfca",
  halo: "#12181b",
  closed: "#ff6b6b",
  closedGap: "#12181b",
  route: "#6aa8ff",
  routeCasing: "#08172e",
  other: "#5b6f8c",
  otherCasing: "#0a0e10",
  step: "#ffd166",
  reach: ["#3fd0bf", "#35a899", "#2c8375", "#245f55"],
  limit: "#5d6a66",
  couriers: ["#6aa8ff", "#ff9d5c", "#5fd68a", "#ff8fc0", "#b79bff", "#56d3e6", "#e6c35c", "#d5dae0"],
};
