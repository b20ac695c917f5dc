// @ts-check
/** Requests to this server, and what their failures mean for a person. */

/** A request that had no answer, or a refusal for one. */
export class ApiError extends Error {
  /**
   * @param {string} code as the server names it, or "Gone" if it does not answer
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @type {Set<(versions: string) => void>} */
const listeners = new Set();

/**
 * Be told which dataset and weights each answer comes from.
 * @param {(versions: string) => void} listener
 */
export function onVersions(listener) {
  listeners.add(listener);
}

/**
 * The JSON answer of a service; throws `ApiError`, or `AbortError` if the signal says so.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function ask(path, options = {}) {
  let response, answer;
  try {
    response = await fetch(path, { headers: { accept: "application/json" }, ...options });
    answer = await response.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("Gone", "The server does not answer.");
  }
  const dataset = response.headers.get("whimbrel-dataset");
  if (dataset) {
    const versions = `${dataset}/${response.headers.get("whimbrel-weights")}`;
    for (const listener of listeners) listener(versions);
  }
  if (!response.ok) {
    throw new ApiError(answer.code ?? "Failed", answer.message ?? `Status ${response.status}`);
  }
  return answer;
}

/** Of several requests for the same thing only the newest counts. */
export class Latest {
  #controller = new AbortController();

  /**
   * `ask`, or null if a newer request or `cancel` came in between.
   * @param {string} path
   * @returns {Promise<any>}
   */
  async ask(path) {
    this.cancel();
    const { signal } = this.#controller;
    try {
      const answer = await ask(path, { signal });
      return signal.aborted ? null : answer;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Nobody waits for the request any more. */
  cancel() {
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}

/**
 * A failure in words for whoever looks at the map.
 * @param {unknown} error
 * @param {(index: number) => string} [nameOf] what the page calls the point with an index
 * @returns {string}
 */
export function explain(error, nameOf = (index) => `point ${index + 1}`) {
  if (!(error instanceof ApiError)) return `Something went wrong in this page: ${error}`;
  const index = Number(/coordinate (\d+)/.exec(error.message)?.[1] ?? NaN);
  switch (error.code) {
    case "Gone":
      return "The server does not answer. It may have been stopped, or the network is down.";
    case "NoRoute":
      return "There is no way between these points: the roads are closed or not connected.";
    case "NoSegment":
      return Number.isNaN(index)
        ? "There is no road near this point."
        : `There is no road near ${nameOf(index)}. Move it onto the map's roads.`;
    case "TooBig":
      return `That is more than this server answers at once: ${error.message}`;
    case "Busy":
      return "The server is busy. Try again in a moment.";
    case "InternalError":
      return "The server made a mistake with this request.";
    default:
      return error.message;
  }
}
