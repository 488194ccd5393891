// Checks names, presets and `--set` against the probe's catalog.
#include "harness/sweep/plan/workload_choice.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::sweep {
namespace {

template <typename Item>
std::vector<std::string> names(const std::vector<Item>& items, std::string Item::*name_of) {
  std::vector<std::string> result;
  for (const auto& item : items) result.push_back(item.*name_of);
  return result;
}

const abi::WorkloadInfo& find_workload(const Catalog& catalog, const std::string& name,
                                       const std::string& where) {
  for (const abi::WorkloadInfo& info : catalog.workloads) {
    if (info.name == name) return info;
  }
  const std::vector<std::string> known = names(catalog.workloads, &abi::WorkloadInfo::name);
  throw InputError(
      where, in_quotes(name) + " is not a workload: give one of " + join(known) + did_you_mean(name, known));
}

std::string preset_of(const abi::WorkloadInfo& info, const options::SweepOptions& options,
                      const Catalog& catalog) {
  if (info.is_step()) return std::string(model::of_its_own);
  const bool given = !options.axes.preset.empty();
  const std::string wanted =
      given ? options.axes.preset.front() : model::device_kind(catalog.facts.kind).preset;
  const std::vector<std::string> known = names(info.presets, &abi::WorkloadPreset::name);
  if (contains(known, wanted)) return wanted;
  if (!given && !known.empty()) return known.front();
  throw InputError(options.where("preset"), in_quotes(wanted) + " is not a preset of " + info.name +
                                                ": give one of " + join(known) + did_you_mean(wanted, known));
}

// The number after `word` in the option's help text, which may have pairs such as "apart=2"; absent if the
// text has no such pair.
std::optional<std::int64_t> named_value(const abi::WorkloadOption& option, const std::string& word) {
  const std::size_t at = option.help.find(" " + word + "=");
  if (at == std::string::npos) return std::nullopt;
  return std::strtoll(option.help.c_str() + at + word.size() + 2, nullptr, 10);
}

std::int64_t checked_value(const options::SetOption& set, const abi::WorkloadInfo& info) {
  const std::vector<std::string> known = names(info.options, &abi::WorkloadOption::key);
  const auto found = std::ranges::find(info.options, set.key, &abi::WorkloadOption::key);
  if (found == info.options.end()) {
    const std::string has = known.empty() ? "this workload has no options" : "give one of " + join(known);
    throw InputError(set.where, in_quotes(set.key) + " is not an option of " + info.name + ": " + has +
                                    did_you_mean(set.key, known));
  }
  const bool named = !set.word.empty();
  const std::optional<std::int64_t> value = named ? named_value(*found, set.word) : set.value;
  if (!value || *value < found->min || *value > found->max)
    throw InputError(set.where, info.name + "." + set.key + "=" +
                                    (named ? set.word : std::to_string(*value)) + " is out of range: give " +
                                    std::to_string(found->min) + " to " + std::to_string(found->max) +
                                    (named ? " (" + found->help + ")" : ""));
  return *value;
}

// Checks --shape-trace against a workload. Each workload of the sweep is checked, because each walks the
// trace.
void check_shapes(const model::ShapeTrace& trace, const abi::WorkloadInfo& info, bool trains) {
  const auto found = std::ranges::find(info.options, model::sequence_option, &abi::WorkloadOption::key);
  for (const model::ShapeStep& step : trace.steps) {
    if (!step.sequence) continue;
    const std::string where = trace.file + ":" + std::to_string(step.line);
    const std::string given = "sequence length " + std::to_string(*step.sequence);
    if (found == info.options.end())
      throw InputError(where, given + ": workload " + info.name + " has no option " + model::sequence_option +
                                  ": give the batch size alone, or --workload "
                                  "without " +
                                  info.name);
    const std::int64_t least = trains ? std::max<std::int64_t>(found->min, 2) : found->min;
    if (*step.sequence < least || *step.sequence > found->max)
      throw InputError(where, given + " is out of range for " + info.name + (trains ? " in training" : "") +
                                  ": give " + std::to_string(least) + " to " + std::to_string(found->max));
  }
}

void check_step(const abi::WorkloadInfo& info, const options::SweepOptions& options) {
  const auto refuse = [&](const std::string& option) {
    throw InputError(options.where(option), "the option applies only to programs, but workload " +
                                                in_quotes(info.name) + " is a step that " +
                                                in_quotes(info.plugin) + " runs: leave the option out");
  };
  for (const char* option : {"preset", "dtype", "pass", "dump-program"}) {
    if (options.places.contains(option)) refuse(option);
  }
  for (const model::Axis& axis : model::axes()) {
    const bool ours = contains(axis.passes, std::string(model::of_its_own));
    if (axis.came_later() && !ours && options.places.contains(axis.name)) refuse(axis.name);
  }
  for (const std::string& mode : options.axes.mode) {
    if (options.places.contains("mode") && !contains(info.modes, mode))
      throw InputError(options.where("mode"), in_quotes(mode) + " is not a mode of " + info.name +
                                                  ": give one of " + join(info.modes) +
                                                  did_you_mean(mode, info.modes));
  }
}

void check_modes(const options::SweepOptions& options) {
  for (const std::string& mode : options.axes.mode) {
    if (model::is_step_mode(mode))
      throw InputError(options.where("mode"),
                       in_quotes(mode) +
                           " is a mode of steps that PyTorch or a plugin runs, but this sweep has "
                           "no such step: give another mode");
  }
}

}  // namespace

const abi::WorkloadInfo* step_of(const std::vector<WorkloadChoice>& workloads, const Catalog& catalog) {
  const auto found = std::ranges::find(catalog.workloads, workloads.front().name, &abi::WorkloadInfo::name);
  return found->is_step() ? &*found : nullptr;
}

std::vector<WorkloadChoice> choose_workloads(const options::SweepOptions& options, const Catalog& catalog) {
  std::vector<std::string> chosen = options.axes.workload;
  if (options.torch.given()) chosen = {catalog.workloads.back().name};  // the workload of --torch is last
  if (chosen.empty()) {
    // By default runs the plugins' workloads, or the built-in ones if the plugins have only ops or passes.
    const auto from_plugin = [](const abi::WorkloadInfo& info) { return info.plugin != "builtin"; };
    const bool own = !options.plugins.empty() && std::ranges::any_of(catalog.workloads, from_plugin);
    for (const abi::WorkloadInfo& info : catalog.workloads) {
      if (from_plugin(info) == own) chosen.push_back(info.name);
    }
  }
  std::vector<WorkloadChoice> choices;
  for (const std::string& name : chosen) {
    const abi::WorkloadInfo& info = find_workload(catalog, name, options.where("workload"));
    if (info.is_step()) check_step(info, options);
    if (info.is_step() && chosen.size() > 1)
      throw InputError(options.where("workload"), in_quotes(name) + " is a step that " +
                                                      in_quotes(info.plugin) + " runs: give --workload " +
                                                      name + " alone");
    choices.push_back({name, preset_of(info, options, catalog), {}});
    check_shapes(options.instruments.shape_trace, info,
                 std::ranges::count(options.axes.pass, "training") > 0);
  }
  for (const options::SetOption& set : options.set) {
    const std::int64_t value = checked_value(set, find_workload(catalog, set.workload, set.where));
    const auto choice = std::ranges::find(choices, set.workload, &WorkloadChoice::name);
    if (choice != choices.end()) {
      choice->options[set.key] = value;
    } else if (set.from_flag) {
      // Refuses only a --set on the command line: one in a configuration file may be for other sweeps.
      throw InputError(set.where, in_quotes(set.workload) + " is not in this sweep, which runs " +
                                      join(chosen) + ": leave the option out");
    }
  }
  if (step_of(choices, catalog) == nullptr) check_modes(options);
  return choices;
}

std::vector<std::string> choose_dtypes(const options::SweepOptions& options, const Catalog& catalog) {
  const std::vector<std::string> chosen =
      !options.axes.dtype.empty()
          ? options.axes.dtype
          : std::vector<std::string>{model::device_kind(catalog.facts.kind).data_type};
  for (const std::string& dtype : chosen) {
    if (!contains(catalog.dtypes, dtype)) {
      throw InputError(options.where("dtype"), in_quotes(dtype) + " is not supported by " + catalog.device +
                                                   " (" + catalog.facts.name + "): give one of " +
                                                   join(catalog.dtypes));
    }
  }
  return chosen;
}

}  // namespace graphbench::sweep
