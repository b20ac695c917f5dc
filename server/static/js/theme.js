// @ts-check
/** Light, dark, or as the system is. */

import { byId } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "whimbrel-theme";
const NAMES = { auto: "as the system", light: "light", dark: "dark" };
const ORDER = /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES));
const system = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark now. */
export function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme === "dark" || (theme !== "light" && system.matches);
}

/**
 * Make the button work, and tell whenever the colours change.
 * @param {() => void} changed
 */
export function startTheme(changed) {
  const button = byId("theme");
  const show = () => {
    const theme = /** @type {keyof typeof NAMES} */ (
      document.documentElement.dataset.theme ?? "auto"
    );
    button.replaceChildren(icon(theme));
    button.setAttribute("aria-label", `Colours: ${NAMES[theme]}`);
    button.title = `Colours: ${NAMES[theme]}`;
    changed();
  };
  button.addEventListener("click", () => {
    const now = /** @type {keyof typeof NAMES} */ (
      document.documentElement.dataset.theme ?? "auto"
    );
    const next = ORDER[(ORDER.indexOf(now) + 1) % ORDER.length];
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // A browser that keeps nothing: it holds until the page is left.
    }
    show();
  });
  system.addEventListener("change", show);
  show();
}
