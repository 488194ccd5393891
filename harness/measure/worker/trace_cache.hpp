// Keeps programs by shape, as a tracing framework does. A program is traced per sequence length; a path,
// which is kernels and a recording, is made per batch size. All recordings share one pool; all programs share
// the rig's weights and state. If a path needs more memory than the pool has, the pool is emptied and a new
// generation begins. Paths of earlier generations have lost their memory and are recorded again. A walk runs
// the steps of --shape-trace over such a cache.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure/worker/task_rig.hpp"

namespace graphbench::worker {

// `sequence` 0: the workload's own length.
using TraceProgram = std::function<ir::Program(std::int64_t sequence)>;

struct Shape {
  std::int64_t batch = 1;
  std::int64_t sequence = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
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
    Shape shape;
    Entry* entry = nullptr;
    std::unique_ptr<execution::Executor> executor;
    std::int64_t generation = 0;
    std::uint64_t used = 0;
    std::int64_t checked = -1;  // the number of recordings (recordings_) at the last check; -1: never checked
  };

  std::size_t slot_of(const Shape& shape) const noexcept;
  Path* find(const Shape& shape) const noexcept {
    for (std::size_t i = slot_of(shape);; i = (i + 1) & (table_.size() - 1)) {
      if (table_[i] == nullptr || table_[i]->shape == shape) return table_[i];
    }
  }
  void index();
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
  pool::MemoryPool eager_pool_;
  pool::MemoryPool graph_pool_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Path>> paths_;  // destroyed before entries and pools
  // A hash table with open addressing. Its size is a power of two, and at least half of it is empty.
  std::vector<Path*> table_;
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

}  // namespace graphbench::worker
