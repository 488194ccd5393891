// conv: residual blocks of two 3x3 convolutions with bias, ReLU and skip, in NHWC. The batch is the number
// of images. By default, piecewise mode splits at each block's second convolution, so each block gives one
// piece: its first convolution. Blocks have a marker `boundary` between them, at which a step can be split.
#include "graphs/abi/graphbench_abi.h"
#include "workloads/common/build.hpp"
#include "workloads/common/scale.hpp"

namespace {

using namespace graphbench::workloads;

constexpr std::int64_t kKernel = 3;
constexpr std::int64_t kPadding = 1;  // with this padding, a 3x3 convolution keeps the image's size

struct Sizes {
  std::int64_t blocks;
  std::int64_t channels;
  std::int64_t size;
};

std::int32_t add_block(Build& build, const std::string& block, const Sizes& sizes, std::int32_t x) {
  const gb_dim channels = fixed_dim(sizes.channels);
  const gb_dim kernel = fixed_dim(kKernel);
  const std::int64_t fan_in = sizes.channels * kKernel * kKernel;
  const std::int32_t w1 =
      build.weight(block + ".w1", {channels, kernel, kernel, channels}, kept_variance(fan_in));
  const std::int32_t b1 = build.weight(block + ".b1", {channels}, small_bias());
  const std::int32_t w2 = build.weight(block + ".w2", {channels, kernel, kernel, channels},
                                       residual_variance(fan_in, sizes.blocks));
  const std::int32_t b2 = build.weight(block + ".b2", {channels}, small_bias());
  const std::int32_t hidden =
      build.op("conv2d", block + ".conv1", {x, w1, b1},
               {integer("bias", 1), integer("padding", kPadding), text("activation", "relu")});
  return build.op(
      "conv2d", block + ".conv2", {hidden, w2, b2, x},
      {integer("bias", 1), integer("residual", 1), integer("padding", kPadding), text("activation", "relu")});
}

int build_conv(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  Build build(request, builder, api);
  const Sizes sizes = {build.option("blocks"), build.option("channels"), build.option("size")};
  std::int32_t x = build.value(
      GB_INPUT, "x", build.dtype(),
      {of_batch(), fixed_dim(sizes.size), fixed_dim(sizes.size), fixed_dim(sizes.channels)}, uniform(1.0));
  for (std::int64_t i = 0; i < sizes.blocks && !build.failed(); ++i) {
    const std::string block = "block" + std::to_string(i);
    if (i > 0) build.marker("boundary", block + ".boundary");
    x = add_block(build, block, sizes, x);
  }
  build.output(x);
  build.split_at("*.conv2");
  return build.status();
}

constexpr gb_option kOptions[] = {
    {"blocks", "residual blocks of two convolutions", 1, 1024},
    {"channels", "channels of every image", 1, 4096},
    {"size", "height and width of every image", 1, 4096},
};
constexpr std::int64_t kBase[] = {8, 64, 56};
constexpr std::int64_t kTiny[] = {8, 8, 8};
constexpr gb_preset kPresets[] = {{"base", kBase}, {"tiny", kTiny}};

}  // namespace

namespace graphbench::workloads {

extern constinit const gb_workload conv_workload =
    describe_workload("conv", "residual 3x3 convolution blocks, NHWC; the batch size counts images", kOptions,
                      kPresets, build_conv);

}  // namespace graphbench::workloads
