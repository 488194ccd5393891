// Makes the body of POST /v1/sweeps from the form. The service checks the values: nothing is refused here, so
// that there is one set of rules and one set of messages.

const words_of = (text) => text.split(",").map((word) => word.trim()).filter((word) => word !== "");
// 1, 8 or 1:64:x2: blanks around commas mean nothing.
const list_of = (text) => words_of(text).join(",");

function number_of(text) {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

const MAKERS = {
  workload: words_of,
  mode: (modes) => modes,
  batch: list_of,
  warmup: list_of,
  "time-per-cell": number_of,
  launches: number_of,
  device: (name) => name,
};

// `fields`: texts by option name; `mode` is an array. Empty fields take the service's defaults.
export function body_of(fields) {
  const body = {};
  for (const [name, make] of Object.entries(MAKERS)) {
    const given = fields[name];
    const held = Array.isArray(given) ? given : (given ?? "").trim();
    if (held.length > 0) body[name] = make(held);
  }
  return body;
}

// The field of a refusal, or null: messages begin with the option's name.
export function field_of(message) {
  const name = message.split(":")[0];
  return Object.hasOwn(MAKERS, name) ? name : null;
}
