// Runs queued sweeps, one at a time: two that measure on one machine would measure each other.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "harness/machine/housekeeping_threads.hpp"
#include "harness/service/publish/baseline.hpp"
#include "harness/service/serve/plugin_folder.hpp"
#include "harness/service/serve/sweep_feed.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "reporters/prometheus/service_metrics.hpp"
#include "reporters/prometheus/sweep_metrics.hpp"

namespace graphbench::serve {

struct RunnerSettings {
  std::vector<std::string> command;  // how to start a sweep; its arguments follow
  std::string folder;                // where a running sweep writes its document
  std::chrono::milliseconds grace{10'000};
  std::chrono::milliseconds retry{3'000};  // between attempts to store what could not be stored
  std::shared_ptr<const publish::Baseline> baseline = nullptr;  // none
  PluginFolder plugins = {};     // where an argument --plugin=NAME finds its file
  std::string turn_folder = {};  // where services take turns; empty: this one takes none
};

// What the runner works on; all outlive it.
struct RunnerParts {
  SweepStore& store;
  reporters::SweepMetrics& metrics;
  reporters::ServiceMetrics& service_metrics;
  SweepFeed& feed;
  machine::HousekeepingThreads& housekeeping;
};

class SweepRunner {
 public:
  // Begins with what is queued.
  SweepRunner(RunnerSettings settings, RunnerParts parts);
  // Stops, and waits: the running sweep is kept as interrupted, with what it measured. Where its end cannot
  // be stored it is tried until the grace is over.
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Begins to stop, and does not wait.
  void stop();
  // Something was queued.
  void wake();
  // Stops the sweep where it runs; it becomes cancelled. False where it does not run.
  bool cancel(const std::string& id);
  // Why no sweep is started until it is tried again: the store fails. Empty: nothing.
  std::string trouble() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::serve
