// The dashboard Service: whether graphbench runs and measures, its failures and skips, and waiting clients.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { annotate } from "./annotations.mjs";
import { UIDS, frame } from "./links.mjs";
import { UNITS, lines, numbers, thresholds } from "./panels.mjs";
import { any, maxBy, select } from "./queries.mjs";
import { rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const HERE = any("job", "instance");
const of = (metric, ...matchers) => select(`graphbench_${metric}`, HERE, ...matchers);
const grown = (metric, window, ...matchers) => `increase(${of(metric, ...matchers)}[${window}])`;
const orNone = (expression) => `sum(${expression}) or vector(0)`;

function headline(builder) {
  return numbers(builder, { span: 4 },
    ["Up", "Part of the graphbench targets that Prometheus could scrape.",
      UNITS.share,
      `avg(${select("up", HERE)})`, { decimals: 0, thresholds: thresholds("red", [1, "green"]) }],
    ["Sweeps running", "One device runs one sweep at a time: at most one for each device.",
      UNITS.count, orNone(of("sweep_running"))],
    ["Queue", "Sweeps waiting over the queue's capacity. When it is full, new ones are refused (429).",
      UNITS.share, `max(${of("queue_sweeps")} / ${of("queue_capacity_sweeps")})`,
      { decimals: 0, thresholds: thresholds("green", [0.75, "orange"], [1, "red"]) }],
    ["Last success", "When a sweep last ended complete and without a failed cell, on any device shown.",
      UNITS.ago, `max(${of("last_success_timestamp_seconds")}) * 1000`, { noValue: "never" }],
    ["Cells failed", "Cells that failed in the time range above.",
      UNITS.count, orNone(grown("cells_total", "$__range", 'status="failed"')),
      { decimals: 0, thresholds: thresholds("green", [1, "red"]) }],
    ["Event streams", "Clients that follow sweeps live over server-sent events.",
      UNITS.count, orNone(of("event_streams"))]);
}

function sweeps(builder) {
  return builder
    .withRow(new dashboard.RowBuilder("Sweeps"))
    .withPanel(lines({
      title: "Progress",
      description: "Part of the running or last sweep's cells that are done. A flat line below 1 with a " +
        "sweep running is a sweep that hangs.",
      unit: UNITS.share, min: 0, max: 1,
    }, [maxBy(["device", "instance"], of("sweep_progress_ratio")), "{{device}} on {{instance}}"]))
    .withPanel(lines({
      title: "Queue depth",
      description: "Sweeps waiting, beside the capacity of the queue.",
      unit: UNITS.count, min: 0,
    }, [maxBy(["instance"], of("queue_sweeps")), "waiting on {{instance}}"],
    [maxBy(["instance"], of("queue_capacity_sweeps")), "places on {{instance}}"]))
    .withPanel(lines({
      title: "Sweeps by outcome",
      description: "Sweeps that ended, by how. interrupted ones were running when the service stopped.",
      unit: UNITS.count, min: 0, stacked: true,
    }, [`sum by (status) (${grown("sweeps_total", "$__rate_interval")})`, "{{status}}"]))
    .withPanel(lines({
      title: "Cells by outcome",
      description: "Cells that were done, by how. Failed ones have their reason in the result document. " +
        "Fallen out: cells that boards no longer show, because others were measured later (--metrics-cells).",
      unit: UNITS.count, min: 0, stacked: true,
    }, [`sum by (status) (${grown("cells_total", "$__rate_interval")})`, "{{status}}"],
    [`sum(${grown("cells_dropped_total", "$__rate_interval")})`, "fallen out"]))
    .withPanel(lines({
      title: "Skips by reason",
      description: "Cells that cannot be captured, in all since the service started, by reason.",
      unit: UNITS.count, min: 0,
    }, [`sum by (reason) (${of("capture_skips_total")}) ` +
      'or on () label_replace(vector(0), "reason", "none", "", "")', "{{reason}}"]))
    .withPanel(lines({
      title: "Steps timed",
      description: "Steps timed one by one, per second. They are counted when their cell is done.",
      unit: UNITS.perSecond, min: 0,
    }, [`sum by (instance) (rate(${of("steps_total")}[$__rate_interval]))`, "{{instance}}"]));
}

function skipped(builder) {
  const row = ["workload", "mode", "reason"];
  return builder.withPanel(rows({
    title: "What graphs could not hold",
    description: "Cells of the last sweeps that were skipped, or ran eager instead, by the reason's code.",
    unit: UNITS.count, span: 24, height: 6,
  }, row, [
    { name: "Cells", expression: `sum by (${row.join(", ")}) (${of("counters_skips")})` },
  ], "Cells"));
}

function http(builder) {
  const routes = any("route");
  const slow = (quantile) =>
    `histogram_quantile(${quantile}, sum by (le, route) (` +
    `rate(${of("http_request_duration_seconds_bucket", routes)}[$__rate_interval])))`;
  return builder
    .withRow(new dashboard.RowBuilder("HTTP"))
    .withPanel(lines({
      title: "Requests by code",
      description: "Requests answered, per second. 429 is a full queue, 401 a wrong token.",
      unit: UNITS.requests, min: 0, stacked: true,
    }, [`sum by (code) (rate(${of("http_requests_total", routes)}[$__rate_interval]))`, "{{code}}"]))
    .withPanel(lines({
      title: "Request duration by route",
      description: "Time to answer, median and 99th percentile. They are interpolated within buckets.",
      unit: UNITS.seconds, min: 0,
    }, [slow(0.5), "{{route}} p50"], [slow(0.99), "{{route}} p99"]));
}

function facts(builder) {
  return builder
    .withRow(new dashboard.RowBuilder("What is running"))
    .withPanel(rows({
      title: "Services",
      description: "The graphbench behind each target.",
      unit: UNITS.count, span: 8, height: 7,
      mappings: [{ type: "value", options: { 0: { text: "no" }, 1: { text: "yes" } } }],
    }, ["instance", "version"], [
      { name: "Up", expression: maxBy(["instance", "version"],
        `${select("up", HERE)} * on (job, instance) group_left (version) ${of("build_info")}`) },
    ], "Up"))
    .withPanel(rows({
      title: "Devices",
      description: "Each device that was measured, and when a sweep last ended well on it.",
      unit: UNITS.ago, span: 16, height: 7,
    }, ["instance", "device", "name", "driver"], [
      { name: "Last success", expression: maxBy(["instance", "device", "name", "driver"],
        // The host device has no driver, and Prometheus drops empty labels.
        `label_replace(${of("last_success_timestamp_seconds")} * 1000 * on (instance, device) ` +
        `group_left (name, driver) ${of("device_info")}, "driver", "none", "driver", "")`) },
    ], "Last success"))
    .withPanel(rows({
      title: "Notes",
      description: "How far each device's last sweep can be trusted, and what else was noted of it.",
      unit: UNITS.count, span: 12, height: 7,
    }, ["instance", "device", "code"], [
      { name: "Notes", expression: maxBy(["instance", "device", "code"], of("note_info")) },
    ], "Notes"))
    .withPanel(rows({
      title: "Libraries",
      description: "The libraries that each device's kernels come from.",
      unit: UNITS.count, span: 12, height: 7,
    }, ["instance", "device", "name", "version"], [
      { name: "Used", expression: maxBy(["instance", "device", "name", "version"], of("library_info")) },
    ], "Used"));
}

export function service() {
  const builder = frame({
    uid: UIDS.service,
    title: "graphbench / Service",
    description: "Queue, sweeps, failures, skips by reason, last success.",
    from: "now-6h",
    refresh: "30s",
  });
  annotate(builder, any("instance")).withVariable(datasource());
  labels("graphbench_build_info", "job*", "instance*").forEach((variable) => builder.withVariable(variable));
  const [, , route] = labels("graphbench_http_requests_total", "job*", "instance*", "route*");
  builder.withVariable(route);
  return facts(http(skipped(sweeps(headline(builder)))));
}
