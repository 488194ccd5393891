// A Rig has the objects that run one task on a device: TaskRig for a program, ForeignRig for a foreign step.
// A rig makes executors and sets them up. A worker's stages call it, and time the steps.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "graphs/execution/executor.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

class ForeignRig;
class TaskRig;

// What the library of a foreign step says of it.
struct StepReport {
  std::map<std::string, model::LibraryFact> library;  // by the library's names
  model::Opening opening = {};
  std::string compiled_from;
  std::vector<model::CompiledPiece> compiled_pieces = {};
  std::optional<double> between_captures_seconds;
  std::vector<model::CaptureSkip> skips;  // each as often as it happened
};

class Rig {
 public:
  // Makes the rig's stream, whose threads inherit the CPUs of the calling thread. A rig has only one stream:
  // on an H200 graphs were slower in a later stream of the same context. Both arguments outlive the rig.
  Rig(const model::WorkerTask& task, Device& device);
  virtual ~Rig() = default;
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // Allocates for batches up to `largest`. After Error(out_of_memory) the caller may try a smaller `largest`.
  virtual void allocate(std::int64_t largest) = 0;
  virtual bool allocated() const noexcept = 0;
  // Releases the memory of allocate() and captures, for another allocate(). No executor may exist.
  virtual void release() = 0;
  // Gives up what executors that exist no more left behind, but for the memory of their pool: graphs that a
  // library owns. New executors may then be made.
  virtual void drop_graphs() = 0;
  // After drop_graphs(): gives the memory of the graphs' pool back to the device.
  virtual void empty_pool() = 0;

  // Makes an executor and runs the task's warmups, capture, instantiation and upload. Calls `phase` before
  // each stage. Throws the exceptions of the stages. `eagerly`: in mode eager, instead of the task's mode.
  std::unique_ptr<execution::Executor> prepare(std::int64_t batch, model::Setup& setup,
                                               const std::function<void(std::string_view)>& phase,
                                               bool eagerly = false);
  std::unique_ptr<execution::Executor> make_eager(std::int64_t batch) { return make_executor(batch, true); }
  // The part of prepare() after the choice of kernels: warmups, capture, instantiation, upload.
  void set_up(execution::Executor& executor, model::Setup& setup,
              const std::function<void(std::string_view)>& phase, std::int64_t warmups);
  // Throws Error(check_failed) if outputs differ from eager's. Fills in `check` in both cases. `records`: the
  // kernels that the step and its eager step ran; null if they are not known.
  virtual void check(execution::Executor& executor, std::int64_t batch, const model::StepRecords* records,
                     std::optional<model::Check>& check) = 0;
  // Throws if the report cannot be read.
  virtual StepReport step_report(std::int64_t) { return {}; }
  // True if the process can run other batches after a failure with this code.
  virtual bool survives(ErrorCode code) const noexcept = 0;
  // True if the device is not shared, so that it can be reset and opened again between placements.
  virtual bool owns_device() const noexcept { return true; }
  // This rig as a TaskRig; null if the rig is of a foreign step.
  virtual TaskRig* of_program() noexcept { return nullptr; }
  virtual ForeignRig* of_step() noexcept { return nullptr; }

  Device& device() noexcept { return device_; }
  Stream& stream() noexcept { return *stream_; }

 protected:
  // Makes an executor and chooses its kernels, without running a step. Its time is prepare_seconds.
  virtual std::unique_ptr<execution::Executor> make_executor(std::int64_t batch, bool eagerly) = 0;
  // Returns the part of the batch's capture in which no capture was open. Absent: there was none.
  virtual std::optional<double> between_captures(std::int64_t) { return {}; }
  // Frees cached memory before a capture, as serving engines do.
  virtual void before_capture() {}

  const model::WorkerTask& task_;

 private:
  Device& device_;
  std::unique_ptr<Stream> stream_;
};

using MakeRig = std::function<std::unique_ptr<Rig>(Device& device)>;

}  // namespace graphbench::measure
