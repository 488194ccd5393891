// A foreign step whose ranks add up their parts in shared memory: y = the sum over ranks of (rank + 1) * x.
// At some batch sizes the last rank does something that ends the group.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/plugins/test_plugin.hpp"

namespace {

using namespace test_plugin;

constexpr std::int64_t batch_that_hangs = 13;
constexpr std::int64_t batch_whose_graph_differs = 17;
constexpr std::int64_t batch_that_crashes = 19;
constexpr std::int64_t batch_that_fails_in_run = 23;
constexpr std::int64_t batch_that_is_skipped = 31;
constexpr std::int64_t batch_max = 64;

struct Shared {
  std::atomic<std::int64_t> arrived;
  std::atomic<std::int64_t> round;
  float parts[8][batch_max];
};

int number(const char* variable, int fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoi(text);
}

std::string shared_name() {
  return "/graphbench-test-" + std::to_string(number("MASTER_PORT", getpid()));
}

// Like NCCL's communicator: shared memory, opened once per process under a name that all ranks use.
Shared& communicator() {
  static Shared* const shared = [] {
    const int file = shm_open(shared_name().c_str(), O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, sizeof(Shared)) != 0) std::abort();
    return static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  }();
  return *shared;
}

class Step {
 public:
  explicit Step(const gb_step_request& request)
      : batch_(request.batch), mode_(request.mode), x_(batch_max), y_(batch_max) {}

  bool is_whole() const { return mode_ == "whole"; }

  int run(std::int32_t part) {
    ++steps_;
    const bool odd = rank_ == ranks_ - 1 && ranks_ > 1 && part >= 0 && is_whole();
    if (odd && batch_ == batch_that_crashes) crash();
    if (odd && batch_ == batch_that_fails_in_run && steps_ > 20) return 7;
    if (odd && batch_ == batch_that_hangs && steps_ > 20) return 0;
    for (std::int64_t i = 0; i < batch_; ++i)
      communicator().parts[rank_][i] = x_[static_cast<std::size_t>(i)] * static_cast<float>(rank_ + 1);
    meet();
    // All ranks have opened it. A later group may get the same name, and must not find these counts.
    if (rank_ == 0 && steps_ == 1) shm_unlink(shared_name().c_str());
    for (std::int64_t i = 0; i < batch_; ++i) {
      float& y = y_[static_cast<std::size_t>(i)] = odd && batch_ == batch_whose_graph_differs ? 1.0F : 0.0F;
      for (int rank = 0; rank < ranks_; ++rank) y += communicator().parts[rank][i];
    }
    meet();
    return 0;
  }

  int fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<float>((seed + i) % 7);
    return 0;
  }

  std::int32_t outputs(const gb_step_output** list) {
    output_ = {"y", y_.data(), static_cast<std::int64_t>(batch_ * sizeof(float)), GB_FP32, 0};
    *list = &output_;
    return 1;
  }

 private:
  void meet() const {
    Shared& shared = communicator();
    const std::int64_t round = shared.round.load();
    if (shared.arrived.fetch_add(1) + 1 == ranks_) {
      shared.arrived.store(0);
      shared.round.store(round + 1);
      return;
    }
    while (shared.round.load() == round) sched_yield();
  }

  const std::int64_t batch_;
  const std::string mode_;
  const int rank_ = number("RANK", 0);
  const int ranks_ = number("WORLD_SIZE", 1);
  int steps_ = 0;
  std::vector<float> x_;
  std::vector<float> y_;
  gb_step_output output_{};
};

Step& step_of(void* step) {
  return *static_cast<Step*>(step);
}

int open(const gb_step_request* request, void** step, char* error, std::size_t error_size, void*) {
  if (request->batch == batch_that_is_skipped && request->mode != std::string_view("eager")) {
    say(error, error_size, "graphs cannot hold this");
    return GB_STEP_SKIP;
  }
  *step = std::make_unique<Step>(*request).release();
  return 0;
}

std::int32_t parts(void* step, std::uint8_t* captured, std::int32_t, char*, std::size_t) {
  captured[0] = step_of(step).is_whole() ? GB_PART_CAPTURED : GB_PART_RUN;
  return 1;
}

int run_part(void* step, std::int32_t part, char* error, std::size_t error_size) {
  const int code = step_of(step).run(part);
  if (code != 0) say(error, error_size, "a rank fails alone");
  return code;
}

int fill(void* step, std::uint64_t seed, char*, std::size_t) {
  return step_of(step).fill(seed);
}

std::int32_t outputs(void* step, const gb_step_output** list, char*, std::size_t) {
  return step_of(step).outputs(list);
}

const char* report(void*) {
  return R"({"collectives": "shared memory 1", "links": "none"})";
}

void close(void* step) {
  const std::unique_ptr<Step> owned(static_cast<Step*>(step));
}

constexpr const char* modes[] = {"whole"};
constexpr gb_step step = {.struct_size = sizeof(gb_step),
                          .mode_count = 1,
                          .name = "rank_step",
                          .help = "a step of several ranks",
                          .modes = modes,
                          .open = open,
                          .parts = parts,
                          .run = run_part,
                          .capture = nullptr,
                          .fill = fill,
                          .outputs = outputs,
                          .report = report,
                          .close = close,
                          .user = nullptr,
                          .state = nullptr,
                          .check = nullptr,
                          .rows = nullptr,
                          .narrow = nullptr,
                          .drop = nullptr,
                          .run_by_modules = nullptr};
constexpr gb_plugin kPlugin = test_plugin::plugin_of_step<step>();

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
