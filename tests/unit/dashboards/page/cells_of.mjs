// Cells as the service tells them, for the tests.

const estimate = (p50, ci95 = null) => ({ p50, ci95, between_launches: null, within_launch: null });

export function cell(changes = {}) {
  const { p50 = 42.9e-6, ci95 = null, ...rest } = changes;
  const made = {
    workload: "mlp", preset: "tiny", dtype: "fp32", pass: "forward", batch: 1, warmup: 0, mode: "eager",
    status: "ok", check: { reference: "eager", identical: true, max_abs_error: 0 },
    launches: [{ index: 0, setup: { capture_seconds: 1e-6, instantiate_seconds: 2e-6, upload_seconds: 0 } }],
    summary: {
      latency_seconds: estimate(p50, ci95), submit_seconds: estimate(p50 / 10),
      device_seconds: estimate(p50 / 2),
      speedup_over_eager: 1.5, throughput_over_eager: 1.25, breakeven_steps: 7,
    },
    ...rest,
  };
  const { workload, preset, dtype, pass, batch, warmup, mode } = made;
  return { id: `${workload}/${preset}/${dtype}/${pass}/b${batch}/w${warmup}/${mode}`, ...made };
}

export const skipped = (changes = {}) => cell({
  status: "skipped", reason: { code: "not_capturable", message: "op host_copy runs on the host" },
  launches: [], summary: undefined, check: undefined, ...changes,
});
