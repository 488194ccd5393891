// Compiles a package: opens the device, then compiles one method after another. Copies tensors from the
// device to the host, in parts, for their digests and for the file.
#include "harness/cli/package_compiler.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "graphs/backends/registry.hpp"
#include "graphs/base/digest.hpp"
#include "graphs/base/text.hpp"
#include "graphs/ir/text.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/sweep/planning.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::cli {
namespace {

template <typename Work>
auto blamed(const std::string& option, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw InputError(option, error.what());
  }
}

// The workload in words, with the plugin that has it.
std::string title_of(const abi::WorkloadRegistry& registry, const std::string& workload) {
  const std::vector<abi::WorkloadInfo> known = registry.workloads();
  const auto info = std::ranges::find(known, workload, &abi::WorkloadInfo::name);
  const std::string from = info->plugin == "builtin" ? "" : " of plugin " + in_quotes(info->plugin);
  return "workload " + in_quotes(info->name) + from;
}

}  // namespace

PackageCompiler::PackageCompiler(const CompileRequest& asked, package::Manifest manifest, TellStage tell)
    : asked_(asked), tell_(std::move(tell)), weights_(asked.low_memory == "ON") {
  package_.manifest = std::move(manifest);
}

void PackageCompiler::begin(CompileStage stage) {
  stage_ = std::move(stage);
  tell_(stage_);
}

package::Package PackageCompiler::run() {
  package::Manifest& manifest = package_.manifest;
  workloads::add_builtin(registry_);
  const std::map<std::string, std::string> plugin_of_kind = load_plugins();
  std::vector<std::string> names;
  for (const abi::WorkloadInfo& info : registry_.workloads()) names.push_back(info.name);
  require_known("--workload", manifest.workload, "workload", names);
  title_ = title_of(registry_, manifest.workload);
  open();
  for (const package::Method& method : manifest.methods) compile(method, plugin_of_kind);
  for (const std::string& path : needed_plugins_)
    manifest.plugins.push_back(blamed("--plugin", [&] { return package::plugin_file(path); }));
  package_.choices = device_->kept_choices();
  for (cache::Entry& entry : package_.choices) {
    const cache::Choice choice = cache::split_choice(entry.content);
    if (choice.serialised.empty()) continue;
    const std::string why = package::why_not_serialised(choice.serialised);
    if (why.empty()) continue;
    std::fprintf(stderr,
                 "note: the package stores only the name of the algorithm %s, because the algorithm's "
                 "library plan %s\n",
                 choice.algorithm.c_str(), why.c_str());
    entry.content = choice.algorithm;
  }
  return std::move(package_);
}

void PackageCompiler::write_weights(const std::vector<package::Tensor>& tensors,
                                    const package::TakePart& write) {
  begin({.option = "", .subject = "write the weights of " + title_, .during = ""});
  weights_.write(*device_, tensors, [&](std::string_view part) {
    tell_(stage_);
    write(part);
  });
}

void PackageCompiler::print_memory() const {
  const MemoryTally& tally = device_->tally();
  std::printf(
      "device memory in bytes: peak %zu, peak of weights %zu, still used after a method was compiled %zu; "
      "not counted: workspace %zu, tuning %zu; host memory of weights: %zu\n",
      tally.most(MemoryKind::program), tally.most(MemoryKind::weights), left_bytes_,
      tally.most(MemoryKind::workspace), tally.most(MemoryKind::tuning), weights_.staging_bytes());
}

std::map<std::string, std::string> PackageCompiler::load_plugins() {
  std::map<std::string, std::string> plugin_of_kind;
  for (const std::string& path : asked_.plugins) {
    const std::vector<std::string> before = registry_.catalog().kinds();
    begin({.option = "--plugin", .subject = in_quotes(path), .during = "while the file was loaded"});
    blamed("--plugin", [&] { registry_.load(path); });
    for (const std::string& kind : registry_.catalog().kinds()) {
      if (!std::ranges::binary_search(before, kind)) plugin_of_kind[kind] = path;
    }
  }
  return plugin_of_kind;
}

void PackageCompiler::open() {
  // An absent device is not a mistake of the user, so the Error keeps its code.
  begin({.option = "", .subject = "open device " + in_quotes(asked_.device), .during = ""});
  try {
    device_ = open_device(asked_.device);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::invalid_argument) throw InputError("--device", error.what());
    throw;
  }
  const facts::DeviceFacts& info = device_->info();
  package::Manifest& manifest = package_.manifest;
  manifest.device = info.kind;
  manifest.device_name = info.name;
  const std::string here = package::architecture_of(info.compute_capability);
  if (manifest.architectures.empty()) manifest.architectures = {here};
  for (const std::string& each : manifest.architectures) {
    if ((each == "host") != (info.kind == "host"))
      throw InputError("--arch", in_quotes(each) + " is not an architecture of device kind " + info.kind +
                                     ": give another architecture, or another --device");
  }
  const model::DeviceKind& kind = model::device_kind(info.kind);
  if (manifest.dtype.empty()) manifest.dtype = kind.data_type;
  if (!device_->supports(ir::parse_dtype(manifest.dtype).value()))
    throw InputError("--dtype", in_quotes(manifest.dtype) + " is not supported by " + info.name +
                                    ": give another --dtype");
  for (package::Method& method : manifest.methods) {
    if (method.preset.empty()) method.preset = asked_.preset.empty() ? kind.preset : asked_.preset;
  }
}

void PackageCompiler::compile(const package::Method& method,
                              const std::map<std::string, std::string>& plugin_of_kind) {
  const package::Manifest& manifest = package_.manifest;
  model::WorkerTask task;
  task.workload = manifest.workload;
  task.preset = method.preset;
  task.dtype = manifest.dtype;
  task.pass = method.pass;
  task.mode = model::reference_mode().name;
  task.batches = manifest.batches;
  for (const package::PackagedAxis& packaged : package::packaged_axes()) {
    const model::Axis& axis = model::axis_named(packaged.name);
    if (std::ranges::count(axis.passes, method.pass) > 0)
      task.more_axes[axis.name] = manifest.*packaged.value;
  }
  const auto build = [&](auto&& make) {
    return blamed("--method " + method.name, [&] { return make(registry_, task); });
  };
  begin({.option = "--workload",
         .subject = title_,
         .during = "while the program of method " + method.name + " was built"});
  const ir::Program before = build(measure::build_forward_program);
  const ir::Program after = build(measure::build_program);
  package_.programs.push_back({ir::write_program(before), ir::write_program(after)});
  for (const ir::Program* program : {&before, &after}) {
    for (const ir::Op& op : program->ops()) {
      const auto plugin = plugin_of_kind.find(op.kind);
      if (plugin != plugin_of_kind.end()) needed_plugins_.insert(plugin->second);
    }
  }
  prepare(method, task, after);
  left_bytes_ = std::max(left_bytes_, device_->tally().now(MemoryKind::program));
}

void PackageCompiler::prepare(const package::Method& method, const model::WorkerTask& task,
                              const ir::Program& program) {
  package::Manifest& manifest = package_.manifest;
  begin({.option = "", .subject = "make the weights of " + title_, .during = ""});
  measure::TaskRig rig(task, *device_, program);
  rig.allocate(manifest.batches.back());
  weights_.add(method, task, program, rig, manifest.tensors);
  // Prepares batches in descending order, as workers do, because one preparation may affect the next.
  for (const std::int64_t batch : measure::largest_first(manifest.batches)) {
    begin(
        {.option = "", .subject = "prepare batch " + std::to_string(batch) + " of " + title_, .during = ""});
    model::Setup setup{};
    rig.prepare(batch, setup, [](std::string_view) {});
  }
}

void KeptWeights::download(measure::TaskRig& rig, ir::ValueId id, const package::TakePart& take) {
  const ir::Program& program = rig.program();
  const std::size_t bytes = program.describe(id, program.micro_batches()).bytes();
  const auto* from = static_cast<const std::byte*>(rig.buffers().address(id));
  const std::size_t part_bytes = std::min(package::part_bytes_of(low_memory_), bytes);
  part_.reserve(part_bytes);
  staging_bytes_ = std::max(staging_bytes_, part_.capacity());
  for (std::size_t done = 0; done < bytes; done += part_.size()) {
    part_.resize(std::min(part_bytes, bytes - done));
    rig.stream().copy_to_host(part_.data(), from + done, part_.size());
    rig.stream().synchronize();
    take(part_);
  }
}

void KeptWeights::keep(std::string content) {
  kept_bytes_ += content.size();
  staging_bytes_ = std::max(staging_bytes_, kept_bytes_);
  contents_.push_back(std::move(content));
}

void KeptWeights::add(const package::Method& method, const model::WorkerTask& task,
                      const ir::Program& program, measure::TaskRig& rig,
                      std::vector<package::Tensor>& tensors) {
  sources_.push_back(std::make_unique<const Source>(Source{task, program}));
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (value.kind != ir::ValueKind::weight && value.kind != ir::ValueKind::parameter) continue;
    const ir::TensorDesc desc = program.describe(id, program.micro_batches());
    package::Tensor tensor{.name = value.name,
                           .method = {},
                           .dtype = std::string(ir::name_of(desc.dtype)),
                           .dims = desc.dims,
                           .bytes = static_cast<std::int64_t>(desc.bytes()),
                           .sha256 = {}};
    const auto [known, is_new] = shared_.emplace(value.name, std::pair(desc, value.init));
    if (!is_new) {
      if (known->second.first == desc && known->second.second == value.init) continue;
      tensor.method = method.name;
    }
    Sha256 digest;
    download(rig, id, [&](std::string_view part) { digest.add(part); });
    tensor.sha256 = digest.hex();
    if (!low_memory_) keep(std::exchange(part_, {}));
    origins_.push_back({sources_.size() - 1, id});
    tensors.push_back(std::move(tensor));
  }
}

void KeptWeights::write(Device& device, const std::vector<package::Tensor>& tensors,
                        const package::TakePart& write) {
  std::optional<measure::TaskRig> rig;
  std::size_t loaded = sources_.size();
  package::write_weights(
      tensors,
      [&](std::size_t tensor, const package::TakePart& take) {
        if (!low_memory_) return take(contents_[tensor]);
        const Origin& origin = origins_[tensor];
        if (loaded != origin.source) {
          const Source& source = *sources_[origin.source];
          rig.reset();
          rig.emplace(source.task, device, source.program);
          rig->allocate(source.program.micro_batches());
          loaded = origin.source;
        }
        download(*rig, origin.id, take);
      },
      write);
}

}  // namespace graphbench::cli
