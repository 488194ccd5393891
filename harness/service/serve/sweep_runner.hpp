// Runs queued sweeps one at a time, because two sweeps on one machine would disturb each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/measure/machine/housekeeping_threads.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/service/serve/catalog.hpp"
#include "harness/service/serve/machine_turn.hpp"
#include "harness/service/serve/service_metrics.hpp"
#include "harness/service/serve/sweep_feed.hpp"
#include "harness/service/serve/sweep_publisher.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::service {

class SweepProcess;
struct SweepExit;

struct RunnerSettings {
  std::vector<std::string> command;  // starts a sweep's process, which reads a ServedSweep
  std::string folder;                // for the running sweep's document
  std::chrono::milliseconds grace{10'000};
  std::chrono::milliseconds retry{3'000};  // the pause between attempts to store a sweep's end
  std::shared_ptr<const Baseline> baseline = nullptr;
  CodeFolder plugins = {};
  CodeFolder steps = {};
  std::string turn_folder = {};  // with the locks for turns; empty: no turns
};

// The objects that the runner uses. They must outlive the runner.
struct RunnerParts {
  SweepStore& store;
  sweep::SweepMetrics& metrics;
  ServiceMetrics& service_metrics;
  SweepFeed& feed;
  measure::HousekeepingThreads& housekeeping;
};

// Has its own thread. All members are thread-safe.
class SweepRunner {
 public:
  // Begins to run the queued sweeps.
  SweepRunner(RunnerSettings settings, RunnerParts parts);
  // Stops and waits. The running sweep becomes interrupted, and its measurements are kept. Tries to store
  // the sweep's end until the grace period is over.
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Begins to stop, without waiting.
  void stop();
  // Called after a sweep was queued.
  void wake();
  // Stops the running sweep, which becomes cancelled. Returns false if `id` is not running.
  bool cancel(const std::string& id);
  // The error that prevents sweeps from starting, such as a full disk; empty if there is none.
  std::string trouble() const;
  // Adds the message that only this process knows: why the sweep waits, or why its end is not stored yet.
  StoredSweep with_message(StoredSweep sweep) const;

 private:
  using Clock = std::chrono::steady_clock;

  void loop();
  std::optional<StoredSweep> next();
  std::optional<StoredSweep> take_if_our_turn();
  SweepEnd run(const StoredSweep& sweep, const std::string& document);
  SweepExit run_process(const StoredSweep& sweep, const std::string& document);
  void read_event(const std::string& id, std::string_view line);  // that the sweep's process wrote
  bool store_end(const std::string& id, const SweepEnd& end, const std::string& document);
  void warn_of_trouble(const std::string& why, const std::string& advice = "");

  const RunnerSettings settings_;
  const RunnerParts parts_;
  std::condition_variable work_;
  mutable std::mutex mutex_;  // of all members down to ended_message_
  bool stopping_ = false;
  Clock::time_point stop_by_;
  bool woken_ = false;
  bool cancelled_ = false;
  bool waits_for_turn_ = false;
  std::string trouble_;
  std::string running_;
  SweepProcess* process_ = nullptr;
  std::string ended_;  // the id of a sweep that has ended, but whose end is not stored yet
  std::string ended_message_;

  MachineTurn turn_;          // used only by the thread
  SweepPublisher publisher_;  // used only by the thread
  std::thread thread_;
};

}  // namespace graphbench::service
