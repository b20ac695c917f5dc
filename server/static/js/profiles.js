// @ts-check
/** Which vehicle the roads are for. */

import { byId, el } from "./dom.js";

const NAMES = /** @type {Record<string, string>} */ ({
  car: "Car",
  bicycle: "Bicycle",
  foot: "On foot",
  truck: "Truck",
});

/**
 * @param {string[]} profiles
 * @param {(profile: string) => void} chosen
 */
export function startProfiles(profiles, chosen) {
  const box = byId("profiles");
  box.hidden = profiles.length < 2;
  const buttons = profiles.map((profile, i) =>
    el(
      "button",
      {
        type: "button",
        role: "radio",
        "data-profile": profile,
        onclick: () => chosen(profile),
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          const next = (i + step + profiles.length) % profiles.length;
          chosen(profiles[next]);
          buttons[next].focus();
        },
      },
      NAMES[profile] ?? profile,
    ),
  );
  box.replaceChildren(...buttons);
}

/** @param {string} profile */
export function showProfiles(profile) {
  for (const button of byId("profiles").querySelectorAll("button")) {
    const isChosen = button.dataset.profile === profile;
    button.setAttribute("aria-checked", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
  }
}
