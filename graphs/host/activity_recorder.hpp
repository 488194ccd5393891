// Records start and end of every op that the host device runs while a profiler is attached. Stream threads
// add records and the profiler reads them; the device's execution mutex protects them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graphs/base/clock.hpp"
#include "graphs/device/profiler.hpp"

namespace graphbench::host {

class ActivityRecorder {
 public:
  void add(Activity activity) { activities_.push_back(std::move(activity)); }
  std::vector<Activity> take() { return std::exchange(activities_, {}); }

 private:
  std::vector<Activity> activities_;
};

// Records one op, from construction to destruction. Does nothing if there is no recorder.
class RecordedOp {
 public:
  RecordedOp(ActivityRecorder* recorder, const std::string& name) : recorder_(recorder), name_(name) {
    if (recorder_ != nullptr) [[unlikely]]
      start_ = steady_seconds();
  }
  RecordedOp(const RecordedOp&) = delete;
  RecordedOp& operator=(const RecordedOp&) = delete;
  ~RecordedOp() {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->add({Activity::Kind::kernel, name_, start_, steady_seconds()});
  }

 private:
  ActivityRecorder* recorder_;
  const std::string& name_;
  double start_ = 0;
};

}  // namespace graphbench::host
