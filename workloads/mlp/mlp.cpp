// mlp: layers of x + W2 * gelu_tanh(W1 * rmsnorm(x) + b1) + b2. The batch is the number of rows. By default,
// piecewise mode splits at the norms, so n layers make n pieces of two matmuls each. Each layer but the
// first also has a marker `boundary` after its norm. If steps split at `boundary` instead, a residual sum
// and the norm that follows it are in one piece, so a compiler can fuse them. With `cond`, layers add their
// second product only if the input `taken` is not 0.
#include "graphs/abi/graphbench_abi.h"
#include "workloads/common/build.hpp"
#include "workloads/common/scale.hpp"

namespace {

using namespace graphbench::workloads;

struct Sizes {
  std::int64_t layers;
  std::int64_t hidden;
  std::int64_t ffn;
};

std::int32_t add_norm(Build& build, const std::string& layer, const Sizes& sizes, std::int32_t x) {
  const std::int32_t gamma = build.weight(layer + ".gamma", {fixed_dim(sizes.hidden)}, gain());
  return build.op("rmsnorm", layer + ".norm", {x, gamma});
}

std::int32_t add_products(Build& build, const std::string& layer, const Sizes& sizes, std::int32_t normed,
                          std::int32_t x, std::int32_t taken) {
  const gb_dim hidden = fixed_dim(sizes.hidden);
  const gb_dim ffn = fixed_dim(sizes.ffn);
  const std::int32_t w1 = build.weight(layer + ".w1", {ffn, hidden}, kept_variance(sizes.hidden));
  const std::int32_t b1 = build.weight(layer + ".b1", {ffn}, small_bias());
  const std::int32_t w2 =
      build.weight(layer + ".w2", {hidden, ffn}, residual_variance(sizes.ffn, sizes.layers));
  const std::int32_t b2 = build.weight(layer + ".b2", {hidden}, small_bias());
  const std::int32_t up = build.op("linear", layer + ".up", {normed, w1, b1},
                                   {integer("bias", 1), text("activation", "gelu_tanh")});
  if (taken != kNoValue)
    return build.op("cond", layer + ".down", {taken, up, w2, b2, x},
                    {text("body", "linear"), integer("bias", 1), integer("residual", 1)});
  return build.op("linear", layer + ".down", {up, w2, b2, x}, {integer("bias", 1), integer("residual", 1)});
}

int build_mlp(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  Build build(request, builder, api);
  const Sizes sizes = {build.option("layers"), build.option("hidden"), build.option("ffn")};
  std::int32_t x =
      build.value(GB_INPUT, "x", build.dtype(), {of_batch(), fixed_dim(sizes.hidden)}, uniform(1.0));
  std::int32_t taken = kNoValue;
  if (const std::int64_t cond = build.option("cond"); cond > 1)
    taken = build.value(GB_INPUT, "taken", GB_I32, {fixed_dim(1)}, constant(cond == 2 ? 1 : 0));
  for (std::int64_t i = 0; i < sizes.layers && !build.failed(); ++i) {
    const std::string layer = "layer" + std::to_string(i);
    const std::int32_t normed = add_norm(build, layer, sizes, x);
    if (i > 0) build.marker("boundary", layer + ".boundary");
    x = add_products(build, layer, sizes, normed, x, taken);
  }
  build.output(x);
  build.split_at("rmsnorm");
  return build.status();
}

constexpr gb_option kOptions[] = {
    {"layers", "residual layers", 1, 1024},
    {"hidden", "width of x", 1, 65536},
    {"ffn", "width between the two matrix products", 1, 262144},
    {"cond", "branch on the device around each layer's second product: none=1, taken=2, skipped=3", 1, 3},
};
constexpr std::int64_t kBase[] = {8, 1024, 4096, 1};
constexpr std::int64_t kTiny[] = {8, 64, 256, 1};
constexpr gb_preset kPresets[] = {{"base", kBase}, {"tiny", kTiny}};

}  // namespace

namespace graphbench::workloads {

extern constinit const gb_workload mlp_workload =
    describe_workload("mlp", "transformer feed-forward layers with residual; the batch size counts rows",
                      kOptions, kPresets, build_mlp);

}  // namespace graphbench::workloads
