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

namespace graphbench::service {

// Pushes a host's metrics as one group. Used instead of prometheus-cpp's Gateway, which has no deadline,
// reports no cause and does not encode grouping values for the URL. replace() and remove() throw Error(io)
// unless the gateway accepts the request.
class PushGateway {
 public:
  // `grouping` may replace job ("graphbench") and instance. The environment variable
  // GRAPHBENCH_PUSH_AUTHORIZATION has the value of the header Authorization.
  PushGateway(Url url, const std::string& instance, const std::map<std::string, std::string>& grouping);

  // Replaces the whole group, which removes series that are not in `text`.
  void replace(const std::string& text) const { send("PUT", text); }
  void remove() const { send("DELETE", ""); }

  const std::string& path() const noexcept { return path_; }

 private:
  void send(const std::string& method, const std::string& body) const;

  Url url_;
  std::string path_;
};

// A failure, and the option that it belongs to ("prometheus-push").
struct PublishFailure {
  std::string option;
  std::string message;
};

// Used in a process that does not measure. The server's thread avoids the CPUs of a worker's submitting
// thread, and files are written while no worker runs. Not thread-safe.
class Publisher final : public sweep::SweepListener {
 public:
  // Starts to listen, if the settings say so. Throws Error(io) if it cannot listen.
  Publisher(PublishSettings settings, const std::string& tool_version);

  // The URL of /metrics, "http://127.0.0.1:9464/metrics"; empty if nothing listens.
  std::string url() const;

  // `submitter`: the CPUs that the submitting thread may be on.
  void begin(const std::string& device, const model::DeviceFacts& facts,
             const std::vector<std::int64_t>& submitter);
  void update(const model::Progress& progress) override { metrics_.set_progress(device_, progress); }
  void cells_done(const std::vector<model::CellResult>& cells) override;

  // Publishes the ended sweep, and returns the failures. An interrupted sweep is not compared, because its
  // missing cells would count as lost, and not pushed, because it would replace a complete sweep's metrics.
  std::vector<PublishFailure> finish(const sweep::SweepOutcome& outcome);

  // Call these after finish(). They return the comparison with the baseline and one line about it; without a
  // comparison, nullopt and "".
  const std::optional<model::Comparison>& comparison() const noexcept { return comparison_; }
  std::string said() const { return comparison_ ? settings_.baseline->said_of(*comparison_) : ""; }

  // Called after the wait of --linger. Deletes pushed metrics if the settings say so. Returns the failures.
  std::vector<PublishFailure> leave();

 private:
  void compare(const model::Result& result);
  std::string write_textfile();  // returns the error; empty: the file is written

  PublishSettings settings_;
  sweep::SweepMetrics metrics_;
  // housekeeping_ and server_ are absent if nothing listens.
  std::optional<measure::HousekeepingThreads> housekeeping_;
  std::unique_ptr<HttpServer> server_;
  std::string device_;
  std::string instance_;
  bool pushed_ = false;
  std::optional<model::Comparison> comparison_;
  std::shared_ptr<const std::string> written_;  // the file's content
};

}  // namespace graphbench::service
