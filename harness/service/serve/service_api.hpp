// The routes of the service and their answers: docs/service.md describes them for users.
#pragma once

#include <string>
#include <vector>

#include "harness/service/net/http.hpp"
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
  std::string advice;  // what would make it work; empty where it does
};

struct ApiSettings {
  Access access = {};
  std::size_t queued_max = 64;  // beyond it: 429
  std::vector<ListedDevice> devices;
  PluginFolder plugins = {};       // what requests may name
  WorkloadCatalog workloads = {};  // what requests may name
};

// What the API answers from; all outlive the handler.
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

}  // namespace graphbench::serve
