// Formats times, sizes and other numbers with their units.

export const NOTHING = "\u2013";

const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]];

// Three significant digits without an exponent: 1060, 42.9, 1.05.
function significant(value) {
  const rounded = Number(value.toPrecision(3));
  const places = 2 - Math.floor(Math.log10(rounded));
  return rounded.toFixed(Math.min(Math.max(places, 0), 20));
}

export function seconds(value) {
  if (value === null || value === undefined) return NOTHING;
  if (value === 0) return "0 s";
  // Changes units slightly early, so that 999.9 us becomes 1.00 ms and not 1000 us.
  const [size, name] = TIMES.find(([each]) => value >= each * 0.9995) ?? TIMES.at(-1);
  return `${significant(value / size)} ${name}`;
}

// A label on a plot's axis, which has round values: 50 us.
export const tick = (value) => seconds(value).replace(/\.0+ /, " ");

export const ratio = (value) =>
  (value === null || value === undefined ? NOTHING : `${value.toFixed(2)}\u00d7`);

const SIZES = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];

export function bytes(value) {
  if (value === null || value === undefined) return NOTHING;
  if (value === 0) return "0 B";
  const [size, name] = SIZES.find(([each]) => value >= each * 0.9995) ?? SIZES.at(-1);
  return size === 1 ? `${Math.round(value)} B` : `${significant(value / size)} ${name}`;
}

export const count = (value) => (value === null || value === undefined ? NOTHING : String(value));

// A duration, to the second: 2 h 5 min, 1 min 20 s.
export function duration(value) {
  if (value === null || value === undefined) return NOTHING;
  const whole = Math.round(value);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

// Converts a time of the service (RFC 3339) to local time.
export function moment(text) {
  if (!text) return NOTHING;
  return new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
