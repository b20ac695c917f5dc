// @ts-check
/** The map itself: MapLibre over our own tiles. */

import { ApiError, explain } from "./api.js";
import { byId } from "./dom.js";
import { loadGlyphs } from "./glyphs.js";
import { complain } from "./messages.js";
import { mapStyle } from "./style.js";
import { isDark } from "./theme.js";

/** @typedef {import("./geo.js").LonLat} LonLat */

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 720px)");

/** Address of the tiles of a profile, on this very server: MapLibre's workers want it whole. */
export function tilesOf(/** @type {string} */ profile) {
  return `${location.origin}/tile/v1/${encodeURIComponent(profile)}/tile({x},{y},{z}).mvt`;
}

/** MapLibre with what this page needs of it. */
export class RoadMap {
  /** @type {Map<string, any>} */
  #data = new Map();

  /**
   * @param {any} library MapLibre
   * @param {string} profile
   * @param {[number, number, number, number]} bounds of the dataset
   * @param {string} view where to look, "" to see all
   */
  constructor(library, profile, bounds, view) {
    this.library = library;
    this.bounds = bounds;
    this.profile = profile;
    library.addProtocol("letters", loadGlyphs);
    const [west, south, east, north] = bounds;
    const [dx, dy] = [Math.max(east - west, 0.05), Math.max(north - south, 0.05)];
    this.gl = new library.Map({
      container: byId("map"),
      style: mapStyle(tilesOf(profile), isDark()),
      ...(view ? readView(view) : { bounds, fitBoundsOptions: { padding: this.padding() } }),
      maxBounds:
        dx > 60
          ? undefined
          : [
              west - 2 * dx,
              Math.max(-85, south - 2 * dy),
              east + 2 * dx,
              Math.min(85, north + 2 * dy),
            ],
      minZoom: 4,
      maxZoom: 19,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      attributionControl: false,
      fadeDuration: calm.matches ? 0 : 200,
      localIdeographFontFamily: "sans-serif",
    });
    this.gl.touchZoomRotate.disableRotation();
    this.gl.keyboard.disableRotation();
    this.gl.addControl(new library.NavigationControl({ showCompass: false }), "top-right");
    this.gl.addControl(
      new library.AttributionControl({
        compact: false,
        customAttribution:
          '© <a href="https://www.openstreetmap.org/copyright" rel="noopener" target="_blank">OpenStreetMap</a> contributors',
      }),
      "bottom-right",
    );
    this.gl.addControl(new library.ScaleControl({ maxWidth: 110 }), "bottom-right");
    this.gl
      .getCanvas()
      .setAttribute(
        "aria-label",
        "Map. Arrow keys move it, plus and minus zoom, Enter sets a point at its centre.",
      );
    this.gl.on("error", (/** @type {any} */ event) => this.#failed(event.error));
    this.gl.on("load", () => {
      for (const [name, data] of this.#data) this.gl.getSource(name)?.setData(data);
    });
    this.show("limit", {
      type: "Polygon",
      coordinates: [
        [
          [west, south],
          [east, south],
          [east, north],
          [west, north],
          [west, south],
        ],
      ],
    });
  }

  /**
   * Tiles that do not come are the server's, all else is this page's fault.
   * @param {any} error
   */
  #failed(error) {
    if (error?.name === "AbortError") return;
    const isRequest = error?.url || /fetch|AJAX/i.test(String(error));
    if (isRequest) complain(explain(failedRequest(error)), () => this.reload());
    else console.error(error);
  }

  /** Pixels at the sides that the panel covers. */
  padding() {
    if (!narrow.matches) return { top: 60, bottom: 90, left: 460, right: 80 };
    const panel = byId("panel").getBoundingClientRect();
    const covered = Math.min(innerHeight - panel.top, innerHeight * 0.62);
    return { top: 60, bottom: covered + 30, left: 40, right: 40 };
  }

  /**
   * Draw GeoJSON as one of the overlays of the style.
   * @param {string} name
   * @param {any} data
   */
  show(name, data) {
    this.#data.set(name, data);
    this.gl.getSource(name)?.setData(data);
  }

  /** @param {string} name */
  hide(name) {
    this.show(name, { type: "FeatureCollection", features: [] });
  }

  /**
   * Look at a box.
   * @param {[number, number, number, number]} bounds
   * @param {number} [maxZoom]
   */
  look(bounds, maxZoom = 16) {
    this.gl.fitBounds(bounds, {
      padding: this.padding(),
      maxZoom,
      animate: !calm.matches,
      duration: 600,
    });
  }

  /**
   * Whether a point is seen, and not under the panel.
   * @param {LonLat} point
   */
  sees(point) {
    const { x, y } = this.gl.project(point);
    const { top, left, right, bottom } = this.padding();
    return (
      x > left - 20 && y > top - 30 && x < innerWidth - right + 30 && y < innerHeight - bottom + 20
    );
  }

  /** Ask for the roads again, of a profile and as they are now. */
  reload(profile = this.profile) {
    this.profile = profile;
    this.gl.getSource("roads")?.setTiles([tilesOf(profile)]);
  }

  /** Take on the colours of the page. */
  recolour() {
    if (!this.gl.isStyleLoaded() && !this.gl.getStyle()) return;
    for (const { id, paint = {} } of mapStyle(tilesOf(this.profile), isDark()).layers) {
      for (const [name, value] of Object.entries(paint)) this.gl.setPaintProperty(id, name, value);
    }
  }

  /** Where the map looks, for the address bar. */
  view() {
    const { lng, lat } = this.gl.getCenter();
    return `${Number(this.gl.getZoom().toFixed(2))}/${lat.toFixed(5)}/${lng.toFixed(5)}`;
  }

  /** @param {string} view */
  jump(view) {
    if (view && view !== this.view()) this.gl.jumpTo(readView(view));
  }
}

/** @param {{status?: number, message?: string}} error */
function failedRequest({ status, message = "" }) {
  return status
    ? new ApiError(status === 503 ? "Busy" : "Failed", `The map could not be loaded: ${message}`)
    : new ApiError("Gone", message);
}

/** @param {string} view */
function readView(view) {
  const [zoom, lat, lng] = view.split("/").map(Number);
  return { zoom, center: [lng, lat] };
}
