// @ts-check
/** Elements in few words. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes, listeners (`onclick`) and children; text is never read as HTML.
 * @param {string} name
 * @param {Record<string, any>} [attributes] those that are null, undefined or false are left out
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * The same for SVG.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  return fill(
    /** @type {SVGElement} */ (document.createElementNS(SVG, name)),
    attributes,
    children,
  );
}

/**
 * The element of the page with an id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {Record<string, any>} attributes
 * @param {(Node | string | null)[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
