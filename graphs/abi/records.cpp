// Checks gb_plugin, gb_workload, gb_op and gb_step field by field.
#include "graphs/abi/records.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/abi/text.hpp"
#include "graphs/base/error.hpp"

namespace graphbench::abi {
namespace {

// The limit of every count in a record, to detect counts from uninitialised memory.
constexpr std::int32_t kCountMax = 1024;

[[noreturn]] void refuse_record(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::plugin_failed, where + ": " + why);
}

// The sizes of the records in the first header of version 2. Later headers append fields.
constexpr std::size_t kPluginBytes = offsetof(gb_plugin, op_count) + sizeof(gb_plugin::op_count);
constexpr std::size_t kWorkloadBytes = offsetof(gb_workload, user) + sizeof(gb_workload::user);
constexpr std::size_t kOpBytes = offsetof(gb_op, release) + sizeof(gb_op::release);
constexpr std::size_t kPassBytes = offsetof(gb_program_pass, user) + sizeof(gb_program_pass::user);
constexpr std::size_t kStepBytes = offsetof(gb_step, user) + sizeof(gb_step::user);
constexpr std::size_t kBytesMax = 4096;  // to detect a size from uninitialised memory

// Copies a record into our header's struct. Fields that an older header lacks are zero; fields that only a
// newer header has must be zero.
template <typename Record>
Record known_part(const std::string& where, const char* name, const Record& record, std::size_t least) {
  const std::size_t size = record.struct_size;
  const std::string field = std::string(name) + ".struct_size is " + std::to_string(size);
  if (size < least || size > kBytesMax) {
    refuse_record(where, field + ", but ABI version " + std::to_string(GB_ABI_VERSION) + " takes " +
                             std::to_string(least) + " to " + std::to_string(kBytesMax) +
                             ": set it to sizeof(" + name + ")");
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&record);
  for (std::size_t i = sizeof(Record); i < size; ++i) {
    if (bytes[i] == 0) continue;
    refuse_record(where, field + " and byte " + std::to_string(i) +
                             " is not zero: the record uses a field that this graphbench, with " +
                             std::to_string(sizeof(Record)) + " bytes, does not know");
  }
  Record known{};
  std::memcpy(&known, bytes, std::min(size, sizeof(Record)));
  return known;
}

void check_count(const std::string& where, const char* field, std::int32_t count, const void* array) {
  if (count < 0 || count > kCountMax) {
    refuse_record(where, std::string(field) + "_count is " + std::to_string(count) +
                             ": give a number in 0.." + std::to_string(kCountMax));
  }
  if (count > 0 && array == nullptr) {
    refuse_record(where, std::string(field) + (std::string_view(field) == "pass" ? "es" : "s") +
                             " is null, but " + field + "_count is " + std::to_string(count));
  }
}

std::string checked_name(const std::string& where, const char* field, const char* name) {
  if (name == nullptr) refuse_record(where, std::string(field) + " is null");
  if (!is_name(name)) refuse_record(where, std::string(field) + " '" + printable(name) + "': " + kNameRule);
  return name;
}

std::string record_line(const std::string& where, const char* field, const char* text) {
  if (text == nullptr) refuse_record(where, std::string(field) + " is null");
  if (!is_line(text)) {
    refuse_record(where, std::string(field) + " '" + printable(text) +
                             "' must be one line of UTF-8, at most 512 bytes, without control characters");
  }
  return text;
}

void check_unique(const std::string& where, const char* what, const std::string& name,
                  std::set<std::string>& seen) {
  if (!seen.insert(name).second) refuse_record(where, std::string(what) + " '" + name + "' is listed twice");
}

std::vector<WorkloadOption> check_options(const gb_workload& workload, const std::string& where) {
  check_count(where, "option", workload.option_count, workload.options);
  std::vector<WorkloadOption> options;
  std::set<std::string> seen;
  for (std::int32_t i = 0; i < workload.option_count; ++i) {
    const gb_option& option = workload.options[i];
    const std::string key = checked_name(where, "option key", option.key);
    check_unique(where, "option", key, seen);
    if (option.min < 1 || option.max < option.min) {
      refuse_record(where, "option '" + key + "' has bounds [" + std::to_string(option.min) + ", " +
                               std::to_string(option.max) + "]: give bounds with 1 <= min <= max");
    }
    options.push_back({key, record_line(where, "option help", option.help), option.min, option.max});
  }
  return options;
}

WorkloadPreset check_preset(const gb_preset& preset, const std::vector<WorkloadOption>& options,
                            const std::string& where) {
  WorkloadPreset checked;
  checked.name = checked_name(where, "preset name", preset.name);
  const std::string label = "preset '" + checked.name + "'";
  if (!options.empty() && preset.values == nullptr) refuse_record(where, label + " has no values");
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::int64_t value = preset.values[i];
    if (value < options[i].min || value > options[i].max) {
      refuse_record(where, label + " sets " + options[i].key + " to " + std::to_string(value) +
                               ": give a value in [" + std::to_string(options[i].min) + ", " +
                               std::to_string(options[i].max) + "]");
    }
    checked.values.emplace(options[i].key, value);
  }
  return checked;
}

CheckedWorkload check_workload(const gb_workload* record, const std::string& origin) {
  const std::string label = plugin_label(origin);
  if (record == nullptr) refuse_record(label, "an entry of gb_plugin.workloads is null");
  CheckedWorkload checked;
  checked.workload = known_part(label, "gb_workload", *record, kWorkloadBytes);
  const gb_workload& workload = checked.workload;
  if (workload.reserved != 0) refuse_record(label, "gb_workload.reserved is not 0");
  checked.info.name = checked_name(label, "workload name", workload.name);
  checked.info.plugin = origin;
  const std::string where = label + ": workload '" + checked.info.name + "'";
  checked.info.help = record_line(where, "help", workload.help);
  if (workload.build == nullptr) refuse_record(where, "build is null");
  checked.info.options = check_options(workload, where);
  check_count(where, "preset", workload.preset_count, workload.presets);
  if (workload.preset_count == 0) refuse_record(where, "the workload has no preset: give at least one");
  std::set<std::string> seen;
  for (std::int32_t i = 0; i < workload.preset_count; ++i) {
    WorkloadPreset preset = check_preset(workload.presets[i], checked.info.options, where);
    check_unique(where, "preset", preset.name, seen);
    checked.info.presets.push_back(std::move(preset));
  }
  return checked;
}

ir::OpDefinition check_op(const gb_op* record, const std::string& label) {
  if (record == nullptr) refuse_record(label, "an entry of gb_plugin.ops is null");
  const gb_op op = known_part(label, "gb_op", *record, kOpBytes);
  const std::string where = label + ": op '" + checked_name(label, "op kind", op.kind) + "'";
  constexpr std::uint32_t known_flags = GB_OP_HOST | GB_OP_NOT_CAPTURABLE;
  if ((op.flags & ~known_flags) != 0) {
    refuse_record(where, "flags is " + std::to_string(op.flags) + ": ABI version " +
                             std::to_string(GB_ABI_VERSION) +
                             " knows GB_OP_HOST (1) and GB_OP_NOT_CAPTURABLE (2)");
  }
  if (op.infer == nullptr) refuse_record(where, "infer is null");
  if (op.run_host == nullptr && (op.flags & GB_OP_HOST) != 0) {
    refuse_record(where, "run_host of a host op (GB_OP_HOST) is null: give run_host");
  }
  if (op.launch_cuda == nullptr && op.run_host == nullptr) {
    refuse_record(where, "launch_cuda and run_host are both null: give at least one");
  }
  if (op.gradient != nullptr) checked_name(where, "gradient", op.gradient);
  if ((op.gradient != nullptr) != (op.gradient_inputs != 0)) {
    refuse_record(where, op.gradient != nullptr
                             ? "gradient_inputs is 0: set the bit of each input whose gradient " +
                                   std::string(op.gradient) + " computes"
                             : "gradient_inputs is set, but gradient is null: give both or neither");
  }
  return foreign_definition(op);
}

void check_gradient(const ir::OpDefinition& op, const std::vector<ir::OpDefinition>& ops,
                    const std::string& label) {
  if (op.gradient.empty()) return;
  const std::string where = label + ": op '" + op.kind + "': gradient '" + op.gradient + "'";
  const auto gradient = std::ranges::find(ops, op.gradient, &ir::OpDefinition::kind);
  if (gradient == ops.end() || op.gradient == op.kind)
    refuse_record(where, "the gradient must be the kind of another op of this plugin");
  if (!gradient->mutated_inputs.empty()) refuse_record(where, "the gradient op's mutated_inputs must be 0");
}

gb_program_pass check_pass(const gb_program_pass* record, const std::string& label) {
  if (record == nullptr) refuse_record(label, "an entry of gb_plugin.passes is null");
  const gb_program_pass pass = known_part(label, "gb_program_pass", *record, kPassBytes);
  if (pass.reserved != 0) refuse_record(label, "gb_program_pass.reserved is not 0");
  const std::string where = label + ": pass '" + checked_name(label, "pass name", pass.name) + "'";
  if (std::string_view(pass.name) == "none")
    refuse_record(where, "\"none\" means no pass: choose another name");
  record_line(where, "help", pass.help);
  if (pass.rewrite == nullptr) refuse_record(where, "rewrite is null");
  return pass;
}

bool is_step_mode(std::string_view mode) {
  const std::size_t dot = mode.find('.');
  if (dot == std::string_view::npos) return mode == "whole" || mode == "piecewise";
  return is_name(mode.substr(0, dot)) && is_name(mode.substr(dot + 1));
}

CheckedWorkload check_step(const gb_step* record, const std::string& origin) {
  const std::string label = plugin_label(origin);
  if (record == nullptr) refuse_record(label, "an entry of gb_plugin.steps is null");
  CheckedWorkload checked;
  checked.step = known_part(label, "gb_step", *record, kStepBytes);
  const gb_step& step = checked.step;
  checked.info.name = checked_name(label, "step name", step.name);
  checked.info.plugin = origin;
  const std::string where = label + ": step '" + checked.info.name + "'";
  checked.info.help = record_line(where, "help", step.help);
  for (const auto& [name, missing] : {std::pair("open", step.open == nullptr),
                                      {"parts", step.parts == nullptr},
                                      {"run", step.run == nullptr},
                                      {"fill", step.fill == nullptr && step.check == nullptr},
                                      {"outputs", step.outputs == nullptr && step.check == nullptr},
                                      {"close", step.close == nullptr}}) {
    if (missing) refuse_record(where, std::string(name) + " is null");
  }
  if ((step.rows == nullptr) != (step.narrow == nullptr))
    refuse_record(where, "rows and narrow belong together: give both or neither");
  check_count(where, "mode", step.mode_count, step.modes);
  checked.info.modes.push_back("eager");
  std::set<std::string> seen(checked.info.modes.begin(), checked.info.modes.end());
  for (std::int32_t i = 0; i < step.mode_count; ++i) {
    const std::string mode = record_line(where, "mode", step.modes[i]);
    if (!is_step_mode(mode))
      refuse_record(where, "mode '" + mode +
                               "' must be whole, piecewise or LIBRARY.NAME; eager is not listed, because "
                               "every step has that mode");
    check_unique(where, "mode", mode, seen);
    checked.info.modes.push_back(mode);
  }
  return checked;
}

}  // namespace

std::string plugin_label(const std::string& origin) {
  return "plugin " + origin;
}

CheckedPlugin check_plugin(const gb_plugin& record, const std::string& origin) {
  const std::string label = plugin_label(origin);
  // The version is checked first, because a record of another version may have another size.
  if (record.abi_version != GB_ABI_VERSION) {
    refuse_record(label, "the plugin was built for ABI version " + std::to_string(record.abi_version) +
                             ", but this graphbench has version " + std::to_string(GB_ABI_VERSION) +
                             ": rebuild it against this graphbench's graphbench_abi.h");
  }
  const gb_plugin plugin = known_part(label, "gb_plugin", record, kPluginBytes);
  record_line(label, "name", plugin.name);
  record_line(label, "version", plugin.version);
  check_count(label, "workload", plugin.workload_count, plugin.workloads);
  check_count(label, "op", plugin.op_count, plugin.ops);
  check_count(label, "pass", plugin.pass_count, plugin.passes);
  check_count(label, "step", plugin.step_count, plugin.steps);
  if (plugin.workload_count == 0 && plugin.op_count == 0 && plugin.pass_count == 0 && plugin.step_count == 0)
    refuse_record(label, "the plugin offers no workload, op, pass or step");

  CheckedPlugin checked;
  std::set<std::string> seen_workloads;
  for (std::int32_t i = 0; i < plugin.workload_count; ++i) {
    checked.workloads.push_back(check_workload(plugin.workloads[i], origin));
    check_unique(label, "workload", checked.workloads.back().info.name, seen_workloads);
  }
  for (std::int32_t i = 0; i < plugin.step_count; ++i) {
    checked.workloads.push_back(check_step(plugin.steps[i], origin));
    check_unique(label, "workload", checked.workloads.back().info.name, seen_workloads);
  }
  std::set<std::string> seen_ops;
  for (std::int32_t i = 0; i < plugin.op_count; ++i) {
    checked.ops.push_back(check_op(plugin.ops[i], label));
    check_unique(label, "op", checked.ops.back().kind, seen_ops);
  }
  for (const ir::OpDefinition& op : checked.ops) check_gradient(op, checked.ops, label);
  std::set<std::string> seen_passes;
  for (std::int32_t i = 0; i < plugin.pass_count; ++i) {
    checked.passes.push_back(check_pass(plugin.passes[i], label));
    check_unique(label, "pass", checked.passes.back().name, seen_passes);
  }
  return checked;
}

}  // namespace graphbench::abi
