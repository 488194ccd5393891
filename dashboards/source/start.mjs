// Rows of the dashboard Cell: how a cell reached its first step (from nothing, with the cache, from a
// package), and the walk over a trace of shapes.
import { collapsed } from "./links.mjs";
import { UNITS } from "./panels.mjs";
import { maxBy, select, setupSeconds } from "./queries.mjs";
import { mebi, micro, rows } from "./tables.mjs";

const modes = (expression) => maxBy(["mode"], expression);

export function startUp(builder, cells) {
  const metric = (name) => select(`graphbench_${name}`, cells);
  const of = (name, family) => ({ name, expression: modes(metric(family)) });
  return builder.withRow(collapsed("Start-up",
    rows({
      title: "From a ready context to the first step",
      description: "Start-up: from a process's first warmup to the end of its last batch's first step, " +
        "for all batches. The other columns are of one batch. The start was warm if preparing found " +
        "entries in the cache. Package: the program, its choices and its weights were loaded. The " +
        "earlier stages are in the last columns.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      of("Start-up, s", "startup_seconds"),
      of("Found in cache", "cache_hits"),
      of("Package, s", "package_first_step_seconds"),
      of("Weights, s", "startup_weights_seconds"),
      of("Prepare, s", "prepare_seconds"),
      of("Warmups, s", "warmup_seconds"),
      { name: "Setup, s", expression: setupSeconds(["mode"], cells) },
      of("First step, s", "first_step_seconds"),
      of("Process, s", "startup_process_seconds"),
      of("Plugins, s", "startup_plugin_seconds"),
      of("Module, s", "startup_module_seconds"),
      of("Context, s", "startup_context_seconds"),
    ], "Prepare, s"),
    rows({
      title: "What preparing had of the cache",
      description: "All launches: entries found, or made because none was found, and the time saved. " +
        "Several cells share entries, which count at the cell that needed them first.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      of("Found", "cache_hits"),
      of("Made", "cache_misses"),
      of("Refused", "cache_refused"),
      of("Bytes", "cache_bytes"),
      of("Saved, s", "cache_seconds_saved"),
    ], "Found"),
    rows({
      title: "What loading a package took",
      description: "The first launch of a sweep with --package: its files, seconds until they were " +
        "loaded, and from a ready context to the end of the first step.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      of("Bytes", "package_bytes"),
      of("Weights, B", "package_weights_bytes"),
      of("Load, s", "package_load_seconds"),
      of("Of it digests, s", "package_verify_seconds"),
      of("First step, s", "package_first_step_seconds"),
    ], "Bytes")));
}

export function traceOfShapes(builder, cells) {
  const walk = (name) => select(`graphbench_shape_walk_${name}`, cells);
  const column = (name, expression) => ({ name, expression: modes(expression) });
  const steps = (name, outcome) =>
    column(name, select("graphbench_shape_walk_steps", cells, `outcome="${outcome}"`));
  return builder.withRow(collapsed("Traces of shapes", rows({
    title: "The walk over --shape-trace",
    description: "The largest batch: steps by the outcome of looking them up in the cache of programs, the " +
      "cache at the end, and the cost of submitting a recorded step, with and without the look-up.",
    unit: UNITS.inColumns, height: 6,
  }, ["mode"], [
    steps("Traced", "traced"),
    steps("Program hits", "program_hit"),
    steps("Graph hits", "graph_hit"),
    steps("Recorded again", "recorded_again"),
    column("Programs", walk("programs")),
    column("Recordings", walk("recordings")),
    column("Generations", walk("generations")),
    column("Pool, MiB", mebi(walk("pool_bytes"))),
    column("Hit, us", micro(walk("hit_seconds"))),
    column("Replay, us", micro(walk("replay_seconds"))),
  ], "Graph hits")));
}
