// Formats the round values on axes, durations and dates. A document's numbers come with their texts.

export const NOTHING = "\u2013";

const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
const SIZES = [[1e9, " GB"], [1e6, " MB"], [1e3, " kB"], [1, " B"]];

const in_units = (units) => (value) => {
  if (value === 0) return "0";
  const [size, name] = units.find(([each]) => value >= each * 0.9995) ?? units.at(-1);
  return `${Number((value / size).toPrecision(3))}${name}`;
};
export const seconds_tick = in_units(TIMES);
export const bytes_tick = in_units(SIZES);
export const ratio_tick = (value) => `${value}x`;

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
