// Prefill through cuDNN's attention as a part of a program: the same bits in every execution mode, over a
// ladder of batches that shares one pool, and the values that our own kernels give.
#include <algorithm>
#include <map>

#include "gpu_fixture.hpp"
#include "graphs/execution/executor.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::int64_t ladder[] = {5, 3, 1};  // the largest first, as serving engines capture
constexpr std::int64_t tokens = 33;
constexpr std::int64_t slots = 80;
constexpr std::int64_t heads = 2;
constexpr int layers = 2;
constexpr std::int64_t head_dim = 64;
constexpr std::int64_t hidden = heads * head_dim;

ir::Program make_prefill(const ir::OpCatalog& catalog) {
  test::SmallBuilder b(catalog, ir::DType::bf16);
  const ir::Shape cache = test::batched({heads, slots, head_dim});
  ir::ValueId x = b.input("x", {ir::of_batch(tokens), ir::fixed_dim(hidden)});
  const ir::ValueId positions = b.integers("positions", test::batched({}),
                                           {ir::Init::Kind::constant, static_cast<double>(slots - tokens)});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    const ir::ValueId k = b.state(layer + "k", cache), v = b.state(layer + "v", cache);
    const ir::ValueId qkv =
        b.one("linear", layer + "qkv", {x, b.weight(layer + "w", test::fixed({3 * hidden, hidden}))});
    const ir::ValueId q = b.one("rope_kv_append", layer + "rope", {qkv, positions, k, v},
                                {{"heads", heads}, {"head_dim", head_dim}});
    x = b.one("sdpa", layer + "sdpa", {q, k, v}, {{"causal", std::int64_t{1}}});
  }
  b.split_at({"sdpa"});
  return b.ending_in(x);
}

// The program on one device, with an executor a batch of the ladder.
class Bench {
 public:
  Bench(CudaDevice& device, const ir::Program& program, execution::ExecutionMode mode)
      : device_(device),
        program_(program),
        stream_(device.make_stream()),
        buffers_(device, program, ladder[0]),
        eager_pool_(device),
        graph_pool_(device) {
    buffers_.fill_weights(*stream_, 1);
    for (const std::int64_t batch : ladder) {
      auto& executor = executors_[batch];
      executor = execution::make_executor(
          mode, {device_, *stream_, program_, buffers_, eager_pool_, &graph_pool_, {}}, batch);
      executor->capture();
      executor->instantiate();
      executor->upload();
    }
  }

  std::vector<std::byte> step(std::int64_t batch, std::uint64_t seed) {
    buffers_.fill_inputs(*stream_, seed);
    buffers_.fill_state(*stream_, seed);
    executors_.at(batch)->submit();
    std::vector<std::byte> bytes(static_cast<std::size_t>(batch * tokens * hidden) * 2);
    stream_->copy_to_host(bytes.data(),
                          executors_.at(batch)->output(program_.values_of(ir::ValueKind::output).front()),
                          bytes.size());
    stream_->synchronize();
    return bytes;
  }

  std::vector<std::string> paths(std::int64_t batch) {
    std::vector<std::string> names;
    for (const execution::StepItem& item : executors_.at(batch)->eager().items()) {
      if (item.kernel != nullptr && !item.kernel->path().name.empty())
        names.push_back(item.kernel->path().name);
    }
    return names;
  }

 private:
  CudaDevice& device_;
  const ir::Program& program_;
  std::unique_ptr<Stream> stream_;
  execution::ProgramBuffers buffers_;
  pool::MemoryPool eager_pool_;
  pool::MemoryPool graph_pool_;
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors_;
};

using SdpaModesTest = GpuTest;

TEST_F(SdpaModesTest, PrefillThroughCudnnGivesTheSameBitsInEveryMode) {
  TuningSettings wanted;
  wanted.prefer = "cuDNN";
  CudaDevice fused(0, CudaDeviceOptions{.use_cudnn = true, .tuning = wanted});
  if (fused.info().libraries.at("cudnn").compare(0, 4, "none") == 0) GTEST_SKIP() << "needs cuDNN";
  CudaDevice plain(0, CudaDeviceOptions{.use_cudnn = false, .tuning = TuningSettings{}});
  const ir::OpCatalog catalog;
  const ir::Program program = make_prefill(catalog);
  Bench own(plain, program, execution::ExecutionMode::eager);
  Bench eager(fused, program, execution::ExecutionMode::eager);
  Bench whole(fused, program, execution::ExecutionMode::whole);
  Bench piecewise(fused, program, execution::ExecutionMode::piecewise);
  std::uint64_t seed = 100;
  for (const std::int64_t batch : {3, 5, 1, 5, 3}) {
    SCOPED_TRACE(batch);
    const std::vector<std::byte> expected = eager.step(batch, ++seed);
    EXPECT_EQ(whole.step(batch, seed), expected);
    EXPECT_EQ(piecewise.step(batch, seed), expected);
    const std::vector<double> reference = decode(ir::DType::bf16, own.step(batch, seed));
    // Each layer on each device may differ from the definition by the tolerance, and the two round otherwise.
    EXPECT_LE(relative_error(decode(ir::DType::bf16, expected), reference),
              2 * layers * tolerance(ir::DType::bf16));
  }
  const std::vector<std::string> cudnn(layers, "sdpa:cudnn");
  EXPECT_EQ(eager.paths(3), cudnn);
  const std::vector<std::string> without = own.paths(3);
  EXPECT_EQ(std::count(without.begin(), without.end(), "sdpa:cudnn"), 0);
}

}  // namespace
}  // namespace graphbench::cuda
