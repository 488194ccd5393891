// Runs an op on the host, and records the run for a profiler. Preparing an op makes all choices and
// allocations. Operand addresses are bound at each run (eager) or once (a node of a graph).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphs/base/clock.hpp"
#include "graphs/device/profiler.hpp"

struct dnnl_stream;

namespace graphbench::host {

// What the stream's thread gives to the tasks that it runs.
struct StreamContext {
  dnnl_stream* library_stream = nullptr;     // in-order, made on this thread
  std::vector<Activity>* records = nullptr;  // null while no profiler records
};

// Records one op, from construction to destruction. Does nothing if there are no records.
class RecordedOp {
 public:
  RecordedOp(std::vector<Activity>* records, const std::string& name) : records_(records), name_(name) {
    if (records_ != nullptr) [[unlikely]]
      start_ = steady_seconds();
  }
  RecordedOp(const RecordedOp&) = delete;
  RecordedOp& operator=(const RecordedOp&) = delete;
  ~RecordedOp() {
    if (records_ != nullptr) [[unlikely]]
      records_->push_back({Activity::Kind::kernel, name_, start_, steady_seconds()});
  }

 private:
  std::vector<Activity>* records_;
  const std::string& name_;
  double start_ = 0;
};

class BoundOp {
 public:
  virtual ~BoundOp() = default;
  virtual void run(StreamContext& context) = 0;
};

// An op at one batch size. The runs of one device never overlap in time (HostDevice::execution_mutex), so an
// implementation may keep its own scratch memory and bindings.
class OpImplementation {
 public:
  virtual ~OpImplementation() = default;
  virtual void run(void* const* operands, StreamContext& context) = 0;
  virtual std::optional<std::size_t> in_place_input() const { return std::nullopt; }
  // The result must not outlive the implementation.
  virtual std::unique_ptr<BoundOp> bind(void* const* operands) = 0;

  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // True if the op has more operands than a task has words. Its tasks then contain the address of the list.
  bool operands_listed() const noexcept { return operands_listed_; }
  void list_operands() noexcept { operands_listed_ = true; }

 private:
  std::string name_;
  bool operands_listed_ = false;
};

}  // namespace graphbench::host
