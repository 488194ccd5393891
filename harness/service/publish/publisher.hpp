// Publishes a running sweep to Prometheus through a server, a file or a Pushgateway.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/machine/housekeeping_threads.hpp"
#include "harness/model/comparison.hpp"
#include "harness/service/net/addresses.hpp"
#include "harness/service/net/http_server.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"
#include "harness/sweep/run_sweep.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::publish {

// Puts metrics to a Pushgateway, one group per host of a sweep, and deletes them. prometheus-cpp's Gateway is
// not used, because it has no deadline, reports no cause and encodes no values. Both functions throw
// Error(io) unless the gateway accepts.
class PushGateway {
 public:
  // `grouping` may replace job ("graphbench") and instance. GRAPHBENCH_PUSH_AUTHORIZATION becomes its header.
  PushGateway(net::Url url, const std::string& instance, const std::map<std::string, std::string>& grouping);

  // Replaces the whole group, so that series which this push lacks are gone.
  void replace(const std::string& text) const { send("PUT", text); }
  void remove() const { send("DELETE", ""); }

  // "/metrics/job/graphbench/instance/bench"
  const std::string& path() const noexcept { return path_; }

 private:
  void send(const std::string& method, const std::string& body) const;

  net::Url url_;
  std::string path_;
};

// The failures, and the option of each ("prometheus-push").
struct PublishFailure {
  std::string option;
  std::string message;
};

// Nothing here runs in a process that measures; the server's thread keeps off the CPU that a worker's
// submitting thread will take, and files are written between workers. Used from one thread.
class Publisher final : public sweep::SweepListener {
 public:
  // Listens from here on, where asked for. Throws Error(io) if it cannot.
  Publisher(PublishSettings settings, const std::string& tool_version);

  // Where /metrics is: "http://127.0.0.1:9464/metrics"; empty if nothing listens.
  std::string url() const;

  // `submitter`: the CPUs that the submitting thread may be on.
  void begin(const std::string& device, const model::DeviceFacts& facts,
             const std::vector<std::int64_t>& submitter);
  void update(const model::Progress& progress) override { metrics_.set_progress(device_, progress); }
  void cells_done(const std::vector<model::CellResult>& cells) override;

  // Is called when the sweep has ended: compares, writes the last state of the file, and pushes. An
  // interrupted sweep pushes nothing, because it would replace a whole one, and is not compared, because
  // cells that were not measured would count as lost. Returns what failed.
  std::vector<PublishFailure> finish(const sweep::SweepOutcome& outcome);

  // The comparison with the baseline, and a line about it, after finish(); none without a baseline.
  const std::optional<model::Comparison>& comparison() const noexcept { return comparison_; }
  std::string said() const { return comparison_ ? settings_.baseline->said_of(*comparison_) : ""; }

  // Is called after the lingering: deletes what was pushed, where the settings say so. Returns what failed.
  std::vector<PublishFailure> leave();

 private:
  void compare(const model::Result& result);
  std::string write_textfile();  // returns what failed; empty: nothing

  PublishSettings settings_;
  reporters::SweepMetrics metrics_;
  // threads of the server; both absent if nothing listens
  std::optional<machine::HousekeepingThreads> housekeeping_;
  std::unique_ptr<net::HttpServer> server_;
  std::string device_;
  std::string instance_;
  bool pushed_ = false;
  std::optional<model::Comparison> comparison_;
  std::shared_ptr<const std::string> written_;  // what the file holds
};

}  // namespace graphbench::publish
