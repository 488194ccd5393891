// The service as a whole: store, runner, server, from start to stop; and its routes and their answers, which
// docs/reference/service.md describes for users.
#pragma once

#include <cstddef>
#include <cstdint>
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
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::serve {

struct ListedDevice {
  std::string id;  // "cuda:0"
  bool available = false;
  std::string detail;
  std::string advice;  // advice to make it work; empty if it works
};

struct ApiSettings {
  Access access = {};
  std::size_t queued_max = 64;  // beyond it: 429
  std::vector<ListedDevice> devices;
  PluginFolder plugins = {};       // what requests may name
  WorkloadCatalog workloads = {};  // what requests may name
};

// The objects that the API reads; all outlive the handler.
struct ApiParts {
  SweepStore& store;
  SweepRunner& runner;
  SweepFeed& feed;
  const reporters::SweepMetrics& metrics;
  reporters::ServiceMetrics& service_metrics;
};

// All routes, as "GET /v1/sweeps/{id}".
std::vector<std::string> api_routes();

net::Handler make_api(ApiSettings settings, ApiParts parts);

struct ServiceSettings {
  net::ListenAddress listen;
  std::string state_folder;
  Access access;                         // it has a token if `listen` is not loopback
  std::shared_ptr<net::TlsContext> tls;  // null: plain HTTP
  double grace_seconds = 10;
  std::uint64_t compare_bytes_max = 64 * 1024 * 1024;  // the limit of a comparison's body
  PluginFolder plugins = {};                           // what requests may name
  WorkloadCatalog workloads = {};                      // what requests may name
  std::vector<std::string> sweep_command;              // starts a sweep that reports its events
  std::vector<ListedDevice> devices;                   // what GET /v1/devices says
  std::string tool_version;
  std::shared_ptr<const publish::Baseline> baseline;  // result that sweeps are compared with; null: none
};

// Raises the soft limit of file descriptors to what all clients need. Throws Error(io) at a lower hard limit.
void raise_descriptor_limit();

class Service {
 public:
  // Begins to serve. Throws Error(io) if it cannot listen, or keep its state in the folder.
  explicit Service(ServiceSettings settings);
  // Stops listening, then the running sweep.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const net::ListenAddress& address() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace graphbench::serve
