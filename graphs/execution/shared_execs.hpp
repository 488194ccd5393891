// Execs that several executors launch in turn. Before its step an executor updates them to its own graphs, or
// tells a SWITCH node which arm to run.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "graphs/device/execution.hpp"

namespace graphbench::execution {

// An executor's side. Owns no graph; the exec of a SWITCH node belongs to all sides.
class SharedExecs {
 public:
  struct Piece {
    Graph* graph;
    GraphExec* exec;
  };

  // Shares the leader's execs, from where `own` are updated for each step. Returns false, and nothing is
  // shared, if the graphs differ in more than parameters or the device refuses an update. It is tried on
  // `own`'s execs, which `renew` then makes again, because an exec that refused one cannot be launched.
  bool join(SharedExecs& leader, const std::vector<Piece>& own, const std::vector<Piece>& leaders,
            const std::function<void()>& renew);
  // All sides launch `exec`, which runs the arm whose number is at `selector`.
  static void join_switch(const std::vector<SharedExecs*>& all, std::unique_ptr<GraphExec> exec,
                          void* selector);
  // True if the execs are shared and run another side's step.
  bool lacks_execs() const noexcept { return group_ != nullptr && group_->holder != this; }
  // Makes the execs those of `own`'s graphs.
  void take(Stream& stream, const std::vector<Piece>& own);
  // Returns what to launch, one per piece; empty: nothing is shared.
  std::vector<GraphExec*> execs() const { return group_ ? group_->execs : std::vector<GraphExec*>(); }

 private:
  struct Group {
    std::vector<GraphExec*> execs;
    const SharedExecs* holder = nullptr;             // the side whose step they run now; null: unknown
    std::unique_ptr<GraphExec> of_switch = nullptr;  // if set, `execs` is only this exec
    void* selector = nullptr;                        // device address that the SWITCH node reads
  };

  int arm_ = 0;
  std::shared_ptr<Group> group_;  // null: the execs belong to the executor alone
};

}  // namespace graphbench::execution
