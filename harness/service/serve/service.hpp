// The whole service: store, runner, server, and the routes (docs/reference/service.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/service/net/addresses.hpp"
#include "harness/service/net/http.hpp"
#include "harness/service/net/tls.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/service/serve/access.hpp"
#include "harness/service/serve/catalog.hpp"
#include "harness/service/serve/service_metrics.hpp"
#include "harness/service/serve/sweep_feed.hpp"
#include "harness/service/serve/sweep_runner.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "harness/sweep/probe.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::service {

struct ApiSettings {
  Access access = {};
  std::size_t queued_max = 64;        // more queued sweeps are refused with 429
  std::vector<DeviceStatus> devices;  // the answer of GET /v1/devices
  CodeFolder plugins = {};
  CodeFolder steps = {};  // of PyTorch
  WorkloadCatalog workloads = {};
};

// The objects that the API uses. They must outlive the handler.
struct ApiParts {
  SweepStore& store;
  SweepRunner& runner;
  SweepFeed& feed;
  const sweep::SweepMetrics& metrics;
  ServiceMetrics& service_metrics;
  ComparisonTurn& turn;
};

std::vector<std::string> api_routes();

Handler make_api(ApiSettings settings, ApiParts parts);

struct ServiceSettings {
  ListenAddress listen;
  std::string state_folder = "graphbench-state";
  ApiSettings api;                  // `access` has a token unless `listen` is loopback
  std::shared_ptr<TlsContext> tls;  // null: plain HTTP
  double grace_seconds = 10;
  std::size_t metrics_cells_max = 10'000;              // the cells that /metrics shows
  std::uint64_t compare_bytes_max = 64 * 1024 * 1024;  // POST /v1/compare
  std::vector<std::string> sweep_command;
  std::string tool_version;
  std::shared_ptr<const Baseline> baseline;  // compared with each sweep; null: none
};

// Raises the soft limit of file descriptors, so that all clients can connect. Throws Error(io) if it cannot.
void raise_descriptor_limit();

// Serves, calls `until` with the address, and ends when `until` returns: asks the running sweep to stop, ends
// the server, and waits for the sweep. Throws Error(io) if it cannot listen or cannot write to the state
// folder.
void run_service(const ServiceSettings& settings, const std::function<void(const ListenAddress&)>& until);

}  // namespace graphbench::service
