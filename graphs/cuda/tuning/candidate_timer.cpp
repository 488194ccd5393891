// Times a candidate on scratch operands: captures its calls and replays the graph a few times.
#include "graphs/cuda/tuning/candidate_timer.hpp"

#include <algorithm>

#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::size_t cached_weight_max = std::size_t{1} << 20;
constexpr std::size_t copies_max = 64;
constexpr int launches_min = 4;
constexpr int launches_max = 32;
constexpr double capture_seconds = 250e-6;  // target duration of the launches in one capture
constexpr double hopeless_seconds = 20e-3;  // no good plan takes this long, so one run is enough
constexpr double loading_seconds = 100e-3;  // limit for the first run, which loads code
constexpr int replays = 6;                  // the fastest counts: the others were disturbed

std::size_t copies_of(std::size_t bytes) {
  int device = 0;
  int l2_bytes = 0;
  check(cudaGetDevice(&device), "read the current device");
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device), "read L2 size");
  if (bytes < cached_weight_max) return 1;
  return std::clamp<std::size_t>(2 * static_cast<std::size_t>(l2_bytes) / bytes + 1, 1, copies_max);
}

}  // namespace

// Uses the device's latest stream, unless there is none or it is capturing: after any kernel on a second
// stream, every later graph launch of the process would be slower (0.35 us per node on an H200). The latest
// stream is idle during preparation.
CandidateTimer::CandidateTimer(OpContext& context, const ir::OpCall& op,
                               const std::vector<std::size_t>& own_operands)
    : op_name_(op.op->name.c_str()),
      shared_stream_(context.latest_stream.lock()),
      own_stream_(shared_stream_ == nullptr || (*shared_stream_)->capturing() ? std::make_unique<CudaStream>()
                                                                              : nullptr),
      stream_(own_stream_ == nullptr ? **shared_stream_ : *own_stream_) {
  std::vector<std::size_t> copies(op.operands.size(), 1);
  for (const std::size_t own : own_operands) copies.at(own) = copies_of(op.operands.at(own).bytes());
  operands_.resize(*std::ranges::max_element(copies));
  const ir::Init init;  // uniform from -1 to 1
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const ir::TensorDesc& tensor = op.operands[i];
    const std::size_t first = buffers_.size();
    for (std::size_t copy = 0; copy < copies[i]; ++copy) {
      buffers_.emplace_back(*context.memory, tensor.bytes(), MemoryKind::tuning);
      launch_fill(stream_.handle(), buffers_.back().data(), tensor.dtype,
                  static_cast<std::size_t>(tensor.elements()), init, buffers_.size());
    }
    for (std::size_t run = 0; run < operands_.size(); ++run) {
      operands_[run].push_back(buffers_[first + run % copies[i]].data());
    }
  }
  check(cudaDeviceSynchronize(), "synchronize device");  // the timer uses the shared workspace from now on
}

void CandidateTimer::run(std::vector<NativeCall>& calls, std::size_t copy) {
  for (NativeCall& call : calls) {
    // Unqualified `bind` could find std::bind, because a std::variant is an argument.
    bind_operands(call, operands_[copy % operands_.size()].data(), op_name_);
    make_call(call, stream_.handle(), op_name_);
  }
}

CandidateCost CandidateTimer::replay_cost(std::vector<NativeCall>& calls, int launches) {
  const std::unique_ptr<Graph> graph = stream_.capture([&] {
    for (int i = 0; i < launches; ++i) run(calls, static_cast<std::size_t>(i));
  });
  const std::unique_ptr<GraphExec> exec = graph->instantiate();
  exec->launch(stream_);
  double least = 0.0;
  for (int i = 0; i < replays; ++i) {
    start_.record(stream_);
    exec->launch(stream_);
    stop_.record(stream_);
    stream_.synchronize();
    const double seconds = stop_.seconds_since(start_);
    if (i == 0 || seconds < least) least = seconds;
  }
  return {least / launches, graph->node_count() / static_cast<std::size_t>(launches)};
}

std::optional<CandidateCost> CandidateTimer::cost(std::vector<NativeCall> calls) {
  try {
    double once = 0.0;
    for (int i = 0; i < 2; ++i) {
      start_.record(stream_);
      run(calls, 0);
      stop_.record(stream_);
      stream_.synchronize();
      once = stop_.seconds_since(start_);
      if (once > (i == 0 ? loading_seconds : hopeless_seconds)) return CandidateCost{once};
    }
    const int launches = std::clamp(static_cast<int>(capture_seconds / once), launches_min, launches_max);
    return replay_cost(calls, launches);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::device_lost) throw;
    return std::nullopt;
  }
}

}  // namespace graphbench::cuda
