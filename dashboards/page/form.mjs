// The form that queues a sweep. Shows a refusal in the service's words, and marks the field that it is about.
import { MODES } from "./columns.mjs";
import { element, find, set_options, set_text } from "./dom.mjs";
import { body_of, field_of } from "./request.mjs";
import * as service from "./service.mjs";

const FIELDS = ["workload", "batch", "warmup", "time-per-cell", "launches", "device"];

// Replaces crypto.randomUUID(), which browsers offer only over https and on loopback.
const new_key = () =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((each) => each.toString(16)).join("-");

function fields_of(form) {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, find(name).value]));
  fields.mode = [...form.querySelectorAll("input[name=mode]:checked")].map((box) => box.value);
  return fields;
}

function tell_refusal(message) {
  const field = field_of(message);
  for (const name of FIELDS) find(name).removeAttribute("aria-invalid");
  set_text(find("form-error"), message);
  if (FIELDS.includes(field)) {
    find(field).setAttribute("aria-invalid", "true");
    find(field).focus();
  }
}

// Calls `on_queued(sweep)`, or `on_error(error)` for a wrong token and for errors that are not a Refusal.
export function make_form({ on_queued, on_error }) {
  const form = find("form");
  find("modes").append(...MODES.map((mode) => element("label", {},
    element("input", { type: "checkbox", name: "mode", value: mode, defaultChecked: true }), ` ${mode} `)));
  // Each submission has one key, so that a retry after a broken connection does not queue the sweep twice.
  let key = new_key();
  form.addEventListener("input", () => { key = new_key(); });
  // Fills in the form, so that the user sees what was asked and can change it.
  find("first-sweep").addEventListener("click", () => {
    form.reset();
    find("workload").value = "mlp";
    find("batch").value = "1,4,16,64";
    form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = find("queue-sweep");
    if (button.getAttribute("aria-disabled") === "true") return;
    // `disabled` would remove the keyboard focus from the button.
    button.setAttribute("aria-disabled", "true");
    set_text(find("form-done"), "");
    try {
      const sweep = await service.submit(body_of(fields_of(form)), key);
      key = new_key();
      tell_refusal("");
      set_text(find("form-done"), `Queued as ${sweep.id}.`);
      on_queued(sweep);
    } catch (error) {
      if (error.status === 401 || !(error instanceof service.Refusal)) on_error(error);
      else tell_refusal(error.message);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  });
}

export function show_devices(devices) {
  const automatic = { value: "", text: "auto: cuda where it works, else host" };
  set_options(find("device"), [automatic, ...devices.map(({ id, available, detail }) => ({
    value: id, text: `${id} (${available ? detail : "does not work here"})`, disabled: !available,
  }))]);
  const missing = devices.filter(({ available }) => !available);
  set_text(find("device-help"), missing.map(({ id, detail, advice }) =>
    `${id}: ${detail}${advice ? `; ${advice}` : ""}`).join(". "));
}

// A step of PyTorch is named FILE:FUNCTION, and a sweep runs it alone.
export function show_workloads(names) {
  set_options(find("workloads"), names.map((value) => ({ value, text: "" })));
  const steps = names.filter((name) => name.includes(":"));
  const built_in = names.filter((name) => !steps.includes(name));
  set_text(find("workload-help"), `Names with commas between: ${built_in.join(", ")}`
    + (steps.length > 0 ? `; or one step of PyTorch alone: ${steps.join(", ")}` : "") + ".");
}
