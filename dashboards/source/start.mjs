// Rows of Cell: how a cell came to its first step, from nothing, with the cache and from a package; and the
// walk over a trace of shapes.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { UNITS } from "./panels.mjs";
import { maxBy, select, setupSeconds } from "./queries.mjs";
import { mebi, micro, rows } from "./tables.mjs";

const modes = (expression) => maxBy(["mode"], expression);

export function startUp(builder, cells) {
  const metric = (name) => select(`graphbench_${name}`, cells);
  const column = (name, expression) => ({ name, expression: modes(expression) });
  const of = (name, family) => column(name, metric(family));
  // Eager has no graphs to set up.
  const setup = `(${setupSeconds(cells)} or 0 * ${metric("prepare_seconds")})`;
  const stages = [
    metric("startup_weights_seconds"), metric("prepare_seconds"), metric("warmup_seconds"), setup,
    metric("first_step_seconds"),
  ].join(" + ");
  const packaged = metric("package_first_step_seconds");
  const found = `${metric("cache_hits")} > 0`;
  builder.withRow(new dashboard.RowBuilder("Start-up"));
  return builder
    .withPanel(rows({
      title: "From a ready context to the first step",
      description: "Cold: preparing found nothing in the cache, or there is none. Warm: it found entries; " +
        "what it made all the same is in the table below. Package: the program, its choices and its " +
        "weights were loaded. Of one batch, were it the only one; then the stages, and what comes before.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      column("Cold, s", `${stages} unless ${found} unless ${packaged}`),
      column("Warm, s", `${stages} and ${found} unless ${packaged}`),
      column("Package, s", packaged),
      of("Weights, s", "startup_weights_seconds"),
      of("Prepare, s", "prepare_seconds"),
      of("Warmups, s", "warmup_seconds"),
      column("Setup, s", setup),
      of("First step, s", "first_step_seconds"),
      of("Process, s", "startup_process_seconds"),
      of("Plugins, s", "startup_plugin_seconds"),
      of("Module, s", "startup_module_seconds"),
      of("Context, s", "startup_context_seconds"),
    ], "Prepare, s"))
    .withPanel(rows({
      title: "What preparing had of the cache",
      description: "Of all launches: entries found, or made because none was found, and what that saved. " +
        "Several cells share entries, which count where they were needed first.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      of("Found", "cache_hits"),
      of("Made", "cache_misses"),
      of("Refused", "cache_refused"),
      of("Bytes", "cache_bytes"),
      of("Saved, s", "cache_seconds_saved"),
    ], "Found"))
    .withPanel(rows({
      title: "What loading a package took",
      description: "Of the first launch of a sweep with --package: its files, seconds until they were " +
        "loaded, and from a ready context to the end of the first step.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      of("Bytes", "package_bytes"),
      of("Weights, B", "package_weights_bytes"),
      of("Load, s", "package_load_seconds"),
      of("Of it digests, s", "package_verify_seconds"),
      of("First step, s", "package_first_step_seconds"),
    ], "Bytes"));
}

export function traceOfShapes(builder, cells) {
  const walk = (name) => select(`graphbench_shape_walk_${name}`, cells);
  const column = (name, expression) => ({ name, expression: modes(expression) });
  const steps = (name, outcome) =>
    column(name, select("graphbench_shape_walk_steps", cells, `outcome="${outcome}"`));
  builder.withRow(new dashboard.RowBuilder("Traces of shapes"));
  return builder.withPanel(rows({
    title: "The walk over --shape-trace",
    description: "Of the ladder's largest batch: steps by what the cache of programs had for them, what it " +
      "holds at the end, and what submitting a recorded step costs, looked up first and by itself.",
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
  ], "Graph hits"));
}
