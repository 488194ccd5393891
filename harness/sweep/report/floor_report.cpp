// Makes the Report of floors: single values, then times by node count and slopes of each graph shape.
#include <fmt/format.h>

#include <cmath>

#include "harness/model/findings/findings.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::sweep {
namespace {

// Two decimals, because a cost per node may be below the nanosecond to which format_seconds rounds.
reporters::Value slope_value(double seconds) {
  reporters::Value value = reporters::seconds_value(seconds);
  if (std::abs(seconds) < 999.5e-9) value.text = fmt::format("{:.2f}ns", seconds * 1e9);
  return value;
}

reporters::Section section_of(const model::FloorShape& shape) {
  reporters::Section section{.subject = "graphs of empty kernels, " + shape.shape,
                             .columns = {{.name = "nodes"},
                                         {.name = "submit", .unit = "seconds"},
                                         {.name = "device", .unit = "seconds"},
                                         {.name = "instantiate", .unit = "seconds"}}};
  if (shape.streams > 1) section.subject += fmt::format(" over {} streams", shape.streams);
  for (const model::FloorPoint& point : shape.points)
    section.rows.push_back(
        {.values = {reporters::count_value(point.nodes), reporters::seconds_value(point.submit.p50),
                    reporters::seconds_value(point.device.p50),
                    reporters::seconds_value(point.instantiate.p50)}});
  section.rows.push_back(
      {.values = {reporters::text_value("a node"), slope_value(shape.submit_seconds_per_node),
                  slope_value(shape.device_seconds_per_node),
                  slope_value(shape.instantiate_seconds_per_node)},
       .note = "a node: least-squares slope"});
  return section;
}

reporters::Section section_of(const model::ExecMemoryFloor& floor) {
  const auto kilobytes = [](double bytes, int digits) {
    return reporters::Value{.text = fmt::format("{:.{}f} kB", bytes / 1e3, digits), .value = bytes};
  };
  reporters::Section section{
      .subject = "memory of instantiated graphs of empty kernels",
      .columns = {
          {.name = "nodes"}, {.name = "memory", .unit = "bytes"}, {.name = "residual", .unit = "bytes"}}};
  for (const model::ExecMemoryPoint& point : floor.points)
    section.rows.push_back({.values = {reporters::count_value(point.nodes), kilobytes(point.bytes, 1),
                                       kilobytes(point.residual_bytes, 1)}});
  section.rows.push_back(
      {.values = {reporters::text_value("a node"), kilobytes(floor.bytes_per_node, 2),
                  reporters::text_value("")},
       .note = fmt::format("a node: least-squares line, {:.1f} kB at 0 nodes", floor.bytes_at_zero / 1e3)});
  return section;
}

}  // namespace

reporters::Report report_of(const model::Environment& environment) {
  const model::DeviceFacts& device = environment.device;
  reporters::Report report;
  report.head.push_back(
      {fmt::format("device {}: {}; minimum cost of each operation on this machine, as medians", device.kind,
                   device.name)});
  if (!environment.floors) return report;
  const model::Floors& floors = *environment.floors;
  reporters::Section& section = report.sections.emplace_back(
      reporters::Section{.subject = "operations",
                         .columns = {{.name = "operation", .align = reporters::Align::left},
                                     {.name = "time", .unit = "seconds"},
                                     {.name = "count"}}});
  const auto add = [&](const char* name, const std::optional<model::Floor>& floor) {
    if (floor)
      section.rows.push_back({.values = {reporters::text_value(name), reporters::seconds_value(floor->p50),
                                         reporters::count_value(floor->count)}});
  };
  add("clock pair", floors.clock_pair);
  add("kernel launch, stream idle", floors.kernel_launch);
  add("kernel launch, stream busy", floors.queued_kernel_launch);
  add("graph launch, stream idle", floors.graph_launch);
  add("graph launch, stream busy", floors.queued_graph_launch);
  add("graph launch, no nodes", floors.empty_graph_launch);
  add("event pair around nothing", floors.event_pair);
  if (floors.event_resolution)
    section.rows.push_back(
        {.values = {reporters::text_value("event resolution"),
                    reporters::seconds_value(*floors.event_resolution), reporters::text_value("")}});
  add("completion of a kernel, spinning", floors.completion_spin);
  add("completion of a kernel, asleep", floors.completion_block);
  add("queue hand-off to the stream", floors.queue_handoff);
  add("IF node with a kernel, taken", floors.if_taken_seconds);
  add("IF node with a kernel, not taken", floors.if_not_taken_seconds);
  add("SWITCH node over 8 kernels", floors.switch_arm_seconds);
  for (const model::FloorShape& shape : floors.shapes) report.sections.push_back(section_of(shape));
  if (floors.exec_memory) report.sections.push_back(section_of(*floors.exec_memory));
  report.closing.push_back({model::trust_in(environment).text});
  return report;
}

}  // namespace graphbench::sweep
