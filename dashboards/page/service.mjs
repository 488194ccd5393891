// Calls the service's API with the token, turns refusals into errors, and receives a sweep's events.
import { EventParser } from "./event_stream.mjs";

const TOKEN = "graphbench.token";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The service cannot be reached, or does not answer.
export class NoAnswer extends Error {}

async function unless_gone(promise) {
  try {
    return await promise;
  } catch (error) {
    throw new NoAnswer(error.message);
  }
}

// Keeps the token in sessionStorage, which the browser clears when the tab is closed.
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (text) => (text === "" ? sessionStorage.removeItem(TOKEN) : sessionStorage.setItem(TOKEN, text)),
};

// Throws a Refusal or NoAnswer. Other errors are defects of the page, and must not be hidden.
async function send(method, path, { body, headers = {}, signal } = {}) {
  const all = { ...headers };
  if (body !== undefined) all["Content-Type"] = "application/json";
  if (token.get() !== "") all.Authorization = `Bearer ${token.get()}`;
  const response = await unless_gone(fetch(path, { method, body, headers: all, signal, cache: "no-store" }));
  if (!response.ok) throw new Refusal(response.status, await message_of(response));
  return response;
}

// The reason in {"error": "reason"}, or the text of the response.
async function message_of(response) {
  const text = await unless_gone(response.text());
  try {
    const { error } = JSON.parse(text);
    if (typeof error === "string") return error;
  } catch {
    // Not JSON: for example a proxy's line of text.
  }
  return text.trim().slice(0, 300) || `the service answered ${response.status}`;
}

const ask = async (...request) => unless_gone((await send(...request)).json());

export const devices = async () => (await ask("GET", "/v1/devices")).devices;
export const workloads = async () => (await ask("GET", "/v1/workloads")).workloads;
const PAGE_MAX = 1000; // the service's limit

// Returns the newest sweeps, and whether there are older ones.
export async function sweeps(count) {
  const found = [];
  let next = `/v1/sweeps?limit=${Math.min(count, PAGE_MAX)}`;
  while (next !== null && found.length < count) {
    const page = await ask("GET", next);
    found.push(...page.sweeps);
    next = page.next;
  }
  return { found, has_older: next !== null };
}
export const sweep = (id) => ask("GET", `/v1/sweeps/${encodeURIComponent(id)}`);
export const cancel = (id) => ask("DELETE", `/v1/sweeps/${encodeURIComponent(id)}`);
export const resume = (id) => ask("POST", `/v1/sweeps/${encodeURIComponent(id)}/resume`);
// `what`: results or report.
export const saved = async (id, what) =>
  unless_gone((await send("GET", `/v1/sweeps/${encodeURIComponent(id)}/${what}`)).blob());
export const compare = (base, now) =>
  ask("POST", "/v1/compare", { body: JSON.stringify({ base, new: now, report: true }) });
export const submit = (body, key) =>
  ask("POST", "/v1/sweeps", { body: JSON.stringify(body), headers: { "Idempotency-Key": key } });

// Yields { event, data } until `signal` aborts. Reconnects after a break, and continues with the next event.
// Calls `on_break(message)` when a connection fails, and `on_break("")` when it is connected.
async function* events_of(id, { on_break, signal }) {
  let after = "";
  while (!signal.aborted) {
    try {
      const headers = after === "" ? {} : { "Last-Event-ID": after };
      const response = await send("GET", `/v1/sweeps/${encodeURIComponent(id)}/events`, { headers, signal });
      on_break("");
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const next = () => unless_gone(reader.read());
      for (let part = await next(); !part.done; part = await next()) {
        yield* parser.push(part.value);
        after = parser.last_id || after;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NoAnswer) && error.status !== 503) throw error;
      on_break(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

// Calls on_event(name, document) until the sweep has ended or `signal` aborts.
export async function follow(id, { on_event, on_break, signal }) {
  for await (const { event, data } of events_of(id, { on_break, signal })) {
    if (signal.aborted) return;
    on_event(event, JSON.parse(data));
    if (event === "done") return;
  }
}
