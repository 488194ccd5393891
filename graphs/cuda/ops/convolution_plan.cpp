// The engines cuDNN offers for a convolution, and building a plan with one of them.
#include "graphs/cuda/ops/convolution_plan.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <algorithm>
#include <optional>

#include "graphs/cuda/ops/convolution_graph.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

// One way of running the convolution: an engine and the settings of its knobs.
struct EngineConfig {
  CudnnDescriptor descriptor;
  std::string name;       // the same in every process
  bool allowed = true;    // deterministic, arithmetic in fp32 on the given elements
  bool compiles = false;  // builds its kernel at run time, which takes long
};

void read_notes(EngineConfig& config, const CudnnDescriptor& engine, ir::DType dtype) {
  cudnnBackendNumericalNote_t numerical[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  cudnnBackendBehaviorNote_t behavior[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
  const std::int64_t numerical_count = engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                                  CUDNN_NUMERICAL_NOTE_TYPE_COUNT, numerical);
  const std::int64_t behavior_count = engine.get(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                                 CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, behavior);
  for (std::int64_t i = 0; i < numerical_count; ++i) {
    // On fp32 operands the tensor cores would multiply in tf32.
    const bool tf32 = numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && dtype == ir::DType::fp32;
    const bool harmless = numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
                          numerical[i] == CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP;
    if (tf32 || !harmless) config.allowed = false;
  }
  for (std::int64_t i = 0; i < behavior_count; ++i) {
    if (behavior[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) config.compiles = true;
  }
}

// "cuDNN engine 38 knobs 2=10 13=1": what says the same in every process.
void read_name(EngineConfig& config, const CudnnLibrary& library, const CudnnDescriptor& engine,
               const char* object) {
  std::int64_t index = -1;
  engine.get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);
  config.name = "cuDNN engine " + std::to_string(index) + (config.compiles ? " (compiled)" : "") + " knobs";
  std::vector<CudnnDescriptor> choices;
  std::vector<cudnnBackendDescriptor_t> slots;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) {
    slots.push_back(choices.emplace_back(library, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, object).handle());
  }
  const std::int64_t count =
      config.descriptor.get(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                            static_cast<std::int64_t>(slots.size()), slots.data());
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(count), choices.size()); ++i) {
    cudnnBackendKnobType_t type{};
    std::int64_t value = 0;
    choices[i].get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
    choices[i].get(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &value);
    config.name += " " + std::to_string(static_cast<int>(type)) + "=" + std::to_string(value);
  }
}

void append_configs(std::vector<EngineConfig>& configs, const CudnnLibrary& library,
                    const CudnnDescriptor& graph, cudnnBackendHeurMode_t mode, ir::DType dtype,
                    const char* object) {
  CudnnDescriptor heuristic(library, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, object);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristic.set_raw(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  if (!heuristic.try_finalize()) return;
  constexpr std::int64_t most = 32;
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> slots;
  for (std::int64_t i = 0; i < most; ++i) {
    slots.push_back(found.emplace_back(library, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, object).handle());
  }
  const std::int64_t count =
      heuristic.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, slots.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(count, most)); ++i) {
    EngineConfig config{std::move(found[i]), {}, true, false};
    const CudnnDescriptor engine(library, CUDNN_BACKEND_ENGINE_DESCRIPTOR, object);
    cudnnBackendDescriptor_t slot = engine.handle();
    config.descriptor.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &slot);
    read_notes(config, engine, dtype);
    if (!config.allowed) continue;
    read_name(config, library, engine, object);
    const bool known = std::any_of(configs.begin(), configs.end(),
                                   [&](const EngineConfig& other) { return other.name == config.name; });
    if (!known) configs.push_back(std::move(config));
  }
}

// In the heuristic's order, but engines that compile their kernel last: a sweep prepares many plans.
std::vector<EngineConfig> configs_of(const CudnnLibrary& library, const CudnnDescriptor& graph,
                                     ir::DType dtype, const char* object) {
  std::vector<EngineConfig> configs;
  configs.reserve(64);
  append_configs(configs, library, graph, CUDNN_HEUR_MODE_A, dtype, object);
  append_configs(configs, library, graph, CUDNN_HEUR_MODE_FALLBACK, dtype, object);
  std::vector<EngineConfig> ordered;
  for (const bool compiling : {false, true}) {
    for (EngineConfig& config : configs) {
      if (config.compiles == compiling) ordered.push_back(std::move(config));
    }
  }
  return ordered;
}

std::optional<CudnnDescriptor> build_plan(const CudnnLibrary& library, cudnnHandle_t handle,
                                          const CudnnDescriptor& config, std::size_t workspace_bytes,
                                          const char* object) {
  CudnnDescriptor plan(library, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, object);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  if (!plan.try_finalize()) return std::nullopt;
  std::int64_t needed = 0;
  plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &needed);
  if (needed > static_cast<std::int64_t>(workspace_bytes)) return std::nullopt;
  return plan;
}

std::string key_of(const ConvolutionShape& s) {
  const auto text = [](auto value) { return std::to_string(value); };
  return "convolution " + text(s.batch) + "x" + text(s.height) + "x" + text(s.width) + "x" +
         text(s.channels) + " filters " + text(s.filters) + " window " + text(s.window) + " padding " +
         text(s.padding) + " stride " + text(s.stride) + (s.has_bias ? " bias" : "") +
         (s.has_residual ? " residual" : "") + " activation " + text(static_cast<int>(s.activation)) + " " +
         std::string(ir::name_of(s.dtype));
}

}  // namespace

ConvolutionPlan::ConvolutionPlan(const CudnnLibrary& library, CudnnDescriptor plan,
                                 std::vector<std::int64_t> ids, void* workspace)
    : library_(library), plan_(std::move(plan)), ids_(std::move(ids)), workspace_(workspace) {}

std::unique_ptr<ConvolutionPlan> ConvolutionPlan::make(const CudnnLibrary& library, cudnnHandle_t handle,
                                                       const ConvolutionShape& shape, OpContext& context,
                                                       const TimePlan& time, const char* object) {
  ConvolutionGraph description(library, shape, object);
  const CudnnDescriptor graph = description.describe(handle);
  const std::vector<EngineConfig> configs = configs_of(library, graph, shape.dtype, object);
  const auto build = [&](std::size_t index) -> std::unique_ptr<ConvolutionPlan> {
    std::optional<CudnnDescriptor> plan =
        build_plan(library, handle, configs[index].descriptor, context.workspace_bytes, object);
    if (!plan) return nullptr;
    return std::unique_ptr<ConvolutionPlan>(
        new ConvolutionPlan(library, std::move(*plan), description.ids(), context.workspace));
  };
  std::vector<std::string> names;  // of those worth timing; compiling would take longer than it gives back
  for (const EngineConfig& config : configs) {
    if (!config.compiles) names.push_back(config.name);
  }
  if (!names.empty()) {
    const std::size_t index = context.tuner->choose(key_of(shape), names, [&](std::size_t candidate) {
      const std::unique_ptr<ConvolutionPlan> plan = build(candidate);
      return plan == nullptr ? std::nullopt : time(*plan);
    });
    if (std::unique_ptr<ConvolutionPlan> plan = build(index)) return plan;
  }
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (std::unique_ptr<ConvolutionPlan> plan = build(i)) return plan;
  }
  (void)cudaGetLastError();
  return nullptr;
}

cudnnBackendDescriptor_t ConvolutionPlan::pack_for(void* const* addresses) {
  for (const Pack& pack : packs_) {
    if (std::equal(pack.addresses.begin(), pack.addresses.end(), addresses)) return pack.descriptor.handle();
  }
  const auto count = static_cast<std::int64_t>(ids_.size());
  CudnnDescriptor descriptor(library_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "convolution");
  descriptor.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids_);
  descriptor.set_raw(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, addresses);
  descriptor.set_raw(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace_);
  descriptor.finalize();
  packs_.push_back({std::vector<void*>(addresses, addresses + count), std::move(descriptor)});
  return packs_.back().descriptor.handle();
}

}  // namespace graphbench::cuda

#endif
