// Makes checked plans: gets the catalog from the probe, makes the plan, and lets the probe build programs.
#include "harness/sweep/planning.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "graphs/backends/cuda_module.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/cache/folder.hpp"
#include "harness/measure/floor/floor_process.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/measure/machine/cpu_state.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/command.hpp"
#include "harness/package/package.hpp"
#include "harness/package/weights.hpp"
#include "harness/sweep/devices.hpp"
#include "harness/sweep/identity.hpp"
#include "harness/sweep/plan/make_plan.hpp"
#include "harness/sweep/plan/shards.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::sweep {

void check_cpu(const options::SweepOptions& options) {
  stay_on_share(options.device);
  if (!options.instruments.cpu) return;
  try {
    static_cast<void>(measure::submitter_cpus(options.instruments, measure::allowed_cpus()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw InputError(options.where("cpu"), error.what());
  }
}

void use_cache(const std::string& where, const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(folder, error);
  const bool below_a_file = error == std::errc::not_a_directory;
  if (folder != "off" && (below_a_file || (exists(status) && !is_directory(status))))
    throw InputError(where, in_quotes(folder) + " is not a folder: give a folder, or off");
  const std::string value =
      folder == "off" ? folder : std::filesystem::absolute(folder).lexically_normal().string();
  setenv(cache::folder_variable, value.c_str(), 1);
}

Conditions read_conditions(const model::Plan& plan, const options::SweepOptions& options,
                           process::ProcessSupervisor& supervisor) {
  const model::InstrumentOptions& instruments = plan.tasks.front().settings.instruments;
  Conditions conditions;
  conditions.machine = measure::read_cpu_state(instruments);
  const measure::FloorRequest request{plan.device, false, instruments};
  const measure::FloorAnswer answer = measure::ask_floors(
      supervisor, process::own_command(options::floor_role), request, options.worker_timeout_seconds);
  if (answer.reason) {
    conditions.warning = "the floors of " + plan.device + " could not be measured: " + answer.reason->message;
  } else {
    conditions.floors = answer.floors;
  }
  return conditions;
}

void add_conditions(const Conditions& conditions, SweepOutcome& outcome) {
  model::Environment& environment = outcome.result.environment;
  environment.machine = conditions.machine;
  environment.floors = conditions.floors;
  if (!conditions.warning.empty()) outcome.warnings.push_back(conditions.warning);
  if (conditions.floors) model::add_submit_over_floor(*conditions.floors, outcome.result.cells);
}

namespace {

// Returns one task, with only its first batch, per combination of workload, dtype, pass and the axes that
// only some passes use. `captured`: captures are dumped, so the combination includes the mode and all later
// axes, and eager is left out if the plan has graph modes. Foreign steps have no program: workers open them.
std::vector<model::WorkerTask> programs_of(const model::Plan& plan, bool captured) {
  std::vector<model::WorkerTask> programs;
  const auto same = [&](const model::WorkerTask& a, const model::WorkerTask& b) {
    return a.workload == b.workload && a.dtype == b.dtype && a.pass == b.pass &&
           (captured ? a.mode == b.mode && a.more_axes == b.more_axes
                     : std::ranges::all_of(model::axes(), [&](const model::Axis& axis) {
                         return axis.passes.empty() ||
                                model::later_axis(a, axis.name) == model::later_axis(b, axis.name);
                       }));
  };
  const bool graphs = std::ranges::any_of(
      plan.cells, [](const model::Cell& cell) { return model::is_graph_mode(cell.mode); });
  for (const model::Cell& cell : plan.cells) {
    if (cell.preset == model::of_its_own) continue;
    if (captured && graphs && !model::is_graph_mode(cell.mode)) continue;
    model::WorkerTask wanted;
    model::set_cell(wanted, cell);
    const auto alike = [&](const model::WorkerTask& task) { return same(task, wanted); };
    if (std::ranges::any_of(programs, alike)) continue;
    const auto task = std::ranges::find_if(plan.tasks, alike);
    if (task == plan.tasks.end()) continue;
    programs.push_back(*task);
    programs.back().batches.resize(1);
  }
  return programs;
}

// Adds what the probe notes to plan.facts.without_effect. Returns the dumps, if requested.
std::vector<std::string> check_programs(model::Plan& plan, const options::SweepOptions& options,
                                        const ProbeSettings& probe, process::ProcessSupervisor& supervisor) {
  const ProbeRequest request{.plugins = options.plugins,
                             .programs = programs_of(plan, options.dump_program),
                             .dump = options.dump_program};
  if (request.programs.empty()) return {};
  ProbeAnswer answer = ask_probe(supervisor, probe, request, options);
  for (const std::string& note : answer.notes) {
    plan.facts.without_effect.push_back(options.where("split-ops") + ": " + note);
    complain("note: %s", plan.facts.without_effect.back().c_str());
  }
  return std::move(answer.dumps);
}

// Sets or checks the options that the package determines. Returns the package's workload.
abi::WorkloadInfo take_package(const package::Manifest& manifest, options::SweepOptions& options) {
  const auto refuse = [&](const std::string& option, const std::string& what, const std::string& has) {
    throw InputError(options.where(option),
                     what + " is not in " + in_quotes(options.package.file) + ": the package has " + has);
  };
  model::Axes& axes = options.axes;
  axes.workload = {manifest.workload};
  axes.dtype = {manifest.dtype};
  abi::WorkloadInfo info{
      .name = manifest.workload, .help = {}, .plugin = "package", .options = {}, .presets = {}};
  std::vector<std::string> presets;
  for (const package::Method& method : manifest.methods) {
    if (std::ranges::count(presets, method.preset) == 0) presets.push_back(method.preset);
  }
  if (axes.preset.empty()) axes.preset = {presets.front()};
  for (const std::string& preset : presets) info.presets.push_back({preset, {}});
  std::vector<std::string> passes;
  for (const package::Method& method : manifest.methods) {
    if (method.preset == axes.preset.front()) passes.push_back(method.pass);
  }
  if (passes.empty()) refuse("preset", in_quotes(axes.preset.front()), join(presets));
  if (!options.places.contains("pass")) axes.pass = passes;
  for (const std::string& pass : axes.pass) {
    if (std::ranges::count(passes, pass) == 0) refuse("pass", in_quotes(pass), join(passes));
  }
  for (const package::PackagedAxis& packaged : package::packaged_axes()) {
    const model::Axis& axis = model::axis_named(packaged.name);
    const std::string& value = manifest.*packaged.value;
    const bool reached = std::ranges::find_first_of(axes.pass, axis.passes) != axes.pass.end();
    if (reached && value != axis.fallback && !options.places.contains(axis.name))
      axes.more_axes[axis.name] = {value};
  }
  if (!options.places.contains("batch")) axes.batch = manifest.batches;
  std::vector<std::string> sizes;
  for (const std::int64_t batch : manifest.batches) sizes.push_back(std::to_string(batch));
  for (const std::int64_t batch : axes.batch) {
    if (!manifest.general && !std::ranges::binary_search(manifest.batches, batch))
      refuse("batch", std::to_string(batch), join(sizes) + ", and was compiled without --general");
  }
  return info;
}

// Opens the package of --package, and checks that plugins and weights fit its manifest. Absent without
// --package. Throws InputError.
std::optional<package::Package> open_package(options::SweepOptions& options) {
  model::PackageFiles& files = options.package;
  if (files.file.empty()) return std::nullopt;
  try {
    package::Package package = package::open_package(files.file);
    files.digest = package.digest;
    const std::string why = package::why_not_with(package.manifest, options.plugins);
    if (!why.empty()) throw Error(ErrorCode::invalid_argument, in_quotes(files.file) + ": " + why);
    try {
      package::WeightsFile(files.weights, package.manifest, package::part_bytes_of(files.low_memory))
          .verify();
    } catch (const Error& error) {
      throw InputError(options.where("weights"), error.what());
    }
    return package;
  } catch (const Error& error) {
    throw InputError(options.where("package"), error.what());
  }
}

void check_ranks(const options::SweepOptions& options, const model::Plan& plan,
                 const std::vector<DeviceStatus>& devices) {
  std::int64_t most = 1;
  for (const model::WorkerTask& task : plan.tasks) most = std::max(most, model::ranks_of(task));
  if (most == 1) return;
  for (const char* option : {"sustained", "cpu"}) {
    if (options.places.contains(option))
      throw InputError(options.where(option), "the option has no meaning for several ranks: leave it out");
  }
  std::int64_t room = measure::ranks_max;
  if (plan.device.starts_with("cuda:")) {
    room = -std::atoll(plan.device.substr(plan.device.find(':') + 1).c_str());
    for (const DeviceStatus& each : devices) room += each.available && each.id.starts_with("cuda") ? 1 : 0;
  }
  if (most > room)
    throw InputError(options.where("ranks"), in_quotes(std::to_string(most)) +
                                                 " is too many ranks from device " + plan.device +
                                                 " on: give at most " + std::to_string(room));
}

model::Plan chosen_shard_of(model::Plan plan, const options::SweepOptions& options) {
  const options::ShardOption& asked = *options.shard;
  CellCosts costs;
  if (!asked.costs.empty())
    costs = costs_of(model::read_result(model::read_text(asked.costs).view(), asked.costs));
  const std::size_t cells = plan.cells.size();
  Shard shard = shard_of(std::move(plan), options, costs,
                         binary_digest() + "\n" + plugins_digest(options.code_files()));
  if (!options.quiet) {
    complain("shard %lld of %lld%s: %zu of %zu cells%s", static_cast<long long>(asked.index),
             static_cast<long long>(asked.count), asked.said.empty() ? "" : (" (" + asked.said + ")").c_str(),
             shard.plan.cells.size(), cells, shard.said.empty() ? "" : (", " + shard.said).c_str());
  }
  return std::move(shard.plan);
}

// Where there are several modules, the processes that follow take the probe's: PyTorch's process prefers the
// CUDA that it has loaded, and the one that measures floors has loaded none; a plugin may bring libraries.
void keep_module(const model::DeviceFacts& facts) {
  if (facts.kind != "cuda" || cuda_modules_in(module_directory()).size() < 2) return;
  setenv(cuda_module_variable, facts.runtime.substr(0, facts.runtime.find('.')).c_str(), 0);
}

}  // namespace

CheckedPlan make_checked_plan(const options::SweepOptions& options, const std::vector<std::string>& argv,
                              process::ProcessSupervisor& supervisor) {
  use_cache(options.where("cache"), options.cache);
  const ProbeSettings probe{child_command(options, options::probe_role), options.worker_timeout_seconds};
  options::SweepOptions chosen = options;
  const std::optional<package::Package> package = open_package(chosen);
  ProbeRequest request;
  request.device = options.device;
  request.plugins = options.plugins;
  request.list_workloads = !package;
  const auto has_ranks = [](const model::Axes& axes) { return axes.more_axes.contains("ranks"); };
  request.list_devices = has_ranks(options.axes) || std::ranges::any_of(options.more_grids, has_ranks);
  ProbeAnswer answer = ask_probe(supervisor, probe, request, options);
  CheckedPlan checked;
  checked.catalog = std::move(answer.catalog);
  keep_module(checked.catalog.facts);
  if (package) {
    const model::DeviceFacts& facts = checked.catalog.facts;
    const std::string why = package::why_not_on(package->manifest, facts.kind, facts.compute_capability);
    if (!why.empty())
      throw InputError(options.where("package"), in_quotes(options.package.file) + ": " + why);
    checked.catalog.workloads = {take_package(package->manifest, chosen)};
  }
  chosen.instruments.submitter = measure::choose_submitter(options.instruments, measure::allowed_cpus(),
                                                           checked.catalog.facts.pci_bus_id);
  checked.plan = make_plan(chosen, checked.catalog, argv);
  for (const std::string& note : checked.plan.facts.without_effect) complain("note: %s", note.c_str());
  checked.plan.no_gpu = checked.catalog.no_gpu;
  check_ranks(chosen, checked.plan, answer.devices);
  if (options.shard) checked.plan = chosen_shard_of(std::move(checked.plan), chosen);
  checked.dumps = check_programs(checked.plan, chosen, probe, supervisor);
  return checked;
}

std::vector<std::string> child_command(const options::SweepOptions& options, const char* role) {
  std::vector<std::string> command = process::own_command(role);
  if (!options.torch.given()) return command;
  command.front() = options.torch.python;
  command.insert(command.begin() + 1, module_directory() + "/graphbench.py");
  command.push_back(options.torch.file);
  command.push_back(options.torch.function);
  return command;
}

void finish_result(const CheckedPlan& checked, model::Result& result) {
  sweep::finish_result(checked.plan, checked.catalog.facts, result);
  result.environment.machine = measure::read_cpu_state(checked.plan.tasks.front().settings.instruments);
}

void refuse_step(const CheckedPlan& checked, const options::SweepOptions& options, const char* command) {
  const model::Axes& axes = checked.plan.facts.axes;
  if (axes.preset.front() != model::of_its_own) return;
  throw InputError(options.where("workload"), in_quotes(axes.workload.front()) + " is a foreign step, and " +
                                                  command + " runs programs: give --sweep");
}

}  // namespace graphbench::sweep
