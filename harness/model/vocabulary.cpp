// The tables of words. The command line, `graphbench list` and reports read facts about a word from its row.
#include "harness/model/vocabulary.hpp"

#include <algorithm>
#include <cctype>

namespace graphbench::model {

const std::vector<Mode>& modes() {
  static const std::vector<Mode> rows = {
      {.name = "eager",
       .help = "every op is launched by the host",
       .graph = false,
       .reference = true,
       .also = "none"},
      {.name = "whole", .help = "the step is captured as one graph", .graph = true, .also = "full"},
      {.name = "piecewise",
       .help = "ops between splitting ops are captured as graph pieces that share a pool",
       .graph = true},
  };
  return rows;
}

const Mode& reference_mode() {
  return *std::ranges::find_if(modes(), &Mode::reference);
}

std::string mode_named(const std::string& word) {
  std::string lower = word;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto is_it = [&](const Mode& mode) { return mode.name == lower || mode.also == lower; };
  const auto found = std::ranges::find_if(modes(), is_it);
  return found == modes().end() ? word : found->name;
}

bool is_step_mode(std::string_view name) {
  return name.find('.') != std::string_view::npos;
}

bool is_graph_mode(std::string_view name) {
  return is_step_mode(name) ||
         std::ranges::any_of(modes(), [&](const Mode& mode) { return mode.name == name && mode.graph; });
}

const std::vector<DataType>& data_types() {
  static const std::vector<DataType> rows = {{"bf16", 2}, {"fp16", 2}, {"fp32", 4}};
  return rows;
}

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> rows = {
      {"cuda", "an NVIDIA GPU: give cuda, or cuda:N for one of several GPUs", "base", "bf16", "1:256:x2"},
      {"host", "the CPU, with one in-order stream on a separate thread", "tiny", "fp32", "1:64:x4"},
  };
  return rows;
}

const DeviceKind& device_kind(std::string_view name) {
  const auto found = std::ranges::find(device_kinds(), name, &DeviceKind::name);
  return found == device_kinds().end() ? device_kinds().front() : *found;
}

const std::vector<Pass>& passes() {
  static const std::vector<Pass> rows = {
      {"forward", "from inputs to outputs"},
      {"training", "forward, loss, backward and optimizer"},
  };
  return rows;
}

}  // namespace graphbench::model
