// @ts-check
/** The panels of the page, of which one is seen. */

import { byId } from "./dom.js";
import { PANELS } from "./state.js";

/** @typedef {import("./state.js").State["panel"]} Panel */

/** @param {(panel: Panel) => void} chosen */
export function startTabs(chosen) {
  PANELS.forEach((panel, i) => {
    const tab = byId(`tab-${panel}`);
    tab.addEventListener("click", () => chosen(panel));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const to =
        event.key === "Home"
          ? 0
          : event.key === "End"
            ? PANELS.length - 1
            : step && (i + step + PANELS.length) % PANELS.length;
      if (to === undefined) return;
      event.preventDefault();
      chosen(PANELS[to]);
      byId(`tab-${PANELS[to]}`).focus();
    });
  });
}

/** @param {Panel} shown */
export function showTab(shown) {
  for (const panel of PANELS) {
    const isShown = panel === shown;
    const tab = byId(`tab-${panel}`);
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    byId(`panel-${panel}`).hidden = !isShown;
  }
}
