// Publishes a running sweep to Prometheus: with a server, a file, a push.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/machine/housekeeping_threads.hpp"
#include "harness/model/comparison.hpp"
#include "harness/service/net/http_server.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"
#include "harness/sweep/run_sweep.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::publish {

// What could not be done, and for which option ("prometheus-push").
struct PublishFailure {
  std::string option;
  std::string message;
};

// Nothing here runs in a process that measures; the server's thread keeps off the CPU that a worker's
// submitting thread will take, and files are written between workers. Used from one thread.
class Publisher final : public sweep::SweepListener {
 public:
  // Listens from here on, where asked for. Throws Error(io) where it cannot.
  Publisher(PublishSettings settings, const model::InstrumentOptions& instruments,
            const std::string& tool_version);

  // Where /metrics is: "http://127.0.0.1:9464/metrics"; empty where nothing listens.
  std::string url() const;

  void begin(const std::string& device, const model::DeviceFacts& facts);
  void update(const model::Progress& progress) override;
  void cells_done(const std::vector<model::CellResult>& cells) override;

  // The sweep has ended: the comparison, the last state of the file, and the push. An interrupted sweep
  // pushes nothing, because it would replace a whole one, and is not compared, because its cells that were
  // not measured would count as lost. Returns what could not be done.
  std::vector<PublishFailure> finish(const sweep::SweepOutcome& outcome);

  // How the sweep compares with the baseline, and a line on it, after finish(); absent and empty where there
  // is no baseline.
  const std::optional<model::Comparison>& comparison() const noexcept { return comparison_; }
  std::string said() const { return comparison_ ? settings_.baseline->said_of(*comparison_) : ""; }

  // After the lingering: deletes what was pushed, where asked for. Returns as `finish`.
  std::vector<PublishFailure> leave();

 private:
  void compare(const model::Result& result);
  std::string write_textfile();  // what went wrong; empty: nothing

  PublishSettings settings_;
  reporters::SweepMetrics metrics_;
  std::optional<machine::HousekeepingThreads>
      housekeeping_;  // the server's; both absent where nothing listens
  std::unique_ptr<net::HttpServer> server_;
  std::string device_;
  std::string instance_;
  bool pushed_ = false;
  std::optional<model::Comparison> comparison_;
  std::shared_ptr<const std::string> written_;  // what the file holds
};

}  // namespace graphbench::publish
