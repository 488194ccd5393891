// The example of a foreign step: y = (2x + 1)^2 - x + the number of steps since fill(), in three parts, of
// which `piecewise` captures the first and the last. It lends some parts' graphs, lets graphbench capture
// others, and has a mode that launches its own graph. It lends its rows to `graphbench ladder`. It fails at
// some batch sizes, in one way each.
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/plugins/test_plugin.hpp"
#ifdef GRAPHBENCH_TEST_CUDA
#include "tests/integration/plugins/step_kernels.hpp"
#endif

namespace {

using namespace test_plugin;

constexpr std::int64_t batch_that_does_not_open = 13;
constexpr std::int64_t batch_that_is_skipped_late = 47;
constexpr std::int64_t batch_whose_graph_differs = 17;
constexpr std::int64_t batch_that_crashes = 19;
constexpr std::int64_t batch_that_fails_in_run = 23;
constexpr std::int64_t batch_within_tolerance = 29;
constexpr std::int64_t batch_that_is_skipped = 31;
constexpr std::int64_t batch_without_nodes = 37;  // its graph cannot be lent
constexpr std::int64_t batch_that_opens_slowly = 41;
constexpr std::int64_t batch_that_leaks = 7;   // rows of padding reach the first row, when it is served
constexpr std::int64_t batch_that_varies = 9;  // the last bits of the first result, when it is served
constexpr std::int64_t batches_that_vary_at_times = 61;  // likewise, in two served steps of four; and above
constexpr std::int64_t batch_that_tells_stages =
    43;  // opens slowly, too, and tells a graph that was not taken

class Step {
 public:
  explicit Step(const gb_step_request& request)
      : batch_(request.batch),
        mode_(request.mode),
        on_cuda_(request.place == GB_ON_CUDA),
        stream_(request.cuda_stream),
        serves_(request.serves != 0),
        count_(static_cast<std::size_t>(request.batch) * row),
        now_(count_) {
    for (float** each : {&x_, &h_, &k_, &y_}) *each = memory(count_);
    steps_ = memory(1);
    no_steps_ = memory(1);
    if (serves_) fill(static_cast<std::uint64_t>(batch_));
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() {
    reserved_ -= (4 * count_ + 2) * sizeof(float);
#ifdef GRAPHBENCH_TEST_CUDA
    step_kernels::destroy(graph_, exec_);
    if (on_cuda_) {
      for (float* each : {x_, h_, k_, y_, steps_, no_steps_}) step_kernels::release(each);
    }
#endif
  }

  std::int32_t parts(std::uint8_t* captured) const {
    if (mode_ == "piecewise") {
      captured[0] = 1;
      captured[1] = 0;
      captured[2] = 1;
      return 3;
    }
    captured[0] = mode_ != "whole"                ? GB_PART_RUN
                  : batch_ == batch_without_nodes ? GB_PART_UNSEEN
                                                  : GB_PART_CAPTURED;
    return 1;
  }

  int run(std::int32_t part) {
    if (batch_ == batch_that_crashes) crash();
    if (batch_ == batch_that_fails_in_run) return 7;
    if (mode_ == "example.replay" && part == 0) return replay();
    odd_ = part < 0                              ? 0.0f
           : batch_ == batch_whose_graph_differs ? 1.0f
           : batch_ == batch_within_tolerance    ? 1e-4f
                                                 : 0.0f;
    if (mode_ != "piecewise" || part < 0) return all();
    return part == 0 ? first() : part == 1 ? second() : third();
  }

  void drop(std::int32_t what) {
    if (what == GB_DROP_POOL) pool_ = 0;
#ifdef GRAPHBENCH_TEST_CUDA
    if (what != GB_DROP_GRAPHS || !on_cuda_) return;
    step_kernels::destroy(graph_, exec_);
    graph_ = exec_ = nullptr;
#endif
  }

  // On CUDA, lends graphbench the graph of `whole`, and in `piecewise` the graph of the first part.
  int capture(std::int32_t part, void** graph) {
    if (batch_ == batch_that_is_skipped_late) return GB_STEP_SKIP;
    pool_ = 20;
    if (!on_cuda_ || part > 0) return 0;
#ifdef GRAPHBENCH_TEST_CUDA
    const auto run = mode_ == "piecewise" ? [](void* step) { return static_cast<Step*>(step)->first(); }
                                          : [](void* step) { return static_cast<Step*>(step)->all(); };
    if (const int error = step_kernels::capture(stream_, run, this, &graph_)) return error;
    *graph = graph_;
#endif
    return 0;
  }

  int fill(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(count_);
    for (float& value : values) value = uniform(random);
    const float none = 0;
    return put(x_, values.data(), count_) + put(steps_, &none, 1) + put(no_steps_, &none, 1);
  }

  std::int32_t outputs(const gb_step_output** list) {
    output_ = {"y", y_, static_cast<std::int64_t>(count_ * sizeof(float)), GB_FP32, 0};
    *list = &output_;
    return 1;
  }

  std::int32_t state(const gb_step_copy** copies) {
    copy_ = {steps_, no_steps_, sizeof(float), on_cuda_ ? GB_ON_CUDA : GB_ON_HOST, 0};
    *copies = &copy_;
    return serves_ ? 1 : 0;
  }

  std::int32_t rows(const gb_step_rows** list) {
    constexpr std::int64_t bytes = row * sizeof(float);
    rows_ = {gb_step_rows{"x", x_, bytes, bytes, 1, 0, GB_INPUT, GB_FP32},
             gb_step_rows{"y", y_, bytes, bytes, 1, 0, GB_OUTPUT, GB_FP32},
             gb_step_rows{"steps", nullptr, 0, 0, 0, 0, GB_STATE, GB_OTHER}};
    *list = rows_.data();
    return static_cast<std::int32_t>(rows_.size());
  }

  void narrow(std::int64_t rows) {
    now_ = static_cast<std::size_t>(rows) * row;
  }

  const char* report() {
    if (batch_ == batch_that_tells_stages)
      return R"json(
                {"stages": {"build": 0.125, "compile": 0.0625, "record": 0.03125, "compiled_from": "cold",
                            "pieces": [{"part": 0, "seconds": 0.0625, "from": "cold"},
                                       {"part": 2, "seconds": 0.5}]},
                 "capture_skips": [{"reason": "cpu_device", "words": "cpu device (x)", "line": "step.py:8"},
                                   {"reason": "cpu_device", "words": "cpu device (x)", "line": "step.py:8"},
                                   {"reason": "moonlight", "words": "too bright"}]})json";
    std::snprintf(report_.data(), report_.size(),
                  R"({"replays": "own", %s "memory_reserved": %zu, "max_memory_reserved": %zu,
                      "memory_allocated": %zu, "memory_free_in_graph_pools": %zu})",
                  mode_ == "piecewise" ? R"("stages": {"between_captures": 1e-9},)" : "",
                  reserved_ + 20'000 + pool_,
                  reserved_ + 20'000 + pool_ + static_cast<std::size_t>(batch_) * 100'000, reserved_, pool_);
    return report_.data();
  }

 private:
  static constexpr std::size_t row = 64;

  float* memory(std::size_t count) {
    reserved_ += count * sizeof(float);
#ifdef GRAPHBENCH_TEST_CUDA
    if (on_cuda_) {
      float* data = nullptr;
      return step_kernels::allocate(&data, count) == 0 ? data : nullptr;
    }
#endif
    return host_.emplace_back(std::make_unique<std::vector<float>>(count))->data();
  }

  int put(float* data, const float* values, std::size_t count) {
#ifdef GRAPHBENCH_TEST_CUDA
    if (on_cuda_) return step_kernels::copy_in(data, values, count, stream_);
#endif
    for (std::size_t i = 0; i < count; ++i) data[i] = values[i];
    return 0;
  }

  int first() {
#ifdef GRAPHBENCH_TEST_CUDA
    if (on_cuda_) return step_kernels::double_and_add(x_, h_, now_, stream_);
#endif
    for (std::size_t i = 0; i < now_; ++i) h_[i] = 2 * x_[i] + 1;
    return 0;
  }

  int second() {
#ifdef GRAPHBENCH_TEST_CUDA
    if (on_cuda_) return step_kernels::square(h_, k_, now_, stream_);
#endif
    for (std::size_t i = 0; i < now_; ++i) k_[i] = h_[i] * h_[i];
    return 0;
  }

  int third() {
#ifdef GRAPHBENCH_TEST_CUDA
    if (on_cuda_) return step_kernels::subtract(k_, x_, steps_, y_, now_, stream_);
#endif
    for (std::size_t i = 0; i < now_; ++i) y_[i] = k_[i] - x_[i] + *steps_ + odd_;
    if (serves_ && batch_ == batch_that_leaks) y_[0] += 1e-3f * x_[now_ - 1];
    if (serves_ && batch_ == batch_that_varies) y_[0] += 1e-6f * static_cast<float>(++served_ % 3);
    if (serves_ && batch_ >= batches_that_vary_at_times)
      y_[0] += 1e-6f * static_cast<float>(++served_ / 2 % 2);
    *steps_ += 1;
    return 0;
  }

  int all() {
    const int failed = first() + second();
    return failed != 0 ? failed : third();
  }

  int replay() {
#ifdef GRAPHBENCH_TEST_CUDA
    if (on_cuda_ && exec_ == nullptr) {
      const auto run = [](void* step) { return static_cast<Step*>(step)->all(); };
      if (const int error = step_kernels::capture(stream_, run, this, &graph_)) return error;
      if (const int error = step_kernels::instantiate(graph_, &exec_)) return error;
    }
    if (on_cuda_) return step_kernels::launch(exec_, stream_);
#endif
    return all();
  }

  static inline std::size_t reserved_ = 0;  // bytes of all steps of the process
  static inline std::size_t pool_ = 0;      // bytes that their graphs share
  const std::int64_t batch_;
  const std::string mode_;
  const bool on_cuda_;
  void* const stream_;
  const bool serves_;
  const std::size_t count_;
  std::size_t now_;  // elements that a step computes
  std::vector<std::unique_ptr<std::vector<float>>> host_;
  float* x_ = nullptr;
  float* h_ = nullptr;
  float* k_ = nullptr;
  float* y_ = nullptr;
  float* steps_ = nullptr;
  float* no_steps_ = nullptr;
  void* graph_ = nullptr;
  void* exec_ = nullptr;
  int served_ = 0;
  float odd_ = 0;  // by which captured steps differ from eager ones, on the host device
  gb_step_output output_{};
  gb_step_copy copy_{};
  std::array<gb_step_rows, 3> rows_{};
  std::array<char, 320> report_{};
};

int call(int error, char* reason, std::size_t reason_size) {
  if (error != 0) std::snprintf(reason, reason_size, "error %d of the example", error);
  return error;
}

int open(const gb_step_request* request, void** step, char* error, std::size_t error_size, void*) {
  if (request->batch == batch_that_does_not_open) {
    say(error, error_size, "thirteen is too many");
    return 1;
  }
  if (request->batch == batch_that_is_skipped && request->mode != std::string_view("eager")) {
    say(error, error_size, "graphs cannot hold this");
    return GB_STEP_SKIP;
  }
  if (request->batch == batch_that_opens_slowly || request->batch == batch_that_tells_stages)
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  *step = std::make_unique<Step>(*request).release();
  return 0;
}

std::int32_t parts(void* step, std::uint8_t* captured, std::int32_t, char*, std::size_t) {
  return static_cast<Step*>(step)->parts(captured);
}

int run_part(void* step, std::int32_t part, char* error, std::size_t error_size) {
  return call(static_cast<Step*>(step)->run(part), error, error_size);
}

int capture(void* step, std::int32_t part, void** graph, char* error, std::size_t error_size) {
  return call(static_cast<Step*>(step)->capture(part, graph), error, error_size);
}

int fill(void* step, std::uint64_t seed, char* error, std::size_t error_size) {
  return call(static_cast<Step*>(step)->fill(seed), error, error_size);
}

std::int32_t outputs(void* step, const gb_step_output** list, char*, std::size_t) {
  return static_cast<Step*>(step)->outputs(list);
}

std::int32_t state(void* step, const gb_step_copy** copies, char*, std::size_t) {
  return static_cast<Step*>(step)->state(copies);
}

std::int32_t rows(void* step, const gb_step_rows** list, char*, std::size_t) {
  return static_cast<Step*>(step)->rows(list);
}

int narrow(void* step, std::int64_t rows, char*, std::size_t) {
  static_cast<Step*>(step)->narrow(rows);
  return 0;
}

int drop(void* step, std::int32_t what, char*, std::size_t) {
  static_cast<Step*>(step)->drop(what);
  return 0;
}

const char* report(void* step) {
  return static_cast<Step*>(step)->report();
}

void close(void* step) {
  const std::unique_ptr<Step> owned(static_cast<Step*>(step));
}

constexpr const char* modes[] = {"whole", "piecewise", "example.replay"};
constexpr gb_step step = {.struct_size = sizeof(gb_step),
                          .mode_count = 3,
                          .name = "foreign_step",
                          .help = "the example of a foreign step",
                          .modes = modes,
                          .open = open,
                          .parts = parts,
                          .run = run_part,
                          .capture = capture,
                          .fill = fill,
                          .outputs = outputs,
                          .report = report,
                          .close = close,
                          .user = nullptr,
                          .state = state,
                          .check = nullptr,
                          .rows = rows,
                          .narrow = narrow,
                          .drop = drop,
                          .run_by_modules = nullptr};
constexpr gb_plugin kPlugin = test_plugin::plugin_of_step<step>();

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
