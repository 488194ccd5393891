// Keeps programs by shape, as a tracing framework does. A program is traced per sequence length; a path,
// which is kernels and a recording, is made per batch size. All recordings share one pool; all programs share
// the rig's weights and state. If a path needs more memory than the pool has, the pool is emptied and a new
// generation begins. Paths of earlier generations have lost their memory and are recorded again. A walk runs
// the steps of --shape-trace over such a cache.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graphs/ir/random_fill.hpp"
#include "harness/measure/worker/task_rig.hpp"

namespace graphbench::measure {

// `sequence` 0: the workload's own length.
using TraceProgram = std::function<ir::Program(std::int64_t sequence)>;

struct Shape {
  std::int64_t batch = 1;
  std::int64_t sequence = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct ShapeHash {
  using is_avalanching = void;  // mix64 mixes all bits, so that Boost need not
  std::size_t operator()(const Shape& shape) const noexcept {
    return ir::mix64(static_cast<std::uint64_t>(shape.batch) << 32 ^
                     static_cast<std::uint64_t>(shape.sequence));
  }
};

class TraceCache {
 public:
  // All arguments outlive the cache. It serves the steps of `trace`.
  TraceCache(const model::WorkerTask& task, TaskRig& rig, TraceProgram program,
             const model::ShapeTrace& trace);
  ~TraceCache();

  // Submits the step, or returns false if a part of it is missing. Does not allocate or lock.
  bool replay(const Shape& shape) {
    Path* const path = find(shape);
    if (path == nullptr || path->generation != generation_) return false;
    path->used = path->entry->used = ++clock_;
    path->executor->submit();
    return true;
  }
  // Submits the step like replay(), but first makes missing parts. Stores in `step` what was made, and how
  // long that took. Throws the exceptions of making the parts.
  void submit(const Shape& shape, model::TracedStep& step);
  // Compares the last submitted step with eager, once per recording. Throws Error(check_failed).
  void check(const Shape& shape);

  // The executor of a shape that can be replayed.
  execution::Executor& executor(const Shape& shape) { return *find(shape)->executor; }
  // Counts, caps and pool size.
  model::ShapeWalk facts() const;

 private:
  struct Entry {
    Entry(std::int64_t length, ir::Program built, std::int64_t largest_batch, TaskRig& rig)
        : sequence(length),
          program(std::move(built)),
          buffers(rig.device(), program, largest_batch, rig.program(), rig.buffers()) {}
    std::int64_t sequence;
    ir::Program program;
    execution::ProgramBuffers buffers;
    std::uint64_t used = 0;
  };
  struct Path {
    Entry* entry = nullptr;
    std::unique_ptr<execution::Executor> executor;
    std::int64_t generation = 0;
    std::uint64_t used = 0;
    std::int64_t checked = -1;  // the number of recordings (recordings_) at the last check; -1: never checked
  };

  Path* find(const Shape& shape) noexcept {
    const auto found = paths_.find(shape);
    return found == paths_.end() ? nullptr : &found->second;
  }
  execution::ExecutionContext context(Entry& entry) {
    return rig_.context(entry.program, entry.buffers, eager_pool_, &graph_pool_);
  }
  Entry* entry_of(std::int64_t sequence);
  Entry& trace(const Shape& shape, model::TracedStep& step);
  void make_room(model::TracedStep& step);
  void make_room_for_path(model::TracedStep& step);
  void prepare(const Shape& shape, model::TracedStep& step);
  void record(Path& path);
  static std::string signature_of(const Entry& entry);

  const model::WorkerTask& task_;
  TaskRig& rig_;
  const TraceProgram program_;
  const model::ShapeTrace& trace_;
  execution::MemoryPool eager_pool_;
  execution::MemoryPool graph_pool_;
  std::vector<std::unique_ptr<Entry>> entries_;
  boost::unordered_flat_map<Shape, Path, ShapeHash> paths_;  // destroyed before entries and pools
  std::uint64_t clock_ = 0;
  std::int64_t generation_ = 1;
  std::int64_t recordings_ = 0;
  std::int64_t last_sequence_ = 0;
  CheckMemory check_memory_;
};

// Runs the task's trace in order, checks steps against eager, and compares the cost of a hit with that of a
// plain replay. Calls `begin_step` before each step and adds one span per step. The rig's weights and state
// must have their initial values. Throws a step's exception with the line of the trace file.
model::ShapeWalk walk_shapes(const model::WorkerTask& task, TaskRig& rig, const TraceProgram& program,
                             const std::function<void()>& begin_step, std::vector<model::TraceSpan>& spans);

}  // namespace graphbench::measure
