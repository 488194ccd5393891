// Makes a program's buffers, pools and executors on a device, and checks its steps.
#include "harness/measure/worker/task_rig.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "graphs/abi/plugin.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/random_fill.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/model/axes.hpp"
#include "harness/package/package.hpp"

namespace graphbench::measure {
namespace {

// Each step reads the parameters that the step before wrote, so that a difference from eager grows.
constexpr int training_steps_checked = 10;

using execution::ExecutionMode;

ExecutionMode mode_of(const std::string& name) {
  if (const std::optional<ExecutionMode> mode = execution::find_mode(name)) return *mode;
  throw Error(ErrorCode::invalid_argument, "mode \"" + name + "\" is unknown");
}

ir::DType dtype_of(const std::string& name) {
  if (const std::optional<ir::DType> dtype = ir::parse_dtype(name)) return *dtype;
  throw Error(ErrorCode::invalid_argument, "dtype \"" + name + "\" is unknown: known are bf16, fp16, fp32");
}

execution::CallerSettings caller_settings(const model::WorkerTask& task) {
  execution::CallerSettings settings;
  if (const std::string_view form = model::later_axis(task, "io"); !form.empty())
    settings.form = execution::find_io_form(form).value();
  if (const std::string_view source = model::later_axis(task, "io-source"); !source.empty())
    settings.source = execution::find_io_source(source).value();
  if (const std::string_view same = model::later_axis(task, "io-same"); !same.empty())
    settings.same_percent = static_cast<std::size_t>(std::lround(100 * std::stod(std::string(same))));
  settings.fresh_addresses = task.settings.caller.addresses == "fresh";
  settings.copy_back = task.settings.caller.mutated_inputs == "copy_back";
  return settings;
}

abi::BuildChoice choice_of(const model::WorkerTask& task) {
  return {.preset = task.preset,
          .dtype = dtype_of(task.dtype),
          .pass = task.pass,
          .options = task.options,
          .axes = task.more_axes,
          .splits = task.settings.split_ops};
}

}  // namespace

std::uint64_t seed_for(const model::WorkerTask& task, SeedUse use, std::int64_t batch) {
  return ir::mix64(
      static_cast<std::uint64_t>(task.settings.seed) ^
      ir::mix64(static_cast<std::uint64_t>(use) * 1'000'003u + static_cast<std::uint64_t>(batch)));
}

bool is_skip(ErrorCode code) noexcept {
  return code == ErrorCode::host_op || code == ErrorCode::not_capturable_op ||
         code == ErrorCode::no_gradient_capture || code == ErrorCode::mutated_input ||
         code == ErrorCode::not_batch_major || code == ErrorCode::state_not_splittable ||
         code == ErrorCode::unsupported;
}

model::CellStatus status_after(const std::exception& error) {
  const auto* const ours = dynamic_cast<const Error*>(&error);
  return ours != nullptr && is_skip(ours->code()) ? model::CellStatus::skipped : model::CellStatus::failed;
}

std::vector<std::int64_t> largest_first(std::vector<std::int64_t> batches) {
  std::ranges::sort(batches, std::greater<>{});
  return batches;
}

ir::Program build_program(const abi::WorkloadRegistry& registry, const model::WorkerTask& task) {
  return registry.build(task.workload, choice_of(task));
}

ir::Program build_forward_program(const abi::WorkloadRegistry& registry, const model::WorkerTask& task) {
  return registry.build_forward(task.workload, choice_of(task));
}

std::vector<model::OpPath> paths_of(execution::Executor& executor) {
  std::vector<model::OpPath> paths;
  // The eager executor lists all ops; an executor of graphs may list only some.
  for (const execution::StepItem& item : executor.eager().items()) {
    const KernelPath path = item.kernel->path();
    if (path.name.empty()) continue;
    const auto found = std::ranges::find_if(paths, [&](const model::OpPath& known) {
      return known.path == path.name && known.fallback == path.fallback;
    });
    if (found != paths.end()) {
      ++found->ops;
    } else {
      paths.push_back({path.name, path.fallback, 1});
    }
  }
  return paths;
}

TaskRig::TaskRig(const model::WorkerTask& task, Device& device, const ir::Program& program)
    : Rig(task, device), program_(program), mode_(mode_of(task.mode)) {
  release();
}

TaskRig::~TaskRig() = default;

void TaskRig::open_package() {
  if (task_.settings.package.file.empty() || weights_) return;
  package::Package package =
      package::open_package(task_.settings.package.file, task_.settings.package.digest);
  manifest_ = std::move(package.manifest);
  weights_ = std::make_unique<package::WeightsFile>(
      task_.settings.package.weights, manifest_, package::part_bytes_of(task_.settings.package.low_memory));
}

void TaskRig::allocate(std::int64_t largest) {
  GRAPHBENCH_ASSERT(!allocated());
  auto buffers = std::make_unique<execution::ProgramBuffers>(device(), program_, largest);
  open_package();
  if (weights_) {
    const std::string method = package::find_method(manifest_, task_.pass, task_.preset)->name;
    buffers->upload_weights([this, method](Stream& stream, ir::ValueId id, void* destination) {
      weights_->upload(stream, method, program_.value(id).name, destination);
    });
  }
  buffers->fill_weights(stream(), seed_for(task_, SeedUse::weights));
  buffers->fill_inputs(stream(), seed_for(task_, SeedUse::inputs));
  buffers->fill_state(stream(), seed_for(task_, SeedUse::state));
  stream().synchronize();
  const execution::CallerSettings settings = caller_settings(task_);
  if (mode_ != ExecutionMode::eager &&
      (settings.form != execution::IoForm::fixed || task_.settings.caller.check_addresses)) {
    caller_ = std::make_unique<execution::CallerMemory>(device(), program_, *buffers, settings);
    caller_->fill_all_inputs(stream());
  }
  buffers_ = std::move(buffers);
}

execution::ExecutionContext TaskRig::context(execution::MemoryPool* graph_pool) {
  execution::ExecutionContext context = this->context(program_, *buffers_, *eager_pool_, graph_pool);
  context.caller = caller_.get();
  context.check_addresses = task_.settings.caller.check_addresses;
  context.forked = model::later_axis(task_, "branches") == "forked";
  return context;
}

execution::ExecutionContext TaskRig::context(const ir::Program& program, execution::ProgramBuffers& buffers,
                                             execution::MemoryPool& eager_pool,
                                             execution::MemoryPool* graph_pool) {
  return {.device = device(),
          .stream = stream(),
          .program = program,
          .buffers = buffers,
          .eager_pool = eager_pool,
          .graph_pool = graph_pool,
          .splits = task_.settings.split_ops,
          .replace_memset_nodes = model::later_axis(task_, "graph-rewrite") == "memset"};
}

void TaskRig::release() {
  capture_streams_.clear();
  caller_.reset();
  buffers_.reset();
  eager_pool_ = std::make_unique<execution::MemoryPool>(device());
  if (mode_ != ExecutionMode::eager) graph_pool_ = std::make_unique<execution::MemoryPool>(device());
}

void TaskRig::empty_pool() {
  eager_pool_->trim();
  if (graph_pool_) graph_pool_->trim();
}

std::unique_ptr<execution::Executor> TaskRig::make_executor(std::int64_t batch, bool eagerly) {
  return make_executor(eagerly ? ExecutionMode::eager : mode_, batch, graph_pool());
}

std::unique_ptr<execution::Executor> TaskRig::make_executor(ExecutionMode mode, std::int64_t batch,
                                                            execution::MemoryPool* graph_pool) {
  device().choose_for_size(model::is_tuned(task_.settings.caller, batch));
  execution::ExecutionContext context = this->context(graph_pool);
  if (mode != ExecutionMode::eager && model::later_axis(task_, "capture-streams") == "each")
    context.capture_stream = capture_streams_.emplace_back(device().make_stream()).get();
  return execution::make_executor(mode, context, batch);
}

bool TaskRig::survives(ErrorCode code) const noexcept {
  if (code == ErrorCode::device_lost) return false;
  const bool plugin =
      std::ranges::any_of(program_.ops(), [](const ir::Op& op) { return op.definition->foreign != nullptr; });
  return !plugin || code == ErrorCode::check_failed || code == ErrorCode::address_moved ||
         code == ErrorCode::undeclared_mutation || code == ErrorCode::out_of_memory || is_skip(code);
}

void TaskRig::check(execution::Executor& executor, std::int64_t batch, const model::StepRecords* /*records*/,
                    std::optional<model::Check>& check) {
  std::string why;
  const ExecutionMode mode = &executor.eager() == &executor ? ExecutionMode::eager : mode_;
  check = check_against_eager(
      {executor, mode, context(graph_pool()), batch, seed_for(task_, SeedUse::check, batch),
       seed_for(task_, SeedUse::weights), ir::is_training(program_) ? training_steps_checked : 1},
      check_memory_, why);
  if (check->identical) return;
  throw Error(
      ErrorCode::check_failed,
      "check: " + why + "; the largest difference is " +
          (std::isfinite(check->max_abs_error) ? std::to_string(check->max_abs_error) : "not finite"));
}

}  // namespace graphbench::measure
