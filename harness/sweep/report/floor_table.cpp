// Prints the floors in two blocks: single values, then times by node count and slopes of each graph shape.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "graphs/base/text.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/sweep/report/table.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

constexpr int label_width = 34;
constexpr int floor_time_width = 10;

void print_floor(std::ostream& out, std::string_view label, const std::optional<model::Floor>& floor) {
  if (!floor) return;
  out << left(label, label_width) << right(format_seconds(floor->p50), floor_time_width)
      << fmt::format("{:>8}\n", floor->count);
}

// Prints two decimals, because a cost per node may be below the nanosecond to which format_seconds rounds.
std::string slope_text(double seconds) {
  const double nanoseconds = seconds * 1e9;
  return std::abs(nanoseconds) < 999.5 ? fmt::format("{:.2f}ns", nanoseconds) : format_seconds(seconds);
}

void print_shape(std::ostream& out, const model::FloorShape& shape, bool colours) {
  const std::string title =
      shape.streams > 1 ? fmt::format("{} over {} streams", shape.shape, shape.streams) : shape.shape;
  out << '\n'
      << paint("graphs of empty kernels, " + title, Colour::bold, colours) << '\n'
      << paint(right("nodes", 7) + right("submit", floor_time_width) + right("device", floor_time_width) +
                   right("instantiate", floor_time_width + 4),
               Colour::dim, colours)
      << '\n';
  for (const model::FloorPoint& point : shape.points) {
    out << fmt::format("{:>7}", point.nodes) << right(format_seconds(point.submit.p50), floor_time_width)
        << right(format_seconds(point.device.p50), floor_time_width)
        << right(format_seconds(point.instantiate.p50), floor_time_width + 4) << '\n';
  }
  out << right("a node", 7) << right(slope_text(shape.submit_seconds_per_node), floor_time_width)
      << right(slope_text(shape.device_seconds_per_node), floor_time_width)
      << right(slope_text(shape.instantiate_seconds_per_node), floor_time_width + 4)
      << "   least-squares slope\n";
}

void print_exec_memory(std::ostream& out, const model::ExecMemoryFloor& floor, bool colours) {
  out << '\n'
      << paint("memory of instantiated graphs of empty kernels", Colour::bold, colours) << '\n'
      << paint(right("nodes", 7) + right("KB", floor_time_width) + right("residual", floor_time_width + 4),
               Colour::dim, colours)
      << '\n';
  for (const model::ExecMemoryPoint& point : floor.points) {
    out << fmt::format("{:>7}{:>{}.1f}{:>+{}.1f}\n", point.nodes, point.bytes / 1e3, floor_time_width,
                       point.residual_bytes / 1e3, floor_time_width + 4);
  }
  out << fmt::format("{:>7}{:>{}.2f}   least-squares line, {:.1f} KB at 0 nodes\n", "a node",
                     floor.bytes_per_node / 1e3, floor_time_width, floor.bytes_at_zero / 1e3);
}

}  // namespace

void print_floors(std::ostream& out, const model::Environment& environment, bool colours) {
  const model::DeviceFacts& device = environment.device;
  out << "device " << one_line(device.kind) << ": " << one_line(device.name)
      << "; minimum cost of each operation on this machine, as medians\n\n";
  if (!environment.floors) return;
  const model::Floors& floors = *environment.floors;
  out << paint(left("", label_width) + right("time", floor_time_width) + right("count", 8), Colour::dim,
               colours)
      << '\n';
  print_floor(out, "clock pair", floors.clock_pair);
  print_floor(out, "kernel launch, stream idle", floors.kernel_launch);
  print_floor(out, "kernel launch, stream busy", floors.queued_kernel_launch);
  print_floor(out, "graph launch, stream idle", floors.graph_launch);
  print_floor(out, "graph launch, stream busy", floors.queued_graph_launch);
  print_floor(out, "graph launch, no nodes", floors.empty_graph_launch);
  print_floor(out, "event pair around nothing", floors.event_pair);
  if (floors.event_resolution) {
    out << left("event resolution", label_width)
        << right(format_seconds(*floors.event_resolution), floor_time_width) << '\n';
  }
  print_floor(out, "completion of a kernel, spinning", floors.completion_spin);
  print_floor(out, "completion of a kernel, asleep", floors.completion_block);
  print_floor(out, "queue hand-off to the stream", floors.queue_handoff);
  print_floor(out, "IF node with a kernel, taken", floors.if_taken_seconds);
  print_floor(out, "IF node with a kernel, not taken", floors.if_not_taken_seconds);
  print_floor(out, "SWITCH node over 8 kernels", floors.switch_arm_seconds);
  for (const model::FloorShape& shape : floors.shapes) print_shape(out, shape, colours);
  if (floors.exec_memory) print_exec_memory(out, *floors.exec_memory, colours);
  out << '\n' << model::trust_in(environment).text << '\n';
}

std::string floor_line(const std::vector<model::CellResult>& cells) {
  std::vector<std::string> modes;
  std::map<std::string, std::vector<double>> multiples;
  for (const model::CellResult& cell : cells) {
    if (!cell.summary.submit_over_floor) continue;
    const std::string& mode = cell.cell.mode;
    if (!contains(modes, mode)) modes.push_back(mode);
    multiples[mode].push_back(*cell.summary.submit_over_floor);
  }
  std::string line;
  for (const std::string& mode : modes) {
    const std::vector<double>& of_mode = multiples[mode];
    double logarithms = 0;
    for (const double multiple : of_mode) logarithms += std::log(multiple);
    const auto [low, high] = std::ranges::minmax(of_mode);
    line +=
        fmt::format("{}{} {} ({}..{})",
                    line.empty() ? "submit over its floor (the same launches, of empty kernels): " : ", ",
                    one_line(mode), format_ratio(std::exp(logarithms / static_cast<double>(of_mode.size()))),
                    format_ratio(low), format_ratio(high));
  }
  return line;
}

}  // namespace graphbench::reporters
