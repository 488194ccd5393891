// attention: layers of x + Wo * sdpa(rope(q), K, V) with q, k, v = Wqkv * rmsnorm(x), over a KV cache that
// every step writes. The batch is the number of sequences. Decode has one token per sequence and a filled
// cache; prefill has several tokens and is causal. In training, a sequence attends to itself: k and v are
// activations, without a cache. With `qkv` apart, q, k and v are three products. `piecewise` splits at sdpa.
#include <algorithm>

#include "graphs/abi/graphbench_abi.h"
#include "workloads/common/build.hpp"
#include "workloads/common/scale.hpp"

namespace {

using namespace graphbench::workloads;

struct Sizes {
  std::int64_t layers;
  std::int64_t hidden;
  std::int64_t heads;
  std::int64_t cache;
  std::int64_t tokens;
  bool apart;  // q, k and v are three products
  bool training;
  std::int64_t head_dim() const { return hidden / heads; }
};

// Checks rules between options. graphbench itself checks the bounds of each option.
void check_sizes(Build& build, const Sizes& sizes) {
  const std::string hidden = "hidden=" + std::to_string(sizes.hidden);
  const std::string heads = "heads=" + std::to_string(sizes.heads);
  if (sizes.hidden % sizes.heads != 0) {
    build.fail("option " + hidden + " is not divisible by " + heads +
               ": set hidden to a multiple of 2 * heads");
  } else if (sizes.head_dim() % 2 != 0) {
    build.fail("option " + hidden + " with " + heads + " gives head_dim=" + std::to_string(sizes.head_dim()) +
               ", but rope needs an even head_dim: set hidden to a multiple of 2 * heads");
  } else if (sizes.tokens > sizes.cache && !sizes.training) {
    build.fail("option tokens=" + std::to_string(sizes.tokens) +
               " exceeds cache=" + std::to_string(sizes.cache) + ": set cache to at least tokens");
  } else if (sizes.apart && sizes.training) {
    build.fail("option qkv=apart has no training step: set qkv=joined, or give --pass forward");
  }
}

// Adds the op that makes the heads of q, k and v from `rows`: the output of the joined product, or the
// outputs of the three products. k and v are caches that the op writes; in training they are its outputs.
std::array<std::int32_t, 3> add_heads(Build& build, const std::string& layer, const Sizes& sizes,
                                      const std::vector<std::int32_t>& rows, std::int32_t positions) {
  std::vector<gb_attr> attributes = {integer("heads", sizes.heads), integer("head_dim", sizes.head_dim())};
  if (sizes.training) return build.ops<3>("rope", layer + ".rope", rows, attributes);
  const std::initializer_list<gb_dim> cache = {of_batch(), fixed_dim(sizes.heads), fixed_dim(sizes.cache),
                                               fixed_dim(sizes.head_dim())};
  const std::int32_t k = build.value(GB_STATE, layer + ".k_cache", build.dtype(), cache, uniform(1.0));
  const std::int32_t v = build.value(GB_STATE, layer + ".v_cache", build.dtype(), cache, uniform(1.0));
  std::vector<std::int32_t> inputs = {rows[0], positions, k, v};
  inputs.insert(inputs.end(), rows.begin() + 1, rows.end());
  if (sizes.apart) attributes.push_back(integer("apart", 1));
  return {build.op("rope_kv_append", layer + ".rope", inputs, attributes), k, v};
}

std::int32_t add_layer(Build& build, const std::string& layer, const Sizes& sizes, std::int32_t x,
                       std::int32_t positions) {
  const std::int64_t width = sizes.hidden;
  const gb_dim hidden = fixed_dim(width);
  const std::int32_t gamma = build.weight(layer + ".gamma", {hidden}, gain());
  const std::vector<std::string> products =
      sizes.apart ? std::vector<std::string>{"q", "k", "v"} : std::vector<std::string>{"qkv"};
  const gb_dim columns = fixed_dim(sizes.apart ? width : 3 * width);
  std::vector<std::int32_t> weights;
  for (const std::string& name : products)
    weights.push_back(build.weight(layer + ".w" + name, {columns, hidden}, kept_variance(width)));
  const std::int32_t wo =
      build.weight(layer + ".wo", {hidden, hidden}, residual_variance(width, sizes.layers));
  const std::int32_t normed = build.op("rmsnorm", layer + ".norm", {x, gamma});
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < products.size(); ++i)
    rows.push_back(build.op("linear", layer + "." + products[i], {normed, weights[i]}));
  const auto [q, k, v] = add_heads(build, layer, sizes, rows, positions);
  const std::int32_t mixed =
      build.op("sdpa", layer + ".sdpa", {q, k, v}, {integer("causal", sizes.tokens > 1 ? 1 : 0)});
  return build.op("linear", layer + ".out", {mixed, wo, x}, {integer("residual", 1)});
}

int build_attention(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  Build build(request, builder, api);
  Sizes sizes = {build.option("layers"), build.option("hidden"), build.option("heads"),
                 build.option("cache"),  build.option("tokens"), build.option("qkv") == 2,
                 build.is_training()};
  // A single token attends only to itself, so training with decode's sizes uses several tokens instead.
  if (sizes.training && sizes.tokens == 1) sizes.tokens = std::clamp<std::int64_t>(sizes.hidden / 4, 2, 128);
  check_sizes(build, sizes);
  std::int32_t x = build.value(GB_INPUT, "x", build.dtype(),
                               {of_batch(sizes.tokens), fixed_dim(sizes.hidden)}, uniform(1.0));
  // The step's tokens use the last slots of the cache, so all slots before them are filled and not masked.
  std::int32_t positions = kNoValue;
  if (!sizes.training) {
    positions = build.value(GB_INPUT, "positions", GB_I32, {of_batch()},
                            constant(static_cast<double>(sizes.cache - sizes.tokens)));
    build.pad_with(positions, -1);  // a padding row must not write the cache
  }
  for (std::int64_t i = 0; i < sizes.layers && !build.failed(); ++i) {
    x = add_layer(build, "layer" + std::to_string(i), sizes, x, positions);
  }
  build.output(x);
  build.split_at("sdpa");
  return build.status();
}

constexpr gb_option kOptions[] = {
    {"layers", "residual layers", 1, 1024},
    {"hidden", "width of the input x; a multiple of 2 * heads", 2, 65536},
    {"heads", "attention heads", 1, 1024},
    {"cache", "slots of the KV cache per sequence", 1, 1048576},
    {"tokens", "new tokens per sequence, at most as many as cache; above 1, attention is causal", 1, 1048576},
    {"qkv", "the products of q, k and v: joined=1, apart=2", 1, 2},
};
constexpr std::int64_t kDecode[] = {8, 1024, 16, 1024, 1, 1};
constexpr std::int64_t kPrefill[] = {8, 1024, 16, 128, 128, 1};
constexpr std::int64_t kTiny[] = {8, 64, 4, 64, 1, 1};
constexpr std::int64_t kTinyPrefill[] = {8, 64, 4, 16, 16, 1};
constexpr gb_preset kPresets[] = {{"base", kDecode},
                                  {"tiny", kTiny},
                                  {"decode", kDecode},
                                  {"prefill", kPrefill},
                                  {"tiny-prefill", kTinyPrefill}};

}  // namespace

namespace graphbench::workloads {

extern constinit const gb_workload attention_workload =
    describe_workload("attention", "attention layers over a KV cache; the batch size counts sequences",
                      kOptions, kPresets, build_attention);

}  // namespace graphbench::workloads
