// The workloads of a process: adding checked plugins, listing workloads, resolving a choice of preset and
// options, and building.
#include <algorithm>
#include <functional>
#include <utility>

#include "graphs/abi/builder_glue.hpp"
#include "graphs/abi/foreign_op.hpp"
#include "graphs/abi/plugin.hpp"
#include "graphs/abi/records.hpp"
#include "graphs/base/error.hpp"
#include "graphs/ir/attention.hpp"
#include "graphs/ir/epilogues.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::abi {
namespace {

template <typename Items, typename NameOf>
std::string joined(const Items& items, NameOf name_of_item) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + std::invoke(name_of_item, item);
  return text.empty() ? "none" : text;
}

[[noreturn]] void reject(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

const WorkloadPreset& preset_of(const WorkloadInfo& info, const std::string& name) {
  const auto found = std::ranges::find(info.presets, name, &WorkloadPreset::name);
  if (found == info.presets.end()) {
    reject("workload " + info.name + ": unknown preset '" + name +
           "', it has: " + joined(info.presets, &WorkloadPreset::name));
  }
  return *found;
}

// The value of every option, in the order in which the workload declares them.
std::vector<gb_option_value> option_values(const WorkloadInfo& info, const BuildChoice& choice) {
  const auto& overrides = choice.options;
  for (const auto& [key, value] : overrides) {
    const auto found = std::ranges::find(info.options, key, &WorkloadOption::key);
    if (found == info.options.end()) {
      reject("workload " + info.name + ": unknown option '" + key +
             "', it has: " + joined(info.options, &WorkloadOption::key));
    }
    if (value < found->min || value > found->max) {
      reject("workload " + info.name + ": option " + key + "=" + std::to_string(value) + " is outside " +
             std::to_string(found->min) + ".." + std::to_string(found->max));
    }
  }
  const WorkloadPreset& preset = preset_of(info, choice.preset);
  std::vector<gb_option_value> values;
  for (const WorkloadOption& option : info.options) {
    const auto chosen = overrides.find(option.key);
    values.push_back(
        {option.key.c_str(), chosen != overrides.end() ? chosen->second : preset.values.at(option.key)});
  }
  return values;
}

gb_dtype floating_dtype(const WorkloadInfo& info, ir::DType dtype) {
  if (dtype != ir::DType::i32) return static_cast<gb_dtype>(dtype);
  reject("workload " + info.name + ": dtype i32 is not one to compute in, use fp32, fp16 or bf16");
}

}  // namespace

void WorkloadRegistry::add(const gb_plugin& plugin, const std::string& origin) {
  // Everything is checked before anything is added: a refused plugin leaves no half of itself.
  CheckedPlugin checked = check_plugin(plugin, origin);
  for (const CheckedWorkload& workload : checked.workloads) {
    for (const Entry& known : entries_) {
      if (known.info.name != workload.info.name) continue;
      throw Error(ErrorCode::plugin_failed, plugin_label(origin) + ": workload '" + workload.info.name +
                                                "' is taken already, by " + known.info.plugin);
    }
  }
  for (const ir::OpDefinition& op : checked.ops) {
    const ir::OpDefinition* known = catalog_.find(op.kind);
    if (known == nullptr) continue;
    throw Error(ErrorCode::plugin_failed,
                plugin_label(origin) + ": op kind '" + op.kind + "' is taken already, " +
                    (known->foreign == nullptr ? "it is built in" : "by another plugin"));
  }
  for (const gb_program_pass& pass : checked.passes) {
    for (const Pass& known : passes_) {
      if (std::string_view(known.record.name) == pass.name)
        throw Error(ErrorCode::plugin_failed,
                    plugin_label(origin) + ": pass '" + pass.name + "' is taken already, by " + known.plugin);
    }
  }
  for (const gb_program_pass& pass : checked.passes) passes_.push_back({pass, origin});
  for (ir::OpDefinition& op : checked.ops) catalog_.add(std::move(op));
  for (CheckedWorkload& workload : checked.workloads) {
    entries_.push_back({std::move(workload.info), workload.workload});
  }
}

std::vector<WorkloadInfo> WorkloadRegistry::workloads() const {
  std::vector<WorkloadInfo> infos;
  for (const Entry& known : entries_) infos.push_back(known.info);
  return infos;
}

const WorkloadRegistry::Entry& WorkloadRegistry::entry(std::string_view workload) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& known) { return known.info.name == workload; });
  if (found == entries_.end()) {
    reject("unknown workload '" + std::string(workload) +
           "', there are: " + joined(entries_, [](const Entry& known) { return known.info.name; }));
  }
  return *found;
}

const WorkloadRegistry::Pass& WorkloadRegistry::pass(const std::string& name) const {
  const auto found = std::ranges::find_if(
      passes_, [&](const Pass& known) { return known.record.name == std::string_view(name); });
  if (found == passes_.end()) {
    reject("program-pass \"" + name + "\" is unknown: known are " +
           joined(passes_, [](const Pass& known) { return std::string(known.record.name); }));
  }
  return *found;
}

ir::Program WorkloadRegistry::build(std::string_view workload, const BuildChoice& choice) const {
  const auto asked = choice.axes.find("program-pass");
  const Pass* rewriting = asked == choice.axes.end() ? nullptr : &pass(asked->second);
  ir::Program program = build_forward(workload, choice);
  if (choice.pass == "training")
    program = ir::differentiate(program, catalog_, ir::training_options(choice.axes));
  const auto is = [&](const char* axis, const char* value) {
    const auto given = choice.axes.find(axis);
    return given != choice.axes.end() && given->second == value;
  };
  if (is("epilogues", "off")) program = ir::without_epilogues(program, catalog_);
  if (is("attention", "decomposed")) program = ir::decompose_attention(program, catalog_);
  if (rewriting != nullptr)
    program = run_program_pass(
        rewriting->record, program, catalog_,
        plugin_label(rewriting->plugin) + ": pass " + asked->second + " of program " + program.name());
  if (is("epilogues", "joined")) program = ir::with_epilogues(program, catalog_, choice.split_kinds);
  return program;
}

ir::Program WorkloadRegistry::build_forward(std::string_view workload, const BuildChoice& choice) const {
  const Entry& chosen = entry(workload);
  const WorkloadInfo& info = chosen.info;
  if (choice.pass != "training" && choice.pass != "forward") {
    reject("workload " + info.name + ": unknown pass '" + choice.pass + "', there are: forward, training");
  }
  const std::vector<gb_option_value> options = option_values(info, choice);
  gb_build_request request{};
  request.struct_size = sizeof(request);
  request.dtype = floating_dtype(info, choice.dtype);
  request.pass = choice.pass.c_str();
  request.options = options.data();
  request.option_count = static_cast<std::int32_t>(options.size());
  const std::string program_name =
      info.name + "/" + choice.preset + "/" + std::string(ir::name_of(choice.dtype));
  const std::string where =
      (info.plugin == "builtin" ? "" : plugin_label(info.plugin) + ": ") + "workload " + info.name;
  return build_program(chosen.workload, request, catalog_, program_name, where);
}

}  // namespace graphbench::abi
