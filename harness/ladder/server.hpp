// The server behind serve(): start-up and steps are in serve.cpp, reports in server_report.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "graphs/base/clock.hpp"
#include "graphs/execution/executor.hpp"
#include "harness/ladder/caller.hpp"
#include "harness/ladder/route.hpp"
#include "harness/ladder/serve.hpp"

namespace graphbench::ladder {

// A time's samples in the placement under way, and each one's median and 90th percentile above it.
struct Samples {
  std::vector<double> now;
  std::vector<double> medians;
  std::vector<double> spreads;
  void close();
};

// A captured size. It stays over placements; its executor does not.
struct Rung {
  model::LadderSize result;
  std::optional<model::Setup> later = {};  // the setup of the last placement, where that is not the first
  // Its kernels are prepared at start-up, also where it is captured later.
  std::unique_ptr<execution::Executor> executor;
  bool captured = false;
  bool requested = false;       // by a step, in any placement
  std::int64_t pool_bytes = 0;  // of all captures up to this one
  Samples step;
  Samples eager;
  std::vector<double> served = {};  // latencies of the steps that ran in it alone, in all placements
};
struct EagerRows {
  std::unique_ptr<execution::Executor> executor;
  Samples step;
  std::vector<double> served = {};
};

// The times of the steps that one placement served.
struct Served {
  std::vector<double> latency, submit, wait, response, stalls;
};

// The prepared work of serving a number of rows.
struct Prepared {
  Route route;
  Rung* full = nullptr;  // of parts of the largest size
  Rung* last = nullptr;
  execution::Executor* eager = nullptr;
  std::vector<double>* served = nullptr;  // absent: a step in parts says nothing of one size
};

// The work that one step enqueues, and the list that receives its time.
struct Turn {
  std::vector<double>* samples = nullptr;
  std::function<void()> enqueue;
};

class Server {
 public:
  Server(const ServeTask& task, worker::TaskRig& rig, const ir::Program& program, worker::StartupClock& clock,
         const ServeHooks& hooks, ServeAnswer& answer)
      : task_(task), rig_(rig), program_(program), clock_(clock), hooks_(hooks), answer_(answer) {}

  void run() {
    check_program();
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
  void check_program() const;
  void move();
  bool is_first() const { return placements_.empty(); }  // until its steps are served
  void start_up();
  std::int64_t allocate();
  execution::ExecutionMode mode_of(std::int64_t size) const;
  std::optional<Route> route_of(std::int64_t rows) const;
  void prepare(std::int64_t size);
  void capture(Rung& rung);
  void drop(std::int64_t size, const Error& error);
  void look_up();
  void serve_steps();
  void serve_one(const Prepared& step);
  void replay(Rung& rung, Caller::Rows rows);
  void wait(double wanted, SteadyClock::time_point& said) const;
  void time_turns(std::vector<Turn> turns, std::mt19937_64& random);
  void calibrate();
  void report();
  void report_times(model::LadderLaunch& launch) const;
  std::optional<std::int64_t> own_pool_bytes(std::int64_t size);
  void report_memory(model::LadderLaunch& launch);
  void check();

  const ServeTask& task_;
  worker::TaskRig& rig_;
  const ir::Program& program_;
  worker::StartupClock& clock_;
  const ServeHooks& hooks_;
  ServeAnswer& answer_;

  std::vector<std::int64_t> sizes_;  // ascending; less those that were dropped
  std::map<std::int64_t, Rung> rungs_;
  std::vector<model::LadderSize> dropped_;
  std::map<std::int64_t, EagerRows> eager_;
  std::map<std::int64_t, Prepared> prepared_;
  std::optional<Caller> caller_;
  std::vector<Rung*> capture_order_;
  Tally tally_;
  double stall_ = 0;  // of the step under way
  std::vector<Served> placements_;
};

}  // namespace graphbench::ladder
