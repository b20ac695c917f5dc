// @ts-check
/** Server-sent events of a request that has a body, which `EventSource` cannot send. */

import { ApiError } from "./api.js";

/**
 * The events as they come; ends with the stream, or throws `ApiError`, or `AbortError`.
 * @param {string} path
 * @param {any} body sent as JSON
 * @param {AbortSignal} signal ends the request
 * @returns {AsyncGenerator<{name: string, data: any}>}
 */
export async function* eventsOf(path, body, signal) {
  const response = await fetch(path, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  }).catch((error) => {
    if (signal.aborted) throw error;
    throw new ApiError("Gone", "The server does not answer.");
  });
  if (!response.ok || !response.body) {
    const answer = await response.json().catch(() => ({}));
    throw new ApiError(answer.code ?? "Failed", answer.message ?? `Status ${response.status}`);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    yield* blocks.map(readEvent).filter((event) => event !== null);
  }
}

/**
 * One event; null for what is none, such as a comment.
 * @param {string} block
 */
export function readEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
