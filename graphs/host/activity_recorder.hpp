// Records start and end of every op that the host device runs while a profiler is attached. Streams' threads
// write, the profiler reads; the device's execution mutex orders both.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "graphs/device/profiler.hpp"

namespace graphbench::host {

class ActivityRecorder {
 public:
  void add(Activity activity) { activities_.push_back(std::move(activity)); }
  std::vector<Activity> take() { return std::exchange(activities_, {}); }

 private:
  std::vector<Activity> activities_;
};

// Records the time of one op, from construction to destruction; does nothing without a recorder.
class RecordedOp {
 public:
  RecordedOp(ActivityRecorder* recorder, const std::string& name) : recorder_(recorder), name_(name) {
    if (recorder_ != nullptr) [[unlikely]]
      start_ = Clock::now();
  }
  RecordedOp(const RecordedOp&) = delete;
  RecordedOp& operator=(const RecordedOp&) = delete;
  ~RecordedOp() {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->add({Activity::Kind::kernel, name_, seconds(start_), seconds(Clock::now())});
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::time_point time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  }

  ActivityRecorder* recorder_;
  const std::string& name_;
  Clock::time_point start_;
};

}  // namespace graphbench::host
