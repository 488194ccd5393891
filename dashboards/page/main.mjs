// Polls the queue every two seconds, follows the events of the shown sweep, and shows both.
import { show_comparison } from "./comparison.mjs";
import { element, find, set_text } from "./dom.mjs";
import { make_form, show_devices, show_workloads } from "./form.mjs";
import { has_ended, make_queue } from "./queue.mjs";
import { make_results } from "./results.mjs";
import * as service from "./service.mjs";

const POLL_MS = 2000;
const SWEEPS_STEP = 100;  // enough for a full queue and some ended sweeps

let sweeps = [];
let sweeps_wanted = SWEEPS_STEP;
let shown = null; // the sweep on display
let following = null; // an AbortController for receiving its events; null: none are received
let complete = false; // true if all its events were received
let polling = null; // the timer of the next poll
let polls = 0;  // counts polls, so that a poll that ends late is ignored
let choices_known = false;

const results = make_results({
  on_save: (id, what) => attempt(() => save(id, what)),
  on_compare: (base, id) => attempt(async () => {
    const { report } = await service.compare(base, id);
    if (shown.id === id) show_comparison(report);
  }),
  result_of: async (id) => JSON.parse(await (await service.saved(id, "results")).text()),
});
const queue = make_queue({
  show: (id) => { location.hash = id; },
  cancel: (id) => attempt(() => cancel(id)),
  resume: (id) => attempt(async () => {
    await service.resume(id);
    await poll();
  }),
});
make_form({
  on_queued: (sweep) => {
    sweeps = [sweep, ...sweeps.filter(({ id }) => id !== sweep.id)];
    location.hash = sweep.id;
    poll();
  },
  on_error: (error) => tell_error(error, "refusal"),
});

// `locked`: shows the field for the token in place of the sweeps, because the service requires the token.
function lock(locked) {
  find("token-part").hidden = !locked;
  find("columns").hidden = locked;
  if (locked) for (const id of ["results", "links"]) find(id).hidden = true;
}

// If the service requires a token, shows the field for the token. Returns false for any other error.
function is_about_token(error) {
  if (error.status !== 401) return false;
  const refused = service.token.get() !== "";
  clearTimeout(polling);
  stop_following();
  lock(true);
  find("forget").hidden = true;
  set_text(find("token-error"), refused ? "The service does not take this token." : "");
  set_text(find("token-said"), error.message);
  return true;
}

function tell(problem, place) {
  find(place).hidden = problem === "";
  set_text(find(place), problem);
}

// Shows a refusal, or that the service does not answer. Other errors are defects of the page: throws them, so
// that the browser's console shows them.
function tell_error(error, place) {
  if (is_about_token(error)) return;
  if (error instanceof service.Refusal) tell(error.message, place);
  else if (error instanceof service.NoAnswer) tell(`The service does not answer (${error.message}).`, place);
  else throw error;
}

// A poll's message stays until the next poll, an action's message until the next action.
async function attempt(act, place = "refusal") {
  try {
    await act();
    tell("", place);
  } catch (error) {
    tell_error(error, place);
  }
}

async function cancel(id) {
  const sweep = sweeps.find((each) => each.id === id);
  // A running sweep may have run for hours, so the user must confirm.
  if (sweep?.state === "running" && !(await confirmed(id))) return;
  await service.cancel(id);
  await poll();
}

function confirmed(id) {
  const dialog = find("confirm");
  set_text(find("confirm-id"), id);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "cancel"), { once: true });
  });
}

async function save(id, what) {
  const href = URL.createObjectURL(await service.saved(id, what));
  const link = element("a", { href, download: `graphbench-${id}.${what === "report" ? "html" : "json"}` });
  link.click();
  URL.revokeObjectURL(href);
}

function stop_following() {
  following?.abort();
  following = null;
}

async function follow() {
  stop_following();
  const mine = new AbortController();
  following = mine;
  const on_event = (event, document) => {
    if (mine.signal.aborted) return;
    if (event === "cell") results.add_cell(document);
    if (event === "progress") results.set_progress(document);
    if (event === "done") {
      complete = true;
      results.update(document);
      poll();
    }
  };
  const on_break = (why) =>
    set_text(find("break"), why && `The sweep's events broke off (${why}). Trying again.`);
  try {
    await service.follow(shown.id, { on_event, on_break, signal: mine.signal });
  } catch (error) {
    tell_error(error, "refusal");
  } finally {
    if (following === mine) following = null;
  }
}

// The sweep in the page's address, or else the running one, or else the newest.
function chosen() {
  return sweeps.find((each) => each.id === named())
    ?? sweeps.find((each) => each.state === "running") ?? sweeps[0];
}

const named = () => location.hash.slice(1);

function show_chosen() {
  const next = chosen();
  queue.show(sweeps, next?.id ?? "");
  if (!next) return;
  const other = next.id !== shown?.id;
  // An interrupted sweep sends events again after it was queued again.
  if (other || (has_ended(shown) && !has_ended(next))) complete = false;
  shown = next;
  if (other) find("comparison").hidden = true;
  if (other) results.open(next);
  else results.update(next);
  results.offer(sweeps);
  if (other || (!following && !complete)) follow();
}

// The list is limited, so the sweep in the page's address may be missing: adds it.
async function list() {
  const { found, has_older } = await service.sweeps(sweeps_wanted);
  const missing = named() !== "" && found.every(({ id }) => id !== named());
  return { listed: missing ? [...found, await service.sweep(named())] : found, has_older };
}

async function poll() {
  const mine = ++polls;
  clearTimeout(polling);
  await attempt(async () => {
    const { listed, has_older } = await list();
    if (mine !== polls) return;
    sweeps = listed;
    find("older").hidden = !has_older;
    lock(false);
    const with_token = service.token.get() !== "";
    find("forget").hidden = !with_token;
    find("links").hidden = with_token; // links cannot send a token
    show_chosen();
    if (!choices_known) {
      show_devices(await service.devices());
      show_workloads(await service.workloads());
      choices_known = true;
    }
  }, "problem");
  if (mine === polls && find("token-part").hidden && !document.hidden) polling = setTimeout(poll, POLL_MS);
}

find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  service.token.set(find("token").value.trim());
  find("token").value = "";
  poll();
});
find("forget").addEventListener("click", () => {
  service.token.set("");
  location.reload();
});
find("older").addEventListener("click", () => {
  sweeps_wanted += SWEEPS_STEP;
  poll();
});
addEventListener("hashchange", poll);
// A hidden page closes its connections: a browser has at most six per service, for all tabs together.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return poll();
  clearTimeout(polling);
  stop_following();
});
poll();
