// The one server that takes steps in the order of their arrival, by a clock of its own: it runs while a step
// is served and while none is there. What the harness does between steps, such as to put the inputs of a step
// that takes pointers into place, delays no step. Pure; times in seconds.
#pragma once

#include <algorithm>

namespace graphbench::ladder {

class Queue {
 public:
  struct Turn {
    double wait = 0;      // from the arrival to the start
    double response = 0;  // from the arrival to the end
  };
  // How long the server is idle until the next step arrives; 0 where that one has been waiting.
  double idle_before(double arrival) const { return std::max(0.0, arrival - free_); }
  // The next step, and how long it takes.
  Turn serve(double arrival, double seconds) {
    const double start = std::max(free_, arrival);
    free_ = start + seconds;
    return {start - arrival, free_ - arrival};
  }

 private:
  double free_ = 0;  // when the last step ended
};

}  // namespace graphbench::ladder
