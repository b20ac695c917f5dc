// @ts-check
/** The parts of the page together: whatever is done changes the state, which all of them show. */

import { byId } from "./dom.js";
import { lonLat } from "./geo.js";
import { Benchmark } from "./benchmark.js";
import { Couriers } from "./courier.js";
import { startLineDragging } from "./drag_line.js";
import { Reach } from "./isochrone.js";
import { watchVersions } from "./live.js";
import { inserted, legNear, removed, replaced } from "./itinerary.js";
import { RoadMap } from "./map.js";
import { openMenu } from "./menu.js";
import { Pins } from "./pins.js";
import { showProfiles, startProfiles } from "./profiles.js";
import { RoutePlanner } from "./route.js";
import { setSheet, startSheet } from "./sheet.js";
import { Store } from "./state.js";
import { Labels, StopList, stopName, stopSign } from "./stops.js";
import { showTab, startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";

/** @typedef {import("./geo.js").LonLat} LonLat */
/** @typedef {{name: string, extract: string, timestamp: string, version: string, profiles: string[], bounds: [number, number, number, number]}} Dataset */

/** The page. */
export class Page {
  /**
   * @param {any} library MapLibre
   * @param {Dataset} dataset
   */
  constructor(library, dataset) {
    const store = (this.store = new Store(dataset.profiles));
    const labels = (this.labels = new Labels());
    this.map = new RoadMap(library, store.state.profile, dataset.bounds, store.state.view);
    this.planner = new RoutePlanner(this.map, store, labels, () => this.name());
    this.reach = new Reach(this.map, store, labels, () => this.name());
    this.couriers = new Couriers(this.map, store, () => this.show(null, false));
    this.benchmark = new Benchmark();
    this.stops = new StopList(
      labels,
      (i, point) => this.findPoint(i, point),
      (i) => this.removePoint(i),
    );
    this.pins = new Pins(this.map, {
      moved: (i, point, isLive) => this.movePin(i, point, isLive),
      removed: (i) => this.removePin(i),
    });
    this.drag = startLineDragging(
      this.map,
      () => (store.state.panel === "route" ? this.planner.legs() : []),
      (leg, point, isLive) => this.dragLine(leg, point, isLive),
    );
    /** @type {(LonLat | null)[] | null} */
    this.before = null;
    this.wasLive = false;
    startTabs((panel) => store.set({ panel }));
    startProfiles(dataset.profiles, (profile) => store.set({ profile, chosen: 0 }));
    startSheet();
    startTheme(() => (this.map.recolour(), this.reach.drawLegend(), this.couriers.draw()));
    this.listen();
    store.onChange((state, before, isLive) => this.show(before, isLive));
    this.show(null, false);
    watchVersions(
      () =>
        `/nearest/v1/${encodeURIComponent(store.state.profile)}/${middle(dataset.bounds).join(",")}`,
      () => this.roadsChanged(),
    );
  }

  /** Buttons, and what is done to the map. */
  listen() {
    const { store, map } = this;
    byId("add-stop").addEventListener("click", () => this.addStop());
    byId("reverse").addEventListener("click", () =>
      store.set({ points: [...store.state.points].reverse(), chosen: 0 }),
    );
    byId("clear").addEventListener("click", () => {
      store.set({ points: [null, null], chosen: 0 });
      this.stops.focus(0);
    });
    map.gl.on("click", (/** @type {any} */ event) => this.click(event));
    map.gl.on("contextmenu", (/** @type {any} */ event) => this.menu(lonLat(event.lngLat)));
    map.gl.getCanvas().addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") this.place(lonLat(map.gl.getCenter()));
    });
    map.gl.on("moveend", () => store.set({ view: map.view() }, "quiet"));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.activeElement instanceof HTMLElement)
        document.activeElement.blur();
    });
    byId("panel").addEventListener("focusin", (event) => {
      if (event.target instanceof HTMLInputElement && byId("panel").dataset.sheet === "peek")
        setSheet("half");
    });
  }

  /**
   * @param {import("./state.js").State | null} before null at first
   * @param {boolean} isLive
   */
  show(before, isLive) {
    const { state } = this.store;
    const isDecided = this.wasLive && !isLive; // of what was dragged, and looks the same
    this.wasLive = isLive;
    if (before && !isDecided && isSameBut(before, state, "view"))
      return isLive ? undefined : this.map.jump(state.view);
    showTab(state.panel);
    showProfiles(state.profile);
    if (before && before.profile !== state.profile) this.map.reload(state.profile);
    this.benchmark.isOpen = state.panel === "bench";
    if (isLive && !this.before) this.stops.show(state.points);
    if (!isLive) this.name();
    this.showPins();
    if (state.panel === "route") this.planner.update(isLive);
    else if (!isLive) this.planner.clear();
    if (state.panel === "reach") this.reach.update(isLive);
    else this.reach.clear();
    if (state.panel === "courier") this.couriers.update();
    else this.couriers.clear();
    return undefined;
  }

  /** Call the points what they are called now, in the list and in the window's title. */
  name() {
    const { panel, points, centre } = this.store.state;
    this.stops.show(points);
    const [start, end] = [points[0], points.at(-1) ?? null].map((point) => this.labels.of(point));
    const about =
      panel === "reach"
        ? this.labels.of(centre)
        : panel === "route" && start && end
          ? `${start} to ${end}`
          : "";
    document.title = about ? `${about} · Whimbrel` : "Whimbrel";
  }

  showPins() {
    const { panel, points, centre } = this.store.state;
    const n = points.length;
    if (panel === "courier") this.pins.show(this.couriers.pins());
    else if (panel === "reach") {
      this.pins.show(
        centre
          ? [
              {
                point: centre,
                label: `Centre, ${this.labels.of(centre)}`,
                kind: "centre",
                sign: "",
                index: 0,
              },
            ]
          : [],
      );
    } else {
      const shown = panel === "route" ? points : [];
      this.pins.show(
        shown.flatMap((point, index) =>
          point
            ? [
                {
                  point,
                  index,
                  label: `${capital(stopName(index, n))}, ${this.labels.of(point)}`,
                  kind: index === 0 ? "start" : index === n - 1 ? "end" : "via",
                  sign: stopSign(index, n),
                },
              ]
            : [],
        ),
      );
    }
  }

  /** @param {any} event */
  click(event) {
    if (this.drag.isDragging() || this.store.state.panel === "bench") return;
    const hits = this.map.gl.getLayer("route-hit")
      ? this.map.gl.queryRenderedFeatures(event.point, { layers: ["route-hit"] })
      : [];
    if (hits.length && !hits.some((/** @type {any} */ hit) => hit.properties.chosen)) {
      this.planner.choose(hits[0].properties.index);
      return;
    }
    this.place(lonLat(event.lngLat));
  }

  /**
   * What is meant by choosing a place of the map.
   * @param {LonLat} point
   */
  place(point) {
    const { panel, points } = this.store.state;
    if (panel === "bench") return;
    if (panel === "reach") this.store.set({ centre: point });
    else if (panel === "courier") this.couriers.place(point);
    else if (points.includes(null)) this.setPoint(points.indexOf(null), point);
    else this.menu(point);
  }

  /** @param {LonLat} point */
  menu(point) {
    const { panel, points } = this.store.state;
    if (panel === "bench") return;
    if (panel === "courier") {
      openMenu(this.map, point, [{ label: "Add here", act: () => this.couriers.place(point) }]);
      return;
    }
    const last = points.length - 1;
    const choices = [
      { label: "Start here", act: () => this.setPoint(0, point) },
      { label: "End here", act: () => this.setPoint(last, point) },
    ];
    if (!points.includes(null))
      choices.splice(1, 0, {
        label: "Stop here on the way",
        act: () => this.insert(legNear(/** @type {LonLat[]} */ (points), point), point),
      });
    if (panel === "reach")
      choices.splice(0, choices.length, {
        label: "Centre here",
        act: () => this.store.set({ centre: point }),
      });
    openMenu(this.map, point, choices);
  }

  /**
   * A point that was typed: the map goes there, unless a route is about to be shown whole.
   * @param {number} index
   * @param {LonLat | null} point
   */
  findPoint(index, point) {
    this.setPoint(index, point);
    const isWhole = !this.store.state.points.includes(null);
    if (point && !isWhole && !this.map.sees(point)) this.map.look([...point, ...point]);
  }

  /**
   * @param {number} index
   * @param {LonLat | null} point
   */
  setPoint(index, point) {
    this.store.set({ points: replaced(this.store.state.points, index, point), chosen: 0 });
  }

  /**
   * @param {number} index
   * @param {boolean} [fromMap]
   */
  removePoint(index, fromMap = false) {
    this.store.set({ points: removed(this.store.state.points, index), chosen: 0 });
    if (fromMap) this.map.gl.getCanvas().focus();
    else this.stops.focus(index);
  }

  /** @param {number} index */
  removePin(index) {
    const { panel } = this.store.state;
    if (panel === "reach") this.store.set({ centre: null });
    else if (panel === "courier") this.couriers.remove(index);
    else this.removePoint(index, true);
  }

  addStop() {
    const { points } = this.store.state;
    this.store.set({ points: inserted(points, points.length - 2, null), chosen: 0 });
    this.stops.focus(points.length - 1);
  }

  /**
   * @param {number} leg
   * @param {LonLat} point
   */
  insert(leg, point) {
    this.store.set({ points: inserted(this.store.state.points, leg, point), chosen: 0 });
  }

  /**
   * @param {number} index
   * @param {LonLat} point
   * @param {boolean} isLive
   */
  movePin(index, point, isLive) {
    const { panel, points } = this.store.state;
    if (panel === "courier") {
      this.couriers.move(index, point, isLive);
      return;
    }
    const change =
      panel === "reach" ? { centre: point } : { points: replaced(points, index, point), chosen: 0 };
    this.store.set(change, isLive ? "live" : "step");
  }

  /**
   * @param {number} leg
   * @param {LonLat} point
   * @param {boolean} isLive
   */
  dragLine(leg, point, isLive) {
    this.before ??= this.store.state.points;
    const points = inserted(this.before, leg, point);
    if (!isLive) this.before = null;
    this.store.set({ points, chosen: 0 }, isLive ? "live" : "step");
  }

  /** Draw everything from what holds now. */
  roadsChanged() {
    this.map.reload();
    if (this.store.state.panel === "route") this.planner.update(false, true);
    if (this.store.state.panel === "reach") this.reach.update(false, true);
  }
}

/**
 * @template {object} T
 * @param {T} a
 * @param {T} b
 * @param {keyof T} but
 */
function isSameBut(a, b, but) {
  return Object.keys(a).every(
    (key) =>
      key === but ||
      JSON.stringify(a[/** @type {keyof T} */ (key)]) ===
        JSON.stringify(b[/** @type {keyof T} */ (key)]),
  );
}

/** @param {[number, number, number, number]} bounds */
function middle([west, south, east, north]) {
  return [(west + east) / 2, (south + north) / 2].map((degrees) => Number(degrees.toFixed(6)));
}

/** @param {string} text */
function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
