// Writes the canonical text of a plan, and hashes it.
#include "harness/sweep/plan/plan_hash.hpp"

#include <charconv>

#include "graphs/base/digest.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::plan {
namespace {

// The shortest text that parses to the same number, in every locale.
std::string real(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : std::string("?");
}

}  // namespace

std::string canonical_text(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                           const config::SweepOptions& options, const model::AxisTable& table) {
  // Leaves out launches and seed, so that results of five and of ten launches can be compared.
  std::string text = "graphbench.plan/1\n";
  for (const WorkloadChoice& workload : workloads) {
    text += "workload=" + workload.name + " preset=" + workload.preset;
    for (const auto& [key, value] : workload.options) text += " " + key + "=" + std::to_string(value);
    text += "\n";
  }
  // Leaves out axes at their default, and the line "grid" of the first grid, so that older plans keep their
  // hash.
  const std::vector<model::Axes> grids = model::grids_of(facts);
  for (const model::Axes& grid : grids) {
    if (&grid != &grids.front()) text += "grid\n";
    for (const model::Axis& axis : table) {
      const bool named_above = axis.texts == &model::Axes::workload || axis.texts == &model::Axes::preset;
      const std::vector<std::string> values = model::values_of(grid, axis);
      if (!named_above && !values.empty()) text += axis.name + "=" + join(values) + "\n";
    }
  }
  text += "split-ops=" + join(options.split_ops) + "\n";
  text += "time-per-cell=" + real(options.sampling.seconds_max) + "\n";
  text += "samples-max=" + std::to_string(options.sampling.samples_max) + "\n";
  // Left out if false, so that plans from before this option keep their hash.
  if (facts.cold_l2) text += "cold-l2=true\n";
  for (const auto& [name, value] : facts.caller) text += name + "=" + value + "\n";
  return text;
}

std::string plan_hash(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                      const config::SweepOptions& options, const model::AxisTable& table) {
  return sha256_hex(canonical_text(facts, workloads, options, table));
}

}  // namespace graphbench::plan
