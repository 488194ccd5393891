// Which algorithm of cuBLASLt makes a matrix product.
#include <algorithm>
#include <utility>

#include "graphs/cuda/ops/matmul.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

template <class Value>
void set(cublasLtMatmulPreferenceOpaque_t& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const Value& value, const char* object) {
  check(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)), "prepare",
        object);
}

cublasLtMatmulPreferenceOpaque_t preference_of(const MatmulCall& call, std::uint32_t alignment,
                                               const char* object) {
  cublasLtMatmulPreferenceOpaque_t preference{};
  check(cublasLtMatmulPreferenceInit(&preference), "prepare", object);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, call.workspace_bytes, object);
  // Split products may be summed in fp32 scratch only: sums in the output's own type would round more
  // than once.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE), object);
  for (const cublasLtMatmulPreferenceAttributes_t operand :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(preference, operand, alignment, object);
  }
  return preference;
}

// In the heuristic's order; none where cuBLASLt has no algorithm for the call.
std::vector<cublasLtMatmulAlgo_t> algorithms_of(OpContext& context, MatmulCall& call, std::uint32_t alignment,
                                                const char* object) {
  constexpr int most = 24;
  cublasLtMatmulPreferenceOpaque_t preference = preference_of(call, alignment, object);
  cublasLtMatmulHeuristicResult_t results[most]{};
  int found = 0;
  const int wanted = context.tuner->settings().timed ? most : 1;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(context.cublas, &call.description, &call.a_layout, &call.b_layout,
                                     &call.c_layout, &call.d_layout, &preference, wanted, results, &found);
  std::vector<cublasLtMatmulAlgo_t> algorithms;
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return algorithms;
  check(status, "choose an algorithm for", object);
  for (int i = 0; i < found; ++i) {
    if (results[i].state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(results[i].algo);
  }
  return algorithms;
}

std::uint64_t configured(const cublasLtMatmulAlgo_t& algorithm,
                         cublasLtMatmulAlgoConfigAttributes_t attribute) {
  std::uint64_t value = 0;  // attributes are 16 or 32 bits wide, little-endian
  std::size_t written = 0;
  const std::size_t sizes[] = {sizeof(std::uint32_t), sizeof(std::uint16_t)};
  for (const std::size_t size : sizes) {
    if (cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, size, &written) ==
        CUBLAS_STATUS_SUCCESS)
      return value;
  }
  return value;
}

std::string name_of(const cublasLtMatmulAlgo_t& algorithm) {
  constexpr std::pair<const char*, cublasLtMatmulAlgoConfigAttributes_t> parts[] = {
      {"algorithm ", CUBLASLT_ALGO_CONFIG_ID},
      {" tile ", CUBLASLT_ALGO_CONFIG_TILE_ID},
      {" stages ", CUBLASLT_ALGO_CONFIG_STAGES_ID},
      {" split-k ", CUBLASLT_ALGO_CONFIG_SPLITK_NUM},
      {" reduction ", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME},
      {" swizzle ", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING},
      {" custom ", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION},
      {" inner ", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID},
      {" cluster ", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID},
  };
  std::string name = "cuBLASLt";
  for (const auto& [label, attribute] : parts) {
    name.append(name.size() == 8 ? " " : "").append(label);
    name.append(std::to_string(configured(algorithm, attribute)));
  }
  return name;
}

bool still_valid(OpContext& context, MatmulCall& call) {
  cublasLtMatmulHeuristicResult_t result{};
  return cublasLtMatmulAlgoCheck(context.cublas, &call.description, &call.a_layout, &call.b_layout,
                                 &call.c_layout, &call.d_layout, &call.algo,
                                 &result) == CUBLAS_STATUS_SUCCESS &&
         result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= call.workspace_bytes;
}

struct Named {
  std::vector<std::string> names;
  std::vector<cublasLtMatmulAlgo_t> algorithms;  // one a name: a name must mean one of them
};

Named named(const std::vector<cublasLtMatmulAlgo_t>& algorithms) {
  Named result;
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms) {
    std::string name = name_of(algorithm);
    if (std::find(result.names.begin(), result.names.end(), name) != result.names.end()) continue;
    result.names.push_back(std::move(name));
    result.algorithms.push_back(algorithm);
  }
  return result;
}

}  // namespace

std::optional<NativeCall> choose_matmul(OpContext& context, MatmulCall call, const std::string& key,
                                        std::uint32_t alignment, const ir::OpCall& op) {
  if (const auto known = context.matmuls.find(key); known != context.matmuls.end()) {
    call.algo = known->second;
    return call;
  }
  const Named candidates = named(algorithms_of(context, call, alignment, op.op->name.c_str()));
  if (candidates.names.empty()) return std::nullopt;
  std::optional<CandidateTimer> timer;  // its memory is wanted only where nothing is known yet
  const auto time = [&](std::size_t candidate) -> std::optional<CandidateCost> {
    if (!timer) timer.emplace(context, op);
    call.algo = candidates.algorithms[candidate];
    return still_valid(context, call) ? timer->cost({call}) : std::nullopt;
  };
  call.algo = candidates.algorithms[context.tuner->choose(key, candidates.names, time)];
  if (!still_valid(context, call)) return std::nullopt;
  context.matmuls.emplace(key, call.algo);
  return call;
}

}  // namespace graphbench::cuda
