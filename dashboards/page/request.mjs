// Makes the body of POST /v1/sweeps from the form. Only the service checks the values, so that rules and
// messages exist once.

const words_of = (text) => text.split(",").map((word) => word.trim()).filter((word) => word !== "");
// A list such as "1, 8" or "1:64:x2". Ignores blanks around commas.
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

// `fields` are texts by option name; `mode` is an array. The service has defaults for empty fields.
export function body_of(fields) {
  const body = {};
  for (const [name, make] of Object.entries(MAKERS)) {
    const given = fields[name];
    const held = Array.isArray(given) ? given : (given ?? "").trim();
    if (held.length > 0) body[name] = make(held);
  }
  return body;
}

// The field that a refusal is about, or null. Messages begin with the option's name.
export function field_of(message) {
  const name = message.split(":")[0];
  return Object.hasOwn(MAKERS, name) ? name : null;
}
