// @ts-check
/** Numbers as people read them. */

/** @param {number} metres */
export function distanceText(metres) {
  if (metres < 10) return `${Math.round(metres)} m`;
  if (metres < 995) return `${Math.round(metres / 10) * 10} m`;
  const km = metres / 1000;
  return `${km < 10 ? km.toFixed(1) : Math.round(km)} km`;
}

/** @param {number} seconds */
export function durationText(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** @param {number} bytes */
export function megabytes(bytes) {
  const mb = bytes / 1e6;
  return `${mb < 10 ? mb.toFixed(1) : Math.round(mb)} MB`;
}
