// Asks cuDNN for engines, builds a plan with one of them, and keeps a device's cuDNN handle and plans.
#include "graphs/cuda/ops/cudnn_plan.hpp"

#include <algorithm>

#include "graphs/cuda/status.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

#if defined(GRAPHBENCH_HAVE_CUDNN)

CudnnPlan::CudnnPlan(const CudnnLibrary& library, CudnnDescriptor plan, const CudnnTensors& tensors,
                     void* workspace)
    : library_(library),
      plan_(std::move(plan)),
      tensor_count_(tensors.ids.size()),
      tensors_(tensors),
      workspace_(workspace) {
  for (const CudnnConstant& constant : tensors.constants) tensors_.ids.push_back(constant.id);
}

std::unique_ptr<CudnnPlan> CudnnPlan::finish(OpContext& context, CudnnDescriptor plan,
                                             const CudnnTensors& tensors) {
  if (!plan.try_finalize()) return nullptr;
  std::int64_t needed = 0;
  plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &needed);
  if (needed > static_cast<std::int64_t>(context.workspace_bytes)) return nullptr;
  const CudnnLibrary& library = *cudnn_handle(context).library;
  return std::unique_ptr<CudnnPlan>(new CudnnPlan(library, std::move(plan), tensors, context.workspace));
}

std::unique_ptr<CudnnPlan> CudnnPlan::read(OpContext& context, const std::string& key, const char* object,
                                           const CudnnTensors& tensors) {
  const cache::Choice* const kept = context.tuner->serialised(key);
  if (kept == nullptr) return nullptr;
  std::unique_ptr<CudnnPlan> made;
  try {
    const CudnnHandle& handle = cudnn_handle(context);
    CudnnDescriptor plan(*handle.library, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, object);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle.get());
    plan.set_raw(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                 static_cast<std::int64_t>(kept->serialised.size()), kept->serialised.data());
    made = finish(context, std::move(plan), tensors);
  } catch (const Error&) {
    made = nullptr;
  }
  if (made == nullptr) (void)cudaGetLastError();  // the caller builds another plan
  context.tuner->tried_serialised(key, made != nullptr);
  return made;
}

// Does not call plan_.get(), whose errors would read `object_`, a name that is no longer valid.
std::string CudnnPlan::serialised() const {
  const auto read = [this](std::size_t capacity, char* text) {
    std::int64_t bytes = 0;
    const cudnnStatus_t status =
        library_.BackendGetAttribute(handle(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                                     static_cast<std::int64_t>(capacity), &bytes, text);
    return status == CUDNN_STATUS_SUCCESS && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  };
  std::string text(read(0, nullptr), '\0');
  text.resize(std::min(text.size(), read(text.size(), text.data())));
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

std::shared_ptr<const CudnnDescriptor> CudnnPlan::pack_for(void* const* addresses) {
  for (const Pack& pack : packs_) {
    if (std::equal(pack.addresses.begin(), pack.addresses.end(), addresses)) return pack.descriptor;
  }
  std::vector<void*> pointers(addresses, addresses + tensor_count_);
  for (CudnnConstant& constant : tensors_.constants) pointers.push_back(constant.value.data());
  CudnnDescriptor descriptor(library_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "cuDNN plan");
  descriptor.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, tensors_.ids);
  descriptor.set_raw(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
                     static_cast<std::int64_t>(pointers.size()), pointers.data());
  descriptor.set_raw(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace_);
  descriptor.finalize();
  if (packs_.size() == packs_max) packs_.erase(packs_.begin());
  packs_.push_back({std::vector<void*>(addresses, addresses + tensor_count_),
                    std::make_shared<const CudnnDescriptor>(std::move(descriptor))});
  return packs_.back().descriptor;
}

std::vector<CudnnDescriptor> CudnnEngines::read(const CudnnDescriptor& from, cudnnBackendAttributeName_t name,
                                                cudnnBackendDescriptorType_t type, int most) const {
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> slots;
  for (int i = 0; i < most; ++i) slots.push_back(found.emplace_back(library_, type, object_).handle());
  const std::int64_t count = from.get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, slots.data());
  found.erase(found.begin() + std::min<std::int64_t>(count, most), found.end());
  return found;
}

void CudnnEngines::read_notes(Config& config, const CudnnDescriptor& engine, ir::DType dtype) const {
  cudnnBackendNumericalNote_t numerical[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  cudnnBackendBehaviorNote_t behavior[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
  const std::int64_t numerical_count = engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                                  CUDNN_NUMERICAL_NOTE_TYPE_COUNT, numerical);
  const std::int64_t behavior_count = engine.get(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                                 CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, behavior);
  for (std::int64_t i = 0; i < numerical_count; ++i) {
    // Excludes tensor cores for fp32, because they would multiply fp32 operands in tf32.
    const bool tf32 = numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && dtype == ir::DType::fp32;
    const bool harmless = numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
                          numerical[i] == CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP;
    if (tf32 || !harmless) config.allowed = false;
  }
  for (std::int64_t i = 0; i < behavior_count; ++i) {
    if (behavior[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) config.compiles = true;
  }
}

// Sets the engine's name, such as "cuDNN engine 38 knobs 2=10 13=1".
void CudnnEngines::read_name(Config& config, const CudnnDescriptor& engine) const {
  std::int64_t index = -1;
  engine.get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);
  config.name = "cuDNN engine " + std::to_string(index) + (config.compiles ? " (compiled)" : "") + " knobs";
  for (const CudnnDescriptor& choice : read(config.descriptor, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                            CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
    cudnnBackendKnobType_t type{};
    std::int64_t value = 0;
    choice.get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
    choice.get(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &value);
    config.name.append(" ").append(std::to_string(static_cast<int>(type)));
    config.name.append("=").append(std::to_string(value));
  }
}

bool CudnnEngines::append(const CudnnDescriptor& graph, cudnnBackendHeurMode_t mode, ir::DType dtype,
                          const std::optional<std::string>& wanted) {
  CudnnDescriptor heuristic(library_, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, object_);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (!heuristic.try_finalize()) return false;
  for (CudnnDescriptor& found :
       read(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 32)) {
    Config config{std::move(found), {}, true, false};
    const CudnnDescriptor engine(library_, CUDNN_BACKEND_ENGINE_DESCRIPTOR, object_);
    cudnnBackendDescriptor_t slot = engine.handle();
    config.descriptor.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &slot);
    read_notes(config, engine, dtype);
    read_name(config, engine);
    if (!config.allowed) {
      context_.tuner->say(std::string(object_) +
                          ": left out a kernel that is not deterministic, or not exact: " + config.name);
      continue;
    }
    if (config.name == wanted) {
      configs_.clear();
      configs_.push_back(std::move(config));
      return true;
    }
    const bool known = std::any_of(configs_.begin(), configs_.end(),
                                   [&](const Config& other) { return other.name == config.name; });
    if (!known) configs_.push_back(std::move(config));
  }
  return false;
}

CudnnEngines::CudnnEngines(OpContext& context, const CudnnDescriptor& graph, ir::DType dtype,
                           const char* object, const std::optional<std::string>& wanted)
    : context_(context), library_(*cudnn_handle(context).library), object_(object) {
  configs_.reserve(64);
  if (append(graph, CUDNN_HEUR_MODE_A, dtype, wanted)) return;
  if (append(graph, CUDNN_HEUR_MODE_FALLBACK, dtype, wanted)) return;
  std::vector<Config> ordered;
  for (const bool compiling : {false, true}) {
    for (Config& config : configs_) {
      if (config.compiles == compiling) ordered.push_back(std::move(config));
    }
  }
  configs_.swap(ordered);
}

std::unique_ptr<CudnnPlan> CudnnEngines::build(std::size_t index, const CudnnTensors& tensors) const {
  CudnnDescriptor plan(library_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, object_);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configs_.at(index).descriptor);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, cudnn_handle(context_).get());
  return CudnnPlan::finish(context_, std::move(plan), tensors);
}

CudnnHandle::CudnnHandle(const CudnnLibrary* opened) : library(opened) {
  check(library->Create(owner.put()), "create cuDNN handle");
}

void CudnnHandle::forget_stream(const char* object) {
  check(library->SetStream(get(), nullptr), "set the stream of the cuDNN handle for op", object);
  stream = nullptr;
}

CudnnHandle& cudnn_handle(OpContext& context) {
  if (context.cudnn == nullptr) context.cudnn = std::make_shared<CudnnHandle>(cudnn_library());
  return *context.cudnn;
}

CudnnCall cudnn_call(CudnnHandle& handle, CudnnPlan& plan, const std::vector<std::size_t>& operands) {
  GRAPHBENCH_ASSERT(operands.size() == plan.tensor_count());
  CudnnCall call;
  call.library = handle.library;
  call.handle = handle.get();
  call.handle_stream = &handle.stream;
  call.plan = &plan;
  call.execution_plan = plan.handle();
  for (const std::size_t operand : operands) call.pointers[call.pointer_count++] = operand_source(operand);
  return call;
}

std::map<std::string, std::string> serialised_plans(const OpContext& context) {
  std::map<std::string, std::string> texts;
  if (context.cudnn == nullptr) return texts;
  for (const auto& [key, plan] : context.cudnn->plans) {
    if (plan != nullptr) texts[key] = plan->serialised();
  }
  return texts;
}

void forget_cudnn_stream(OpContext& context, const char* object) {
  if (context.cudnn != nullptr) context.cudnn->forget_stream(object);
}

#else

std::map<std::string, std::string> serialised_plans(const OpContext&) {
  return {};
}

void forget_cudnn_stream(OpContext&, const char*) {}

#endif

}  // namespace graphbench::cuda
