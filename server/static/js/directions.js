// @ts-check
/** Sentences for the steps of a route, in English. */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} [ref]
 * @property {string} [destinations]
 * @property {string} [exits]
 * @property {string} [rotary_name]
 * @property {string} mode
 * @property {number} distance
 * @property {number} duration
 * @property {{coordinates: import("./geo.js").LonLat[]}} geometry
 * @property {{type: string, modifier?: string, exit?: number, bearing_after: number}} maneuver
 */

const COMPASS = [
  "north",
  "northeast",
  "east",
  "southeast",
  "south",
  "southwest",
  "west",
  "northwest",
];
const ORDINALS = [
  "",
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
];

/**
 * What to do where a step begins.
 * @param {Step} step
 * @param {string} [goal] what the leg ends at
 * @returns {string}
 */
export function sentence(step, goal = "your destination") {
  const { type, modifier = "straight", exit, bearing_after } = step.maneuver;
  const onto = road(step, "onto");
  if (step.mode === "ferry" && type !== "arrive") return `Take the ferry${suffix(": ", step.name)}`;
  switch (type) {
    case "depart":
      return `Head ${COMPASS[Math.round(bearing_after / 45) % 8]}${road(step, "on")}`;
    case "arrive":
      return modifier === "straight" || !/left|right/.test(modifier)
        ? `Arrive at ${goal}`
        : `Arrive at ${goal}, on the ${modifier.includes("left") ? "left" : "right"}`;
    case "roundabout":
    case "rotary": {
      const which = step.rotary_name ? step.rotary_name : "the roundabout";
      if (!exit) return `Enter ${which}`;
      return `At ${which}, take the ${ordinal(exit)} exit${onto}`;
    }
    case "exit roundabout":
    case "exit rotary":
      return `Leave the roundabout${onto}`;
    case "roundabout turn":
      return `At the roundabout, ${turning(modifier)}${onto}`;
    case "on ramp":
      return `Take the ramp${side(modifier)}${toward(step) || onto}`;
    case "off ramp":
      return `Take ${step.exits ? `exit ${step.exits}` : "the exit"}${side(modifier)}${toward(step) || onto}`;
    case "fork":
      return `Keep ${keeping(modifier)} at the fork${toward(step) || onto}`;
    case "merge":
      return `Merge${/left|right/.test(modifier) ? ` ${keeping(modifier)}` : ""}${onto}`;
    case "end of road":
      return `At the end of the road, ${turning(modifier)}${onto}`;
    case "new name":
      return modifier === "uturn" ? `Make a U-turn${onto}` : `Continue${road(step, "on")}`;
    case "continue":
      return modifier === "straight"
        ? `Continue straight${road(step, "on")}`
        : `${capital(turning(modifier))}${road(step, "to stay on")}`;
    case "use lane":
      return "Keep to the marked lanes";
    case "notification":
      return `Continue${road(step, "on")}`;
    default:
      return modifier === "straight"
        ? `Go straight on${onto}`
        : `${capital(turning(modifier))}${onto}`;
  }
}

/** @param {string} modifier */
function turning(modifier) {
  if (modifier === "uturn") return "make a U-turn";
  if (modifier === "straight") return "go straight on";
  const [how, way] = modifier.includes(" ") ? modifier.split(" ") : ["", modifier];
  if (how === "slight") return `bear ${way}`;
  return how === "sharp" ? `turn sharply ${way}` : `turn ${way}`;
}

/** @param {string} modifier */
function keeping(modifier) {
  return modifier.includes("left") ? "left" : modifier.includes("right") ? "right" : "straight";
}

/** @param {string} modifier */
function side(modifier) {
  return /left|right/.test(modifier) ? ` on the ${keeping(modifier)}` : "";
}

/**
 * @param {Step} step
 * @param {string} word
 */
function road(step, word) {
  const name =
    step.name && step.ref && step.name !== step.ref
      ? `${step.name} (${step.ref})`
      : step.name || step.ref;
  return suffix(` ${word} `, name);
}

/** @param {Step} step */
function toward(step) {
  return suffix(" towards ", step.destinations?.replace(/^[^:]*:\s*/, ""));
}

/**
 * @param {string} before
 * @param {string | undefined} text
 */
function suffix(before, text) {
  return text ? before + text : "";
}

/** @param {number} number */
function ordinal(number) {
  return ORDINALS[number] ?? `${number}th`;
}

/** @param {string} text */
function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
