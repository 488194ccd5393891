// Keeps the workloads of a process: loads and adds checked plugins, lists workloads, resolves presets and
// options, and builds programs.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <system_error>
#include <utility>

#include "graphs/abi/builder_glue.hpp"
#include "graphs/abi/foreign_op.hpp"
#include "graphs/abi/guard.hpp"
#include "graphs/abi/plugin.hpp"
#include "graphs/abi/records.hpp"
#include "graphs/abi/text.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "graphs/ir/attention.hpp"
#include "graphs/ir/epilogues.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::abi {
namespace {

template <typename Items, typename NameOf>
std::string names_of(const Items& items, NameOf name_of_item) {
  return items.empty() ? "none" : join(items, ", ", name_of_item);
}

[[noreturn]] void reject(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

const WorkloadPreset& preset_of(const WorkloadInfo& info, const std::string& name) {
  const auto found = std::ranges::find(info.presets, name, &WorkloadPreset::name);
  if (found == info.presets.end()) {
    reject("workload " + info.name + ": unknown preset '" + name + "': give one of " +
           names_of(info.presets, &WorkloadPreset::name));
  }
  return *found;
}

// Returns the value of every option, in the order in which the workload declares its options.
std::vector<gb_option_value> option_values(const WorkloadInfo& info, const BuildChoice& choice) {
  const auto& overrides = choice.options;
  for (const auto& [key, value] : overrides) {
    const auto found = std::ranges::find(info.options, key, &WorkloadOption::key);
    if (found == info.options.end()) {
      reject("workload " + info.name + ": unknown option '" + key +
             "', the workload has: " + names_of(info.options, &WorkloadOption::key));
    }
    if (value < found->min || value > found->max) {
      reject("workload " + info.name + ": option " + key + "=" + std::to_string(value) +
             " is out of range: give " + std::to_string(found->min) + " to " + std::to_string(found->max));
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
  reject("workload " + info.name + ": no workload computes in dtype i32: use fp32, fp16 or bf16");
}

}  // namespace

void WorkloadRegistry::add(const gb_plugin& plugin, const std::string& origin) {
  // Everything is checked before anything is added, so that a refused plugin adds nothing.
  CheckedPlugin checked = check_plugin(plugin, origin);
  for (const CheckedWorkload& workload : checked.workloads) {
    for (const CheckedWorkload& known : entries_) {
      if (known.info.name != workload.info.name) continue;
      throw Error(ErrorCode::plugin_failed, plugin_label(origin) + ": workload '" + workload.info.name +
                                                "' already exists in " + known.info.plugin);
    }
  }
  for (const ir::OpDefinition& op : checked.ops) {
    const ir::OpDefinition* known = catalog_.find(op.kind);
    if (known == nullptr) continue;
    throw Error(ErrorCode::plugin_failed,
                plugin_label(origin) + ": op kind '" + op.kind + "' already exists " +
                    (known->foreign == nullptr ? "in graphbench" : "in another plugin"));
  }
  for (const gb_program_pass& pass : checked.passes) {
    for (const Pass& known : passes_) {
      if (std::string_view(known.record.name) == pass.name)
        throw Error(ErrorCode::plugin_failed,
                    plugin_label(origin) + ": pass '" + pass.name + "' already exists in " + known.plugin);
    }
  }
  for (const gb_program_pass& pass : checked.passes) passes_.push_back({pass, origin});
  for (ir::OpDefinition& op : checked.ops) catalog_.add(std::move(op));
  std::ranges::move(checked.workloads, std::back_inserter(entries_));
}

std::vector<WorkloadInfo> WorkloadRegistry::workloads() const {
  std::vector<WorkloadInfo> infos;
  for (const CheckedWorkload& known : entries_) infos.push_back(known.info);
  return infos;
}

const CheckedWorkload& WorkloadRegistry::entry(std::string_view workload) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const CheckedWorkload& known) { return known.info.name == workload; });
  if (found == entries_.end()) {
    reject("unknown workload '" + std::string(workload) + "': give one of " +
           names_of(entries_, [](const CheckedWorkload& known) { return known.info.name; }));
  }
  return *found;
}

const gb_step* WorkloadRegistry::step(std::string_view workload) const {
  const CheckedWorkload& known = entry(workload);
  return known.info.is_step() ? &known.step : nullptr;
}

const WorkloadRegistry::Pass& WorkloadRegistry::pass(const std::string& name) const {
  const auto found = std::ranges::find_if(
      passes_, [&](const Pass& known) { return known.record.name == std::string_view(name); });
  if (found == passes_.end()) {
    reject("program-pass " + in_quotes(name) + " is unknown: give one of " +
           names_of(passes_, [](const Pass& known) { return known.record.name; }));
  }
  return *found;
}

ir::Program WorkloadRegistry::build(std::string_view workload, const BuildChoice& choice) const {
  const auto asked = choice.axes.find("program-pass");
  std::vector<const Pass*> rewriting;
  if (asked != choice.axes.end())
    for (const std::string& name : split(asked->second, '+')) rewriting.push_back(&pass(name));
  ir::Program program = build_forward(workload, choice);
  if (choice.pass == "training")
    program = ir::differentiate(program, catalog_, ir::training_options(choice.axes));
  const auto is = [&](const char* axis, const char* value) {
    const auto given = choice.axes.find(axis);
    return given != choice.axes.end() && given->second == value;
  };
  if (is("epilogues", "off")) program = ir::without_epilogues(program, catalog_);
  if (is("attention", "decomposed")) program = ir::decompose_attention(program, catalog_);
  for (const Pass* each : rewriting)
    program = run_program_pass(
        each->record, program, catalog_,
        plugin_label(each->plugin) + ": pass " + each->record.name + " of program " + program.name());
  if (is("epilogues", "joined")) program = ir::with_epilogues(program, catalog_, choice.splits);
  return program;
}

ir::Program WorkloadRegistry::build_forward(std::string_view workload, const BuildChoice& choice) const {
  const CheckedWorkload& chosen = entry(workload);
  const WorkloadInfo& info = chosen.info;
  if (info.is_step()) reject("workload " + info.name + " is a foreign step and has no program");
  if (choice.pass != "training" && choice.pass != "forward") {
    reject("workload " + info.name + ": unknown pass '" + choice.pass + "': give forward or training");
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

namespace {

constexpr std::size_t kReasonBytes = 1024;

[[noreturn]] void refuse_plugin(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::plugin_failed, plugin_label(path) + ": " + why);
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "the loader gave no reason" : printable(text);
}

// Returns the file's absolute path: for a name without a slash, dlopen would search the library path instead.
std::string existing_file(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found) refuse_plugin(path, "the file does not exist");
  if (failed) refuse_plugin(path, "cannot be read: " + failed.message());
  if (status.type() != std::filesystem::file_type::regular) refuse_plugin(path, "is not a regular file");
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) refuse_plugin(path, "has no absolute path: " + failed.message());
  return absolute.string();
}

// The library stays open until the process ends, because programs and graphs contain pointers into it, and a
// library with static destructors or thread-locals may crash if it is closed early.
gb_plugin_open_fn entry_point(const std::string& path) {
  const std::string file = existing_file(path);
  void* library =
      guarded(plugin_label(path) + ": loading", [&] { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (library == nullptr) refuse_plugin(path, "cannot be loaded as a shared library: " + last_loader_error());
  void* symbol = dlsym(library, GB_PLUGIN_OPEN_SYMBOL);
  if (symbol == nullptr) {
    refuse_plugin(path, "does not export " GB_PLUGIN_OPEN_SYMBOL ", so it is not a graphbench plugin");
  }
  return reinterpret_cast<gb_plugin_open_fn>(symbol);
}

}  // namespace

void WorkloadRegistry::load(const std::string& path) {
  const gb_plugin_open_fn open = entry_point(path);
  std::array<char, kReasonBytes> reason{};
  const gb_plugin* plugin = nullptr;
  const int status = guarded(plugin_label(path) + ": " GB_PLUGIN_OPEN_SYMBOL,
                             [&] { return open(GB_ABI_VERSION, &plugin, reason.data(), reason.size()); });
  reason.back() = '\0';
  if (status != 0) {
    refuse_plugin(path,
                  GB_PLUGIN_OPEN_SYMBOL " returned " + std::to_string(status) + ": " +
                      (reason.front() == '\0' ? "the plugin gave no reason" : printable(reason.data())));
  }
  if (plugin == nullptr) refuse_plugin(path, GB_PLUGIN_OPEN_SYMBOL " returned 0 without a plugin record");
  add(*plugin, path);
}

}  // namespace graphbench::abi
