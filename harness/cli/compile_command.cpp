// graphbench compile: programs, library choices, generated code and weights of a workload as a package and a
// file of weights.
// As `bench` it builds and opens in this process: nothing is measured.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "graphbench_version.hpp"
#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/ir/epilogues.hpp"
#include "graphs/ir/text.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/kept_weights.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/planning.hpp"
#include "harness/config/numbers.hpp"
#include "harness/config/suggest.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/input_error.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/package/package.hpp"
#include "harness/package/weights.hpp"
#include "harness/worker/task_rig.hpp"
#include "reporters/json/write_file.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* footer =
    "Without --method there is one, \"forward\". Methods share the weights that are equal.\n"
    "Batches that are not listed are refused later, unless --general is given.\n"
    "Exit codes: 0 done; 1 the device failed; 2 bad usage or input.\n";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// What the person gave; empty where it depends on the device.
struct Asked {
  std::string workload;
  std::string preset;
  std::string dtype;
  std::string device = "auto";
  std::string batches;
  std::string architectures;
  std::map<std::string, std::string> axes;  // of package::packaged_axes()
  std::string weights;
  std::string output;
  std::string cache;
  std::string low_memory = "OFF";
  std::vector<std::string> methods;
  std::vector<std::string> plugins;
  bool general = false;
};

// What `work` throws is a mistake in the option.
template <typename Work>
auto blamed(const std::string& option, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw InputError(option, error.what());
  }
}

// Builds, prepares and collects; one device.
class Compiler {
 public:
  Compiler(const Asked& asked, package::Manifest manifest)
      : asked_(asked), weights_(asked.low_memory == "ON") {
    package_.manifest = std::move(manifest);
  }

  package::Package run() {
    package::Manifest& manifest = package_.manifest;
    workloads::add_builtin(registry_);
    const std::map<std::string, std::string> plugin_of_kind = load_plugins();
    std::vector<std::string> names;
    for (const abi::WorkloadInfo& info : registry_.workloads()) names.push_back(info.name);
    config::require_known("--workload", manifest.workload, "workload", names);
    open();
    for (const package::Method& method : manifest.methods) compile(method, plugin_of_kind);
    for (const std::string& path : needed_plugins_)
      manifest.plugins.push_back(blamed("--plugin", [&] { return package::plugin_file(path); }));
    package_.choices = device_->kept_choices();
    if (generates()) package_.code = device_->generated_code(package::code_architectures(manifest));
    return std::move(package_);
  }
  // After run().
  void write_weights(const std::vector<package::Tensor>& tensors, const package::TakePart& write) {
    weights_.write(*device_, tensors, write);
  }
  void print_memory() const {
    const MemoryTally& tally = device_->tally();
    std::printf(
        "device memory: %zu bytes at most, %zu of them weights; %zu between methods; apart: workspace %zu, "
        "tuning %zu; host memory of weights: %zu\n",
        tally.most(MemoryKind::program), tally.most(MemoryKind::weights), left_bytes_,
        tally.most(MemoryKind::workspace), tally.most(MemoryKind::tuning), weights_.staging_bytes());
  }

 private:
  std::map<std::string, std::string> load_plugins() {
    std::map<std::string, std::string> plugin_of_kind;
    for (const std::string& path : asked_.plugins) {
      const std::vector<std::string> before = registry_.catalog().kinds();
      blamed("--plugin", [&] { registry_.load(path); });
      for (const std::string& kind : registry_.catalog().kinds()) {
        if (!std::ranges::binary_search(before, kind)) plugin_of_kind[kind] = path;
      }
    }
    return plugin_of_kind;
  }

  void open() {
    // An absent device is no mistake of the person's.
    try {
      device_ = open_device(asked_.device);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::invalid_argument) throw InputError("--device", error.what());
      throw;
    }
    const DeviceInfo& info = device_->info();
    package::Manifest& manifest = package_.manifest;
    manifest.device = info.kind;
    manifest.device_name = info.name;
    const std::string here = package::architecture_of(info.compute_capability);
    if (manifest.architectures.empty()) manifest.architectures = {here};
    for (const std::string& each : manifest.architectures) {
      if ((each == "host") != (info.kind == "host"))
        throw InputError("--arch", in_quotes(each) + " is none of a device of kind " + info.kind +
                                       ": give another, or another --device");
    }
    const model::DeviceKind& kind = model::device_kind(info.kind);
    if (manifest.dtype.empty()) manifest.dtype = kind.data_type;
    if (!device_->supports(ir::parse_dtype(manifest.dtype).value()))
      throw InputError("--dtype", in_quotes(manifest.dtype) + " is not supported by " + info.name);
    for (package::Method& method : manifest.methods) {
      if (method.preset.empty()) method.preset = asked_.preset.empty() ? kind.preset : asked_.preset;
    }
    check_code();
  }

  bool generates() const {
    const package::Manifest& manifest = package_.manifest;
    return device_->info().kind != "host" && (manifest.fuse == "chains" || manifest.compile != "none");
  }

  void check_code() {
    const package::Manifest& manifest = package_.manifest;
    const std::string& kind = device_->info().kind;
    for (const package::PackagedAxis& packaged : package::packaged_axes()) {
      const model::Axis& axis = model::axis_named(packaged.name);
      if (manifest.*packaged.value != axis.fallback && !axis.devices.empty() &&
          std::ranges::count(axis.devices, kind) == 0)
        throw InputError("--" + axis.name, in_quotes(manifest.*packaged.value) + " is for --device " +
                                               config::join(axis.devices) + ", and this is " + kind);
    }
    if (!generates()) {
      if (manifest.architectures.back() == "ptx")
        throw InputError("--arch",
                         "\"ptx\" is generated code, and there is none: give --fuse chains or "
                         "--compile sized, or leave it out");
      return;
    }
    CodeTargets targets = device_->code_targets();
    if (!targets.why_not.empty()) throw Error(ErrorCode::unsupported, "generate code: " + targets.why_not);
    targets.architectures.emplace_back("ptx");
    for (const std::string& each : manifest.architectures) {
      config::require_known("--arch", each, "architecture that NVRTC makes code for", targets.architectures);
      if (each == "sm_75" && manifest.dtype == "bf16")
        throw InputError("--arch", in_quotes(each) + " has no bf16: leave it out, or give another --dtype");
    }
  }

  void compile(const package::Method& method, const std::map<std::string, std::string>& plugin_of_kind) {
    const package::Manifest& manifest = package_.manifest;
    model::WorkerTask task;
    task.workload = manifest.workload;
    task.preset = method.preset;
    task.dtype = manifest.dtype;
    task.pass = method.pass;
    task.mode = model::reference_mode().name;
    task.batches = manifest.batches;
    std::map<std::string, std::string> kernels;  // not in the text: a sweep may say otherwise
    for (const package::PackagedAxis& packaged : package::packaged_axes()) {
      const model::Axis& axis = model::axis_named(packaged.name);
      if (axis.passes.empty()) {
        kernels[axis.name] = manifest.*packaged.value;
      } else if (std::ranges::count(axis.passes, method.pass) > 0) {
        task.more_axes[axis.name] = manifest.*packaged.value;
      }
    }
    const auto build = [&](auto&& make) {
      return blamed("--method " + method.name, [&] { return make(registry_, task); });
    };
    const ir::Program before = build(worker::build_forward_program);
    const ir::Program after = build(worker::build_program);
    package_.programs.push_back({ir::write_program(before), ir::write_program(after)});
    for (const ir::Program* program : {&before, &after}) {
      for (const ir::Op& op : program->ops()) {
        const auto plugin = plugin_of_kind.find(op.kind);
        if (plugin != plugin_of_kind.end()) needed_plugins_.insert(plugin->second);
      }
    }
    prepare(method, task, ir::fused(after, registry_.catalog(), kernels));
    left_bytes_ = std::max(left_bytes_, device_->tally().now(MemoryKind::program));
  }

  // The method is on the device as long as this runs.
  void prepare(const package::Method& method, const model::WorkerTask& task, const ir::Program& program) {
    package::Manifest& manifest = package_.manifest;
    worker::TaskRig rig(task, *device_, program);
    rig.allocate(manifest.batches.back());
    weights_.add(method, task, program, rig, manifest.tensors);
    // Largest first, as workers do: what is prepared ahead may decide what comes after.
    for (const std::int64_t batch : worker::largest_first(manifest.batches)) {
      model::Setup setup;
      const std::unique_ptr<execution::Executor> executor =
          rig.prepare(batch, setup, [](std::string_view) {});
      package_.addresses.push_back({method.name, batch, executor->address_plan(*device_)});
    }
  }

  const Asked& asked_;
  package::Package package_;
  abi::WorkloadRegistry registry_;
  std::unique_ptr<Device> device_;
  std::set<std::string> needed_plugins_;
  KeptWeights weights_;
  std::size_t left_bytes_ = 0;  // the most that a method has left on the device
};

class CompileCommand final : public Command {
 public:
  explicit CompileCommand(Options& options) {
    options.text("--workload", asked_.workload, "NAME", "the workload");
    options.text("--preset", asked_.preset, "NAME", "its sizes (default: base on cuda, tiny on host)");
    options.text("--dtype", asked_.dtype, "TYPE", "bf16, fp16 or fp32 (default: as of a sweep)");
    options.texts("--method", asked_.methods, "NAME=PASS:PRESET",
                  "a program of the package: NAME=forward:base or NAME=training:base (repeatable)");
    options.text("--batch", asked_.batches, "LIST", "batch sizes to compile: 1,2,4 or 1:256:x2");
    options.flag("--general", asked_.general, "let other batch sizes be run too");
    options.text(
        "--arch", asked_.architectures, "LIST",
        "which devices the package is for: host, or sm_80,sm_90,...; ptx: generated code for later ones "
        "too (default: the device's own)");
    for (const package::PackagedAxis& packaged : package::packaged_axes()) {
      const model::Axis& axis = model::axis_named(packaged.name);
      std::string& value = asked_.axes[axis.name] = axis.fallback;
      options.text("--" + axis.name, value, "VALUE",
                   config::join(axis.choices) + ": one, as of a sweep (default: " + axis.fallback + ")");
    }
    options.text("--device", asked_.device, "DEVICE",
                 "where to compile: auto, host, cuda, cuda:N (default: auto)");
    options.texts("--plugin", asked_.plugins, "FILE.so", "load a plugin (repeatable)");
    options.text("--cache", asked_.cache, "DIR|off", "library choices are taken from there, and kept there");
    options.text("--low-memory", asked_.low_memory, "ON|OFF",
                 "ON: weights are made once more for their file instead of kept in memory (default: OFF)");
    options.text("--weights", asked_.weights, "FILE", "where the weights go");
    options.text("-o,--output", asked_.output, "FILE.gbp", "where the package goes");
    options.footer(footer);
  }

  void check() override {
    const auto refuse_missing = [](const std::string& option, const std::string& given) {
      if (given.empty()) throw InputError(option, "it is missing: give one");
    };
    refuse_missing("--workload", asked_.workload);
    refuse_missing("--batch", asked_.batches);
    refuse_missing("--weights", asked_.weights);
    refuse_missing("--output", asked_.output);
    manifest_.tool_version = GRAPHBENCH_VERSION;
    manifest_.tool_commit = GRAPHBENCH_COMMIT;
    manifest_.workload = asked_.workload;
    manifest_.general = asked_.general;
    manifest_.batches = config::parse_numbers("--batch", asked_.batches, {.noun = "batch"});
    std::ranges::sort(manifest_.batches);
    manifest_.dtype = asked_.dtype;
    if (!asked_.dtype.empty())
      config::require_known("--dtype", asked_.dtype, "dtype", model::names_of(model::data_types()));
    if (asked_.low_memory != "ON" && asked_.low_memory != "OFF")
      throw InputError("--low-memory", in_quotes(asked_.low_memory) + " will not do: give ON or OFF");
    for (const package::PackagedAxis& packaged : package::packaged_axes()) {
      const model::Axis& axis = model::axis_named(packaged.name);
      config::require_known("--" + axis.name, asked_.axes[axis.name], axis.noun, axis.choices);
      manifest_.*packaged.value = asked_.axes[axis.name];
    }
    if (!asked_.architectures.empty()) take_architectures(split(asked_.architectures, ','));
    for (const std::string& text : asked_.methods) manifest_.methods.push_back(method_of(text));
    if (manifest_.methods.empty()) manifest_.methods = {{"forward", "forward", ""}};
    check_output_file("--weights", asked_.weights, Stdout::refused);
    check_output_file("--output", asked_.output, Stdout::refused);
    if (same_file(asked_.weights, asked_.output))
      throw InputError("--weights", in_quotes(asked_.weights) + " is the package's file too: give another");
  }

  int run(const Invocation&) override {
    use_cache("--cache", asked_.cache);
    Compiler compiler(asked_, manifest_);
    const package::Package package = compiler.run();
    const std::string text = package::write_package(package);
    static_cast<void>(package::read_package(text));
    std::int64_t weights_bytes = 0;
    // The weights first: a package without them would be refused, and weights without one are of no harm.
    reporters::write_file_atomically(asked_.weights, [&](const std::function<void(std::string_view)>& write) {
      compiler.write_weights(package.manifest.tensors, [&](std::string_view part) {
        weights_bytes += static_cast<std::int64_t>(part.size());
        write(part);
      });
    });
    reporters::write_file_atomically(asked_.output, text);
    std::printf("%s: %zu bytes, %zu programs, %zu library choices, %zu codes; %s: %lld bytes, %zu tensors\n",
                asked_.output.c_str(), text.size(), package.programs.size(), package.choices.size(),
                package.code.size(), asked_.weights.c_str(), static_cast<long long>(weights_bytes),
                package.manifest.tensors.size());
    compiler.print_memory();
    return exit_done;
  }

 private:
  // In the table's order, each once.
  void take_architectures(const std::vector<std::string>& given) {
    const std::vector<std::string>& known = package::known_architectures();
    for (const std::string& each : given) config::require_known("--arch", each, "known architecture", known);
    std::ranges::copy_if(known, std::back_inserter(manifest_.architectures),
                         [&](const std::string& each) { return std::ranges::count(given, each) > 0; });
    if (manifest_.architectures.front() == "ptx")
      throw InputError("--arch",
                       "\"ptx\" is for devices later than a first one: give that too, as sm_80,ptx");
  }

  package::Method method_of(const std::string& text) const {
    const std::size_t equals = text.find('=');
    const std::size_t colon = text.find(':', std::min(equals, text.size()));
    package::Method method;
    if (colon != std::string::npos)
      method = {text.substr(0, equals), text.substr(equals + 1, colon - equals - 1), text.substr(colon + 1)};
    if (method.name.empty() || method.preset.empty())
      throw InputError("--method", in_quotes(text) + " is no method: give NAME=PASS:PRESET");
    config::require_known("--method", method.pass, "pass", model::names_of(model::passes()));
    for (const package::Method& other : manifest_.methods) {
      if (other.name == method.name || (other.pass == method.pass && other.preset == method.preset))
        throw InputError("--method", in_quotes(text) + " has the name, or the pass and preset, of " +
                                         in_quotes(other.name) + ": give each once");
    }
    return method;
  }

  Asked asked_;
  package::Manifest manifest_;
};

}  // namespace

std::unique_ptr<Command> make_compile(Options& options) {
  return std::make_unique<CompileCommand>(options);
}

}  // namespace graphbench::cli
