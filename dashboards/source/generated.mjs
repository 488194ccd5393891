// A table of Cell: what generated kernels took, by --compile.
import { UNITS } from "./panels.mjs";
import { maxBy, select } from "./queries.mjs";
import { rows } from "./tables.mjs";

export function generatedKernels(builder, cells) {
  const column = (name, metric) =>
    ({ name, expression: maxBy(["mode", "compile"], select(`graphbench_${metric}`, cells)) });
  return builder.withPanel(rows({
    title: "What generated kernels took",
    description: "Of the first launch of cells with --fuse chains or --compile: kernels of a step, codes " +
      "that were compiled or kept, and seconds. Batches of one sweep share codes, which count where they " +
      "were needed first. Any/own: latency with kernels for any size over that with kernels for these sizes.",
    unit: UNITS.inColumns, height: 6,
  }, ["mode", "compile"], [
    column("Kernels", "compile_kernels"),
    column("Compiled", "compile_compiled"),
    column("Kept", "compile_cached"),
    column("Source, s", "compile_generate_seconds"),
    column("Compile, s", "compile_seconds"),
    column("Load, s", "compile_load_seconds"),
    column("Any/own", "general_over_sized_ratio"),
  ], "Kernels"));
}
