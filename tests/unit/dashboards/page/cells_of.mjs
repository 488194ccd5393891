// Cells as the service tells them, for the tests.

const number = (text, value, low, high, range) => ({ text, value, low, high, range });

export function cell(changes = {}) {
  const { p50 = 43, low, high, row = {}, ...rest } = changes;
  const made = {
    workload: "mlp", preset: "tiny", dtype: "fp32", pass: "forward", batch: 1, warmup: 0, mode: "eager",
    status: "ok", check: { reference: "eager", identical: true, max_abs_error: 0 },
    row: {
      "launches[].submit_seconds": number("4.29us", 4.29e-6),
      "launches[].latency_seconds": number(`${p50}us`, p50, low, high, low && `\u00b1${p50 - low}`),
      "launches[].device_seconds": number("21.4us", 21.4e-6),
      "summary.speedup_over_eager": number("~1.50x", 1.5),
      "summary.breakeven_steps": number("7", 7),
      "setup_seconds": number("3.00us", 3e-6),
      ...row,
    },
    ...rest,
  };
  const { workload, preset, dtype, pass, batch, warmup, mode } = made;
  return { id: `${workload}/${preset}/${dtype}/${pass}/b${batch}/w${warmup}/${mode}`, ...made };
}

export const skipped = (changes = {}) => cell({
  status: "skipped", reason: { code: "not_capturable", message: "op host_copy runs on the host" },
  check: undefined, ...changes,
});
