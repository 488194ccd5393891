// The class that serve() runs. Start-up and steps are in serve.cpp, reports in server_report.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "graphs/base/clock.hpp"
#include "graphs/execution/executor.hpp"
#include "harness/ladder/route.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/ladder/steps.hpp"
#include "harness/measure/worker/startup_clock.hpp"

namespace graphbench::ladder {

// Samples of one kind of time. `now` has those of the current placement. close() appends their median to
// `medians`, and their 90th percentile minus the median to `spreads`.
struct Samples {
  std::vector<double> now;
  std::vector<double> medians;
  std::vector<double> spreads;
  void close();
};

// A size that is captured at start-up or later. The object lives for all placements, its executor for one
// placement.
struct Rung {
  LadderSize result;
  std::optional<model::Setup> later = {};  // the last setup; absent: there was one
  // Made with its kernels at start-up, even if the size is captured later.
  std::unique_ptr<execution::Executor> executor;
  bool captured = false;
  std::int64_t warmed = 0;      // requests of this placement that were warmups of the size
  bool requested = false;       // true if a step of any placement used the size
  std::int64_t pool_bytes = 0;  // bytes of the shared pool after this capture
  bool set_up = false;          // true if `result` has its setup
  double prepared_again = 0;
  Samples step;
  Samples eager;
  std::vector<double> served = {};  // latencies of steps that one replay of this size served
};
struct EagerRows {
  std::unique_ptr<execution::Executor> executor;
  Samples step;
  std::vector<double> served = {};
};

struct Served {
  std::vector<double> latency, submit, wait, response, stalls;
};

// The prepared work for steps with a certain number of rows.
struct Prepared {
  Route route;
  Rung* full = nullptr;  // runs the full parts of a split step
  Rung* last = nullptr;
  execution::Executor* eager = nullptr;
  std::vector<double>* served = nullptr;  // null for a split step, whose time belongs to several sizes
};

// The work of a calibration step, and the list that its time is appended to.
struct Turn {
  std::vector<double>* samples = nullptr;
  execution::Executor* executor = nullptr;  // its state is put back before the step
  std::function<void()> enqueue;
};

class Server {
 public:
  Server(const ServeTask& task, Steps& steps, measure::StartupClock& clock, const ServeHooks& hooks,
         ServeAnswer& answer)
      : task_(task), of_(steps), rig_(steps.rig()), clock_(clock), hooks_(hooks), answer_(answer) {}

  void run() {
    of_.check_ladder(task_);
    for (std::int64_t i = 0; i < task_.placements; ++i) {
      if (i > 0) move();
      start_up();
      serve_steps();
      calibrate();
    }
    report();
    check();
  }

 private:
  void move();
  bool by_requests() const { return task_.policy.warmup_by == WarmupBy::requests; }
  Tally fresh_tally() const {
    Tally tally{};
    if (by_requests()) tally.warmups = task_.task.warmup;
    return tally;
  }
  bool is_first() const { return placements_.empty(); }  // true until the first placement's steps are served
  void start_up();
  std::int64_t allocate();
  execution::ExecutionMode mode_of(std::int64_t size) const;
  std::optional<Route> route_of(std::int64_t rows) const;
  double prepare(std::int64_t size);  // returns the seconds
  void capture(Rung& rung);
  void release(Rung& rung);
  void evict();
  void with_graph(Rung& rung, const std::function<void()>& work);
  void drop(std::int64_t size, const Error& error);
  void look_up();
  void serve_steps();
  void serve_one(const Prepared& step);
  void replay(Rung& rung, Rows rows);
  void make_ready(const Prepared& step);
  bool warm_up_by(Rung& rung);
  void join_group(Rung& rung);
  void join_switch();
  void time_updates();
  void report_execs(LadderLaunch& launch);
  void wait(double wanted, SteadyClock::time_point& said) const;
  void time_turns(std::vector<Turn> turns, std::mt19937_64& random);
  void calibrate();
  void report();
  void report_tuning(LadderLaunch& launch) const;
  void report_times(LadderLaunch& launch) const;
  void report_memory(LadderLaunch& launch);
  void check();

  const ServeTask& task_;
  Steps& of_;
  measure::Rig& rig_;
  measure::StartupClock& clock_;
  const ServeHooks& hooks_;
  ServeAnswer& answer_;

  std::vector<std::int64_t> sizes_;  // ascending, without dropped sizes
  std::map<std::int64_t, Rung> rungs_;
  std::vector<LadderSize> dropped_;
  std::map<std::int64_t, EagerRows> eager_;
  std::map<std::int64_t, Prepared> prepared_;
  std::vector<Rung*> capture_order_;
  std::optional<Buffer> selector_;  // with --exec switch: the number of the arm that replays run
  // With --exec shared or switch: groups of sizes. All sizes of a group launch the execs of its first size.
  std::vector<std::vector<Rung*>> groups_;
  LadderEvictions evictions_;
  std::int64_t updates_ = 0;  // updates during this placement's steps
  std::vector<double> update_seconds_;
  bool warming_ = false;  // a part of the current step was a warmup
  Tally tally_ = fresh_tally();
  double stall_ = 0;  // time for which the current step waited for captures
  double ahead_ = 0;  // the part of it that was spent before the step's clock started
  std::vector<Served> placements_;
};

}  // namespace graphbench::ladder
