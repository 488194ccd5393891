// The objects with which one task runs on a device, whether its steps come from a program (TaskRig) or are
// foreign (ForeignRig). It makes executors, which a worker's stages set up and time.
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

namespace graphbench::worker {

class TaskRig;

class Rig {
 public:
  // Both outlive the rig. Makes the stream, whose threads inherit the caller's CPUs. It stays the rig's only
  // one: on an H200 graphs were slower in a later stream of the same context.
  Rig(const model::WorkerTask& task, Device& device);
  virtual ~Rig() = default;
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // Memory for batches up to `largest`. Throws Error(out_of_memory) if it does not fit; a smaller one may
  // be tried then.
  virtual void allocate(std::int64_t largest) = 0;
  virtual bool allocated() const noexcept = 0;
  // Gives up the memory of allocate() and captures, for another allocate(). No executor may be left.
  virtual void release() = 0;

  // An executor that has been through the task's warmups, capture, instantiation and upload. Their times go
  // to `setup`, and `phase` is called before each begins. Throws their exceptions. `eagerly`: in mode eager,
  // whatever the task's mode is.
  std::unique_ptr<execution::Executor> prepare(std::int64_t batch, model::Setup& setup,
                                               const std::function<void(std::string_view)>& phase,
                                               bool eagerly = false);
  // An eager executor that nothing has warmed up.
  std::unique_ptr<execution::Executor> make_eager(std::int64_t batch) { return make_executor(batch, true); }
  // The part of prepare() that follows the kernels: warmups, capture, instantiation, upload.
  void set_up(execution::Executor& executor, model::Setup& setup,
              const std::function<void(std::string_view)>& phase, std::int64_t warmups);
  // Throws Error(check_failed) where the outputs differ from eager's. `check` is filled in either way.
  virtual void check(execution::Executor& executor, std::int64_t batch,
                     std::optional<model::Check>& check) = 0;
  // The facts that the library that runs the step reports, by name. Throws if they cannot be read.
  virtual std::map<std::string, std::string> library(std::int64_t) { return {}; }
  // Whether a failure of this code leaves the process fit for other batches.
  virtual bool survives(ErrorCode code) const noexcept = 0;
  // Whether the device is the process's own, to be reset and opened again between placements.
  virtual bool owns_device() const noexcept { return true; }
  // This rig where it runs a program; null if it does not.
  virtual TaskRig* of_program() noexcept { return nullptr; }

  Device& device() noexcept { return device_; }
  Stream& stream() noexcept { return *stream_; }

 protected:
  // Makes an executor with the kernels that a step needs, without running a step. Its time is
  // prepare_seconds.
  virtual std::unique_ptr<execution::Executor> make_executor(std::int64_t batch, bool eagerly) = 0;
  // Leaves nothing pending and no cached memory when a capture begins, as serving engines do.
  virtual void before_capture() {}

  const model::WorkerTask& task_;

 private:
  Device& device_;
  std::unique_ptr<Stream> stream_;
};

// Makes a task's rig on its device.
using MakeRig = std::function<std::unique_ptr<Rig>(Device& device)>;

}  // namespace graphbench::worker
