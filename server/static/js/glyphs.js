// @ts-check
/**
 * Letters for the map, drawn here by the browser's own font: nothing is fetched for them.
 *
 * MapLibre asks for 256 letters at a time as signed distance fields in a protocol buffer. The exact
 * distances are those of Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions"
 * (2012), section 2.
 */

const SIZE = 24;
const BORDER = 3;
const RADIUS = 8;
const CUTOFF = 0.25;
const FAR = 1e20;
/** From the top of a line, as MapLibre counts, to where letters stand. */
const ASCENT = 27;
const FONT = `500 ${SIZE}px Inter, system-ui, sans-serif`;

export const GLYPHS = "letters://{fontstack}/{range}";

/**
 * The loader of `GLYPHS` for `maplibregl.addProtocol`.
 * @param {{url: string}} request
 * @returns {Promise<{data: ArrayBuffer}>}
 */
export async function loadGlyphs({ url }) {
  const found = /\/\/(.*)\/(\d+)-(\d+)$/.exec(url);
  if (!found) throw new Error(`no letters at ${url}`);
  const [first, last] = [Number(found[2]), Number(found[3])];
  const letters = [];
  for (let code = first; code <= last; code++) {
    const text = String.fromCharCode(code);
    if (/[\p{C}\p{M}]/u.test(text)) continue;
    letters.push(message(3, glyph(text, code)));
  }
  const stack = [bytes(1, utf8(decodeURIComponent(found[1]))), bytes(2, utf8(`${first}-${last}`))];
  const all = message(1, [...stack, ...letters]);
  return { data: new Uint8Array(all).buffer };
}

/** @type {CanvasRenderingContext2D | null} */
let context = null;

function canvas() {
  if (context) return context;
  const element = document.createElement("canvas");
  element.width = element.height = 3 * SIZE;
  context = /** @type {CanvasRenderingContext2D} */ (
    element.getContext("2d", { willReadFrequently: true })
  );
  context.font = FONT;
  context.textBaseline = "alphabetic";
  return context;
}

/**
 * @param {string} text
 * @param {number} code
 */
function glyph(text, code) {
  const drawing = canvas();
  const measure = drawing.measureText(text);
  const left = Math.floor(-measure.actualBoundingBoxLeft);
  const top = Math.ceil(measure.actualBoundingBoxAscent);
  const width = Math.max(0, Math.min(2 * SIZE, Math.ceil(measure.actualBoundingBoxRight) - left));
  const height = Math.max(0, Math.min(2 * SIZE, top + Math.ceil(measure.actualBoundingBoxDescent)));
  const fields = [varint(1, code)];
  if (width && height) fields.push(bytes(2, distances(drawing, text, left, top, width, height)));
  fields.push(varint(3, width), varint(4, height));
  fields.push(
    varint(5, zigzag(left)),
    varint(6, zigzag(top - ASCENT)),
    varint(7, Math.round(measure.width)),
  );
  return fields;
}

/**
 * @param {CanvasRenderingContext2D} drawing
 * @param {string} text
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {number} height
 */
function distances(drawing, text, left, top, width, height) {
  const [w, h] = [width + 2 * BORDER, height + 2 * BORDER];
  drawing.clearRect(0, 0, w, h);
  drawing.fillText(text, BORDER - left, BORDER + top);
  const { data } = drawing.getImageData(0, 0, w, h);
  const outer = new Float64Array(w * h);
  const inner = new Float64Array(w * h);
  for (let i = 0; i < w * h; i++) {
    const alpha = data[4 * i + 3] / 255;
    const edge = 0.5 - alpha;
    outer[i] = alpha === 0 ? FAR : alpha === 1 ? 0 : Math.max(0, edge) ** 2;
    inner[i] = alpha === 0 ? 0 : alpha === 1 ? FAR : Math.max(0, -edge) ** 2;
  }
  transform(outer, w, h);
  transform(inner, w, h);
  const field = new Array(w * h);
  for (let i = 0; i < w * h; i++) {
    const distance = Math.sqrt(outer[i]) - Math.sqrt(inner[i]);
    field[i] = Math.max(0, Math.min(255, Math.round(255 - 255 * (distance / RADIUS + CUTOFF))));
  }
  return field;
}

/**
 * Squares of the distances to the nearest 0, columns first, then rows.
 * @param {Float64Array} grid
 * @param {number} w
 * @param {number} h
 */
export function transform(grid, w, h) {
  for (let x = 0; x < w; x++) line(grid, x, w, h);
  for (let y = 0; y < h; y++) line(grid, y * w, 1, w);
}

/**
 * One line of a grid: the lower envelope of a parabola for each of its n places.
 * @param {Float64Array} grid
 * @param {number} start
 * @param {number} step
 * @param {number} n
 */
function line(grid, start, step, n) {
  const f = Float64Array.from({ length: n }, (_, i) => grid[start + i * step]);
  const v = new Int32Array(n);
  const z = new Float64Array(n + 1);
  z[0] = -Infinity;
  z[1] = Infinity;
  let k = 0;
  for (let q = 1; q < n; q++) {
    let s;
    do {
      const r = v[k];
      s = (f[q] - f[r] + q * q - r * r) / (2 * (q - r));
    } while (s <= z[k] && --k >= 0);
    v[++k] = q;
    z[k] = s;
    z[k + 1] = Infinity;
  }
  k = 0;
  for (let q = 0; q < n; q++) {
    while (z[k + 1] < q) k++;
    grid[start + q * step] = f[v[k]] + (q - v[k]) ** 2;
  }
}

/** @param {number} n */
const zigzag = (n) => (n < 0 ? -2 * n - 1 : 2 * n);

/** @param {string} text */
const utf8 = (text) => [...new TextEncoder().encode(text)];

/** @param {number} n */
function encoded(n) {
  const found = [];
  for (; n > 127; n >>>= 7) found.push((n & 127) | 128);
  return [...found, n];
}

/**
 * @param {number} field
 * @param {number} value
 */
const varint = (field, value) => [field << 3, ...encoded(value)];

/**
 * @param {number} field
 * @param {number[]} content
 */
const bytes = (field, content) => [(field << 3) | 2, ...encoded(content.length)].concat(content);

/**
 * @param {number} field
 * @param {number[][]} fields
 */
const message = (field, fields) => bytes(field, fields.flat());
